//! The true state of a game.

use super::{Colour, Direction, GHOSTS, Ghost, Move, MoveList, Place, Placement, Square, Squares};

/// What may be set of the rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields, rename_all = "kebab-case")
)]
pub struct Rules {
    /// Accepted moves of both sides together after which an undecided game is a draw: 200 in GAT since
    /// March 2024, 300 before.
    pub ply_limit: u16,
}

impl Default for Rules {
    fn default() -> Self {
        Self { ply_limit: 200 }
    }
}

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

/// Codes of a ghost's place: a square's index, or one of these.
pub(super) const CAPTURED: u8 = 99;
pub(super) const ESCAPED: u8 = 88;

pub(super) fn place(code: u8) -> Place {
    match Square::from_index(usize::from(code)) {
        Some(square) => Place::On(square),
        None if code == ESCAPED => Place::Escaped,
        None => Place::Captured,
    }
}

/// Ghosts of one side, in its own frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Side {
    pub(super) at: [u8; GHOSTS],
    pub(super) squares: Squares,
    pub(super) placement: Placement,
    pub(super) captured: [u8; 2],
}

impl Side {
    fn new(placement: Placement) -> Self {
        Self {
            at: Ghost::ALL.map(|ghost| ghost.home().index() as u8),
            squares: Ghost::ALL.into_iter().map(Ghost::home).collect(),
            placement,
            captured: [0; 2],
        }
    }

    #[inline]
    pub(super) fn legal_moves(&self, out: &mut MoveList) {
        for ghost in Ghost::ALL {
            let Some(from) = Square::from_index(usize::from(self.at[ghost.index()])) else {
                continue;
            };
            for direction in Direction::ALL {
                let legal = match from.step(direction) {
                    Some(to) => !self.squares.contains(to),
                    None => {
                        direction != Direction::North
                            && from.is_exit(direction)
                            && !self.placement.is_red(ghost)
                    }
                };
                if legal {
                    out.push(Move { ghost, direction });
                }
            }
        }
    }

    pub(super) fn check(&self, mv: Move) -> Result<(), IllegalMove> {
        let Some(from) = Square::from_index(usize::from(self.at[mv.ghost.index()])) else {
            return Err(IllegalMove::NotOnBoard(mv));
        };
        match from.step(mv.direction) {
            Some(to) if self.squares.contains(to) => Err(IllegalMove::OwnGhost(mv)),
            None if !from.is_exit(mv.direction) => Err(IllegalMove::OffBoard(mv)),
            None if self.placement.is_red(mv.ghost) => Err(IllegalMove::RedEscape(mv)),
            Some(_) | None => Ok(()),
        }
    }
}

/// Why a move is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum IllegalMove {
    /// The game is over.
    #[error("{0}: the game is over")]
    Over(Move),
    /// The ghost was captured or has escaped.
    #[error("{0}: ghost {ghost} is not on the board", ghost = .0.ghost)]
    NotOnBoard(Move),
    /// An own ghost stands there.
    #[error("{0}: an own ghost stands there")]
    OwnGhost(Move),
    /// The step leaves the board, and not through a far corner.
    #[error("{0}: the step leaves the board")]
    OffBoard(Move),
    /// Only blue ghosts escape.
    #[error("{0}: a red ghost may not escape")]
    RedEscape(Move),
}

/// What a move did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Played {
    /// The enemy ghost that was captured, and its colour, which both seats now know.
    pub captured: Option<(Ghost, Colour)>,
    /// Whether the ghost escaped.
    pub escaped: bool,
}

/// The true state of a game: both placements, all ghosts, whose move it is. Seat 0 moves first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    pub(super) sides: [Side; 2],
    pub(super) mover: u8,
    pub(super) ply: u16,
    pub(super) rules: Rules,
    pub(super) end: Option<End>,
}

impl Position {
    /// The start of a game with the placements of seats 0 and 1.
    pub fn new(placements: [Placement; 2], rules: Rules) -> Self {
        Self {
            sides: placements.map(Side::new),
            mover: 0,
            ply: 0,
            rules,
            end: None,
        }
    }

    /// The seat to move; `None` when the game is over.
    #[inline]
    pub const fn to_move(&self) -> Option<u8> {
        if self.end.is_some() {
            None
        } else {
            Some(self.mover)
        }
    }

    /// Moves played.
    #[inline]
    pub const fn ply(&self) -> u16 {
        self.ply
    }

    /// The rules of this game.
    #[inline]
    pub const fn rules(&self) -> Rules {
        self.rules
    }

    /// How the game ended; `None` while it goes on.
    #[inline]
    pub const fn end(&self) -> Option<End> {
        self.end
    }

    /// Which ghosts of `seat` are red.
    ///
    /// # Panics
    /// If `seat` is above 1, as all methods that take a seat.
    #[inline]
    pub const fn placement(&self, seat: u8) -> Placement {
        self.sides[seat as usize].placement
    }

    /// Colour of a ghost of `seat`.
    #[inline]
    pub const fn colour(&self, seat: u8, ghost: Ghost) -> Colour {
        self.placement(seat).colour(ghost)
    }

    /// Where a ghost of `seat` is, in the frame of `seat`.
    #[inline]
    pub fn place(&self, seat: u8, ghost: Ghost) -> Place {
        place(self.sides[usize::from(seat)].at[ghost.index()])
    }

    /// The squares of `seat`'s ghosts, in the frame of `seat`.
    #[inline]
    pub const fn squares(&self, seat: u8) -> Squares {
        self.sides[seat as usize].squares
    }

    /// How many ghosts of that colour `seat` has lost to captures, 0 to 4.
    #[inline]
    pub const fn captured(&self, seat: u8, colour: Colour) -> u8 {
        self.sides[seat as usize].captured[colour as usize]
    }

    /// Clears `out` and fills it with the legal moves: ghosts A to H, each to the east, south, west,
    /// north. An escape is listed once, to the west or the east; [`Position::play`] accepts it to the
    /// north as well. There is always one while the game goes on, and none after.
    #[inline]
    pub fn legal_moves(&self, out: &mut MoveList) {
        out.clear();
        if self.end.is_none() {
            self.sides[usize::from(self.mover)].legal_moves(out);
        }
    }

    /// The move with which the side to move wins at once by an escape, if it has one.
    #[inline]
    pub fn escape(&self) -> Option<Move> {
        const EXITS: u64 = 1 << Square::FAR_LEFT.index() | 1 << Square::FAR_RIGHT.index();
        let side = &self.sides[usize::from(self.mover)];
        if side.squares.bits() & EXITS == 0 || self.end.is_some() {
            return None;
        }
        Ghost::ALL.into_iter().find_map(|ghost| {
            let at = Square::from_index(usize::from(side.at[ghost.index()]))?;
            let direction = [Direction::West, Direction::East]
                .into_iter()
                .find(|&direction| at.is_exit(direction))?;
            (!side.placement.is_red(ghost)).then_some(Move { ghost, direction })
        })
    }

    /// Whether [`Position::play`] would accept the move.
    pub fn is_legal(&self, mv: Move) -> bool {
        self.check(mv).is_ok()
    }

    fn check(&self, mv: Move) -> Result<(), IllegalMove> {
        if self.end.is_some() {
            return Err(IllegalMove::Over(mv));
        }
        self.sides[usize::from(self.mover)].check(mv)
    }

    /// Plays a move of the seat to move.
    ///
    /// # Errors
    /// The rule that forbids the move; nothing has changed then.
    pub fn play(&mut self, mv: Move) -> Result<Played, IllegalMove> {
        self.check(mv)?;
        Ok(self.play_unchecked(mv))
    }

    /// Plays a move known to be legal; with any other one the position makes no sense afterwards.
    #[inline]
    pub fn play_unchecked(&mut self, mv: Move) -> Played {
        let mover = usize::from(self.mover);
        let other = 1 - mover;
        let mut played = Played {
            captured: None,
            escaped: false,
        };
        let ghost = mv.ghost.index();
        if let Some(from) = Square::from_index(usize::from(self.sides[mover].at[ghost])) {
            self.sides[mover].squares.remove(from);
            if let Some(to) = from.step(mv.direction) {
                self.sides[mover].squares.insert(to);
                self.sides[mover].at[ghost] = to.index() as u8;
                if self.sides[other].squares.contains(to.turned()) {
                    played.captured = self.capture(other, to.turned());
                }
            } else {
                self.sides[mover].at[ghost] = ESCAPED;
                played.escaped = true;
                self.end = Some(End {
                    kind: EndKind::Escape,
                    winner: Some(self.mover),
                });
            }
        }
        self.ply += 1;
        if self.end.is_none() && self.ply >= self.rules.ply_limit {
            self.end = Some(End {
                kind: EndKind::PlyLimit,
                winner: None,
            });
        }
        self.mover = other as u8;
        played
    }

    fn capture(&mut self, loser: usize, at: Square) -> Option<(Ghost, Colour)> {
        let side = &mut self.sides[loser];
        let code = at.index() as u8;
        let ghost = Ghost::from_index(side.at.iter().position(|&c| c == code)?)?;
        let colour = side.placement.colour(ghost);
        side.at[ghost.index()] = CAPTURED;
        side.squares.remove(at);
        side.captured[colour as usize] += 1;
        if side.captured[colour as usize] == 4 {
            self.end = Some(match colour {
                Colour::Blue => End {
                    kind: EndKind::BluesTaken,
                    winner: Some(1 - loser as u8),
                },
                Colour::Red => End {
                    kind: EndKind::RedsTaken,
                    winner: Some(loser as u8),
                },
            });
        }
        Some((ghost, colour))
    }
}
