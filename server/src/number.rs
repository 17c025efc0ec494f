//! Figures as people read them.

/// The text in place of a figure that is not known.
pub const NONE: &str = "–";

/// A figure with its sign, a true minus included; zero has no sign.
pub fn signed(value: f64, digits: usize) -> String {
    let text = format!("{:.digits$}", value.abs());
    if !text.bytes().any(|b| b.is_ascii_digit() && b != b'0') {
        return text;
    }
    let sign = if value < 0.0 { '−' } else { '+' };
    format!("{sign}{text}")
}

pub fn interval(value: f64, digits: usize) -> String {
    if value.is_finite() {
        format!("±{value:.digits$}")
    } else {
        format!("±{NONE}")
    }
}

/// Half the width of the interval of a rating, in points. Above the limit the prior decides the rating, and only the limit
/// is given. A single block has no interval.
pub fn rating_interval(half_width: f64) -> String {
    if half_width <= WIDEST {
        interval(half_width, 0)
    } else if half_width.is_finite() {
        format!("over ±{WIDEST}")
    } else {
        "no interval".to_owned()
    }
}

/// Points of a rating at which the odds are ten to one.
pub const WIDEST: f64 = 400.0;

/// Counts in groups of three digits, with commas in between.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() * 2);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 deal`, `2 deals`.
pub fn counted(n: u64, noun: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{} {noun}{s}", count(n))
}
