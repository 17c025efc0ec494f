//! The learned placement: what each of the 70 is worth, and a draw that favours the better ones.
//!
//! `models/geister/placements.txt` has the score of each placement in self-play of the policy against uniformly
//! random ones (`taikyoku-lab geister placements`). Left and right are worth the same, so a placement takes the
//! mean of itself and its mirror image. The draw is a softmax: an enemy that knows the table still does not
//! know the placement.

use games::geister::Placement;
use rand::Rng;

use super::choice::{draw, softmax};

const TABLE: &str = include_str!("../../../models/geister/placements.txt");

/// A distribution over the 70 placements.
#[derive(Clone, Debug, PartialEq)]
pub struct Placements {
    probabilities: Vec<f64>,
}

impl Placements {
    /// All alike, as in the paper.
    pub fn uniform() -> Self {
        let count = Placement::ALL.len();
        Self {
            probabilities: vec![1.0 / count as f64; count],
        }
    }

    /// In proportion to `exp(score / spread)`; uniform for a spread of 0.
    pub fn learned(spread: f64) -> Self {
        if spread <= 0.0 {
            return Self::uniform();
        }
        let mut values = scores();
        softmax(&mut values, spread);
        Self {
            probabilities: values,
        }
    }

    /// Draws a placement.
    pub fn draw(&self, rng: &mut impl Rng) -> Placement {
        Placement::ALL[draw(&self.probabilities, rng)]
    }
}

/// The mirror image: A and D, B and C, E and H, F and G exchanged.
fn mirror(placement: Placement) -> u8 {
    let mask = placement.mask();
    (0..8)
        .filter(|bit| mask >> bit & 1 != 0)
        .fold(0, |mirrored, bit| mirrored | 1 << (bit ^ 3))
}

/// Scores in the order of [`Placement::ALL`], mirror images alike.
fn scores() -> Vec<f64> {
    let mut table = [0.5; 256];
    for line in TABLE.lines() {
        let mut words = line.split_whitespace();
        let placement = words.next().and_then(|word| word.parse::<Placement>().ok());
        let score = words.next().and_then(|word| word.parse::<f64>().ok());
        let (Some(placement), Some(score)) = (placement, score) else {
            panic!("placements.txt: `{line}` is not a placement and its score");
        };
        table[usize::from(placement.mask())] = score;
    }
    Placement::ALL
        .into_iter()
        .map(|p| f64::midpoint(table[usize::from(p.mask())], table[usize::from(mirror(p))]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_every_placement_once_with_a_score() {
        let named: Vec<Placement> = TABLE
            .lines()
            .filter_map(|line| line.split_whitespace().next()?.parse().ok())
            .collect();
        assert_eq!(named.len(), Placement::ALL.len());
        for placement in Placement::ALL {
            assert_eq!(named.iter().filter(|&&n| n == placement).count(), 1);
        }
        assert!(scores().iter().all(|s| (0.2..0.8).contains(s)));
    }

    #[test]
    fn mirror_images_are_as_likely_as_each_other() {
        let learned = Placements::learned(0.02);
        for (i, p) in Placement::ALL.into_iter().enumerate() {
            let j = Placement::ALL.iter().position(|q| q.mask() == mirror(p));
            let other = learned.probabilities[j.expect("a placement")];
            assert!((learned.probabilities[i] - other).abs() < 1e-12);
        }
    }
}
