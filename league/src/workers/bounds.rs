//! The bounds of what other machines say: of numbers, and of texts that people read.

use games::{Printable, is_printable};

use crate::journal::Game;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_other_machines_are_bounded_and_plain() {
        assert_eq!(plain("a\u{1b}[2J\nb\n"), "a\\u001b[2J\nb");
        assert_eq!(plain(&"é".repeat(MOST_TEXT)).len(), MOST_TEXT);
    }
}
