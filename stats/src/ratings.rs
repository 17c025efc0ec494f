//! Ratings with intervals.

use std::borrow::Borrow;
use std::iter::repeat_n;

use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;

use super::booking::{Clerk, Rows};
use super::logit::Choices;
use super::student::{NORMAL, below, student};
use super::{Block, POINTS};

/// How ratings are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The entrant whose rating is 0.
    pub anchor: usize,
    /// Resamples of the bootstrap.
    pub resamples: u32,
    /// Seed of the resampling.
    pub seed: u64,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            anchor: 0,
            resamples: 400,
            seed: 1,
        }
    }
}

/// Standard deviation of the prior, in rating points. So weak that a hundred games outweigh it many times; without it
/// an entrant that has won every game would have no rating.
const PRIOR: f64 = 1000.0;

/// A rating.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// Rating points above the anchor.
    pub rating: f64,
    /// Half the width of its 95 % interval: the uncertainty of the difference to the anchor. 0 for the anchor;
    /// infinite where nothing can be told, as for fewer than two blocks, or where no chain of games connects the two.
    pub half_width: f64,
    /// The same for the difference to the mean of all, each weighed by its games: it is known also where the anchor plays rarely. Infinite where no chain of games leads to
    /// the entrant with most of them.
    pub half_width_to_mean: f64,
    /// [`Rating::half_width`] if blocks were so many that their variance is known: what shrinks with the root of their number.
    pub half_width_of_many: f64,
    /// Games.
    pub games: u64,
}

/// The ratings of all entrants.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ratings {
    /// By entrant.
    pub entrants: Vec<Rating>,
    /// By two entrants, the chance that the first is stronger: that of Student's distribution about the difference,
    /// with its deviation among the resamples. `None` for fewer than two blocks of either, for two that no chain of games
    /// connects, and without resamples.
    pub superior: Vec<Vec<Option<f64>>>,
    /// By two entrants, the standard deviation of the difference of their ratings; `None` as in [`Ratings::superior`].
    pub errors: Vec<Vec<Option<f64>>>,
    /// Davidson's parameter of draws, where there are games for two.
    pub draw: Option<f64>,
}

/// Rates `entrants` entrants by independent blocks of games.
pub fn ratings<'a>(
    entrants: usize,
    blocks: impl IntoIterator<Item = &'a Block>,
    plan: Plan,
) -> Ratings {
    Booked::of(entrants, blocks).ratings(plan)
}

/// Ratings by the first blocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// How many blocks.
    pub blocks: u64,
    /// By entrant; `None` without a game.
    pub ratings: Vec<Option<f64>>,
}

/// By entrant the first one that a chain of games connects it with, by those that have met.
fn connected(entrants: usize, met: &[(usize, usize, u32)]) -> Vec<usize> {
    let mut first: Vec<usize> = (0..entrants).collect();
    // Each pass carries numbers over one more game of the chains, and back along those before.
    loop {
        let before = first.clone();
        for &(a, b, _) in met {
            let least = first[a].min(first[b]);
            (first[a], first[b]) = (least, least);
        }
        if first == before {
            return first;
        }
    }
}

/// Blocks that are booked, for ratings of several kinds.
#[derive(Clone, Debug)]
pub struct Booked {
    choices: Choices,
    rows: Rows,
    row_of: Vec<u32>,
    /// By block.
    weights: Vec<f64>,
    games: Vec<u64>,
    /// Blocks in which each entrant had a seat, by weight.
    blocks: Vec<f64>,
    /// Any two that have met, with the column of the choice between them.
    met: Vec<(usize, usize, u32)>,
    /// By entrant the first one that a chain of games connects it with.
    connected: Vec<usize>,
    pairs: bool,
    prior: Vec<f64>,
}

impl Booked {
    /// Books blocks of games of `entrants` entrants.
    pub fn of<'a>(entrants: usize, blocks: impl IntoIterator<Item = &'a Block>) -> Booked {
        Booked::weighted(entrants, blocks.into_iter().map(|block| (block, 1, 1.0)))
    }

    /// The same, where each block comes with how often it was played, and how much each of these counts, above 0: less
    /// than 1 for old games.
    pub fn weighted<B: Borrow<Block>>(
        entrants: usize,
        blocks: impl IntoIterator<Item = (B, u32, f64)>,
    ) -> Booked {
        let mut clerk = Clerk::new(entrants);
        let mut rows = Rows::default();
        let mut games = vec![0; entrants];
        let mut blocks_of = vec![0.0; entrants];
        let mut last_block = vec![None; entrants];
        let mut has_met = vec![false; entrants * entrants];
        let mut pairs = false;
        let (mut row_of, mut weights) = (Vec::new(), Vec::new());
        for (number, (block, times, weight)) in blocks.into_iter().enumerate() {
            for game in &block.borrow().games {
                pairs |= game.entrants.len() == 2;
                clerk.book(game);
                for (seat, &entrant) in game.entrants.iter().enumerate() {
                    let before = &game.entrants[..seat];
                    games[entrant] += u64::from(times) * u64::from(!before.contains(&entrant));
                    for &other in before {
                        has_met[entrant.max(other) * entrants + entrant.min(other)] = true;
                    }
                    if last_block[entrant].replace(number) != Some(number) {
                        blocks_of[entrant] += f64::from(times) * weight;
                    }
                }
            }
            let row = rows.number_of(clerk.close());
            row_of.extend(repeat_n(row, times as usize));
            weights.extend(repeat_n(weight, times as usize));
        }
        let mut prior = vec![(POINTS / PRIOR).powi(2); entrants + 1];
        // Of draws little is known before: exp(0) = 1 is as many draws as there are wins among equals.
        prior[entrants] = 1.0 / 9.0;
        let two = (0..entrants).flat_map(|a| (0..a).map(move |b| (a, b)));
        let two = two.filter(|&(a, b)| has_met[a * entrants + b]);
        let met: Vec<_> = two.map(|(a, b)| (a, b, clerk.pair(a, b))).collect();
        Booked {
            connected: connected(entrants, &met),
            choices: clerk.into_choices(),
            rows,
            row_of,
            weights,
            games,
            blocks: blocks_of,
            met,
            pairs,
            prior,
        }
    }

    /// The sum of all rows, by how often each came up.
    fn sum(&self, weights: &[f64], counts: &mut Vec<f64>) {
        counts.clear();
        counts.resize(self.choices.columns(), 0.0);
        self.rows.add(weights, counts);
    }

    /// Adds what makes a bootstrap honest where results hardly vary: each of two that have met wins a random number of
    /// games against the other, exponentially distributed with mean 1/2. An entrant that has won every game has done so in all
    /// resamples too, and only this says how little is known of how much stronger it is.
    fn smooth(&self, counts: &mut [f64], rng: &mut Xoshiro256PlusPlus) {
        for &(a, b, column) in &self.met {
            for winner in [a, b] {
                let won = -rng.random_range(f64::MIN_POSITIVE..1.0).ln() / 2.0;
                counts[winner] += won;
                counts[column as usize] += won;
            }
        }
    }

    /// Ratings with intervals.
    pub fn ratings(&self, plan: Plan) -> Ratings {
        let entrants = self.games.len();
        let mut weights = vec![0.0; self.rows.len()];
        for (&row, &weight) in self.row_of.iter().zip(&self.weights) {
            weights[row as usize] += weight;
        }
        let mut counts = Vec::new();
        self.sum(&weights, &mut counts);
        let fitted = self
            .choices
            .fit(&counts, &self.prior, &vec![0.0; entrants + 1]);
        let above = |fit: &[f64], i: usize| POINTS * (fit[i] - fit[plan.anchor]);

        let mut rng = Xoshiro256PlusPlus::seed_from_u64(plan.seed);
        let blocks = self.row_of.len();
        let mut deviations = vec![0.0; entrants];
        let mut squares = vec![0.0; entrants * entrants];
        let mut to_mean = vec![0.0; entrants];
        let games: u64 = self.games.iter().sum();
        for _ in 0..plan.resamples {
            weights.fill(0.0);
            for _ in 0..blocks {
                let block = rng.random_range(0..blocks as u32) as usize;
                weights[self.row_of[block] as usize] += self.weights[block];
            }
            self.sum(&weights, &mut counts);
            self.smooth(&mut counts, &mut rng);
            let fit = self.choices.fit(&counts, &self.prior, &fitted);
            for (i, deviation) in deviations.iter_mut().enumerate() {
                *deviation = POINTS * (fit[i] - fitted[i]);
            }
            let sums = self.games.iter().zip(&deviations);
            let sum: f64 = sums
                .map(|(&games, deviation)| games as f64 * deviation)
                .sum();
            let mean = sum / games.max(1) as f64;
            for i in 0..entrants {
                to_mean[i] += (deviations[i] - mean).powi(2);
                for j in 0..i {
                    squares[i * entrants + j] += (deviations[i] - deviations[j]).powi(2);
                }
            }
        }
        // What is told of two entrants rests on the blocks of the one that has fewer. Of two that no chain of games
        // connects, only the prior says something.
        let degrees = |i: usize, j: usize| {
            let blocks = (self.blocks[i].min(self.blocks[j]) as u64).saturating_sub(1);
            if self.connected[i] == self.connected[j] {
                blocks
            } else {
                0
            }
        };
        let most = (0..entrants).max_by_key(|&i| self.games[i]).unwrap_or(0);
        // The standard deviation of a difference. A bootstrap of n blocks has the variance of n - 1.
        let deviation_of = |squares: f64, degrees: u64| {
            (degrees > 0 && plan.resamples > 0).then(|| {
                let sum = squares / f64::from(plan.resamples);
                (sum * (degrees + 1) as f64 / degrees as f64).sqrt()
            })
        };
        let deviation = |i: usize, j: usize| {
            deviation_of(squares[i.max(j) * entrants + i.min(j)], degrees(i, j))
        };
        let rating = |i: usize| {
            let deviation = if i == plan.anchor && self.games[i] > 0 {
                Some(0.0)
            } else {
                deviation(i, plan.anchor)
            };
            let half_width = |quantile: f64| deviation.map_or(f64::INFINITY, |d| quantile * d);
            Rating {
                rating: above(&fitted, i),
                half_width: half_width(student(degrees(i, plan.anchor).max(1) as f64)),
                half_width_to_mean: {
                    let degrees = degrees(i, most);
                    let deviation = deviation_of(to_mean[i], degrees);
                    deviation.map_or(f64::INFINITY, |d| student(degrees as f64) * d)
                },
                half_width_of_many: half_width(NORMAL),
                games: self.games[i],
            }
        };
        let error = |i: usize, j: usize| deviation(i, j).filter(|&d| d > 0.0 && i != j);
        let superior = |i: usize, j: usize| {
            let difference = above(&fitted, i) - above(&fitted, j);
            error(i, j).map(|error| below(difference / error, degrees(i, j)))
        };
        let all = |value: &dyn Fn(usize, usize) -> Option<f64>| -> Vec<Vec<Option<f64>>> {
            let row = |i: usize| (0..entrants).map(|j| value(i, j)).collect();
            (0..entrants).map(row).collect()
        };
        Ratings {
            entrants: (0..entrants).map(rating).collect(),
            superior: all(&superior),
            errors: all(&error),
            draw: self.pairs.then(|| fitted[entrants].exp()),
        }
    }

    /// Ratings after each of `steps` equal parts of the blocks, in their order; fewer steps if there are not as many
    /// blocks.
    pub fn progress(&self, anchor: usize, steps: usize) -> Vec<Step> {
        let entrants = self.games.len();
        let steps = steps.min(self.row_of.len());
        let mut counts = vec![0.0; self.choices.columns()];
        let mut fit = vec![0.0; entrants + 1];
        let mut done = 0;
        let step = |step: usize| {
            let end = self.row_of.len() * step / steps;
            for &row in &self.row_of[done..end] {
                self.rows.add_one(row, &mut counts);
            }
            done = end;
            fit = self.choices.fit(&counts, &self.prior, &fit);
            // An entrant that has played was one of at least two to choose from.
            let seen = self.choices.seen(&counts);
            let above = |i: usize| seen[i].then(|| POINTS * (fit[i] - fit[anchor]));
            Step {
                blocks: end as u64,
                ratings: (0..entrants).map(above).collect(),
            }
        };
        (1..=steps).map(step).collect()
    }
}
