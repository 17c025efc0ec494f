//! Settings files, the files that a match leaves, and the viewer.

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use end_to_end::programs;
use end_to_end::run::Server;
use end_to_end::uecda::Player;

fn taikyoku() -> Command {
    Command::new(programs::taikyoku())
}

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
    let config = path.to_str().unwrap();
    let server = Server::start(&["--config", config, "--once", "--seed", "5"]);
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
    let mut server = Server::start(&["--games", "1", "--once", "--seed", "5", "--log", "."]);
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
    taikyoku()
        .arg("replay")
        .arg(record)
        .arg("--official-log")
        .arg(&folder)
        .assert()
        .success();
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
    let config = path.to_str().unwrap();
    let server = Server::start(&["--config", config, "--once", "--games", "5"]);
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
fn mistakes_in_settings_name_file_and_line() {
    for (name, text, message) in [
        (
            "tndhms.cfg",
            "\nRULE_11BACK yes\n",
            "tndhms.cfg:2: RULE_11BACK yes",
        ),
        ("a.toml", "[uecda]\n\nport = \"x\"\n", "a.toml:3: "),
        (
            "b.toml",
            "[uecda]\nprot = 1\n",
            "b.toml:2: unknown field `prot`",
        ),
        (
            "c.toml",
            "[uecda]\ngames = 0\n",
            "`games` in the settings file may not be 0",
        ),
        (
            "d.toml",
            "[uecda]\nmove-ms = 0\n",
            "a limit of 0 ms lets nobody move",
        ),
    ] {
        let (_folder, path) = written(name, text);
        let run = taikyoku()
            .args(["serve", "uecda", "--once", "--config"])
            .arg(&path)
            .assert()
            .code(2);
        let error = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn a_record_is_shown_and_checked() {
    let server = Server::start(&["--games", "3", "--seed", "6", "--once"]);
    server.play(&five());
    server.wait_for_results(1);
    let path = server.record_files().remove(0);
    let run = |options: &[&str]| {
        let mut command = taikyoku();
        command.arg("replay").arg(&path).args(options);
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.success(), text)
    };
    let (good, text) = run(&["--check"]);
    assert!(
        good && text.contains("3 games") && text.contains("as the record states"),
        "{text}"
    );
    let (good, text) = run(&[]);
    assert!(good && text.contains("game 3 of 3") && text.contains("result after 3 games"));
    let (good, text) = run(&["--game", "2"]);
    assert!(good && text.contains("game 2 of 3") && !text.contains("game 1 of 3"));
    let (good, text) = run(&["--json"]);
    let positions = text.lines().map(serde_json::from_str::<serde_json::Value>);
    assert!(good && positions.flatten().count() > 100);

    // A changed move is found, and its line named.
    let changed =
        fs::read_to_string(&path)
            .unwrap()
            .replacen("\"move\":\"pass\"", "\"move\":\"S3\"", 1);
    let (_folder, copy) = written("changed.jsonl", &changed);
    let run = taikyoku()
        .arg("replay")
        .arg(&copy)
        .arg("--check")
        .assert()
        .failure();
    let error = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(error.contains("changed.jsonl:"), "{error}");
}

#[test]
fn no_record_is_an_error_and_no_panic() {
    let (_folder, path) = written("x.jsonl", "hello\n");
    for args in [vec![path.to_str().unwrap()], vec!["/nowhere/r.jsonl"]] {
        let run = taikyoku().arg("replay").args(args).assert().failure();
        let error = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(!error.contains("panicked"), "{error}");
        assert!(!error.is_empty());
    }
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
