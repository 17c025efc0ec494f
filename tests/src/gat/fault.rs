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
    /// The placement is sent, and the answer not read.
    Set,
    /// The answer to the placement is read.
    Placed,
    /// It is the player's turn.
    Turn,
    /// A move is sent, and the answer not read.
    Moved,
    /// The answer to a move is read: it is the other's turn.
    Waiting,
    /// The result is read, and the connection still open.
    Ended,
}

impl Phase {
    /// All phases in the order in which they come.
    pub const ALL: [Phase; 8] = [
        Phase::Connected,
        Phase::Asked,
        Phase::Set,
        Phase::Placed,
        Phase::Turn,
        Phase::Moved,
        Phase::Waiting,
        Phase::Ended,
    ];

    /// Whether nothing of a game need have begun yet.
    pub const fn is_early(self) -> bool {
        matches!(
            self,
            Phase::Connected | Phase::Asked | Phase::Set | Phase::Placed
        )
    }
}

/// What a misbehaving player does; lines that are no commands are sent by hand.
pub type Fault = fault::Fault<Infallible>;

/// A fault and when it begins.
pub type Script = fault::Script<Phase, Fault>;
