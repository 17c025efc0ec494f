//! What may be set of a search.

use super::{Gumbel, Noise};

/// What a move without visits is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FirstPlay {
    /// Always this.
    Value(f64),
    /// What the network thinks of the position before it, less this.
    Below(f64),
}

/// What may be set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// `base` of the formula.
    pub base: f64,
    /// `init` of the formula.
    pub init: f64,
    /// For moves without visits.
    pub first_play: FirstPlay,
    /// Noise at the root; none in a match.
    pub noise: Option<Noise>,
    /// How moves are chosen at the root, and inside, in place of the formula.
    pub gumbel: Option<Gumbel>,
    /// Whether what the last search found out about the position is used again.
    pub reuse: bool,
    /// Bytes of the tree and of the one that the next search takes over from it, together.
    pub memory: usize,
}

impl Default for Plan {
    /// The constants of the `BlokusZero` paper, without noise; 400 MiB.
    fn default() -> Self {
        Self {
            base: 19_625.0,
            init: 1.25,
            first_play: FirstPlay::Value(0.5),
            noise: None,
            gumbel: None,
            reuse: true,
            memory: 400 << 20,
        }
    }
}
