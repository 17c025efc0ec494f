//! Scores as coloured tables: blue above one half, orange below, which all eyes tell apart.

use std::fmt::Write as _;

use super::text::{escape, name};
use crate::league::report::Report;
use crate::league::report::number::{self, NONE};

/// Row against column.
pub(super) fn cross(report: &Report) -> String {
    let mut html = String::from(
        "<div class=\"scroll\"><table class=\"heat\"><tr><th></th><th class=\"name\">score %</th>",
    );
    for (column, line) in (1..).zip(&report.entrants) {
        let _ = write!(
            html,
            "<th scope=\"col\" title=\"{}\">{column}</th>",
            escape(&line.name)
        );
    }
    html.push_str("</tr>");
    for (rank, (line, row)) in report.entrants.iter().zip(&report.cross).enumerate() {
        let _ = write!(
            html,
            "<tr><th>{}</th><th class=\"name\" scope=\"row\">{}</th>",
            rank + 1,
            name(&line.name)
        );
        for (column, cross) in row.iter().enumerate() {
            match cross {
                Some(cross) => {
                    let title = format!(
                        "{} against {}: {} ahead, {} level, {} behind",
                        line.name,
                        report.entrants[column].name,
                        number::count(cross.ahead),
                        number::count(cross.level),
                        number::count(cross.behind),
                    );
                    let interval = number::interval(cross.score.half_width * 100.0, 1);
                    html.push_str(&cell(cross.score.mean, Some(&interval), &title));
                }
                None if column == rank => html.push_str("<td class=\"self\">■</td>"),
                None => {
                    let _ = write!(html, "<td>{NONE}</td>");
                }
            }
        }
        html.push_str("</tr>");
    }
    html.push_str("</table></div>");
    html
}

/// Entrant by seat of the table.
pub(super) fn seats(report: &Report) -> String {
    let mut html = String::from(
        "<div class=\"scroll\"><table class=\"heat\"><tr><th class=\"name\">score % in seat</th>",
    );
    for seat in &report.seats {
        let _ = write!(html, "<th scope=\"col\">{}</th>", seat.seat + 1);
    }
    html.push_str("</tr>");
    for line in &report.entrants {
        let _ = write!(
            html,
            "<tr><th class=\"name\" scope=\"row\">{}</th>",
            name(&line.name)
        );
        for score in &line.by_seat {
            match score {
                Some(score) => html.push_str(&cell(*score, None, "")),
                None => {
                    let _ = write!(html, "<td>{NONE}</td>");
                }
            }
        }
        html.push_str("</tr>");
    }
    html.push_str("</table></div>");
    html
}

fn cell(score: f64, interval: Option<&str>, title: &str) -> String {
    let class = if score >= 0.5 { "high" } else { "low" };
    // Small differences are seen too.
    let strength = ((score - 0.5).abs() * 2.0).min(1.0).powf(0.7) * 0.7;
    let title = match title {
        "" => String::new(),
        title => format!(" title=\"{}\"", escape(title)),
    };
    let small = interval.map_or_else(String::new, |i| format!("<small>{i}</small>"));
    format!(
        "<td class=\"{class}\" style=\"--a:{strength:.2}\"{title}>{:.1}{small}</td>",
        score * 100.0
    )
}
