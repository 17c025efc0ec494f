//! Games between policies inside one process.

use games::geister::{MoveList, Placement, Position, Rules};
use rand::{Rng, RngExt as _};

use super::choice::Choice;
use super::features::Sight;
use super::sums::Pair;
use super::weights::Weights;

pub const MOST_MOVES: usize = 32;

/// A placement drawn uniformly from the 70.
#[inline]
pub fn random_placement(rng: &mut impl Rng) -> Placement {
    Placement::ALL[rng.random_range(0..Placement::ALL.len())]
}

/// The seed of game `number` of a match with `seed`: a hash, so that matches with neighbouring seeds share
/// nothing.
pub fn game_seed(seed: u64, number: u64) -> u64 {
    let mut x = seed.wrapping_mul(0xd6e8_feb8_6659_fd93) ^ number.rotate_left(32);
    for _ in 0..2 {
        x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    }
    x ^ (x >> 32)
}

/// Room for the preferences of a position, so that games allocate nothing.
#[derive(Clone, Debug)]
pub struct Room {
    pair: Pair,
    moves: MoveList,
    preferences: [f64; MOST_MOVES],
}

impl Room {
    pub fn new(weights: [&Weights; 2]) -> Self {
        let start = Position::new([Placement::ALL[0]; 2], Rules::default());
        Self {
            pair: Pair::of(weights, &start),
            moves: MoveList::new(),
            preferences: [0.0; MOST_MOVES],
        }
    }

    /// Plays `position` to its end, the policies of seats 0 and 1 with the weights and the way to choose
    /// of that seat. Before each move `watch` gets the position and the index of the chosen move.
    #[inline]
    pub fn play<R: Rng>(
        &mut self,
        weights: [&Weights; 2],
        choices: [Choice; 2],
        mut position: Position,
        rng: &mut R,
        mut watch: impl FnMut(&Position, usize),
    ) -> Position {
        self.pair.reset(weights, &position);
        while let Some(seat) = position.to_move() {
            let s = usize::from(seat);
            position.legal_moves(&mut self.moves);
            let sight = Sight::of(&position, seat);
            let sums = self.pair.seat(seat);
            sums.preferences(weights[s], &sight, &self.moves, &mut self.preferences);
            let chosen = choices[s].choose(&mut self.preferences[..self.moves.len()], rng);
            watch(&position, chosen);
            let mv = self.moves[chosen];
            let change = sight.change(mv);
            let played = position.play_unchecked(mv);
            if position.end().is_none() {
                self.pair
                    .follow(weights, seat, mv, change, played, &position);
            }
        }
        position
    }
}
