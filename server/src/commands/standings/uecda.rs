//! Results as people and as programs read them.

use std::fmt::Write as _;

use games::daihinmin::SEATS;
use serde_json::{Value, json};

use crate::lobby::UecdaReport;
use record::EndKind;

/// One result as JSON. `placings[player][place]` counts games.
pub(in crate::commands) fn json(report: &UecdaReport) -> Value {
    let result = &report.result;
    let mut value = json!({
        "match": report.number,
        "games": result.games,
        "names": report.names,
        "points": result.points,
        "placings": result.placings,
        "kinds": result.kinds,
        "seed": report.seed,
        "seconds": (report.time.as_secs_f64() * 1000.0).round() / 1000.0,
    });
    if let Some(reason) = &result.reason {
        value["reason"] = json!(reason);
    }
    value
}

/// One result as a table, the best first.
pub(in crate::commands) fn table(report: &UecdaReport) -> String {
    let result = &report.result;
    let mut text = format!(
        "match {}: {} games in {:.1} s, seed {}",
        report.number,
        result.games,
        report.time.as_secs_f64(),
        report.seed
    );
    if let Some(reason) = &result.reason {
        let _ = write!(text, "; ended early: {reason}");
    }
    text.push('\n');
    let rows = std::array::from_fn(|player| Row {
        name: &report.names[player],
        points: result.points[player],
        placings: result.placings[player],
        kind: result.kinds[player],
    });
    text + &rows_text(rows)
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
    let width = rows.iter().map(|r| r.name.chars().count()).max();
    let width = width.unwrap_or_default().max(6);
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
