//! `taikyoku league status`: how far a league is.

use std::fs;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use clap::Args;
use games::Printable;
use program::Failure;
use record::files::named;
use serde::Serialize;
use stats::Verdict;

use super::files::PRESENCE;
use crate::journal::{self, CommandFile, Fixtures, OrganiserCommand};
use crate::remote::Presence;
use crate::result::number::{self, date};
use crate::result::{
    EntrantCounts, Records, Report, Results, csv, json as json_of, page, terminal,
};
use crate::settings::Format;
use server::commands::write_out;
use server::number::counted;

/// How far a league is, also while it runs.
///
/// Says what is played and what is left, whether a process plays it now, the faults of each entrant, what came to
/// nothing and why, and what the sequential test has come to.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  taikyoku league status mine.toml
  taikyoku league status mine.league --json")]
pub struct StatusArgs {
    /// The league's TOML file, its folder or its journal
    #[arg(value_name = "FILE|DIR|JOURNAL")]
    pub league: PathBuf,
    /// As JSON instead of text (schema: docs/schema/league-status.json)
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Serialize)]
struct Status {
    title: String,
    journal: PathBuf,
    /// Whether a process plays it, and which, if that is known.
    running: bool,
    process: Option<u32>,
    fixtures: u64,
    /// Fixtures of the whole schedule; `None` if it has no end.
    scheduled: Option<u64>,
    remaining: Option<u64>,
    games: u64,
    /// Deals that were played from every seat, and those that were only begun. Without duplicate deals, blocks of as
    /// many games.
    deals: u64,
    begun_deals: usize,
    duplicate: bool,
    block_games: u64,
    #[serde(skip)]
    is_swiss: bool,
    entrants: Vec<EntrantStatus>,
    /// Which remote entrants are there, while it runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remote: Vec<Presence>,
    voids: u64,
    /// The last reason of a void, with its key.
    last_void: Option<String>,
    paused: bool,
    /// What the organiser has done, also what the league has not taken up yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    acts: Vec<OrganiserCommand>,
    sprt: Option<SprtStatus>,
}

#[derive(Debug, Serialize)]
struct EntrantStatus {
    name: String,
    games: u64,
    faults: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    disqualified: bool,
    /// Whether it is set aside, as it was out of time again and again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    set_aside: bool,
}

#[derive(Debug, Serialize)]
struct SprtStatus {
    entrant: String,
    verdict: Verdict,
    blocks: u64,
    /// `None` as long as there are too few deals.
    ratio: Option<f64>,
    bounds: [f64; 2],
}

/// Which remote entrants are there, as the process says that plays the league in this folder.
fn presence(folder: &Path) -> Vec<Presence> {
    // A league without remote entrants has no such file.
    let text = fs::read_to_string(folder.join(PRESENCE)).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

pub(super) fn run(args: &StatusArgs) -> Result<(), Failure> {
    let path = journal::find(&args.league);
    let (results, _) = Results::open(&args.league)?;
    let status = Status::of(&path, &results);
    let text = if args.json {
        serde_json::to_string_pretty(&status).map_err(io::Error::from)? + "\n"
    } else {
        status.text()
    };
    Ok(write_out(&text)?)
}

pub(super) fn print_report(report: &Report, json: bool) -> io::Result<()> {
    if json {
        write_out(&json_of(report))
    } else {
        write_out(&terminal::text(report))
    }
}

impl Status {
    fn of(path: &Path, results: &Results) -> Status {
        let settings = &results.head.settings;
        let holder = path.parent().and_then(journal::holder);
        let remote = holder.and(path.parent()).map_or_else(Vec::new, presence);
        let scheduled = results.scheduled();
        let (mut orders, mut acts) = (results.orders.clone(), results.acts.clone());
        for act in CommandFile::beside(path).since(orders.next) {
            orders.follow(&act, settings);
            acts.push(act);
        }
        let entrant = |(number, counts): (usize, &EntrantCounts)| EntrantStatus {
            name: settings.entrants[number].name.clone(),
            games: counts.games,
            faults: counts.all_faults(),
            disqualified: orders.disqualified.contains(&number),
            set_aside: results.timeouts.aside.contains_key(&number),
        };
        Status {
            title: settings.title.clone(),
            journal: path.to_owned(),
            running: holder.is_some(),
            process: holder.flatten(),
            fixtures: results.fixtures,
            scheduled,
            remaining: scheduled.map(|all| all.saturating_sub(results.fixtures)),
            games: results.games,
            deals: results.blocks().len() as u64,
            begun_deals: results.begun().len(),
            duplicate: settings.duplicate,
            block_games: u64::from(settings.plan().rotations()) * u64::from(settings.session),
            is_swiss: matches!(settings.format, Format::Swiss { .. }),
            entrants: results.entrants.iter().enumerate().map(entrant).collect(),
            remote,
            voids: results.voids(),
            last_void: results
                .last_void
                .as_ref()
                .map(|(key, reason)| format!("game {key}: {reason}")),
            paused: orders.pause.is_some(),
            acts,
            sprt: results
                .test
                .as_ref()
                .zip(settings.sprt)
                .map(|(test, sprt)| SprtStatus {
                    entrant: settings.entrants[sprt.entrant].name.clone(),
                    verdict: test.sprt.verdict(),
                    blocks: test.sprt.blocks(),
                    ratio: test.sprt.ratio(),
                    bounds: sprt.hypotheses.bounds(),
                }),
        }
    }

    fn text(&self) -> String {
        let mut lines = vec![self.title.clone()];
        let paused = if self.paused { ", paused" } else { "" };
        lines.push(match (self.running, self.process) {
            (true, Some(process)) => format!("running: process {process}{paused}"),
            (true, None) => format!("running{paused}"),
            (false, _) => format!("not running{paused}"),
        });
        let fixtures = counted(self.fixtures, "fixture");
        let games = counted(self.games, "game");
        lines.push(match (self.scheduled, self.remaining) {
            (Some(all), Some(left)) => {
                let share = self.fixtures as f64 / all.max(1) as f64 * 100.0;
                let all = counted(all, "fixture");
                format!(
                    "{} of {all} ({share:.0} %), {games}, {} left",
                    number::count(self.fixtures),
                    number::count(left),
                )
            }
            _ => format!("{fixtures}, {games}; the schedule has no end"),
        });
        let noun = if self.duplicate { "deal" } else { "block" };
        let blocks = number::blocks(self.deals, self.duplicate, self.block_games);
        let begun = match self.begun_deals {
            0 => String::new(),
            begun => format!(", {begun} begun"),
        };
        lines.push(format!("{blocks}{begun}"));
        let width = self.entrants.iter().map(|e| e.name.chars().count()).max();
        let width = width.unwrap_or_default();
        for entrant in &self.entrants {
            let EntrantStatus {
                name,
                games,
                faults,
                disqualified,
                set_aside,
            } = entrant;
            let out = match (disqualified, set_aside) {
                (true, _) => "  disqualified",
                (false, true) => "  set aside",
                (false, false) => "",
            };
            let (games, faults) = (counted(*games, "game"), counted(*faults, "fault"));
            lines.push(format!("  {name:width$}  {games:>13}  {faults:>11}{out}"));
        }
        for entrant in &self.remote {
            let (name, place) = (&entrant.name, entrant.place());
            let state = entrant.state.as_str();
            lines.push(format!("  {name:width$}  {state:7} connects to {place}"));
        }
        if let Some(last) = &self.last_void {
            lines.push(format!(
                "{} came to nothing; the last was {last}",
                self.voids
            ));
        }
        for act in &self.acts {
            lines.push(format!("{}  {}", date(&act.at), act.text()));
        }
        if let Some(sprt) = &self.sprt {
            let [low, high] = sprt.bounds;
            let verdict = match sprt.verdict {
                Verdict::Open => {
                    let all_played = self.remaining == Some(0);
                    terminal::no_verdict(noun, all_played, self.is_swiss, sprt.ratio, sprt.bounds)
                }
                Verdict::Lower => "it is not better".to_owned(),
                Verdict::Higher => "it is better".to_owned(),
            };
            let ratio = sprt.ratio.map_or_else(String::new, |ratio| {
                format!(", ratio {ratio:.2}, bounds {low:.2} and {high:.2}")
            });
            lines.push(format!(
                "test of {}: {verdict}; {} {noun}s{ratio}",
                sprt.entrant, sprt.blocks
            ));
        }
        let lines = lines.iter().map(|line| Printable(line).to_string() + "\n");
        lines.collect()
    }
}

/// Figures of a league, from its journal alone, also while it runs.
#[derive(Clone, Debug, Args)]
pub struct ReportArgs {
    /// The league's TOML file, its folder or its journal
    #[arg(value_name = "FILE|DIR|JOURNAL")]
    pub league: PathBuf,
    /// How the figures are shown
    #[command(flatten)]
    pub figures: ReportOptions,
}

/// How figures are shown.
#[derive(Clone, Debug, Args)]
pub struct ReportOptions {
    /// All figures as JSON instead of tables (schema: docs/schema/report.json)
    #[arg(long)]
    pub json: bool,
    /// Write the page with plots into this file
    #[arg(long, value_name = "PATH")]
    pub html: Option<PathBuf>,
    /// Write standings.csv and games.csv into this folder
    #[arg(long, value_name = "DIR")]
    pub csv: Option<PathBuf>,
}

impl ReportOptions {
    /// Writes the files that are asked for and prints the figures. `league` is the folder of the journal.
    pub(in crate::commands) fn show<R: Read + Seek>(
        &self,
        report: &Report,
        results: &Results,
        fixtures: &mut Fixtures<R>,
        league: &Path,
    ) -> Result<(), Failure> {
        if let Some(path) = &self.html {
            let records = Records::seen_from(path, league);
            let page = page(report, results, fixtures, &records)?;
            fs::write(path, page).map_err(|e| named(path, &e))?;
        }
        if let Some(folder) = &self.csv {
            fs::create_dir_all(folder).map_err(|e| named(folder, &e))?;
            csv::write(folder, report, results, fixtures)?;
        }
        Ok(print_report(report, self.json)?)
    }
}

/// Reads the journal, writes the files that are asked for and prints the figures.
pub(super) fn report(args: &ReportArgs) -> Result<(), Failure> {
    let (results, mut fixtures) = Results::open(&args.league)?;
    let folder = journal::folder_of(&args.league);
    let report = Report::of(&results).with_comebacks(&results, &Records::beside(&folder));
    args.figures.show(&report, &results, &mut fixtures, &folder)
}

#[cfg(test)]
mod tests {
    use record::EndKind;

    use super::*;
    use crate::journal::{Entry, Game, Played};
    use crate::remote::PresenceState;
    use crate::schedule::Key;
    use crate::settings::Settings;
    use crate::testing::{head, settings};

    fn entries() -> Vec<Entry> {
        let played = |deal, rotation, kinds: &[EndKind]| {
            Entry::Played(Played {
                key: Key {
                    matchup: 0,
                    deal,
                    rotation,
                },
                seats: vec![usize::from(rotation), 1 - usize::from(rotation)],
                ms: 5,
                games: vec![Game {
                    places: vec![0, 1],
                    points: vec![1.0, 0.0],
                    kinds: kinds.to_vec(),
                    moves: vec![1; 2],
                    used: vec![1; 2],
                    slowest: vec![1; 2],
                    ..Game::default()
                }],
                record: None,
                host: None,
            })
        };
        let void = |reason: &str| Entry::Void {
            key: Key {
                matchup: 0,
                deal: 1,
                rotation: 1,
            },
            void: reason.to_owned(),
        };
        vec![
            played(0, 0, &[]),
            void("first"),
            played(0, 1, &[EndKind::Normal, EndKind::Timeout]),
            played(1, 0, &[]),
            void("last"),
        ]
    }

    #[test]
    fn all_that_matters_is_said() {
        let mut settings = settings();
        settings.deals = 4;
        let results = |settings: &Settings| {
            let mut results = Results::new(head(settings.clone()));
            for entry in entries() {
                results.take(&entry);
            }
            results
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let status = Status::of(&path, &results(&settings));
        let text = status.text();
        for due in [
            "not running",
            "3 of 8 fixtures (38 %), 3 games, 5 left",
            "1 deal from every seat, 1 begun",
            "ana        3 games      1 fault",
            "bo         3 games     0 faults",
            "2 came to nothing; the last was game 0.1.1: last",
        ] {
            assert!(text.contains(due), "{due} is not in\n{text}");
        }
        let mut remote = Status::of(&path, &results(&settings));
        let places = ["0.0.0.0:5100", "[::]:5101", "192.0.2.7:5102"];
        remote.remote = places
            .map(|place| Presence {
                name: "cy".to_owned(),
                connects_to: place.parse().unwrap(),
                state: PresenceState::Here,
            })
            .into();
        let text = remote.text();
        for due in [
            "connects to port 5100 of this machine",
            "connects to port 5101 of this machine",
            "connects to 192.0.2.7:5102",
        ] {
            assert!(text.contains(due), "{due} is not in\n{text}");
        }
        let lock = journal::Lock::take(folder.path()).unwrap();
        let running = Status::of(&path, &results(&settings)).text();
        assert!(running.contains(&format!("running: process {}", std::process::id())));
        drop(lock);
        settings.format = Format::Ladder;
        let endless = Status::of(&path, &results(&settings));
        assert_eq!((endless.scheduled, endless.remaining), (None, None));
        assert!(endless.text().contains("no end"));
    }
}
