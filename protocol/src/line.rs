//! Lines that end with CR LF, out of a stream in any cuts.

/// Splits a stream into lines. Only CR LF ends a line: a lone CR or LF is part of it.
///
/// A line above the limit is given once as [`Line::TooLong`], as soon as that is known; the rest of
/// it up to its CR LF is dropped. Of an unfinished line no more than the limit is kept. Finished
/// lines wait until they are taken: take all after each [`LineReader::push`].
#[derive(Clone, Debug)]
pub struct LineReader {
    limit: usize,
    buffer: Vec<u8>,
    /// Start of what was not taken yet.
    start: usize,
    /// Up to here the buffer was searched for CR LF.
    searched: usize,
    /// Whether the rest of a line above the limit is being dropped.
    dropping: bool,
}

/// A line without its CR LF.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line<'a> {
    /// At most as many bytes as the limit allows.
    Text(&'a [u8]),
    /// More bytes than the limit allows.
    TooLong,
}

impl LineReader {
    /// A reader of lines of at most `limit` bytes, CR LF not counted.
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

    /// The next line; `None` until more bytes come.
    pub fn next_line(&mut self) -> Option<Line<'_>> {
        loop {
            // CR LF may lie across the place where the last search stopped.
            let from = self.searched.saturating_sub(1).max(self.start);
            let found = self.buffer[from..].windows(2).position(|w| w == b"\r\n");
            let Some(end) = found.map(|i| from + i) else {
                self.searched = self.buffer.len();
                return self.unfinished();
            };
            let start = self.start;
            self.start = end + 2;
            self.searched = self.start;
            if !std::mem::take(&mut self.dropping) {
                return Some(if end - start > self.limit {
                    Line::TooLong
                } else {
                    Line::Text(&self.buffer[start..end])
                });
            }
        }
    }

    fn unfinished(&mut self) -> Option<Line<'static>> {
        let cr = usize::from(self.buffer[self.start..].ends_with(b"\r"));
        if !self.dropping && self.waiting() - cr <= self.limit {
            return None;
        }
        // All goes but a CR, whose LF may follow.
        self.start = self.buffer.len() - cr;
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
    fn only_both_together_end_a_line() {
        assert_eq!(
            lines(9, &[b"a\nb\rc\r\r\n\r\nd\r\n"]),
            ["a\nb\rc\r", "", "d"]
        );
        assert_eq!(lines(9, &[b"ab\r", b"\nc", b"d", b"\r\n"]), ["ab", "cd"]);
        assert_eq!(lines(9, &[b"abc\n"]), [""; 0]);
    }

    #[test]
    fn a_line_above_the_limit_is_told_once_and_dropped() {
        assert_eq!(lines(3, &[b"abc\r\n"]), ["abc"]);
        assert_eq!(lines(3, &[b"abc\r", b"\nd\r\n"]), ["abc", "d"]);
        assert_eq!(lines(3, &[b"abcd\r\nx\r\n"]), ["too long", "x"]);
        assert_eq!(
            lines(3, &[b"abcd", b"efgh\r", b"\nx\r\n"]),
            ["too long", "x"]
        );
        assert_eq!(
            lines(3, &[b"abcdefgh", b"ij", b"\r\n", b"x\r\n"]),
            ["too long", "x"]
        );
    }
}
