//! `taikyoku report RECORD...`: the figures of matches that no league has planned, from their records, as a league's.

use std::io::{self, BufRead, Cursor};
use std::path::{Path, PathBuf};

use clap::Args;
use games::{GameName, Seat};
use program::Failure;
use record::files::{records_at, without_copies};
use record::{Header, ReadError, RecordReader};

use super::league::ReportOptions;
use crate::journal::{Fixtures, Head, JournalReader, Played, VERSION};
use crate::result::{Report, Results};
use crate::schedule::{Key, LeagueSeed};
use crate::settings::{Clocks, Entrant, Format, Settings, Start, plain};
use crate::table_session::{Counting, FIXTURES, FixtureCollector};
use server::replay::reader;

/// Standings with intervals from records
///
/// With the cross table and times. Players with the same name are one entrant. A copy of a record counts once. What is no record in a folder is left out.
///
/// A block of the intervals is as many games in a row of a match as there are seats, since players change seats after every
/// game. In Daihinmin games depend on the ranks of the one before: its blocks are ten parts of the shortest match, of 5 to 100
/// games. Games after the last whole block of a match do not count for standings, but their faults and times do. Void games do
/// not count at all.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  taikyoku report records/                      all records of a folder, as tables
  taikyoku report monday.jsonl tuesday.jsonl    two matches as one
  taikyoku report records/ --csv tables/        standings.csv and games.csv
  taikyoku report records/ --json | jq          all figures")]
pub struct RecordsArgs {
    /// Records of one game, or folders of them
    #[arg(value_name = "RECORD", required = true)]
    pub records: Vec<PathBuf>,
    /// How the figures are shown
    #[command(flatten)]
    pub figures: ReportOptions,
}

/// Reads the records, writes the files that are asked for and prints the figures.
pub fn run(args: &RecordsArgs) -> Result<(), Failure> {
    let (files, copies) = without_copies(records_at(&args.records)?);
    for (copy, original) in copies {
        log::warn!(
            "{} is a copy of {}: the match counts once",
            copy.display(),
            original.display()
        );
    }
    let matches = matches(&files, &args.records)?;
    if matches.is_league {
        log::warn!(
            "these are records of a league: `taikyoku league report` has its figures. Here games of the same deal count as \
             independent ones, so that intervals are not those of the league"
        );
    }
    let (results, mut fixtures) = matches.results()?;
    let mut report = Report {
        // Nothing was planned.
        needed: None,
        apart: None,
        format: "matches of servers".to_owned(),
        ..Report::of(&results)
    };
    // `Report::of` counts sessions, of which a match has many.
    report.totals.fixtures = results.fixtures_of().len() as u64;
    // Its lines name no records.
    args.figures
        .show(&report, &results, &mut fixtures, Path::new("."))
}

/// Matches as a league: each is a matchup, and its games follow each other.
struct Matches {
    head: Head,
    fixtures: Vec<Played>,
    /// Whether a league has written one of them.
    is_league: bool,
}

impl Matches {
    /// A journal in memory: the tables are read from it as from that of a league.
    fn results(&self) -> Result<(Results, Fixtures<Cursor<String>>), Failure> {
        let mut text = serde_json::to_string(&self.head).map_err(io::Error::from)? + "\n";
        for played in &self.fixtures {
            text += &(serde_json::to_string(played).map_err(io::Error::from)? + "\n");
        }
        let reader = JournalReader::new(Path::new("records"), Cursor::new(text))?;
        Ok(Results::read(reader)?)
    }
}

/// Reads these files; one without a header is left out, unless it was `named` or no other has one.
fn matches(files: &[PathBuf], named: &[PathBuf]) -> Result<Matches, ReadError> {
    let mut headers: Vec<Header> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut all: Vec<Vec<Played>> = Vec::new();
    let mut left_out: Vec<ReadError> = Vec::new();
    for path in files {
        let mut reader = match reader(path) {
            Ok(reader) => reader,
            Err(error) if named.contains(path) => return Err(error),
            Err(error) => {
                left_out.push(error);
                continue;
            }
        };
        let header = reader.header().clone();
        let players = header.players.iter().map(|player| {
            let known = names.iter().position(|name| *name == player.name);
            known.unwrap_or_else(|| {
                names.push(player.name.clone());
                names.len() - 1
            })
        });
        let seats: Vec<usize> = players.collect();
        let game = headers.first().map_or(header.game, |first| first.game);
        all.push(games(&mut reader, game, all.len() as u32, &seats)?);
        headers.push(header);
    }
    if headers.is_empty()
        && let Some(error) = left_out.pop()
    {
        return Err(error);
    }
    for error in left_out {
        log::warn!("{error}: it is left out");
    }
    let game = headers
        .first()
        .map_or(GameName::Daihinmin, |header| header.game);
    let lengths = all.iter().map(Vec::len).filter(|&games| games > 0);
    let mut settings = settings(game, &names, lengths.min().unwrap_or_default());
    let mut fixtures = Vec::new();
    for played in all {
        let played = in_sessions(played, settings.session as usize);
        let last = played.last().map_or(0, |played| played.key.deal);
        settings.deals = settings.deals.max(last + 1);
        fixtures.extend(played);
    }
    let started = headers.iter().map(|header| header.started.clone());
    let server = headers.first().map(|header| header.server.clone());
    Ok(Matches {
        head: Head {
            version: VERSION,
            started: started.min().unwrap_or_default(),
            server: server.unwrap_or_default(),
            machine: None,
            settings,
        },
        fixtures,
        is_league: headers
            .iter()
            .any(|header| header.options.get(FIXTURES).is_some()),
    })
}

/// The games of a record, each as a fixture.
fn games<R: BufRead>(
    reader: &mut RecordReader<R>,
    game: GameName,
    matchup: u32,
    entrants: &[usize],
) -> Result<Vec<Played>, ReadError> {
    let seats = game.seats();
    if reader.header().game != game || entrants.len() != seats {
        let reason = format!(
            "this is no record of {game} with {seats} players, as the first one is: name the records of one game, such \
                 as {game}-*.jsonl"
        );
        return Err(reader.error(reason));
    }
    let counting = Counting {
        session: 1,
        points: None,
        drawn: true,
    };
    // The seats of the schedule are the players by number.
    let seating = || vec![Seat::all(seats).map(Seat::number).collect()];
    let mut collector = FixtureCollector::new(counting, seating());
    let mut played: Vec<Played> = Vec::new();
    while let Some(event) = reader.next() {
        let Some(done) = collector.event(&event?) else {
            continue;
        };
        if let Some(what) = done.games.iter().find_map(|game| game.misfit(seats)) {
            let reason = format!("{what} of the game that ends here are none of {seats} players");
            return Err(reader.error(reason));
        }
        played.push(Played {
            key: Key {
                matchup,
                deal: 0,
                rotation: 0,
            },
            seats: entrants.to_vec(),
            ms: done.ms,
            games: done.games,
            record: None,
            host: None,
        });
        collector = FixtureCollector::new(counting, seating());
    }
    Ok(played)
}

/// So many games at a time as one fixture. Games that are left make a shorter one, in a block of its own that is never whole.
fn in_sessions(games: Vec<Played>, session: usize) -> Vec<Played> {
    let seats = games.first().map_or(1, |played| played.seats.len());
    let whole = games.len() / session;
    let mut fixtures: Vec<Played> = Vec::with_capacity(whole + 1);
    for (number, game) in games.into_iter().enumerate() {
        if !number.is_multiple_of(session)
            && let Some(fixture) = fixtures.last_mut()
        {
            fixture.ms += game.ms;
            fixture.games.extend(game.games);
            continue;
        }
        let number = number / session;
        let (deal, rotation) = if number < whole {
            (number / seats, number % seats)
        } else {
            (whole.div_ceil(seats), 0)
        };
        fixtures.push(Played {
            key: Key {
                deal: deal as u32,
                rotation: rotation as u8,
                ..game.key
            },
            ..game
        });
    }
    fixtures
}

/// What a league of these players would be that pairs them as it likes.
fn settings(game: GameName, names: &[String], shortest: usize) -> Settings {
    let usual = plain(game);
    let session = match game {
        GameName::Daihinmin => (shortest / (10 * usual.seats())).clamp(1, 20) as u32,
        _ => 1,
    };
    let entrants = names.iter().map(|name| Entrant::new(name, Start::Remote));
    Settings {
        title: "records".to_owned(),
        seed: LeagueSeed::Number(0),
        format: Format::Ladder,
        deals: 1,
        duplicate: false,
        session,
        random_plies: 0,
        clocks: Clocks::default(),
        margin: 0.0,
        records: true,
        entrants: entrants.collect(),
        ..usual
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs;

    use record::Player;

    use super::*;

    /// A record of so many games of two players, of which the first wins three in four.
    fn record(names: [&str; 2], games: u32) -> String {
        let player = |name: &str| Player {
            name: name.to_owned(),
            client: None,
        };
        let players = names.map(player).into();
        let header = Header::new(GameName::ScoreFour, "m", "native", players, games);
        let mut text = serde_json::to_string(&header).unwrap() + "\n";
        for game in 1..=games {
            let seats = if game % 2 == 1 { "[0,1]" } else { "[1,0]" };
            let (places, points) = match game % 4 {
                0 => ("[1,0]", "[0.0,1.0]"),
                _ => ("[0,1]", "[1.0,0.0]"),
            };
            let _ = writeln!(
                text,
                r#"{{"ms":1,"event":"begin","game":{game},"seats":{seats}}}
{{"ms":2,"event":"move","player":0,"move":"a1","used":10}}
{{"ms":3,"event":"move","player":1,"move":"a2","used":30}}
{{"ms":4,"event":"end","game":{game},"places":{places},"points":{points},"kinds":["normal","normal"],"rule":"line"}}"#
            );
        }
        text
    }

    fn counted(matches: &Matches) -> Report {
        Report::of(&matches.results().unwrap().0)
    }

    #[test]
    fn records_are_counted_as_a_league_is() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a.jsonl"), record(["ana", "bo"], 41)).unwrap();
        fs::write(at("b.jsonl"), record(["bo", "cy"], 20)).unwrap();
        fs::write(at("notes.txt"), "").unwrap();
        let found = records_at(&[folder.path().to_owned()]).unwrap();
        assert_eq!(found, [at("a.jsonl"), at("b.jsonl")]);
        let report = counted(&matches(&found, &[]).unwrap());
        let totals = report.totals;
        assert_eq!(
            (totals.games, totals.blocks, totals.incomplete),
            (61, 30, 1)
        );
        let names: Vec<&str> = report.entrants.iter().map(|e| &e.name[..]).collect();
        assert_eq!(names, ["ana", "bo", "cy"]);
        let [ana, bo, cy] = &report.entrants[..] else {
            panic!("three entrants");
        };
        assert_eq!((ana.games, bo.games, cy.games), (40, 60, 20));
        assert!((ana.standing.score.mean - 0.75).abs() < 1e-9);
        assert!(ana.standing.score.half_width().is_finite());
        assert!(bo.rating > cy.rating && cy.rating.is_some());
        assert_eq!(ana.thinking.move_ms, Some(10.0));
        assert_eq!((bo.thinking.moves, bo.thinking.slowest_move_ms), (61, 30));
        assert_eq!(report.ends["line"], 61);
        assert_eq!(ana.by_seat.len(), 2);
    }

    #[test]
    fn what_is_no_record_in_a_folder_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a.jsonl"), "").unwrap();
        fs::write(at("b.jsonl"), "no record").unwrap();
        let found = |places: &[PathBuf]| records_at(places).unwrap();
        let all = found(&[folder.path().to_owned()]);
        assert_eq!(
            matches(&all, &[]).err().unwrap().file,
            at("b.jsonl").display().to_string()
        );
        fs::write(at("c.jsonl"), record(["ana", "bo"], 41)).unwrap();
        let all = found(&[folder.path().to_owned()]);
        let report = counted(&matches(&all, &[]).unwrap());
        assert_eq!(report.totals.games, 41);
        // What is named is wanted.
        let error = matches(&all, &[at("a.jsonl")]).err().unwrap();
        assert_eq!(
            (error.file, error.line),
            (at("a.jsonl").display().to_string(), 1)
        );
    }

    #[test]
    fn what_is_no_record_of_the_game_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a.jsonl"), record(["ana", "bo"], 2)).unwrap();
        let other = record(["ana", "bo"], 2).replace("score-four", "dobutsu");
        fs::write(at("b.jsonl"), other).unwrap();
        let short = record(["ana", "bo"], 2).replace("[1.0,0.0]", "[1.0]");
        fs::write(at("c.jsonl"), short).unwrap();
        let said = |names: &[&str]| {
            let found: Vec<PathBuf> = names.iter().map(|name| at(name)).collect();
            matches(&found, &found)
                .err()
                .expect("a record that does not fit")
                .to_string()
        };
        assert!(said(&["a.jsonl", "b.jsonl"]).contains("no record of score-four"));
        assert!(said(&["c.jsonl"]).contains("c.jsonl:5: `points` of the game"));
        assert!(said(&["d.jsonl"]).contains("d.jsonl"));
    }

    #[test]
    fn games_of_no_whole_session_have_a_block_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        fs::write(&path, record(["ana", "bo"], 16)).unwrap();
        let all = games(&mut reader(&path).unwrap(), GameName::ScoreFour, 7, &[0, 1]).unwrap();
        let found = |games: usize, session: usize| -> Vec<(String, usize)> {
            let fixtures = in_sessions(all[..games].to_vec(), session).into_iter();
            fixtures
                .map(|f| (f.key.to_string(), f.games.len()))
                .collect()
        };
        let due = |fixtures: &[(&str, usize)]| -> Vec<(String, usize)> {
            fixtures
                .iter()
                .map(|&(key, games)| (key.to_owned(), games))
                .collect()
        };
        assert_eq!(
            found(16, 5),
            due(&[("7.0.0", 5), ("7.0.1", 5), ("7.1.0", 5), ("7.2.0", 1)])
        );
        assert_eq!(
            found(12, 3),
            due(&[("7.0.0", 3), ("7.0.1", 3), ("7.1.0", 3), ("7.1.1", 3)])
        );
        assert_eq!(
            found(7, 3),
            due(&[("7.0.0", 3), ("7.0.1", 3), ("7.1.0", 1)])
        );
        assert_eq!(found(0, 3), due(&[]));
        let one = &in_sessions(all, 16)[0];
        assert_eq!((one.ms, one.games.len()), (16 * 3, 16));
    }

    #[test]
    fn records_of_leagues_are_told_from_others() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a.jsonl"), record(["ana", "bo"], 2)).unwrap();
        assert!(!matches(&[at("a.jsonl")], &[]).unwrap().is_league);
        let text = record(["ana", "bo"], 2);
        let (head, rest) = text.split_once('\n').unwrap();
        let mut head: serde_json::Value = serde_json::from_str(head).unwrap();
        head["options"] = serde_json::json!({ FIXTURES: [] });
        fs::write(at("b.jsonl"), format!("{head}\n{rest}")).unwrap();
        assert!(
            matches(&[at("a.jsonl"), at("b.jsonl")], &[])
                .unwrap()
                .is_league
        );
    }

    #[test]
    fn long_sessions_are_counted_in_ten_parts() {
        let session = |games| settings(GameName::Daihinmin, &["a".to_owned()], games).session;
        assert_eq!([0, 20, 100, 1000, 100_000].map(session), [1, 1, 2, 20, 20]);
    }
}
