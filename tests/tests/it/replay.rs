//! `taikyoku replay --sheet`: what it prints of a record is what the server wrote beside it.

use std::fs;

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
