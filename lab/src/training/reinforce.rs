//! Self-play training of the policy of the Geister paper (K. Shiga and T. Ito, 2021): every game is learned before the next is played, and the seed settles
//! everything.

use bots::geister::reinforce::{Steps, learn};
use bots::geister::selfplay::{Room, random_placement};
use bots::geister::{Choice, Weights};
use games::geister::{Position, Rules};
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The step sizes of the paper.
const STEPS: Steps = Steps {
    alpha: 0.001,
    beta: 0.0001,
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Games that nobody won.
    pub draws: u64,
    pub plies: u64,
}

#[derive(Clone, Debug)]
pub struct PolicyGradient {
    seed: u64,
    pub weights: Weights,
    pub w: Weights,
    pub games: u64,
    pub counts: Counts,
    room: Room,
    played: Vec<(Position, u8)>,
}

impl PolicyGradient {
    pub fn new(seed: u64) -> Self {
        let weights = Weights::zero();
        Self {
            seed,
            room: Room::new([&weights; 2]),
            w: weights.clone(),
            weights,
            games: 0,
            counts: Counts::default(),
            played: Vec::new(),
        }
    }

    pub fn game(&mut self) {
        let seed = self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ self.games;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let placements = [0; 2].map(|_| random_placement(&mut rng));
        let played = &mut self.played;
        played.clear();
        let end = self.room.play(
            [&self.weights; 2],
            [Choice::Softmax(1.0); 2],
            Position::new(placements, Rules::default()),
            &mut rng,
            |position, chosen| {
                if position.ply() % 2 == 0 {
                    played.push((*position, chosen as u8));
                }
            },
        );
        let winner = end.end().and_then(|end| end.winner);
        let result = winner.map_or(0.0, |seat| if seat == 0 { 1.0 } else { -1.0 });
        learn(&mut self.weights, &mut self.w, STEPS, played, result);
        self.games += 1;
        self.counts.plies += u64::from(end.ply());
        self.counts.draws += u64::from(winner.is_none());
    }
}
