//! Ratings with intervals.

use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;

use super::logit::{Alternative, Choices};
use super::mean::student;
use super::{Block, Outcome, POINTS};

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
    /// Half the width of its 95 % interval: the uncertainty of the difference to the anchor.
    pub interval: f64,
    /// Games.
    pub games: u64,
}

/// The ratings of all entrants.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ratings {
    /// By entrant.
    pub entrants: Vec<Rating>,
    /// Davidson's parameter of draws, where there are games for two.
    pub draw: Option<f64>,
}

/// Rates `entrants` entrants by independent blocks of games.
pub fn ratings(entrants: usize, blocks: &[Block], plan: Plan) -> Ratings {
    let mut choices = Choices::default();
    let mut games = vec![0; entrants];
    let mut has_pairs = false;
    for block in blocks {
        choices.begin_block();
        for game in &block.games {
            has_pairs |= game.entrants.len() == 2;
            add(&mut choices, game, entrants);
            for (i, count) in games.iter_mut().enumerate() {
                *count += u64::from(game.entrants.contains(&i));
            }
        }
    }
    let parameters = entrants + 1;
    let mut prior = vec![(POINTS / PRIOR).powi(2); parameters];
    // Of draws little is known before: exp(0) = 1 is as many draws as there are wins among equals.
    prior[entrants] = 1.0 / 9.0;
    let all = choices.counts(parameters, &vec![1.0; blocks.len()]);
    let fitted = choices.fit(&all, &prior, &vec![0.0; parameters]);
    let above = |fit: &[f64], i: usize| POINTS * (fit[i] - fit[plan.anchor]);

    let mut rng = Xoshiro256PlusPlus::seed_from_u64(plan.seed);
    let mut squares = vec![0.0; entrants];
    let mut weights = vec![0.0; blocks.len()];
    for _ in 0..plan.resamples {
        weights.fill(0.0);
        for _ in blocks {
            weights[rng.random_range(0..blocks.len())] += 1.0;
        }
        let counts = choices.counts(parameters, &weights);
        let fit = choices.fit(&counts, &prior, &fitted);
        for (i, sum) in squares.iter_mut().enumerate() {
            *sum += (above(&fit, i) - above(&fitted, i)).powi(2);
        }
    }
    let degrees = blocks.len() as f64 - 1.0;
    let rating = |i: usize| Rating {
        rating: above(&fitted, i),
        interval: if i == plan.anchor {
            0.0
        } else if degrees >= 1.0 && plan.resamples > 0 {
            // A bootstrap of n blocks has the variance of n - 1.
            let variance = squares[i] / f64::from(plan.resamples) * (degrees + 1.0) / degrees;
            student(degrees) * variance.sqrt()
        } else {
            f64::INFINITY
        },
        games: games[i],
    };
    Ratings {
        entrants: (0..entrants).map(rating).collect(),
        draw: has_pairs.then(|| fitted[entrants].exp()),
    }
}

/// Books the choices of a game; the parameter `draw` is that of draws.
fn add(choices: &mut Choices, game: &Outcome, draw: usize) {
    if let [a, b] = game.entrants[..] {
        if a != b {
            add_pair(choices, [a, b], [game.places[0], game.places[1]], draw);
        }
        return;
    }
    let mut seats: Vec<usize> = (0..game.entrants.len()).collect();
    seats.sort_by_key(|&seat| game.places[seat]);
    let mut start = 0;
    while start + 1 < seats.len() {
        let place = game.places[seats[start]];
        let same = seats[start..]
            .iter()
            .take_while(|&&s| game.places[s] == place);
        let tied = same.count();
        // The last group has nobody left to beat.
        if start + tied == seats.len() {
            break;
        }
        for done in 0..tied {
            let share = 1.0 - done as f64 / tied as f64;
            let entrant = |&seat: &usize| game.entrants[seat];
            let offer: Vec<(usize, f64)> = seats[start..]
                .iter()
                .enumerate()
                .map(|(i, seat)| (entrant(seat), if i < tied { share } else { 1.0 }))
                .collect();
            let mut key: Vec<(usize, u64)> = offer.iter().map(|&(e, s)| (e, s.to_bits())).collect();
            key.sort_unstable();
            let set = || offer.iter().map(|&(e, s)| Alternative::of(e, s)).collect();
            choices.add(key, set, &[(entrant(&seats[start + done]), 1.0)]);
        }
        start += tied;
    }
}

fn add_pair(choices: &mut Choices, [a, b]: [usize; 2], places: [u8; 2], draw: usize) {
    let set = || {
        let drawn = Alternative {
            offset: 0.0,
            terms: vec![(draw, 1.0), (a, 0.5), (b, 0.5)],
        };
        vec![Alternative::of(a, 1.0), Alternative::of(b, 1.0), drawn]
    };
    let key = vec![(a.min(b), u64::MAX), (a.max(b), u64::MAX)];
    match places[0].cmp(&places[1]) {
        std::cmp::Ordering::Less => choices.add(key, set, &[(a, 1.0)]),
        std::cmp::Ordering::Greater => choices.add(key, set, &[(b, 1.0)]),
        std::cmp::Ordering::Equal => choices.add(key, set, &[(draw, 1.0), (a, 0.5), (b, 0.5)]),
    }
}
