//! A journal that is read back.

use std::collections::hash_map::Entry as Slot;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::{fs, io};

use program::Failure;
use record::files::in_shell;
use serde::Deserialize;

use super::line::{Entry, Head, Machine, MachineWork, PairedRound, Played, PlayedBy, VERSION};
use super::{Order, OrganiserCommand, OrganiserState, check_change};
use crate::schedule::Key;
use crate::sections::{MOST_MATCHUPS, Section, fault_of_stages};
use crate::settings::{Format, MOST_PLIES, Settings};

/// Name of the journal in the folder of its league.
pub const FILE_NAME: &str = "journal.jsonl";

#[derive(Clone, Debug, PartialEq)]
pub struct Journal {
    /// The first line, its settings as the last change has left them.
    pub head: Head,
    /// The others, in their order.
    pub entries: Vec<Entry>,
    /// Bytes of all whole lines. What is behind them is a torn line that must be cut off before anything is written.
    pub whole: u64,
}

pub(crate) const GZIP: [u8; 2] = [0x1f, 0x8b];

#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    /// There is no file where it should be.
    #[error(
        "{}: there is no journal here; name the journal, the folder of the league (FILE.league, or what --out said) or its FILE.toml",
        path.display()
    )]
    Missing { path: PathBuf },
    /// The TOML file is there, and no folder of its league.
    #[error(
        "{path}: the league has not begun: taikyoku league {path} begins it; if it has another folder (--out), name that",
        path = in_shell(file)
    )]
    NotBegun { file: PathBuf },
    #[error(
        "{path}: this is an archive: unpack it (tar xzf {path}) and name the folder that comes out; only taikyoku league \
         verify reads archives themselves",
        path = in_shell(file)
    )]
    Archive { file: PathBuf },
    #[error("{}:{line}: {fault}", path.display())]
    Line {
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong, and what to do.
        fault: String,
    },
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Failure {
        match error {
            // The path names no league that has begun.
            JournalError::Missing { .. }
            | JournalError::NotBegun { .. }
            | JournalError::Archive { .. } => Failure::usage(error),
            JournalError::File { .. } | JournalError::Line { .. } => Failure::failed(error),
        }
    }
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

/// The folder of a league that is named as [`find`] takes it.
pub fn folder_of(league: &Path) -> PathBuf {
    let journal = find(league);
    let folder = journal.parent().filter(|path| !path.as_os_str().is_empty());
    folder.unwrap_or(Path::new(".")).to_owned()
}

impl Journal {
    /// Reads the journal of a path, which may be one as [`find`] knows.
    ///
    /// # Errors
    /// A file that cannot be read; a line, other than a torn last one, that is none of a journal or does not fit the
    /// league of the first, or changes a setting that may not change; a fixture that was played twice.
    pub fn read(path: &Path) -> Result<Journal, JournalError> {
        Journal::read_with_first(path).map(|(journal, _)| journal)
    }

    /// As [`Journal::read`], with the settings of the first line.
    pub(crate) fn read_with_first(path: &Path) -> Result<(Journal, Settings), JournalError> {
        let said = path;
        let path = find(said);
        match fs::read(&path) {
            Ok(bytes) if bytes.starts_with(&GZIP) => Err(JournalError::Archive { file: path }),
            Ok(bytes) => Journal::parse_with_first(&path, &bytes),
            Err(source) if source.kind() == io::ErrorKind::NotFound => {
                // `find` gives a file below a folder that is named, or else that of a TOML file.
                let is_begun = path.parent().is_some_and(Path::is_dir);
                Err(if path.starts_with(said) || is_begun {
                    JournalError::Missing { path }
                } else if said.is_file() {
                    let file = said.to_owned();
                    JournalError::NotBegun { file }
                } else {
                    let path = said.to_owned();
                    JournalError::Missing { path }
                })
            }
            Err(source) => Err(JournalError::File { path, source }),
        }
    }

    /// Reads the bytes of a journal; the path is for errors only.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Journal, JournalError> {
        Journal::parse_with_first(path, bytes).map(|(journal, _)| journal)
    }

    fn parse_with_first(path: &Path, bytes: &[u8]) -> Result<(Journal, Settings), JournalError> {
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
        let changed = journal.changed();
        let changed = changed.map_err(|(line, fault)| error(line, fault))?;
        let first = std::mem::replace(&mut journal.head.settings, changed);
        journal
            .check()
            .map_err(|(line, fault)| error(line, fault))?;
        Ok((journal, first))
    }

    /// The settings after all changes, in the order of their lines: clocks may be set back. An error comes with the number of
    /// its line.
    fn changed(&self) -> Result<Settings, (usize, String)> {
        let mut settings = self.head.settings.clone();
        // The first line is the head.
        for (line, entry) in (2..).zip(&self.entries) {
            let Entry::Begun {
                settings: Some(now),
                ..
            } = entry
            else {
                continue;
            };
            sound(now).map_err(|fault| (line, fault))?;
            check_change(&settings, now).map_err(|changed| {
                let remedy =
                    "put back a copy of the journal, or begin the league anew with --fresh";
                (
                    line,
                    format!("{}{}; {remedy}", changed.difference, changed.why),
                )
            })?;
            settings.clone_from(now);
        }
        Ok(settings)
    }

    /// Whether each fixture fits the league and was played but once. An error comes with the number of its line.
    fn check(&self) -> Result<(), (usize, String)> {
        let settings = &self.head.settings;
        let order = Order::of(settings);
        let mut known: HashMap<Key, usize> = HashMap::with_capacity(self.entries.len());
        // The first line is the head.
        for (line, entry) in (2..).zip(&self.entries) {
            if let Some(key) = entry.strikes() {
                known.remove(&key);
            }
            if let Entry::Round { round, .. } = entry {
                let mut all = round.matchups.iter().chain(&round.groups).flatten();
                if all.any(|&entrant| entrant >= settings.entrants.len()) {
                    let fault =
                        "the round does not fit the league of the first line; remove the line";
                    return Err((line, fault.to_owned()));
                }
            }
            let Some(played) = entry.played() else {
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

    /// The fixtures that were played, in the order of their lines, without results that were struck.
    pub fn played(&self) -> impl Iterator<Item = &Played> {
        // By key the line from which on its results count.
        let lines = self.entries.iter().enumerate();
        let struck = lines.filter_map(|(line, entry)| Some((entry.strikes()?, line)));
        let struck: HashMap<Key, usize> = struck.collect();
        let counts = move |line: usize, played: &Played| {
            struck.get(&played.key).is_none_or(|&from| line > from)
        };
        let all = self.entries.iter().enumerate();
        all.filter_map(move |(line, entry)| entry.played().filter(|played| counts(line, played)))
    }

    /// All results, also those that were struck.
    pub fn all_played(&self) -> impl Iterator<Item = &Played> {
        self.entries.iter().filter_map(Entry::played)
    }

    pub fn rounds(&self) -> impl Iterator<Item = &PairedRound> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Round { round, .. } => Some(round),
            _ => None,
        })
    }

    /// The programs and machines that have played the league, each with the time from which on.
    pub fn played_by(&self) -> Vec<PlayedBy> {
        let mut all = vec![PlayedBy {
            since: self.head.started.clone(),
            program: self.head.server.clone(),
            machine: self.head.machine.clone(),
        }];
        for entry in &self.entries {
            let Entry::Begun {
                begun,
                by: Some(by),
                ..
            } = entry
            else {
                continue;
            };
            let last = &all[all.len() - 1];
            if (&last.program, last.machine.as_ref()) != (&by.program, Some(&by.machine)) {
                all.push(PlayedBy {
                    since: begun.clone(),
                    program: by.program.clone(),
                    machine: Some(by.machine.clone()),
                });
            }
        }
        all
    }

    /// What each machine has played of the results that count, where others than the league's own have: by their names.
    pub fn machines(&self) -> Vec<MachineWork> {
        let mut all: BTreeMap<&str, MachineWork> = BTreeMap::new();
        let work = |name: &str| MachineWork {
            name: name.to_owned(),
            fixtures: 0,
            ms: 0,
            hosts: Vec::new(),
        };
        for played in self.played() {
            if let Some(name) = &played.host {
                let work = all.entry(name).or_insert_with(|| work(name));
                work.fixtures += 1;
                work.ms += played.ms;
            }
        }
        for entry in &self.entries {
            if let Entry::Joined {
                joined: Machine { name, host },
                ..
            } = entry
            {
                let work = all.entry(name).or_insert_with(|| work(name));
                if !work.hosts.contains(host) {
                    work.hosts.push(host.clone());
                }
            }
        }
        all.into_values().collect()
    }

    /// What was done to the league, in the order of the lines.
    pub fn commands(&self) -> impl Iterator<Item = &OrganiserCommand> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Command { act, .. } => Some(act),
            _ => None,
        })
    }

    /// The state of the league after what was done to it.
    pub fn organiser_state(&self) -> OrganiserState {
        let mut state = OrganiserState::default();
        for act in self.commands() {
            state.follow(act, &self.head.settings);
        }
        state
    }
}

const NO_HEAD: &str = "this is not the first line of a league's journal: the file may be another one; if it is the \
                       journal of this league, it is damaged: put back a copy of it, or begin the league anew with --fresh";

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

/// Whether all numbers of entrants are some of theirs, and no number asks for more memory or time than a league takes.
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
    let fault = if let Some((name, entrant)) = wrong {
        format!("{name} is entrant {entrant}, but there are {entrants}, numbered from 0")
    } else if let Some((key, reason)) = fault_of_stages(settings) {
        format!("{key}: {reason}")
    } else if Section::matchups_of(settings) > MOST_MATCHUPS {
        format!("the schedule has more than {MOST_MATCHUPS} matchups")
    } else if settings.random_plies > MOST_PLIES {
        format!("at most {MOST_PLIES} random plies are possible")
    } else {
        return Ok(());
    };
    Err(format!("{fault}; start anew with --fresh"))
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
    if usize::from(rotation) >= seats || deal >= order.deals(matchup) {
        return of("the key");
    }
    if !order.seats(matchup, &played.seats) {
        return of("`seats`");
    }
    if played.games.is_empty() {
        return of("`games`");
    }
    if played.record.as_ref().is_some_and(|at| !at.is_plain()) {
        return of("`record`");
    }
    match played.games.iter().find_map(|game| game.misfit(seats)) {
        Some(what) => of(what),
        None => Ok(()),
    }
}
