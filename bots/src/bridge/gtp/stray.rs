//! Text of an engine that belongs to no answer, such as what a library prints to standard output.

/// Bytes of the last such line that are kept to be shown.
const KEPT: usize = 80;

/// Where in the output the next byte lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// At the beginning of a line outside of an answer.
    #[default]
    Outside,
    /// Behind this sign, which may begin an answer.
    Sign(u8),
    /// In a line that belongs to no answer.
    Stray,
    /// At the beginning of a line of an answer, which an empty line would end.
    Line,
    Within,
}

/// Keeps lines that belong to no answer away from those that do. An answer begins with `=` or `?`, and ends with an
/// empty line. Lines as in `=== search ===` begin none.
#[derive(Debug, Default)]
pub(super) struct AnswerFilter {
    place: Place,
    line: Vec<u8>,
    lines: u64,
    bytes: usize,
}

impl AnswerFilter {
    /// What belongs to answers among the next bytes, in any cuts.
    pub(super) fn sift(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut answers = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            self.place = match (self.place, byte) {
                (Place::Outside, b'=' | b'?') => Place::Sign(byte),
                (Place::Outside, _) if is_nothing(byte) => Place::Outside,
                (Place::Outside, _) => {
                    self.line.clear();
                    self.stray(byte)
                }
                (Place::Sign(sign), _) => {
                    if byte.is_ascii_punctuation() {
                        self.line.clear();
                        self.stray(sign);
                        self.stray(byte)
                    } else {
                        answers.extend([sign, byte]);
                        if byte == b'\n' {
                            Place::Line
                        } else {
                            Place::Within
                        }
                    }
                }
                (Place::Stray, b'\n') => {
                    self.lines += 1;
                    Place::Outside
                }
                (Place::Stray, _) => self.stray(byte),
                (Place::Line, _) => {
                    answers.push(byte);
                    match byte {
                        b'\n' => Place::Outside,
                        _ if is_nothing(byte) => Place::Line,
                        _ => Place::Within,
                    }
                }
                (Place::Within, _) => {
                    answers.push(byte);
                    if byte == b'\n' {
                        Place::Line
                    } else {
                        Place::Within
                    }
                }
            };
        }
        answers
    }

    fn stray(&mut self, byte: u8) -> Place {
        self.bytes += 1;
        if self.line.len() < KEPT {
            self.line.push(byte);
        }
        Place::Stray
    }

    /// Whole lines so far that belong to no answer.
    pub(super) const fn lines(&self) -> u64 {
        self.lines
    }

    /// Bytes that belong to no answer since they were last forgotten.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) const fn forget_bytes(&mut self) {
        self.bytes = 0;
    }

    pub(super) fn last(&self) -> String {
        let line = String::from_utf8_lossy(&self.line);
        line.trim_end().escape_debug().to_string()
    }
}

/// Whether a byte leaves a line empty: control letters but tab.
const fn is_nothing(byte: u8) -> bool {
    byte.is_ascii_control() && byte != b'\t'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn answer() -> impl Strategy<Value = String> {
        "[=?][0-9]{0,3}( [a-z0-9=,]{0,9}(\n [a-z=?]{1,9}){0,2})?\r?\n\r?\n"
    }

    fn stray() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-z }{#][a-z=? ]{0,99}\r?\n",
            "[=?][=*-][ -~]{0,9}\n",
            "\r?\n"
        ]
    }

    proptest! {
        #[test]
        fn answers_come_through_and_nothing_else(
            parts in prop::collection::vec((prop::collection::vec(stray(), 0..3), answer()), 1..6),
            cut in 1..20_usize,
        ) {
            let mut text = String::new();
            let mut due = String::new();
            for (strays, answer) in &parts {
                text.extend(strays.iter().map(String::as_str));
                text.push_str(answer);
                due.push_str(answer);
            }
            let mut sieve = AnswerFilter::default();
            let got: Vec<u8> = text.as_bytes().chunks(cut).flat_map(|part| sieve.sift(part)).collect();
            prop_assert_eq!(String::from_utf8(got).unwrap(), due);
            let lines = parts.iter().flat_map(|(strays, _)| strays);
            let lines = lines.filter(|line| !line.trim_end_matches(['\r', '\n']).is_empty());
            prop_assert_eq!(sieve.lines(), lines.count() as u64);
        }
    }

    #[test]
    fn an_endless_line_takes_no_room() {
        let mut sieve = AnswerFilter::default();
        for _ in 0..1000 {
            assert!(sieve.sift(&[b'x'; 1000]).is_empty());
        }
        assert_eq!((sieve.lines(), sieve.bytes()), (0, 1_000_000));
        assert_eq!(sieve.last(), "x".repeat(KEPT));
    }
}
