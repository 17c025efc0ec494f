//! Archives of leagues, the audit of all that a league has written, and what it finds that was changed.

use std::fs;

use end_to_end::league::{League, random_bots};
use serde_json::Value;

/// A league of house bots that keeps records. The folder of its files is `it.league`.
fn played(game: &str, seats: usize, keys: &str) -> League {
    let entrants = random_bots((0..seats).map(|i| format!("e{i}")));
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
    let entrants = random_bots(["a", "b"]);
    let league = League::new(&format!(
        "game = \"score-four\"\nrecords = true\n{keys}\n{entrants}"
    ));
    for fixtures in [5, 25, 45] {
        league.kill_after("it.league", fixtures, league.start("it.league"));
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
    let head = "game = \"score-four\"\ndeals = 1\n".to_owned();
    let league = League::new(&(head + &random_bots(["a", "b"])));
    league.ends("it.league", 0);
    let (code, found) = verify(&league, "it.toml");
    assert_eq!(
        (code, &found["unrecorded"]),
        (Some(0), &2.into()),
        "{found}"
    );
    let text = league.output(&["verify", "it.toml"]).out;
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

#[test]
fn a_changed_setting_is_named() {
    let league = played("score-four", 2, "deals = 1\nseed = 5\nrandom-plies = 2");
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
    league.rewrite(&text);
    let journal = league.out("it.league/journal.jsonl");
    let lines = fs::read_to_string(&journal).expect("a journal");
    let changed = lines.replacen("\"seed\":5", "\"seed\":7", 1);
    assert_ne!(changed, lines);
    fs::write(journal, changed).expect("a journal");
    let (code, found) = verify(&league, "it.league");
    let reason = found["reason"].as_str().expect("a reason");
    assert!(code == Some(1) && reason.contains("by the seed"), "{found}");
}
