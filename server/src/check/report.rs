//! All verdicts.

use std::fmt;

use serde_json::{Value, json};

use super::{Grade, Plan, Verdict};

/// All verdicts on a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The game.
    pub game: &'static str,
    /// The command as it was given.
    pub command: Vec<String>,
    /// The verdicts, in the order in which things were looked at.
    pub verdicts: Vec<Verdict>,
}

impl Report {
    pub(super) fn new(plan: &Plan) -> Report {
        Report {
            game: plan.game().as_str(),
            command: plan.command().to_vec(),
            verdicts: Vec::new(),
        }
    }

    /// Verdicts of a grade.
    pub fn count(&self, grade: Grade) -> usize {
        self.verdicts.iter().filter(|v| v.grade == grade).count()
    }

    /// Things that would cost games; a bot without any may come.
    pub fn failures(&self) -> usize {
        self.count(Grade::Fail)
    }

    /// All of it as an object.
    pub fn to_json(&self) -> Value {
        json!({
            "game": self.game,
            "command": self.command,
            "verdicts": self.verdicts,
            "pass": self.count(Grade::Pass),
            "warn": self.count(Grade::Warn),
            "fail": self.count(Grade::Fail),
            "skip": self.count(Grade::Skip),
        })
    }
}

/// The summary in a line.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed", self.count(Grade::Pass))?;
        for (grade, what) in [
            (Grade::Warn, "to be looked at"),
            (Grade::Fail, "failed"),
            (Grade::Skip, "not looked at"),
        ] {
            match self.count(grade) {
                0 => {}
                n => write!(f, ", {n} {what}")?,
            }
        }
        f.write_str(match self.failures() {
            0 => ": ready for a tournament",
            _ => ": not ready for a tournament",
        })
    }
}
