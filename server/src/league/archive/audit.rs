//! Whether all that a league has written agrees: its settings, its journal, its schedule and its records.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Display};
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use indicatif::{ProgressBar, ProgressFinish};
use serde::Serialize;

use super::contents::{
    SETTINGS, SUMS, VERSIONS, record_names, settings_anew, settings_text, tables, versions_text,
};
use super::recorded::{Results, audit_record};
use super::{RECORDS, check_sums};
use crate::league::journal::{
    Deed, Entry, FILE_NAME, Game, Head, Journal, JournalError, Played, SEAL_FILES, Sealed,
};
use crate::league::report::PAGE;
use crate::league::runner;
use crate::league::schedule::{Fixture, Key};
use crate::league::sections::{Section, first_groups};
use crate::league::settings::Settings;

/// What was found in a league in which all agrees.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Audit {
    /// Name of the league.
    pub title: String,
    /// Fixtures of the whole schedule; `None` if it has no end.
    pub scheduled: Option<u64>,
    /// Fixtures with a result that counts.
    pub fixtures: u64,
    /// Results that were struck, and played again or still to be.
    pub struck: u64,
    /// Games of all these results that were played again from their records, and moves in them.
    pub games: u64,
    /// Moves in these games.
    pub moves: u64,
    /// Results without a record, as none of the players has begun the fixture.
    pub walkovers: u64,
    /// Results without a record, as none was kept.
    pub unrecorded: u64,
    /// Fixtures that were begun in vain, and have no result from that.
    pub voids: u64,
    /// Rounds that were paired by results: they are not paired again. Groups that were drawn before any result are
    /// drawn again.
    pub rounds: u64,
    /// Records.
    pub records: u64,
    /// Records that have no end, as the league was killed.
    pub cut_off: u64,
    /// Games in records that are no result: the league was killed before the journal had them, or they are void.
    pub uncounted: u64,
    /// Fixtures among them that were played to their end, at the end of a record.
    pub lost: Vec<Key>,
    /// Whether each line of the journal has a seal that fits.
    pub sealed: bool,
    /// Whether there is a seal of one line more: the league was killed before it wrote the line, or the line was cut off.
    pub sealed_beyond: bool,
    /// Files that nothing here is compared with but checksums.
    pub unverified: Vec<String>,
    /// Files whose checksums fit; `None` where there are no checksums.
    pub checksums: Option<u64>,
}

/// The first thing that does not agree with the rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
pub struct Disagreement {
    /// The file, by its name in the folder of the league.
    pub file: String,
    /// The line in it, from 1, if it is one.
    pub line: Option<u64>,
    /// The fixture, if it is about one.
    pub key: Option<Key>,
    /// What is wrong.
    pub reason: String,
}

impl Disagreement {
    pub(super) fn of(file: &str, reason: impl Display) -> Disagreement {
        Disagreement {
            file: file.to_owned(),
            line: None,
            key: None,
            reason: reason.to_string(),
        }
    }

    pub(super) const fn at_line(mut self, line: u64) -> Disagreement {
        self.line = Some(line);
        self
    }

    pub(super) const fn at_key(mut self, key: Option<Key>) -> Disagreement {
        self.key = key;
        self
    }
}

impl Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(key) = self.key {
            write!(f, ": game {key}")?;
        }
        write!(f, ": {}", self.reason)
    }
}

/// Audits the league in a folder: compares checksums, seals and settings, draws its schedule and its deals again, plays
/// every game of every record again, and compares each result of the journal with its games.
///
/// # Errors
/// The first disagreement.
pub fn audit(folder: &Path) -> Result<Audit, Disagreement> {
    let checksums = check_sums(folder)?;
    let is_archive = checksums.is_some();
    let (journal, seals, keeps_records) = journal(folder, is_archive)?;
    let settings = &journal.head.settings;
    compare(folder, SETTINGS, &settings_text(settings))?;
    let versions = versions_text(folder, &journal);
    let versions = versions.map_err(|e| Disagreement::of(RECORDS, e))?;
    compare(folder, VERSIONS, &versions)?;
    let mut audit = Audit {
        title: settings.title.clone(),
        scheduled: runner::fixtures(settings),
        fixtures: journal.played().count() as u64,
        sealed: seals != Sealed::Never,
        sealed_beyond: matches!(seals, Sealed::Beyond(_)),
        checksums,
        ..Audit::default()
    };
    audit.struck = journal.all_played().count() as u64 - audit.fixtures;
    let mut by_record = audit.take_journal(&journal, keeps_records)?;
    for (name, due) in tables(&journal) {
        let is_there = folder.join(name).exists();
        if is_archive && is_there && has_heads(&folder.join(name), &due) {
            compare(folder, name, &due)?;
        } else if is_there {
            // It may have been written before the last games, or by a version with other figures.
            audit.unverified.push(name.to_owned());
        }
    }
    if folder.join(PAGE).exists() {
        audit.unverified.push(PAGE.to_owned());
    }
    let names = record_names(folder).map_err(|e| Disagreement::of(RECORDS, e))?;
    let (names, others): (Vec<String>, Vec<String>) =
        names.into_iter().partition(|name| is_record(name));
    let others = others.iter().map(|name| format!("{RECORDS}/{name}"));
    audit.unverified.extend(others);
    let bar = ProgressBar::new(names.len() as u64).with_finish(ProgressFinish::AndClear);
    for name in &names {
        bar.inc(1);
        let results = by_record.remove(&name[..]).unwrap_or_default();
        let path = format!("{RECORDS}/{name}");
        let file = File::open(folder.join(&path)).map_err(|e| Disagreement::of(&path, e))?;
        let record = audit_record(settings, &path, BufReader::new(file), results)?;
        audit.records += 1;
        audit.cut_off += u64::from(!record.is_closed);
        audit.games += record.games;
        audit.moves += record.moves;
        audit.uncounted += record.uncounted;
        audit.lost.extend(record.lost);
    }
    let missing = by_record.iter().find_map(|(name, results)| {
        let first = results.values().next();
        first.map(|(line, played)| (name, line, played))
    });
    if let Some((name, line, played)) = missing {
        let reason = format!("its record is missing: {RECORDS}/{name}");
        let missing = Disagreement::of(FILE_NAME, reason);
        return Err(missing.at_line(*line).at_key(Some(played.key)));
    }
    Ok(audit)
}

/// Whether a table has the columns of another one.
fn has_heads(path: &Path, table: &[u8]) -> bool {
    let mut heads = String::new();
    let read = File::open(path).and_then(|file| BufReader::new(file).read_line(&mut heads));
    let own = table.split(|&byte| byte == b'\n').next();
    read.is_ok() && own.map(<[u8]>::trim_ascii) == Some(heads.trim().as_bytes())
}

/// Whether a file in the folder of the records is one: others are games in the format of their field.
fn is_record(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e == "jsonl")
}

/// Audits the folder of an archive that was unpacked, in which each part has to be.
///
/// # Errors
/// As [`audit`]; a part that is missing.
pub fn audit_archive(folder: &Path) -> Result<Audit, Disagreement> {
    match [SUMS, SETTINGS, VERSIONS]
        .into_iter()
        .find(|name| !folder.join(name).is_file())
    {
        Some(name) => Err(Disagreement::of(
            name,
            "it is missing, and each archive has it",
        )),
        None => audit(folder),
    }
}

/// The journal of a folder, how much of it is sealed, and whether the league kept records at its beginning.
fn journal(folder: &Path, is_archive: bool) -> Result<(Journal, Sealed, bool), Disagreement> {
    let path = folder.join(FILE_NAME);
    let bytes = fs::read(&path).map_err(|e| Disagreement::of(FILE_NAME, e))?;
    let of = |e: JournalError| match e {
        JournalError::Line { line, fault, .. } => {
            Disagreement::of(FILE_NAME, fault).at_line(line as u64)
        }
        JournalError::Seals(e) => Disagreement::of(SEAL_FILES[0], e),
        other => Disagreement::of(FILE_NAME, other),
    };
    let (sealed, seals) = Journal::sealed(&path, &bytes).map_err(of)?;
    let journal = Journal::parse(&path, sealed).map_err(of)?;
    match seals {
        Sealed::But(without @ 1..) => {
            let line = journal.entries.len() as u64 + 2;
            let reason = format!(
                "this line and all after it, {without} in all, have no seal: the league has not written them"
            );
            Err(Disagreement::of(FILE_NAME, reason).at_line(line))
        }
        // Of a league that was killed one line may be missing; an archive has the seals of its lines.
        Sealed::Beyond(missing) if is_archive || missing > 1 => {
            let line = journal.entries.len() as u64 + 1;
            let reason = format!(
                "it ends here, and there are seals of {missing} lines more: they were cut off, or a loss of power took \
                 them; their games are played again when the league goes on"
            );
            Err(Disagreement::of(FILE_NAME, reason).at_line(line))
        }
        Sealed::But(0) | Sealed::Beyond(_) | Sealed::Never => {
            // The settings of the journal are those at its end.
            let first = bytes.split(|&byte| byte == b'\n').next();
            let head = serde_json::from_slice::<Head>(first.unwrap_or_default());
            let head = head.map_err(|e| Disagreement::of(FILE_NAME, e).at_line(1))?;
            Ok((journal, seals, head.settings.records))
        }
    }
}

/// Compares a file of an archive with what the journal says, where there is one.
fn compare(folder: &Path, name: &str, due: &[u8]) -> Result<(), Disagreement> {
    let path = folder.join(name);
    if !path.exists() {
        return Ok(());
    }
    let text = fs::read(&path).map_err(|e| Disagreement::of(name, e))?;
    let anew = (name == SETTINGS).then(|| settings_anew(&text)).flatten();
    let text = anew.unwrap_or(text);
    let (mut now, mut due) = (text.split(|&b| b == b'\n'), due.split(|&b| b == b'\n'));
    for line in 1.. {
        match (now.next(), due.next()) {
            (None, None) => break,
            (now, due) if now == due => {}
            (now, due) => {
                let text = |line: Option<&[u8]>| {
                    let line = line.map(String::from_utf8_lossy).unwrap_or_default();
                    line.trim().chars().take(LONGEST_LINE).collect::<String>()
                };
                let reason = format!("it says `{}`, and the journal `{}`", text(now), text(due));
                return Err(Disagreement::of(name, reason).at_line(line));
            }
        }
    }
    Ok(())
}

/// Most characters of a line in a disagreement.
const LONGEST_LINE: usize = 120;

impl Audit {
    /// Compares the lines of the journal with the schedule; gives results by the name of their record. At the beginning
    /// the league keeps records, or does not.
    fn take_journal<'a>(
        &mut self,
        journal: &'a Journal,
        mut keeps_records: bool,
    ) -> Result<BTreeMap<&'a str, Results<'a>>, Disagreement> {
        let settings = &journal.head.settings;
        let mut by_record: BTreeMap<&str, Results<'_>> = BTreeMap::new();
        let sections = Section::all(settings);
        let mut paired: HashMap<u32, &[usize]> = HashMap::new();
        let mut next_act = 0;
        // The first line is the head.
        for (line, entry) in (2_u64..).zip(&journal.entries) {
            let fault = |key: Option<Key>, reason: String| {
                Err(Disagreement::of(FILE_NAME, reason)
                    .at_line(line)
                    .at_key(key))
            };
            match entry {
                Entry::Void { .. } => self.voids += 1,
                Entry::Act { act, .. } => {
                    if act.number < next_act {
                        return fault(None, format!("act {} is out of turn", act.number));
                    }
                    next_act = act.number + 1;
                    if let Deed::Disqualify { entrant } | Deed::Reinstate { entrant } = &act.deed
                        && !settings.names().contains(&&entrant[..])
                    {
                        return fault(None, format!("no entrant is called {entrant}"));
                    }
                }
                Entry::Round { round, .. } => {
                    let section = sections.get(round.section);
                    let fixed = section.filter(|_| round.section == 0).map(|section| {
                        let groups = first_groups(settings);
                        let matchups = section.fixed(&groups, settings.seats());
                        (groups, matchups)
                    });
                    match &fixed {
                        Some((groups, _)) if *groups != round.groups => {
                            let reason = "its groups are not those that follow from the seed";
                            return fault(None, reason.to_owned());
                        }
                        Some((_, Some(matchups))) if *matchups != round.matchups => {
                            let reason = "its matchups are not those of its groups";
                            return fault(None, reason.to_owned());
                        }
                        Some((_, Some(_))) => {}
                        _ => self.rounds += 1,
                    }
                    for (number, seated) in (round.first..).zip(&round.matchups) {
                        if !section.is_some_and(|section| section.has(number)) {
                            let reason =
                                format!("section {} has no matchup {number}", round.section);
                            return fault(None, reason);
                        }
                        if paired.insert(number, &seated[..]).is_some() {
                            return fault(None, format!("matchup {number} was paired before"));
                        }
                    }
                }
                Entry::Begun {
                    changed: Some(changed),
                    ..
                } => keeps_records = changed.records.unwrap_or(keeps_records),
                _ => {}
            }
            let Some(played) = entry.played() else {
                continue;
            };
            let key = Some(played.key);
            let pairing = paired.get(&played.key.matchup).copied();
            if settings.pairs_rounds() && pairing.is_none() {
                let reason = "the journal has no round before it that pairs its entrants";
                return fault(key, reason.to_owned());
            }
            let fixture = match fixture(settings, pairing, played.key, &played.seats) {
                Ok(fixture) => fixture,
                Err(reason) => return fault(key, reason),
            };
            let due = settings.session.max(1) as usize;
            if played.games.len() != due {
                let reason = format!("it has {} games, and a session {due}", played.games.len());
                return fault(key, reason);
            }
            if let Some(at) = &played.record {
                let results = by_record.entry(&at.file).or_default();
                if let Some((other, _)) = results.insert(at.game, (line, played)) {
                    let reason = format!("its games are those of line {other}");
                    return fault(key, reason);
                }
            } else if played.games.iter().all(Game::is_walkover) {
                let lost = Played::lost_by_all(settings, &fixture).games;
                let is_lost = |(game, lost): (&Game, &Game)| {
                    // In earlier versions it had no points in Daihinmin either.
                    let points = vec![0.0; lost.points.len()];
                    game == lost
                        || settings.points.is_none()
                            && *game
                                == Game {
                                    points,
                                    ..lost.clone()
                                }
                };
                if !played.games.iter().zip(&lost).all(is_lost) {
                    return fault(key, "all lose a fixture that none has begun".to_owned());
                }
                self.walkovers += 1;
            } else if keeps_records {
                return fault(
                    key,
                    "the league kept records, and the line names none".to_owned(),
                );
            } else {
                self.unrecorded += 1;
            }
        }
        Ok(by_record)
    }
}

/// The fixture of a key as it is drawn from the seed, whose entrants are `seats`; `paired` are those of its matchup in a
/// round that follows from results.
///
/// # Errors
/// Where they do not sit like that.
pub(super) fn fixture(
    settings: &Settings,
    paired: Option<&[usize]>,
    key: Key,
    seats: &[usize],
) -> Result<Fixture, String> {
    let mut seated = seats.to_vec();
    seated.sort_unstable();
    let names = |entrants: &[usize]| {
        let all = settings.names();
        let names = entrants.iter().map(|&entrant| all[entrant]);
        names.collect::<Vec<_>>().join(", ")
    };
    if let Some(paired) = paired {
        let mut due = paired.to_vec();
        due.sort_unstable();
        if due != seated {
            return Err(format!(
                "{} play it, and the round was paired with {}",
                names(&seated),
                names(&due)
            ));
        }
    }
    let block = settings.plan().block(key.matchup, &seated, key.deal);
    let fixture = block.into_iter().find(|fixture| fixture.key == key);
    let fixture = fixture.ok_or("the schedule has no such game")?;
    if fixture.seats != seats {
        return Err(format!(
            "the seats are {}, and by the seed {}",
            names(seats),
            names(&fixture.seats)
        ));
    }
    Ok(fixture)
}
