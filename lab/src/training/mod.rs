//! The trainer of policies and values.
//!
//! A [`Trainer`] takes steps of Adam on a [`Model`], whose lessons come from recorded games or from games of its own:
//! - imitation: [`judge`] of the searches of Blokus, [`field`] of players of Daihinmin;
//! - values: [`evaluation`] of Blokus, [`score_four`];
//! - self-play and best response: `policy` (proximal policy optimisation), of [`daihinmin`] and [`geister`].
//!
//! The policy gradient of the Geister paper, which learns from each move before the next, is in [`reinforce`].

pub mod daihinmin;
pub mod evaluation;
pub mod field;
pub mod geister;
pub mod judge;
mod policy;
pub mod reinforce;
pub mod score_four;

use std::borrow::Borrow;

use bots::learning::Adam;
use bots::search::fan_out;
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_xoshiro::Xoshiro256PlusPlus;

pub use policy::{Decision, Learner, Players, Round, Rounds, SelfPlayGames};

/// Decay of the means of slopes and of their squares.
const MOMENTS: [f32; 2] = [0.9, 0.999];

pub trait Model: Sync {
    type Lesson: Sync;

    /// A model of the same shape whose numbers are all 0, for slopes.
    #[must_use]
    fn zero(&self) -> Self;

    fn parts(&mut self) -> Vec<&mut [f32]>;

    /// Adds to `slopes` how the loss of a lesson falls with each number; returns the loss.
    fn add_slopes(&self, lesson: &Self::Lesson, slopes: &mut Self) -> f64;

    /// Works out what follows from the numbers, after each step.
    fn refresh(&mut self) {}
}

#[derive(Clone, Copy, Debug)]
pub struct Passes {
    pub passes: u32,
    /// Lessons in a step, at least 1.
    pub batch: usize,
    /// Rate of learning at the beginning; it falls to a twentieth.
    pub rate: f32,
    pub seed: u64,
}

impl Passes {
    pub fn steps(&self, lessons: usize) -> u64 {
        u64::from(self.passes) * lessons.div_ceil(self.batch) as u64
    }
}

#[derive(Debug)]
pub struct Trainer<M> {
    pub model: M,
    steps: Vec<Adam>,
}

impl<M: Model + Send> Trainer<M> {
    pub fn new(mut model: M) -> Self {
        let parts = model.parts();
        let steps = parts.iter().map(|part| Adam::new(part.len(), MOMENTS));
        Trainer {
            steps: steps.collect(),
            model,
        }
    }

    /// Learns from lessons. Before each pass `vary` gets them all. After each step `progress` gets the number of steps done,
    /// that of all steps, and the mean recent loss.
    pub fn train<L: Borrow<M::Lesson> + Sync>(
        &mut self,
        lessons: &mut [L],
        plan: &Passes,
        mut vary: impl FnMut(&mut [L], &mut Xoshiro256PlusPlus),
        mut progress: impl FnMut(u64, u64, f64),
    ) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(plan.seed);
        let steps = plan.steps(lessons.len());
        let (mut done, mut late) = (0, 0.0);
        for _ in 0..plan.passes {
            vary(lessons, &mut rng);
            lessons.shuffle(&mut rng);
            for part in lessons.chunks(plan.batch) {
                let rate = plan.rate * (1.0 - 0.95 * (done as f32 / steps as f32));
                let loss = self.step(part, rate, 1);
                done += 1;
                late += (loss - late) * f64::max(0.01, 1.0 / done as f64);
                progress(done, steps, late);
            }
        }
    }

    /// Takes a step by some lessons, at least one; returns their mean loss.
    fn step<L: Borrow<M::Lesson> + Sync>(
        &mut self,
        lessons: &[L],
        rate: f32,
        threads: usize,
    ) -> f64 {
        let model = &self.model;
        let mut parts: Vec<&[L]> = lessons.chunks(lessons.len().div_ceil(threads)).collect();
        let found = fan_out(&mut parts, |_, part| {
            let mut slopes = model.zero();
            let losses = part.iter();
            let losses = losses.map(|lesson| model.add_slopes(lesson.borrow(), &mut slopes));
            let loss: f64 = losses.sum();
            (slopes, loss)
        });
        let all = found
            .into_iter()
            .reduce(|(mut slopes, loss), (mut more, other)| {
                for (slopes, more) in slopes.parts().into_iter().zip(more.parts()) {
                    slopes
                        .iter_mut()
                        .zip(more)
                        .for_each(|(sum, slope)| *sum += *slope);
                }
                (slopes, loss + other)
            });
        let (mut slopes, loss) = all.expect("a step has lessons");
        let count = lessons.len();
        let parts = self.model.parts().into_iter().zip(slopes.parts());
        for ((numbers, slopes), steps) in parts.zip(&mut self.steps) {
            steps.step(numbers, slopes, (count as f32).recip(), rate);
        }
        self.model.refresh();
        loss / count as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number that learns the mean of its lessons.
    struct Mean([f32; 1]);

    impl Model for Mean {
        type Lesson = f32;

        fn zero(&self) -> Self {
            Mean([0.0])
        }

        fn parts(&mut self) -> Vec<&mut [f32]> {
            vec![&mut self.0]
        }

        fn add_slopes(&self, lesson: &f32, slopes: &mut Self) -> f64 {
            let error = lesson - self.0[0];
            slopes.0[0] += 2.0 * error;
            f64::from(error * error)
        }
    }

    #[test]
    fn a_model_comes_to_the_least_loss() {
        let mut trainer = Trainer::new(Mean([0.0]));
        let mut lessons: Vec<f32> = (0..100).map(|n| n as f32 / 100.0).collect();
        let plan = Passes {
            passes: 40,
            batch: 10,
            rate: 0.02,
            seed: 1,
        };
        let mut steps = Vec::new();
        trainer.train(
            &mut lessons,
            &plan,
            |_, _| (),
            |done, all, loss| steps.push((done, all, loss)),
        );
        assert_eq!((steps.len(), steps[399].0, steps[0].1), (400, 400, 400));
        assert!(
            (trainer.model.0[0] - 0.495).abs() < 0.02,
            "{}",
            trainer.model.0[0]
        );
        assert!(steps[399].2 < 0.6 * steps[0].2 || steps[399].2 < 0.1);
    }

    #[test]
    fn threads_share_a_step() {
        let stepped = |threads| {
            let mut trainer = Trainer::new(Mean([0.0]));
            let loss = trainer.step(&[0.25_f32, 0.5, 0.75], 0.1, threads);
            (trainer.model.0[0], loss)
        };
        assert_eq!(stepped(1), stepped(2));
        assert!(stepped(1).0 > 0.05);
    }
}
