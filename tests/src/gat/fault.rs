//! How players misbehave, and when.

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

/// What a misbehaving player does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// Closes the connection.
    Leave,
    /// Resets the connection.
    Reset,
    /// Sends nothing more; goes on reading.
    Silence,
    /// Neither sends nor reads any more until the server closes.
    Deaf,
    /// Does nothing for so many milliseconds each time that the phase comes.
    Sleep(u64),
    /// Sends all commands byte by byte.
    Fragments,
    /// Sends each command twice in one packet.
    Twice,
    /// Sends half a command and closes the connection.
    Half,
    /// Sends lines as fast as the connection takes them, and reads nothing.
    Flood(&'static str),
}

/// A fault and when it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Script {
    /// The phase.
    pub phase: Phase,
    /// Times that the phase passes well before.
    pub after: u32,
    /// What happens then.
    pub fault: Fault,
}

impl Script {
    /// A fault at the first time that a phase comes.
    pub const fn first(phase: Phase, fault: Fault) -> Script {
        Script {
            phase,
            after: 0,
            fault,
        }
    }
}
