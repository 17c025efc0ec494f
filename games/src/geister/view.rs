//! What one seat may know.

#[cfg(feature = "rand")]
use rand::{Rng, RngExt as _};

use super::position::{CAPTURED, ESCAPED, Side, place};
use super::{
    Colour, End, GHOSTS, Ghost, IllegalMove, Move, MoveList, Place, Placement, Position, Rules,
    Square, Squares,
};

/// What one seat may know of a game: its own ghosts with their colours, where the enemy's are, and the
/// colours of those that were captured or have escaped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct View {
    seat: u8,
    own: Side,
    enemy: Enemy,
    mover: u8,
    ply: u16,
    rules: Rules,
    end: Option<End>,
}

impl Position {
    /// What `seat` may know: of the enemy's colours those of captured and escaped ghosts, and all of
    /// them once the game is over by the rules.
    pub fn view(&self, seat: u8) -> View {
        View::of(self, seat, self.end().is_some())
    }

    /// What `seat` is shown at the end of a game, all colours; also for a game that ended by a forfeit.
    pub fn final_view(&self, seat: u8) -> View {
        View::of(self, seat, true)
    }
}

/// Ghosts of the other side, in the frame of the seat that looks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Enemy {
    at: [u8; GHOSTS],
    squares: Squares,
    /// Bits of the ghosts whose colour is known.
    known: u8,
    red: u8,
}

/// Something was said to have happened that cannot have.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Contradiction {
    /// The move breaks a rule as far as the view can tell.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// A colour was told of a move that captured nothing, or none of one that captured.
    #[error("{0}: the colour told does not agree with what was captured")]
    Capture(Move),
    /// More than four ghosts of a colour, two on one square, or an own ghost without a colour.
    #[error("the board cannot be: {0}")]
    Board(&'static str),
}

impl View {
    pub(super) fn of(position: &Position, seat: u8, reveal: bool) -> Self {
        let own = position.sides[usize::from(seat)];
        let other = position.sides[usize::from(1 - seat)];
        let at = other.at.map(turned);
        let known = if reveal { 0xff } else { off_board(at) };
        Self {
            seat,
            own,
            enemy: Enemy {
                at,
                squares: other.squares.turned(),
                known,
                red: known & other.placement.mask(),
            },
            mover: position.mover,
            ply: position.ply,
            rules: position.rules,
            end: position.end,
        }
    }

    /// The start of a game as `seat` knows it.
    pub fn start(seat: u8, placement: Placement, rules: Rules) -> Self {
        // Any enemy placement gives the same view.
        let mut placements = [Placement::ALL[0]; 2];
        placements[usize::from(seat)] = placement;
        Self::of(&Position::new(placements, rules), seat, false)
    }

    /// The view that shows these ghosts A..H, own and enemy, each with its place in the frame of `seat`;
    /// `None` is a colour that is not known. The game is taken to go on.
    ///
    /// # Errors
    /// If two ghosts share a square, the own ones are not four red and four blue, more than four
    /// enemies of a colour are known, a captured one is not, or a red ghost has escaped.
    pub fn from_ghosts(
        seat: u8,
        own: [(Place, Colour); GHOSTS],
        enemy: [(Place, Option<Colour>); GHOSTS],
        mover: u8,
        ply: u16,
        rules: Rules,
    ) -> Result<Self, Contradiction> {
        let mut red = 0;
        let mut captured = [0; 2];
        for (i, &(place, colour)) in own.iter().enumerate() {
            red |= u8::from(colour == Colour::Red) << i;
            captured[colour as usize] += u8::from(place == Place::Captured);
        }
        let placement = Placement::new(red).ok_or(Contradiction::Board(
            "a side has four red and four blue ghosts",
        ))?;
        let colours = own.iter().map(|&(place, colour)| (place, Some(colour)));
        if colours
            .chain(enemy)
            .any(|ghost| ghost == (Place::Escaped, Some(Colour::Red)))
        {
            return Err(Contradiction::Board("a red ghost has escaped"));
        }
        let own_at = own.map(|(place, _)| code(place));
        let enemy_at = enemy.map(|(place, _)| code(place));
        let (mut known, mut known_red) = (off_board(enemy_at), 0);
        for (i, &(_, colour)) in enemy.iter().enumerate() {
            if let Some(colour) = colour {
                known |= 1 << i;
                known_red |= u8::from(colour == Colour::Red) << i;
            } else if known >> i & 1 != 0 {
                return Err(Contradiction::Board(
                    "the colour of a captured ghost is known",
                ));
            }
        }
        if known_red.count_ones() > 4 || (known & !known_red).count_ones() > 4 {
            return Err(Contradiction::Board("more than four enemies of one colour"));
        }
        let squares = |at: &[u8; GHOSTS]| -> Squares {
            at.iter().filter_map(|&c| place(c).square()).collect()
        };
        let (own_squares, enemy_squares) = (squares(&own_at), squares(&enemy_at));
        let standing = own_at
            .iter()
            .chain(&enemy_at)
            .filter(|&&c| c < CAPTURED.min(ESCAPED));
        if (own_squares.bits() | enemy_squares.bits()).count_ones() as usize != standing.count() {
            return Err(Contradiction::Board("two ghosts on one square"));
        }
        Ok(Self {
            seat,
            own: Side {
                at: own_at,
                squares: own_squares,
                placement,
                captured,
            },
            enemy: Enemy {
                at: enemy_at,
                squares: enemy_squares,
                known,
                red: known_red,
            },
            mover,
            ply,
            rules,
            end: None,
        })
    }

    /// The seat that looks.
    #[inline]
    pub const fn seat(&self) -> u8 {
        self.seat
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

    /// Which own ghosts are red.
    #[inline]
    pub const fn placement(&self) -> Placement {
        self.own.placement
    }

    /// Place and colour of an own ghost.
    #[inline]
    pub fn own(&self, ghost: Ghost) -> (Place, Colour) {
        (
            place(self.own.at[ghost.index()]),
            self.own.placement.colour(ghost),
        )
    }

    /// Place of an enemy ghost in the frame of the seat that looks, and its colour if that is known.
    #[inline]
    pub fn enemy(&self, ghost: Ghost) -> (Place, Option<Colour>) {
        let i = ghost.index();
        let colour = if self.enemy.known >> i & 1 == 0 {
            None
        } else if self.enemy.red >> i & 1 == 0 {
            Some(Colour::Blue)
        } else {
            Some(Colour::Red)
        };
        (place(self.enemy.at[i]), colour)
    }

    /// The squares of the own ghosts.
    #[inline]
    pub const fn own_squares(&self) -> Squares {
        self.own.squares
    }

    /// The squares of the enemy's ghosts.
    #[inline]
    pub const fn enemy_squares(&self) -> Squares {
        self.enemy.squares
    }

    /// How many own ghosts of that colour were captured, 0 to 4.
    #[inline]
    pub const fn own_captured(&self, colour: Colour) -> u8 {
        self.own.captured[colour as usize]
    }

    /// How many enemy ghosts of that colour were captured, 0 to 4.
    pub fn enemy_captured(&self, colour: Colour) -> u8 {
        let coloured = match colour {
            Colour::Blue => !self.enemy.red,
            Colour::Red => self.enemy.red,
        };
        let taken = (0..GHOSTS).filter(|&i| {
            self.enemy.at[i] == CAPTURED && (self.enemy.known & coloured) >> i & 1 != 0
        });
        taken.count() as u8
    }

    /// Clears `out` and fills it with the legal moves of the own side when it is to move, in the order
    /// of [`Position::legal_moves`].
    pub fn legal_moves(&self, out: &mut MoveList) {
        out.clear();
        if self.to_move() == Some(self.seat) {
            self.own.legal_moves(out);
        }
    }

    /// Whether the enemy's colours can be these.
    #[inline]
    pub const fn allows(&self, enemy: Placement) -> bool {
        enemy.mask() & self.enemy.known == self.enemy.red
    }

    /// The move with which the seat wins at once by an escape, if it is to move and has one.
    pub fn escape(&self) -> Option<Move> {
        if self.to_move() != Some(self.seat()) {
            return None;
        }
        // It does not depend on the enemy's colours.
        self.with(self.placements().next()?)?.escape()
    }

    /// The enemy placements that agree with all that the seat has seen: 1 to 70.
    pub fn placements(&self) -> impl Iterator<Item = Placement> {
        let view = *self;
        Placement::ALL.into_iter().filter(move |&p| view.allows(p))
    }

    /// The true state, were the enemy's colours these; `None` if they contradict what is known.
    pub fn with(&self, enemy: Placement) -> Option<Position> {
        self.allows(enemy).then(|| self.with_allowed(enemy))
    }

    fn with_allowed(&self, enemy: Placement) -> Position {
        let at = self.enemy.at.map(turned);
        let mut captured = [0; 2];
        for ghost in Ghost::ALL {
            if at[ghost.index()] == CAPTURED {
                captured[enemy.colour(ghost) as usize] += 1;
            }
        }
        let other = Side {
            at,
            squares: self.enemy.squares.turned(),
            placement: enemy,
            captured,
        };
        let mut sides = [self.own; 2];
        sides[usize::from(1 - self.seat)] = other;
        Position {
            sides,
            mover: self.mover,
            ply: self.ply,
            rules: self.rules,
            end: self.end,
        }
    }

    /// A true state drawn uniformly from those that agree with all that the seat has seen.
    #[cfg(feature = "rand")]
    pub fn determinize(&self, rng: &mut impl Rng) -> Position {
        let n = self.placements().count();
        let enemy = self.placements().nth(rng.random_range(0..n));
        let Some(enemy) = enemy else {
            unreachable!("at least one placement agrees with what was seen");
        };
        self.with_allowed(enemy)
    }

    /// Follows a move of the seat to move, in that seat's words. `captured` is the colour of an enemy
    /// ghost that the own move captured; the colour of a captured own ghost is known and may be left out.
    ///
    /// # Errors
    /// If the move cannot be or disagrees with `captured`; nothing has changed then.
    pub fn follow(&mut self, mv: Move, captured: Option<Colour>) -> Result<(), Contradiction> {
        let capturer = self.mover == self.seat;
        let target = if capturer {
            self.enemy_on_target(mv)
        } else {
            None
        };
        // The enemy's colours matter only for what is captured or escapes: take any that agree.
        let wanted = |p: &Placement| {
            if capturer {
                target.is_none_or(|ghost| captured == Some(p.colour(ghost)))
            } else {
                !self.escapes(mv) || !p.is_red(mv.ghost)
            }
        };
        let enemy = self
            .placements()
            .find(wanted)
            .ok_or(Contradiction::Capture(mv))?;
        let mut position = self.with(enemy).ok_or(Contradiction::Capture(mv))?;
        let played = position.play(mv)?;
        if captured.is_some() && played.captured.map(|(_, colour)| colour) != captured {
            return Err(Contradiction::Capture(mv));
        }
        let known = self.enemy.known;
        *self = Self::of(&position, self.seat, false);
        // At the end all colours are shown, but by the server, not by the move.
        self.enemy.known |= known;
        self.enemy.red = enemy.mask() & self.enemy.known;
        Ok(())
    }

    /// Takes in the enemy's colours, as shown at the end of a game.
    ///
    /// # Errors
    /// If they disagree with what is known.
    pub fn reveal(&mut self, enemy: Placement) -> Result<(), Contradiction> {
        if !self.allows(enemy) {
            return Err(Contradiction::Board("colours changed"));
        }
        self.enemy.known = 0xff;
        self.enemy.red = enemy.mask();
        Ok(())
    }

    fn enemy_on_target(&self, mv: Move) -> Option<Ghost> {
        let to = place(self.own.at[mv.ghost.index()])
            .square()?
            .step(mv.direction)?;
        let code = to.index() as u8;
        Ghost::from_index(self.enemy.at.iter().position(|&c| c == code)?)
    }

    fn escapes(&self, enemy: Move) -> bool {
        place(turned(self.enemy.at[enemy.ghost.index()]))
            .square()
            .is_some_and(|from| from.step(enemy.direction).is_none())
    }
}

/// A place code as the other seat sees it.
fn turned(code: u8) -> u8 {
    Square::from_index(usize::from(code)).map_or(code, |square| square.turned().index() as u8)
}

fn code(place: Place) -> u8 {
    match place {
        Place::On(square) => square.index() as u8,
        Place::Captured => CAPTURED,
        Place::Escaped => ESCAPED,
    }
}

/// Bits of the ghosts that are off the board.
fn off_board(at: [u8; GHOSTS]) -> u8 {
    (0..GHOSTS)
        .filter(|&i| place(at[i]).square().is_none())
        .fold(0, |bits, i| bits | 1 << i)
}
