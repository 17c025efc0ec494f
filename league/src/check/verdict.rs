//! What is thought of one thing.

use std::fmt;

use serde::Serialize;
use serde_json::{Value, json};

use super::CheckPlan;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Grade {
    Pass,
    /// A remark: it works, and may cost something some day.
    Warn,
    /// It would cost games.
    Fail,
    /// Not looked at, for something that comes before it has failed.
    Skip,
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Grade::Pass => "PASS",
            Grade::Warn => "WARN",
            Grade::Fail => "FAIL",
            Grade::Skip => "SKIP",
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// What was looked at, such as `split-packets`.
    pub check: &'static str,
    pub grade: Grade,
    pub seen: String,
    /// What to do about it; `None` where there is nothing to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Verdict {
    pub(super) fn pass(check: &'static str, seen: impl Into<String>) -> Verdict {
        Verdict {
            check,
            grade: Grade::Pass,
            seen: seen.into(),
            remedy: None,
        }
    }

    pub(super) fn warn(
        check: &'static str,
        seen: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Verdict {
        Verdict {
            grade: Grade::Warn,
            remedy: Some(remedy.into()),
            ..Verdict::pass(check, seen)
        }
    }

    pub(super) fn fail(
        check: &'static str,
        seen: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Verdict {
        Verdict {
            grade: Grade::Fail,
            ..Verdict::warn(check, seen, remedy)
        }
    }

    pub(super) fn skip(check: &'static str) -> Verdict {
        Verdict {
            grade: Grade::Skip,
            ..Verdict::pass(check, "not looked at: what comes before it must pass first")
        }
    }
}

/// The verdict on a line, and its remedy on the next.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = self.seen.lines();
        let first = lines.next().unwrap_or_default();
        write!(f, "{}  {:<20} {first}", self.grade, self.check)?;
        for line in lines {
            write!(f, "\n      | {line}")?;
        }
        if let Some(remedy) = &self.remedy {
            write!(f, "\n      -> {remedy}")?;
        }
        Ok(())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckReport {
    pub game: &'static str,
    /// The command as it was given.
    pub command: Vec<String>,
    /// The verdicts, in the order in which things were looked at.
    pub verdicts: Vec<Verdict>,
}

impl CheckReport {
    pub(super) fn new(plan: &CheckPlan) -> CheckReport {
        CheckReport {
            game: plan.game().as_str(),
            command: plan.command().to_vec(),
            verdicts: Vec::new(),
        }
    }

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
            "fit": self.failures() == 0,
        })
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed", self.count(Grade::Pass))?;
        for (grade, what) in [
            (Grade::Warn, "with a remark"),
            (Grade::Fail, "failed"),
            (Grade::Skip, "not looked at"),
        ] {
            match self.count(grade) {
                0 => {}
                n => write!(f, ", {n} {what}")?,
            }
        }
        f.write_str(match (self.failures(), self.count(Grade::Warn)) {
            (0, 0) => ": ready for a tournament",
            (0, _) => ": fit for a tournament, with remarks",
            _ => ": not ready for a tournament",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_one_line_and_its_remedy_another() {
        let verdict = Verdict::fail("starts", "no such program\nlast words", "give its path");
        let text = "FAIL  starts               no such program\n      | last words\n      -> give its path";
        assert_eq!(verdict.to_string(), text);
        let json = r#"{"check":"time-use","grade":"PASS","seen":"1 ms"}"#;
        let pass = Verdict::pass("time-use", "1 ms");
        assert_eq!(serde_json::to_string(&pass).unwrap(), json);
    }
}
