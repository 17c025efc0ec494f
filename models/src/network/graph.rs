//! The nodes and weights of an ONNX file.

use std::collections::BTreeMap;

use super::header::{Fields, Malformed, Value, size_of};
use super::tensor::Tensor;

/// `GraphProto`: what is computed, in an order in which it can be, and the numbers that do not change.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) weights: BTreeMap<String, Tensor>,
}

/// `NodeProto`: an operator, the names of what it takes and gives, and its attributes.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub(super) operator: String,
    pub(super) inputs: Vec<String>,
    pub(super) outputs: Vec<String>,
    attributes: BTreeMap<String, Vec<f64>>,
}

impl Graph {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut graph = Self::default();
        for field in Fields(bytes) {
            let (7, Value::Bytes(bytes)) = field? else {
                continue;
            };
            for field in Fields(bytes) {
                match field? {
                    (1, Value::Bytes(node)) => graph.nodes.push(Node::read(node)?),
                    (5, Value::Bytes(weight)) => {
                        let (name, weight) = read_weight(weight)?;
                        graph.weights.insert(name, weight);
                    }
                    _ => {}
                }
            }
        }
        Ok(graph)
    }
}

impl Node {
    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut node = Self::default();
        for field in Fields(bytes) {
            match field? {
                (1, input @ Value::Bytes(_)) => node.inputs.push(input.text()?),
                (2, output @ Value::Bytes(_)) => node.outputs.push(output.text()?),
                (4, operator @ Value::Bytes(_)) => node.operator = operator.text()?,
                (5, Value::Bytes(attribute)) => node.read_attribute(attribute)?,
                _ => {}
            }
        }
        Ok(node)
    }

    /// `AttributeProto`: a number, or several; a text that is not the usual one is no number.
    fn read_attribute(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        let (mut name, mut numbers) = (String::new(), Vec::new());
        for field in Fields(bytes) {
            match field? {
                (1, text @ Value::Bytes(_)) => name = text.text()?,
                (2, Value::Fixed(float)) => numbers.push(f64::from(f32_of(float)?)),
                (3 | 8, Value::Number(number)) => numbers.push(number.cast_signed() as f64),
                (8, Value::Bytes(packed)) => {
                    let packed = varints(packed)?.into_iter();
                    numbers.extend(packed.map(|it| it.cast_signed() as f64));
                }
                (4, Value::Bytes(b"NOTSET")) => {}
                (4..=7 | 9..=12, _) => numbers.push(f64::NAN),
                _ => {}
            }
        }
        self.attributes.insert(name, numbers);
        Ok(())
    }

    /// The numbers of an attribute, which counts as known from then on.
    pub(super) fn take(&mut self, name: &str) -> Option<Vec<f64>> {
        self.attributes.remove(name)
    }

    /// The name of an attribute that was not taken.
    pub(super) fn unknown(&self) -> Option<&str> {
        self.attributes.keys().next().map(String::as_str)
    }
}

/// Reads a `TensorProto`, whatever the type of its elements; gives its name, too.
fn read_weight(bytes: &[u8]) -> Result<(String, Tensor), Malformed> {
    let (mut name, mut element, mut raw) = (String::new(), 0, &[][..]);
    let Tensor {
        mut shape,
        mut numbers,
    } = Tensor::default();
    for field in Fields(bytes) {
        match field? {
            (1, Value::Number(size)) => shape.push(size_of(size)?),
            (1, Value::Bytes(sizes)) => {
                for size in varints(sizes)? {
                    shape.push(size_of(size)?);
                }
            }
            (2, Value::Number(number)) => element = number,
            (4, Value::Bytes(floats)) => numbers.extend(elements(floats, 1)?),
            (4, Value::Fixed(float)) => numbers.push(f32_of(float)?),
            (5 | 7, Value::Bytes(packed)) => {
                let packed = varints(packed)?.into_iter();
                numbers.extend(packed.map(|it| it.cast_signed() as f32));
            }
            (5 | 7, Value::Number(number)) => numbers.push(number.cast_signed() as f32),
            (8, text @ Value::Bytes(_)) => name = text.text()?,
            (9, Value::Bytes(bytes)) => raw = bytes,
            (13 | 14, _) => return Err(Malformed("its weights are in another file")),
            _ => {}
        }
    }
    numbers.extend(elements(raw, element)?);
    let count = shape
        .iter()
        .try_fold(1, |n: usize, &size| n.checked_mul(size));
    if count != Some(numbers.len()) {
        return Err(Malformed("a weight has another size than its shape says"));
    }
    Ok((name, Tensor { shape, numbers }))
}

/// The elements of a type of `TensorProto.DataType`, from their bytes.
fn elements(raw: &[u8], element: u64) -> Result<Vec<f32>, Malformed> {
    fn each<const N: usize>(raw: &[u8], number: impl Fn([u8; N]) -> f32) -> Option<Vec<f32>> {
        let (whole, rest) = raw.as_chunks::<N>();
        rest.is_empty()
            .then(|| whole.iter().copied().map(number).collect())
    }
    match element {
        1 => each(raw, f32::from_le_bytes),
        9 => each(raw, |[byte]| f32::from(byte)),
        6 => each(raw, |it| i32::from_le_bytes(it) as f32),
        7 => each(raw, |it| i64::from_le_bytes(it) as f32),
        _ => {
            return Err(Malformed(
                "its weights are of a type that is not known here",
            ));
        }
    }
    .ok_or(Malformed("a weight ends in the middle of a number"))
}

fn f32_of(bytes: &[u8]) -> Result<f32, Malformed> {
    let bytes = bytes
        .try_into()
        .map_err(|_| Malformed("a number has not 32 bits"))?;
    Ok(f32::from_le_bytes(bytes))
}

fn varints(packed: &[u8]) -> Result<Vec<u64>, Malformed> {
    let (mut fields, mut numbers) = (Fields(packed), Vec::new());
    while !fields.0.is_empty() {
        numbers.push(fields.number()?);
    }
    Ok(numbers)
}
