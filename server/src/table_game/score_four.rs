//! 3D four-in-a-row at a table.

use std::fmt::Write as _;

use games::score_four::{Peg, Position, SEATS};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Outcome, TableGame};
use games::GameName;

/// There are no options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreFourRules {}

/// A game of 3D four-in-a-row. Its text is the sequence of pegs played, such as `a1b2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreFour {
    position: Position,
    moves: String,
}

impl ScoreFour {
    /// The board.
    pub fn board(&self) -> &Position {
        &self.position
    }
}

impl TableGame for ScoreFour {
    type Rules = ScoreFourRules;
    const NAME: GameName = GameName::ScoreFour;
    const SEATS: usize = SEATS;

    fn begin(_: &ScoreFourRules, position: Option<&str>) -> Result<ScoreFour, String> {
        let moves = position.unwrap_or_default();
        Ok(ScoreFour {
            position: Position::from_moves(moves).map_err(|e| e.to_string())?,
            moves: moves.to_owned(),
        })
    }

    fn position(&self) -> String {
        self.moves.clone()
    }

    fn to_move(&self) -> Option<u8> {
        self.position.to_move()
    }

    fn ply(&self) -> u32 {
        u32::from(self.position.ply())
    }

    /// `board`: the pegs a1, b1, ..., d4, each from the bottom up, `x` of seat 0 and `o` of seat 1.
    /// `moves`: the pegs played.
    fn view(&self, _: u8) -> Value {
        json!({"board": self.position.to_string(), "moves": self.moves})
    }

    fn legal_moves(&self) -> Vec<String> {
        self.position
            .legal_pegs()
            .map(|peg| peg.to_string())
            .collect()
    }

    fn play(&mut self, mv: &str) -> Result<String, String> {
        let peg: Peg = mv
            .parse()
            .map_err(|e: games::score_four::ParseError| e.to_string())?;
        self.position.play(peg).map_err(|e| e.to_string())?;
        // Writing to a string does not fail.
        let _ = write!(self.moves, "{peg}");
        Ok(peg.to_string())
    }

    fn outcome(&self) -> Option<Outcome> {
        let end = self.position.end()?;
        let mut outcome = Outcome::of_two(end.winner.map(games::Seat::new), Some(end.name()));
        outcome.reason = end.winner.map(|_| {
            let squares: Vec<String> = (0..64)
                .filter(|square| end.line >> square & 1 == 1)
                .map(|square| format!("{} level {}", Peg::under(square), square / 16 + 1))
                .collect();
            squares.join(", ")
        });
        Some(outcome)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn a_line_is_told_by_its_squares() {
        let rules = ScoreFourRules {};
        let mut game = ScoreFour::begin(&rules, Some("a1a2b1b2c1c2")).unwrap();
        assert_eq!(game.legal_moves().len(), 16);
        assert_eq!(game.play("D1"), Ok("d1".to_owned()));
        assert_eq!(game.position(), "a1a2b1b2c1c2d1");
        let outcome = game.outcome().unwrap();
        assert_eq!(
            (outcome.places, outcome.rule),
            ([0, 1].into(), Some("line"))
        );
        let line = "a1 level 1, b1 level 1, c1 level 1, d1 level 1";
        assert_eq!(outcome.reason.as_deref(), Some(line));
        assert!(game.play("a1").unwrap_err().contains("over"));
        assert_eq!(game.legal_moves(), [""; 0]);
    }

    #[test]
    fn openings_are_drawn_and_never_over() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let rules = ScoreFourRules {};
        for plies in 0..30 {
            let game = ScoreFour::opening(&rules, plies, &mut rng).unwrap();
            assert_eq!((game.ply(), game.outcome()), (plies, None));
            let again = ScoreFour::begin(&rules, Some(&game.position()));
            assert_eq!(again, Ok(game));
        }
    }
}
