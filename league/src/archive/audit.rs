//! Whether all that a league has written agrees: its settings, its journal, its schedule and its records.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::Path;

use indicatif::{ProgressBar, ProgressFinish};
use serde::Serialize;

use super::contents::{Disagreement, SUMS, record_names};
use super::recorded::{RecordedResults, audit_record, fixture};
use super::{RECORDS, check_sums};
use crate::journal::{Entry, FILE_NAME, Game, Journal, JournalError, JournalReader, Played};
use crate::result::{JSON, PAGE, Report, Results, csv};
use crate::schedule::Key;
use crate::sections::{Section, first_groups};
use crate::settings::Format;

/// What was found in a league in which all agrees.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Audit {
    pub title: String,
    /// Fixtures of the whole schedule; `None` if it has no end.
    pub scheduled: Option<u64>,
    /// Fixtures with a result that counts.
    pub fixtures: u64,
    /// Results that were struck, and played again or still to be.
    pub struck: u64,
    /// Games of all these results that were played again from their records, and moves in them.
    pub games: u64,
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
    pub records: u64,
    /// Records that have no end, as the league was killed.
    pub cut_off: u64,
    /// Games in records that are no result: the league was killed before the journal had them, or they are void.
    pub uncounted: u64,
    /// Fixtures among them that were played to their end, at the end of a record.
    pub lost: Vec<Key>,
    /// Files that nothing here is compared with but checksums.
    pub unverified: Vec<String>,
    /// Files whose checksums fit; `None` where there are no checksums.
    pub checksums: Option<u64>,
}

/// Audits the league in a folder: compares checksums, draws its schedule and its deals again, plays
/// every game of every record again, and compares each result of the journal with its games.
pub fn audit(folder: &Path) -> Result<Audit, Disagreement> {
    let checksums = check_sums(folder)?;
    let is_archive = checksums.is_some();
    let fault = |e: JournalError| match e {
        JournalError::Line { line, fault, .. } => {
            Disagreement::of(FILE_NAME, fault).at_line(line as u64)
        }
        other => Disagreement::of(FILE_NAME, other),
    };
    let (results, mut fixtures) = Results::open(folder).map_err(fault)?;
    let reader = JournalReader::open(folder).map_err(fault)?;
    let kept_records = reader.first.records;
    let journal = reader.journal().map_err(fault)?;
    let settings = &journal.head.settings;
    let mut audit = Audit {
        title: settings.title.clone(),
        scheduled: results.scheduled(),
        fixtures: results.fixtures,
        voids: results.voids(),
        checksums,
        ..Audit::default()
    };
    audit.struck = journal.all_played().count() as u64 - audit.fixtures;
    let mut by_record = audit.take_journal(&journal, kept_records)?;
    let tables = csv::tables(&Report::of(&results), &results, &mut fixtures);
    for (name, due) in tables.map_err(|e| Disagreement::of(FILE_NAME, e))? {
        if is_archive
            && !is_table(&folder.join(name), &due).map_err(|e| Disagreement::of(name, e))?
        {
            let reason = "it is not the table that follows from the journal";
            return Err(Disagreement::of(name, reason));
        }
        if !is_archive && folder.join(name).exists() {
            // It may have been written before the last games.
            audit.unverified.push(name.to_owned());
        }
    }
    let unverified = [JSON, PAGE].into_iter();
    let unverified = unverified.filter(|name| folder.join(name).exists());
    audit.unverified.extend(unverified.map(str::to_owned));
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

/// Whether a file is this table, or there is none.
pub(super) fn is_table(path: &Path, due: &[u8]) -> io::Result<bool> {
    match fs::read(path) {
        Ok(table) => Ok(table == due),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(e) => Err(e),
    }
}

/// Whether a file in the folder of the records is one: others are games in the format of their field.
fn is_record(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e == "jsonl")
}

/// Audits the folder of an archive that was unpacked, which has checksums.
pub fn audit_archive(folder: &Path) -> Result<Audit, Disagreement> {
    if !folder.join(SUMS).is_file() {
        let reason = "it is missing, and each archive has it";
        return Err(Disagreement::of(SUMS, reason));
    }
    audit(folder)
}

impl Audit {
    /// Compares the lines of the journal with the schedule; gives results by the name of their record. At the beginning
    /// the league keeps records, or does not.
    fn take_journal<'a>(
        &mut self,
        journal: &'a Journal,
        mut keeps_records: bool,
    ) -> Result<BTreeMap<&'a str, RecordedResults<'a>>, Disagreement> {
        let settings = &journal.head.settings;
        let mut by_record: BTreeMap<&str, RecordedResults<'_>> = BTreeMap::new();
        let sections = Section::all(settings);
        let groups = first_groups(settings);
        let drawn = sections[0].fixed(&groups, settings.seats());
        let mut paired: HashMap<u32, &[usize]> = HashMap::new();
        // The first line is the head.
        for (line, entry) in (2_u64..).zip(&journal.entries) {
            let fault = |key: Option<Key>, reason: String| {
                Err(Disagreement::of(FILE_NAME, reason)
                    .at_line(line)
                    .at_key(key))
            };
            match entry {
                Entry::Round { round, .. } => {
                    // Those that are there when a table begins meet on an open ladder.
                    let is_open = settings.format == Format::Ladder && round.groups.is_empty();
                    if round.section == 0 && !is_open && round.groups != groups {
                        let reason = "its groups are not those that follow from the seed";
                        return fault(None, reason.to_owned());
                    }
                    let drawn = drawn.as_ref().filter(|_| round.section == 0);
                    if drawn.is_some_and(|drawn| *drawn != round.matchups) {
                        let reason = "its matchups are not those of its groups";
                        return fault(None, reason.to_owned());
                    }
                    self.rounds += u64::from(drawn.is_none());
                    let section = sections.get(round.section);
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
                    settings: Some(now),
                    ..
                } => keeps_records = now.records,
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
                if played.games != Played::lost_by_all(settings, &fixture).games {
                    return fault(key, "all lose a fixture that none has begun".to_owned());
                }
                self.walkovers += 1;
            } else if keeps_records {
                let reason = "the league kept records, and the line names none";
                return fault(key, reason.to_owned());
            } else {
                self.unrecorded += 1;
            }
        }
        Ok(by_record)
    }
}
