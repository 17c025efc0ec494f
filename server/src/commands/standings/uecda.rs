//! Results as people and as programs read them.

use std::fmt::Write as _;

use games::count_of_games;
use games::daihinmin::SEATS;
use serde_json::{Value, json};

use super::{Report, name_width, seconds};
use crate::lobby::{Lost, UecdaReport};
use record::EndKind;

impl Report for UecdaReport {
    fn reason(&self) -> Option<&str> {
        self.result.reason.as_deref()
    }

    fn lost(&self) -> Lost {
        self.lost
    }

    /// One result as JSON. `placings[player][place]` counts games.
    fn fields(&self) -> Value {
        let result = &self.result;
        let mut value = json!({
            "match": self.number,
            "games": result.games,
            "names": self.names,
            "points": result.points,
            "placings": result.placings,
            "kinds": result.kinds,
            "seconds": seconds(self.time),
        });
        if let Some(seed) = self.chance.seed() {
            value["seed"] = json!(seed);
        }
        if let Some(key) = self.chance.key() {
            value["key"] = json!(key);
        }
        value
    }

    fn table(&self) -> String {
        let result = &self.result;
        let mut text = format!(
            "match {}: {} in {:.1} s, {}",
            self.number,
            count_of_games(result.games),
            self.time.as_secs_f64(),
            self.chance
        );
        if let Some(reason) = &result.reason {
            let _ = write!(text, "; ended early: {reason}");
        }
        text.push('\n');
        let rows = std::array::from_fn(|player| Row {
            name: &self.names[player],
            points: result.points[player],
            placings: result.placings[player],
            kind: result.kinds[player],
        });
        text + &rows_text(rows)
    }
}

/// One player's line.
#[derive(Clone, Copy, Debug)]
pub(in crate::commands) struct Row<'a> {
    pub(in crate::commands) name: &'a str,
    pub(in crate::commands) points: u32,
    pub(in crate::commands) placings: [u32; SEATS],
    pub(in crate::commands) kind: EndKind,
}

/// The lines of a table of standings, the most points first.
pub(in crate::commands) fn rows_text(mut rows: [Row<'_>; SEATS]) -> String {
    rows.sort_by_key(|row| std::cmp::Reverse(row.points));
    let width = name_width(rows.iter().map(|row| row.name));
    let mut text = format!(
        "  {:<width$}  points  a game     1st   2nd   3rd   4th   5th\n",
        "player"
    );
    for row in rows {
        let games: u32 = row.placings.iter().sum();
        let mean = f64::from(row.points) / f64::from(games.max(1));
        let _ = write!(
            text,
            "  {:<width$}  {:>6}  {mean:>6.3}  ",
            row.name, row.points
        );
        for count in row.placings {
            let _ = write!(text, " {count:>5}");
        }
        if row.kind != EndKind::Normal {
            let _ = write!(text, "   {}", row.kind);
        }
        text.push('\n');
    }
    text
}
