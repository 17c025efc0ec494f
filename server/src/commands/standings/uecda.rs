//! Results as people and as programs read them.

use std::cmp::Reverse;
use std::fmt::Write as _;

use games::daihinmin::SEATS;
use serde_json::{Value, json};

use super::{Report, Summary, seconds};
use crate::grid::Grid;
use crate::lobby::{Lost, UecdaReport};
use crate::referee::uecda::MatchResult;
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
            "refused": result.refused,
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
        self.heading() + &rows_text(&self.names, &self.result, None)
    }
}

impl UecdaReport {
    pub(in crate::commands) fn heading(&self) -> String {
        let summary = Summary {
            number: self.number,
            games: self.result.games,
            void: 0,
            what: &self.chance,
            time: self.time,
            reason: self.result.reason.as_deref(),
        };
        summary.line()
    }
}

/// The lines of a table of standings, the most points first, with the half widths of the intervals of the points a game if they
/// are known. What was refused has a column if anything was.
pub(in crate::commands) fn rows_text(
    names: &[String],
    result: &MatchResult,
    half_widths: Option<[f64; SEATS]>,
) -> String {
    let mut players: [usize; SEATS] = std::array::from_fn(|player| player);
    players.sort_by_key(|&player| Reverse(result.points[player]));
    let has_refused = result.refused != [0; SEATS];
    let mut heads = vec![
        "player", "points", "a game", "1st", "2nd", "3rd", "4th", "5th",
    ];
    heads.extend(has_refused.then_some("refused"));
    heads.push("");
    let mut table = Grid::new(&heads);
    (table.left[0], table.left[heads.len() - 1]) = (true, true);
    for player in players {
        let placings = result.placings[player];
        let games: u32 = placings.iter().sum();
        let mean = f64::from(result.points[player]) / f64::from(games.max(1));
        let mut cells = vec![
            names.get(player).cloned().unwrap_or_default(),
            result.points[player].to_string(),
            half_widths.map_or(format!("{mean:.3}"), |widths| {
                format!("{mean:.2} ± {:.2}", widths[player])
            }),
        ];
        cells.extend(placings.map(|count| count.to_string()));
        cells.extend(has_refused.then(|| result.refused[player].to_string()));
        cells.push(match result.kinds[player] {
            EndKind::Normal => String::new(),
            kind => kind.to_string(),
        });
        table.row(cells);
    }
    let mut text = String::new();
    for line in table.text().lines() {
        let _ = writeln!(text, "  {line}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_refused_has_a_column_of_its_own() {
        let names: Vec<String> = ["ana", "bo", "ci", "di", "eve"].map(str::to_owned).into();
        let mut result = MatchResult::default();
        let lines = |result: &MatchResult| -> Vec<String> {
            rows_text(&names, result, None)
                .lines()
                .map(str::to_owned)
                .collect()
        };
        assert!(!lines(&result)[0].contains("refused"));
        result.refused[1] = 500;
        let text = lines(&result);
        assert!(text[0].ends_with("  refused"), "{text:?}");
        assert!(text[2].ends_with("      500"), "{text:?}");
        assert!(text[1].ends_with("        0"), "{text:?}");
    }
}
