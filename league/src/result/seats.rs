//! What the seats of the table are worth.

use serde::Serialize;
use stats::{Mean, Sample};

use crate::journal::Played;
use crate::settings::Settings;

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SeatScore {
    /// Its number, from 0.
    pub seat: usize,
    /// Mean score of who sat there, over blocks.
    pub score: Mean,
}

/// What the seats of the table are worth, by whole blocks.
#[derive(Clone, Debug)]
pub(super) struct SeatScores {
    /// By seat the scores in each block.
    scores: Vec<Sample>,
    /// By entrant and seat the seats of others that it has beaten, and how many there were.
    by_entrant: Vec<Vec<(f64, f64)>>,
}

impl SeatScores {
    pub(super) fn new(settings: &Settings) -> SeatScores {
        SeatScores {
            scores: vec![Sample::default(); settings.seats()],
            by_entrant: vec![vec![(0.0, 0.0); settings.seats()]; settings.entrants.len()],
        }
    }

    /// Takes the fixtures of a whole block, by rotation.
    pub(super) fn add(&mut self, block: &[Played]) {
        let mut sums = vec![(0.0, 0.0); self.scores.len()];
        for fixture in block {
            for game in fixture.games.iter().filter(|game| !game.is_walkover()) {
                for (seat, &entrant) in fixture.seats.iter().enumerate() {
                    let at = game.at.get(seat).map_or(seat, |&at| usize::from(at));
                    sums[at].0 += score(&game.places, seat);
                    sums[at].1 += 1.0;
                    let (beaten, others) = beaten(&fixture.seats, &game.places, seat);
                    let (sum, count) = &mut self.by_entrant[entrant][at];
                    *sum += beaten;
                    *count += others;
                }
            }
        }
        let matchup = block[0].key.matchup as usize;
        for (sample, (sum, games)) in self.scores.iter_mut().zip(sums) {
            sample.add(matchup, sum, games);
        }
    }

    pub(super) fn all(&self) -> Vec<SeatScore> {
        let seats = self.scores.iter().enumerate();
        let score = seats.map(|(seat, sample)| SeatScore {
            seat,
            score: sample.mean([0.0, 1.0]),
        });
        score.collect()
    }

    pub(super) fn of_entrant(&self, entrant: usize) -> Vec<Option<f64>> {
        let seats = self.by_entrant[entrant].iter();
        seats
            .map(|&(sum, count)| (count > 0.0).then(|| sum / count))
            .collect()
    }
}

/// Share of the other seats that are behind, ties counting one half: what the seat is worth to any player.
fn score(places: &[u8], seat: usize) -> f64 {
    let behind = places.iter().map(|&other| behind(places[seat], other));
    // It is level with itself.
    (behind.sum::<f64>() - 0.5) / (places.len() as f64 - 1.0)
}

/// Seats of other entrants that are behind, ties counting one half, and how many there are.
fn beaten(entrants: &[usize], places: &[u8], seat: usize) -> (f64, f64) {
    let seats = entrants.iter().zip(places);
    let others = seats.filter(|(entrant, _)| **entrant != entrants[seat]);
    others.fold((0.0, 0.0), |(sum, count), (_, &other)| {
        (sum + behind(places[seat], other), count + 1.0)
    })
}

fn behind(own: u8, other: u8) -> f64 {
    match other.cmp(&own) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 1.0,
    }
}
