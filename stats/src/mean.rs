//! Means with intervals.

use std::collections::BTreeMap;

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use super::likelihood::{Alike, Stratum, least_mean};
use super::student::NORMAL;

/// A mean over independent blocks, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean; 0 without a block, which is written as `null`.
    pub mean: f64,
    /// The lower end of its interval; infinite where there is none, as for fewer than two blocks.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Blocks.
    pub blocks: u64,
    /// Standard deviation of a block, among those against the same opponents.
    pub deviation: f64,
    pub(super) skewness: f64,
    pub(super) kurtosis: f64,
    /// Blocks that are left to tell the deviation by.
    pub(super) degrees: u64,
}

impl Serialize for Mean {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mean = (self.blocks > 0).then_some(self.mean);
        let mut all = serializer.serialize_struct("Mean", 6)?;
        all.serialize_field("mean", &mean)?;
        all.serialize_field("low", &self.low)?;
        all.serialize_field("high", &self.high)?;
        all.serialize_field("half_width", &self.half_width())?;
        all.serialize_field("blocks", &self.blocks)?;
        all.serialize_field("deviation", &self.deviation)?;
        all.end()
    }
}

impl Mean {
    /// Of the values of blocks of one game each. They are within `range`.
    pub fn of(values: impl IntoIterator<Item = f64>, range: [f64; 2]) -> Mean {
        Mean::ratio(values.into_iter().map(|value| (value, 1.0)), range)
    }

    /// Of all values in blocks of any size: of each block their sum and their number. Each is within `range`.
    pub fn ratio(blocks: impl IntoIterator<Item = (f64, f64)>, range: [f64; 2]) -> Mean {
        let mut sample = Sample::default();
        for (sum, games) in blocks {
            sample.add(0, sum, games);
        }
        sample.mean(range)
    }

    /// The longer side of its interval; infinite where there is no interval.
    pub fn half_width(&self) -> f64 {
        (self.mean - self.low).max(self.high - self.mean)
    }

    /// The ends of its interval; `None` where there is no interval.
    pub fn ends(&self) -> Option<[f64; 2]> {
        self.half_width()
            .is_finite()
            .then_some([self.low, self.high])
    }
}

/// Blocks that a mean is made of. Blocks that are alike are counted, so that its size grows with the different ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// By stratum, of different blocks the bits of the sum and of the games, and how many there are.
    strata: BTreeMap<usize, BTreeMap<[u64; 2], u64>>,
}

/// Weight, in blocks, of the pseudo-observation for results that have not occurred yet. Its mean is about one standard
/// deviation closer to the least possible value.
const UNSEEN: f64 = 0.05;

impl Sample {
    /// Adds a block with the sum of the values of `games` games; a block without games has no effect. Blocks against the same
    /// opponents form a stratum: the opponents are fixed, so their differences do not widen the interval.
    pub fn add(&mut self, stratum: usize, sum: f64, games: f64) {
        if games > 0.0 {
            // A negative zero is a zero.
            let key = [sum + 0.0, games].map(f64::to_bits);
            let blocks = self.strata.entry(stratum).or_default();
            *blocks.entry(key).or_default() += 1;
        }
    }

    /// Its mean, of values that are all within `range`.
    pub fn mean(&self, range: [f64; 2]) -> Mean {
        let strata = self.strata();
        let blocks = strata.iter().map(|s| number(s)).sum::<f64>();
        let [mut sum, mut games] = [0.0; 2];
        for block in strata.iter().flatten() {
            sum += block.number * block.sum;
            games += block.number * block.games;
        }
        let mean = if games > 0.0 { sum / games } else { 0.0 };
        let [low, high] = self.interval(range, NORMAL);
        let mut moments = [0.0; 3];
        for stratum in strata.iter().filter(|_| blocks > 1.0) {
            let n = number(stratum);
            let all: f64 = stratum.iter().map(|b| b.number * b.games).sum();
            let own = stratum.iter().map(|b| b.number * b.sum).sum::<f64>() / all;
            // W. G. Cochran, Sampling Techniques (1977), 5.3 and 6.3.
            let scale = blocks / games * (n / (n - 1.0)).sqrt();
            for block in stratum {
                let residual = scale * (block.sum - own * block.games);
                for (moment, power) in moments.iter_mut().zip(2..) {
                    *moment += block.number * residual.powi(power) / blocks;
                }
            }
        }
        let deviation = if blocks > 1.0 {
            moments[0].sqrt()
        } else {
            f64::INFINITY
        };
        // Blocks that are all alike have no shape.
        let unit = if deviation > 0.0 { deviation } else { 1.0 };
        let shape = |moment: usize| moments[moment] / unit.powi(moment as i32 + 2);
        Mean {
            mean,
            low,
            high,
            blocks: blocks as u64,
            deviation,
            skewness: shape(1),
            kurtosis: shape(2),
            degrees: (blocks as u64).saturating_sub(strata.len() as u64),
        }
    }

    /// The ends of the interval that excludes on each side the probability that the normal distribution has beyond `quantile`
    /// deviations; infinite without an interval.
    fn interval(&self, [least, most]: [f64; 2], quantile: f64) -> [f64; 2] {
        let strata = self.strata();
        let blocks: f64 = strata.iter().map(|stratum| number(stratum)).sum();
        if blocks < 2.0 || most <= least {
            return [f64::NEG_INFINITY, f64::INFINITY];
        }
        let games = |stratum: &[Alike]| -> f64 { stratum.iter().map(|b| b.number * b.games).sum() };
        let all: f64 = strata.iter().map(|stratum| games(stratum)).sum();
        // For few blocks close to Student's quantile. It shrinks so slowly that a lost block never raises the lower end.
        let n = blocks - strata.len() as f64 + 1.0;
        let cost = quantile.powi(2) / 2.0 * (1.0 - 1.0 / n) * (1.0 + 5.0 / (n + 2.0));
        // The sum of g independent games deviates from its mean by about √g. Few blocks call for a greater distance.
        let reach = 1.0 + 3.0 / n;
        let end = |value: &dyn Fn(&Alike) -> f64| {
            let stratum = |alike: &Vec<Alike>| {
                let (n, games) = (number(alike), games(alike));
                let mut blocks_of: Vec<Alike> = alike.clone();
                for block in &mut blocks_of {
                    block.sum = value(block).max(0.0);
                }
                let sum: f64 = blocks_of.iter().map(|b| b.number * b.sum).sum();
                let lowest = blocks_of
                    .iter()
                    .map(|b| b.sum / b.games)
                    .fold(f64::INFINITY, f64::min);
                let nearness = (reach * (n / games).sqrt()).min(1.0);
                blocks_of.push(Alike {
                    sum: games / n * lowest.min(sum / games * (1.0 - nearness)),
                    games: games / n,
                    number: UNSEEN * n / blocks,
                });
                Stratum {
                    share: games / all,
                    weight: (n - 1.0) / n,
                    blocks: blocks_of,
                }
            };
            least_mean(&strata.iter().map(stratum).collect::<Vec<_>>(), cost)
        };
        [
            least + end(&|block| block.sum - least * block.games),
            most - end(&|block| most * block.games - block.sum),
        ]
    }

    /// The blocks by stratum. A single block has no variance within its stratum: all single blocks form one stratum together,
    /// or the only one joins the first stratum.
    fn strata(&self) -> Vec<Vec<Alike>> {
        let alike = |(&[sum, games], &number): (&[u64; 2], &u64)| Alike {
            sum: f64::from_bits(sum),
            games: f64::from_bits(games),
            number: number as f64,
        };
        let strata = self.strata.values();
        let strata = strata.map(|blocks| blocks.iter().map(alike).collect());
        let (single, mut strata): (Vec<Vec<Alike>>, Vec<Vec<Alike>>) =
            strata.partition(|stratum: &Vec<Alike>| number(stratum) < 2.0);
        let single = single.concat();
        match strata.first_mut() {
            Some(first) if single.len() == 1 => first.extend(single),
            _ if single.is_empty() => {}
            _ => strata.push(single),
        }
        strata
    }
}

fn number(blocks: &[Alike]) -> f64 {
    blocks.iter().map(|block| block.number).sum()
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
