//! Why a record cannot be read.

use std::fmt;

use super::super::{Colour, IllegalMove, PIECES, ParseError, Placement, SEATS};

/// How deep variations may lie within variations.
pub const DEPTH_LIMIT: usize = 1_000;
/// How many properties a node that is read may have.
pub const PROPERTY_LIMIT: usize = 256;
/// How many nodes of a line may set up a position: each costs as much as a game.
pub const SETUP_LIMIT: usize = 256;
pub(super) const PIECE_LIMIT: usize = PIECES * SEATS;

/// A place in a text: line and column, both from 1, the column in characters.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Location {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Location {
    pub(super) fn error(self, kind: impl Into<SgfErrorKind>) -> SgfError {
        SgfError {
            line: self.line,
            column: self.column,
            kind: kind.into(),
        }
    }
}

/// Why a record cannot be read, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SgfError {
    /// Line, from 1; 0 when the tree was not read from a text.
    pub line: usize,
    /// Column in characters, from 1; 0 when the tree was not read from a text.
    pub column: usize,
    /// What is wrong there.
    pub kind: SgfErrorKind,
}

impl fmt::Display for SgfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}, column {}: ", self.line, self.column)?;
        }
        self.kind.fmt(f)
    }
}

impl std::error::Error for SgfError {}

/// What is wrong with a record.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SgfErrorKind {
    /// The text ends too early.
    #[error("the text ends where {0} is needed")]
    End(&'static str),
    /// A character that cannot stand there.
    #[error("`{found}` where {expected} is needed", found = found.escape_debug())]
    Expected {
        /// What could stand there.
        expected: &'static str,
        /// What stands there.
        found: char,
    },
    /// Variations within variations beyond [`DEPTH_LIMIT`].
    #[error("variations are nested more than {DEPTH_LIMIT} deep")]
    Depth,
    /// More than [`PROPERTY_LIMIT`] properties in a node.
    #[error("a node has more than {PROPERTY_LIMIT} properties")]
    Properties,
    /// Bytes that are not UTF-8.
    #[error("the text is not UTF-8")]
    Encoding,
    /// Another game, or a variant with other rules.
    #[error("the game is `{0}`, not `Blokus` for four players")]
    Game(String),
    /// A property that is a move elsewhere.
    #[error("`{0}` is no move in blksgf, whose colours are the properties `1` to `4`")]
    ForeignMove(String),
    /// The root does not say which game it is.
    #[error("the root has no GM property")]
    NoGame,
    /// A colour or a placement that cannot be read.
    #[error(transparent)]
    Value(#[from] ParseError),
    /// A move that the rules forbid.
    #[error("{0} cannot play {1}: {2}")]
    Illegal(Colour, Placement, IllegalMove),
    /// A piece is to be taken off that is not on the board.
    #[error("{0} is to be taken off, but no such piece lies on the board")]
    Absent(Placement),
    /// More pieces are set up than there are.
    #[error("more than {PIECE_LIMIT} pieces are set up")]
    Pieces,
    /// More than [`SETUP_LIMIT`] nodes of a line set up a position.
    #[error("more than {SETUP_LIMIT} nodes of a line set up a position")]
    Setups,
    /// Pieces that cannot lie like that.
    #[error(transparent)]
    Setup(#[from] InvalidSetup),
}

/// A piece that no order of the pieces makes legal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the pieces cannot lie like that: {0} cannot place {1}: {2}")]
pub struct InvalidSetup(pub Colour, pub Placement, pub IllegalMove);
