//! Self-play training of the policy.
//!
//! On one thread every game is learned before the next is played, as in the paper, and the seed settles
//! everything. With several threads each one plays and learns a shard of [`SHARD`] games from the
//! same weights, and the changes of all are added up: deterministic too, by seed and number of threads. A
//! shard is short against the scale on which the policy changes (alpha is 0.001).

use games::geister::{Position, Rules};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::choice::Choice;
use super::reinforce::{Steps, learn};
use super::selfplay::{Room, random_placement};
use super::weights::Weights;

/// Games that a thread plays before the changes of all threads are added up.
pub const SHARD: u64 = 64;

/// What is trained and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Seed of all games.
    pub seed: u64,
    /// Step sizes.
    pub steps: Steps,
    /// Ply limit of the games.
    pub ply_limit: u16,
    /// Whether both sides' moves are learned, or those of the first player only, as in the paper.
    pub both_sides: bool,
    /// Share of games in which the other side plays with weights of the past, 0 to 1.
    pub past: f64,
    /// Threads.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 1,
            steps: Steps {
                alpha: 0.001,
                beta: Some(0.0001),
            },
            ply_limit: 200,
            both_sides: false,
            past: 0.0,
            threads: 1,
        }
    }
}

/// Counts of what was played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Games that nobody won.
    pub draws: u64,
    /// Plies of all games.
    pub plies: u64,
}

/// Weights in training.
#[derive(Clone, Debug)]
pub struct Trainer {
    /// What is trained and how.
    pub settings: Settings,
    /// The weights of the policy.
    pub weights: Weights,
    /// The weights of the baseline.
    pub w: Weights,
    /// Games learned.
    pub games: u64,
    /// Past weights to play against.
    pub past: Vec<Weights>,
    /// What was played since the trainer was made.
    pub counts: Counts,
}

struct Shard {
    weights: Weights,
    w: Weights,
    room: Room,
    played: [Vec<(Position, u8)>; 2],
    counts: Counts,
}

impl Shard {
    fn new(weights: &Weights, w: &Weights) -> Self {
        Self {
            room: Room::new([weights; 2]),
            weights: weights.clone(),
            w: w.clone(),
            played: [Vec::new(), Vec::new()],
            counts: Counts::default(),
        }
    }

    fn game(&mut self, settings: &Settings, past: &[Weights], number: u64) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(
            settings.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number,
        );
        let placements = [0; 2].map(|_| random_placement(&mut rng));
        let rules = Rules {
            ply_limit: settings.ply_limit,
        };
        let mut weights = [&self.weights; 2];
        let mut learners = [true, settings.both_sides];
        if settings.past > 0.0 && !past.is_empty() && rng.random::<f64>() < settings.past {
            // With both sides learning, the learner sits on either side in turn.
            let learner = usize::from(settings.both_sides) & (number & 1) as usize;
            weights[1 - learner] = &past[rng.random_range(0..past.len())];
            learners = [learner == 0, learner == 1];
        }
        self.played.iter_mut().for_each(Vec::clear);
        let played = &mut self.played;
        let end = self.room.play(
            weights,
            [Choice::Softmax(1.0); 2],
            Position::new(placements, rules),
            &mut rng,
            |position, chosen| {
                let seat = usize::from(position.ply() % 2);
                if learners[seat] {
                    played[seat].push((*position, chosen as u8));
                }
            },
        );
        let winner = end.end().and_then(|end| end.winner);
        self.counts.plies += u64::from(end.ply());
        self.counts.draws += u64::from(winner.is_none());
        for (seat, played) in self.played.iter().enumerate() {
            let result = winner.map_or(0.0, |w| if usize::from(w) == seat { 1.0 } else { -1.0 });
            learn(
                &mut self.weights,
                &mut self.w,
                settings.steps,
                played,
                result,
            );
        }
    }
}

impl Trainer {
    /// Weights zero, no game learned.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            weights: Weights::zero(),
            w: Weights::zero(),
            games: 0,
            past: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// Plays and learns games until `games` have been learned in all; `progress` is told how many are
    /// new.
    pub fn run(&mut self, games: u64, progress: &mut dyn FnMut(u64)) {
        let threads = self.settings.threads.max(1) as u64;
        let mut shards: Vec<Shard> = (0..threads)
            .map(|_| Shard::new(&self.weights, &self.w))
            .collect();
        while self.games < games {
            let begin = self.games;
            let count = (SHARD * threads).min(games - begin);
            let (settings, past) = (&self.settings, &self.past);
            if let [only] = &mut shards[..] {
                for number in begin..begin + count {
                    only.game(settings, past, number);
                }
                self.weights.clone_from(&only.weights);
                self.w.clone_from(&only.w);
            } else {
                std::thread::scope(|scope| {
                    for (thread, shard) in (0..threads).zip(&mut shards) {
                        let mine = begin + thread * count / threads
                            ..begin + (thread + 1) * count / threads;
                        scope.spawn(move || mine.for_each(|n| shard.game(settings, past, n)));
                    }
                });
                let (weights, w) = (self.weights.clone(), self.w.clone());
                for shard in &shards {
                    self.weights.add_difference(&shard.weights, &weights);
                    self.w.add_difference(&shard.w, &w);
                }
                for shard in &mut shards {
                    shard.weights.clone_from(&self.weights);
                    shard.w.clone_from(&self.w);
                }
            }
            self.games += count;
            progress(count);
        }
        for shard in &shards {
            self.counts.draws += shard.counts.draws;
            self.counts.plies += shard.counts.plies;
        }
    }
}
