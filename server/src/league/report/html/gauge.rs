//! The sequential test between its bounds.

use std::fmt::Write as _;

use super::axis::Axis;
use super::forest::WIDTH;
use crate::league::report::{Sequential, number};

/// The logarithm of the likelihood ratio on its way to one of two bounds.
pub(super) fn plot(sprt: &Sequential) -> String {
    let [low, high] = sprt.bounds;
    let axis = Axis::over([low, high, 0.0], [20.0, WIDTH - 20.0]);
    let (from, to) = (axis.at(low), axis.at(high));
    let ratio = sprt.ratio.unwrap_or_default();
    let at = axis.at(ratio);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} 66\" role=\"img\" aria-label=\"Log likelihood ratio between its bounds\">\
         <rect class=\"track\" x=\"{from:.1}\" y=\"24\" width=\"{:.1}\" height=\"12\" rx=\"6\"/>",
        to - from
    );
    for (x, value, what) in [
        (from, low, sprt.hypotheses.s0),
        (to, high, sprt.hypotheses.s1),
    ] {
        let _ = write!(
            svg,
            "<line class=\"slowest\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"20\" y2=\"40\"/>\
             <text class=\"soft\" x=\"{x:.1}\" y=\"56\" text-anchor=\"middle\">{}</text>\
             <text class=\"soft\" x=\"{x:.1}\" y=\"13\" text-anchor=\"middle\">{:.1} %</text>",
            number::signed(value, 2),
            what * 100.0,
        );
    }
    let _ = write!(
        svg,
        "<g class=\"k0\"><circle class=\"mark\" cx=\"{at:.1}\" cy=\"30\" r=\"8\"/>\
         <text x=\"{at:.1}\" y=\"13\" text-anchor=\"middle\">{}</text></g></svg>",
        if (at - from).abs() < 40.0 || (at - to).abs() < 40.0 {
            String::new()
        } else {
            number::signed(ratio, 2)
        }
    );
    svg
}
