//! A journal that is read back.

use std::collections::hash_map::Entry as Slot;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::{fs, io};

use record::files::in_shell;
use serde::Deserialize;

use super::line::{Entry, Head, Machine, MachineWork, PairedRound, Played, PlayedBy, VERSION};
use super::{Order, OrganiserCommand, check_change};
use crate::schedule::Key;
use crate::sections::{MOST_MATCHUPS, Section};
use crate::settings::{Format, MOST_PLIES, Settings, fault_of_stages};

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

pub(crate) const GZIP: [u8; 2] = [0x1f, 0x8b];

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
    /// The TOML file is there, and no folder of its league.
    #[error(
        "{path}: the league has not begun: taikyoku league {path} begins it; if it has another folder (--out), name that",
        path = in_shell(file)
    )]
    NotBegun {
        /// The file.
        file: PathBuf,
    },
    /// It is an archive.
    #[error(
        "{path}: this is an archive: unpack it (tar xzf {path}) and name the folder that comes out; only taikyoku league \
         verify reads archives themselves",
        path = in_shell(file)
    )]
    Archive {
        /// The file.
        file: PathBuf,
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

impl JournalError {
    /// Whether the path names no league that has begun, rather than that something has failed.
    pub const fn is_usage(&self) -> bool {
        matches!(
            self,
            JournalError::Missing { .. }
                | JournalError::NotBegun { .. }
                | JournalError::Archive { .. }
        )
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
    ///
    /// # Errors
    /// As [`Journal::read`].
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

    /// The rounds that have begun.
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

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::super::line::{Game, InRecord};
    use super::*;
    use crate::schedule::{MatchupFormat, matchups};
    use crate::settings::{Entrant, Rules, Run, Stage};
    use crate::testing;
    use record::EndKind;

    /// A league of such entrants in Daihinmin, all in one round robin.
    pub(crate) fn settings(names: &[&str], deals: u32) -> Settings {
        let entrant = |name: &&str| Entrant {
            name: (*name).to_owned(),
            ..testing::settings().entrants.swap_remove(0)
        };
        Settings {
            rules: Rules::Daihinmin(games::daihinmin::SessionRules::default()),
            deals,
            run: Run::default(),
            entrants: names.iter().map(entrant).collect(),
            ..testing::settings()
        }
    }

    /// Every fixture of a league, played; places are a function of the key and the seat.
    pub(crate) fn played(settings: &Settings) -> Vec<Played> {
        let plan = settings.plan();
        let pairs = matchups(MatchupFormat::RoundRobin, plan.entrants, plan.seats);
        let play = |fixture: crate::schedule::Fixture| {
            let shift = fixture.key.deal as usize * 7 + usize::from(fixture.key.rotation) * 3;
            let seats = fixture.seats.len();
            let place = |seat: usize| ((seat * 2 + shift + fixture.seats[seat]) % seats) as u8;
            let game = |_| Game {
                places: (0..seats).map(place).collect(),
                points: (0..seats).map(|s| f64::from(place(s))).collect(),
                plies: 40,
                moves: vec![8; seats],
                used: vec![80; seats],
                slowest: vec![20; seats],
                ..Game::default()
            };
            Played {
                key: fixture.key,
                seats: fixture.seats.clone(),
                ms: 100,
                games: (0..settings.session).map(game).collect(),
                record: None,
                host: None,
            }
        };
        plan.fixtures(&pairs).map(play).collect()
    }

    pub(crate) fn text(settings: &Settings, entries: &[Entry]) -> String {
        let head = Head {
            version: VERSION,
            started: "2026-11-21T10:00:00Z".to_owned(),
            server: "taikyoku 0.1.0".to_owned(),
            machine: None,
            settings: settings.clone(),
        };
        let mut text = serde_json::to_string(&head).unwrap() + "\n";
        for entry in entries {
            text += &(serde_json::to_string(entry).unwrap() + "\n");
        }
        text
    }

    fn parse(text: &str) -> Result<Journal, JournalError> {
        Journal::parse(Path::new("spring.league/journal.jsonl"), text.as_bytes())
    }

    fn fault(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    fn entries() -> (Settings, Vec<Entry>) {
        let settings = settings(&["a", "b", "c", "d", "e"], 3);
        let mut entries: Vec<Entry> = played(&settings).into_iter().map(Entry::Played).collect();
        entries.insert(
            4,
            Entry::Void {
                key: "0.1.2".parse().unwrap(),
                void: "a did not connect within 10 s".to_owned(),
            },
        );
        entries.push(Entry::Begun {
            begun: "2026-11-21T11:00:00Z".to_owned(),
            settings: None,
            by: None,
        });
        if let Entry::Played(played) = &mut entries[0] {
            played.games[0].kinds = vec![EndKind::Normal; 5];
            played.games[0].kinds[3] = EndKind::Timeout;
            played.games[0].at = vec![4, 3, 2, 1, 0];
            played.games[0].rule = Some("revolution".to_owned());
            played.games[0].counts = vec![-1, 2, 3, 4, 5];
            played.record = Some(InRecord {
                file: "0.0.0-2.jsonl".to_owned(),
                game: 1,
            });
        }
        (settings, entries)
    }

    #[test]
    fn what_is_written_is_read() {
        let (settings, entries) = entries();
        let text = text(&settings, &entries);
        let journal = parse(&text).unwrap();
        assert_eq!(journal.head.settings, settings);
        assert_eq!(journal.entries, entries);
        assert_eq!(journal.whole, text.len() as u64);
        assert_eq!(journal.played().count(), 15);
    }

    #[test]
    fn a_league_that_was_made_longer_has_more_deals() {
        let long = settings(&["a", "b", "c", "d", "e"], 3);
        let played = played(&long).into_iter().map(Entry::Played);
        let short = settings(&["a", "b", "c", "d", "e"], 2);
        let said = fault(&text(&short, &played.clone().collect::<Vec<_>>()));
        assert!(said.contains("jsonl:12: the key of game 0.2.0"), "{said}");
        // The clock was set back between the two.
        let longer = settings(&["a", "b", "c", "d", "e"], 4);
        let begun = |hour, settings: &Settings| Entry::Begun {
            begun: format!("2026-11-21T{hour}:00:00Z"),
            settings: Some(Box::new(settings.clone())),
            by: None,
        };
        let begun = [begun(12, &long), begun(11, &longer)];
        let entries: Vec<Entry> = played.chain(begun).collect();
        assert_eq!(
            parse(&text(&short, &entries)).unwrap().head.settings,
            longer
        );
    }

    #[test]
    fn a_line_that_changes_what_may_not_change_is_refused() {
        let first = settings(&["a", "b", "c", "d", "e"], 3);
        let begun = |change: &dyn Fn(&mut Settings)| {
            let mut settings = first.clone();
            change(&mut settings);
            Entry::Begun {
                begun: "2026-11-21T12:00:00Z".to_owned(),
                settings: Some(Box::new(settings)),
                by: None,
            }
        };
        let seed = begun(&|s| s.seed = 77.into());
        // The line after it takes the change back.
        let said = fault(&text(&first, &[seed, begun(&|_| {})]));
        assert!(said.contains("jsonl:2: `seed` was 1 and is 77"), "{said}");
        let longer = begun(&|s| s.deals = 5);
        let said = fault(&text(&first, &[longer, begun(&|_| {})]));
        assert!(said.contains("jsonl:3: `deals` was 5 and is 3"), "{said}");
        let unsound = begun(&|s| s.anchor = 5);
        let said = fault(&text(&first, &[unsound]));
        assert!(said.contains("jsonl:2: anchor is entrant 5"), "{said}");
    }

    proptest! {
        #[test]
        fn a_torn_last_line_is_left_out(cut in 0_usize..400) {
            let (settings, entries) = entries();
            let all = text(&settings, &entries);
            let cut = all.len() - cut;
            let torn = &all[..cut];
            let journal = parse(torn).unwrap();
            let whole = torn.rfind('\n').unwrap() + 1;
            prop_assert_eq!(journal.whole, whole as u64);
            prop_assert_eq!(parse(&all[..whole]).unwrap(), journal);
        }

        #[test]
        fn arbitrary_bytes_are_no_journal_and_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let (settings, entries) = entries();
            prop_assert!(Journal::parse(Path::new("j"), &bytes).is_err());
            let mut all = text(&settings, &entries).into_bytes();
            all.extend_from_slice(&bytes);
            all.push(b'\n');
            // Blank lines alone would be the only ones that say nothing.
            prop_assert!(Journal::parse(Path::new("j"), &all).is_err());
        }
    }

    #[test]
    fn bytes_that_never_reached_the_disk_are_a_torn_line() {
        let (settings, entries) = entries();
        let text = text(&settings, &entries);
        let mut bytes = text.clone().into_bytes();
        bytes.extend([0; 512]);
        let journal = Journal::parse(Path::new("j"), &bytes).unwrap();
        assert_eq!(journal.whole, text.len() as u64);
    }

    #[test]
    fn errors_name_the_line_and_the_remedy() {
        let (settings, entries) = entries();
        let text = text(&settings, &entries);
        let lines: Vec<&str> = text.lines().collect();

        let twice = format!("{text}{}\n", lines[2]);
        let said = fault(&twice);
        assert!(
            said.contains("journal.jsonl:19: game 0.0.1 was played before, on line 3; remove"),
            "{said}"
        );

        let said = fault(&text.replace("\"key\":\"0.1.0\"", "\"key\":\"0.1\""));
        assert!(
            said.contains("jsonl:8:") && said.contains("--resume"),
            "{said}"
        );

        for (from, to, what) in [
            ("\"key\":\"0.2.4\"", "\"key\":\"0.3.4\"", "the key"),
            ("\"key\":\"0.2.4\"", "\"key\":\"0.2.5\"", "the key"),
            ("\"key\":\"0.2.4\"", "\"key\":\"1.2.4\"", "`seats`"),
            ("\"at\":[4,", "\"at\":[5,", "`at`"),
            ("\"counts\":[-1,", "\"counts\":[", "`counts`"),
            ("\"places\":[1,", "\"places\":[5,", "`places`"),
            ("\"file\":\"0.0", "\"file\":\"../0.0", "`record`"),
        ] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text, "{from}");
            let said = fault(&changed);
            assert!(said.contains(what) && said.contains("remove"), "{said}");
        }

        let said = fault(&text.replace("\"taikyoku-league\":3", "\"taikyoku-league\":9"));
        assert!(said.contains("format 9"), "{said}");
        assert!(fault("").contains("--fresh"));
        assert!(fault("hello\n").contains(":1: this is not the first line"));
        let said = fault(&text.replace("\"anchor\":0", "\"anchor\":5"));
        assert!(said.contains("anchor is entrant 5"), "{said}");
    }

    #[test]
    fn a_head_that_asks_for_endless_room_is_refused() {
        let (settings, _) = entries();
        let refused = |change: &dyn Fn(&mut Settings), what: &str| {
            let mut settings = settings.clone();
            change(&mut settings);
            let text = text(&settings, &[]);
            let error = Journal::parse(Path::new("j.jsonl"), text.as_bytes()).unwrap_err();
            let said = error.to_string();
            assert!(said.contains(what) && said.contains("--fresh"), "{said}");
        };
        let stage = |advance, groups| Stage {
            name: "final".to_owned(),
            advance,
            wild_cards: 0,
            groups,
            format: Format::RoundRobin,
            deals: u32::MAX,
        };
        refused(&|s| s.groups.count = u32::MAX, "more groups than entrants");
        refused(&|s| s.stages = vec![stage(2, u32::MAX)], "more groups");
        refused(
            &|s| s.stages = vec![stage(u32::MAX, 1)],
            "more entrants go on",
        );
        refused(&|s| s.random_plies = u32::MAX, "random plies");
        refused(
            &|s| s.entrants = vec![s.entrants[0].clone(); 100],
            "matchups",
        );
    }

    #[test]
    fn a_journal_is_found_by_its_league() {
        let folder = tempfile::tempdir().unwrap();
        let league = folder.path().join("spring.league");
        let toml = folder.path().join("spring.toml");
        let said = |path: &Path| Journal::read(path).unwrap_err().to_string();
        let absent = said(&toml);
        let due = format!("{}: there is no journal here", toml.display());
        assert!(absent.starts_with(&due), "{absent}");
        fs::write(&toml, "").unwrap();
        assert!(said(&toml).contains("has not begun"));
        fs::create_dir(&league).unwrap();
        for path in [&league, &toml] {
            assert!(said(path).contains("no journal here"));
        }
        let (settings, entries) = entries();
        fs::write(league.join(FILE_NAME), text(&settings, &entries)).unwrap();
        let all = [toml, league.clone(), league.join(FILE_NAME)]
            .map(|path| Journal::read(&path).unwrap());
        assert_eq!(all[0], all[1]);
        assert_eq!(all[0], all[2]);
    }
}
