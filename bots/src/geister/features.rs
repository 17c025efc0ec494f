//! The 122 binary features of the paper, and what of a position they are made of.
//!
//! All squares are in the frame of the seat that moves, index `x + 6y`. The features describe the
//! *after-state*: the ghosts as they stand after the move; but the captured counts are those before it.

use games::geister::{Colour, GHOSTS, Ghost, Move, Place, Position, Square, Squares, View};

pub const FEATURES: usize = 122;

/// A feature: 0..36 an own blue ghost on that square, 36..72 an own red one, 72..108 an enemy, 108..120
/// captured counts, 120 this move captures, 121 this move escapes.
pub type Feature = u8;

/// An enemy ghost on square 0.
const ENEMY: Feature = 72;
const COUNTS: Feature = 108;
pub const CAPTURE: Feature = 120;
pub const ESCAPE: Feature = 121;

/// Most features that are active at once: 16 ghosts, four counts, and one of the two flags.
pub const MOST_ACTIVE: usize = 21;

/// A place code of ghosts off the board.
const OFF: u8 = u8::MAX;

/// What the features are made of: one seat's side of a position, without what it may not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sight {
    /// Squares of the own ghosts A..H; `OFF` when off the board.
    at: [u8; GHOSTS],
    red: u8,
    enemies: Squares,
    /// Captured: enemy blue, enemy red, own blue, own red.
    counts: [u8; 4],
}

/// How a move changes the features of the position before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureChange {
    Step {
        from: Feature,
        to: Feature,
    },
    Capture {
        from: Feature,
        to: Feature,
        /// The enemy's feature, which ends too; [`CAPTURE`] begins.
        enemy: Feature,
    },
    /// A ghost leaves the board; [`ESCAPE`] begins.
    Escape {
        from: Feature,
    },
}

#[inline]
pub fn own_feature(colour: Colour, square: Square) -> Feature {
    colour as Feature * 36 + square.index() as Feature
}

#[inline]
pub fn enemy_feature(square: Square) -> Feature {
    ENEMY + square.index() as Feature
}

/// The feature of a captured count of 1 to 3; `None` for 0, and for 4, which ends the game. `which` is
/// 0 for enemy blue, 1 enemy red, 2 own blue, 3 own red.
#[inline]
pub fn count_feature(which: usize, count: u8) -> Option<Feature> {
    (1..=3)
        .contains(&count)
        .then(|| COUNTS + 3 * which as Feature + count - 1)
}

impl Sight {
    #[inline]
    pub fn of(position: &Position, seat: u8) -> Self {
        let other = 1 - seat;
        Self {
            at: Ghost::ALL.map(|ghost| code(position.place(seat, ghost))),
            red: position.placement(seat).mask(),
            enemies: position.squares(other).turned(),
            counts: [
                position.captured(other, Colour::Blue),
                position.captured(other, Colour::Red),
                position.captured(seat, Colour::Blue),
                position.captured(seat, Colour::Red),
            ],
        }
    }

    pub fn of_view(view: &View) -> Self {
        Self {
            at: Ghost::ALL.map(|ghost| code(view.own(ghost).0)),
            red: view.placement().mask(),
            enemies: view.enemy_squares(),
            counts: [
                view.enemy_captured(Colour::Blue),
                view.enemy_captured(Colour::Red),
                view.own_captured(Colour::Blue),
                view.own_captured(Colour::Red),
            ],
        }
    }

    /// Squares of the own blue, the own red and the enemy's ghosts, a bit each.
    #[inline]
    pub(super) fn masks(&self) -> [u64; 3] {
        let mut masks = [0, 0, self.enemies.bits()];
        for (ghost, &at) in self.at.iter().enumerate().filter(|&(_, &at)| at != OFF) {
            masks[self.colour(ghost) as usize] |= 1 << at;
        }
        masks
    }

    /// Ghosts captured: enemy blue, enemy red, own blue, own red.
    pub(super) const fn counts(&self) -> [u8; 4] {
        self.counts
    }

    #[inline]
    fn colour(&self, ghost: usize) -> Colour {
        if self.red >> ghost & 1 == 0 {
            Colour::Blue
        } else {
            Colour::Red
        }
    }

    /// Calls `each` with every feature of the position itself, both flags off.
    #[inline]
    pub fn features(&self, mut each: impl FnMut(Feature)) {
        for ghost in 0..GHOSTS {
            if let Some(square) = Square::from_index(usize::from(self.at[ghost])) {
                each(own_feature(self.colour(ghost), square));
            }
        }
        let mut bits = self.enemies.bits();
        while bits != 0 {
            each(ENEMY + bits.trailing_zeros() as Feature);
            bits &= bits - 1;
        }
        for (which, &count) in self.counts.iter().enumerate() {
            if let Some(feature) = count_feature(which, count) {
                each(feature);
            }
        }
    }

    /// What a legal move changes. A move of a ghost that is off the board changes nothing sensible.
    #[inline]
    pub fn change(&self, mv: Move) -> FeatureChange {
        let ghost = mv.ghost.index();
        let colour = self.colour(ghost);
        let Some(from) = Square::from_index(usize::from(self.at[ghost])) else {
            return FeatureChange::Escape { from: ESCAPE };
        };
        let start = own_feature(colour, from);
        match from.step(mv.direction) {
            None => FeatureChange::Escape { from: start },
            Some(square) => {
                let to = own_feature(colour, square);
                if self.enemies.contains(square) {
                    FeatureChange::Capture {
                        from: start,
                        to,
                        enemy: enemy_feature(square),
                    }
                } else {
                    FeatureChange::Step { from: start, to }
                }
            }
        }
    }

    /// The features of the after-state of a legal move, unordered: what the paper calls `s`.
    pub fn after_state(&self, mv: Move) -> Vec<Feature> {
        let mut active = Vec::with_capacity(MOST_ACTIVE);
        let change = self.change(mv);
        let (gone, new): ([Feature; 2], [Option<Feature>; 2]) = match change {
            FeatureChange::Step { from, to } => ([from; 2], [Some(to), None]),
            FeatureChange::Capture { from, to, enemy } => {
                ([from, enemy], [Some(to), Some(CAPTURE)])
            }
            FeatureChange::Escape { from } => ([from; 2], [Some(ESCAPE), None]),
        };
        self.features(|feature| {
            if !gone.contains(&feature) {
                active.push(feature);
            }
        });
        active.extend(new.into_iter().flatten());
        active
    }
}

#[inline]
fn code(place: Place) -> u8 {
    place.square().map_or(OFF, |square| square.index() as u8)
}
