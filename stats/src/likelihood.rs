//! The least mean that blocks of games leave likely, by their empirical likelihood.
//!
//! Chances of the blocks are as likely as their product says, and nothing else is assumed of how values are distributed.
//! An end of an interval is the least mean of all chances whose likelihood is near the largest one. Chances are never
//! negative, so a value that falls never raises such an end, and no end leaves what is possible.
//! A. B. Owen, Biometrika 75 (1988) 237-249; in strata: B. Zhong and J. N. K. Rao, Biometrika 87 (2000) 929-938.

#[derive(Clone, Copy, Debug)]
pub(super) struct Alike {
    /// Sum of the values of the games of one of them, above the least that is possible.
    pub(super) sum: f64,
    pub(super) games: f64,
    pub(super) number: f64,
}

#[derive(Clone, Debug)]
pub(super) struct Stratum {
    pub(super) share: f64,
    /// What the logarithm of a chance weighs.
    pub(super) weight: f64,
    pub(super) blocks: Vec<Alike>,
}

impl Stratum {
    /// Mean value of a game, and games of a block, by the chances of its blocks.
    fn mean(&self, chances: impl Iterator<Item = f64>) -> Moments {
        let (mut sum, mut games) = (0.0, 0.0);
        for (block, chance) in self.blocks.iter().zip(chances) {
            sum += chance * block.sum;
            games += chance * block.games;
        }
        Moments {
            mean: sum / games,
            games,
        }
    }
}

#[derive(Clone, Copy)]
struct Moments {
    mean: f64,
    games: f64,
}

/// A stratum about a mean of it: of blocks that are alike how far each is above the lowest, and their number.
struct Distances(Vec<[f64; 2]>);

impl Distances {
    fn about(stratum: &Stratum, at: Moments) -> Distances {
        let blocks = stratum.blocks.iter();
        let above = blocks.map(|b| stratum.share * (b.sum - at.mean * b.games) / at.games);
        let above: Vec<f64> = above.collect();
        let lowest = above.iter().copied().fold(f64::INFINITY, f64::min);
        let both = above.iter().zip(&stratum.blocks);
        Distances(both.map(|(a, b)| [a - lowest, b.number]).collect())
    }

    fn number(&self) -> f64 {
        self.0.iter().map(|[_, number]| number).sum()
    }

    fn variance(&self) -> f64 {
        let n = self.number();
        let mean = self.0.iter().map(|[d, number]| d * number).sum::<f64>() / n;
        let squares = self.0.iter().map(|[d, number]| number * (d - mean).powi(2));
        squares.sum::<f64>() / (n * n)
    }

    /// The level at which the chances `scale` / (distance + level) add up to 1. Newton's method on the reciprocal of the
    /// sum, which is concave: it comes from below and never goes too far.
    fn level(&self, scale: f64) -> f64 {
        let lowest = self.0.iter().filter(|[d, _]| *d <= 0.0);
        let mut level = scale * lowest.map(|[_, number]| number).sum::<f64>();
        for _ in 0..100 {
            let (mut sum, mut slope) = (0.0, 0.0);
            for [d, number] in &self.0 {
                let chance = scale / (d + level);
                sum += number * chance;
                slope += number * chance / (d + level);
            }
            if sum - 1.0 < 1e-13 {
                break;
            }
            level += sum * (sum - 1.0) / slope;
        }
        level
    }

    /// The logarithm of the likelihood, below the largest one.
    fn cost(&self, scale: f64, level: f64) -> f64 {
        let n = self.number();
        let blocks = self.0.iter();
        -blocks
            .map(|[d, number]| number * (n * scale / (d + level)).ln())
            .sum::<f64>()
    }

    fn chances(&self, scale: f64, level: f64) -> impl Iterator<Item = f64> {
        self.0
            .iter()
            .map(move |[d, number]| number * scale / (d + level))
    }
}

/// The least mean of a game whose likelihood is `cost` below the largest one, as a logarithm.
pub(super) fn least_mean(strata: &[Stratum], cost: f64) -> f64 {
    let numbers = |stratum: &Stratum| -> Vec<f64> {
        let n: f64 = stratum.blocks.iter().map(|block| block.number).sum();
        stratum.blocks.iter().map(|b| b.number / n).collect()
    };
    let mut at: Vec<Moments> = strata
        .iter()
        .map(|stratum| stratum.mean(numbers(stratum).into_iter()))
        .collect();
    let total = |at: &[Moments]| -> f64 {
        let both = strata.iter().zip(at);
        both.map(|(stratum, at)| stratum.share * at.mean).sum()
    };
    let mut least = total(&at);
    // A ratio is no linear function of the chances: each pass takes it for one about the result of the pass before.
    for _ in 0..50 {
        let about = strata.iter().zip(&at);
        let about: Vec<Distances> = about.map(|(s, &at)| Distances::about(s, at)).collect();
        let Some(scale) = scale(strata, &about, cost) else {
            break;
        };
        for ((stratum, about), at) in strata.iter().zip(&about).zip(&mut at) {
            let scale = scale * stratum.weight;
            *at = stratum.mean(about.chances(scale, about.level(scale)));
        }
        let before = std::mem::replace(&mut least, total(&at));
        if (before - least).abs() < 1e-11 {
            break;
        }
    }
    least
}

/// The scale of the chances at which all strata together cost as much; `None` if no mean is lower than another. Secants
/// on logarithms, of which the one is nearly a linear function of the other, kept between two bounds.
fn scale(strata: &[Stratum], about: &[Distances], cost: f64) -> Option<f64> {
    let cost_at = |logarithm: f64| -> f64 {
        let each = strata.iter().zip(about).map(|(stratum, about)| {
            let scale = logarithm.exp() * stratum.weight;
            stratum.weight * about.cost(scale, about.level(scale))
        });
        each.sum::<f64>().max(f64::MIN_POSITIVE).ln() - cost.ln()
    };
    let both = strata.iter().zip(about);
    let variance: f64 = both.map(|(s, about)| about.variance() / s.weight).sum();
    if variance <= 0.0 {
        return None;
    }
    let [mut low, mut high] = [f64::NEG_INFINITY, f64::INFINITY];
    let mut logarithm = (variance / (2.0 * cost)).ln() / 2.0;
    let mut slope = -2.0;
    let mut excess = cost_at(logarithm);
    for _ in 0..100 {
        if excess.abs() < 1e-11 {
            break;
        }
        if excess > 0.0 {
            low = logarithm;
        } else {
            high = logarithm;
        }
        let next = logarithm - excess / slope;
        let next = if next > low && next < high {
            next
        } else if low.is_finite() && high.is_finite() {
            f64::midpoint(low, high)
        } else {
            logarithm + excess.signum()
        };
        if (next - logarithm).abs() < 1e-13 {
            break;
        }
        let after = cost_at(next);
        slope = ((after - excess) / (next - logarithm)).min(-0.05);
        (logarithm, excess) = (next, after);
    }
    Some(logarithm.exp())
}
