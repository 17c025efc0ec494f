//! Results of matches of the native protocol as people and as programs read them: those for two as those of Geister.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use games::Player;
use serde_json::{Value, json};

use super::{Report, Summary, ends_line, name_width, seconds};
use crate::lobby::{Lost, NativeReport};
use crate::referee::native::GameResult;
use stats::Mean;

/// What the games of a match have come to for one player.
#[derive(Clone, Debug, Default)]
struct Line {
    points: f64,
    /// Games by place, the best first.
    places: Vec<u32>,
    /// Sum of places from 1; players that share a place have the mean of those that they fill.
    place_sum: f64,
    game_points: i64,
    seats: Vec<u32>,
    points_by_seat: Vec<f64>,
    faults: BTreeMap<&'static str, u32>,
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
            if round.iter().all(|game| !game.is_void()) {
                for (player, line) in standings.lines.iter_mut().enumerate() {
                    line.rounds.push(
                        round
                            .iter()
                            .map(|game| game.points[Player::at(player)])
                            .sum(),
                    );
                }
            }
        }
        standings
    }

    fn add(&mut self, result: &GameResult) {
        if result.is_void() {
            self.void += 1;
            return;
        }
        self.games += 1;
        self.plies += u64::from(result.plies);
        for (seat, &player) in result.seating.players().pairs() {
            let line = &mut self.lines[player.index()];
            let (place, points) = (result.places[player], result.points[player]);
            line.points += points;
            line.places[usize::from(place)] += 1;
            let sharing = result.places.iter().filter(|other| **other == place);
            line.place_sum += f64::from(place) + f64::midpoint(sharing.count() as f64, 1.0);
            line.seats[seat.index()] += 1;
            line.points_by_seat[seat.index()] += points;
            line.game_points += i64::from(result.game_points.get(player).copied().unwrap_or(0));
            let kind = result.kinds[player];
            if kind.is_fault() {
                *line.faults.entry(kind.as_str()).or_default() += 1;
            }
        }
        *self.ends.entry(result.end_name()).or_default() += 1;
    }

    /// Of a sum over all games the part of one; `None` when no game counted.
    fn mean(&self, sum: f64) -> Option<f64> {
        (self.games > 0).then(|| sum / f64::from(self.games))
    }

    fn rounds(&self) -> usize {
        self.lines.first().map_or(0, |line| line.rounds.len())
    }
}

impl Line {
    /// The longer side of the 95 % interval of the points in a game, over rounds of games; `None` with less
    /// than two.
    fn interval(&self) -> Option<f64> {
        let players = self.places.len() as f64;
        let rounds = self.rounds.iter().map(|&points| (points, players));
        let half = Mean::ratio(rounds, [0.0, 1.0]).half_width();
        half.is_finite().then_some(half)
    }
}

fn rounded(number: Option<f64>) -> Option<f64> {
    number.map(|number| (number * 1e4).round() / 1e4)
}

impl Report for NativeReport {
    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    fn lost(&self) -> Lost {
        self.lost
    }

    /// One result as JSON; protocol/NATIVE.md describes the fields.
    fn fields(&self) -> Value {
        if let Some(two) = self.of_two() {
            let mut value = two.fields();
            value["seed"] = json!(self.seed);
            return value;
        }
        let all = Standings::of(self);
        let list = |f: &dyn Fn(&Line) -> Value| Value::Array(all.lines.iter().map(f).collect());
        let of_seat = |seat: usize| {
            let points: f64 = all.lines.iter().map(|line| line.points_by_seat[seat]).sum();
            rounded(all.mean(points))
        };
        json!({
            "match": self.number,
            "games": all.games,
            "void": all.void,
            "rounds": all.rounds(),
            "names": self.names,
            "points": list(&|line| json!(line.points)),
            "score": list(&|line| json!(rounded(all.mean(line.points)))),
            "interval": list(&|line| json!(rounded(line.interval()))),
            "places": list(&|line| json!(line.places)),
            "mean_place": list(&|line| json!(rounded(all.mean(line.place_sum)))),
            "game_points": list(&|line| json!(rounded(all.mean(line.game_points as f64)))),
            "seats": list(&|line| json!(line.seats)),
            "points_by_seat": list(&|line| json!(line.points_by_seat)),
            "seat_scores": (0..all.lines.len()).map(of_seat).collect::<Vec<_>>(),
            "ends": all.ends,
            "faults": list(&|line| json!(line.faults)),
            "gone": self.gone,
            "rules": self.rules,
            "seed": self.seed,
            "plies": all.plies,
            "seconds": seconds(self.time),
        })
    }

    fn table(&self) -> String {
        if let Some(two) = self.of_two() {
            return two.table();
        }
        let all = Standings::of(self);
        let summary = Summary {
            number: self.number,
            games: all.games,
            void: all.void,
            what: &format_args!("{} plies", all.plies),
            time: self.time,
            reason: self.reason.as_deref(),
        };
        let mut text = summary.line();
        let names = &self.names;
        let width = name_width(names.iter().map(String::as_str));
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
                all.mean(line.points).unwrap_or_default()
            );
            for count in &line.places {
                let _ = write!(text, "  {count:>5}");
            }
            let _ = write!(
                text,
                "  {:>5.2}  {:>6.1}",
                all.mean(line.place_sum).unwrap_or_default(),
                all.mean(line.game_points as f64).unwrap_or_default()
            );
            for (points, games) in line.points_by_seat.iter().zip(&line.seats) {
                let _ = write!(text, "  {:.3}", points / f64::from((*games).max(1)));
            }
            for (fault, count) in &line.faults {
                let _ = write!(text, "   {fault} {count}");
            }
            text.push('\n');
        }
        text += &ends_line(&all.ends);
        text
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use games::{ByPlayer, Seating};
    use record::EndKind;

    use super::*;

    fn report() -> NativeReport {
        let game = GameResult {
            game: 1,
            seating: Seating::identity(4),
            places: [0, 1, 1, 3].into(),
            points: [1.0, 0.0, 0.0, 0.0].into(),
            game_points: [-5, -9, -9, -20].into(),
            kinds: ByPlayer::of(4, EndKind::Normal),
            rule: Some("no-moves"),
            end: EndKind::Normal,
            plies: 70,
        };
        let mut faulty = game.clone();
        faulty.seating = Seating::rotation(4, 3);
        faulty.places = [3, 0, 0, 2].into();
        faulty.points = [0.0, 0.5, 0.5, 0.0].into();
        faulty.kinds[Player::new(0)] = EndKind::Timeout;
        let mut forfeited = faulty.clone();
        // The later of the two has ended the game, in the seat before the other's.
        forfeited.rule = None;
        forfeited.kinds[Player::new(2)] = EndKind::Resign;
        forfeited.kinds[Player::new(1)] = EndKind::Illegal;
        forfeited.end = EndKind::Illegal;
        let mut void = game.clone();
        void.places = ByPlayer::default();
        NativeReport {
            number: 2,
            names: ["ana", "bo", "cho", "dan"].map(str::to_owned).to_vec(),
            results: vec![game.clone(), faulty, forfeited, game, void],
            gone: vec![Player::new(0)],
            rules: json!({"scoring": "squares"}),
            seed: Some(7),
            time: Duration::from_millis(1500),
            lost: Lost::default(),
            reason: Some("player 0 is gone".to_owned()),
        }
    }

    #[test]
    fn json_has_the_result_by_player_and_by_seat() {
        let value = report().json();
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
        assert_eq!(value["ends"], json!({"no-moves": 3, "illegal": 1}));
        assert_eq!(
            value["faults"],
            json!([{"timeout": 2}, {"illegal": 1}, {}, {}])
        );
        // One whole round says nothing about how far rounds differ.
        assert_eq!(value["interval"], json!([null, null, null, null]));
        assert_eq!(value["rounds"], 1);
        assert_eq!(value["reason"], "player 0 is gone");
        assert_eq!(value["gone"], json!([0]));
        assert_eq!(value["rules"]["scoring"], "squares");
        assert_eq!(value["seed"], 7);
    }

    #[test]
    fn without_a_game_there_are_no_means() {
        let mut report = report();
        report.results.drain(..4);
        let value = report.json();
        assert_eq!((&value["games"], &value["void"]), (&json!(0), &json!(1)));
        for mean in ["score", "mean_place", "game_points", "seat_scores"] {
            assert_eq!(value[mean], json!([null, null, null, null]), "{mean}");
        }
        assert_eq!(value["points"], json!([0.0, 0.0, 0.0, 0.0]));
        assert!(report.table().contains("0 games"));
    }

    #[test]
    fn intervals_go_over_rounds() {
        let interval = |rounds: &[f64]| {
            let line = Line {
                places: vec![0; 4],
                rounds: rounds.to_vec(),
                ..Line::default()
            };
            line.interval()
        };
        // Two rounds say little, even if they are alike, and no interval is wider than what is possible.
        for two in [[2.1, 1.9], [4.0, 0.0], [2.0, 2.0]] {
            let half = interval(&two).unwrap();
            assert!((0.4..0.5).contains(&half), "{two:?}: {half}");
        }
        // Many rounds say much.
        let half = interval(&[2.1, 1.9].repeat(20)).unwrap();
        assert!(half < 0.02, "{half}");
        assert_eq!(interval(&[4.0]), None);
    }

    #[test]
    fn the_table_has_the_best_first() {
        let text = report().table();
        let place = |name| text.find(name).unwrap();
        assert!(place("ana") < place("bo ") && place("bo ") < place("dan"));
        assert!(
            text.contains("timeout 2") && text.contains("1 void"),
            "{text}"
        );
    }
}
