//! What an organiser does to a league: pause it, have a game played again, disqualify an entrant.
//!
//! A program adds a command to a file beside the journal, also while the league runs. The league looks there, does what
//! is asked for, and writes the command into its journal, which alone says what holds.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::{fs, io};

use record::files::named;
use serde::{Deserialize, Serialize};

use crate::schedule::Key;
use crate::settings::Settings;

/// Name of the file in the folder of a league.
pub const ACTS: &str = "acts.jsonl";

/// Bytes of the file that are read; nobody does so much.
const MOST_BYTES: u64 = 1 << 20;
/// Bytes of the longest line of a command, with its reason.
const LONGEST_ACT: u64 = 8 << 10;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrganiserCommand {
    /// Its number, from 0.
    pub number: u32,
    /// When it was asked for, RFC 3339.
    pub at: String,
    #[serde(flatten)]
    pub action: CommandAction,
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "kebab-case")]
pub enum CommandAction {
    /// No other fixture begins.
    Pause,
    /// Fixtures begin again.
    Resume,
    /// The result of a fixture is struck, and the fixture is played again.
    Replay { key: Key },
    /// An entrant plays no more.
    Disqualify { entrant: String },
    /// An entrant that was disqualified or set aside plays again.
    Reinstate { entrant: String },
}

impl OrganiserCommand {
    /// What is done and why, for people.
    pub fn text(&self) -> String {
        let what = match &self.action {
            CommandAction::Pause => "paused".to_owned(),
            CommandAction::Resume => "resumed".to_owned(),
            CommandAction::Replay { key } => {
                format!("game {key} is played again, its result is struck")
            }
            CommandAction::Disqualify { entrant } => format!("{entrant} is disqualified"),
            CommandAction::Reinstate { entrant } => {
                format!("{entrant} plays again")
            }
        };
        match &self.reason[..] {
            "" => what,
            reason => format!("{what}: {reason}"),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrganiserState {
    /// The command that has paused the league, if it is paused.
    pub pause: Option<OrganiserCommand>,
    /// Entrants that are disqualified, by number.
    pub disqualified: BTreeSet<usize>,
    /// Fixtures of which a result was struck.
    pub struck: BTreeSet<Key>,
    /// The number of the next command.
    pub next: u32,
}

impl OrganiserState {
    pub fn follow(&mut self, act: &OrganiserCommand, settings: &Settings) {
        self.next = self.next.max(act.number.saturating_add(1));
        let number_of = |entrant: &String| {
            let names = settings.names();
            names.iter().position(|name| name == entrant)
        };
        match &act.action {
            CommandAction::Pause => self.pause = Some(act.clone()),
            CommandAction::Resume => self.pause = None,
            CommandAction::Replay { key } => _ = self.struck.insert(*key),
            CommandAction::Disqualify { entrant } => self.disqualified.extend(number_of(entrant)),
            CommandAction::Reinstate { entrant } => {
                self.disqualified
                    .retain(|&number| Some(number) != number_of(entrant));
            }
        }
    }
}

#[derive(Clone, Debug)]
pub struct CommandFile {
    path: PathBuf,
    /// Its length when it was read last.
    length: u64,
}

impl CommandFile {
    pub fn beside(journal: &Path) -> CommandFile {
        CommandFile {
            path: journal.with_file_name(ACTS),
            length: 0,
        }
    }

    /// The commands from this number on, if the file has grown since it was read last.
    pub fn since(&mut self, next: u32) -> Vec<OrganiserCommand> {
        let length = fs::metadata(&self.path).map_or(0, |data| data.len());
        if length == self.length {
            return Vec::new();
        }
        match read(&self.path) {
            Ok(text) => {
                self.length = length;
                let acts = acts(&text).into_iter();
                acts.filter(|act| act.number >= next).collect()
            }
            Err(e) => {
                log::warn!("{}: {e}", self.path.display());
                Vec::new()
            }
        }
    }

    /// Adds a command, which gets this number or a later one and this time.
    pub fn add(
        &self,
        action: CommandAction,
        reason: &str,
        next: u32,
        at: String,
    ) -> io::Result<OrganiserCommand> {
        let add = || {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            let mut file: File = options.open(&self.path)?;
            // Given free when the file is closed.
            file.lock()?;
            let text = read(&self.path)?;
            if text.len() as u64 + LONGEST_ACT > MOST_BYTES {
                return Err(io::Error::new(
                    io::ErrorKind::FileTooLarge,
                    "there are too many acts in it",
                ));
            }
            let known = acts(&text).last().map_or(0, |last| last.number + 1);
            let act = OrganiserCommand {
                number: known.max(next),
                at,
                action,
                reason: reason.to_owned(),
            };
            // What a command that was killed has left of a line goes.
            let whole = text.rfind('\n').map_or(0, |end| end + 1);
            file.set_len(whole as u64)?;
            file.seek(SeekFrom::End(0))?;
            let line = serde_json::to_string(&act)? + "\n";
            file.write_all(line.as_bytes())?;
            file.sync_all()?;
            Ok(act)
        };
        add().map_err(|e| named(&self.path, &e))
    }
}

/// The text of the file; one that is not there is empty.
fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    match File::open(path) {
        Ok(file) => file.take(MOST_BYTES).read_to_string(&mut text)?,
        Err(e) if e.kind() == io::ErrorKind::NotFound => 0,
        Err(e) => return Err(e),
    };
    Ok(text)
}

/// The commands of whole lines. A line that is no command is left out.
fn acts(text: &str) -> Vec<OrganiserCommand> {
    let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    let act = |line: &str| {
        let act = serde_json::from_str(line);
        act.inspect_err(|e| log::warn!("{ACTS}: no act: {e}")).ok()
    };
    whole.lines().filter_map(act).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::tests::{played, read, settings, text};
    use crate::journal::{Entry, Journal, Played};

    fn act(number: u32, action: CommandAction) -> OrganiserCommand {
        OrganiserCommand {
            number,
            at: "2026-11-23T10:00:00Z".to_owned(),
            action,
            reason: "the power failed".to_owned(),
        }
    }

    fn line(number: u32, action: CommandAction) -> Entry {
        let act = act(number, action);
        let begun = "2026-11-23T10:00:01Z".to_owned();
        Entry::Command { begun, act }
    }

    fn replay(key: &str) -> CommandAction {
        let key = key.parse().unwrap();
        CommandAction::Replay { key }
    }

    #[test]
    fn an_act_is_read_once_and_a_torn_line_goes() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal.jsonl");
        let mut file = CommandFile::beside(&journal);
        assert_eq!(file.since(0), []);
        let at = || "2026-11-23T10:00:00Z".to_owned();
        let pause = file.add(CommandAction::Pause, "lunch", 0, at()).unwrap();
        assert_eq!(file.since(0), std::slice::from_ref(&pause));
        assert_eq!(file.since(0), []);
        let path = folder.path().join(ACTS);
        let torn = fs::read_to_string(&path).unwrap() + "{\"number\":1";
        fs::write(&path, torn).unwrap();
        assert_eq!(file.since(1), []);
        let key = "0.1.0".parse().unwrap();
        let replay = file
            .add(CommandAction::Replay { key }, "", 0, at())
            .unwrap();
        assert_eq!((pause.number, replay.number), (0, 1));
        assert_eq!(file.since(1), [replay]);
        // The journal knows more acts than a file that was lost.
        fs::remove_file(&path).unwrap();
        assert_eq!(
            file.add(CommandAction::Resume, "", 5, at()).unwrap().number,
            5
        );
    }

    #[test]
    fn orders_follow_from_the_acts_of_the_journal() {
        let settings = settings(&["a", "b", "c", "d", "e"], 2);
        let entrant = "c".to_owned();
        let out = |name: &str| CommandAction::Disqualify {
            entrant: name.to_owned(),
        };
        let back = |name: &str| CommandAction::Reinstate {
            entrant: name.to_owned(),
        };
        let entries = [
            line(0, CommandAction::Pause),
            line(1, CommandAction::Disqualify { entrant }),
            line(2, CommandAction::Resume),
            line(3, out("a")),
            line(4, CommandAction::Pause),
            line(5, back("a")),
        ];
        let orders = read(&settings, &entries).orders;
        assert_eq!(orders.pause.map(|act| act.number), Some(4));
        assert_eq!((orders.next, orders.disqualified), (6, [2].into()));
    }

    #[test]
    fn a_result_that_was_struck_is_kept_and_the_next_one_counts() {
        let settings = settings(&["a", "b", "c", "d", "e"], 2);
        let all = played(&settings);
        let mut entries: Vec<Entry> = all.iter().cloned().map(Entry::Played).collect();
        entries.push(line(0, replay("0.1.2")));
        let counted = |entries: &[Entry]| -> Vec<Played> {
            let text = text(&settings, entries);
            let journal = Journal::parse(Path::new("j"), text.as_bytes()).unwrap();
            assert!(journal.all_played().count() >= 10);
            journal.played().cloned().collect()
        };
        let mut due = all.clone();
        let mut again = due.remove(7);
        assert_eq!(counted(&entries), due);
        again.ms = 7;
        due.push(again.clone());
        let begun = "2026-11-23T10:00:09Z".to_owned();
        let replayed = again.clone();
        entries.push(Entry::Replayed { begun, replayed });
        assert_eq!(counted(&entries), due);
        // Twice is once too often, and another act strikes the second.
        let twice = [&entries[..], &[Entry::Played(again)]].concat();
        let text = text(&settings, &twice);
        assert!(Journal::parse(Path::new("j"), text.as_bytes()).is_err());
        entries.push(line(1, replay("0.1.2")));
        assert_eq!(counted(&entries), due[..9]);
    }
}
