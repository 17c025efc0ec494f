//! Blokus for four players, in two layouts: [`Fast`] is ours, [`Paper`] that of the `BlokusZero` paper.

mod fast;
mod paper;
#[cfg(test)]
mod tests;

pub use fast::Fast;
pub use paper::Paper;
