//! What is told of long work, on stderr.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

/// A bar for people, or a line of JSON now and then for programs.
pub(crate) struct Progress {
    bar: ProgressBar,
    json: bool,
    start: Instant,
    said: Instant,
    pub(crate) games: u64,
    pub(crate) positions: u64,
    pub(crate) evaluations: u64,
}

impl Progress {
    pub(crate) fn new(games: u64, json: bool) -> Self {
        let bar = if json {
            ProgressBar::hidden()
        } else {
            ProgressBar::new(games)
        };
        if let Ok(style) =
            ProgressStyle::with_template("{wide_bar} {pos} of {len} games, {per_sec}, {eta} left")
        {
            bar.set_style(style);
        }
        let now = Instant::now();
        Self {
            bar,
            json,
            start: now,
            said: now,
            games: 0,
            positions: 0,
            evaluations: 0,
        }
    }

    /// A game of so many plies is over.
    pub(crate) fn game(&mut self, plies: usize) {
        self.games += 1;
        self.positions += plies as u64;
        self.bar.inc(1);
        if self.said.elapsed() > Duration::from_secs(5) {
            self.said = Instant::now();
            self.say();
        }
    }

    fn say(&self) {
        if self.json {
            let line = json!({
                "games": self.games,
                "positions": self.positions,
                "evaluations": self.evaluations,
                "seconds": self.start.elapsed().as_secs_f64(),
            });
            eprintln!("{line}");
        }
    }

    /// All is done.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
        self.say();
        if !self.json && self.games == 0 {
            eprintln!(
                "the file has all of these games already; others want another --first-game, or another file"
            );
        } else if !self.json {
            let seconds = self.start.elapsed().as_secs_f64();
            eprintln!(
                "{} games, {} positions in {seconds:.1} s: {:.2} games/s",
                self.games,
                self.positions,
                self.games as f64 / seconds
            );
        }
    }
}
