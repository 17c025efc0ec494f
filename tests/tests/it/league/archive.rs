//! Archives of leagues, the audit of all that a league has written, and what it finds that was changed.

use std::fs;
use std::path::{Path, PathBuf};

use end_to_end::league::League;
use league::archive::{Audit, Disagreement, audit, unpack};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;

/// A league of house bots that keeps records. The folder of its files is `it.league`.
fn played(game: &str, seats: usize, keys: &str) -> League {
    let entrants =
        (0..seats).map(|i| format!("[[entrants]]\nname = \"e{i}\"\nengine = \"random\"\n"));
    let entrants: String = entrants.collect();
    let league = League::new(&format!(
        "game = \"{game}\"\nrecords = true\n{keys}\n{entrants}"
    ));
    league.ends("it.league", 0);
    league
}

/// `taikyoku league verify --json`: its exit status and what it prints.
fn verify(league: &League, what: &str) -> (Option<i32>, Value) {
    league.json(&["verify", what])
}

/// A copy of a folder with a folder of records in it.
fn copy(from: &Path, into: &Path) {
    fs::create_dir_all(into.join("records")).expect("a folder");
    for folder in ["", "records"] {
        for file in fs::read_dir(from.join(folder)).expect("a folder") {
            let path = file.expect("a file").path();
            if path.is_file() {
                let name = path.file_name().expect("a name");
                fs::copy(&path, into.join(folder).join(name)).expect("a copy");
            }
        }
    }
}

#[test]
fn a_league_of_each_contest_verifies() {
    for (game, seats, keys, games) in [
        ("daihinmin", 5, "deals = 1\nsession = 3", 15),
        (
            "daihinmin",
            6,
            "deals = 1\nduplicate = false\nprocess = \"sitting\"",
            30,
        ),
        ("geister", 3, "deals = 2\nprocess = \"sitting\"", 12),
        ("score-four", 3, "deals = 1\nrandom-plies = 4", 6),
        ("dobutsu", 2, "deals = 2\npoints = [3, 1, 0]", 4),
        ("blokus", 4, "deals = 1\nsitting-deals = 1", 4),
    ] {
        let league = played(game, seats, &format!("archive = true\n{keys}"));
        for what in ["it.league.tar.gz", "it.league", "it.toml"] {
            let (code, found) = verify(&league, what);
            assert_eq!(code, Some(0), "{game} {what}: {found}");
            assert_eq!(found["agrees"], true);
            assert_eq!(found["games"], games, "{found}");
            assert_eq!(found["fixtures"], found["scheduled"], "{found}");
            for none in ["unrecorded", "walkovers", "struck", "uncounted", "cut_off"] {
                assert_eq!(found[none], 0, "{none}: {found}");
            }
            assert_eq!(found["checksums"].is_u64(), what.contains(".tar"));
        }
        // The same league gives the same bytes.
        let (status, said) = league.told(&["archive", "it.toml", "--output", "again.tgz"]);
        assert_eq!(status, Some(0), "{said}");
        let bytes = |name: &str| fs::read(league.out(name)).expect("an archive");
        assert!(bytes("again.tgz") == bytes("it.league.tar.gz"));
    }
}

#[test]
fn a_league_that_was_killed_verifies() {
    let keys = "deals = 40\nat-once = 2\nprocess = \"sitting\"\nsitting-deals = 3";
    let entrants = "[[entrants]]\nname = \"a\"\nengine = \"random\"\n\
                    [[entrants]]\nname = \"b\"\nengine = \"random\"\n";
    let league = League::new(&format!(
        "game = \"score-four\"\nrecords = true\n{keys}\n{entrants}"
    ));
    for fixtures in [5, 25, 45] {
        let mut child = league.start("it.league");
        league.wait_for("it.league", fixtures, &mut child);
        child.kill().expect("a process");
        child.wait().expect("an end");
        let (code, found) = verify(&league, "it.toml");
        assert_eq!(code, Some(0), "{found}");
    }
    league.ends("it.league", 0);
    assert_eq!(league.fixtures("it.league").len(), 80);
    let (code, found) = verify(&league, "it.league");
    assert_eq!((code, &found["games"]), (Some(0), &80.into()), "{found}");
    // What a kill leaves: a record without an end, or one with games that the journal does not know.
    assert!(found["cut_off"] != 0 || found["uncounted"] != 0, "{found}");
}

#[test]
fn fixtures_without_a_record_are_counted() {
    let league = League::new(
        r#"
game = "geister"
records = true
format = "swiss"
rounds = 1
deals = 1
[contest]
host = "127.0.0.1"
port = 0
wait-s = 1
absent = "forfeit"
[[entrants]]
name = "ada"
start = "remote"
[[entrants]]
name = "bea"
start = "remote"
"#,
    );
    league.ends("it.league", 0);
    let (code, found) = verify(&league, "it.league");
    assert_eq!((code, &found["walkovers"]), (Some(0), &2.into()), "{found}");
    assert_eq!((&found["games"], &found["records"]), (&0.into(), &0.into()));
    // Where none are kept, nothing can be played again.
    let text = "game = \"score-four\"\ndeals = 1\n[[entrants]]\nengine = \"random\"\n\
                [[entrants]]\nname = \"b\"\nengine = \"random\"\n";
    let league = League::new(text);
    league.ends("it.league", 0);
    let (code, found) = verify(&league, "it.toml");
    assert_eq!(
        (code, &found["unrecorded"]),
        (Some(0), &2.into()),
        "{found}"
    );
    let output = league.output(&["verify", "it.toml"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.contains("not verified: rules, deals, moves and results") && !text.contains("agree"),
        "{text}"
    );
}

#[test]
fn an_archive_that_does_not_verify_is_reported() {
    let league = played("score-four", 2, "deals = 1");
    fs::remove_file(league.out("it.league").join("records/0.0.0.jsonl")).expect("a record");
    let (code, errors) = league.told(&["archive", "it.league"]);
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("its record is missing"), "{errors}");
    assert!(league.folder.path().join("it.league.tar.gz").is_file());
}

#[test]
fn a_path_without_a_journal_names_the_remedy() {
    let league = played("score-four", 2, "deals = 1");
    assert_eq!(league.told(&["archive", "it.league"]).0, Some(0));
    fs::write(league.folder.path().join("new.toml"), "").expect("a file");
    for (name, says) in [
        ("new.toml", "taikyoku league new.toml begins it"),
        ("absent.toml", "absent.toml: "),
        (".", "there is no journal here"),
        ("it.league.tar.gz", "tar xzf it.league.tar.gz"),
    ] {
        for command in ["status", "report", "archive"] {
            let (code, errors) = league.told(&[command, name]);
            assert_eq!(code, Some(2), "{errors}");
            assert!(errors.contains(says), "{errors}");
            assert!(!errors.contains("--fresh"), "{errors}");
        }
    }
}

/// What is found in a copy of a league's folder of which a file was changed.
fn found(league: &Path, file: &str, change: impl Fn(&str) -> String) -> Disagreement {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    copy(league, folder);
    let text = fs::read_to_string(folder.join(file)).expect("a file");
    let changed = change(&text);
    assert_ne!(changed, text, "{file}");
    fs::write(folder.join(file), changed).expect("a file");
    audit(folder).expect_err(file)
}

/// Compares file, line and key of what was found; a line of 0 is any.
fn assert_found(found: &Disagreement, file: &str, line: u64, key: &str, says: &str) {
    assert_eq!(found.file, file, "{found}");
    if line > 0 {
        assert_eq!(found.line, Some(line), "{found}");
    }
    let named = found.key.map(|key| key.to_string()).unwrap_or_default();
    assert_eq!(named, key, "{found}");
    assert!(found.reason.contains(says), "{found}");
}

/// A function that replaces the first such text.
fn put(from: &str, to: &str) -> impl Fn(&str) -> String {
    move |text| text.replacen(from, to, 1)
}

const JOURNAL: &str = "journal.jsonl";
const RECORD: &str = "records/0.0.0.jsonl";

#[test]
fn a_changed_journal_is_named() {
    let league = played("score-four", 2, "deals = 2\nseed = 5\nrandom-plies = 2");
    let league = league.out("it.league");
    assert!(audit(&league).is_ok());
    let lines = fs::read_to_string(league.join(JOURNAL)).expect("a journal");
    let (line, result) = (1..)
        .zip(lines.lines())
        .find(|(_, line)| line.contains("\"key\":\"0.0.0\""))
        .expect("its line");
    let of_result = |from: &str, to: &str| {
        let changed = result.replacen(from, to, 1);
        put(result, &changed)(&lines)
    };
    let places = ["[0,1]", "[1,0]", "[0,0]"].map(|places| format!("\"places\":{places}"));
    let own = places.iter().find(|places| result.contains(&places[..]));
    let own = own.expect("places");
    let other = &places[usize::from(own == &places[0])];
    let swapped = of_result(own, other);
    let said = format!("line {line} of journal.jsonl");
    let place = found(&league, JOURNAL, |_| swapped.clone());
    assert_found(&place, RECORD, 0, "0.0.0", &said);
    assert!(place.reason.contains("`places`"), "{place}");
    let slower = of_result("\"ms\":", "\"ms\":1");
    let slower = found(&league, JOURNAL, |_| slower.clone());
    assert_found(&slower, RECORD, 0, "0.0.0", "ms");
    let elsewhere = of_result("\"file\":\"0.0.0", "\"file\":\"0.9.0");
    let elsewhere = found(&league, JOURNAL, |_| elsewhere.clone());
    assert_found(
        &elsewhere,
        JOURNAL,
        line,
        "0.0.0",
        "its record is missing: records/0.9.0.jsonl",
    );
    let twice = of_result("\"file\":\"0.0.0", "\"file\":\"0.0.1");
    let twice = found(&league, JOURNAL, |_| twice.clone());
    assert!(
        twice.reason.contains("its games are those of line"),
        "{twice}"
    );
    let plies = found(
        &league,
        JOURNAL,
        put("\"random-plies\":2", "\"random-plies\":3"),
    );
    assert_found(&plies, RECORD, 1, "", "random-plies");
    let seed = found(&league, JOURNAL, put("\"seed\":5", "\"seed\":7"));
    assert!(seed.reason.contains("by the seed"), "{seed}");
}

#[test]
fn a_changed_record_is_named() {
    for (game, seats, keys) in [
        ("daihinmin", 5, "deals = 1\nsession = 2"),
        ("geister", 2, "deals = 1"),
    ] {
        let league = played(game, seats, keys);
        let league = league.out("it.league");
        // The last move of a game cannot have been another.
        let record = fs::read_to_string(league.join(RECORD)).expect("a record");
        let is_move = |line: &&str| line.contains("\"event\":\"move\"");
        let last = record.lines().rfind(is_move).expect("a move");
        let other = last.replacen("\"player\":", "\"player\":1", 1);
        let moved = found(&league, RECORD, put(last, &other));
        assert_found(&moved, RECORD, 0, "0.0.0", "");
        assert!(moved.line.is_some(), "{moved}");
        // A game that was left out.
        let cut = |text: &str| text.lines().next().expect("a header").to_owned() + "\n";
        let short = found(&league, RECORD, cut);
        assert_found(&short, RECORD, 0, "0.0.0", "not in the record");
        for (from, to, says) in [
            ("\"name\":\"e0\"", "\"name\":\"e9\"", "no entrants"),
            ("\"tongue\"", "\"tong\"", "header"),
            ("\"move-ms\":", "\"move-ms\":1", "limits of time"),
            ("\"game\":\"0.0.0\"", "\"game\":\"0.0.9\"", "no such game"),
        ] {
            let found = found(&league, RECORD, put(from, to));
            assert_eq!((&found.file[..], found.line), (RECORD, Some(1)), "{found}");
            assert!(found.reason.contains(says), "{found}");
        }
        // A record in the place of another, and one that is gone.
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        copy(&league, folder);
        fs::copy(folder.join("records/0.0.1.jsonl"), folder.join(RECORD)).expect("a copy");
        let swapped = audit(folder).expect_err("another record");
        assert_eq!(swapped.file, RECORD, "{swapped}");
        assert!(swapped.reason.contains("`key` is \"0.0.0\""), "{swapped}");
        fs::remove_file(folder.join(RECORD)).expect("a record");
        let missing = audit(folder).expect_err("no record");
        assert_found(&missing, JOURNAL, 0, "0.0.0", "its record is missing");
    }
}

#[test]
fn a_changed_setting_is_named() {
    let league = played("score-four", 2, "deals = 1\nrandom-plies = 2");
    let text = fs::read_to_string(league.out("it.toml")).expect("a file");
    league.rewrite(&text.replace("random-plies = 2", "random-plies = 3"));
    let (code, found) = verify(&league, "it.toml");
    assert_eq!(
        (code, &found["file"]),
        (Some(1), &"it.toml".into()),
        "{found}"
    );
    let reason = found["reason"].as_str().expect("a reason");
    assert!(reason.contains("`random-plies` was 2 and is 3"), "{reason}");
}

/// An archive of a small league, and what is in it.
fn archived() -> (League, PathBuf, Audit) {
    let league = played("score-four", 2, "deals = 1\narchive = true");
    let archive = league.out("it.league.tar.gz");
    let folder = tempfile::tempdir().expect("a folder");
    unpack(&archive, folder.path()).expect("an archive");
    let audit = audit(folder.path()).expect("all agrees");
    (league, archive, audit)
}

#[test]
fn a_changed_bit_of_an_archive_is_found() {
    let (league, archive, whole) = archived();
    let bytes = fs::read(&archive).expect("an archive");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let changed = league.out("changed.tar.gz");
    let mut found = 0;
    let ends = [
        0,
        1,
        2,
        3,
        bytes.len() - 8,
        bytes.len() - 4,
        bytes.len() - 1,
    ];
    let mut places: Vec<usize> = (0..20).map(|_| rng.random_range(0..bytes.len())).collect();
    places.extend(ends);
    for place in places {
        let mut other = bytes.clone();
        other[place] ^= 1 << rng.random_range(0..8);
        fs::write(&changed, other).expect("an archive");
        let folder = tempfile::tempdir().expect("a folder");
        let sum = unpack(&changed, folder.path());
        match sum.and_then(|_| audit(folder.path())) {
            Err(disagreement) => {
                let said = disagreement.to_string();
                assert!(
                    said.contains("changed.tar.gz") || said.contains("SHA256SUMS"),
                    "{said}"
                );
                found += 1;
            }
            // A few bits of the form say nothing of the contents.
            Ok(audit) => assert_eq!(audit, whole, "bit of byte {place}"),
        }
    }
    assert!(found > 20, "{found}");
    for cut in [0, 10, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&changed, &bytes[..cut]).expect("an archive");
        let folder = tempfile::tempdir().expect("a folder");
        assert!(unpack(&changed, folder.path()).is_err(), "{cut}");
    }
    let (code, found) = verify(&league, "it.league.tar.gz");
    assert_eq!(code, Some(0), "{found}");
    assert_eq!(found["sha256"].as_str().map(str::len), Some(64));
}

#[test]
fn files_of_an_archive_are_those_of_its_checksums() {
    type Change = fn(&Path);
    let (_league, archive, _) = archived();
    let changes: [(&str, Change, &str); 3] = [
        (
            RECORD,
            |path| fs::write(path, "x").expect("a file"),
            "it was changed",
        ),
        (
            "report.json",
            |path| fs::remove_file(path).expect("a file"),
            "it is missing",
        ),
        (
            "more.txt",
            |path| fs::write(path, "x").expect("a file"),
            "was added later",
        ),
    ];
    for (file, change, says) in changes {
        let folder = tempfile::tempdir().expect("a folder");
        unpack(&archive, folder.path()).expect("an archive");
        change(&folder.path().join(file));
        let found = audit(folder.path()).expect_err(says);
        assert_found(&found, file, 0, "", says);
    }
}
