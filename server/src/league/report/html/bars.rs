//! Bars: time and faults.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::forest::WIDTH;
use super::text::{escape, label};
use crate::league::report::{Report, number};

const PLOT: [f64; 2] = [118.0, 310.0];
const ROW: f64 = 30.0;
const BAR: f64 = 14.0;
/// Times below are drawn as if they were so long.
const LEAST_MS: f64 = 0.1;

/// Mean time of a move as a bar, the slowest move as a stroke, in powers of ten.
pub(super) fn thinking(report: &Report) -> String {
    let rows = report.entrants.len() as f64;
    let slowest = report
        .entrants
        .iter()
        .map(|l| l.thinking.slowest_move_ms as f64);
    let most = slowest.fold(1.0, f64::max).log10().ceil();
    let least = LEAST_MS.log10();
    let at = |ms: f64| {
        let share = (ms.max(LEAST_MS).log10() - least) / (most.max(1.0) - least);
        PLOT[0] + share * (PLOT[1] - PLOT[0])
    };
    let bottom = ROW * rows + 4.0;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"Thinking time\">",
        bottom + 22.0
    );
    let powers = least as i32..=most.max(1.0) as i32;
    // No more than five of them have a name.
    let every = powers.clone().count().div_ceil(5);
    for (i, power) in powers.enumerate() {
        let ms = 10_f64.powi(power);
        let x = at(ms);
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"0\" y2=\"{bottom}\"/>"
        );
        if i % every == 0 {
            let _ = write!(
                svg,
                "<text class=\"soft\" x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                bottom + 16.0,
                power_of_ten(power),
            );
        }
    }
    for (i, line) in report.entrants.iter().enumerate() {
        let y = ROW * i as f64 + (ROW - BAR) / 2.0 + 2.0;
        let time = &line.thinking;
        let _ = write!(
            svg,
            "<g class=\"k{}\"><text x=\"0\" y=\"{:.1}\">{}</text>",
            i % super::COLOURS,
            y + BAR - 2.5,
            label(&line.name, 16),
        );
        if let Some(mean) = time.move_ms {
            let slowest = at(time.slowest_move_ms as f64);
            let _ = write!(
                svg,
                "<rect class=\"bar\" x=\"{}\" y=\"{y}\" width=\"{:.1}\" height=\"{BAR}\" rx=\"3\"/>\
                 <line class=\"slowest\" x1=\"{slowest:.1}\" x2=\"{slowest:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/>\
                 <text x=\"{WIDTH}\" y=\"{:.1}\" text-anchor=\"end\">{} / {}</text>",
                PLOT[0],
                (at(mean) - PLOT[0]).max(1.0),
                y - 3.0,
                y + BAR + 3.0,
                y + BAR - 2.5,
                escape(&number::mean_time(mean)),
                number::time(time.slowest_move_ms as f64),
            );
        }
        svg.push_str("</g>");
    }
    svg.push_str("</svg>");
    svg
}

fn power_of_ten(power: i32) -> String {
    let unit = |power: i32, unit: &str| format!("{} {unit}", 10_f64.powi(power));
    if power < 3 {
        unit(power, "ms")
    } else {
        unit(power - 3, "s")
    }
}

/// Faults of each entrant by kind, with a legend; nothing without any.
pub(super) fn faults(report: &Report) -> Option<String> {
    let kinds: BTreeSet<&str> = report
        .entrants
        .iter()
        .flat_map(|l| l.faults.keys().copied())
        .collect();
    let kinds: Vec<&str> = kinds.into_iter().collect();
    let total = |i: usize| report.entrants[i].faults.values().sum::<u64>();
    let shown: Vec<usize> = (0..report.entrants.len())
        .filter(|&i| total(i) > 0)
        .collect();
    let most = shown.iter().map(|&i| total(i)).max()? as f64;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"Faults by entrant and kind\">",
        ROW * shown.len() as f64 + 4.0
    );
    for (row, &i) in shown.iter().enumerate() {
        let line = &report.entrants[i];
        let y = ROW * row as f64 + (ROW - BAR) / 2.0 + 2.0;
        let _ = write!(
            svg,
            "<text x=\"0\" y=\"{:.1}\">{}</text>",
            y + BAR - 2.5,
            label(&line.name, 16)
        );
        let mut x = PLOT[0];
        for (kind, &count) in &line.faults {
            let width = count as f64 / most * (PLOT[1] + 40.0 - PLOT[0]);
            let colour = kinds.iter().position(|k| k == kind).unwrap_or_default();
            let _ = write!(
                svg,
                "<rect class=\"bar k{}\" x=\"{x:.1}\" y=\"{y}\" width=\"{:.1}\" height=\"{BAR}\"><title>{kind}: {count}</title></rect>",
                colour % super::COLOURS,
                // A hair between two kinds.
                (width - 1.0).max(1.0),
            );
            x += width;
        }
        let _ = write!(
            svg,
            "<text x=\"{WIDTH}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            y + BAR - 2.5,
            number::count(total(i)),
        );
    }
    svg.push_str("</svg><ul class=\"legend\">");
    for (i, kind) in kinds.iter().enumerate() {
        let all: u64 = report
            .entrants
            .iter()
            .filter_map(|l| l.faults.get(kind))
            .sum();
        let _ = write!(
            svg,
            "<li><span class=\"dot k{}\"></span>{kind} {}</li>",
            i % super::COLOURS,
            number::count(all)
        );
    }
    svg.push_str("</ul>");
    Some(svg)
}
