//! `taikyoku replay --sheet`: what it prints of a record is what the server wrote beside it.

use std::fs;

use end_to_end::native::Random;
use end_to_end::programs::{Ended, bot, end_of, run, started};
use end_to_end::run::Server;

/// Plays a match of bots, in whose engines nothing depends on time.
fn assert_sheets(game: &str, players: usize, option: &str, extension: &str) {
    let line = format!("{game} --games 2 --seed 3 --once --json {option} games");
    let mut server = Server::serve(&line);
    let bots: Vec<_> = (1..=players)
        .map(|number| {
            let line = format!("--engine random --seed {number} --name bot{number}");
            started(&mut bot(game, server.port, &line))
        })
        .collect();
    for bot in bots {
        end_of(bot).good();
    }
    assert!(server.end().status.success());
    let files = fs::read_dir(server.folder.path().join("games")).expect("a folder");
    let mut sheets: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    sheets.sort();
    assert_eq!(sheets.len(), 2);
    let written: Vec<String> = sheets
        .iter()
        .map(|path| {
            assert_eq!(path.extension().and_then(|it| it.to_str()), Some(extension));
            fs::read_to_string(path).expect("a text")
        })
        .collect();
    let [record] = &server.record_files()[..] else {
        panic!("a record");
    };
    let record = record.to_string_lossy();
    let replay = |more: &[&str]| run(&[&["replay", "--sheet", &record], more].concat());
    let [all, second] = [replay(&[]), replay(&["--game", "2"])];
    assert_eq!((&all.err[..], &second.err[..]), ("", ""));
    assert_eq!(
        (all.good(), second.good()),
        (written.concat(), written[1].clone())
    );
    let Ended { code, err, .. } = replay(&["--game", "3"]);
    assert!(code != Some(0) && err.contains("no game 3"), "{err}");
}

#[test]
fn a_record_of_dobutsu_shogi_has_the_sheets_of_its_games() {
    assert_sheets("dobutsu", 2, "--csa", "csa");
}

#[test]
fn a_record_of_blokus_has_the_sheets_of_its_games() {
    assert_sheets("blokus", 4, "--blksgf", "blksgf");
}

#[test]
fn matches_are_reported_as_one_from_their_records() {
    let folder = tempfile::tempdir().expect("a folder");
    for (match_no, seed) in [("a", 1), ("b", 5)] {
        let mut server = Server::serve("score-four --games 4 --once");
        let port = server.port;
        let players = ["ana", "bo"].map(|name| Random::new(name, seed).sit(port));
        for player in players {
            player.join().expect("a player");
        }
        server.end();
        let records = fs::read_dir(server.folder.path().join("records")).expect("a folder");
        for record in records {
            let from = record.expect("a file").path();
            fs::copy(from, folder.path().join(format!("{match_no}.jsonl"))).expect("a copy");
        }
    }
    let records = folder.path().to_string_lossy();
    let report = |more: &[&str]| run(&[&["report", &records], more].concat()).good();
    let figures: serde_json::Value = serde_json::from_str(&report(&["--json"])).expect("JSON");
    assert_eq!(figures["totals"]["games"], 8);
    assert_eq!(figures["totals"]["fixtures"], 2);
    assert_eq!(figures["totals"]["blocks"], 4);
    let names = [0, 1].map(|at| figures["entrants"][at]["name"].clone());
    assert!(
        names == ["ana", "bo"] || names == ["bo", "ana"],
        "{names:?}"
    );
    let tables = folder.path().join("tables");
    let text = report(&["--csv", &tables.to_string_lossy()]);
    assert!(text.contains("4 blocks of 2 games"), "{text}");
    let games = fs::read_to_string(tables.join("games.csv")).expect("a table");
    assert_eq!(games.lines().count(), 1 + 2 * 8);
    let missing = run(&["report", "nowhere.jsonl"]);
    assert_eq!(missing.code, Some(1));
    assert!(missing.err.contains("nowhere.jsonl"));
}
