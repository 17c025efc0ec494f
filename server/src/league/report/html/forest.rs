//! Means with their intervals, a row each.

use std::fmt::Write as _;

use super::axis::{Axis, digits};
use super::text::label;

/// A row of the plot.
pub(super) struct Row<'a> {
    pub(super) name: &'a str,
    /// Number of its colour.
    pub(super) colour: usize,
    pub(super) mean: f64,
    /// Half width; infinite where it is not known.
    pub(super) half_width: f64,
    /// The figures in words.
    pub(super) figures: String,
}

/// Width of every plot.
pub(super) const WIDTH: f64 = 440.0;
/// Where the plot begins behind the names, and ends before the figures.
const PLOT: [f64; 2] = [118.0, 340.0];
const ROW: f64 = 30.0;

/// The plot; `zero` is a value that gets a line of its own.
pub(super) fn plot(rows: &[Row], zero: f64, what: &str) -> String {
    let ends = rows.iter().flat_map(|row| {
        let half = if row.half_width.is_finite() {
            row.half_width
        } else {
            0.0
        };
        [row.mean - half, row.mean + half]
    });
    let axis = Axis::over(ends.chain([zero]), PLOT);
    let bottom = ROW * rows.len() as f64 + 6.0;
    let height = bottom + 22.0;
    let mut svg =
        format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{what}\">");
    let ticks = axis.ticks(5);
    let digits = digits(&ticks);
    for tick in ticks {
        let x = axis.at(tick);
        let class = if (tick - zero).abs() < 1e-9 {
            "zero"
        } else {
            "grid"
        };
        let _ = write!(
            svg,
            "<line class=\"{class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"0\" y2=\"{bottom}\"/>\
             <text class=\"soft\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 16.0,
            format!("{tick:.digits$}").replace('-', "−"),
        );
    }
    for (i, row) in rows.iter().enumerate() {
        let y = ROW * (i as f64 + 0.5) + 3.0;
        let text = y + 4.5;
        let _ = write!(
            svg,
            "<g class=\"k{}\"><text x=\"0\" y=\"{text}\">{}</text>",
            row.colour % super::COLOURS,
            label(row.name, 16),
        );
        if row.half_width.is_finite() && row.half_width > 0.0 {
            let (from, to) = (
                axis.at(row.mean - row.half_width),
                axis.at(row.mean + row.half_width),
            );
            let _ = write!(
                svg,
                "<line class=\"whisker\" x1=\"{from:.1}\" x2=\"{to:.1}\" y1=\"{y}\" y2=\"{y}\"/>"
            );
        }
        let _ = write!(
            svg,
            "<circle class=\"mark\" cx=\"{:.1}\" cy=\"{y}\" r=\"6\"/>\
             <text x=\"{WIDTH}\" y=\"{text}\" text-anchor=\"end\">{}</text></g>",
            axis.at(row.mean),
            row.figures,
        );
    }
    svg.push_str("</svg>");
    svg
}
