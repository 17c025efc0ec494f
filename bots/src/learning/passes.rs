//! Learning in passes over what has been collected.

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
    /// Steps that so many lessons take.
    pub(crate) const fn steps(&self, lessons: usize) -> u64 {
        self.passes as u64 * lessons.div_ceil(self.batch) as u64
    }

    /// The rate of learning after `done` of `steps` steps.
    pub(crate) fn rate_after(&self, done: u64, steps: u64) -> f32 {
        self.rate * (1.0 - 0.95 * (done as f32 / steps as f32))
    }
}
