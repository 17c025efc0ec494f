//! How a game ended by the rules.

/// The end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct End {
    /// By which rule.
    pub kind: EndKind,
    /// The seat that won; `None` for a draw.
    pub winner: Option<u8>,
}

/// The rule that ended a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EndKind {
    /// A blue ghost escaped: its side won.
    Escape,
    /// Four blue ghosts of a side are captured: it lost.
    BluesTaken,
    /// Four red ghosts of a side are captured: it won.
    RedsTaken,
    /// The ply limit was reached: a draw.
    PlyLimit,
}

impl EndKind {
    /// A word for records: `escape`, `blues-taken`, `reds-taken`, `ply-limit`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Escape => "escape",
            Self::BluesTaken => "blues-taken",
            Self::RedsTaken => "reds-taken",
            Self::PlyLimit => "ply-limit",
        }
    }
}
