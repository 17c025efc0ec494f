//! Uniformly random playouts.

use games::score_four::{Position, THROUGH};
use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::picks::Picks;
use crate::search::{Playout, Rewards, two_seats};

/// Both seats play uniformly random legal moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

/// Whether the squares contain a line through the one square of `ball`.
#[inline]
fn completes(own: u64, ball: u64) -> bool {
    let missing = !own;
    let lines = &THROUGH[ball.trailing_zeros() as usize & 63];
    let mut complete = false;
    for line in lines {
        complete |= line & missing == 0;
    }
    complete
}

impl Uniform {
    /// Plays to the end: the reward of seat 0, and the balls on the board then.
    #[inline]
    pub fn play(position: &Position, rng: &mut impl Rng) -> (f64, u32) {
        let Some(first) = position.to_move() else {
            return (0.5, 64);
        };
        let mut picks = Picks::new(rng);
        let mut own = position.balls(first);
        let mut other = position.balls(1 - first);
        let mut rests = position.rests();
        loop {
            let ball = picks.square(rests);
            rests ^= ball ^ ball << 16;
            own |= ball;
            if completes(own, ball) {
                // Seat 0 drops the first ball, the third, ...
                let balls = (own | other).count_ones();
                return (f64::from(balls & 1), balls);
            }
            if rests == 0 {
                return (0.5, 64);
            }
            (own, other) = (other, own);
        }
    }
}

impl Playout<Position> for Uniform {
    #[inline]
    fn run(&mut self, position: &Position, rng: &mut Xoshiro256PlusPlus) -> Rewards {
        two_seats(Self::play(position, rng).0)
    }
}
