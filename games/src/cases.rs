//! The share of the cases that the tests draw which one run of them plays. Only tests read the clock and variables here.

use std::env;
use std::ops::Range;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

/// Days that the tests take for all cases that they draw.
const PARTS: u64 = 8;

/// The cases of a test that this run plays: the eighth of `0..of` that the day gives, so that eight days play all of them,
/// or all with `TAIKYOKU_FULL=1`. They are neighbours, so that those that depend on the remainder of a seed all come. A test
/// that fails among them prints the case, and the day that repeats it.
#[derive(Debug)]
pub struct Cases {
    left: Range<u64>,
    /// Days since 1970; `None` when all are played.
    day: Option<u64>,
}

impl Cases {
    /// The cases of today, or of the day `TAIKYOKU_DAY`.
    ///
    /// # Panics
    /// When the variable is no number.
    pub fn new(of: u64) -> Cases {
        if env::var("TAIKYOKU_FULL").is_ok_and(|full| full == "1") {
            let (left, day) = (0..of, None);
            return Cases { left, day };
        }
        let day = env::var("TAIKYOKU_DAY").map_or_else(
            |_| today(),
            |day| day.parse().expect("TAIKYOKU_DAY is a number"),
        );
        let part = day % PARTS;
        let left = of * part / PARTS..of * (part + 1) / PARTS;
        println!("cases {left:?} of {of}: those of day {day}; TAIKYOKU_FULL=1 plays all");
        let day = Some(day);
        Cases { left, day }
    }

    /// The cases that are left. Their start is a seed for what a test draws once for all of them.
    pub fn left(&self) -> Range<u64> {
        self.left.clone()
    }
}

impl Iterator for Cases {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.left.next()
    }
}

impl Drop for Cases {
    fn drop(&mut self) {
        if let (true, Some(day)) = (thread::panicking(), self.day) {
            let case = self.left.start.saturating_sub(1);
            println!("case {case} fails: TAIKYOKU_DAY={day} repeats it");
        }
    }
}

fn today() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs() / (24 * 60 * 60))
}
