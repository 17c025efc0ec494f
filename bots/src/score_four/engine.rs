//! What an engine is, a search behind a name; random moves, and late positions that they lead to.

use std::time::Duration;

use games::score_four::{Peg, Position};
use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;

use crate::random::RandomEngine;

pub trait Engine: Send {
    /// A peg for the seat to move in a position that is not over. The engine keeps to its own budget and,
    /// where one is given, to `limit`, whichever is less; it may overrun by a few milliseconds. The
    /// caller checks the peg.
    fn choose(&mut self, position: &Position, limit: Option<Duration>) -> Peg;

    /// The reasons for the last choice, for the `--json` log.
    fn explain(&self) -> Option<Value> {
        None
    }
}

impl Engine for RandomEngine {
    fn choose(&mut self, position: &Position, _limit: Option<Duration>) -> Peg {
        random_peg(position, &mut self.rng).unwrap_or(Peg::ALL[0])
    }
}

/// A legal peg, each with the same chance; `None` when the game is over.
pub fn random_peg(position: &Position, rng: &mut Xoshiro256PlusPlus) -> Option<Peg> {
    let mut pegs = position.legal_pegs();
    let n = rng.random_range(0..pegs.len().max(1));
    pegs.nth(n)
}

fn after(position: &Position, peg: Peg) -> Position {
    let mut next = *position;
    next.play_unchecked(peg);
    next
}

/// Whether the seat to move completes a line with some ball.
fn wins_at_once(position: &Position) -> bool {
    position.legal_pegs().any(|peg| {
        after(position, peg)
            .end()
            .is_some_and(|end| end.winner.is_some())
    })
}

/// A position for exact solving that goes on, with `empty` empty squares (1 to 64), by random moves that complete no line and
/// let the other seat complete none with its next ball.
pub fn late_position(empty: u8, rng: &mut Xoshiro256PlusPlus) -> Position {
    let balls = 64 - empty.clamp(1, 64);
    let mut position = Position::START;
    while position.ply() < balls {
        let mut quiet = [Position::START; 16];
        let mut count = 0;
        for peg in position.legal_pegs() {
            let next = after(&position, peg);
            if next.end().is_none() && !wins_at_once(&next) {
                quiet[count] = next;
                count += 1;
            }
        }
        position = match count {
            0 => Position::START,
            n => quiet[rng.random_range(0..n)],
        };
    }
    position
}
