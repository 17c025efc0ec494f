//! Dense layers and convolutions: products with matrices of weights, which rten-gemm computes.

use rten_gemm::{BiasVector, GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_tensor::NdTensorView;
use rten_tensor::prelude::*;

use super::tensor::Tensor;

thread_local! {
    static KERNELS: GemmExecutor = {
        // They would use the threads of a global pool: a search has as many networks as threads, so that the pool gets
        // one. Where somebody else has made it, theirs is used.
        _ = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
        GemmExecutor::new()
    };
}

fn matrix(shape: [usize; 2], numbers: &[f32]) -> Result<NdTensorView<'_, f32, 2>, String> {
    NdTensorView::try_from_data(shape, numbers).map_err(|error| error.to_string())
}

fn pack_b(shape: [usize; 2], numbers: &[f32]) -> Result<PackedBMatrix<f32>, String> {
    let numbers = matrix(shape, numbers)?;
    Ok(KERNELS.with(|kernels| kernels.prepack_b(numbers)))
}

fn multiply(
    out: &mut [f32],
    a: GemmInputA<'_, f32>,
    b: GemmInputB<'_, f32>,
    bias: Option<BiasVector<'_, f32>>,
) -> Result<(), String> {
    let options = GemmOptions {
        bias,
        ..GemmOptions::default()
    };
    KERNELS
        .with(|kernels| kernels.gemm(out, a, b, options))
        .map_err(|error| error.to_string())
}

pub(super) struct Dense {
    /// Inputs x outputs.
    weights: Vec<f32>,
    packed: PackedBMatrix<f32>,
    bias: Option<Vec<f32>>,
    inputs: usize,
    outputs: usize,
}

impl Dense {
    /// A layer of weights, inputs x outputs or the other way round, and a bias for each output or one for all.
    pub(super) fn of(
        weights: Tensor,
        transposed: bool,
        bias: Option<Tensor>,
    ) -> Result<Self, String> {
        let &[rows, columns] = weights.shape.as_slice() else {
            return Err(format!("weights of {:?} are no matrix", weights.shape));
        };
        if weights.numbers.is_empty() {
            return Err("it has no weights".to_owned());
        }
        let (inputs, outputs) = if transposed {
            (columns, rows)
        } else {
            (rows, columns)
        };
        let weights = if transposed {
            matrix([rows, columns], &weights.numbers)?
                .transposed()
                .to_vec()
        } else {
            weights.numbers
        };
        let bias = bias.map(|bias| match bias.numbers.as_slice() {
            &[one] => Ok(vec![one; outputs]),
            each if each.len() == outputs => Ok(each.to_vec()),
            _ => Err(format!(
                "a bias of {:?} is not for {outputs} outputs",
                bias.shape
            )),
        });
        Ok(Self {
            packed: pack_b([inputs, outputs], &weights)?,
            weights,
            bias: bias.transpose()?,
            inputs,
            outputs,
        })
    }

    pub(super) fn run(&self, x: &Tensor, out: &mut Tensor) -> Result<(), String> {
        let Some((&last, before)) = x.shape.split_last() else {
            return Err("a number is no row".to_owned());
        };
        if last != self.inputs {
            return Err(format!("{:?} are not rows of {}", x.shape, self.inputs));
        }
        let rows = before.iter().product();
        let out = out.resize(&[before, &[self.outputs]].concat())?;
        if rows == 1 {
            self.run_row(&x.numbers, out);
            return Ok(());
        }
        let x = GemmInputA::Unpacked(matrix([rows, last], &x.numbers)?);
        let bias = self.bias.as_deref().map(BiasVector::Row);
        multiply(out, x, GemmInputB::Packed(&self.packed), bias)
    }

    /// One row, of which a kernel would fill a few lanes; half of its numbers are 0 after a rectifier.
    fn run_row(&self, x: &[f32], out: &mut [f32]) {
        match &self.bias {
            Some(bias) => out.copy_from_slice(bias),
            None => out.fill(0.0),
        }
        for (&x, weights) in x.iter().zip(self.weights.chunks_exact(self.outputs)) {
            if x != 0.0 {
                for (out, weight) in out.iter_mut().zip(weights) {
                    *out += x * weight;
                }
            }
        }
    }
}

/// A convolution that keeps the size of the board: each square and those around it.
///
/// Squares are the rows of the product, so that the planes are laid out side by side, and boards of any size fill the
/// lanes of a kernel.
pub(super) struct Convolution {
    /// (Rows, columns, inputs) x outputs.
    weights: PackedBMatrix<f32>,
    bias: Vec<f32>,
    outputs: usize,
    inputs: usize,
    side: usize,
}

/// Squares that are laid out at a time, where one board has not more: what is laid out stays in the cache.
const SQUARES: usize = 192;

impl Convolution {
    pub(super) fn of(weights: &Tensor, bias: Option<Tensor>) -> Result<Self, String> {
        let &[outputs, inputs, side, across] = weights.shape.as_slice() else {
            return Err(format!(
                "weights of {:?} are no convolution of a board",
                weights.shape
            ));
        };
        if side != across || side % 2 == 0 || weights.numbers.is_empty() {
            return Err(format!(
                "its kernel is {side} x {across}, not square and odd"
            ));
        }
        let bias = bias.map_or_else(|| vec![0.0; outputs], |bias| bias.numbers);
        if bias.len() != outputs {
            return Err(format!(
                "a bias of {} is not for {outputs} planes",
                bias.len()
            ));
        }
        let (around, depth) = (side * side, inputs * side * side);
        let mut turned = vec![0.0; weights.numbers.len()];
        for (i, &weight) in weights.numbers.iter().enumerate() {
            let (output, input, place) = (i / depth, i / around % inputs, i % around);
            turned[(place * inputs + input) * outputs + output] = weight;
        }
        Ok(Self {
            weights: pack_b([depth, outputs], &turned)?,
            bias,
            outputs,
            inputs,
            side,
        })
    }

    pub(super) fn side(&self) -> usize {
        self.side
    }

    /// Runs it; the room is for what it has to lay out.
    pub(super) fn run(
        &self,
        x: &Tensor,
        out: &mut Tensor,
        room: &mut Vec<f32>,
    ) -> Result<(), String> {
        let &[n, inputs, height, width] = x.shape.as_slice() else {
            return Err(format!("{:?} are no boards", x.shape));
        };
        if inputs != self.inputs {
            return Err(format!("{inputs} planes are not {}", self.inputs));
        }
        let out = out.resize(&[n, self.outputs, height, width])?;
        if out.is_empty() {
            return Ok(());
        }
        let (squares, depth) = (height * width, inputs * self.side * self.side);
        let boards = (SQUARES / squares).clamp(1, n);
        let boards_out = out.chunks_mut(boards * squares * self.outputs);
        for (x, out) in x.numbers.chunks(boards * squares * inputs).zip(boards_out) {
            let rows = out.len() / self.outputs;
            // Squares with their planes side by side, the neighbourhoods of squares, and what comes out.
            let sizes = [squares * inputs, rows * depth, out.len()];
            room.resize(sizes.iter().sum(), 0.0);
            let (turned, rest) = room.split_at_mut(sizes[0]);
            let (laid, product) = rest.split_at_mut(sizes[1]);
            for (x, laid) in x
                .chunks_exact(squares * inputs)
                .zip(laid.chunks_exact_mut(squares * depth))
            {
                turn(x, turned, squares);
                lay(turned, laid, (height, width), self.side);
            }
            let laid = GemmInputA::Unpacked(matrix([rows, depth], laid)?);
            let bias = Some(BiasVector::Row(&self.bias));
            multiply(product, laid, GemmInputB::Packed(&self.weights), bias)?;
            let products = product.chunks_exact(squares * self.outputs);
            for (product, out) in products.zip(out.chunks_exact_mut(squares * self.outputs)) {
                turn(product, out, self.outputs);
            }
        }
        Ok(())
    }
}

fn turn(from: &[f32], to: &mut [f32], columns: usize) {
    let rows = from.len() / columns;
    for (column, to) in to.chunks_exact_mut(rows).enumerate() {
        for (row, to) in to.iter_mut().enumerate() {
            *to = from[row * columns + column];
        }
    }
}

/// For each square and each place of a kernel, the numbers of the square there; 0 outside.
fn lay(squares: &[f32], to: &mut [f32], (height, width): (usize, usize), side: usize) {
    let (half, planes) = (side / 2, squares.len() / (height * width));
    let mut parts = to.chunks_exact_mut(planes);
    for (y, x) in (0..height * width).map(|square| (square / width, square % width)) {
        for (down, across) in (0..side * side).map(|place| (place / side, place % side)) {
            let Some(to) = parts.next() else { return };
            let y = (y + down).checked_sub(half).filter(|&y| y < height);
            let x = (x + across).checked_sub(half).filter(|&x| x < width);
            match (y, x) {
                (Some(y), Some(x)) => {
                    to.copy_from_slice(&squares[(y * width + x) * planes..][..planes]);
                }
                _ => to.fill(0.0),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small wholes, whose sums are exact.
    fn drawn(shape: &[usize], seed: usize) -> Tensor {
        let numbers: Vec<_> = (0..shape.iter().product())
            .map(|i: usize| ((i * 7 + seed * 13 + i * i % 11) % 9) as f32 - 4.0)
            .collect();
        Tensor::of(shape, &numbers)
    }

    #[test]
    fn convolutions_are_sums_over_neighbours() {
        let mut room = Vec::new();
        for (height, width) in [(1, 1), (4, 3), (4, 4), (8, 8), (14, 9), (1, 70)] {
            for (n, inputs, outputs, side) in [(1, 1, 1, 1), (2, 3, 5, 3), (3, 2, 7, 5)] {
                let shape = [n, inputs, height, width];
                let x = drawn(&shape, 1);
                let weights = drawn(&[outputs, inputs, side, side], 2);
                let bias = drawn(&[outputs], 3);
                let convolution = Convolution::of(&weights, Some(bias.clone())).unwrap();
                let mut out = Tensor::default();
                convolution.run(&x, &mut out, &mut room).unwrap();
                let mut expected = Vec::new();
                for (i, output) in (0..n).flat_map(|i| (0..outputs).map(move |output| (i, output)))
                {
                    for (y, column) in (0..height * width).map(|it| (it / width, it % width)) {
                        let mut sum = bias.numbers[output];
                        for (input, place) in (0..inputs)
                            .flat_map(|it| (0..side * side).map(move |place| (it, place)))
                        {
                            let (down, across) = (y + place / side, column + place % side);
                            let (down, across) =
                                (down.wrapping_sub(side / 2), across.wrapping_sub(side / 2));
                            if down < height && across < width {
                                let weight = weights.numbers
                                    [(output * inputs + input) * side * side + place];
                                sum += weight
                                    * x.numbers
                                        [((i * inputs + input) * height + down) * width + across];
                            }
                        }
                        expected.push(sum);
                    }
                }
                assert_eq!(
                    out,
                    Tensor::of(&[n, outputs, height, width], &expected),
                    "{shape:?} {side}"
                );
            }
        }
    }

    #[test]
    fn dense_layers_are_products_whichever_way_their_weights_lie() {
        for rows in [1, 2, 7] {
            let (inputs, outputs) = (5, 3);
            let x = drawn(&[rows, inputs], 1);
            let across = drawn(&[inputs, outputs], 2).numbers;
            let down: Vec<_> = (0..inputs * outputs)
                .map(|i| across[i % inputs * outputs + i / inputs])
                .collect();
            let sum = |row: usize, output: usize| {
                let products =
                    (0..inputs).map(|i| x.numbers[row * inputs + i] * across[i * outputs + output]);
                1.5 + products.sum::<f32>()
            };
            let expected: Vec<_> = (0..rows * outputs)
                .map(|i| sum(i / outputs, i % outputs))
                .collect();
            let bias = Tensor::of(&[], &[1.5]);
            for (shape, weights, transposed) in [
                ([inputs, outputs], &across, false),
                ([outputs, inputs], &down, true),
            ] {
                let weights = Tensor::of(&shape, weights);
                let layer = Dense::of(weights, transposed, Some(bias.clone())).unwrap();
                let mut out = Tensor::default();
                layer.run(&x, &mut out).unwrap();
                assert_eq!(out, Tensor::of(&[rows, outputs], &expected));
            }
        }
    }
}
