//! Means with intervals.

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use super::student::{NORMAL, student};

/// A mean over independent blocks, with half the width of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean; 0 without a block, which is written as `null`.
    pub mean: f64,
    /// Half the width of its interval; infinite where nothing can be told, as for fewer than two blocks.
    pub half_width: f64,
    /// Blocks.
    pub blocks: u64,
    /// Standard deviation of a block.
    pub deviation: f64,
}

impl Serialize for Mean {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mean = (self.blocks > 0).then_some(self.mean);
        let mut all = serializer.serialize_struct("Mean", 4)?;
        all.serialize_field("mean", &mean)?;
        all.serialize_field("half_width", &self.half_width)?;
        all.serialize_field("blocks", &self.blocks)?;
        all.serialize_field("deviation", &self.deviation)?;
        all.end()
    }
}

impl Mean {
    /// Of the means of blocks that are of the same size.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Mean {
        let blocks: Vec<(f64, f64)> = values.into_iter().map(|value| (value, 1.0)).collect();
        Mean::ratio(&blocks)
    }

    /// Of blocks that may be of different sizes: by block the sum of its values and their number. The mean is that of
    /// all values, its variance that of a ratio: W. G. Cochran, Sampling Techniques (1977), section 6.3.
    pub fn ratio(blocks: &[(f64, f64)]) -> Mean {
        let n = blocks.len() as f64;
        let sum: f64 = blocks.iter().map(|(sum, _)| sum).sum();
        let count: f64 = blocks.iter().map(|(_, count)| count).sum();
        let mean = if count > 0.0 { sum / count } else { 0.0 };
        let square = |&(sum, count): &(f64, f64)| (sum - mean * count).powi(2);
        let (deviation, half_width) = if blocks.len() > 1 {
            let squares: f64 = blocks.iter().map(square).sum();
            let deviation = (squares / (n - 1.0)).sqrt() * n / count;
            (deviation, student(n - 1.0) * deviation / n.sqrt())
        } else {
            (f64::INFINITY, f64::INFINITY)
        };
        Mean {
            mean,
            half_width,
            blocks: blocks.len() as u64,
            deviation,
        }
    }

    /// Its interval, by what values are possible. Where all blocks are alike, Student's distribution knows nothing of
    /// what has not come up yet: the interval then has the width of the exact one for as many trials without a single
    /// other outcome, C. J. Clopper and E. S. Pearson, Biometrika 26 (1934) 404-413. No interval is wider than
    /// what is possible.
    #[must_use]
    pub fn within(self, [least, most]: [f64; 2]) -> Mean {
        let range = most - least;
        let reach = (self.mean - least).max(most - self.mean);
        let half_width = match self.blocks {
            0 => f64::INFINITY,
            // Without two different values nothing can be told.
            _ if range <= 0.0 => f64::INFINITY,
            1 => self.half_width,
            n if self.deviation <= 1e-9 * range => {
                let other = 1.0 - 0.025_f64.powf(1.0 / n as f64);
                (other * range).min(reach)
            }
            _ => self.half_width.min(reach),
        };
        Mean { half_width, ..self }
    }

    /// The ends of its interval, which leaves out what is not possible; `None` where nothing can be told.
    pub fn ends(&self, [least, most]: [f64; 2]) -> Option<[f64; 2]> {
        let [low, high] = [self.mean - self.half_width, self.mean + self.half_width];
        self.half_width
            .is_finite()
            .then(|| [low.max(least), high.min(most)])
    }

    /// Blocks that are needed for an interval of at most +- `margin`, as far as can be told by now.
    pub fn blocks_for(&self, margin: f64) -> Option<u64> {
        let needed = (NORMAL * self.deviation / margin).powi(2).ceil();
        (self.deviation.is_finite() && margin > 0.0).then_some(needed as u64)
    }
}

/// The 95 % interval of a chance, by how often it came true in independent trials: E. B. Wilson, Journal of the American
/// Statistical Association 22 (1927) 209-212.
pub fn wilson(hits: u64, trials: u64) -> [f64; 2] {
    let n = trials.max(1) as f64;
    let p = hits as f64 / n;
    let scale = 1.0 + NORMAL * NORMAL / n;
    let middle = (p + NORMAL * NORMAL / (2.0 * n)) / scale;
    let half = NORMAL * (p * (1.0 - p) / n + NORMAL * NORMAL / (4.0 * n * n)).sqrt() / scale;
    [middle - half, middle + half]
}
