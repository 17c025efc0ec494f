//! Means of each entrant.

use serde::Serialize;

use super::{Block, Mean};

/// What an entrant has done. All means are over blocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// Seats that it had in all games.
    pub seats: u64,
    /// Place from 1, equal places sharing theirs.
    pub place: Mean,
    /// Points of a seat.
    pub points: Mean,
    /// Share of wins, 1 / k for each of k winners.
    pub wins: Mean,
    /// Share of the others in a game that it has beaten, ties counting one half.
    pub score: Mean,
}

/// The standing of each of `entrants` entrants.
pub fn standings(entrants: usize, blocks: &[Block]) -> Vec<Standing> {
    let mut seats = vec![0_u64; entrants];
    // Place, points, wins and score of each block, by entrant.
    let mut means: Vec<[Vec<f64>; 4]> = vec![Default::default(); entrants];
    let mut of_block = vec![([0.0; 4], 0_u32); entrants];
    let mut touched: Vec<usize> = Vec::new();
    for block in blocks {
        for game in &block.games {
            for (seat, &entrant) in game.entrants.iter().enumerate() {
                let place = game.mean_place(seat);
                let values = [
                    place,
                    game.points[seat],
                    game.win_share(seat),
                    game.score_of(place),
                ];
                let (sums, count) = &mut of_block[entrant];
                if *count == 0 {
                    touched.push(entrant);
                }
                *count += 1;
                for (sum, value) in sums.iter_mut().zip(values) {
                    *sum += value;
                }
            }
        }
        for entrant in touched.drain(..) {
            let (sums, count) = std::mem::take(&mut of_block[entrant]);
            seats[entrant] += u64::from(count);
            for (mean, sum) in means[entrant].iter_mut().zip(sums) {
                mean.push(sum / f64::from(count));
            }
        }
    }
    let all = means.into_iter().zip(seats);
    let standing = all.map(|(means, seats)| {
        let [place, points, wins, score] = means.map(Mean::of);
        Standing {
            seats,
            place,
            points,
            wins,
            score,
        }
    });
    standing.collect()
}
