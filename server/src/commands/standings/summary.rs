//! What the tables of results of all games of one port begin and end with.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// The head of a match.
pub(super) struct Summary<'a> {
    pub(super) number: u64,
    /// Games that counted, and that did not.
    pub(super) games: u32,
    pub(super) void: u32,
    pub(super) plies: u64,
    pub(super) time: Duration,
    /// Why it ended early.
    pub(super) reason: Option<&'a str>,
}

impl Summary<'_> {
    /// As a line.
    pub(super) fn line(&self) -> String {
        let seconds = self.time.as_secs_f64();
        let mut text = format!(
            "match {}: {} games in {seconds:.1} s, {} moves",
            self.number, self.games, self.plies
        );
        if self.void > 0 {
            let _ = write!(text, ", {} void", self.void);
        }
        if let Some(reason) = self.reason {
            let _ = write!(text, "; ended early: {reason}");
        }
        text.push('\n');
        text
    }
}

/// A line of how often games ended by which rule or fault; nothing if none has.
pub(super) fn ends_line(ends: &BTreeMap<&'static str, u32>) -> String {
    if ends.is_empty() {
        return String::new();
    }
    let ends: Vec<String> = ends.iter().map(|(end, n)| format!("{end} {n}")).collect();
    format!("  ends: {}\n", ends.join(", "))
}

/// Width of the column of names.
pub(super) fn name_width(names: &[String]) -> usize {
    let width = names.iter().map(|name| name.chars().count()).max();
    width.unwrap_or_default().max(6)
}

/// Seconds, to the millisecond.
pub(super) fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0).round() / 1000.0
}
