//! What a program writes to its standard error, as far as it is kept.

use std::collections::VecDeque;
use std::fmt::Write as _;

/// The first and the last bytes of a stream: half of what is kept is its beginning, half its end.
#[derive(Clone, Debug)]
pub(super) struct Capture {
    first: Vec<u8>,
    last: VecDeque<u8>,
    left_out: u64,
    half: usize,
}

impl Capture {
    /// Keeps at most so many bytes, rounded down to an even number.
    pub(super) const fn new(bytes: usize) -> Capture {
        Capture {
            first: Vec::new(),
            last: VecDeque::new(),
            left_out: 0,
            half: bytes / 2,
        }
    }

    /// Takes more of the stream.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let (begin, rest) = bytes.split_at(bytes.len().min(self.half - self.first.len()));
        self.first.extend_from_slice(begin);
        let (skipped, kept) = rest.split_at(rest.len().saturating_sub(self.half));
        let room = self.half - kept.len();
        let over = self.last.len().saturating_sub(room);
        self.last.drain(..over);
        self.last.extend(kept);
        self.left_out += (skipped.len() + over) as u64;
    }

    /// All that is kept, with how much was left out in the middle.
    pub(super) fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.first).into_owned();
        let last: Vec<u8> = self.last.iter().copied().collect();
        if self.left_out == 0 {
            // A character may lie across the middle.
            let all = [&self.first[..], &last].concat();
            return String::from_utf8_lossy(&all).into_owned();
        }
        let _ = write!(text, "\n[... {} bytes left out ...]\n", self.left_out);
        text + &String::from_utf8_lossy(&last)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_ends_are_kept_however_it_comes(
            stream in "[a-z]{0,200}",
            cuts in prop::collection::vec(0_usize..60, 0..20),
            bytes in 0_usize..80,
        ) {
            let mut capture = Capture::new(bytes);
            let mut rest = stream.as_bytes();
            for cut in cuts {
                let (now, later) = rest.split_at(cut.min(rest.len()));
                capture.add(now);
                rest = later;
            }
            capture.add(rest);
            let half = bytes / 2;
            let due = match stream.len().checked_sub(2 * half) {
                None | Some(0) => stream,
                Some(out) => {
                    let (first, last) = (&stream[..half], &stream[stream.len() - half..]);
                    format!("{first}\n[... {out} bytes left out ...]\n{last}")
                }
            };
            prop_assert_eq!(capture.text(), due);
        }
    }

    #[test]
    fn characters_across_the_middle_stay_whole() {
        let mut capture = Capture::new(8);
        capture.add("対局".as_bytes());
        assert_eq!(capture.text(), "対局");
    }
}
