//! Blokus as a client follows it and as players see it.

use std::fmt::Write as _;

use games::blokus::{Board, Colour, Piece, Placement, Rules, SEATS};
use games::{Blokus, Game as _, Seat};
use serde_json::{Value, json};

use super::{BlokusCounts, NativeGame};

/// Moves of a colour in a game of strong players, about.
const MOVES: u32 = 18;
/// Rows of the board's drawing between the tops of two colours' lines.
const BLOCK: usize = 5;

impl NativeGame for Blokus {
    type Board = Board;
    type Counts = BlokusCounts;

    const HELP: &'static str = "  b18,b19,c19,a20,b20  lay the piece of these squares, in any order
The first piece covers your corner; every other one touches an own piece at a corner and none along an
edge. Pieces are named as in Pentobi: a letter for the shape, a number for the squares.";
    const EXAMPLE: &'static str = "The squares of a piece such as a20,b20";

    /// Replays the `moves` of the view, pairs of a seat and squares, and withdraws the colours that are `out` by a
    /// forfeit.
    fn read_view(rules: &Rules, view: &Value) -> Result<Blokus, String> {
        let mut game = Blokus::begin(rules, 0);
        let has_lost = |seat: Seat| view["out"][seat.index()] == "forfeit";
        for mv in view["moves"].as_array().ok_or("a view without moves")? {
            let seat = mv[0].as_u64().and_then(|seat| u8::try_from(seat).ok());
            let (Some(seat), Some(squares)) = (seat.map(Seat::new), mv[1].as_str()) else {
                return Err(format!("the view has {mv} as a move"));
            };
            // One that was passed over had lost by then.
            while let Some(passed) = game.to_move().filter(|&s| s != seat && has_lost(s)) {
                game.withdraw(passed);
            }
            let name = Self::seat_name(seat);
            if game.to_move() != Some(seat) {
                return Err(format!("{name} {squares}: it is not its turn"));
            }
            game.play_text(squares)
                .map_err(|e| format!("{name} {squares}: {e}"))?;
        }
        for seat in Seat::all(SEATS).filter(|&seat| has_lost(seat)) {
            game.withdraw(seat);
        }
        Ok(game)
    }

    fn board(&self) -> &Board {
        self.board()
    }

    fn legal(board: &Board) -> Vec<Placement> {
        let mut moves = Vec::new();
        board.legal_moves(&mut moves);
        moves
    }

    fn moves_left(&self, seat: Seat) -> Option<u32> {
        let left = self.board().pieces_left(Colour::new(seat.number())?).len();
        let played = games::blokus::PIECES as u32 - left;
        Some((MOVES.saturating_sub(played)).max(2).min(left).max(1))
    }

    /// The moves are in the log already: squares placed by seat, and who is out.
    fn log(board: &Board) -> Value {
        json!({
            "squares": Colour::ALL.map(|colour| board.squares(colour)),
            "out": Colour::ALL.map(|colour| board.is_out(colour)),
        })
    }

    fn draw(board: &Board) -> String {
        picture(board)
    }

    fn seat_name(seat: Seat) -> &'static str {
        Colour::new(seat.number()).map_or("nobody", Colour::name)
    }

    fn check(board: &Board, placement: Placement) -> Result<(), String> {
        let colour = board.to_move().ok_or("the game is over")?;
        let checked = board.check(colour, placement);
        checked.map_err(|e| format!("{placement}: {e}"))
    }
}

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

#[cfg(test)]
mod tests {
    use games::blokus::Scoring;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::native::track::Track;

    /// The `out` and `moves` of a view.
    fn view(moves: &[Value], ends: &[Option<&str>; SEATS]) -> Value {
        json!({"board": [], "left": [], "moves": moves, "out": ends})
    }

    /// Plays a game as a server tells it, which knows of colours without a move before their turn comes; one is
    /// withdrawn at a ply. The board that follows, and those of views, must be that of the rules after every ply.
    fn follow(seed: u64, fault: Option<(u16, Colour)>) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut track = Track::<Blokus>::default();
        track.begin(1, &[0, 1, 2, 3], 0);
        let (mut board, mut moves, mut told) = (Board::new(), Vec::new(), Vec::new());
        let mut ends = [None; SEATS];
        let mut early = 0;
        while let Some(mover) = board.to_move() {
            if let Some((ply, colour)) = fault
                && ply == board.ply()
                && ends[colour.index()].is_none()
            {
                board.withdraw(colour);
                track.out(1, colour.at(), "timeout");
                ends[colour.index()] = Some("forfeit");
                if board.to_move() != Some(mover) {
                    continue;
                }
            }
            board.legal_moves(&mut moves);
            let mv = moves[rng.random_range(0..moves.len())];
            assert!(track.moved(1, u32::from(board.ply()), mover.at(), &mv.to_string()));
            told.push(json!([mover.seat(), mv.to_string()]));
            board.play(mv).unwrap();
            for colour in Colour::ALL {
                if ends[colour.index()].is_none() && !board.has_move(colour) {
                    early += u32::from(!board.is_out(colour));
                    let is_done = board.squares_left(colour) == 0;
                    let end = if is_done { "all-placed" } else { "no-moves" };
                    track.out(1, colour.at(), end);
                    ends[colour.index()] = Some(end);
                }
            }
            assert_eq!(track.position.board(), &board);
            let read = Blokus::read_view(&Rules::default(), &view(&told, &ends));
            assert_eq!(read.expect("a view").board(), &board);
        }
        assert!(early > 0 || fault.is_some());
        for colour in Colour::ALL {
            let is_forfeit = ends[colour.index()] == Some("forfeit");
            assert_eq!(board.is_withdrawn(colour), is_forfeit);
            assert!(!is_forfeit || board.places(Scoring::Advanced)[colour.index()] == 3);
        }
    }

    #[test]
    fn colours_that_are_out_early_are_left_to_the_rules() {
        for seed in 0..20 {
            follow(seed, None);
        }
    }

    #[test]
    fn colours_with_a_fault_are_withdrawn() {
        for seed in 0..40 {
            let colour = Colour::ALL[seed as usize % SEATS];
            follow(seed, Some((seed as u16, colour)));
        }
    }
}
