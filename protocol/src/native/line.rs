//! Lines that end with LF or CR LF, out of a stream in any cuts.

/// Splits a stream into lines. A CR just before the LF is no part of the line.
///
/// A line above the limit is given once as [`Line::TooLong`], as soon as that is known; the rest of
/// it is dropped. Of an unfinished line no more than the limit and a CR are kept. Finished lines
/// wait until they are taken: take all after each [`LineReader::push`].
#[derive(Clone, Debug)]
pub struct LineReader {
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
    /// A reader of lines of at most `limit` bytes, their ends not counted.
    pub const fn new(limit: usize) -> Self {
        Self {
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

    /// Whether the rest of a line above the limit is being dropped.
    pub const fn is_dropping(&self) -> bool {
        self.dropping
    }

    /// The next line; `None` until more bytes come.
    pub fn next_line(&mut self) -> Option<Line<'_>> {
        loop {
            let found = self.buffer[self.searched..]
                .iter()
                .position(|&b| b == b'\n');
            let Some(end) = found.map(|i| self.searched + i) else {
                self.searched = self.buffer.len();
                return self.unfinished();
            };
            let line = self.start..end;
            self.start = end + 1;
            self.searched = self.start;
            if std::mem::take(&mut self.dropping) {
                continue;
            }
            let line = &self.buffer[line];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            return Some(if line.len() > self.limit {
                Line::TooLong
            } else {
                Line::Text(line)
            });
        }
    }

    fn unfinished(&mut self) -> Option<Line<'static>> {
        let cr = usize::from(self.buffer[self.start..].ends_with(b"\r"));
        if !self.dropping && self.waiting() - cr <= self.limit {
            return None;
        }
        self.start = self.buffer.len();
        let first = !std::mem::replace(&mut self.dropping, true);
        first.then_some(Line::TooLong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(limit: usize, pieces: &[&[u8]]) -> Vec<String> {
        let mut reader = LineReader::new(limit);
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
        assert_eq!(lines(9, &[b"ab\ncd\r\n\n\r\ne"]), ["ab", "cd", "", ""]);
        assert_eq!(lines(9, &[b"a", b"b\r", b"\nc\rd\n"]), ["ab", "c\rd"]);
    }

    #[test]
    fn a_line_above_the_limit_is_told_once_and_dropped() {
        assert_eq!(lines(3, &[b"abc\r\nd\n"]), ["abc", "d"]);
        assert_eq!(lines(3, &[b"abc\r", b"\nd\n"]), ["abc", "d"]);
        assert_eq!(lines(3, &[b"abcd\nx\n"]), ["too long", "x"]);
        assert_eq!(lines(3, &[b"abcd", b"ef", b"gh\nx\n"]), ["too long", "x"]);
        assert_eq!(lines(3, &[b"abcd\r", b"\r", b"\n\n"]), ["too long", ""]);
    }
}
