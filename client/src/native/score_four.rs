//! 3D four-in-a-row as a client follows it and as players see it.

use games::score_four::{Peg, Position, Rules};
use games::{Game as _, ScoreFour, Seat};
use serde_json::{Value, json};

use super::NativeGame;
use crate::DuelCounts;

impl NativeGame for ScoreFour {
    type Board = Position;
    type Counts = DuelCounts;

    const HELP: &'static str = "  b3       drop a ball on the peg in column b, row 3
Four balls in a line win, in any direction, also across the levels.";
    const EXAMPLE: &'static str = "A peg such as b3";

    fn read_view(rules: &Rules, view: &Value) -> Result<ScoreFour, String> {
        let moves = view["moves"].as_str().ok_or("a view without moves")?;
        ScoreFour::read(rules, moves).map_err(|e| format!("the moves {moves}: {e}"))
    }

    fn board(&self) -> &Position {
        self.board()
    }

    fn legal(position: &Position) -> Vec<Peg> {
        position.legal_pegs().collect()
    }

    fn log(position: &Position) -> Value {
        json!(position.to_string())
    }

    fn draw(position: &Position) -> String {
        format!("{position:#}")
    }

    fn seat_name(seat: Seat) -> &'static str {
        if seat.index() == 0 { "x" } else { "o" }
    }

    fn check(position: &Position, peg: Peg) -> Result<(), String> {
        let mut next = *position;
        next.play(peg).map_err(|e| e.to_string())
    }
}
