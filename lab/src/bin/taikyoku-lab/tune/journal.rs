//! The journal of a tuning: a line of JSON for each step, in the order of the steps.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::settings::{Settings, Values};
use crate::{Failure, Refused};

/// The first line.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Head {
    settings: Settings,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct StepLine {
    pub(super) step: u32,
    pub(super) plus: Values,
    pub(super) minus: Values,
    pub(super) games: u64,
    /// The score of `plus` less that of `minus`, -1 to 1.
    pub(super) lead: f64,
    pub(super) values: Values,
}

#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens the journal of these settings, or begins it; gives the steps in it. A last line that is torn is cut off.
    pub(super) fn open(
        path: &Path,
        settings: &Settings,
    ) -> Result<(Journal, Vec<StepLine>), Failure> {
        let refused = |fault: String| Refused::because(format!("{}: {fault}", path.display()));
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|e| refused(e.to_string()))?;
        if file.try_lock().is_err() {
            return Err(refused("another tuning writes to it".to_owned()));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let end = bytes.iter().rposition(|&byte| byte == b'\n');
        bytes.truncate(end.map_or(0, |end| end + 1));
        file.set_len(bytes.len() as u64)?;
        file.seek(SeekFrom::End(0))?;
        let mut journal = Journal {
            path: path.to_owned(),
            file,
        };
        let mut lines = bytes.split(|&byte| byte == b'\n');
        let lines = lines.by_ref().filter(|line| !line.is_empty()).enumerate();
        let mut steps = Vec::new();
        for (number, line) in lines {
            let wrong = |e| refused(format!("line {}: {e}", number + 1));
            if number > 0 {
                steps.push(serde_json::from_slice(line).map_err(wrong)?);
                continue;
            }
            let head: Head = serde_json::from_slice(line).map_err(wrong)?;
            if head.settings != *settings {
                let text =
                    "it is of other settings: set them back, or name another journal with --out";
                return Err(refused(text.to_owned()));
            }
        }
        if bytes.is_empty() {
            journal.add(&Head {
                settings: settings.clone(),
            })?;
        }
        Ok((journal, steps))
    }

    /// Adds a line, which is on the disk afterwards.
    pub(super) fn add(&mut self, line: &impl Serialize) -> Result<(), Failure> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        let written = self.file.write_all(&text);
        let written = written.and_then(|()| self.file.sync_data());
        written.map_err(|e| format!("{}: {e}", self.path.display()).into())
    }
}
