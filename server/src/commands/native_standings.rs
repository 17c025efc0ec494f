//! Results of matches for more than two players as people and as programs read them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::lobby::NativeReport;
use crate::record::EndKind;
use crate::referee::native::GameResult;

/// What the games of a match have come to for one player.
#[derive(Clone, Debug, Default)]
struct Line {
    /// Points: shares of wins.
    points: f64,
    /// Games by place, the best first.
    places: Vec<u32>,
    /// Sum of places from 1; players that share a place have the mean of those that they fill.
    place_sum: f64,
    /// Sum by the game's own count.
    game_points: i64,
    /// Games by seat, and points by seat.
    seats: Vec<u32>,
    points_by_seat: Vec<f64>,
    faults: BTreeMap<&'static str, u32>,
    /// Points of each whole round of games.
    rounds: Vec<f64>,
}

/// What the games of a match have come to.
#[derive(Clone, Debug)]
struct Standings {
    games: u32,
    void: u32,
    plies: u64,
    ends: BTreeMap<&'static str, u32>,
    lines: Vec<Line>,
}

impl Standings {
    fn of(report: &NativeReport) -> Standings {
        let players = report.names.len();
        let line = Line {
            places: vec![0; players],
            seats: vec![0; players],
            points_by_seat: vec![0.0; players],
            ..Line::default()
        };
        let mut standings = Standings {
            games: 0,
            void: 0,
            plies: 0,
            ends: BTreeMap::new(),
            lines: vec![line; players],
        };
        for result in &report.results {
            standings.add(result);
        }
        for round in report.results.chunks_exact(players.max(1)) {
            if round.iter().all(|game| !game.places.is_empty()) {
                for (player, line) in standings.lines.iter_mut().enumerate() {
                    line.rounds
                        .push(round.iter().map(|game| game.points[player]).sum());
                }
            }
        }
        standings
    }

    fn add(&mut self, result: &GameResult) {
        if result.places.is_empty() {
            self.void += 1;
            return;
        }
        self.games += 1;
        self.plies += u64::from(result.plies);
        let mut last_fault = EndKind::Normal;
        for (seat, &player) in result.player_at.iter().enumerate() {
            let player = usize::from(player);
            let line = &mut self.lines[player];
            let (place, points) = (result.places[player], result.points[player]);
            line.points += points;
            line.places[usize::from(place)] += 1;
            let sharing = result.places.iter().filter(|other| **other == place);
            line.place_sum += f64::from(place) + f64::midpoint(sharing.count() as f64, 1.0);
            line.seats[seat] += 1;
            line.points_by_seat[seat] += points;
            line.game_points += i64::from(result.game_points.get(player).copied().unwrap_or(0));
            let kind = result.kinds[player];
            if kind != EndKind::Normal {
                *line.faults.entry(kind.as_str()).or_default() += 1;
                last_fault = kind;
            }
        }
        let end = result.rule.unwrap_or(last_fault.as_str());
        *self.ends.entry(end).or_default() += 1;
    }

    /// `sum` of a player over a game.
    fn mean(&self, sum: f64) -> f64 {
        sum / f64::from(self.games.max(1))
    }
}

impl Line {
    /// Half the width of the 95 % interval of the points in a game, over rounds of games; `None` with less
    /// than two.
    fn interval(&self) -> Option<f64> {
        let n = self.rounds.len() as f64;
        if n < 2.0 {
            return None;
        }
        let mean = self.rounds.iter().sum::<f64>() / n;
        let squares = self.rounds.iter().map(|points| (points - mean).powi(2));
        let error = (squares.sum::<f64>() / (n - 1.0) / n).sqrt();
        Some(1.96 * error / self.places.len() as f64)
    }
}

fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

/// One result as JSON. Lists go by player; `places` counts games by place, the best first; `seats` and
/// `points_by_seat` are `[player][seat]`, `seat_scores` goes by seat.
pub(super) fn json(report: &NativeReport) -> Value {
    let all = Standings::of(report);
    let list = |f: &dyn Fn(&Line) -> Value| Value::Array(all.lines.iter().map(f).collect());
    let of_seat = |seat: usize| {
        let points: f64 = all.lines.iter().map(|line| line.points_by_seat[seat]).sum();
        rounded(all.mean(points))
    };
    let mut value = json!({
        "match": report.number,
        "games": all.games,
        "void": all.void,
        "names": report.names,
        "points": list(&|line| json!(line.points)),
        "score": list(&|line| json!(rounded(all.mean(line.points)))),
        "interval": list(&|line| json!(line.interval().map(rounded))),
        "places": list(&|line| json!(line.places)),
        "mean_place": list(&|line| json!(rounded(all.mean(line.place_sum)))),
        "game_points": list(&|line| json!(rounded(all.mean(line.game_points as f64)))),
        "seats": list(&|line| json!(line.seats)),
        "points_by_seat": list(&|line| json!(line.points_by_seat)),
        "seat_scores": (0..all.lines.len()).map(of_seat).collect::<Vec<_>>(),
        "ends": all.ends,
        "faults": list(&|line| json!(line.faults)),
        "plies": all.plies,
        "seconds": (report.time.as_secs_f64() * 1000.0).round() / 1000.0,
    });
    if let Some(reason) = &report.reason {
        value["reason"] = json!(reason);
    }
    value
}

/// One result as a table, the best first.
pub(super) fn table(report: &NativeReport) -> String {
    let all = Standings::of(report);
    let seconds = report.time.as_secs_f64();
    let mut text = format!(
        "match {}: {} games in {seconds:.1} s, {} moves",
        report.number, all.games, all.plies
    );
    if all.void > 0 {
        let _ = write!(text, ", {} void", all.void);
    }
    if let Some(reason) = &report.reason {
        let _ = write!(text, "; ended early: {reason}");
    }
    text.push('\n');
    let names = &report.names;
    let width = names.iter().map(|n| n.chars().count()).max();
    let width = width.unwrap_or_default().max(6);
    let _ = write!(text, "  {:<width$}   score     +/-", "player");
    for place in 1..=names.len() {
        let _ = write!(text, "  {:>5}", format!("#{place}"));
    }
    let _ = writeln!(text, "  place  points  score by seat");
    let mut players: Vec<usize> = (0..names.len()).collect();
    players.sort_by(|&a, &b| all.lines[b].points.total_cmp(&all.lines[a].points));
    for player in players {
        let line = &all.lines[player];
        let interval = line
            .interval()
            .map_or("-".to_owned(), |half| format!("{half:.3}"));
        let _ = write!(
            text,
            "  {:<width$}  {:>6.3}  {interval:>6}",
            names[player],
            all.mean(line.points)
        );
        for count in &line.places {
            let _ = write!(text, "  {count:>5}");
        }
        let _ = write!(
            text,
            "  {:>5.2}  {:>6.1}",
            all.mean(line.place_sum),
            all.mean(line.game_points as f64)
        );
        for (points, games) in line.points_by_seat.iter().zip(&line.seats) {
            let _ = write!(text, "  {:.3}", points / f64::from((*games).max(1)));
        }
        for (fault, count) in &line.faults {
            let _ = write!(text, "   {fault} {count}");
        }
        text.push('\n');
    }
    let ends: Vec<String> = all
        .ends
        .iter()
        .map(|(end, n)| format!("{end} {n}"))
        .collect();
    if !ends.is_empty() {
        let _ = writeln!(text, "  ends: {}", ends.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn report() -> NativeReport {
        let game = GameResult {
            game: 1,
            player_at: vec![0, 1, 2, 3],
            places: vec![0, 1, 1, 3],
            points: vec![1.0, 0.0, 0.0, 0.0],
            game_points: vec![-5, -9, -9, -20],
            kinds: vec![EndKind::Normal; 4],
            rule: Some("no-moves"),
            plies: 70,
        };
        let mut faulty = game.clone();
        faulty.player_at = vec![1, 2, 3, 0];
        faulty.places = vec![3, 0, 0, 2];
        faulty.points = vec![0.0, 0.5, 0.5, 0.0];
        faulty.kinds[0] = EndKind::Timeout;
        let mut forfeited = faulty.clone();
        forfeited.rule = None;
        let mut void = game.clone();
        void.places.clear();
        NativeReport {
            number: 2,
            names: ["ana", "bo", "cho", "dan"].map(str::to_owned).to_vec(),
            results: vec![game.clone(), faulty, forfeited, game, void],
            time: Duration::from_millis(1500),
            reason: Some("player 0 is gone".to_owned()),
        }
    }

    #[test]
    fn json_has_the_result_by_player_and_by_seat() {
        let value = json(&report());
        assert_eq!((&value["games"], &value["void"]), (&json!(4), &json!(1)));
        assert_eq!(value["points"], json!([2.0, 1.0, 1.0, 0.0]));
        assert_eq!(value["score"], json!([0.5, 0.25, 0.25, 0.0]));
        assert_eq!(value["places"][0], json!([2, 0, 0, 2]));
        assert_eq!(value["places"][1], json!([2, 2, 0, 0]));
        // Shared places: 2.5 twice, and 1.5 twice.
        assert_eq!(value["mean_place"], json!([2.5, 2.0, 2.0, 3.5]));
        assert_eq!(value["game_points"], json!([-5.0, -9.0, -9.0, -20.0]));
        assert_eq!(value["seats"][0], json!([2, 0, 0, 2]));
        assert_eq!(value["points_by_seat"][0], json!([2.0, 0.0, 0.0, 0.0]));
        assert_eq!(value["seat_scores"], json!([0.75, 0.25, 0.0, 0.0]));
        assert_eq!(value["ends"], json!({"no-moves": 3, "timeout": 1}));
        assert_eq!(value["faults"], json!([{"timeout": 2}, {}, {}, {}]));
        // One whole round says nothing about how far rounds differ.
        assert_eq!(value["interval"], json!([null, null, null, null]));
        assert_eq!(value["reason"], "player 0 is gone");
    }

    #[test]
    fn intervals_go_over_rounds() {
        let line = Line {
            places: vec![0; 4],
            rounds: vec![4.0, 0.0],
            ..Line::default()
        };
        // Mean 2, deviation sqrt 8, error 2, of four games.
        assert!((line.interval().unwrap() - 0.98).abs() < 1e-9);
    }

    #[test]
    fn the_table_has_the_best_first() {
        let text = table(&report());
        let place = |name| text.find(name).unwrap();
        assert!(place("ana") < place("bo ") && place("bo ") < place("dan"));
        assert!(
            text.contains("timeout 2") && text.contains("1 void"),
            "{text}"
        );
    }
}
