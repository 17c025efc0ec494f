//! The project's own client in a match of Blokus: one bot is killed and restarted with its token, another
//! one pauses for longer than its clock allows. The blksgf files of the match are those of its record.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Child;

use end_to_end::patience::wait_for;
use end_to_end::programs::bot;
use end_to_end::run::{Server, signal};
use games::blokus::Colour;
use games::blokus::blksgf::Game;
use record::{Record, What};
use serde_json::{Value, json};

struct Bot {
    child: Child,
    port: u16,
    line: String,
    /// The files of its token and of its output.
    token: PathBuf,
    output: PathBuf,
}

impl Bot {
    /// Starts the client and waits until it has its seat: players are numbered by their arrival.
    fn start(server: &Server, name: &str, line: &str) -> Bot {
        let file = |what: &str| server.folder.path().join(format!("{name}.{what}"));
        let (token, output) = (file("token"), file("output"));
        let line = format!("--name {name} {line}");
        let bot = Bot {
            child: run(server.port, &line, &token, &output),
            port: server.port,
            line,
            token,
            output,
        };
        let is_seated = || fs::read(&bot.token).is_ok_and(|token| token.len() >= 32);
        wait_for("a seat", || is_seated().then_some(()));
        bot
    }

    /// Kills it, and restarts it with the token that it has left behind.
    fn restart(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it has ended");
        assert!(self.token.is_file());
        self.child = run(self.port, &self.line, &self.token, &self.output);
    }

    fn finish(mut self) -> Value {
        let status = self.child.wait().expect("a child");
        assert!(status.success(), "{}: {status}", self.line);
        let output = fs::read_to_string(&self.output).expect("its output");
        let last = output.lines().last().unwrap_or_default();
        let last: Value = serde_json::from_str(last).unwrap_or_else(|e| panic!("{e}: {last}"));
        last["summary"].clone()
    }
}

fn run(port: u16, line: &str, token: &PathBuf, output: &PathBuf) -> Child {
    bot("blokus", port, line)
        .args(["--json", "--token-file"])
        .arg(token)
        .stdout(File::create(output).expect("a file"))
        .spawn()
        .expect("a bot starts")
}

/// Waits until the record, which is written at the end of each game, has these words so many times.
fn wait_for_words(server: &Server, words: &str, times: usize) {
    wait_for(words, || {
        let files = server.record_files();
        let text = fs::read_to_string(files.first()?).ok()?;
        (text.matches(words).count() >= times).then_some(())
    });
}

#[test]
fn one_of_four_bots_is_killed_and_comes_back_and_one_stands_still() {
    let options = "--games 4 --move-ms 3000 --random-plies 4 --seed 11";
    let line = format!("blokus {options} --once --json --blksgf games");
    let mut server = Server::serve(&line);
    let mut bots = [
        ("greedy", "--engine greedy --seed 1"),
        ("killed", "--engine mcts-maxn --playouts 20 --seed 2"),
        ("random", "--engine random --seed 3"),
        ("slow", "--engine greedy --seed 4"),
    ]
    .map(|(name, line)| Bot::start(&server, name, line));
    wait_for_words(&server, "\"event\":\"end\"", 1);
    bots[1].restart();
    wait_for_words(&server, "\"event\":\"end\"", 2);
    signal(&bots[3].child, "STOP");
    wait_for_words(&server, "\"timeout\"", 1);
    signal(&bots[3].child, "CONT");
    for summary in bots.map(Bot::finish) {
        assert_eq!(summary["refused"], 0, "{summary}");
    }
    let finished = server.end();
    assert!(finished.status.success());
    let sum = server.replay_all().remove(0);
    assert_eq!((sum.games, sum.void, sum.closed), (4, 0, true));
    let json = finished.json();
    assert_eq!(json["points"], json!(sum.points));
    assert_eq!(json["reason"], json!(null));
    assert_eq!(json["seats"], json!(vec![[1; 4]; 4]));
    assert_eq!(json["ends"], json!({"no-moves": 4}));
    let places = json["mean_place"].as_array().expect("places").iter();
    assert!((places.filter_map(Value::as_f64).sum::<f64>() - 10.0).abs() < 1e-9);
    let faults = json["faults"].as_array().expect("a list");
    assert_eq!(faults[..3], [json!({}), json!({}), json!({})]);
    assert!(faults[3]["timeout"].as_u64() > Some(0), "{json}");
    assert_sheets(&server, &finished.records[0]);
}

/// Asserts that every game of the record reads back from its blksgf with the same players and scores.
fn assert_sheets(server: &Server, record: &Record) {
    let files = fs::read_dir(server.folder.path().join("games")).expect("a folder");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    let mut files = files.into_iter();
    let mut player_at = Vec::new();
    for event in &record.events {
        match &event.what {
            What::Begin { seats, .. } => player_at.clone_from(seats),
            What::End { game_points, .. } => {
                let text = fs::read_to_string(files.next().expect("a file")).expect("a text");
                let game: Game = text.parse().expect("blksgf");
                let board = game.board().expect("legal moves");
                for (&player, colour) in player_at.iter().zip(Colour::ALL) {
                    let player = usize::from(player);
                    let name = &record.header.players[player].name;
                    assert_eq!(game.players[colour.index()], *name);
                    let squares = record.header.rules["scoring"] == "squares";
                    let score = if squares {
                        i32::from(board.squares(colour))
                    } else {
                        i32::from(board.score(colour))
                    };
                    assert_eq!(score, game_points[player]);
                }
            }
            _ => {}
        }
    }
    assert_eq!(files.next(), None);
}
