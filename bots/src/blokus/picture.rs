//! The board for people.

use std::fmt::Write as _;

use games::blokus::{Board, Colour, Piece};

/// Rows between the tops of two colours' lines.
const BLOCK: usize = 5;

/// The board with squares and bonuses (as in GTP's `final_score`) and the pieces left of each colour beside it, `*`
/// before the colour to move; lines with their ends.
pub fn picture(board: &Board) -> String {
    let text = board.to_string();
    let mut out = String::new();
    for (row, line) in text.lines().enumerate() {
        let beside = Colour::ALL
            .get(row / BLOCK)
            .map(|&colour| beside(board, colour, row % BLOCK))
            .unwrap_or_default();
        // Writing to a string does not fail.
        let _ = writeln!(out, "{}", format!("{line}   {beside}").trim_end());
    }
    out
}

/// A line of a colour.
fn beside(board: &Board, colour: Colour, line: usize) -> String {
    let pieces: Vec<&str> = board.pieces_left(colour).iter().map(Piece::name).collect();
    let (small, large) = pieces.split_at(pieces.len() / 2);
    match line {
        0 => {
            let mark = if board.to_move() == Some(colour) {
                '*'
            } else {
                ' '
            };
            let state = if board.is_out(colour) { ", out" } else { "" };
            format!("{mark}{colour}: {}{state}", board.gtp_score(colour))
        }
        1 => format!(" {}", large.join(" ")),
        2 => format!(" {}", small.join(" ")),
        _ => String::new(),
    }
}
