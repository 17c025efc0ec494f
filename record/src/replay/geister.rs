//! Playing a record of Geister again.

use games::GameName;
use games::geister::{Move, Placement, Position, Rules, SEATS};
use serde::{Deserialize, Serialize};

use super::{Rebuild, ReplayError, contradiction};
use crate::event::{EndKind, What};
use crate::header::Header;

/// The rules of a match of Geister, as the header has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GeisterRules {
    /// Moves of both sides together after which an undecided game is a draw.
    pub ply_limit: u16,
}

/// One game of a record, rebuilt event by event.
#[derive(Clone, Debug)]
pub struct GeisterReplay {
    /// Number of the game.
    pub game: u32,
    /// The player in each seat; seat 0 moves first.
    pub player_at: [u8; SEATS],
    /// What each seat has set up.
    pub placements: [Option<Placement>; SEATS],
    /// The position, once both have set up.
    pub position: Option<Position>,
    /// Moves so far.
    pub plies: u32,
    /// The player that has lost by a fault.
    pub forfeit: Option<u8>,
    /// Whether the game has ended.
    pub ended: bool,
    rules: Rules,
}

impl GeisterReplay {
    fn seat_of(&self, player: u8) -> Result<usize, ReplayError> {
        match self.player_at.iter().position(|&p| p == player) {
            Some(seat) => Ok(seat),
            None => contradiction(format!("there is no player {player}")),
        }
    }

    fn set_up(&mut self, player: u8, setup: &str) -> Result<(), ReplayError> {
        let seat = self.seat_of(player)?;
        if self.placements[seat].is_some() {
            return contradiction(format!("player {player} sets up twice"));
        }
        self.placements[seat] = Some(setup.parse()?);
        if let [Some(first), Some(second)] = self.placements {
            self.position = Some(Position::new([first, second], self.rules));
        }
        Ok(())
    }

    fn play(&mut self, player: u8, mv: &str) -> Result<(), ReplayError> {
        let seat = self.seat_of(player)?;
        let Some(position) = &mut self.position else {
            return contradiction(format!("player {player} plays {mv} before the set-up"));
        };
        if self.forfeit.is_some() {
            return contradiction(format!("player {player} plays {mv} after a forfeit"));
        }
        match position.to_move() {
            Some(turn) if usize::from(turn) == seat => {}
            Some(_) => {
                return contradiction(format!("player {player} plays {mv} out of turn"));
            }
            None => return contradiction(format!("player {player} plays {mv} after the end")),
        }
        let parsed: Move = mv.parse()?;
        position
            .play(parsed)
            .map_err(|reason| ReplayError::Illegal(reason.to_string()))?;
        self.plies += 1;
        Ok(())
    }

    /// Places by player that the events lead to; `None` while the game is undecided.
    pub fn places(&self) -> Option<[u8; SEATS]> {
        let winner = match (self.forfeit, self.position.and_then(|p| p.end())) {
            (_, Some(end)) => end.winner.map(|seat| self.player_at[usize::from(seat)]),
            (Some(loser), None) => Some(1 - loser),
            (None, None) => return None,
        };
        Some(winner.map_or([0, 0], |winner| [winner, 1 - winner]))
    }

    fn end(
        &mut self,
        game: u32,
        places: &[u8],
        points: &[f64],
        kinds: &[EndKind],
        rule: Option<&str>,
    ) -> Result<(), ReplayError> {
        self.ended = true;
        if game != self.game {
            return contradiction(format!("game {game} ends while game {} runs", self.game));
        }
        if kinds.contains(&EndKind::Void) {
            return if places.is_empty() && points.iter().all(|&p| p == 0.0) {
                Ok(())
            } else {
                contradiction(format!("game {game} is void, but has places or points"))
            };
        }
        let Some(played) = self.places() else {
            return contradiction(format!("game {game} ends while it is still played"));
        };
        if places != played {
            return contradiction(format!(
                "game {game}: the record says places {places:?}, its moves lead to {played:?}"
            ));
        }
        let due = geister_points(played);
        if points != due {
            return contradiction(format!(
                "game {game}: the record says points {points:?}, its places give {due:?}"
            ));
        }
        let by_rule = self.position.and_then(|p| p.end()).map(|e| e.kind.name());
        if rule != by_rule {
            return contradiction(format!(
                "game {game}: the record says that it ended by {rule:?}, its moves by {by_rule:?}"
            ));
        }
        let faulty = |player: u8| kinds.get(usize::from(player)) != Some(&EndKind::Normal);
        let sound = (0..SEATS as u8).all(|p| faulty(p) == (self.forfeit == Some(p)));
        if !sound || kinds.len() != SEATS {
            return contradiction(format!(
                "game {game}: kinds {kinds:?} do not go with its forfeit"
            ));
        }
        Ok(())
    }
}

/// Points by player: a win is 1, a draw one half.
pub fn geister_points(places: [u8; SEATS]) -> [f64; SEATS] {
    if places[0] == places[1] {
        [0.5; SEATS]
    } else {
        places.map(|place| f64::from(1 - place))
    }
}

impl Rebuild for GeisterReplay {
    type Rules = Rules;
    const PLAYERS: usize = SEATS;

    fn rules(header: &Header) -> Result<Rules, ReplayError> {
        if header.game != GameName::Geister {
            return Err(ReplayError::OtherGame(header.game));
        }
        let rules: GeisterRules = serde_json::from_value(header.rules.clone())
            .map_err(|e| ReplayError::Rules(e.to_string()))?;
        Ok(Rules {
            ply_limit: rules.ply_limit,
        })
    }

    fn begin(what: &What, rules: &Rules) -> Result<Option<GeisterReplay>, ReplayError> {
        let What::Begin { game, seats, .. } = what else {
            return Ok(None);
        };
        let player_at = match seats[..] {
            [0, 1] => [0, 1],
            [1, 0] => [1, 0],
            _ => return contradiction(format!("seats {seats:?} are not 0 and 1 in some order")),
        };
        Ok(Some(GeisterReplay {
            game: *game,
            player_at,
            placements: [None; SEATS],
            position: None,
            plies: 0,
            forfeit: None,
            ended: false,
            rules: *rules,
        }))
    }

    fn apply(&mut self, what: &What) -> Result<(), ReplayError> {
        match what {
            What::Setup { player, setup, .. } => self.set_up(*player, setup),
            What::Move { player, mv, .. } => self.play(*player, mv),
            What::Forfeit { player, .. } => {
                self.seat_of(*player)?;
                if self.places().is_some() {
                    return contradiction("a forfeit after the end");
                }
                self.forfeit = Some(*player);
                Ok(())
            }
            What::End {
                game,
                places,
                points,
                kinds,
                rule,
                ..
            } => self.end(*game, places, points, kinds, rule.as_deref()),
            What::Begin { game, .. } => contradiction(format!(
                "game {game} begins while game {} is played",
                self.game
            )),
            What::Give { .. } | What::Lot { .. } => {
                contradiction("there are no cards and no lots in Geister")
            }
            What::Result { .. } | What::Refused { .. } => Ok(()),
        }
    }

    fn number(&self) -> u32 {
        self.game
    }
}
