//! Shows on standard error how far a match or a tuning is: by a bar on a terminal, and by a line now and then elsewhere.

use std::io::{Write as _, stderr};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use bots::search::lock;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use crate::Failure;

/// Least time between two lines, as in a league.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

pub(crate) struct Meter {
    bar: ProgressBar,
    all: u64,
    unit: &'static str,
    written: Mutex<Instant>,
}

impl Meter {
    /// One of `all` of this unit, of which `done` were done before.
    pub(crate) fn new(all: u64, done: u64, unit: &'static str) -> Result<Meter, Failure> {
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len}, {eta} left; {msg}")?;
        let bar = ProgressBar::new(all).with_position(done).with_style(style);
        // The estimate of the time left counts only what is done from now on.
        bar.reset_eta();
        Ok(Meter {
            bar,
            all,
            unit,
            written: Mutex::new(Instant::now()),
        })
    }

    /// Shows that so many are done, and what they have come to.
    pub(crate) fn show(&self, done: u64, text: String) {
        self.bar.set_position(done);
        if self.bar.is_hidden() {
            if let Some(line) = self.line(done, &text, Instant::now()) {
                // A closed pipe does not stop the games.
                let _ = writeln!(stderr().lock(), "{line}");
            }
        } else {
            self.bar.set_message(text);
        }
    }

    /// The line that is due now, if one is.
    fn line(&self, done: u64, text: &str, now: Instant) -> Option<String> {
        let mut written = lock(&self.written);
        if now.duration_since(*written) < BETWEEN_LINES {
            return None;
        }
        *written = now;
        let left = HumanDuration(self.bar.eta());
        let (all, unit) = (self.all, self.unit);
        Some(format!("{done} of {all} {unit}s, {left} left; {text}"))
    }

    /// Hides the bar while `act` writes.
    pub(crate) fn suspend(&self, act: impl FnOnce()) {
        self.bar.suspend(act);
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_written_now_and_then() {
        let meter = Meter::new(8, 2, "step").expect("a style");
        let begun = *meter.written.lock().expect("a time");
        let line = |seconds| meter.line(3, "60 games", begun + Duration::from_secs(seconds));
        assert_eq!(line(9), None);
        let due = line(10).expect("a line");
        assert!(due.starts_with("3 of 8 steps, "), "{due}");
        assert!(due.ends_with(" left; 60 games"), "{due}");
        assert_eq!(line(19), None);
        assert!(line(20).is_some());
    }
}
