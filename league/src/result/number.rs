//! Figures as people read them.

use stats::{Elo, Mean};

pub(crate) use server::number::{NONE, WIDEST, count, counted, interval, rating_interval, signed};

/// Whole blocks in words: deals, if all games of a block have the same.
pub(crate) fn blocks(n: u64, is_duplicate: bool, block_games: u64) -> String {
    if is_duplicate {
        format!("{} from every seat", counted(n, "deal"))
    } else {
        let blocks = counted(n, "block");
        format!("{blocks} of {block_games} games, each with its own deal")
    }
}

/// A sum of points, with a digit behind the point only where one is needed.
pub(super) fn points(points: f64) -> String {
    if points >= 0.0 && points.fract().abs() < 1e-9 {
        count(points as u64)
    } else {
        format!("{points:.1}")
    }
}

pub(super) fn rating(value: Option<f64>) -> String {
    value.map_or_else(|| NONE.to_owned(), |v| signed(v, 0))
}

/// A difference in Elo and its interval, from the lower to the upper end; nothing that is not finite.
pub(super) fn elo(elo: &Elo) -> [String; 2] {
    let known = |value: f64| {
        if value.is_finite() {
            signed(value, 0)
        } else {
            NONE.to_owned()
        }
    };
    if !elo.value.is_finite() {
        return [NONE.to_owned(), String::new()];
    }
    let interval = format!("{} to {}", known(elo.low), known(elo.high));
    [known(elo.value), interval]
}

/// A mean of something and its interval, times `scale`; nothing without a block. Half the width says it all where both
/// sides are about as long; else there are both ends.
pub(super) fn mean(mean: &Mean, scale: f64, digits: usize) -> [String; 2] {
    if mean.blocks == 0 {
        return [NONE.to_owned(), String::new()];
    }
    let sides = [mean.mean - mean.low, mean.high - mean.mean];
    let is_even = (sides[0] - sides[1]).abs() <= 0.2 * mean.half_width();
    let interval = match mean.ends() {
        Some(ends) if !is_even => {
            let [low, high] = ends.map(|end| format!("{:.digits$}", end * scale + 0.0));
            if low.starts_with('-') {
                format!("{low} to {high}").replace('-', "−")
            } else {
                format!("{low}–{high}")
            }
        }
        _ => interval(mean.half_width() * scale, digits),
    };
    [format!("{:.digits$}", mean.mean * scale), interval]
}

/// A time in milliseconds, in a unit that suits it.
pub(super) fn time(ms: f64) -> String {
    match ms {
        ms if ms < 10.0 => format!("{ms:.1} ms"),
        ms if ms < 1000.0 => format!("{ms:.0} ms"),
        ms if ms < 100_000.0 => format!("{:.2} s", ms / 1000.0),
        ms => format!("{:.0} s", ms / 1000.0),
    }
}

/// A mean of times that are known in whole milliseconds.
pub(super) fn mean_time(ms: f64) -> String {
    if ms < 1.0 {
        "< 1 ms".to_owned()
    } else {
        time(ms)
    }
}

/// Hours, or minutes if there are few.
pub(super) fn hours(hours: f64) -> String {
    match hours * 60.0 {
        minutes if minutes < 1.0 => format!("{:.0} s", minutes * 60.0),
        minutes if minutes < 90.0 => format!("{minutes:.0} min"),
        _ => format!("{hours:.1} h"),
    }
}

/// A chance in percent, never rounded to certainty.
pub(super) fn chance(chance: f64) -> String {
    match chance * 100.0 {
        percent if percent > 99.9 => "> 99.9 %".to_owned(),
        percent if percent < 0.1 => "< 0.1 %".to_owned(),
        percent => format!("{percent:.1} %"),
    }
}

/// A date of RFC 3339 without parts of seconds, as `2026-11-21 10:00 UTC`; another text as it is.
pub(crate) fn date(text: &str) -> String {
    let parsed: Result<jiff::Timestamp, _> = text.parse();
    parsed.map_or_else(
        |_| text.to_owned(),
        |time| time.strftime("%Y-%m-%d %H:%M UTC").to_string(),
    )
}
