//! Ratings over the course of the league.

use std::fmt::Write as _;

use super::axis::{Axis, digits};
use super::forest::WIDTH;
use super::text::label;
use crate::league::report::{Report, number};

const HEIGHT: f64 = 250.0;
const PLOT: [f64; 2] = [38.0, 330.0];
/// More lines than this are not told apart.
const MOST_LINES: usize = 10;
/// Share of the course at whose wild ratings the axis does not look.
const WILD: f64 = 0.15;
/// Least distance of two names.
const NAME: f64 = 15.0;

/// What it shows.
pub(super) fn lead(report: &Report) -> String {
    let order = format!(
        "By whole {}s, in the order of the schedule",
        number::noun(report)
    );
    if report.entrants.len() > MOST_LINES {
        format!("{order}; the first {MOST_LINES}")
    } else {
        order
    }
}

/// The plot; nothing before there is a course.
pub(super) fn plot(report: &Report) -> Option<String> {
    let steps = &report.progress;
    let last = steps.last().filter(|_| steps.len() >= 5)?;
    let lines = report.entrants.len().min(MOST_LINES);
    let wild = (steps.len() as f64 * WILD) as usize;
    let settled = steps[wild..].iter();
    let values = settled.flat_map(|step| step.ratings[..lines].iter().flatten().copied());
    let y = Axis::over(values, [HEIGHT - 26.0, 8.0]);
    let x = Axis::over([0.0, last.blocks as f64], PLOT);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Ratings by the number of deals\">"
    );
    let ticks = y.ticks(5);
    let places = digits(&ticks);
    for tick in ticks {
        let at = y.at(tick);
        let class = if tick == 0.0 { "zero" } else { "grid" };
        let _ = write!(
            svg,
            "<line class=\"{class}\" x1=\"{}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text class=\"soft\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            PLOT[0],
            PLOT[1],
            PLOT[0] - 6.0,
            at + 4.0,
            format!("{tick:.places$}").replace('-', "−"),
        );
    }
    for tick in x
        .ticks(4)
        .into_iter()
        .filter(|&t| t >= 0.0 && t.fract() == 0.0)
    {
        let _ = write!(
            svg,
            "<text class=\"soft\" x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            x.at(tick),
            HEIGHT - 8.0,
            number::count(tick as u64),
        );
    }
    let mut names: Vec<(f64, usize)> = Vec::new();
    for line in 0..lines {
        let points = steps.iter().filter_map(|step| {
            let rating = step.ratings[line]?;
            Some(format!(
                "{:.1},{:.1}",
                x.at(step.blocks as f64),
                y.at(rating)
            ))
        });
        let points: Vec<String> = points.collect();
        // The second round of colours is dashed.
        let dash = if line < super::COLOURS {
            ""
        } else {
            " stroke-dasharray=\"5 3\""
        };
        let _ = write!(
            svg,
            "<polyline class=\"course k{}\"{dash} points=\"{}\"/>",
            line % super::COLOURS,
            points.join(" "),
        );
        if let Some(rating) = last.ratings[line] {
            names.push((y.at(rating), line));
        }
    }
    for (at, line) in spread(names) {
        let _ = write!(
            svg,
            "<g class=\"k{}\"><circle class=\"mark\" cx=\"{}\" cy=\"{:.1}\" r=\"4\"/>\
             <text x=\"{}\" y=\"{:.1}\">{}</text></g>",
            line % super::COLOURS,
            PLOT[1] + 6.0,
            at,
            PLOT[1] + 15.0,
            at + 4.5,
            label(&report.entrants[line].name, 14),
        );
    }
    svg.push_str("</svg>");
    Some(svg)
}

/// Moves names apart that would lie on each other: each at least its height below the one before, all
/// within the plot.
fn spread(mut names: Vec<(f64, usize)>) -> Vec<(f64, usize)> {
    names.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut least = 8.0;
    for (at, _) in &mut names {
        *at = at.max(least);
        least = *at + NAME;
    }
    let mut most = HEIGHT - 20.0;
    for (at, _) in names.iter_mut().rev() {
        *at = at.min(most);
        most = *at - NAME;
    }
    names
}
