//! A journal that is read back.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Entry, Head, Order, Played, VERSION};
use crate::league::schedule::Key;
use crate::league::settings::{Format, Settings};

/// Name of the journal in the folder of its league.
pub const FILE_NAME: &str = "journal.jsonl";

/// What has been written so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Journal {
    /// The first line, its settings as the last change has left them.
    pub head: Head,
    /// The others, in their order.
    pub entries: Vec<Entry>,
    /// Bytes of all whole lines. What is behind them is a torn line that must be cut off before anything is written.
    pub whole: u64,
}

/// A journal that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is no file where it should be.
    #[error(
        "{}: there is no journal here; name the journal, the folder of the league (FILE.league, or what --out said) or its FILE.toml",
        path.display()
    )]
    Missing {
        /// Where it should be.
        path: PathBuf,
    },
    /// A line cannot be used.
    #[error("{}:{line}: {fault}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong, and what to do.
        fault: String,
    },
}

/// The journal of a path: the path itself, or that in a league's folder, or that in the folder beside its TOML file.
pub fn find(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.join(FILE_NAME)
    } else if path.extension().is_some_and(|e| e == "toml") {
        path.with_extension("league").join(FILE_NAME)
    } else {
        path.to_owned()
    }
}

impl Journal {
    /// Reads the journal of a path, which may be one as [`find`] knows.
    ///
    /// # Errors
    /// A file that cannot be read; a line, other than a torn last one, that is none of a journal or does not fit the
    /// league of the first; a fixture that was played twice.
    pub fn read(path: &Path) -> Result<Journal, JournalError> {
        let path = find(path);
        match fs::read(&path) {
            Ok(bytes) => Journal::parse(&path, &bytes),
            Err(source) if source.kind() == io::ErrorKind::NotFound => {
                Err(JournalError::Missing { path })
            }
            Err(source) => Err(JournalError::File { path, source }),
        }
    }

    /// Reads the bytes of a journal; the path is for errors only.
    ///
    /// # Errors
    /// As [`Journal::read`].
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Journal, JournalError> {
        let error = |line: usize, fault: String| JournalError::Line {
            path: path.to_owned(),
            line,
            fault,
        };
        let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        let mut lines = (1..).zip(bytes[..whole].split_inclusive(|&b| b == b'\n'));
        let first = lines.next().map(|(_, line)| head(line));
        let head = match first {
            Some(head) => head.map_err(|fault| error(1, fault))?,
            None => return Err(error(1, NO_HEAD.to_owned())),
        };
        let mut entries = Vec::with_capacity(bytes.len() / 256);
        for (number, line) in lines {
            entries.push(entry(line).map_err(|fault| {
                let remedy = "without this line its game is played again on --resume";
                error(number, format!("{fault}; {remedy}"))
            })?);
        }
        let mut journal = Journal {
            head,
            entries,
            whole: whole as u64,
        };
        journal.head.settings = journal.changed();
        journal
            .check()
            .map_err(|(line, fault)| error(line, fault))?;
        Ok(journal)
    }

    /// The settings of the first line with all changes since, in the order of their lines: clocks may be set back.
    fn changed(&self) -> Settings {
        let mut settings = self.head.settings.clone();
        for entry in &self.entries {
            if let Entry::Begun {
                changed: Some(changed),
                ..
            } = entry
            {
                changed.apply(&mut settings);
            }
        }
        settings
    }

    /// Whether each fixture fits the league and was played but once. An error comes with the number of its line.
    fn check(&self) -> Result<(), (usize, String)> {
        let settings = &self.head.settings;
        let order = Order::of(settings);
        let mut known: HashMap<Key, usize> = HashMap::with_capacity(self.entries.len());
        // The first line is the head.
        for (line, entry) in (2..).zip(&self.entries) {
            let Entry::Played(played) = entry else {
                continue;
            };
            check(played, settings, &order).map_err(|fault| (line, fault))?;
            match known.entry(played.key) {
                Slot::Vacant(slot) => _ = slot.insert(line),
                Slot::Occupied(slot) => {
                    let fault = format!(
                        "game {} was played before, on line {}; remove one of the two lines",
                        played.key,
                        slot.get()
                    );
                    return Err((line, fault));
                }
            }
        }
        Ok(())
    }

    /// The fixtures that were played, in the order of their lines.
    pub fn played(&self) -> impl Iterator<Item = &Played> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Played(played) => Some(played),
            Entry::Void { .. } | Entry::Begun { .. } => None,
        })
    }
}

const NO_HEAD: &str = "no first line of a league; start anew with --fresh";

fn head(line: &[u8]) -> Result<Head, String> {
    #[derive(Deserialize)]
    struct Version {
        #[serde(rename = "taikyoku-league")]
        version: u32,
    }
    let Ok(Version { version }) = serde_json::from_slice(line) else {
        return Err(NO_HEAD.to_owned());
    };
    if version != VERSION {
        return Err(format!(
            "the journal has format {version}, this program knows {VERSION}; use the program that began it"
        ));
    }
    let head: Head = serde_json::from_slice(line).map_err(|e| format!("{e}: {NO_HEAD}"))?;
    sound(&head.settings)?;
    Ok(head)
}

/// Whether all numbers of entrants are some of theirs.
fn sound(settings: &Settings) -> Result<(), String> {
    let entrants = settings.entrants.len();
    let mut named = vec![("anchor", settings.anchor)];
    if let Some(sprt) = &settings.sprt {
        named.push(("sprt", sprt.entrant));
    }
    if let Format::Gauntlet { challenger } | Format::Copies { challenger } = settings.format {
        named.push(("challenger", challenger));
    }
    let wrong = named.into_iter().find(|&(_, entrant)| entrant >= entrants);
    wrong.map_or(Ok(()), |(name, entrant)| {
        Err(format!(
            "{name} is entrant {entrant}, but the last of {entrants} has the number before theirs; start anew with --fresh"
        ))
    })
}

/// A line but the first. That of a played fixture, as nearly all are, is tried first, which also gives the better error.
fn entry(line: &[u8]) -> Result<Entry, String> {
    match serde_json::from_slice(line) {
        Ok(played) => Ok(Entry::Played(played)),
        Err(e) => match serde_json::from_slice(line) {
            Ok(entry) => Ok(entry),
            Err(_) => Err(format!("no line of a journal: {e}")),
        },
    }
}

/// Whether the lists of a line have the lengths, and its numbers the ranges, of the league.
fn check(played: &Played, settings: &Settings, order: &Order) -> Result<(), String> {
    let seats = settings.seats();
    let entrants = settings.entrants.len();
    let of = |what: &str| {
        Err(format!(
            "{what} of game {} does not fit the league of the first line; remove the line and the game is played again on --resume",
            played.key
        ))
    };
    if played.seats.len() != seats || played.seats.iter().any(|&e| e >= entrants) {
        return of("`seats`");
    }
    let Key {
        matchup,
        deal,
        rotation,
    } = played.key;
    if usize::from(rotation) >= seats || deal >= settings.deals {
        return of("the key");
    }
    if !order.seats(matchup, &played.seats) {
        return of("`seats`");
    }
    if played.games.is_empty() {
        return of("`games`");
    }
    for game in &played.games {
        let all = [
            ("`places`", game.places.len()),
            ("`points`", game.points.len()),
            ("`moves`", game.moves.len()),
            ("`used`", game.used.len()),
            ("`slowest`", game.slowest.len()),
        ];
        let some = [
            ("`counts`", game.counts.len()),
            ("`kinds`", game.kinds.len()),
            ("`at`", game.at.len()),
        ];
        let some = some.into_iter().filter(|&(_, n)| n > 0);
        if let Some((what, _)) = all.into_iter().chain(some).find(|&(_, n)| n != seats) {
            return of(what);
        }
        if game.places.iter().any(|&p| usize::from(p) >= seats) {
            return of("`places`");
        }
        if game.at.iter().any(|&at| usize::from(at) >= seats) {
            return of("`at`");
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests;
