//! Results of matches as people and as programs read them.

pub(super) mod gat;
pub(super) mod native;
pub(super) mod uecda;

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::time::Duration;

use games::count_of_games;
use serde_json::{Value, json};

use crate::lobby::Lost;

pub(super) trait Report: Send + 'static {
    /// Why the match ended before its last game.
    fn reason(&self) -> Option<&str>;

    /// Which of its files the disk does not have.
    fn lost(&self) -> Lost;

    fn fields(&self) -> Value;

    /// As a table, the best first.
    fn table(&self) -> String;

    /// As JSON, with the reason of an early end and the loss of files.
    fn json(&self) -> Value {
        let mut value = self.fields();
        if let Some(reason) = self.reason() {
            value["reason"] = json!(reason);
        }
        let Lost { record, others } = self.lost();
        for (name, missing) in [("record", record), ("files", others)] {
            if let Some(missing) = missing {
                value[name] = json!(missing.as_str());
            }
        }
        value
    }
}

struct Summary<'a> {
    number: u64,
    /// Games that counted, and that did not.
    games: u32,
    void: u32,
    /// What follows the time.
    what: &'a dyn Display,
    time: Duration,
    reason: Option<&'a str>,
}

impl Summary<'_> {
    fn line(&self) -> String {
        let seconds = self.time.as_secs_f64();
        let mut text = format!(
            "match {}: {} in {seconds:.1} s, {}",
            self.number,
            count_of_games(self.games),
            self.what
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
fn ends_line(ends: &BTreeMap<&'static str, u32>) -> String {
    if ends.is_empty() {
        return String::new();
    }
    let ends: Vec<String> = ends.iter().map(|(end, n)| format!("{end} {n}")).collect();
    format!("  ends: {}\n", ends.join(", "))
}

fn name_width<'a>(names: impl IntoIterator<Item = &'a str>) -> usize {
    let width = names.into_iter().map(|name| name.chars().count()).max();
    width.unwrap_or_default().max(6)
}

fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0).round() / 1000.0
}
