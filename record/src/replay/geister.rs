//! Playing a record of Geister again.

use games::geister::{GameView, Placement, Position, Rules};
use games::{BySeat, GameName, Outcome, Seat, Seating};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::game::{Recorded, ReplayError, contradiction, seat_of};
use crate::event::What;

/// The rules of a match of Geister, as the header has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GeisterRules {
    /// Moves of both sides together after which an undecided game is a draw.
    pub ply_limit: u16,
}

/// A game of Geister as its record tells it.
#[derive(Clone, Debug)]
pub struct GeisterGame {
    /// What each seat has set up.
    pub placements: BySeat<Option<Placement>>,
    /// The position, once both have set up.
    pub position: Option<Position>,
    rules: Rules,
}

impl Recorded for GeisterGame {
    type Rules = GeisterRules;
    const NAME: GameName = GameName::Geister;
    const SEATS: usize = 2;

    fn deal(_: &What, _: &Seating, rules: &GeisterRules) -> Result<GeisterGame, ReplayError> {
        Ok(GeisterGame {
            placements: [None; 2].into(),
            position: None,
            rules: Rules {
                ply_limit: rules.ply_limit,
            },
        })
    }

    fn prepare(&mut self, what: &What, seating: &Seating) -> Result<(), ReplayError> {
        let What::Setup { player, setup, .. } = what else {
            return contradiction("there are no cards and no lots in Geister");
        };
        let place = &mut self.placements[seat_of(seating, *player)?];
        if place.is_some() {
            return contradiction(format!("player {player} sets up twice"));
        }
        *place = Some(setup.parse().map_err(ReplayError::notation)?);
        if let [Some(first), Some(second)] = *self.placements {
            self.position = Some(Position::new([first, second], self.rules));
        }
        Ok(())
    }

    fn follow(&mut self, mv: &str, _: Option<&str>) -> Result<(), ReplayError> {
        let mv = mv.parse().map_err(ReplayError::notation)?;
        let position = self.position.as_mut().expect("a seat is to move");
        match position.play(mv) {
            Ok(_) => Ok(()),
            Err(reason) => Err(ReplayError::Illegal(reason.to_string())),
        }
    }

    fn turn(&self) -> Option<Seat> {
        self.position?.to_move().map(Seat::new)
    }

    fn plies(&self) -> u32 {
        self.position.map_or(0, |position| position.ply().into())
    }

    fn seen(&self, seat: Seat) -> Value {
        let view = match &self.position {
            Some(position) if position.end().is_some() => {
                GameView::Playing(position.final_view(seat.number()))
            }
            Some(position) => GameView::Playing(position.view(seat.number())),
            None => GameView::Placing {
                seat,
                to_move: Seat::new(self.placements[Seat::new(0)].is_some().into()),
                own: self.placements[seat],
                rules: self.rules,
            },
        };
        json!(view)
    }

    fn result(&self) -> Option<Outcome> {
        let end = self.position?.end()?;
        let winner = end.winner.map(Seat::new);
        Some(Outcome::of_two(winner, Some(end.kind.name())))
    }

    fn lose(&mut self, seat: Seat) -> Option<Outcome> {
        let winner = Seat::new(1 - seat.number());
        Some(Outcome::of_two(Some(winner), None))
    }
}
