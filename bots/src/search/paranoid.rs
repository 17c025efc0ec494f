//! Paranoid: all others play against the seat that searches, which makes it a game of two sides.
//!
//! Source: N. R. Sturtevant and R. E. Korf, "On pruning techniques for multi-player games", AAAI 2000,
//! 201-207. Its value is the evaluation of the seat that searches, which the others minimise.

use super::alpha_beta::{AlphaBeta, OneByOne};

/// The search, whose memory is used again from move to move.
pub type Paranoid<G> = AlphaBeta<G, OneByOne>;
