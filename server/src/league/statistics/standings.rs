//! Means of each entrant.

use serde::Serialize;

use super::{Block, Mean};

/// What an entrant has done. All means are over blocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// Seats that it had in all games.
    pub seats: u64,
    /// Place from 1, equal places sharing theirs.
    pub place: Mean,
    /// Points of a seat.
    pub points: Mean,
    /// Share of wins, 1 / k for each of k winners.
    pub wins: Mean,
    /// Share of the others in a game that it has beaten, ties counting one half.
    pub score: Mean,
}

/// The standing of each of `entrants` entrants.
pub fn standings(entrants: usize, blocks: &[Block]) -> Vec<Standing> {
    let standing = |entrant: usize| {
        let seats = blocks.iter().flat_map(|block| &block.games);
        let seats = seats.flat_map(|game| &game.entrants);
        let mean = |value: &dyn Fn(&super::Outcome, usize) -> f64| {
            Mean::of(
                blocks
                    .iter()
                    .filter_map(|block| block.mean_of(entrant, value)),
            )
        };
        Standing {
            seats: seats.filter(|&&seated| seated == entrant).count() as u64,
            place: mean(&|game, seat| game.mean_place(seat)),
            points: mean(&|game, seat| game.points[seat]),
            wins: mean(&|game, seat| game.win_share(seat)),
            score: mean(&|game, seat| game.score(seat)),
        }
    };
    (0..entrants).map(standing).collect()
}
