//! A game with its moves.

use super::notation::pegs;
use super::{IllegalMove, Peg, Position, SEATS};
use crate::game::bytes_of;
use crate::{Game, GameName, NoPosition, Outcome, Seat};

/// There are no options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Rules {}

/// A game of 3D four-in-a-row. Its text is the sequence of pegs played, such as `a1b2`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScoreFour {
    position: Position,
    moves: Vec<Peg>,
}

impl ScoreFour {
    /// The board.
    pub fn board(&self) -> &Position {
        &self.position
    }
}

/// The view of all seats. `board`: the pegs a1, b1, ..., d4, each from the bottom up, `x` of seat 0 and
/// `o` of seat 1. `moves`: the pegs played.
#[cfg(feature = "serde")]
impl serde::Serialize for ScoreFour {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;

        let mut view = serializer.serialize_struct("ScoreFour", 2)?;
        view.serialize_field("board", &self.position.to_string())?;
        view.serialize_field("moves", &self.position())?;
        view.end()
    }
}

impl Game for ScoreFour {
    type Rules = Rules;
    type Move = Peg;
    type Illegal = IllegalMove;
    type View = ScoreFour;
    type PublicView = ScoreFour;
    const NAME: GameName = GameName::ScoreFour;
    const SEATS: usize = SEATS;
    const MOST_PLIES: u32 = 64;
    const HAS_DRAWS: bool = true;

    fn begin(_: &Rules, _: u64) -> ScoreFour {
        ScoreFour::default()
    }

    fn read(_: &Rules, position: &str) -> Result<ScoreFour, NoPosition> {
        Ok(ScoreFour {
            position: Position::from_moves(position).map_err(NoPosition::new)?,
            moves: pegs(position)
                .collect::<Result<_, _>>()
                .map_err(NoPosition::new)?,
        })
    }

    fn position(&self) -> String {
        self.moves.iter().map(Peg::to_string).collect()
    }

    /// The balls; their number determines the seat to move.
    fn key(&self) -> Vec<u8> {
        bytes_of(&self.position)
    }

    fn to_move(&self) -> Option<Seat> {
        self.position.to_move().map(Seat::new)
    }

    fn ply(&self) -> u32 {
        u32::from(self.position.ply())
    }

    fn legal_moves(&self, out: &mut Vec<Peg>) {
        out.clear();
        out.extend(self.position.legal_pegs());
    }

    fn play(&mut self, peg: Peg) -> Result<(), IllegalMove> {
        self.position.play(peg)?;
        self.moves.push(peg);
        Ok(())
    }

    fn view(&self, _: Seat) -> ScoreFour {
        self.clone()
    }

    fn public_view(&self) -> ScoreFour {
        self.clone()
    }

    fn outcome(&self) -> Option<Outcome> {
        let end = self.position.end()?;
        let mut outcome = Outcome::of_two(end.winner.map(Seat::new), Some(end.name()));
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
