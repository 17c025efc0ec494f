//! Best-reply search: between two moves of the seat that searches only one opponent moves, the one whose move
//! is worst for it; the others are passed over.
//!
//! Source: M. P. D. Schadd and M. H. M. Winands, "Best reply search for multiplayer games", IEEE Transactions
//! on Computational Intelligence and AI in Games 3 (2011) 57-66. Its value is the evaluation of the seat that
//! searches. Where that seat is out of the game, any of the others moves at each ply.

use super::alpha_beta::{AlphaBeta, Merged};

/// The search, whose memory is used again from move to move.
pub type Brs<G> = AlphaBeta<G, Merged>;
