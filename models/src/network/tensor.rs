//! Numbers in boxes of any rank, and how boxes of different shapes are walked together.

/// Numbers, those of the last axis side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tensor {
    pub(super) shape: Vec<usize>,
    pub(super) numbers: Vec<f32>,
}

/// No network of a board game comes near it; a damaged one may ask for more than there is.
const MOST: usize = 1 << 26;

impl Tensor {
    #[cfg(test)]
    pub(super) fn of(shape: &[usize], numbers: &[f32]) -> Self {
        Self {
            shape: shape.to_vec(),
            numbers: numbers.to_vec(),
        }
    }

    /// Takes another shape, and gives the room of its numbers, which hold anything.
    pub(super) fn resize(&mut self, shape: &[usize]) -> Result<&mut [f32], String> {
        let count = shape
            .iter()
            .try_fold(1, |n: usize, &size| n.checked_mul(size));
        let count = count.filter(|&count| count <= MOST);
        let count = count.ok_or_else(|| format!("{shape:?} are too many numbers"))?;
        self.shape.clear();
        self.shape.extend_from_slice(shape);
        self.numbers.resize(count, 0.0);
        Ok(&mut self.numbers)
    }

    /// The place of an axis, which is counted from the end where it is negative.
    pub(super) fn axis(&self, axis: i64) -> Result<usize, String> {
        let rank = self.shape.len();
        let place = if axis < 0 { axis + rank as i64 } else { axis };
        usize::try_from(place)
            .ok()
            .filter(|&place| place < rank)
            .ok_or_else(|| format!("{:?} has no axis {axis}", self.shape))
    }

    /// The numbers of parts before an axis, of those along it, and of those after it.
    pub(super) fn around(&self, axis: usize) -> (usize, usize, usize) {
        let (before, rest) = self.shape.split_at(axis);
        let after = rest.iter().skip(1).product();
        (
            before.iter().product(),
            rest.first().map_or(1, |&it| it),
            after,
        )
    }
}

/// An axis along which operands are walked: its length, and how far each operand goes with a step, 0 where it has one
/// number for all of them.
type Axis<const N: usize> = (usize, [usize; N]);

/// Operands that are stretched to one shape, as ONNX broadcasts them.
#[derive(Debug, PartialEq)]
pub(super) struct Broadcast<const N: usize> {
    pub(super) shape: Vec<usize>,
    /// The innermost one; each operand goes by 1 or 0 along it.
    pub(super) run: Axis<N>,
    /// The others, from the inside; those that can be walked as one are one.
    axes: Vec<Axis<N>>,
}

impl<const N: usize> Broadcast<N> {
    pub(super) fn of(operands: [&Tensor; N]) -> Result<Self, String> {
        let rank = operands.iter().map(|it| it.shape.len()).max().unwrap_or(0);
        let size = |operand: &Tensor, axis: usize| {
            let missing = rank - operand.shape.len();
            axis.checked_sub(missing)
                .map_or(1, |axis| operand.shape[axis])
        };
        let mut shape = vec![1; rank];
        for operand in operands {
            for (axis, out) in shape.iter_mut().enumerate() {
                match size(operand, axis) {
                    1 => {}
                    wanted if *out == 1 || *out == wanted => *out = wanted,
                    other => return Err(format!("{other} numbers do not fit {out}")),
                }
            }
        }
        let (mut strides, mut axes) = ([1; N], Vec::<Axis<N>>::new());
        for axis in (0..rank).rev().filter(|&axis| shape[axis] != 1) {
            let steps = std::array::from_fn(|i| match size(operands[i], axis) {
                1 => 0,
                size => {
                    let step = strides[i];
                    strides[i] *= size;
                    step
                }
            });
            match axes.last_mut() {
                Some((length, inner)) if inner.map(|step| step * *length) == steps => {
                    *length *= shape[axis];
                }
                _ => axes.push((shape[axis], steps)),
            }
        }
        let run = if axes.is_empty() {
            (1, [0; N])
        } else {
            axes.remove(0)
        };
        Ok(Self { shape, run, axes })
    }

    /// Calls with the place where each operand begins, for each run.
    pub(super) fn for_each_run(&self, mut call: impl FnMut([usize; N])) {
        fn walk<const N: usize>(
            axes: &[Axis<N>],
            at: [usize; N],
            call: &mut impl FnMut([usize; N]),
        ) {
            let Some(((length, steps), inner)) = axes.split_last() else {
                return call(at);
            };
            for i in 0..*length {
                walk(inner, std::array::from_fn(|k| at[k] + i * steps[k]), call);
            }
        }
        if self.shape.iter().all(|&size| size > 0) {
            walk(&self.axes, [0; N], &mut call);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_shape(shape: &[usize]) -> Tensor {
        let numbers: Vec<_> = (0..shape.iter().product())
            .map(|it: usize| it as f32)
            .collect();
        Tensor::of(shape, &numbers)
    }

    /// The places of each operand for each number of the whole, one by one.
    fn places<const N: usize>(broadcast: &Broadcast<N>) -> Vec<[usize; N]> {
        let (length, steps) = broadcast.run;
        let mut places = Vec::new();
        broadcast.for_each_run(|at| {
            places.extend((0..length).map(|i| std::array::from_fn(|k| at[k] + i * steps[k])));
        });
        places
    }

    #[test]
    fn operands_of_all_shapes_are_walked_as_their_places_say() {
        let sizes = [1, 2, 3];
        for shape in sizes
            .map(|a| sizes.map(|b| sizes.map(|c| [a, b, c])))
            .as_flattened()
            .as_flattened()
        {
            for kept in 0..8 {
                let other: Vec<_> = (0..3)
                    .map(|i| if kept >> i & 1 == 1 { shape[i] } else { 1 })
                    .collect();
                let left = usize::from(kept % 3 == 0 && other[0] == 1);
                let operands = [of_shape(shape), of_shape(&other[left..])];
                let broadcast = Broadcast::of([&operands[0], &operands[1]]).unwrap();
                assert_eq!(broadcast.shape, shape);
                let expected = (0..operands[0].numbers.len()).map(|place| {
                    let at = [
                        place / (shape[1] * shape[2]),
                        place / shape[2] % shape[1],
                        place % shape[2],
                    ];
                    let there = (0..3).fold(0, |sum, i| sum * other[i] + at[i] % other[i]);
                    [place, there]
                });
                assert_eq!(
                    places(&broadcast),
                    expected.collect::<Vec<_>>(),
                    "{shape:?} {other:?}"
                );
            }
        }
    }

    #[test]
    fn shapes_that_do_not_fit_and_too_large_ones_are_refused() {
        assert!(Broadcast::of([&of_shape(&[2, 3]), &of_shape(&[2])]).is_err());
        let mut tensor = Tensor::default();
        assert!(tensor.resize(&[usize::MAX, 2]).is_err());
        assert!(tensor.resize(&[1 << 20, 1 << 20]).is_err());
        assert_eq!(tensor.resize(&[2, 3]).unwrap().len(), 6);
        assert!(tensor.axis(2).is_err() && tensor.axis(-3).is_err());
        assert_eq!((tensor.axis(-1), tensor.axis(0)), (Ok(1), Ok(0)));
    }
}
