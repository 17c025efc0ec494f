//! Who has beaten whom.

use serde::Serialize;

use super::{Block, Mean};

/// One entrant against another, over all games in which both sat.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cross {
    /// Pairs of seats in which the first finished before the second.
    pub ahead: u64,
    /// Pairs with equal places.
    pub level: u64,
    /// Pairs in which it finished behind.
    pub behind: u64,
    /// Share of pairs ahead, level ones counting one half; its interval is over blocks.
    pub score: Mean,
}

/// For each entrant its line: how it did against each other one; `None` where they never met.
pub fn cross_table(entrants: usize, blocks: &[Block]) -> Vec<Vec<Option<Cross>>> {
    let mut counts = vec![[0_u64; 3]; entrants * entrants];
    let mut sums: Vec<Vec<(f64, f64)>> = vec![Vec::new(); entrants * entrants];
    let mut of_block = vec![(0.0, 0.0); entrants * entrants];
    let mut touched: Vec<usize> = Vec::new();
    for block in blocks {
        for game in &block.games {
            for (i, &a) in game.entrants.iter().enumerate() {
                for (j, &b) in game.entrants.iter().enumerate() {
                    if a == b {
                        continue;
                    }
                    let at = a * entrants + b;
                    let ordering = game.places[i].cmp(&game.places[j]);
                    counts[at][(ordering as i8 + 1) as usize] += 1;
                    if of_block[at].1 == 0.0 {
                        touched.push(at);
                    }
                    of_block[at].0 += f64::from(1 - (ordering as i8)) / 2.0;
                    of_block[at].1 += 1.0;
                }
            }
        }
        for at in touched.drain(..) {
            sums[at].push(std::mem::take(&mut of_block[at]));
        }
    }
    let cross = |at: usize| {
        let [ahead, level, behind] = counts[at];
        (ahead + level + behind > 0).then(|| Cross {
            ahead,
            level,
            behind,
            score: Mean::ratio(&sums[at]).within([0.0, 1.0]),
        })
    };
    (0..entrants)
        .map(|a| (0..entrants).map(|b| cross(a * entrants + b)).collect())
        .collect()
}
