//! The weights that the program is shipped with.

use super::judge::hand_made;

/// One number a line.
const TEXT: &str = include_str!("../../../../models/blokus/judge.txt");

/// The weights of the file, or those made by hand if it has none.
pub fn built_in() -> Vec<f32> {
    let weights: Vec<f32> = TEXT.lines().filter_map(|line| line.parse().ok()).collect();
    if weights.is_empty() {
        hand_made()
    } else {
        weights
    }
}
