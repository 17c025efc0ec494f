//! The operators of ONNX that networks of `taikyoku_train` are made of.
//!
//! What they mean is in ONNX's Operators.md; of versions before 13 the axes may be attributes, afterwards inputs. All
//! numbers are `f32`: whole ones, such as places, are exact up to 2^24.

use super::graph::Node;
use super::product::{Convolution, Dense};
use super::tensor::{Broadcast, Tensor};

pub(super) enum Operator {
    Convolution(Convolution),
    Dense(Dense),
    Relu,
    Tanh,
    Softmax(i64),
    Add,
    Subtract,
    Multiply,
    Greater,
    Where,
    Reduce {
        by: Reduction,
        axes: Vec<i64>,
        keep: bool,
    },
    Concat(i64),
    Flatten(i64),
    Reshape(Vec<i64>),
    Split {
        axis: i64,
        sizes: Vec<usize>,
    },
    /// The largest of the last axis.
    TopK {
        axis: i64,
        count: usize,
    },
    Gather(i64),
}

#[derive(Clone, Copy)]
pub(super) enum Reduction {
    Mean,
    Max,
    Sum,
}

/// The names of inputs that are computed anew each time; the others, of weights, are parts of the operator.
type Inputs = Vec<String>;

impl Operator {
    /// What a node does. Its weights are those that a function finds; some operators need theirs to be numbers that do not
    /// change.
    pub(super) fn of<'a>(
        mut node: Node,
        weight: impl Fn(&str) -> Option<&'a Tensor>,
    ) -> Result<(Self, Inputs), String> {
        let fixed = |node: &Node, index: usize| {
            let tensor = node.inputs.get(index).and_then(|it| weight(it));
            tensor
                .cloned()
                .ok_or_else(|| format!("input {index} is not a number that the file holds"))
        };
        let optional = |node: &Node, index: usize| match node.inputs.get(index) {
            Some(name) if !name.is_empty() => fixed(node, index).map(Some),
            _ => Ok(None),
        };
        let one = |node: &mut Node, name: &str, usual: i64| match node.take(name).as_deref() {
            None => usual,
            Some(numbers) => numbers.first().map_or(usual, |&number| number as i64),
        };
        let several = |node: &mut Node, name: &str, index: usize| {
            let numbers = match node.take(name) {
                Some(numbers) => numbers,
                None => fixed(node, index)?
                    .numbers
                    .iter()
                    .map(|&number| f64::from(number))
                    .collect(),
            };
            Ok::<_, String>(
                numbers
                    .iter()
                    .map(|&number| number as i64)
                    .collect::<Vec<_>>(),
            )
        };
        let mut operands = 1;
        let operator = match node.operator.as_str() {
            "Conv" => {
                let convolution = Convolution::of(&fixed(&node, 1)?, optional(&node, 2)?)?;
                let side = convolution.side() as f64;
                let half = (side / 2.0).floor();
                must_be(&mut node, "kernel_shape", &[side; 2])?;
                must_be(&mut node, "strides", &[1.0; 2])?;
                must_be(&mut node, "dilations", &[1.0; 2])?;
                must_be(&mut node, "group", &[1.0])?;
                must_be(&mut node, "auto_pad", &[])?;
                if node.take("pads").unwrap_or_else(|| vec![0.0; 4]) != [half; 4] {
                    return Err("its pads change the size of the board".to_owned());
                }
                Self::Convolution(convolution)
            }
            "Gemm" => {
                must_be(&mut node, "alpha", &[1.0])?;
                must_be(&mut node, "beta", &[1.0])?;
                must_be(&mut node, "transA", &[0.0])?;
                let transposed = one(&mut node, "transB", 0) != 0;
                Self::Dense(Dense::of(
                    fixed(&node, 1)?,
                    transposed,
                    optional(&node, 2)?,
                )?)
            }
            "MatMul" => Self::Dense(Dense::of(fixed(&node, 1)?, false, None)?),
            "Relu" => Self::Relu,
            "Tanh" => Self::Tanh,
            "Softmax" => Self::Softmax(one(&mut node, "axis", -1)),
            name @ ("Add" | "Sub" | "Mul" | "Greater") => {
                operands = 2;
                match name {
                    "Add" => Self::Add,
                    "Sub" => Self::Subtract,
                    "Mul" => Self::Multiply,
                    _ => Self::Greater,
                }
            }
            "Where" => {
                operands = 3;
                Self::Where
            }
            name @ ("ReduceMean" | "ReduceMax" | "ReduceSum") => Self::Reduce {
                by: match name {
                    "ReduceMean" => Reduction::Mean,
                    "ReduceMax" => Reduction::Max,
                    _ => Reduction::Sum,
                },
                keep: one(&mut node, "keepdims", 1) != 0,
                axes: several(&mut node, "axes", 1)?,
            },
            "GlobalAveragePool" => Self::Reduce {
                by: Reduction::Mean,
                axes: vec![2, 3],
                keep: true,
            },
            "Concat" => {
                operands = node.inputs.len();
                Self::Concat(one(&mut node, "axis", 1))
            }
            "Flatten" => Self::Flatten(one(&mut node, "axis", 1)),
            "Reshape" => {
                must_be(&mut node, "allowzero", &[0.0])?;
                Self::Reshape(several(&mut node, "shape", 1)?)
            }
            "Split" => Self::Split {
                axis: one(&mut node, "axis", 0),
                sizes: several(&mut node, "split", 1)?
                    .into_iter()
                    .map(size)
                    .collect::<Result<_, _>>()?,
            },
            "TopK" => {
                must_be(&mut node, "largest", &[1.0])?;
                must_be(&mut node, "sorted", &[1.0])?;
                let count = several(&mut node, "k", 1)?;
                Self::TopK {
                    axis: one(&mut node, "axis", -1),
                    count: count
                        .first()
                        .copied()
                        .map_or(Err("it has no count".to_owned()), size)?,
                }
            }
            "Gather" => {
                operands = 2;
                Self::Gather(one(&mut node, "axis", 0))
            }
            other => return Err(format!("the operator {other} is not known here")),
        };
        if let Some(unknown) = node.unknown() {
            return Err(format!("its attribute {unknown} is not known here"));
        }
        node.inputs.truncate(operands);
        if node.inputs.len() == operands {
            Ok((operator, node.inputs))
        } else {
            Err("an input is missing".to_owned())
        }
    }

    /// Computes the outputs, in which what they had before is room; more of it is that of convolutions.
    pub(super) fn run(
        &self,
        inputs: &[&Tensor],
        outputs: &mut [Tensor],
        room: &mut Vec<f32>,
    ) -> Result<(), String> {
        let (&[x, ..], [out, others @ ..]) = (inputs, &mut *outputs) else {
            return Err("it has no input or no output".to_owned());
        };
        match self {
            Self::Convolution(convolution) => convolution.run(x, out, room)?,
            Self::Dense(dense) => dense.run(x, out)?,
            Self::Relu => each(x, out, rectified)?,
            Self::Tanh => each(x, out, f32::tanh)?,
            Self::Softmax(axis) => softmax(x, out, x.axis(*axis)?)?,
            Self::Add => combine([x, inputs[1]], out, |a, b| a + b)?,
            Self::Subtract => combine([x, inputs[1]], out, |a, b| a - b)?,
            Self::Multiply => combine([x, inputs[1]], out, |a, b| a * b)?,
            Self::Greater => combine([x, inputs[1]], out, |a, b| f32::from(a > b))?,
            Self::Where => choose([x, inputs[1], inputs[2]], out)?,
            Self::Reduce { by, axes, keep } => match by {
                Reduction::Mean => {
                    let count = reduce(x, out, axes, *keep, 0.0, |a, b| a + b)? as f32;
                    out.numbers.iter_mut().for_each(|sum| *sum /= count);
                }
                Reduction::Max => _ = reduce(x, out, axes, *keep, f32::NEG_INFINITY, f32::max)?,
                Reduction::Sum => _ = reduce(x, out, axes, *keep, 0.0, |a, b| a + b)?,
            },
            Self::Concat(axis) => concat(inputs, out, x.axis(*axis)?)?,
            Self::Flatten(axis) => {
                let (before, along, after) = x.around(x.axis(*axis)?);
                out.resize(&[before, along * after])?
                    .copy_from_slice(&x.numbers);
            }
            Self::Reshape(shape) => {
                let shape = reshaped(x, shape)?;
                out.resize(&shape)?.copy_from_slice(&x.numbers);
            }
            Self::Split { axis, sizes } => split(x, outputs, x.axis(*axis)?, sizes)?,
            Self::TopK { axis, count } => {
                let places = others.first_mut().ok_or("it gives no places")?;
                top(x, out, places, x.axis(*axis)?, *count)?;
            }
            Self::Gather(axis) => gather(x, inputs[1], out, x.axis(*axis)?)?,
        }
        Ok(())
    }
}

/// The larger of a number and 0, and no number of none: a network that is spoilt shows it.
pub(super) fn rectified(number: f32) -> f32 {
    if number < 0.0 { 0.0 } else { number }
}

/// An attribute that may be absent, and has one meaning only that is known here.
fn must_be(node: &mut Node, name: &str, known: &[f64]) -> Result<(), String> {
    match node.take(name) {
        Some(found) if found != known => Err(format!(
            "its {name} {found:?} is not {known:?}, the only one known here"
        )),
        _ => Ok(()),
    }
}

fn size(number: i64) -> Result<usize, String> {
    usize::try_from(number).map_err(|_| format!("{number} is no size"))
}

fn each(x: &Tensor, out: &mut Tensor, by: impl Fn(f32) -> f32) -> Result<(), String> {
    for (out, &x) in out.resize(&x.shape)?.iter_mut().zip(&x.numbers) {
        *out = by(x);
    }
    Ok(())
}

fn softmax(x: &Tensor, out: &mut Tensor, axis: usize) -> Result<(), String> {
    if axis + 1 != x.shape.len() {
        return Err("it is not along the last axis".to_owned());
    }
    let length = x.shape[axis].max(1);
    let out = out.resize(&x.shape)?;
    for (out, x) in out
        .chunks_exact_mut(length)
        .zip(x.numbers.chunks_exact(length))
    {
        let most = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        for (out, x) in out.iter_mut().zip(x) {
            *out = (x - most).exp();
        }
        let sum: f32 = out.iter().sum();
        for out in out {
            *out /= sum;
        }
    }
    Ok(())
}

fn combine(
    [a, b]: [&Tensor; 2],
    out: &mut Tensor,
    by: impl Fn(f32, f32) -> f32,
) -> Result<(), String> {
    let broadcast = Broadcast::of([a, b])?;
    let (length, steps) = broadcast.run;
    let mut runs = out
        .resize(&broadcast.shape)?
        .chunks_exact_mut(length.max(1));
    broadcast.for_each_run(|[i, j]| {
        let Some(out) = runs.next() else { return };
        let (a, b) = (&a.numbers[i..], &b.numbers[j..]);
        match steps {
            [1, 1] => out
                .iter_mut()
                .zip(a.iter().zip(b))
                .for_each(|(out, (&a, &b))| *out = by(a, b)),
            [1, 0] => out
                .iter_mut()
                .zip(a)
                .for_each(|(out, &a)| *out = by(a, b[0])),
            [0, 1] => out
                .iter_mut()
                .zip(b)
                .for_each(|(out, &b)| *out = by(a[0], b)),
            _ => out.fill(by(a[0], b[0])),
        }
    });
    Ok(())
}

/// Of the second operand where the first is not 0, else of the third.
fn choose(operands: [&Tensor; 3], out: &mut Tensor) -> Result<(), String> {
    let broadcast = Broadcast::of(operands)?;
    let (length, steps) = broadcast.run;
    let mut runs = out
        .resize(&broadcast.shape)?
        .chunks_exact_mut(length.max(1));
    broadcast.for_each_run(|at| {
        for (i, out) in runs.next().into_iter().flatten().enumerate() {
            let of = |operand: usize| operands[operand].numbers[at[operand] + i * steps[operand]];
            *out = if of(0) == 0.0 { of(2) } else { of(1) };
        }
    });
    Ok(())
}

/// Makes one number of those along neighbouring axes; gives how many they were.
fn reduce(
    x: &Tensor,
    out: &mut Tensor,
    axes: &[i64],
    keep: bool,
    first: f32,
    by: impl Fn(f32, f32) -> f32,
) -> Result<usize, String> {
    let mut places = axes
        .iter()
        .map(|&axis| x.axis(axis))
        .collect::<Result<Vec<_>, _>>()?;
    places.sort_unstable();
    if places.is_empty() || places.windows(2).any(|two| two[0] + 1 != two[1]) {
        return Err(format!("its axes {axes:?} are not side by side"));
    }
    let (begin, end) = (places[0], places[0] + places.len());
    let kept = if keep {
        vec![1; places.len()]
    } else {
        Vec::new()
    };
    let out = out.resize(&[&x.shape[..begin], &kept, &x.shape[end..]].concat())?;
    let count: usize = x.shape[begin..end].iter().product();
    let after: usize = x.shape[end..].iter().product();
    out.fill(first);
    let parts = x.numbers.chunks_exact((count * after).max(1));
    for (out, x) in out.chunks_exact_mut(after.max(1)).zip(parts) {
        if after == 1 {
            // Several sums at once, which a processor does not have to wait for.
            let mut lanes = [first; 8];
            let (whole, rest) = x.as_chunks::<8>();
            for x in whole {
                for (lane, &x) in lanes.iter_mut().zip(x) {
                    *lane = by(*lane, x);
                }
            }
            out[0] = lanes.iter().chain(rest).fold(first, |all, &x| by(all, x));
        } else {
            for x in x.chunks_exact(after) {
                out.iter_mut()
                    .zip(x)
                    .for_each(|(out, &x)| *out = by(*out, x));
            }
        }
    }
    Ok(count)
}

fn concat(inputs: &[&Tensor], out: &mut Tensor, axis: usize) -> Result<(), String> {
    let mut shape = inputs[0].shape.clone();
    shape[axis] = 0;
    for x in inputs {
        let fits = x.shape.len() == shape.len()
            && (0..shape.len()).all(|i| i == axis || x.shape[i] == shape[i]);
        if !fits {
            return Err(format!("{:?} does not fit {:?}", x.shape, inputs[0].shape));
        }
        shape[axis] += x.shape[axis];
    }
    let mut rest = out.resize(&shape)?;
    for part in 0..shape[..axis].iter().product() {
        for x in inputs {
            let (_, along, after) = x.around(axis);
            let (to, others) = rest.split_at_mut(along * after);
            to.copy_from_slice(&x.numbers[part * along * after..][..along * after]);
            rest = others;
        }
    }
    Ok(())
}

/// A shape in which 0 is the size before, and -1 what is left.
fn reshaped(x: &Tensor, wanted: &[i64]) -> Result<Vec<usize>, String> {
    let mut shape = Vec::new();
    for (i, &wanted) in wanted.iter().enumerate() {
        shape.push(match wanted {
            -1 => 1,
            0 => *x.shape.get(i).ok_or("it keeps a size that is not there")?,
            other => size(other)?,
        });
    }
    let known = shape
        .iter()
        .try_fold(1, |n: usize, &size| n.checked_mul(size))
        .unwrap_or(0);
    if let Some(free) = wanted.iter().position(|&wanted| wanted == -1) {
        shape[free] = x.numbers.len() / known.max(1);
    }
    let fits = shape
        .iter()
        .try_fold(1, |n: usize, &size| n.checked_mul(size))
        == Some(x.numbers.len());
    fits.then_some(shape)
        .ok_or_else(|| format!("{:?} is not {wanted:?}", x.shape))
}

fn split(x: &Tensor, outputs: &mut [Tensor], axis: usize, sizes: &[usize]) -> Result<(), String> {
    let (before, along, after) = x.around(axis);
    let sum = sizes
        .iter()
        .try_fold(0, |sum: usize, &size| sum.checked_add(size));
    if sum != Some(along) || sizes.len() != outputs.len() {
        return Err(format!("{along} are not split into {sizes:?}"));
    }
    let mut from = 0;
    let mut shape = x.shape.clone();
    for (out, &size) in outputs.iter_mut().zip(sizes) {
        shape[axis] = size;
        let out = out.resize(&shape)?;
        for part in 0..before {
            let x = &x.numbers[(part * along + from) * after..][..size * after];
            out[part * size * after..][..size * after].copy_from_slice(x);
        }
        from += size;
    }
    Ok(())
}

/// The largest numbers of rows and their places; of equal ones the first comes first.
fn top(
    x: &Tensor,
    out: &mut Tensor,
    places: &mut Tensor,
    axis: usize,
    count: usize,
) -> Result<(), String> {
    let length = x.shape[axis];
    if axis + 1 != x.shape.len() || count > length {
        return Err(format!(
            "{count} of axis {axis} of {:?} are not taken here",
            x.shape
        ));
    }
    let mut shape = x.shape.clone();
    shape[axis] = count;
    let (out, places) = (out.resize(&shape)?, places.resize(&shape)?);
    let mut order = Vec::new();
    let room = out
        .chunks_exact_mut(count.max(1))
        .zip(places.chunks_exact_mut(count.max(1)));
    for (x, (out, places)) in x.numbers.chunks_exact(length.max(1)).zip(room) {
        order.clear();
        order.extend(0..length);
        order.sort_by(|&a, &b| x[b].total_cmp(&x[a]));
        for (i, &place) in order[..count].iter().enumerate() {
            (out[i], places[i]) = (x[place], place as f32);
        }
    }
    Ok(())
}

fn gather(x: &Tensor, places: &Tensor, out: &mut Tensor, axis: usize) -> Result<(), String> {
    let (before, along, after) = x.around(axis);
    let out = out.resize(&[&x.shape[..axis], &places.shape, &x.shape[axis + 1..]].concat())?;
    let mut parts = out.chunks_exact_mut(after.max(1));
    for part in 0..before {
        for &place in &places.numbers {
            let place = if place < 0.0 {
                place + along as f32
            } else {
                place
            };
            if !(0.0..along as f32).contains(&place) {
                return Err(format!("there is no place {place} among {along}"));
            }
            if let Some(out) = parts.next() {
                out.copy_from_slice(&x.numbers[(part * along + place as usize) * after..][..after]);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_stays_so() {
        let x = Tensor::of(&[1, 3], &[-1.0, f32::NAN, 2.0]);
        let mut outputs = [Tensor::default()];
        Operator::Relu
            .run(&[&x], &mut outputs, &mut Vec::new())
            .unwrap();
        let [out] = outputs;
        assert_eq!(format!("{:?}", out.numbers), "[0.0, NaN, 2.0]");
    }
}
