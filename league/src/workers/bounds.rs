//! The bounds of what other machines say: of lines, numbers, and texts that people read.

use std::io;

use games::{Printable, is_printable};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _};

use crate::journal::Game;

/// Longest line from a carrier, in bytes.
pub(super) const LONGEST: u64 = 64 << 20;

/// Longest name and longest description of a machine, in bytes.
pub(super) const MOST_BYTES: usize = 300;

/// Longest time in a line, in milliseconds: 30 days. Sums of such times do not overflow.
pub(super) const MOST_MS: u64 = 30 * 24 * 3_600_000;

/// Most moves of a game, and most points of a player.
const MOST_MOVES: u32 = 1_000_000;
const MOST_POINTS: f64 = 1e9;

/// Bytes that are kept of a text from another machine.
const MOST_TEXT: usize = 8 << 10;

/// Whether this text can be a machine's name or description: one line within a length.
pub(super) fn is_name(text: &str) -> bool {
    text.len() <= MOST_BYTES && text.chars().all(is_printable)
}

/// Whether the numbers and texts of a game are within their bounds.
pub(super) fn is_bounded(game: &Game) -> bool {
    let mut times = game.used.iter().chain(&game.slowest);
    let mut moves = game.moves.iter().chain(&game.refused).chain([&game.plies]);
    let mut points = game.points.iter();
    times.all(|&ms| ms <= MOST_MS)
        && moves.all(|&moves| moves <= MOST_MOVES)
        && points.all(|points| points.abs() <= MOST_POINTS)
        && game.rule.as_ref().is_none_or(|rule| is_name(rule))
        && (game.digest.is_empty() || game.digest.len() == 16 && is_name(&game.digest))
}

/// The beginning of a text from another machine, as it may be printed.
pub(super) fn plain(text: &str) -> String {
    let text = text.trim_end();
    let end = text.floor_char_boundary(MOST_TEXT);
    format!("{:#}", Printable(&text[..end]))
}

/// The piece of a line that is too long to be read as a whole, if the line begins with it.
pub(super) fn piece_of(line: &[u8]) -> Option<u64> {
    let rest = line.trim_ascii_start().strip_prefix(b"{")?;
    let rest = rest.trim_ascii_start().strip_prefix(b"\"piece\"")?;
    let rest = rest.trim_ascii_start().strip_prefix(b":")?;
    let rest = rest.trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()
}

/// Reads to the end of a line; gives whether it has one.
pub(super) async fn skip_line(from: &mut (impl AsyncBufRead + Unpin)) -> io::Result<bool> {
    loop {
        let bytes = from.fill_buf().await?;
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let read = end.map_or(bytes.len(), |end| end + 1);
        if read == 0 {
            return Ok(false);
        }
        from.consume(read);
        if end.is_some() {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_other_machines_are_bounded_and_plain() {
        assert_eq!(plain("a\u{1b}[2J\nb\n"), "a\\u001b[2J\nb");
        assert_eq!(plain(&"é".repeat(MOST_TEXT)).len(), MOST_TEXT);
    }
}
