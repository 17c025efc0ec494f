//! Games for two as their players count them: wins, draws and losses, pairs, and Elo of the mean score.

use serde::Serialize;

use super::student::student;
use super::{Block, Mean, POINTS};

/// What an entrant has done in games for two. Games against itself do not count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Duels {
    /// Games that it won.
    pub won: u64,
    /// Games without a winner.
    pub drawn: u64,
    /// Games that it lost.
    pub lost: u64,
    /// Blocks of two games by what it scored in both, in halves of a point: 0, 1/2, 1, 3/2 and 2. All are 0 where blocks
    /// have another number of games.
    pub pairs: [u64; 5],
    /// Logistic Elo of the mean score s, 400 log10(s / (1 - s)).
    pub elo: Elo,
    /// Normalized Elo, 800 / ln 10 (s - 1/2) / d with the standard deviation d of a game: of a pair's mean score that times
    /// the root of 2. M. Van den Bergh, "Comments on Normalized Elo" (2020).
    pub normalized_elo: Elo,
}

/// A difference of ratings that follows from a mean score, with a 95 % interval; infinite where that is not known, or the
/// score is 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Elo {
    /// The difference.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Elo {
    /// The difference that has this score, by the logistic curve.
    pub fn logistic(score: f64) -> f64 {
        POINTS * (score / (1.0 - score)).ln()
    }

    /// That of a mean score and of the ends of its interval.
    pub fn of(score: &Mean) -> Elo {
        let at = |score: f64| Elo::logistic(score.clamp(0.0, 1.0));
        Elo {
            value: at(score.mean),
            low: at(score.low),
            high: at(score.high),
        }
    }

    /// `games` are those of a block, of the mean score of which it is the deviation. The interval is by the delta method: the
    /// deviation is estimated from the same blocks as the mean.
    fn normalized(score: &Mean, games: f64) -> Elo {
        let above = score.mean - 0.5;
        let unit = 2.0 * POINTS / games.sqrt();
        // Blocks that are all alike tell of no deviation.
        if score.deviation < 1e-9 || !score.deviation.is_finite() {
            let at = |score: f64| match score - 0.5 {
                0.0 => 0.0,
                // The largest deviation that a score can have.
                above => above * unit / (score * (1.0 - score)).max(0.0).sqrt(),
            };
            return Elo {
                value: if above == 0.0 {
                    0.0
                } else {
                    above * f64::INFINITY
                },
                low: at(score.low),
                high: at(score.high),
            };
        }
        let value = above / score.deviation;
        let variance = 1.0 - value * score.skewness + value.powi(2) * (score.kurtosis - 1.0) / 4.0;
        let error = (variance.max(0.0) / score.blocks as f64).sqrt();
        let half_width = student(score.degrees.max(1) as f64) * error;
        Elo {
            value: unit * value,
            low: unit * (value - half_width),
            high: unit * (value + half_width),
        }
    }
}

/// What each of `entrants` entrants did, with its mean score `score` over the same blocks; `None` if a game is not for two.
pub fn duels<'a>(
    entrants: usize,
    blocks: impl IntoIterator<Item = &'a Block>,
    score: impl Fn(usize) -> Mean,
) -> Option<Vec<Duels>> {
    let mut games = vec![[0_u64; 3]; entrants];
    let mut pairs = vec![[0_u64; 5]; entrants];
    // Some blocks may lack games that nobody has begun.
    let mut of_block = 1;
    for block in blocks {
        of_block = of_block.max(block.games.len());
        // In halves of a point, of the first of two who meet.
        let mut points = 0;
        for game in &block.games {
            let (&[a, b], &[place, other]) = (&game.entrants[..], &game.places[..]) else {
                return None;
            };
            let result = (place.cmp(&other) as i8 + 1) as usize;
            if a != b {
                games[a][result] += 1;
                games[b][2 - result] += 1;
            }
            points += if a == block.games[0].entrants[0] {
                2 - result
            } else {
                result
            };
        }
        if let [first, _] = &block.games[..]
            && first.entrants[0] != first.entrants[1]
        {
            pairs[first.entrants[0]][points] += 1;
            pairs[first.entrants[1]][4 - points] += 1;
        }
    }
    let duels = games.iter().zip(pairs).enumerate();
    let duels = duels.map(|(entrant, (&[won, drawn, lost], pairs))| {
        let mean = score(entrant);
        Duels {
            won,
            drawn,
            lost,
            pairs,
            elo: Elo::of(&mean),
            normalized_elo: Elo::normalized(&mean, of_block as f64),
        }
    });
    Some(duels.collect())
}
