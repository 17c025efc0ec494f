//! Steps of Adam (D. P. Kingma and J. Ba, "Adam: a method for stochastic optimization", 2015), and the passes over lessons in which
//! they are taken.

use rand::seq::SliceRandom as _;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The means of the slopes of some numbers and of their squares, which say how far a step goes.
#[derive(Clone, Debug)]
pub(crate) struct Adam {
    first: Vec<f32>,
    second: Vec<f32>,
    decay: [f32; 2],
    steps: i32,
}

impl Adam {
    /// For so many numbers, with the decay of both means, 0 to 1.
    pub(crate) fn new(count: usize, decay: [f32; 2]) -> Self {
        Self {
            first: vec![0.0; count],
            second: vec![0.0; count],
            decay,
            steps: 0,
        }
    }

    /// Takes a step along the slopes times `scale`: upward where that is positive. `rate` is how far a number goes at most,
    /// about.
    pub(crate) fn step(&mut self, numbers: &mut [f32], slopes: &[f32], scale: f32, rate: f32) {
        self.steps += 1;
        let [one, two] = self.decay;
        let rate = rate * (1.0 - two.powi(self.steps)).sqrt() / (1.0 - one.powi(self.steps));
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((number, slope), (first, second)) in numbers.iter_mut().zip(slopes).zip(moments) {
            let slope = slope * scale;
            *first += (1.0 - one) * (slope - *first);
            *second += (1.0 - two) * (slope * slope - *second);
            *number += rate * *first / (second.sqrt() + 1e-7);
        }
    }
}

/// How lessons are learned.
#[derive(Clone, Copy, Debug)]
pub struct Passes {
    /// Passes over the lessons.
    pub passes: u32,
    /// Lessons in a step, at least 1.
    pub batch: usize,
    /// Rate of learning at the beginning; it falls to a twentieth.
    pub rate: f32,
    /// Seed of the order of the lessons.
    pub seed: u64,
}

impl Passes {
    pub(crate) const fn steps(&self, lessons: usize) -> u64 {
        self.passes as u64 * lessons.div_ceil(self.batch) as u64
    }

    /// The rate of learning after `done` of `steps` steps.
    pub(crate) fn rate_after(&self, done: u64, steps: u64) -> f32 {
        self.rate * (1.0 - 0.95 * (done as f32 / steps as f32))
    }
}

/// Passes that a learner makes, and what orders the lessons of each.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    pub(crate) plan: Passes,
    pub(crate) rng: Xoshiro256PlusPlus,
}

impl Course {
    /// Makes the passes of the course that `of` a learner is: shuffles the lessons for each, and has `step` learn from some of them
    /// at a rate and give their mean loss. After each step `progress` gets the number of steps done, that of all steps, and the mean
    /// recent loss.
    pub(crate) fn run<L, T>(
        learner: &mut L,
        of: fn(&mut L) -> &mut Course,
        step: fn(&mut L, &[T], f32) -> f64,
        lessons: &mut [T],
        mut progress: impl FnMut(u64, u64, f64),
    ) {
        let plan = of(learner).plan;
        let steps = plan.steps(lessons.len());
        let (mut done, mut late) = (0, 0.0);
        for _ in 0..plan.passes {
            lessons.shuffle(&mut of(learner).rng);
            for part in lessons.chunks(plan.batch) {
                let loss = step(learner, part, plan.rate_after(done, steps));
                done += 1;
                late += (loss - late) * f64::max(0.01, 1.0 / done as f64);
                progress(done, steps, late);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first step goes as far as the rate says, whatever the slope; later ones come to rest at the summit.
    #[test]
    fn steps_go_up_to_the_summit() {
        let mut adam = Adam::new(2, [0.9, 0.999]);
        let mut numbers = [5.0, -3.0];
        let slopes = |numbers: &[f32; 2]| [-1000.0 * numbers[0], -0.01 * numbers[1]];
        adam.step(&mut numbers, &slopes(&[5.0, -3.0]), 1.0, 0.1);
        assert!((numbers[0] - 4.9).abs() < 1e-3 && (numbers[1] + 2.9).abs() < 1e-3);
        for _ in 0..2000 {
            let slopes = slopes(&numbers);
            adam.step(&mut numbers, &slopes, 1.0, 0.02);
        }
        assert!(
            numbers[0].abs() < 0.05 && numbers[1].abs() < 0.05,
            "{numbers:?}"
        );
    }
}
