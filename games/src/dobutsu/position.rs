//! A position and its rules, repetition apart.

use super::{Board, Move, MoveList, PieceKind, Square};

/// What may be set of the rules of moves and ends. The default is that of tournaments and of the analysis.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields, rename_all = "kebab-case")
)]
pub struct Variant {
    /// A lion that reaches the far rank wins even where it can be captured, as on the `AnimalShogiServer`.
    pub any_try: bool,
    /// A chick that reaches the far rank may stay a chick, as on the `AnimalShogiServer`.
    pub free_promotion: bool,
}

/// How a game ended by its position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct End {
    /// By which rule.
    pub kind: EndKind,
    /// The seat that won.
    pub winner: u8,
}

/// The rule that ended a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EndKind {
    /// A lion was captured (キャッチ).
    Catch,
    /// A lion reached the far rank and could not be captured there, or was not (トライ).
    Try,
    /// The seat to move had no move, and lost.
    NoMoves,
}

impl EndKind {
    /// A word for records: `catch`, `try`, `no-moves`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Catch => "catch",
            Self::Try => "try",
            Self::NoMoves => "no-moves",
        }
    }
}

/// Why a move is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalMove {
    /// The game is over.
    #[error("{0}: the game is over")]
    Over(Move),
    /// No piece of the mover stands where the step begins.
    #[error("{0}: no own piece stands on {from}", from = Shown(.0.from()))]
    NoPiece(Move),
    /// The piece does not step like that.
    #[error("{0}: the piece on {from} does not step to {to}", from = Shown(.0.from()), to = .0.to())]
    NoStep(Move),
    /// An own piece stands where the step ends.
    #[error("{0}: an own piece stands on {to}", to = .0.to())]
    OwnPiece(Move),
    /// A chick on the far rank is a hen.
    #[error("{0}: a chick that reaches the far rank promotes: write {promoting}", promoting = .0.promoting(true))]
    MustPromote(Move),
    /// Only a chick promotes, and only on the far rank.
    #[error("{0}: only a chick promotes, by a step to the far rank")]
    NoPromotion(Move),
    /// The hand has no such piece.
    #[error("{0}: there is no such piece in hand")]
    NotInHand(Move),
    /// A piece is dropped on an empty square.
    #[error("{0}: {to} is not empty", to = .0.to())]
    NotEmpty(Move),
}

struct Shown(Option<Square>);

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.map_or(Ok(()), |square| square.fmt(f))
    }
}

/// Pieces, hands, and the seat to move. Squares and moves are as seat 0, which moves first, sees them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    board: Board,
    mover: u8,
    variant: Variant,
}

impl Position {
    /// The start.
    pub const START: Self = Self {
        board: Board::START,
        mover: 0,
        variant: Variant {
            any_try: false,
            free_promotion: false,
        },
    };

    /// A position of the board that the mover sees.
    ///
    /// # Panics
    /// If the mover is above 1.
    #[inline]
    pub const fn new(board: Board, mover: u8, variant: Variant) -> Self {
        assert!(mover < 2, "there are two seats");
        Self {
            board,
            mover,
            variant,
        }
    }

    /// The position under other rules.
    #[must_use]
    pub const fn with_variant(self, variant: Variant) -> Self {
        Self { variant, ..self }
    }

    /// The rules of moves and ends.
    #[inline]
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// The board as the seat to move sees it, also when the game is over.
    #[inline]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The seat whose turn it is, also when the game is over.
    #[inline]
    pub const fn turn(&self) -> u8 {
        self.mover
    }

    /// The seat to move; `None` when the game is over.
    #[inline]
    pub fn to_move(&self) -> Option<u8> {
        self.end().is_none().then_some(self.mover)
    }

    /// What stands on a square, as seat 0 sees the board, and whose it is.
    pub fn piece(&self, square: Square) -> Option<(PieceKind, u8)> {
        let (kind, own) = self.board.piece(self.frame(square))?;
        Some((kind, if own { self.mover } else { 1 - self.mover }))
    }

    /// How many pieces of a kind `seat` has in hand.
    #[inline]
    pub const fn hand(&self, seat: u8, kind: PieceKind) -> u8 {
        if seat == self.mover {
            self.board.own_hand(kind)
        } else {
            self.board.enemy_hand(kind)
        }
    }

    /// A square of seat 0's view as the mover sees it, and the other way round.
    #[inline]
    pub(super) const fn frame(&self, square: Square) -> Square {
        if self.mover == 0 {
            square
        } else {
            square.turned()
        }
    }

    /// A move of this position as the mover sees it, for [`Board::after`], and the other way round.
    #[inline]
    pub const fn framed(&self, mv: Move) -> Move {
        if self.mover == 0 { mv } else { mv.turned() }
    }

    /// How the game ended; `None` while it goes on.
    #[inline]
    pub fn end(&self) -> Option<End> {
        let board = &self.board;
        let (kind, mover_wins) = if board.is_caught() {
            (EndKind::Catch, false)
        } else if board.has_tried() {
            (EndKind::Try, true)
        } else if board.is_tried() && (self.variant.any_try || !board.can_catch()) {
            (EndKind::Try, false)
        } else if !board.has_move() {
            (EndKind::NoMoves, false)
        } else {
            return None;
        };
        let winner = if mover_wins {
            self.mover
        } else {
            1 - self.mover
        };
        Some(End { kind, winner })
    }

    /// Clears `out` and fills it with the legal moves; none when the game is over.
    #[inline]
    pub fn legal_moves(&self, out: &mut MoveList) {
        out.clear();
        if self.end().is_some() {
            return;
        }
        self.board.moves(self.variant.free_promotion, out);
        if self.mover == 1 {
            for mv in &mut **out {
                *mv = mv.turned();
            }
        }
    }

    /// Whether [`Position::play`] would accept the move.
    pub fn is_legal(&self, mv: Move) -> bool {
        self.check(mv).is_ok()
    }

    fn check(&self, mv: Move) -> Result<(), IllegalMove> {
        use IllegalMove::{
            MustPromote, NoPiece, NoPromotion, NoStep, NotEmpty, NotInHand, Over, OwnPiece,
        };
        if self.end().is_some() {
            return Err(Over(mv));
        }
        let framed = self.framed(mv);
        let to = framed.to();
        let Some(from) = framed.from() else {
            let kind = mv.dropped().expect("no step is a drop");
            return match self.board.piece(to) {
                _ if self.board.own_hand(kind) == 0 => Err(NotInHand(mv)),
                Some(_) => Err(NotEmpty(mv)),
                None => Ok(()),
            };
        };
        let Some((kind, true)) = self.board.piece(from) else {
            return Err(NoPiece(mv));
        };
        if kind.steps(from.index()) & to.bit() == 0 {
            return Err(NoStep(mv));
        }
        if let Some((_, true)) = self.board.piece(to) {
            return Err(OwnPiece(mv));
        }
        match (mv.promotes(), kind == PieceKind::Chick && to.y() == 0) {
            (true, false) => Err(NoPromotion(mv)),
            (false, true) if !self.variant.free_promotion => Err(MustPromote(mv)),
            _ => Ok(()),
        }
    }

    /// Plays a move of the seat to move.
    ///
    /// # Errors
    /// The rule that forbids the move; nothing has changed then.
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        self.check(mv)?;
        self.play_unchecked(mv);
        Ok(())
    }

    /// Plays a move known to be legal; with any other one the position makes no sense afterwards.
    #[inline]
    pub fn play_unchecked(&mut self, mv: Move) {
        self.board = self.board.after(self.framed(mv));
        self.mover = 1 - self.mover;
    }

    /// The position in the mirror that exchanges left and right.
    #[must_use]
    pub const fn mirrored(&self) -> Self {
        Self {
            board: self.board.mirrored(),
            ..*self
        }
    }
}
