//! What a match came to.

use std::fmt::Write as _;

use games::blokus::SEATS;
use serde_json::{Value, json};
use stats::Mean;
use taikyoku_bots::blokus::arena::Usage;

use super::assignment::Assignment;

/// What a game came to, by seat.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) assignment: Assignment,
    /// 1 for a win, 1/k for one shared by k.
    pub(crate) shares: [f64; SEATS],
    /// 1 is the best.
    pub(crate) ranks: [f64; SEATS],
    pub(crate) scores: [i16; SEATS],
    pub(crate) plies: u16,
    pub(crate) usage: [Usage; SEATS],
}

/// A figure of a table; `-` for none.
fn cell(figure: &Value, width: usize, places: usize) -> String {
    figure.as_f64().map_or_else(
        || format!("{:<width$}", "-"),
        |figure| format!("{figure:<width$.places$}"),
    )
}

/// A match that goes on or is over.
pub(crate) struct Report {
    entrants: Vec<String>,
    width: usize,
    games: Vec<Option<Outcome>>,
}

impl Report {
    /// Of `games` games in blocks of `width`.
    pub(crate) fn new(entrants: Vec<String>, width: usize, games: usize) -> Self {
        Self {
            entrants,
            width,
            games: vec![None; games],
        }
    }

    pub(crate) fn add(&mut self, number: usize, outcome: Outcome) {
        self.games[number] = Some(outcome);
    }

    /// Games that are over.
    pub(crate) fn games(&self) -> usize {
        self.games.iter().flatten().count()
    }

    fn seats(&self, entrant: usize) -> impl Iterator<Item = (&Outcome, usize)> {
        let seats = move |game| (0..SEATS).map(move |seat| (game, seat));
        let games = self.games.iter().flatten();
        games
            .flat_map(seats)
            .filter(move |(game, seat)| game.assignment[*seat] == entrant)
    }

    /// The mean over blocks of a figure of the entrant's seats: summed over each game if `per_game`, otherwise
    /// the mean of its seats.
    fn mean(
        &self,
        entrant: usize,
        per_game: bool,
        figure: impl Fn(&Outcome, usize) -> f64,
    ) -> Mean {
        let block = |games: &[Option<Outcome>]| {
            let games: Vec<&Outcome> = games.iter().flatten().collect();
            let (mut sum, mut seats) = (0.0, 0);
            for game in &games {
                for seat in (0..SEATS).filter(|&seat| game.assignment[seat] == entrant) {
                    sum += figure(game, seat);
                    seats += 1;
                }
            }
            let of = if per_game { games.len() } else { seats };
            sum / of.max(1) as f64
        };
        let whole = |games: &&[Option<Outcome>]| games.iter().all(Option::is_some);
        let blocks = self.games.chunks(self.width).filter(whole).map(block);
        Mean::of(blocks)
    }

    /// Games so far and the shares of the wins in them.
    pub(crate) fn progress(&self) -> String {
        let done = self.games();
        let mut line = format!("{done} of {} games", self.games.len());
        for (i, name) in self.entrants.iter().enumerate() {
            let share: f64 = self.seats(i).map(|(game, seat)| game.shares[seat]).sum();
            let _ = write!(line, ", {name} {:.3}", share / done.max(1) as f64);
        }
        line
    }

    /// What the entrant would have if all were equal.
    fn chance(&self, entrant: usize) -> f64 {
        let games = self.games.iter().flatten().count().max(1);
        self.seats(entrant).count() as f64 / (SEATS * games) as f64
    }

    fn figures(&self, entrant: usize) -> Value {
        let mut usage = Usage::default();
        for (game, seat) in self.seats(entrant) {
            let seat = &game.usage[seat];
            usage.moves += seat.moves;
            usage.time += seat.time;
            usage.longest = usage.longest.max(seat.longest);
            usage.work += seat.work;
            usage.depth += seat.depth;
        }
        let moves = f64::from(usage.moves.max(1));
        let share = self
            .mean(entrant, true, |game, seat| game.shares[seat])
            .within([0.0, 1.0]);
        let rank = self
            .mean(entrant, false, |game, seat| game.ranks[seat])
            .within([1.0, SEATS as f64]);
        let score = self.mean(entrant, false, |game, seat| f64::from(game.scores[seat]));
        let by_seat: [f64; SEATS] = std::array::from_fn(|seat| {
            let there = self.seats(entrant).filter(|(_, s)| *s == seat);
            let (sum, count) = there.fold((0.0, 0.0), |(sum, count), (game, seat)| {
                (sum + game.shares[seat], count + 1.0)
            });
            sum / f64::max(count, 1.0)
        });
        json!({
            "engine": self.entrants[entrant],
            "win_share": share.mean,
            "win_share_interval": share.half_width,
            "chance": self.chance(entrant),
            "win_share_by_seat": by_seat,
            "mean_rank": rank.mean,
            "mean_rank_interval": rank.half_width,
            "mean_score": score.mean,
            "mean_score_interval": score.half_width,
            "ms_per_move": usage.time.as_secs_f64() * 1000.0 / moves,
            "longest_ms": usage.longest.as_secs_f64() * 1000.0,
            "work_per_move": usage.work as f64 / moves,
            "work_per_second": usage.work as f64 / usage.time.as_secs_f64().max(1e-9),
            "moves": usage.moves,
            "depth": usage.depth / moves,
        })
    }

    /// All figures.
    pub(crate) fn json(&self) -> Value {
        let games = self.games();
        let plies: u32 = self
            .games
            .iter()
            .flatten()
            .map(|g| u32::from(g.plies))
            .sum();
        json!({
            "games": games,
            "block": self.width,
            "plies": f64::from(plies) / games.max(1) as f64,
            "entrants": (0..self.entrants.len()).map(|i| self.figures(i)).collect::<Vec<_>>(),
        })
    }

    /// All figures as a table.
    pub(crate) fn text(&self) -> String {
        let report = self.json();
        let mut text = format!(
            "{} games in blocks of {}, {:.1} plies\n{:<32} {:>15} {:>6}  {:>12}  {:>13}  {:>8} {:>8}  {:>8} {:>8} {:>5}  by seat\n",
            report["games"],
            report["block"],
            report["plies"].as_f64().unwrap_or(0.0),
            "engine",
            "win share",
            "chance",
            "mean rank",
            "mean score",
            "ms/move",
            "longest",
            "work",
            "work/s",
            "depth",
        );
        for i in 0..self.entrants.len() {
            let figures = self.figures(i);
            let f = |key: &str| figures[key].as_f64().unwrap_or(f64::NAN);
            let _ = write!(
                text,
                "{:<32} {:.3} ± {} {:>6.3}  {:.2} ± {}  {:>6.1} ± {}  {:>8.1} {:>8.1}  {:>8.0} {:>8.0} {:>5.1}  ",
                self.entrants[i],
                f("win_share"),
                cell(&figures["win_share_interval"], 7, 3),
                f("chance"),
                f("mean_rank"),
                cell(&figures["mean_rank_interval"], 5, 2),
                f("mean_score"),
                cell(&figures["mean_score_interval"], 4, 1),
                f("ms_per_move"),
                f("longest_ms"),
                f("work_per_move"),
                f("work_per_second"),
                f("depth"),
            );
            for seat in 0..SEATS {
                let share = figures["win_share_by_seat"][seat].as_f64().unwrap_or(0.0);
                let _ = write!(text, " {share:.2}");
            }
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_block_has_no_interval() {
        let mut report = Report::new(vec!["a".to_owned(), "b".to_owned()], 2, 4);
        for number in 0..4 {
            let outcome = Outcome {
                assignment: [0, 1, 0, 1],
                shares: [1.0, 0.0, 0.0, 0.0],
                ranks: [1.0, 3.0, 3.0, 3.0],
                scores: [0, -9, -9, -9],
                plies: 70,
                usage: <[Usage; SEATS]>::default(),
            };
            report.add(number, outcome);
            let (text, json) = (report.text(), report.json());
            assert!(!text.contains("NaN"), "{text}");
            let interval = &json["entrants"][0]["win_share_interval"];
            assert_eq!(interval.is_null(), number < 3, "{interval}");
            assert_eq!(text.contains("± -"), number < 3, "{text}");
        }
    }
}
