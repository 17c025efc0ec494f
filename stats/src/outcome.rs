//! Games as the statistics see them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The entrant in each seat; one entrant may have several seats.
    pub entrants: Vec<usize>,
    /// The place of each seat, 0 is the best; equal places share.
    pub places: Vec<u8>,
    /// The points of each seat.
    pub points: Vec<f64>,
}

impl Outcome {
    /// The share of the win of a seat: 1 / k for each of `k` seats with the best place.
    pub fn win_share(&self, seat: usize) -> f64 {
        let best = self.places.iter().min();
        let winners = self.places.iter().filter(|&place| Some(place) == best);
        if Some(&self.places[seat]) == best {
            1.0 / winners.count() as f64
        } else {
            0.0
        }
    }

    /// The place of a seat from 1, the mean of those that equal places share.
    pub fn mean_place(&self, seat: usize) -> f64 {
        let own = self.places[seat];
        let place = |&other: &u8| match other.cmp(&own) {
            std::cmp::Ordering::Less => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Greater => 0.0,
        };
        0.5 + self.places.iter().map(place).sum::<f64>()
    }

    /// The score of a seat, 0 to 1: the share of the seats of other entrants that it has beaten, ties counting one half.
    /// One half where nobody else sits.
    pub fn score(&self, seat: usize) -> f64 {
        match self.beaten(seat) {
            (_, 0.0) => 0.5,
            (beaten, others) => beaten / others,
        }
    }

    /// Seats of other entrants that a seat has beaten, ties counting one half, and how many there are.
    pub fn beaten(&self, seat: usize) -> (f64, f64) {
        let (own, entrant) = (self.places[seat], self.entrants[seat]);
        let (mut beaten, mut others) = (0.0, 0.0);
        for (&place, &other) in self.places.iter().zip(&self.entrants) {
            if other != entrant {
                others += 1.0;
                beaten += match place.cmp(&own) {
                    std::cmp::Ordering::Less => 0.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Greater => 1.0,
                };
            }
        }
        (beaten, others)
    }
}

/// Games that are not independent of each other: rotations of one deal or opening.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The games. Of a long league many end alike, and blocks may share these.
    pub games: Vec<Arc<Outcome>>,
}

impl FromIterator<Outcome> for Block {
    fn from_iter<I: IntoIterator<Item = Outcome>>(games: I) -> Block {
        Block {
            games: games.into_iter().map(Arc::new).collect(),
        }
    }
}

impl Block {
    /// The mean over all seats of an entrant in all games; `None` if it had none.
    pub fn mean_of(&self, entrant: usize, value: impl Fn(&Outcome, usize) -> f64) -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0.0);
        for game in &self.games {
            for (seat, &seated) in game.entrants.iter().enumerate() {
                if seated == entrant {
                    sum += value(game, seat);
                    count += 1.0;
                }
            }
        }
        (count > 0.0).then(|| sum / count)
    }
}
