//! Means of each entrant.

use serde::Serialize;

use super::{Block, Mean};

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

/// Place, points, wins and score.
const VALUES: usize = 4;

/// The standing of each of `entrants` entrants.
pub fn standings(entrants: usize, blocks: &[Block]) -> Vec<Standing> {
    // By entrant the blocks in which it had a seat: of each value the sum and the number.
    let mut sums: Vec<[Vec<(f64, f64)>; VALUES]> = vec![Default::default(); entrants];
    let mut of_block = vec![[(0.0, 0.0); VALUES]; entrants];
    let mut touched: Vec<usize> = Vec::new();
    let (mut most_seats, mut points) = (1, [f64::INFINITY, f64::NEG_INFINITY]);
    for block in blocks {
        for game in &block.games {
            most_seats = most_seats.max(game.entrants.len());
            for (seat, &entrant) in game.entrants.iter().enumerate() {
                let own = game.points[seat];
                points = [points[0].min(own), points[1].max(own)];
                let values = [
                    (game.mean_place(seat), 1.0),
                    (own, 1.0),
                    (game.win_share(seat), 1.0),
                    game.beaten(seat),
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
        for entrant in touched.drain(..) {
            let open = std::mem::take(&mut of_block[entrant]);
            for (blocks, (sum, count)) in sums[entrant].iter_mut().zip(open) {
                // Among copies of itself it has no score.
                if count > 0.0 {
                    blocks.push((sum, count));
                }
            }
        }
    }
    let standing = |blocks: [Vec<(f64, f64)>; VALUES]| {
        let seats: f64 = blocks[0].iter().map(|(_, count)| count).sum();
        let points_total = blocks[1].iter().map(|(sum, _)| sum).sum();
        let [place, mean_points, wins, score] = blocks.map(|blocks| Mean::ratio(&blocks));
        Standing {
            seats: seats as u64,
            points_total,
            place: place.within([1.0, most_seats as f64]),
            points: mean_points.within(points),
            wins: wins.within([0.0, 1.0]),
            score: score.within([0.0, 1.0]),
        }
    };
    sums.into_iter().map(standing).collect()
}
