//! A small league whose files are changed, one at a time.

use std::fs;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use games::daihinmin::{DealerKind, SessionRules};
use record::{EndKind, Event, What};
use serde_json::{Value, json};
use tar::{Builder, Header};
use tempfile::TempDir;

use super::audit::is_table;
use super::contents::{SUMS, sha256};
use super::recorded::check_header;
use super::{Audit, Disagreement, RECORDS, audit, audit_archive, pack, unpack};
use crate::journal::{Entry, FILE_NAME, Head, JournalFile, PairedRound, Played, VERSION};
use crate::settings::{Format, Rules, Settings};
use crate::table_session::{Counting, FixtureCollector, RecordedFixture, header_of};
use crate::testing;

/// Three entrants that play score four and keep records.
fn settings() -> Settings {
    let mut settings = testing::settings();
    settings.records = true;
    let one = settings.entrants[0].clone();
    settings.entrants = (0..3)
        .map(|number| {
            let mut entrant = one.clone();
            entrant.name = format!("e{number}");
            entrant
        })
        .collect();
    settings
}

/// A sitting in which all games of these entrants are played: its record, and what the journal says.
fn sitting(settings: &Settings, matchup: u32, entrants: [usize; 2]) -> (String, Vec<Played>) {
    let file = format!("{matchup}.0.0.jsonl");
    let fixtures = settings.plan().block(matchup, &entrants, 0);
    let player = |entrant: &usize| u8::from(*entrant == entrants[1]);
    let seatings: Vec<Vec<u8>> = fixtures
        .iter()
        .map(|fixture| fixture.seats.iter().map(player).collect())
        .collect();
    let recorded = fixtures.iter().zip(&seatings);
    let recorded = recorded.map(|(fixture, seating)| RecordedFixture {
        game: fixture.key,
        players: seating.clone(),
    });
    let players = entrants.map(|entrant| (entrant, None)).to_vec();
    let header = header_of(settings, "0", players, &recorded.collect::<Vec<_>>());
    let mut record = format!("{}\n", json!(header));
    let collector = FixtureCollector::new(Counting::of(settings), seatings.clone());
    let mut collector = collector.recorded_in(Some(file));
    let mut played = Vec::new();
    let mut ms = 0;
    for (game, seats) in (1..).zip(&seatings) {
        let begin = What::Begin {
            game,
            seats: seats.clone(),
            ranks: None,
            hands: Vec::new(),
            position: None,
        };
        // The first builds four upon each other.
        let moves = ["a1", "b1", "a1", "b1", "a1", "b1", "a1"];
        let moves = (0..).zip(moves);
        let moves = moves.map(|(ply, mv): (usize, _)| What::play(seats[ply % 2], mv));
        let winner = usize::from(seats[0]);
        let of = |won: f64, lost: f64| (0..2).map(move |p| if p == winner { won } else { lost });
        let end = What::End {
            game,
            places: of(0.0, 1.0).map(|place| place as u8).collect(),
            points: of(1.0, 0.0).collect(),
            game_points: Vec::new(),
            kinds: vec![EndKind::Normal; 2],
            rule: Some("line".to_owned()),
        };
        for what in std::iter::once(begin).chain(moves).chain([end]) {
            ms += 10;
            let event: Event = what.at(ms);
            record += &json!(event).to_string();
            record.push('\n');
            let Some(done) = collector.event(&event) else {
                continue;
            };
            let fixture = &fixtures[done.number];
            played.push(Played {
                key: fixture.key,
                seats: fixture.seats.clone(),
                ms: done.ms,
                games: done.games,
                record: done.record,
                host: done.host,
            });
        }
    }
    (record, played)
}

/// The folder of a league in which all meet; `rounds` are written into its journal first.
fn league_of(settings: &Settings, rounds: Vec<PairedRound>, all: &[(u32, [usize; 2])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let head = Head {
        version: VERSION,
        started: "2020-01-01T00:00:00Z".to_owned(),
        server: "taikyoku".to_owned(),
        machine: None,
        settings: settings.clone(),
    };
    let mut journal = JournalFile::create(&folder.path().join(FILE_NAME), &head).unwrap();
    for round in rounds {
        let begun = head.started.clone();
        journal.append(&Entry::Round { begun, round }).unwrap();
    }
    fs::create_dir(folder.path().join(RECORDS)).unwrap();
    for &(matchup, entrants) in all {
        let (record, played) = sitting(settings, matchup, entrants);
        let path = folder.path().join(format!("{RECORDS}/{matchup}.0.0.jsonl"));
        fs::write(path, record).unwrap();
        for played in played {
            journal.append(&Entry::Played(played)).unwrap();
        }
    }
    journal.sync().unwrap();
    folder
}

fn league() -> TempDir {
    league_of(
        &settings(),
        Vec::new(),
        &[(0, [0, 1]), (1, [0, 2]), (2, [1, 2])],
    )
}

fn change(folder: &Path, file: &str, change: impl FnOnce(&mut Vec<String>)) {
    let path = folder.join(file);
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    change(&mut lines);
    let changed = lines.join("\n") + "\n";
    assert_ne!(changed, text);
    fs::write(path, changed).unwrap();
}

/// Changes what a line says, the first with number 1.
fn change_line(folder: &Path, file: &str, line: usize, to: impl FnOnce(&mut Value)) {
    change(folder, file, |lines| {
        let mut value = serde_json::from_str(&lines[line - 1]).unwrap();
        to(&mut value);
        lines[line - 1] = value.to_string();
    });
}

#[track_caller]
fn assert_found(found: Result<Audit, Disagreement>, file: &str, line: Option<u64>, says: &str) {
    let found = found.unwrap_err();
    assert_eq!((&found.file[..], found.line), (file, line), "{found}");
    assert!(found.reason.contains(says), "{found}");
}

const RECORD: &str = "records/0.0.0.jsonl";

#[test]
fn a_league_in_which_all_agrees_verifies() {
    let folder = league();
    let audit = audit(folder.path()).unwrap();
    assert_eq!((audit.fixtures, audit.games, audit.moves), (6, 6, 42));
    assert!(audit.lost.is_empty());
}

#[test]
fn a_result_without_its_record_is_found_where_records_are_kept() {
    let folder = league();
    change_line(folder.path(), FILE_NAME, 3, |line| {
        line.as_object_mut().unwrap().remove("record").unwrap();
        let places = line["games"][0]["places"].as_array_mut().unwrap();
        places.reverse();
    });
    assert_found(audit(folder.path()), FILE_NAME, Some(3), "names none");
    // From where on none are kept there is none to miss.
    let mut without = settings();
    without.records = false;
    let begun = Entry::Begun {
        begun: "2020-01-01T00:00:00Z".to_owned(),
        settings: Some(Box::new(without)),
        by: None,
    };
    change(folder.path(), FILE_NAME, |lines| {
        lines.insert(2, json!(begun).to_string());
    });
    let found = audit(folder.path()).unwrap();
    let lost: Vec<String> = found.lost.iter().map(ToString::to_string).collect();
    assert_eq!(
        (found.unrecorded, &lost[..]),
        (1, &["0.0.1".to_owned()][..])
    );
    // It counts from its line on only.
    change(folder.path(), FILE_NAME, |lines| lines.swap(2, 3));
    assert_found(audit(folder.path()), FILE_NAME, Some(3), "names none");
}

#[test]
fn a_result_with_more_games_than_its_session_is_found() {
    let folder = league();
    change_line(folder.path(), FILE_NAME, 3, |line| {
        let game = line["games"][0].clone();
        line["games"] = json!([game, game]);
    });
    assert_found(audit(folder.path()), FILE_NAME, Some(3), "2 games");
}

#[test]
fn another_entrant_in_a_record_is_found() {
    let folder = league();
    change_line(folder.path(), RECORD, 1, |header| {
        assert_eq!(header["players"][1]["name"], "e1");
        header["players"][1]["name"] = json!("e2");
    });
    let found = audit(folder.path()).unwrap_err();
    assert_eq!(found.file, RECORD, "{found}");
    let [now, due] = ["e0, e2", "e2, e0"].map(|names| found.reason.contains(names));
    assert!(now || due, "{found}");
}

#[test]
fn another_protocol_in_a_record_is_found() {
    let folder = league();
    change_line(folder.path(), RECORD, 1, |header| {
        header["tongue"] = json!("uecda");
    });
    assert_found(
        audit(folder.path()),
        RECORD,
        Some(1),
        "its protocol: \"uecda\"",
    );
}

#[test]
fn a_record_that_was_played_otherwise_is_found() {
    let mut settings = settings();
    settings.rules = Rules::Daihinmin(SessionRules::default());
    let header = header_of(&settings, "0", Vec::new(), &[]);
    assert_eq!(check_header(&header, &settings), Ok(()));
    for (name, value) in [
        ("compat", json!("official")),
        ("dealer", json!(DealerKind::Official)),
        ("duplicate", json!(false)),
        ("session", json!(2)),
    ] {
        let header = header.clone().with_option(name, value);
        let found = check_header(&header, &settings).unwrap_err();
        assert!(found.contains(name), "{found}");
    }
}

#[test]
fn a_game_that_was_left_out_of_the_journal_is_found() {
    let folder = league();
    change(folder.path(), FILE_NAME, |lines| drop(lines.remove(1)));
    let found = audit(folder.path()).unwrap_err();
    assert_eq!(found.file, RECORD, "{found}");
    assert!(found.reason.contains("no line of game 0.0.0"), "{found}");
    // The last games of a record may be lost, and are named.
    let folder = league();
    change(folder.path(), FILE_NAME, |lines| drop(lines.remove(2)));
    let audit = audit(folder.path()).unwrap();
    let lost: Vec<String> = audit.lost.iter().map(ToString::to_string).collect();
    assert_eq!((audit.uncounted, &lost[..]), (1, &["0.0.1".to_owned()][..]));
    assert_eq!((audit.games, audit.moves), (5, 35));
}

#[test]
fn what_was_changed_is_named() {
    type Change = fn(&Path);
    let changes: [(Change, &str, &str); 12] = [
        (
            |league| {
                change_line(league, FILE_NAME, 2, |line| {
                    let places = line["games"][0]["places"].as_array_mut();
                    places.unwrap().reverse();
                });
            },
            RECORD,
            "`places`",
        ),
        (
            |league| change_line(league, FILE_NAME, 2, |line| line["ms"] = json!(1)),
            RECORD,
            "ms",
        ),
        (
            |league| {
                for number in [2, 3] {
                    change_line(league, FILE_NAME, number, |line| {
                        line["record"]["file"] = json!("0.9.0.jsonl");
                    });
                }
            },
            FILE_NAME,
            "its record is missing: records/0.9.0.jsonl",
        ),
        (
            |league| {
                change_line(league, FILE_NAME, 4, |line| {
                    line["record"]["file"] = json!("0.0.0.jsonl");
                });
            },
            FILE_NAME,
            "its games are those of line",
        ),
        (
            |league| {
                change_line(league, FILE_NAME, 1, |head| {
                    head["settings"]["random-plies"] = json!(3);
                });
            },
            RECORD,
            "random-plies",
        ),
        // The last move of a game cannot have been another.
        (
            |league| change_line(league, RECORD, 9, |event| event["player"] = json!(0)),
            RECORD,
            "",
        ),
        (
            |league| change(league, RECORD, |lines| lines.truncate(1)),
            RECORD,
            "not in the record",
        ),
        (
            |league| {
                change_line(league, RECORD, 1, |header| {
                    drop(header.as_object_mut().unwrap().remove("tongue"));
                });
            },
            RECORD,
            "header",
        ),
        (
            |league| {
                change_line(league, RECORD, 1, |header| {
                    header["clocks"]["move-ms"] = json!(1);
                });
            },
            RECORD,
            "limits of time",
        ),
        (
            |league| {
                change_line(league, RECORD, 1, |header| {
                    header["options"]["fixtures"][0]["game"] = json!("0.0.9");
                });
            },
            RECORD,
            "no such game",
        ),
        (
            |league| _ = fs::copy(league.join("records/1.0.0.jsonl"), league.join(RECORD)).unwrap(),
            RECORD,
            "`key` is \"0.0.0\"",
        ),
        (
            |league| fs::remove_file(league.join(RECORD)).unwrap(),
            FILE_NAME,
            "its record is missing",
        ),
    ];
    for (change, file, says) in changes {
        let league = league();
        change(league.path());
        let found = audit(league.path()).unwrap_err();
        assert_eq!(found.file, file, "{found}");
        assert!(found.reason.contains(says), "{says}: {found}");
    }
}

#[test]
fn a_record_without_a_whole_header_is_cut_off() {
    for torn in ["", "{\"taikyoku-record\":1,\"ga"] {
        let folder = league();
        fs::write(folder.path().join("records/0.0.0-2.jsonl"), torn).unwrap();
        let found = audit(folder.path()).unwrap();
        assert_eq!((found.records, found.cut_off), (4, 4));
        fs::write(folder.path().join(RECORD), torn).unwrap();
        assert_found(audit(folder.path()), RECORD, Some(1), "header");
    }
}

fn archived(folder: &Path) -> TempDir {
    let unpacked = tempfile::tempdir().unwrap();
    let archive = unpacked.path().join("a.tar.gz");
    pack(folder, "it", &archive, false).unwrap();
    let into = tempfile::tempdir().unwrap();
    unpack(&archive, into.path()).unwrap();
    into
}

/// Puts the checksum of a file as it is now into the list.
fn sum(folder: &Path, file: &str) {
    let now = sha256(&mut &fs::read(folder.join(file)).unwrap()[..]).unwrap();
    change(folder, SUMS, |lines| {
        let end = format!("  {file}");
        let line = lines.iter_mut().find(|line| line.ends_with(&end)).unwrap();
        *line = format!("{now}{end}");
    });
}

#[test]
fn an_archive_without_checksums_is_none() {
    let unpacked = archived(league().path());
    let found = audit_archive(unpacked.path()).unwrap();
    assert_eq!(found.unverified, ["report.json", "report.html"]);
    fs::remove_file(unpacked.path().join(SUMS)).unwrap();
    assert_found(audit_archive(unpacked.path()), SUMS, None, "it is missing");
}

#[test]
fn files_of_an_archive_are_those_of_its_checksums() {
    type Change = fn(&Path);
    let changes: [(&str, Change, &str); 3] = [
        (
            RECORD,
            |path| fs::write(path, "x").unwrap(),
            "it was changed",
        ),
        (
            "report.json",
            |path| fs::remove_file(path).unwrap(),
            "it is missing",
        ),
        (
            "more.txt",
            |path| fs::write(path, "x").unwrap(),
            "was added later",
        ),
    ];
    let league = league();
    for (file, change, says) in changes {
        let unpacked = archived(league.path());
        change(&unpacked.path().join(file));
        assert_found(audit_archive(unpacked.path()), file, None, says);
    }
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("a.tar.gz");
    pack(league.path(), "it", &archive, false).unwrap();
    let bytes = fs::read(&archive).unwrap();
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 4;
    for damaged in [&flipped[..], &bytes[..bytes.len() - 1], &[]] {
        fs::write(&archive, damaged).unwrap();
        let into = folder.path().join("into");
        let sum = unpack(&archive, &into);
        assert!(sum.and_then(|_| audit_archive(&into)).is_err());
        let _ = fs::remove_dir_all(&into);
    }
}

#[test]
fn a_changed_table_of_an_archive_is_found() {
    let folder = league();
    for (file, line) in [("standings.csv", 2), ("games.csv", 3)] {
        let unpacked = archived(folder.path());
        change(unpacked.path(), file, |lines| {
            lines[line - 1] = lines[line - 1].replacen(",e", ",f", 1);
        });
        sum(unpacked.path(), file);
        let says = "not the table that follows";
        assert_found(audit_archive(unpacked.path()), file, None, says);
    }
}

#[test]
fn a_table_that_cannot_be_read_is_not_taken_for_the_due_one() {
    let folder = tempfile::tempdir().unwrap();
    assert!(is_table(&folder.path().join("absent.csv"), b"a").unwrap());
    let table = folder.path().join("games.csv");
    fs::write(&table, "a").unwrap();
    assert!(is_table(&table, b"a").unwrap() && !is_table(&table, b"b").unwrap());
    // A folder has no bytes.
    assert!(is_table(folder.path(), b"a").is_err());
}

#[test]
fn a_member_with_a_name_of_any_length_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("a.tar.gz");
    let file = fs::File::create(&archive).unwrap();
    let mut tar = Builder::new(GzEncoder::new(file, Compression::default()));
    let name = format!("it/{}", "n".repeat(5000));
    tar.append_data(&mut Header::new_gnu(), name, &b""[..])
        .unwrap();
    tar.into_inner().unwrap().finish().unwrap();
    let found = unpack(&archive, &folder.path().join("into")).unwrap_err();
    assert!(found.reason.contains("is no "), "{found}");
    // None is made.
    let league = league();
    let long = format!("{RECORDS}/{}.jsonl", "n".repeat(200));
    fs::write(league.path().join(long), "").unwrap();
    let other = folder.path().join("b.tar.gz");
    assert!(pack(league.path(), "it", &other, false).is_err());
    assert!(!other.exists());
}

#[test]
fn a_full_disk_is_no_fault_of_an_archive() {
    let league = league();
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("a.tar.gz");
    pack(league.path(), "it", &archive, false).unwrap();
    let here = folder.path().join("file");
    fs::write(&here, "").unwrap();
    let found = unpack(&archive, &here).unwrap_err();
    assert!(found.reason.contains("cannot be unpacked here"), "{found}");
}

#[test]
fn a_pairing_that_the_journal_does_not_have_is_found() {
    let mut settings = settings();
    settings.format = Format::Swiss { rounds: 1 };
    let round = |entrants: [usize; 2]| PairedRound {
        section: 0,
        first: 0,
        matchups: vec![entrants.to_vec()],
        groups: vec![vec![0, 1, 2]],
    };
    let [a, b] = [[0, 1], [0, 2]];
    let found = |rounds: Vec<PairedRound>, played: [usize; 2]| {
        let folder = league_of(&settings, rounds, &[(0, played)]);
        audit(folder.path())
    };
    assert_found(
        found(Vec::new(), a),
        FILE_NAME,
        Some(2),
        "no round before it",
    );
    assert_found(
        found(vec![round(a)], b),
        FILE_NAME,
        Some(3),
        "was paired with",
    );
    let twice = found(vec![round(a), round(b)], b);
    assert_found(twice, FILE_NAME, Some(3), "paired before");
    let mut later = round(a);
    later.first = 1;
    let later = found(vec![round(a), later], a);
    assert_found(later, FILE_NAME, Some(3), "no matchup 1");
    let mut other = round(a);
    other.groups = vec![a.to_vec()];
    let other = found(vec![other], a);
    assert_found(other, FILE_NAME, Some(2), "its groups are not those");
}
