//! What an ONNX file says about itself, read without an engine, so that all engines refuse the same files.
//!
//! The format is that of `onnx.proto` (`ModelProto`), of which a few fields are read and the others are passed over.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) properties: BTreeMap<String, String>,
    pub(super) operators: BTreeSet<String>,
    pub(super) inputs: Vec<ValueInfo>,
    pub(super) outputs: Vec<ValueInfo>,
    pub(super) weights: u64,
}

#[derive(Debug, Default)]
pub(super) struct ValueInfo {
    pub(super) name: String,
    /// None where a dimension is free.
    pub(super) shape: Vec<Option<usize>>,
    element: u64,
}

const FLOAT: u64 = 1;
/// Those of weights: FLOAT and INT8.
const WEIGHTS: [u64; 2] = [FLOAT, 3];

impl Header {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut header = Self::default();
        let mut graphs = 0;
        for field in Fields(bytes) {
            match field? {
                (7, Value::Bytes(graph)) => {
                    graphs += 1;
                    header.read_graph(graph)?;
                }
                (14, Value::Bytes(property)) => {
                    let (key, value) = read_property(property)?;
                    header.properties.insert(key, value);
                }
                _ => {}
            }
        }
        if graphs == 1 {
            Ok(header)
        } else {
            Err(Malformed("it holds no graph"))
        }
    }

    fn read_graph(&mut self, graph: &[u8]) -> Result<(), Malformed> {
        for field in Fields(graph) {
            match field? {
                (1, Value::Bytes(node)) => {
                    for field in Fields(node) {
                        if let (4, value @ Value::Bytes(_)) = field? {
                            self.operators.insert(value.text()?);
                        }
                    }
                }
                (5, Value::Bytes(weight)) => {
                    self.weights = self.weights.saturating_add(count_weights(weight)?);
                }
                (11, Value::Bytes(input)) => self.inputs.push(ValueInfo::read(input)?),
                (12, Value::Bytes(output)) => self.outputs.push(ValueInfo::read(output)?),
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn property(&self, key: &str) -> Option<&str> {
        self.properties.get(key).map(String::as_str)
    }

    pub(super) fn input(&self, name: &str) -> Option<&ValueInfo> {
        self.inputs.iter().find(|tensor| tensor.name == name)
    }

    pub(super) fn output(&self, name: &str) -> Option<&ValueInfo> {
        self.outputs.iter().find(|tensor| tensor.name == name)
    }
}

impl ValueInfo {
    /// `ValueInfoProto`: a name, and a type that holds a tensor's element type and shape.
    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut tensor = Self::default();
        for field in Fields(bytes) {
            match field? {
                (1, name @ Value::Bytes(_)) => tensor.name = name.text()?,
                (2, Value::Bytes(kind)) => {
                    for field in Fields(kind) {
                        if let (1, Value::Bytes(kind)) = field? {
                            tensor.read_type(kind)?;
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(tensor)
    }

    fn read_type(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        for field in Fields(bytes) {
            match field? {
                (1, Value::Number(element)) => self.element = element,
                (2, Value::Bytes(shape)) => {
                    for field in Fields(shape) {
                        if let (1, Value::Bytes(dimension)) = field? {
                            self.shape.push(read_dimension(dimension)?);
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn is_float(&self) -> bool {
        self.element == FLOAT
    }
}

pub(super) fn size_of(number: u64) -> Result<usize, Malformed> {
    usize::try_from(number).map_err(|_| Malformed("a dimension is too large"))
}

fn read_dimension(bytes: &[u8]) -> Result<Option<usize>, Malformed> {
    let mut size = None;
    for field in Fields(bytes) {
        if let (1, Value::Number(number)) = field? {
            size = Some(size_of(number)?);
        }
    }
    Ok(size)
}

/// The numbers of a `TensorProto` of weights; those of another type, such as shapes, are none.
fn count_weights(bytes: &[u8]) -> Result<u64, Malformed> {
    const TOO_LARGE: Malformed = Malformed("a weight is too large");
    let (mut count, mut element) = (1_u64, 0);
    for field in Fields(bytes) {
        match field? {
            (1, Value::Number(size)) => count = count.checked_mul(size).ok_or(TOO_LARGE)?,
            (1, Value::Bytes(sizes)) => {
                let mut sizes = Fields(sizes);
                while !sizes.0.is_empty() {
                    count = count.checked_mul(sizes.number()?).ok_or(TOO_LARGE)?;
                }
            }
            (2, Value::Number(number)) => element = number,
            _ => {}
        }
    }
    Ok(if WEIGHTS.contains(&element) { count } else { 0 })
}

fn read_property(bytes: &[u8]) -> Result<(String, String), Malformed> {
    let mut property = <(String, String)>::default();
    for field in Fields(bytes) {
        match field? {
            (1, key @ Value::Bytes(_)) => property.0 = key.text()?,
            (2, value @ Value::Bytes(_)) => property.1 = value.text()?,
            _ => {}
        }
    }
    Ok(property)
}

/// What is wrong with bytes that should be an ONNX file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed(pub(super) &'static str);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// Of 4 or 8 bytes.
    Fixed(&'a [u8]),
}

impl Value<'_> {
    pub(super) fn text(self) -> Result<String, Malformed> {
        match self {
            Self::Bytes(bytes) => std::str::from_utf8(bytes)
                .map(str::to_owned)
                .map_err(|_| Malformed("a name is not UTF-8")),
            _ => Err(Malformed("a name is not text")),
        }
    }
}

/// The fields of a message, with their numbers; ends after an error.
/// It is the wire format of protocol buffers, as much of it as ONNX files need.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

const CUT: Malformed = Malformed("it ends in the middle of a field");

impl<'a> Fields<'a> {
    pub(super) fn number(&mut self) -> Result<u64, Malformed> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first().ok_or(CUT)?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Malformed("a number has more than 64 bits"))
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8], Malformed> {
        let length = usize::try_from(length).map_err(|_| CUT)?;
        let (taken, rest) = self.0.split_at_checked(length).ok_or(CUT)?;
        self.0 = rest;
        Ok(taken)
    }

    fn field(&mut self) -> Result<(u64, Value<'a>), Malformed> {
        let tag = self.number()?;
        let value = match tag & 7 {
            0 => Value::Number(self.number()?),
            1 => Value::Fixed(self.take(8)?),
            2 => {
                let length = self.number()?;
                Value::Bytes(self.take(length)?)
            }
            5 => Value::Fixed(self.take(4)?),
            _ => return Err(Malformed("a field is of no known kind")),
        };
        Ok((tag >> 3, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Value<'a>), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.0 = &[];
        }
        Some(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &[u8] = include_bytes!("../../fixtures/tiny-score-four.onnx");

    #[test]
    fn inputs_outputs_operators_and_properties() {
        let header = Header::read(FILE).unwrap();
        assert_eq!(header.property("taikyoku.layout"), Some("score-four"));
        assert_eq!(header.property("taikyoku"), None);
        assert!(header.operators.contains("Conv") && !header.operators.contains("x"));
        let x = header.input("x").unwrap();
        assert_eq!(x.shape, [None, Some(8), Some(4), Some(4)]);
        assert!(x.is_float() && header.input("policy").is_none());
        assert_eq!(header.output("policy").unwrap().shape, [None, Some(16)]);
        let convolutions = (8 * 9 + 1) * 8 + (8 * 9 + 1) * 8 + (8 + 1);
        assert_eq!(header.weights, convolutions + (8 + 1) * 2);
    }

    #[test]
    fn no_damage_makes_it_panic() {
        let mut bytes = FILE.to_vec();
        for i in 0..bytes.len() {
            let was = bytes[i];
            for damaged in [0, was ^ 1, was ^ 0x80, 0xff] {
                bytes[i] = damaged;
                if let Ok(header) = Header::read(&bytes) {
                    let tensors = header.inputs.iter().chain(&header.outputs);
                    assert!(tensors.map(|it| it.name.len()).sum::<usize>() <= bytes.len());
                }
            }
            bytes[i] = was;
        }
    }

    #[test]
    fn fields_of_all_kinds() {
        let bytes = [
            0x08, 0x96, 0x01, 0x12, 2, b'o', b'k', 0x1d, 1, 2, 3, 4, 0x21, 1, 2, 3, 4, 5, 6, 7, 8,
        ];
        let fields = Fields(&bytes).collect::<Result<Vec<_>, _>>().unwrap();
        assert_eq!(
            fields,
            [
                (1, Value::Number(150)),
                (2, Value::Bytes(b"ok")),
                (3, Value::Fixed(&[1, 2, 3, 4])),
                (4, Value::Fixed(&[1, 2, 3, 4, 5, 6, 7, 8])),
            ]
        );
    }

    #[test]
    fn every_cut_inside_a_field_is_an_error_and_the_end() {
        let bytes = [0x12, 3, b'a', b'b', b'c'];
        for end in 1..bytes.len() {
            assert_eq!(Fields(&bytes[..end]).collect::<Vec<_>>(), [Err(CUT)]);
        }
        assert!(Fields(&[0xff; 20]).all(|field| field.is_err()));
    }
}
