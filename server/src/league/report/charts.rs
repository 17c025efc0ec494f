//! The plots of the page, as SVG: bars of thinking time and faults, the course of the ratings,
//! intervals, the gauge of the sequential test, and tables of colours.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use games::Printable;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::league::report::number::NONE;
use crate::league::report::{Report, Sequential, number};

/// Colours that entrants have in all plots, by rank; then they begin anew.
pub(super) const COLOURS: usize = 7;

const BARS_PLOT: [f64; 2] = [118.0, 310.0];
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
        BARS_PLOT[0] + share * (BARS_PLOT[1] - BARS_PLOT[0])
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
            i % COLOURS,
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
                BARS_PLOT[0],
                (at(mean) - BARS_PLOT[0]).max(1.0),
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
        let mut x = BARS_PLOT[0];
        for (kind, &count) in &line.faults {
            let width = count as f64 / most * (BARS_PLOT[1] + 40.0 - BARS_PLOT[0]);
            let colour = kinds.iter().position(|k| k == kind).unwrap_or_default();
            let _ = write!(
                svg,
                "<rect class=\"bar k{}\" x=\"{x:.1}\" y=\"{y}\" width=\"{:.1}\" height=\"{BAR}\"><title>{kind}: {count}</title></rect>",
                colour % COLOURS,
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
            i % COLOURS,
            number::count(all)
        );
    }
    svg.push_str("</ul>");
    Some(svg)
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    values: [f64; 2],
    pixels: [f64; 2],
}

impl Axis {
    /// An axis on which all `values` that are finite have a place, with a little room at both ends.
    pub(super) fn over(values: impl IntoIterator<Item = f64>, pixels: [f64; 2]) -> Axis {
        let finite = values.into_iter().filter(|v| v.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
            (low.min(v), high.max(v))
        });
        let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
        let room = ((high - low) * 0.06).max(high.abs().max(1.0) * 1e-6);
        // All values alike: one unit on both sides.
        let room = if high > low { room } else { 1.0 };
        Axis {
            values: [low - room, high + room],
            pixels,
        }
    }

    /// Where a value stands; one that is beyond stands at the end.
    pub(super) fn at(&self, value: f64) -> f64 {
        let [low, high] = self.values;
        let [from, to] = self.pixels;
        from + (value.clamp(low, high) - low) / (high - low) * (to - from)
    }

    /// Round values with a line each, about `count` of them.
    pub(super) fn ticks(&self, count: usize) -> Vec<f64> {
        let [low, high] = self.values;
        let rough = (high - low) / count.max(1) as f64;
        let power = 10_f64.powf(rough.log10().floor());
        let steps = [0.5, 1.0, 2.0, 5.0, 10.0].map(|s| s * power);
        let fits = steps.iter().position(|&s| s >= rough * 0.999);
        // A step of nearly the whole axis may have no multiple on it: then the next smaller one has.
        let sizes = (0..=fits.unwrap_or(steps.len() - 1)).rev();
        let ticks = sizes.map(|size| {
            let step = steps[size];
            let first = (low / step).ceil() as i64;
            let last = (high / step).floor() as i64;
            (first..=last).map(|i| i as f64 * step).collect()
        });
        ticks
            .into_iter()
            .find(|ticks: &Vec<f64>| !ticks.is_empty())
            .unwrap_or_default()
    }
}

/// Digits behind the point that tell ticks apart.
pub(super) fn digits(ticks: &[f64]) -> usize {
    let step = match ticks {
        [a, b, ..] => b - a,
        _ => 1.0,
    };
    (-step.log10().floor()).clamp(0.0, 6.0) as usize
}

const COURSE_HEIGHT: f64 = 250.0;
const COURSE_PLOT: [f64; 2] = [38.0, 330.0];
/// More lines than this are not told apart.
const MOST_LINES: usize = 10;
/// Share of the course at whose wild ratings the axis does not look.
const WILD: f64 = 0.15;
/// Least distance of two names.
const NAME_ROW: f64 = 15.0;

pub(super) fn course_lead(report: &Report) -> String {
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
pub(super) fn course(report: &Report) -> Option<String> {
    let steps = &report.progress;
    let last = steps.last().filter(|_| steps.len() >= 5)?;
    let lines = report.entrants.len().min(MOST_LINES);
    let wild = (steps.len() as f64 * WILD) as usize;
    let settled = steps[wild..].iter();
    let values = settled.flat_map(|step| step.ratings[..lines].iter().flatten().copied());
    let y = Axis::over(values, [COURSE_HEIGHT - 26.0, 8.0]);
    let x = Axis::over([0.0, last.blocks as f64], COURSE_PLOT);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {COURSE_HEIGHT}\" role=\"img\" aria-label=\"Ratings by the number of deals\">"
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
            COURSE_PLOT[0],
            COURSE_PLOT[1],
            COURSE_PLOT[0] - 6.0,
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
            COURSE_HEIGHT - 8.0,
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
        let dash = if line < COLOURS {
            ""
        } else {
            " stroke-dasharray=\"5 3\""
        };
        let _ = write!(
            svg,
            "<polyline class=\"course k{}\"{dash} points=\"{}\"/>",
            line % COLOURS,
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
            line % COLOURS,
            COURSE_PLOT[1] + 6.0,
            at,
            COURSE_PLOT[1] + 15.0,
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
        least = *at + NAME_ROW;
    }
    let mut most = COURSE_HEIGHT - 20.0;
    for (at, _) in names.iter_mut().rev() {
        *at = at.min(most);
        most = *at - NAME_ROW;
    }
    names
}

pub(super) struct Row<'a> {
    pub(super) name: &'a str,
    pub(super) colour: usize,
    pub(super) mean: f64,
    /// The ends of its interval; infinite where it is not known.
    pub(super) ends: [f64; 2],
    pub(super) figures: String,
}

pub(super) const WIDTH: f64 = 440.0;
/// Where the plot begins behind the names, and ends before the figures.
const FOREST_PLOT: [f64; 2] = [118.0, 340.0];

/// The plot; `zero` is a value that gets a line of its own.
pub(super) fn forest(rows: &[Row], zero: f64, what: &str) -> String {
    let ends = rows.iter().flat_map(|row| {
        let is_known = row.ends.iter().all(|end| end.is_finite());
        if is_known { row.ends } else { [row.mean; 2] }
    });
    let axis = Axis::over(ends.chain([zero]), FOREST_PLOT);
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
            row.colour % COLOURS,
            label(row.name, 16),
        );
        let [low, high] = row.ends;
        if low.is_finite() && high.is_finite() && low < high {
            let (from, to) = (axis.at(low), axis.at(high));
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

/// The logarithm of the likelihood ratio on its way to one of two bounds.
pub(super) fn gauge(sprt: &Sequential) -> String {
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

/// Height of the plot of ratios, and where it is.
const RATIOS_HEIGHT: f64 = 200.0;
const RATIOS_PLOT: [f64; 2] = [44.0, WIDTH - 12.0];

/// The logarithm of the likelihood ratio by the number of blocks, between its bounds; nothing before there is a course.
pub(super) fn ratios(sprt: &Sequential, noun: &str) -> Option<String> {
    let &(last, _) = sprt.course.last().filter(|_| sprt.course.len() > 1)?;
    let values = sprt.course.iter().map(|&(_, ratio)| ratio);
    let y = Axis::over(values.chain(sprt.bounds), [RATIOS_HEIGHT - 28.0, 8.0]);
    let x = Axis::over([0.0, last as f64], RATIOS_PLOT);
    let [from, to] = RATIOS_PLOT;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {RATIOS_HEIGHT}\" role=\"img\" aria-label=\"Log likelihood ratio by the number of {noun}s\">"
    );
    for (value, class) in [
        (sprt.bounds[0], "zero"),
        (0.0, "grid"),
        (sprt.bounds[1], "zero"),
    ] {
        let at = y.at(value);
        let _ = write!(
            svg,
            "<line class=\"{class}\" x1=\"{from}\" x2=\"{to}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text class=\"soft\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            from - 6.0,
            at + 4.0,
            number::signed(value, 2),
        );
    }
    let whole = |tick: &f64| *tick >= 0.0 && tick.fract() == 0.0;
    for tick in x.ticks(5).into_iter().filter(whole) {
        let _ = write!(
            svg,
            "<text class=\"soft\" x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            x.at(tick),
            RATIOS_HEIGHT - 8.0,
            number::count(tick as u64),
        );
    }
    let points = sprt.course.iter();
    let points =
        points.map(|&(blocks, ratio)| format!("{:.1},{:.1}", x.at(blocks as f64), y.at(ratio)));
    let _ = write!(
        svg,
        "<polyline class=\"course k0\" points=\"{}\"/></svg>",
        points.collect::<Vec<_>>().join(" "),
    );
    Some(svg)
}

pub(super) fn cross(report: &Report) -> String {
    let mut html = String::from(
        "<div class=\"scroll\" tabindex=\"0\"><table class=\"heat\"><tr><td></td><th class=\"name\">score %</th>",
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
                    let [_, interval] = number::mean(&cross.score, 100.0, 1);
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

pub(super) fn seat_heat(report: &Report) -> String {
    let mut html = String::from(
        "<div class=\"scroll\" tabindex=\"0\"><table class=\"heat\"><tr><th class=\"name\">score % in seat</th>",
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
    let strength = ((score - 0.5).abs() * 2.0).min(1.0).powf(0.7) * 0.55;
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

/// Text that stands for itself in HTML and SVG, in elements and attributes.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in Printable(text).to_string().chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A name in a sentence or a cell: its direction of writing stays its own.
pub(super) fn name(text: &str) -> String {
    format!("<bdi>{}</bdi>", escape(text))
}

/// A name for a plot, cut to a width in half cells of East Asian text, with the whole of it for who points at it.
pub(super) fn label(text: &str, width: usize) -> String {
    let text = &Printable(text).to_string();
    if text.width() <= width {
        return escape(text);
    }
    let mut room = width.saturating_sub(1);
    let short = text.chars().take_while(|c| {
        let own = c.width().unwrap_or(1);
        let fits = own <= room;
        room -= own.min(room);
        fits
    });
    let short: String = short.collect();
    format!("<title>{}</title>{}…", escape(text), escape(&short))
}
