//! Learning the evaluation from games against itself.
//!
//! TD(lambda) on logits of seat 0's win over the shared weights, R. S. Sutton, "Learning to predict by the
//! methods of temporal differences", Machine Learning 3 (1988) 9-44; on tuples of squares, S. M. Lucas,
//! "Learning to play Othello with n-tuple systems", Australian Journal of Intelligent Information
//! Processing 4 (2008) 1-20.

use games::score_four::{LINE_COUNT, Position};
use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::board::{Board, Moves};
use super::evaluation::{Lines, SHARED, Weights, built_in_weights, weight_count};
use super::evaluation::{THREATS, threat_counts};
use crate::score_four::engine::random_peg;

/// How the evaluation is learned.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// Games.
    pub games: u64,
    /// Step of the first game and of the last one; it falls geometrically.
    pub step: [f64; 2],
    /// Chance of a random move.
    pub explore: f64,
    /// The lambda of TD(lambda), 0 to 1.
    pub lambda: f64,
    /// Seed.
    pub seed: u64,
}

/// A learner with its weights: those of lines, then those of threats, in logits.
#[derive(Clone, Debug)]
pub struct Trainer {
    weights: Vec<f64>,
}

/// What a position looks like to the learner.
struct Features {
    lines: [u16; LINE_COUNT],
    threats: [i32; THREATS],
}

impl Features {
    fn of(position: &Position, board: &Board, blank: &Weights) -> Self {
        let contents = Lines::of(position, blank);
        let threats = if position.ply() & 1 == 0 {
            board.threats
        } else {
            [board.threats[1], board.threats[0]]
        };
        Self {
            lines: std::array::from_fn(|line| SHARED.0[line][contents.contents(line)]),
            threats: threat_counts(threats, position.taken()),
        }
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

impl Trainer {
    /// All weights 0, or those built in.
    pub fn new(from_built_in: bool) -> Self {
        Self {
            weights: if from_built_in {
                built_in_weights()
            } else {
                vec![0.0; weight_count()]
            },
        }
    }

    /// The weights, in logits.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    fn value(&self, features: &Features) -> f64 {
        let lines = features.lines.iter();
        let sum: f64 = lines.map(|&i| self.weights[usize::from(i)]).sum();
        let threats = features.threats.iter().zip(&self.weights[SHARED.1..]);
        sum + threats.map(|(&n, w)| f64::from(n) * w).sum::<f64>()
    }

    fn update(&mut self, features: &Features, change: f64) {
        for &i in &features.lines {
            self.weights[usize::from(i)] += change;
        }
        let threats = features.threats.iter();
        for (&n, weight) in threats.zip(&mut self.weights[SHARED.1..]) {
            // Rarer than lines and worth more, so learned faster.
            *weight += 4.0 * change * f64::from(n.min(3));
        }
    }

    /// Plays games against itself; `progress` is told of every thousandth with the mean square of the
    /// error of the values.
    pub fn train(&mut self, schedule: &Schedule, mut progress: impl FnMut(u64, f64)) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(schedule.seed);
        let (mut error, mut count) = (0.0, 0_u64);
        let ratio = (schedule.step[1] / schedule.step[0]).ln();
        for game in 0..schedule.games {
            let done = game as f64 / schedule.games.max(1) as f64;
            let step = schedule.step[0] * (ratio * done).exp();
            let (squares, positions) = self.game(schedule, step, &mut rng);
            error += squares;
            count += positions;
            if (game + 1).is_multiple_of(1000) {
                progress(game + 1, error / count.max(1) as f64);
                (error, count) = (0.0, 0);
            }
        }
    }

    fn game(&mut self, schedule: &Schedule, step: f64, rng: &mut Xoshiro256PlusPlus) -> (f64, u64) {
        let blank = Weights::of(&vec![0.0; weight_count()]);
        let mut position = Position::START;
        // Quiet positions since the last random move.
        let mut seen: Vec<Features> = Vec::with_capacity(64);
        for _ in 0..rng.random_range(0..9) {
            if let Some(peg) = random_peg(&position, rng) {
                position.play_unchecked(peg);
            }
        }
        // The fast weights of this game.
        let weights = Weights::of(&self.weights);
        let result = loop {
            if let Some(end) = position.end() {
                break match end.winner {
                    Some(0) => 1.0,
                    Some(_) => 0.0,
                    None => 0.5,
                };
            }
            let board = Board::of(&position);
            let seat = position.ply() & 1;
            let won = if seat == 0 { 1.0 } else { 0.0 };
            let ball = match board.moves() {
                Moves::Win(_) => break won,
                Moves::Lost => break 1.0 - won,
                Moves::Full => break 0.5,
                Moves::Forced(ball) => ball,
                Moves::Safe(safe) => {
                    seen.push(Features::of(&position, &board, &blank));
                    if rng.random_bool(schedule.explore) {
                        self.learn(&mut seen, None, schedule.lambda, step);
                        random_of(safe, rng)
                    } else {
                        best_of(&position, &board, safe, &weights)
                    }
                }
            };
            let peg = games::score_four::Peg::under(ball.trailing_zeros());
            position.play_unchecked(peg);
        };
        self.learn(&mut seen, Some(result), schedule.lambda, step)
    }

    /// Moves the values of the positions towards those that came after, and forgets the positions.
    fn learn(
        &mut self,
        seen: &mut Vec<Features>,
        result: Option<f64>,
        lambda: f64,
        step: f64,
    ) -> (f64, u64) {
        let values: Vec<f64> = seen.iter().map(|f| sigmoid(self.value(f))).collect();
        let Some(mut target) = result.or(values.last().copied()) else {
            return (0.0, 0);
        };
        let mut squares = 0.0;
        for (features, value) in seen.iter().zip(&values).rev() {
            squares += (target - value).powi(2);
            self.update(features, step * (target - value));
            target = lambda * target + (1.0 - lambda) * value;
        }
        let count = seen.len() as u64;
        seen.clear();
        (squares, count)
    }
}

fn random_of(mut squares: u64, rng: &mut impl Rng) -> u64 {
    for _ in 0..rng.random_range(0..squares.count_ones()) {
        squares &= squares - 1;
    }
    squares & squares.wrapping_neg()
}

/// The move with the best value one ply ahead.
fn best_of(position: &Position, board: &Board, safe: u64, weights: &Weights) -> u64 {
    let seat = position.ply() & 1;
    let lines = Lines::of(position, weights);
    let mut best = (i32::MIN, 0);
    let mut rest = safe;
    while rest != 0 {
        let ball = rest & rest.wrapping_neg();
        rest ^= ball;
        let next = board.after(ball);
        let taken = next.sides[0] | next.sides[1];
        let mut threats = next.threats;
        if seat == 0 {
            threats.swap(0, 1);
        }
        let sum =
            lines.gain(seat, ball.trailing_zeros(), weights) + weights.of_threats(threats, taken);
        let mut worth = if seat == 0 { sum } else { -sum };
        if matches!(next.moves(), Moves::Lost) {
            worth += 1_000_000;
        }
        if worth > best.0 {
            best = (worth, ball);
        }
    }
    best.1
}
