//! The training of the Geister paper (K. Shiga and T. Ito, 2021), and matches between its policies.

mod trainer;
mod versus;

pub use trainer::{Counts, PolicyGradient};
pub use versus::{Policy, play_match};
