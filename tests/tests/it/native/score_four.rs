//! Matches of the project's own client for score four over TCP, and the records.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use end_to_end::patience::PATIENCE;
use end_to_end::programs::{self, Ended, end_of, run};
use end_to_end::run::Server;
use record::{EndKind, Record, What};
use serde_json::{Value, json};

struct Bot {
    child: Child,
    seated: mpsc::Receiver<()>,
    errors: JoinHandle<String>,
}

/// Starts `taikyoku bot score-four`, with the words in `line`.
fn bot(port: u16, line: &str) -> Bot {
    let mut child = programs::bot("score-four", port, line)
        .env("RUST_LOG", "debug")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a bot starts");
    let errors = BufReader::new(child.stderr.take().expect("a pipe"));
    let (welcome, seated) = mpsc::channel();
    let errors = thread::spawn(move || {
        let mut text = String::new();
        for line in errors.lines().map_while(Result::ok) {
            if line.contains("welcome") {
                // Nobody may wait for it.
                let _ = welcome.send(());
            }
            text += &line;
            text.push('\n');
        }
        text
    });
    Bot {
        child,
        seated,
        errors,
    }
}

/// As [`bot`], and waits until it has its seat: players are numbered by their arrival.
fn seated(port: u16, line: &str) -> Bot {
    let bot = bot(port, line);
    bot.seated.recv_timeout(PATIENCE).expect("a welcome");
    bot
}

fn finish(bot: Bot) -> Ended {
    let ended = end_of(bot.child);
    let err = bot.errors.join().expect("a thread");
    Ended { err, ..ended }
}

fn moves(record: &Record) -> Vec<String> {
    let mut games = Vec::new();
    for event in &record.events {
        match &event.what {
            What::Begin { position, .. } => games.push(position.clone().unwrap_or_default()),
            What::Move { mv, .. } => games.last_mut().expect("a game").push_str(mv),
            What::Refused { .. } | What::Forfeit { .. } => panic!("{event:?}"),
            What::End { kinds, .. } => assert_eq!(kinds[..], [EndKind::Normal; 2]),
            _ => {}
        }
    }
    games
}

/// Two bots with fixed seeds play; gives the moves of the games and the result.
fn play_bots(engines: [&str; 2]) -> (Vec<String>, Value) {
    let server = Server::serve(
        "score-four --games 8 --random-plies 3 --seed 5 --once --json --move-ms 30000",
    );
    let first = seated(
        server.port,
        &format!("{} --seed 1 --json --name first", engines[0]),
    );
    let second = bot(
        server.port,
        &format!("{} --seed 2 --json --name second", engines[1]),
    );
    let outputs = [finish(first), finish(second)];
    for output in &outputs {
        assert_eq!(output.code, Some(0), "{}", output.err);
        let summary = output.json()["summary"].clone();
        for fault in [
            "corrected",
            "refused",
            "disagreements",
            "odd",
            "reconnected",
            "void",
        ] {
            assert_eq!(summary[fault], 0, "{fault}: {summary}");
        }
    }
    server.wait_for_results(1);
    let sum = server.replay_all().remove(0);
    assert!(sum.closed && sum.games == 8, "{sum:?}");
    let finished = server.finish();
    assert!(finished.status.success());
    let json = finished.json();
    assert_eq!(json["points"], json!(sum.points));
    assert_eq!(json["names"], json!(["first", "second"]));
    assert_eq!(json["first"], json!([4, 4]));
    for (player, output) in outputs.iter().enumerate() {
        assert_eq!(
            output.json()["summary"]["results"]["won"],
            json["wins"][player]
        );
    }
    (moves(&finished.records[0]), json)
}

#[test]
fn two_bots_play_a_match_and_the_same_seeds_give_the_same_games() {
    let engines = ["--engine uct --playouts 1000", "--engine random"];
    let (games, json) = play_bots(engines);
    assert_eq!(games.len(), 8);
    for pair in games.chunks(2) {
        assert_eq!(pair[0][..6], pair[1][..6], "the opening of a pair");
    }
    assert!(json["wins"][0].as_u64() >= Some(7), "{json}");
    assert_eq!(play_bots(engines).0, games);
}

#[test]
fn replay_shows_and_checks_the_record() {
    let server = Server::serve("score-four --games 2 --once --random-plies 2 --seed 1");
    let bots = [
        bot(server.port, "--engine random --seed 1"),
        bot(server.port, "--engine random --seed 2"),
    ];
    for bot in bots {
        finish(bot).good();
    }
    server.wait_for_results(1);
    let path = server.record_files().remove(0);
    let path = path.to_string_lossy();
    let replay = |options: &[&str]| run(&[&["replay", &path], options].concat()).good();
    assert!(replay(&["--check"]).contains("as the record states"));
    assert!(replay(&["--game", "2"]).contains("level 1   level 2   level 3   level 4"));
    let record = &server.records()[0];
    let last = moves(record).pop().expect("a game");
    let json = replay(&["--json"]);
    let end: Value = serde_json::from_str(json.lines().last().expect("a line")).expect("JSON");
    assert_eq!(end["views"][0]["moves"], json!(last));
}

/// The name of a command of `score-four` is taken as one, and without one a bot plays.
#[test]
fn each_command_is_reached_by_the_name_of_the_game() {
    programs::score_four();
    let answer = |words: &[&str]| run(&[&["bot", "score-four"], words].concat());
    let answered = answer(&["move", "a1", "--playouts", "100", "--json"]).json();
    assert!(answered["peg"].is_string(), "{answered}");
    for words in [&["play", "--engine", "none"][..], &["--engine", "none"]] {
        let Ended { code, err, .. } = answer(words);
        assert_eq!(code, Some(2), "{err}");
        assert!(err.contains("invalid value 'none'"), "{err}");
    }
}
