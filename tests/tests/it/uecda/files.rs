//! Settings files, the files that a match leaves, and the viewer.

use std::fs;
use std::path::PathBuf;

use end_to_end::programs::run;
use end_to_end::run::Server;
use end_to_end::uecda::Player;

fn five() -> Vec<Player> {
    (0..5).map(|i| Player::honest(&format!("p{i}"))).collect()
}

fn written(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    (folder, path)
}

#[test]
fn the_official_settings_file_is_used() {
    let text = "GAME_NUMBER 4 # games\nflag_logger YES\nRULE_KAKUMEI no\nWINDOW_TYPE console\n";
    let (_folder, path) = written("tndhms.cfg", text);
    let config = path.display();
    let server = Server::serve(&format!("uecda --config {config} --once --seed 5"));
    server.play(&five());
    let logs = server.folder.path().join("logs");
    server.wait_for_results(1);
    let record = &server.records()[0];
    assert_eq!(record.header.games, 4);
    assert_eq!(record.header.rules["game"]["revolution"], false);
    // The folder was not there.
    let log = fs::read_dir(logs).unwrap().next().unwrap().unwrap().path();
    let log = fs::read_to_string(log).unwrap();
    assert!(log.starts_with("%-----%hostname% "), "{log}");
    let players = log.lines().nth(2);
    assert_eq!(players, Some("%-----%palyer_name% p0 p1 p2 p3 p4"), "{log}");
    assert!(log.contains("%-----%RULE_KAKUMEI% NO"));
    assert_eq!(log.lines().filter(|l| l.contains("%result%")).count(), 4);
    assert!(server.finish().status.success());
}

#[test]
fn names_are_the_same_everywhere() {
    let mut server = Server::serve("uecda --games 1 --once --seed 5 --log .");
    let mut players = five();
    (players[1], players[3]) = (Player::honest("藤心"), Player::honest(""));
    server.play(&players);
    assert!(server.end().status.success());
    let record = &server.records()[0];
    let names: Vec<&str> = record.header.players.iter().map(|p| &p.name[..]).collect();
    assert_eq!(names, ["p0", "藤心", "p2", "Player 4", "p4"]);
    let [record] = &server.record_files()[..] else {
        panic!("a record");
    };
    // The log from the record is that of the server, but for the port and the lines of the machine.
    let folder = server.folder.path().join("again");
    let [record, into] = [record, &folder].map(|path| path.to_string_lossy());
    run(&["replay", &record, "--official-log", &into]).good();
    let log = |folder: PathBuf| {
        let files = fs::read_dir(folder.join("logs")).unwrap();
        let [file] = &files.collect::<Vec<_>>()[..] else {
            panic!("a log");
        };
        fs::read_to_string(file.as_ref().unwrap().path()).unwrap()
    };
    let [live, again] = [server.folder.path().to_owned(), folder].map(log);
    let port = format!("GAME_PORT% {}", server.port);
    assert_eq!(live.replace(&port, "GAME_PORT% 0"), again);
    assert!(
        live.contains("\n%-----%palyer_name% p0 藤心 p2 Player_4 p4\n"),
        "{live}"
    );
}

#[test]
fn the_toml_file_is_used_and_options_go_before_it() {
    let text = "[uecda]\ngames = 3\nseed = 8\ndebug-dat = true\n\n[uecda.rules]\nrank-reset = 2\n";
    let (_folder, path) = written("taikyoku.toml", text);
    let config = path.display();
    let server = Server::serve(&format!("uecda --config {config} --once --games 5"));
    server.play(&five());
    server.wait_for_results(1);
    let record = &server.records()[0];
    assert_eq!(record.header.games, 5);
    assert_eq!(record.header.rules["rank-reset"], 2);
    let debug = server.folder.path().join("debug.dat");
    let debug2 = server.folder.path().join("debug2.dat");
    let last = fs::read_to_string(debug).unwrap();
    let sum: u32 = last
        .lines()
        .last()
        .unwrap()
        .split(' ')
        .map(|n| n.parse::<u32>().unwrap())
        .sum();
    assert_eq!(sum, 75);
    assert_eq!(fs::read_to_string(debug2).unwrap().lines().count(), 5);
    assert!(server.finish().status.success());
}

#[test]
fn the_settings_in_the_documentation_are_settings() {
    let page = include_str!("../../../../docs/settings.md");
    let block = page
        .split("```toml\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next());
    let file = server::config::read_toml(block.expect("a block"), "settings.md").unwrap();
    assert_eq!(file.uecda.move_ms, Some(5000));
    assert_eq!(file.uecda.rules, games::daihinmin::SessionRules::default());
}
