//! Places, wins and points.

use std::fmt;

use games::blokus::SEATS;
use games::{Seat, count_of_games};
use serde_json::{Map, Value, json};

use super::{GameEnd, NativeCounts, Outcome};
use crate::Counts;

/// Results of a seat, or of all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeatResults {
    /// Games that counted.
    pub games: u32,
    /// Games won, a shared win of k seats as 1/k.
    pub wins: f64,
    /// Sum of the places, 1 is the best; seats that share a place have the mean of those that they fill.
    pub places: f64,
    /// Sum of the points by the game's count.
    pub points: i64,
}

impl SeatResults {
    /// Part of the games that was won, 0 to 1; 0 without games.
    pub fn win_share(&self) -> f64 {
        self.wins / f64::from(self.games.max(1))
    }

    /// Mean place, 1 to 4; 0 without games.
    pub fn mean_place(&self) -> f64 {
        self.places / f64::from(self.games.max(1))
    }

    /// Mean points of a game; 0 without games.
    pub fn mean_points(&self) -> f64 {
        self.points as f64 / f64::from(self.games.max(1))
    }

    fn to_json(self) -> Value {
        json!({
            "games": self.games,
            "wins": self.wins,
            "win_share": self.win_share(),
            "mean_place": self.mean_place(),
            "mean_points": self.mean_points(),
        })
    }
}

/// The results by seat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlokusCounts {
    /// Seat 0 is blue.
    pub seats: [SeatResults; SEATS],
}

impl BlokusCounts {
    /// Over all seats.
    pub fn total(&self) -> SeatResults {
        let mut total = SeatResults::default();
        for seat in &self.seats {
            total.games += seat.games;
            total.wins += seat.wins;
            total.places += seat.places;
            total.points += seat.points;
        }
        total
    }
}

impl NativeCounts for BlokusCounts {
    fn add(&mut self, seat: Seat, end: &GameEnd<'_>) -> &'static str {
        let index = seat.index();
        let (Some(outcome), Some(results)) = (end.outcome(seat), self.seats.get_mut(index)) else {
            return "void";
        };
        let winners = end.places.iter().filter(|place| **place == 1);
        let winners = winners.fold(0.0, |n, _| n + 1.0);
        results.games += 1;
        let place = end.places[index];
        let sharing = end.places.iter().filter(|other| **other == place);
        results.places += f64::from(place) + (sharing.count() as f64 - 1.0) / 2.0;
        results.points += i64::from(end.game_points.get(index).copied().unwrap_or_default());
        match outcome {
            Outcome::Lost => return "lost",
            Outcome::Won | Outcome::Shared => results.wins += 1.0 / winners,
        }
        if outcome == Outcome::Won {
            "won"
        } else {
            "shared"
        }
    }
}

impl Counts for BlokusCounts {
    fn write(&self, summary: &mut Map<String, Value>) {
        if let Value::Object(total) = self.total().to_json() {
            summary.extend(total);
        }
        let seats: Vec<Value> = self.seats.iter().map(|seat| seat.to_json()).collect();
        summary.insert("by_seat".to_owned(), json!(seats));
    }
}

impl fmt::Display for BlokusCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.total();
        write!(
            f,
            "{}: win share {:.3}, mean place {:.2}, {:.1} points a game",
            count_of_games(total.games),
            total.win_share(),
            total.mean_place(),
            total.mean_points()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wins_are_shared_by_those_in_the_first_place() {
        let mut counts = BlokusCounts::default();
        let end = |places| GameEnd {
            places,
            scores: &[],
            game_points: &[-10, 20, -3, 5],
        };
        assert_eq!(counts.add(Seat::new(1), &end(&[4, 1, 3, 2])), "won");
        assert_eq!(counts.add(Seat::new(1), &end(&[1, 1, 3, 4])), "shared");
        assert_eq!(counts.add(Seat::new(0), &end(&[2, 1, 2, 2])), "lost");
        assert_eq!(counts.add(Seat::new(0), &end(&[])), "void");
        let total = counts.total();
        assert_eq!((total.games, total.points), (3, 30));
        assert!((total.win_share() - 0.5).abs() < 1e-9);
        assert_eq!(counts.seats[0].games, 1);
        let text = "3 games: win share 0.500, mean place 1.83, 10.0 points a game";
        assert_eq!(counts.to_string(), text);
    }
}
