//! Dobutsu shogi as a client follows it and as players see it.

use games::dobutsu::{Dobutsu, IllegalMove, Move, Rules};
use games::{Game, Seat};
use serde_json::{Value, json};

use super::NativeGame;
use crate::DuelCounts;

impl NativeGame for Dobutsu {
    type Board = Dobutsu;
    type Counts = DuelCounts;

    const HELP: &'static str =
        "  2c2b     move the piece of one square to another: file 3 to 1 from left to right, rank
           a to d from the top; 2b2a+ for a chick that becomes a hen
  C*2b     drop a piece of your hand: C chick, E elephant, G giraffe
Catch the lion (L), or bring yours to the far rank where it cannot be caught. The first player's
pieces are capitals and move up the board.";
    const EXAMPLE: &'static str = "A move such as 2c2b";

    fn read_view(rules: &Rules, view: &Value) -> Result<Dobutsu, String> {
        let position = view["position"].as_str().ok_or("a view without position")?;
        Dobutsu::read(rules, position).map_err(|e| format!("the position {position}: {e}"))
    }

    fn board(&self) -> &Dobutsu {
        self
    }

    fn legal(game: &Dobutsu) -> Vec<Move> {
        let mut moves = Vec::new();
        Game::legal_moves(game, &mut moves);
        moves
    }

    fn log(game: &Dobutsu) -> Value {
        json!(game.board().to_string())
    }

    fn draw(game: &Dobutsu) -> String {
        let times = game.occurrences();
        let repetition = usize::from(game.rules().repetition);
        let warning = if times > 1 && times < repetition {
            format!("This position has occurred {times} times; {repetition} times are a draw.\n")
        } else {
            String::new()
        };
        format!("{:#}{warning}", game.board())
    }

    fn seat_name(seat: Seat) -> &'static str {
        if seat.index() == 0 { "first" } else { "second" }
    }

    fn check(game: &Dobutsu, mv: Move) -> Result<(), String> {
        let over = || IllegalMove::Over(mv).to_string();
        Game::to_move(game).ok_or_else(over)?;
        let mut next = *game.board();
        next.play(mv).map_err(|e| e.to_string())
    }
}
