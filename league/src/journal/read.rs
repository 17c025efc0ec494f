//! A journal that is read back, line by line.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use program::Failure;
use record::files::in_shell;
use serde::Deserialize;

use super::line::{Entry, Head, Played, VERSION};
use super::{Order, check_change};
use crate::schedule::Key;
use crate::sections::{MOST_MATCHUPS, Section, fault_of_stages};
use crate::settings::{Format, MOST_PLIES, Settings};

/// Name of the journal in the folder of its league.
pub const FILE_NAME: &str = "journal.jsonl";

/// All lines of a journal.
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
    /// As [`JournalReader::open`], and as its lines.
    pub fn read(path: &Path) -> Result<Journal, JournalError> {
        JournalReader::open(path)?.journal()
    }

    /// Reads the bytes of a journal; the path is for errors only.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Journal, JournalError> {
        JournalReader::new(path, Cursor::new(bytes))?.journal()
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
}

/// A journal of which one line at a time is in memory.
#[derive(Debug)]
pub struct JournalReader<R = File> {
    /// The first line, its settings as the last change has left them.
    pub head: Head,
    /// The settings of the first line.
    pub(crate) first: Settings,
    /// Bytes of all whole lines, as [`Journal::whole`].
    pub whole: u64,
    path: PathBuf,
    input: BufReader<R>,
    /// By key the number of the last line that strikes its results before it.
    struck: HashMap<Key, usize>,
}

/// A line but the first.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalLine {
    /// Bytes before it.
    pub at: u64,
    pub entry: Entry,
    /// Whether its result counts: no later line strikes it.
    pub counts: bool,
}

/// The begin of nearly all lines: those of results, which change no setting and strike nothing.
const RESULT: &[u8] = b"{\"key\"";

impl JournalReader {
    /// Opens the journal of a path, which may be one as [`find`] knows.
    ///
    /// # Errors
    /// A file that cannot be read; a first line that is none of a journal, or a line that changes a setting that may not
    /// change.
    pub fn open(path: &Path) -> Result<JournalReader, JournalError> {
        let said = path;
        let path = find(said);
        match File::open(&path) {
            Ok(file) => JournalReader::new(&path, file),
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
}

impl<R: Read + Seek> JournalReader<R> {
    /// Begins with a journal: looks for what its last lines say of the ones before. The path is for errors only.
    pub fn new(path: &Path, input: R) -> Result<JournalReader<R>, JournalError> {
        let failed = |source| JournalError::File {
            path: path.to_owned(),
            source,
        };
        let error = |line: usize, fault: String| JournalError::Line {
            path: path.to_owned(),
            line,
            fault,
        };
        let mut input = BufReader::with_capacity(1 << 16, input);
        if input.fill_buf().map_err(failed)?.starts_with(&GZIP) {
            let file = path.to_owned();
            return Err(JournalError::Archive { file });
        }
        let mut line = Vec::new();
        input.read_until(b'\n', &mut line).map_err(failed)?;
        if !line.ends_with(b"\n") {
            return Err(error(1, NO_HEAD.to_owned()));
        }
        let head = head(&line).map_err(|fault| error(1, fault))?;
        let first = head.settings.clone();
        let mut reader = JournalReader {
            head,
            first,
            whole: line.len() as u64,
            path: path.to_owned(),
            input,
            struck: HashMap::new(),
        };
        for number in 2.. {
            line.clear();
            let read = reader.input.read_until(b'\n', &mut line);
            let length = read.map_err(failed)?;
            if !line.ends_with(b"\n") {
                break;
            }
            reader.whole += length as u64;
            if line.starts_with(RESULT) {
                continue;
            }
            let entry = entry(&line).map_err(|fault| error(number, fault))?;
            if let Some(key) = entry.strikes() {
                reader.struck.insert(key, number);
            }
            if let Entry::Begun {
                settings: Some(now),
                ..
            } = entry
            {
                // In the order of the lines: clocks may be set back.
                let changed = change(&reader.head.settings, &now);
                changed.map_err(|fault| error(number, fault))?;
                reader.head.settings = *now;
            }
        }
        Ok(reader)
    }

    /// The lines behind the first.
    ///
    /// # Errors
    /// A file that cannot be read; of a line, other than a torn last one, that it is none of a journal or does not fit the
    /// league, or that its fixture was played before.
    pub fn lines(&mut self) -> Result<JournalLines<'_, R>, JournalError> {
        let mut lines = JournalLines {
            order: Order::of(&self.head.settings),
            known: HashMap::new(),
            number: 0,
            at: 0,
            line: Vec::new(),
            reader: self,
        };
        let begun = lines.reader.input.rewind().and_then(|()| lines.advance());
        begun.map_err(|source| lines.reader.failed(source))?;
        Ok(lines)
    }

    pub(crate) fn journal(mut self) -> Result<Journal, JournalError> {
        let lines = self.lines()?;
        let entries = lines.map(|line| line.map(|line| line.entry));
        let entries = entries.collect::<Result<Vec<Entry>, JournalError>>()?;
        Ok(Journal {
            head: self.head,
            entries,
            whole: self.whole,
        })
    }

    /// The results at these places of the journal, to be read in any order.
    pub(crate) fn fixtures(self, places: Vec<(Key, u64)>) -> Fixtures<R> {
        Fixtures {
            input: self.input,
            places,
        }
    }

    fn failed(&self, source: io::Error) -> JournalError {
        JournalError::File {
            path: self.path.clone(),
            source,
        }
    }
}

#[derive(Debug)]
pub struct JournalLines<'a, R> {
    reader: &'a mut JournalReader<R>,
    order: Order,
    /// The fixtures of which a result counts, with its line.
    known: HashMap<Key, usize>,
    /// The line that was read last.
    number: usize,
    at: u64,
    line: Vec<u8>,
}

impl<R: Read + Seek> JournalLines<'_, R> {
    fn advance(&mut self) -> io::Result<()> {
        self.at += self.line.len() as u64;
        self.number += 1;
        self.line.clear();
        self.reader.input.read_until(b'\n', &mut self.line)?;
        Ok(())
    }

    /// The line that was read last, or what is wrong with it.
    fn parsed(&mut self) -> Result<JournalLine, String> {
        let entry = entry(&self.line)?;
        let settings = &self.reader.head.settings;
        if let Some(key) = entry.strikes() {
            self.known.remove(&key);
        }
        if let Entry::Round { round, .. } = &entry {
            let mut all = round.matchups.iter().chain(&round.groups).flatten();
            if all.any(|&entrant| entrant >= settings.entrants.len()) {
                let fault = "the round does not fit the league of the first line; remove the line";
                return Err(fault.to_owned());
            }
        }
        let mut counts = false;
        if let Some(played) = entry.played() {
            check(played, settings, &self.order)?;
            let struck = self.reader.struck.get(&played.key);
            counts = struck.is_none_or(|&from| self.number > from);
            if let Some(line) = self.known.insert(played.key, self.number) {
                return Err(format!(
                    "game {} was played before, on line {line}; remove one of the two lines",
                    played.key
                ));
            }
        }
        Ok(JournalLine {
            at: self.at,
            entry,
            counts,
        })
    }
}

impl<R: Read + Seek> Iterator for JournalLines<'_, R> {
    type Item = Result<JournalLine, JournalError>;

    fn next(&mut self) -> Option<Result<JournalLine, JournalError>> {
        if let Err(source) = self.advance() {
            return Some(Err(self.reader.failed(source)));
        }
        // What is behind was written since.
        (self.at < self.reader.whole).then(|| {
            self.parsed().map_err(|fault| JournalError::Line {
                path: self.reader.path.clone(),
                line: self.number,
                fault,
            })
        })
    }
}

/// The results of a journal that count. Each is read when it is asked for.
#[derive(Debug)]
pub struct Fixtures<R = File> {
    input: BufReader<R>,
    /// By key the bytes before its line.
    places: Vec<(Key, u64)>,
}

impl<R: Read + Seek> Fixtures<R> {
    /// All of them, in this order.
    pub fn by<K: Ord>(
        &mut self,
        order: impl Fn(Key) -> K,
    ) -> impl Iterator<Item = io::Result<Played>> {
        self.places.sort_unstable_by_key(|&(key, _)| order(key));
        let (input, places) = (&mut self.input, &self.places);
        let mut line = Vec::new();
        places.iter().map(move |&(_, at)| {
            let now = input.stream_position()?;
            // What is read ahead stays where it is of use.
            input.seek_relative(at.cast_signed() - now.cast_signed())?;
            line.clear();
            input.read_until(b'\n', &mut line)?;
            match entry(&line) {
                Ok(
                    Entry::Played(played)
                    | Entry::Replayed {
                        replayed: played, ..
                    },
                ) => Ok(played),
                _ => Err(io::Error::other(
                    "the journal has changed since it was read",
                )),
            }
        })
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

/// Whether a line may bring these settings in place of those before.
fn change(before: &Settings, now: &Settings) -> Result<(), String> {
    sound(now)?;
    check_change(before, now).map_err(|changed| {
        let remedy = "put back a copy of the journal, or begin the league anew with --fresh";
        format!("{}{}; {remedy}", changed.difference, changed.why)
    })
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
            Err(_) => Err(format!(
                "no line of a journal: {e}; without this line its game is played again on --resume"
            )),
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
