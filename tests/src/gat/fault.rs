//! Phases of the protocol.

use std::convert::Infallible;

use crate::fault;

/// A moment in the protocol at which a player can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Connected, and nothing read.
    Connected,
    /// `SET?` is read.
    Asked,
    /// The answer to the placement is read.
    Placed,
    /// It is the player's turn.
    Turn,
    /// The answer to a move is read: it is the other's turn.
    Waiting,
    /// The result is read, and the connection still open.
    Ended,
}

impl Phase {
    /// Whether nothing of a game need have begun yet.
    pub const fn is_early(self) -> bool {
        matches!(self, Phase::Connected | Phase::Asked | Phase::Placed)
    }
}

/// What a misbehaving player does; lines that are no commands are sent by hand.
pub type Fault = fault::Fault<Infallible>;

/// A fault and when it begins.
pub type Script = fault::Script<Phase, Fault>;
