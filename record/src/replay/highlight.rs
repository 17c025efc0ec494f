//! What makes a game worth a look.

use std::cmp::Ordering;

use games::Seat;
use serde::Serialize;

use super::{Recorded, Replay, ReplayError};
use crate::event::What;
use crate::header::Header;

/// Why a game is worth a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HighlightKind {
    /// The winner is rated below an opponent, by so many points.
    Upset,
    /// The winner was behind the best opponent: by so many points in Blokus, cards in Daihinmin.
    Comeback,
    /// The first and the second are so many of the game's own points apart.
    Closest,
    /// As few games as this ended by the rule.
    RareEnd,
    /// It has so many plies.
    Longest,
    /// It has so many plies.
    Shortest,
}

impl HighlightKind {
    /// Which of two measures comes first.
    pub fn order(self, a: f64, b: f64) -> Ordering {
        match self {
            HighlightKind::Closest | HighlightKind::RareEnd | HighlightKind::Shortest => {
                a.total_cmp(&b)
            }
            HighlightKind::Upset | HighlightKind::Comeback | HighlightKind::Longest => {
                b.total_cmp(&a)
            }
        }
    }
}

/// How far the winner of a game was behind the best of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deficit {
    /// By so many of the game's own points.
    pub points: i32,
    /// After so many plies, as frames count them.
    pub ply: u32,
}

/// Follows the events of a match for the largest deficit of the winner of each game.
#[derive(Clone, Debug)]
pub struct Deficits<G: Recorded> {
    rules: G::Rules,
    game: Option<GameInPlay<G>>,
}

#[derive(Clone, Debug)]
struct GameInPlay<G> {
    replay: Replay<G>,
    /// Frames count gifts as plies, and the rules do not.
    ply: u32,
    /// By seat.
    most: Vec<Deficit>,
}

impl<G: Recorded> Deficits<G> {
    /// Those of a match with this header.
    ///
    /// # Errors
    /// When its rules are none of the game.
    pub fn new(header: &Header) -> Result<Deficits<G>, ReplayError> {
        let rules = Replay::<G>::rules(header)?;
        Ok(Deficits { rules, game: None })
    }

    /// Takes the next event. At the end of a game whose only winner was behind gives the number of the game and by how much.
    ///
    /// # Errors
    /// When the event cannot have happened.
    pub fn take(&mut self, what: &What) -> Result<Option<(u32, Deficit)>, ReplayError> {
        if let Some(replay) = Replay::<G>::begin(what, &self.rules)? {
            self.game = Some(GameInPlay {
                ply: replay.game.plies(),
                replay,
                most: vec![Deficit { points: 0, ply: 0 }; G::SEATS],
            });
            return Ok(None);
        }
        let Some(game) = &mut self.game else {
            return Ok(None);
        };
        game.replay.apply(what)?;
        let is_ply = matches!(what, What::Move { .. } | What::Give { forced: false, .. });
        game.ply += u32::from(is_ply);
        game.note();
        if !game.replay.ended {
            return Ok(None);
        }
        let deficit = game.of_winner();
        let number = game.replay.number;
        self.game = None;
        Ok(deficit.map(|deficit| (number, deficit)))
    }
}

impl<G: Recorded> GameInPlay<G> {
    fn note(&mut self) {
        let points = self.replay.game.game_points();
        for (seat, own) in points.pairs() {
            let others = points.pairs().filter(|(other, _)| *other != seat);
            let best = others.map(|(_, points)| *points).max().unwrap_or(*own);
            let most = &mut self.most[seat.index()];
            if best - own > most.points {
                *most = Deficit {
                    points: best - own,
                    ply: self.ply,
                };
            }
        }
    }

    fn of_winner(&self) -> Option<Deficit> {
        let places = self.replay.outcome()?.places;
        let mut first = places.pairs().filter(|(_, place)| **place == 0);
        let (winner, _): (Seat, _) = first.next().filter(|_| first.next().is_none())?;
        let deficit = self.most[winner.index()];
        (deficit.points > 0).then_some(deficit)
    }
}
