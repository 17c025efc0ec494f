//! What all games have in common.

use crate::{BySeat, Seat};

/// What a game comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Places, 0 is the best; equal places share them.
    pub places: BySeat<u8>,
    /// Points.
    pub points: BySeat<f64>,
    /// What each seat has by the game's own count; empty in games without one.
    pub game_points: BySeat<i32>,
    /// The rule that ended the game; `None` after a fault.
    pub rule: Option<&'static str>,
    /// More for people.
    pub reason: Option<String>,
}

impl Outcome {
    /// Of a game for two: a win is 1 point, a draw one half.
    pub fn of_two(winner: Option<Seat>, rule: Option<&'static str>) -> Outcome {
        let points = |seat| winner.map_or(0.5, |winner| f64::from(u8::from(winner == seat)));
        Outcome {
            places: BySeat::from_fn(2, |seat| winner.is_some_and(|winner| winner != seat).into()),
            points: BySeat::from_fn(2, points),
            game_points: BySeat::default(),
            rule,
            reason: None,
        }
    }
}
