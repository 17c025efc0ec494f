//! What each entrant has done, and against whom.

use std::collections::HashMap;

use serde::Serialize;

use super::{Block, Mean, Outcome, Sample};

/// What an entrant has done. Intervals are over blocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// Seats that it had in all games.
    pub seats: u64,
    /// Sum of the points of all its seats.
    pub points_total: f64,
    /// Place of a seat from 1, equal places sharing theirs.
    pub place: Mean,
    /// Points of a seat.
    pub points: Mean,
    /// Share of wins of a seat, 1 / k for each of k winners.
    pub wins: Mean,
    /// Share of the seats of others that a seat of it has beaten, ties counting one half.
    pub score: Mean,
}

const VALUES: usize = 4;

/// Numbers of those who meet in blocks: blocks of the same entrants are a stratum of means.
#[derive(Default)]
struct Matchups(HashMap<Vec<usize>, usize>);

impl Matchups {
    fn number(&mut self, block: &Block) -> usize {
        let mut entrants = block
            .games
            .first()
            .map_or(Vec::new(), |game| game.entrants.clone());
        entrants.sort_unstable();
        let next = self.0.len();
        *self.0.entry(entrants).or_insert(next)
    }
}

/// The standing of each of `entrants` entrants.
pub fn standings<'a>(
    entrants: usize,
    blocks: impl IntoIterator<Item = &'a Block>,
) -> Vec<Standing> {
    let mut samples: Vec<[Sample; VALUES]> = vec![Default::default(); entrants];
    let mut seats = vec![0; entrants];
    let mut points_total = vec![0.0; entrants];
    let mut of_block = vec![[(0.0, 0.0); VALUES]; entrants];
    let mut touched: Vec<usize> = Vec::new();
    let mut matchups = Matchups::default();
    let (mut most_seats, mut points) = (1, [f64::INFINITY, f64::NEG_INFINITY]);
    for block in blocks {
        for game in &block.games {
            most_seats = most_seats.max(game.entrants.len());
            for (seat, &entrant) in game.entrants.iter().enumerate() {
                let own = game.points[seat];
                points = [points[0].min(own), points[1].max(own)];
                seats[entrant] += 1;
                points_total[entrant] += own;
                let (beaten, others) = game.beaten(seat);
                let all = game.entrants.len().max(2) as f64 - 1.0;
                let values = [
                    (game.mean_place(seat), 1.0),
                    (own, 1.0),
                    (game.win_share(seat), 1.0),
                    // Among copies of itself it has no score.
                    (beaten / all, others / all),
                ];
                let open = &mut of_block[entrant];
                if open[0].1 == 0.0 {
                    touched.push(entrant);
                }
                for ((sum, count), (value, weight)) in open.iter_mut().zip(values) {
                    *sum += value;
                    *count += weight;
                }
            }
        }
        let matchup = matchups.number(block);
        for entrant in touched.drain(..) {
            let open = std::mem::take(&mut of_block[entrant]);
            for (sample, (sum, count)) in samples[entrant].iter_mut().zip(open) {
                sample.add(matchup, sum, count);
            }
        }
    }
    let ranges = [[1.0, most_seats as f64], points, [0.0, 1.0], [0.0, 1.0]];
    let standing = |(entrant, samples): (usize, &[Sample; VALUES])| {
        let mean = |value: usize| samples[value].mean(ranges[value]);
        Standing {
            seats: seats[entrant],
            points_total: points_total[entrant],
            place: mean(0),
            points: mean(1),
            wins: mean(2),
            score: mean(3),
        }
    };
    samples.iter().enumerate().map(standing).collect()
}

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
pub fn cross_table<'a>(
    entrants: usize,
    blocks: impl IntoIterator<Item = &'a Block>,
) -> Vec<Vec<Option<Cross>>> {
    let mut counts = vec![[0_u64; 3]; entrants * entrants];
    let mut samples = vec![Sample::default(); entrants * entrants];
    let mut of_block = vec![(0.0, 0.0); entrants * entrants];
    let mut touched: Vec<usize> = Vec::new();
    let mut matchups = Matchups::default();
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
        let matchup = matchups.number(block);
        for at in touched.drain(..) {
            let (sum, count) = std::mem::take(&mut of_block[at]);
            samples[at].add(matchup, sum, count);
        }
    }
    let cross = |at: usize| {
        let [ahead, level, behind] = counts[at];
        (ahead + level + behind > 0).then(|| Cross {
            ahead,
            level,
            behind,
            score: samples[at].mean([0.0, 1.0]),
        })
    };
    (0..entrants)
        .map(|a| (0..entrants).map(|b| cross(a * entrants + b)).collect())
        .collect()
}

/// What games for two came to for one of the players.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Score {
    /// Games that it won.
    pub wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that it lost.
    pub losses: u64,
    /// (Wins + draws / 2) / games, with its interval over blocks.
    pub score: Mean,
}

impl Score {
    /// The score of an entrant in blocks of games for two.
    pub fn of(entrant: usize, blocks: &[Block]) -> Score {
        let [mut wins, mut draws, mut losses] = [0; 3];
        for game in blocks.iter().flat_map(|block| &block.games) {
            for seat in (0..2).filter(|&seat| game.entrants[seat] == entrant) {
                match game.places[seat].cmp(&game.places[1 - seat]) {
                    std::cmp::Ordering::Less => wins += 1,
                    std::cmp::Ordering::Equal => draws += 1,
                    std::cmp::Ordering::Greater => losses += 1,
                }
            }
        }
        let mut sample = Sample::default();
        for block in blocks {
            if let Some(score) = block.mean_of(entrant, Outcome::score) {
                let games = block.games.len() as f64;
                sample.add(0, score * games, games);
            }
        }
        Score {
            wins,
            draws,
            losses,
            score: sample.mean([0.0, 1.0]),
        }
    }

    /// Games.
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Wins / (wins + losses); `None` without a decided game.
    pub fn win_rate(&self) -> Option<f64> {
        let decided = self.wins + self.losses;
        (decided > 0).then(|| self.wins as f64 / decided as f64)
    }

    /// Share of drawn games.
    pub fn draw_rate(&self) -> f64 {
        self.draws as f64 / self.games().max(1) as f64
    }
}
