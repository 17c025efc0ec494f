//! Results of matches of Geister as people and as programs read them.

use std::fmt::Write as _;

use games::geister::SEATS;
use serde_json::{Value, json};

use super::{Report, Summary, ends_line, name_width, seconds};
use crate::lobby::{GameCounts, GatReport, Lost};

/// Points of a player in a game on average, 0 to 1.
fn score(counts: &GameCounts, player: usize) -> f64 {
    counts.points(player) / f64::from(counts.games.max(1))
}

impl Report for GatReport {
    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    fn lost(&self) -> Lost {
        self.lost
    }

    /// One result as JSON. Lists go by player; `seats` goes by seat, the first to move first; `wins_by_seat`
    /// is `[player][seat]`.
    fn fields(&self) -> Value {
        let counts = &self.counts;
        let of_player = |f: &dyn Fn(usize) -> Value| Value::Array((0..SEATS).map(f).collect());
        let seat = |seat: usize| {
            let wins = counts.wins[0][seat] + counts.wins[1][seat];
            let losses = counts.games - counts.draws - wins;
            json!({"wins": wins, "losses": losses, "draws": counts.draws})
        };
        json!({
            "match": self.number,
            "games": counts.games,
            "void": counts.void,
            "names": self.names,
            "wins": of_player(&|p| json!(counts.won(p))),
            "losses": of_player(&|p| json!(counts.won(1 - p))),
            "draws": counts.draws,
            "points": of_player(&|p| json!(counts.points(p))),
            "score": of_player(&|p| json!(score(counts, p))),
            "wins_by_seat": counts.wins,
            "first": counts.first,
            "seats": [seat(0), seat(1)],
            "ends": counts.ends,
            "faults": counts.faults,
            "plies": counts.plies,
            "seconds": seconds(self.time),
        })
    }

    fn table(&self) -> String {
        let counts = &self.counts;
        let summary = Summary {
            number: self.number,
            games: counts.games,
            void: counts.void,
            what: &format_args!("{} plies", counts.plies),
            time: self.time,
            reason: self.reason.as_deref(),
        };
        let mut text = summary.line();
        let names = &self.names;
        let width = name_width(names.iter().map(String::as_str));
        let _ = writeln!(
            text,
            "  {:<width$}   score    wins  losses   draws  first  won first  won second",
            "player"
        );
        let mut players = [0, 1];
        players.sort_by(|&a, &b| counts.points(b).total_cmp(&counts.points(a)));
        for p in players {
            let _ = write!(
                text,
                "  {:<width$}  {:>6.3}  {:>6}  {:>6}  {:>6}  {:>5}  {:>9}  {:>10}",
                names[p],
                score(counts, p),
                counts.won(p),
                counts.won(1 - p),
                counts.draws,
                counts.first[p],
                counts.wins[p][0],
                counts.wins[p][1],
            );
            for (fault, count) in &counts.faults[p] {
                let _ = write!(text, "   {fault} {count}");
            }
            text.push('\n');
        }
        text += &ends_line(&counts.ends);
        text
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use games::{Player, Seating};

    use super::*;
    use crate::referee::gat::GeisterResult;
    use record::EndKind;

    fn report() -> GatReport {
        let mut counts = GameCounts::default();
        let by_rule = GeisterResult {
            seating: Seating::identity(2),
            winner: Some(Player::new(0)),
            kinds: [EndKind::Normal; 2],
            rule: Some("escape"),
            plies: 10,
        };
        let swapped = GeisterResult {
            seating: Seating::rotation(2, 1),
            ..by_rule.clone()
        };
        counts.add(&by_rule);
        counts.add(&swapped);
        counts.add(&GeisterResult {
            winner: None,
            rule: Some("ply-limit"),
            ..by_rule.clone()
        });
        counts.add(&GeisterResult {
            winner: Some(Player::new(1)),
            kinds: [EndKind::Timeout, EndKind::Normal],
            rule: None,
            ..swapped.clone()
        });
        counts.add(&GeisterResult {
            winner: None,
            kinds: [EndKind::Void; 2],
            rule: None,
            ..by_rule.clone()
        });
        GatReport {
            number: 1,
            names: ["ana", "bo"].map(str::to_owned),
            counts,
            time: Duration::from_millis(1500),
            lost: Lost::default(),
            reason: None,
        }
    }

    #[test]
    fn json_has_the_result_by_player_and_by_seat() {
        let value = report().json();
        assert_eq!(value["games"], 4);
        assert_eq!(value["void"], 1);
        assert_eq!(value["wins"], json!([2, 1]));
        assert_eq!(value["losses"], json!([1, 2]));
        assert_eq!(value["draws"], 1);
        assert_eq!(value["points"], json!([2.5, 1.5]));
        assert_eq!(value["score"], json!([0.625, 0.375]));
        assert_eq!(value["first"], json!([2, 2]));
        assert_eq!(value["wins_by_seat"], json!([[1, 1], [1, 0]]));
        assert_eq!(
            value["seats"][0],
            json!({"wins": 2, "losses": 1, "draws": 1})
        );
        assert_eq!(
            value["seats"][1],
            json!({"wins": 1, "losses": 2, "draws": 1})
        );
        assert_eq!(
            value["ends"],
            json!({"escape": 2, "ply-limit": 1, "timeout": 1})
        );
        assert_eq!(value["faults"], json!([{"timeout": 1}, {}]));
    }

    #[test]
    fn the_table_has_the_best_first() {
        let text = report().table();
        let ana = text.find("ana").unwrap();
        assert!(ana < text.find("bo ").unwrap(), "{text}");
        assert!(
            text.contains("timeout 1") && text.contains("1 void"),
            "{text}"
        );
    }
}
