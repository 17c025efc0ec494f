//! Lines out of a stream that comes in any cuts.

/// What ends a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineEnd {
    /// LF; a CR just before it is no part of the line.
    Lf,
    /// CR LF only: a lone CR or LF is part of the line.
    CrLf,
}

/// Splits a stream into lines.
///
/// A line above the limit is given once as [`Line::TooLong`], as soon as that is known; the rest of
/// it is dropped. Of an unfinished line no more than the limit and a CR are kept. Finished lines
/// wait until they are taken: take all after each [`LineReader::push`].
///
/// ```
/// use taikyoku_protocol::{Line, LineEnd, LineReader};
///
/// let mut reader = LineReader::new(LineEnd::Lf, 9);
/// reader.push(b"one\r\ntw");
/// assert_eq!(reader.next_line(), Some(Line::Text(b"one")));
/// assert_eq!(reader.next_line(), None);
/// reader.push(b"o\n");
/// assert_eq!(reader.next_line(), Some(Line::Text(b"two")));
/// ```
#[derive(Clone, Debug)]
pub struct LineReader {
    end: LineEnd,
    limit: usize,
    buffer: Vec<u8>,
    /// Start of what was not taken yet.
    start: usize,
    /// Up to here the buffer was searched for LF.
    searched: usize,
    /// Whether the rest of a line above the limit is being dropped.
    dropping: bool,
}

/// A line without its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line<'a> {
    /// At most as many bytes as the limit allows.
    Text(&'a [u8]),
    /// More bytes than the limit allows.
    TooLong,
}

impl LineReader {
    /// Makes a reader of lines of at most `limit` bytes, their ends not counted.
    pub const fn new(end: LineEnd, limit: usize) -> Self {
        Self {
            end,
            limit,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            dropping: false,
        }
    }

    /// Takes in bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// Bytes that wait for [`LineReader::next_line`] or for the end of their line.
    pub fn waiting(&self) -> usize {
        self.buffer.len() - self.start
    }

    /// The bytes that wait.
    pub fn rest(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Whether the rest of a line above the limit is being dropped.
    pub const fn is_dropping(&self) -> bool {
        self.dropping
    }

    /// Takes the next line; `None` until more bytes come.
    pub fn next_line(&mut self) -> Option<Line<'_>> {
        loop {
            let rest = &self.buffer[self.searched..];
            let Some(lf) = rest.iter().position(|&byte| byte == b'\n') else {
                self.searched = self.buffer.len();
                return self.unfinished();
            };
            let lf = self.searched + lf;
            self.searched = lf + 1;
            let has_cr = self.buffer[self.start..lf].ends_with(b"\r");
            if self.end == LineEnd::CrLf && !has_cr {
                continue;
            }
            let line = self.start..lf - usize::from(has_cr);
            self.start = lf + 1;
            if !std::mem::take(&mut self.dropping) {
                return Some(if line.len() > self.limit {
                    Line::TooLong
                } else {
                    Line::Text(&self.buffer[line])
                });
            }
        }
    }

    fn unfinished(&mut self) -> Option<Line<'static>> {
        let cr = usize::from(self.buffer[self.start..].ends_with(b"\r"));
        if !self.dropping && self.waiting() - cr <= self.limit {
            return None;
        }
        // Everything goes but a CR that may be half of the line's end.
        self.start = self.buffer.len() - cr;
        let first = !std::mem::replace(&mut self.dropping, true);
        first.then_some(Line::TooLong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(limit: usize, pieces: &[&[u8]]) -> Vec<String> {
        let mut reader = LineReader::new(LineEnd::Lf, limit);
        let mut out = Vec::new();
        for piece in pieces {
            reader.push(piece);
            while let Some(line) = reader.next_line() {
                out.push(match line {
                    Line::Text(text) => String::from_utf8_lossy(text).into_owned(),
                    Line::TooLong => "too long".to_owned(),
                });
            }
            assert!(reader.waiting() <= limit + 1);
        }
        out
    }

    #[test]
    fn lf_ends_a_line_with_or_without_cr() {
        let lines = |pieces| lines(9, pieces);
        assert_eq!(lines(&[b"ab\ncd\r\n\n\r\ne"]), ["ab", "cd", "", ""]);
        assert_eq!(lines(&[b"a", b"b\r", b"\nc\rd\n"]), ["ab", "c\rd"]);
    }

    #[test]
    fn a_line_above_the_limit_is_told_once_and_dropped() {
        let lines = |pieces| lines(3, pieces);
        assert_eq!(lines(&[b"abc\r\nd\n"]), ["abc", "d"]);
        assert_eq!(lines(&[b"abc\r", b"\nd\n"]), ["abc", "d"]);
        assert_eq!(lines(&[b"abcd\nx\n"]), ["too long", "x"]);
        assert_eq!(lines(&[b"abcd", b"ef", b"gh\nx\n"]), ["too long", "x"]);
        assert_eq!(lines(&[b"abcd\r", b"\r", b"\n\n"]), ["too long", ""]);
    }
}
