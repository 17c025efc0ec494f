//! What networks know of Dobutsu shogi, which is solved.

mod accuracy;
mod c_study;
mod samples;

pub use accuracy::Accuracy;
pub use c_study::{Correction, Mistake, correct, mistakes};
pub use samples::{Draw, write_samples};
