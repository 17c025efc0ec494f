//! The suite that every game passes.

use std::fmt;

use taikyoku_games::blokus::{Board, Colour, Placement, Position, SEATS, Scoring};
use taikyoku_games::conformance::{Game, check};

/// The share of each seat in the win.
fn outcome(board: &Board) -> Option<Vec<f64>> {
    let over = board.to_move().is_none();
    over.then(|| {
        let winners = board.winners(Scoring::Advanced);
        let shares = winners.iter().filter(|&&won| won).count() as f64;
        let share = winners.map(|won| f64::from(u8::from(won)) / shares);
        share.to_vec()
    })
}

#[derive(Clone, Debug, PartialEq)]
struct ByRows(Board);

impl Game for ByRows {
    type Move = Placement;
    type View = Board;

    const SEATS: u8 = SEATS as u8;

    fn fresh(_seed: u64) -> ByRows {
        ByRows(Board::new())
    }

    fn to_move(&self) -> Option<u8> {
        self.0.to_move().map(Colour::seat)
    }

    fn legal_moves(&self, out: &mut Vec<Placement>) {
        self.0.legal_moves(out);
    }

    fn play(&mut self, mv: Placement) -> Result<(), String> {
        self.0.play(mv).map_err(|e| e.to_string())
    }

    fn view(&self, _seat: u8) -> Board {
        self.0
    }

    fn outcome(&self) -> Option<Vec<f64>> {
        outcome(&self.0)
    }

    fn max_plies() -> u32 {
        84
    }
}

#[derive(Clone, PartialEq)]
struct BySets(Position);

impl fmt::Debug for BySets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.board().fmt(f)
    }
}

impl Game for BySets {
    type Move = Placement;
    type View = Board;

    const SEATS: u8 = SEATS as u8;

    fn fresh(_seed: u64) -> BySets {
        BySets(Position::new())
    }

    fn to_move(&self) -> Option<u8> {
        self.0.to_move().map(Colour::seat)
    }

    fn legal_moves(&self, out: &mut Vec<Placement>) {
        self.0.legal_moves(out);
    }

    fn play(&mut self, mv: Placement) -> Result<(), String> {
        self.0.play(mv).map_err(|e| e.to_string())
    }

    fn view(&self, _seat: u8) -> Board {
        *self.0.board()
    }

    fn outcome(&self) -> Option<Vec<f64>> {
        outcome(self.0.board())
    }

    fn max_plies() -> u32 {
        84
    }
}

#[test]
fn boards_conform() {
    check::<ByRows>(200);
}

#[test]
fn positions_conform() {
    check::<BySets>(200);
}
