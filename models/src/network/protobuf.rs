//! The wire format of protocol buffers, as much of it as ONNX files need.

/// What is wrong with bytes that should be an ONNX file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed(pub(super) &'static str);

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'a> {
    Number(u64),
    /// Text, bytes, or a message.
    Bytes(&'a [u8]),
    /// Of fixed width; nothing that is read here has one.
    Fixed,
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
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

const CUT: Malformed = Malformed("it ends in the middle of a field");

impl<'a> Fields<'a> {
    fn number(&mut self) -> Result<u64, Malformed> {
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
            1 => self.take(8).map(|_| Value::Fixed)?,
            2 => {
                let length = self.number()?;
                Value::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| Value::Fixed)?,
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
                (3, Value::Fixed),
                (4, Value::Fixed),
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
