//! Playouts on row bitmaps: an orientation is drawn until one fits, and then one of its places.

mod chance;
mod side;

use games::blokus::{Board, Colour, Placement, SEATS};
use rand::Rng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::game::{counted, shares_of};
use crate::search::{Playout, Rewards};
use side::{ALL, Side, any_place, of_size};

/// Most squares of a piece.
const LARGEST: usize = 5;
/// Most moves of a game.
const MOVES: usize = 84;

/// Epsilon-greedy playouts. A colour draws orientations of its largest pieces until one fits, of the next
/// smaller ones if none does, and then one of the places where that one fits; with probability epsilon it
/// draws from the orientations of all its pieces instead. Orientations are equally likely, not moves;
/// [`ExactPlayout`](super::ExactPlayout) draws uniformly over moves and is several times slower.
///
/// Allocates nothing after it was made.
#[derive(Clone, Debug)]
pub struct RowPlayout {
    /// Of 2^32.
    epsilon: u64,
    line: Vec<(u8, Placement)>,
}

impl RowPlayout {
    /// With epsilon, in [0, 1].
    pub fn new(epsilon: f64) -> Self {
        Self {
            epsilon: (epsilon.clamp(0.0, 1.0) * 2_f64.powi(32)) as u64,
            line: Vec::with_capacity(MOVES),
        }
    }

    /// Plays from `board` to the end of the game; the advanced scores by seat. A colour that was
    /// withdrawn has less than any score of the rules.
    pub fn scores(&mut self, board: &Board, rng: &mut Xoshiro256PlusPlus) -> [i16; SEATS] {
        self.line.clear();
        let mut sides = Colour::ALL.map(|colour| Side::of(board, colour));
        let mut turn = board.to_move().map_or(0, Colour::index);
        let mut idle = 0;
        while idle < SEATS {
            idle += 1;
            if sides[turn].is_in {
                let is_any = u64::from(rng.next_u32()) < self.epsilon;
                let drawn = if is_any {
                    sides[turn].draw(ALL, rng)
                } else {
                    let mut sizes = (1..=LARGEST).rev();
                    sizes.find_map(|size| sides[turn].draw(of_size(size), rng))
                };
                if let Some((orientation, places)) = drawn {
                    let (x, y) = any_place(&places, rng);
                    for (seat, side) in sides.iter_mut().enumerate() {
                        if seat == turn {
                            side.put(orientation, x, y);
                        } else {
                            side.cover(orientation, x, y);
                        }
                    }
                    self.line
                        .push((turn as u8, Placement::at(orientation, x, y)));
                    idle = 0;
                } else {
                    sides[turn].is_in = false;
                }
            }
            turn = (turn + 1) % SEATS;
        }
        counted(board, sides.map(|side| side.score()))
    }
}

impl Playout<Board> for RowPlayout {
    fn run(&mut self, position: &Board, rng: &mut Xoshiro256PlusPlus) -> Rewards {
        let scores = self.scores(position, rng);
        shares_of(scores)
    }

    fn line(&self) -> &[(u8, Placement)] {
        &self.line
    }
}
