//! The project's own client in a match of Blokus: one bot is killed and started again with its token, one
//! stands still for longer than its clock allows.

use std::env;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use end_to_end::native::serve_game;
use end_to_end::patience::{PATIENCE, wait_for};
use end_to_end::programs;
use end_to_end::run::Server;
use serde_json::{Value, json};

use super::sheets;

/// Games of the match, if it is to have others than eight.
const GAMES: &str = "TAIKYOKU_BLOKUS_GAMES";
const MOVE_MS: u64 = 3000;
/// Playouts of the bot that searches; a program with checks takes its time for each.
const PLAYOUTS: u32 = if cfg!(debug_assertions) { 100 } else { 800 };

struct Bot {
    child: Child,
    port: u16,
    line: String,
    /// Where it keeps its token, and where its output goes.
    token: PathBuf,
    output: PathBuf,
}

impl Bot {
    /// Starts the client and waits until it has its seat: players are numbered by their arrival.
    fn start(server: &Server, name: &str, line: &str) -> Bot {
        let file = |what: &str| server.folder.path().join(format!("{name}.{what}"));
        let (token, output) = (file("token"), file("output"));
        let line = format!("--name {name} {line}");
        let child = run(server.port, &line, &token, &output);
        let bot = Bot {
            child,
            port: server.port,
            line,
            token,
            output,
        };
        wait_for("a seat", || {
            fs::read(&bot.token)
                .is_ok_and(|token| token.len() >= 32)
                .then_some(())
        });
        bot
    }

    /// Kills it, and starts it again with what it has left behind: its token.
    fn restart(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it has ended");
        assert!(self.token.is_file());
        self.child = run(self.port, &self.line, &self.token, &self.output);
    }

    /// Sends it a signal, such as `STOP`.
    fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args(["-s", name, &self.child.id().to_string()])
            .status();
        assert!(sent.expect("kill runs").success());
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
    Command::new(programs::blokus())
        .args(["--host", "127.0.0.1", "--json", "--port", &port.to_string()])
        .arg("--token-file")
        .arg(token)
        .args(line.split_whitespace())
        .stdin(Stdio::null())
        .stdout(File::create(output).expect("a file"))
        .spawn()
        .expect("a bot starts")
}

/// Waits until the record, which is written at the end of each game, has these words so many times.
fn wait_for_words(server: &Server, words: &str, times: usize) {
    let began = Instant::now();
    let found = || {
        let files = server.record_files();
        let text = files.first().and_then(|path| fs::read_to_string(path).ok());
        text.map_or(0, |text| text.matches(words).count())
    };
    while found() < times {
        assert!(began.elapsed() < PATIENCE * 10, "{} of {words}", found());
        thread::sleep(Duration::from_millis(10));
    }
}

/// A line of the record for each game.
const GAME_END: &str = "\"event\":\"end\"";
/// A player that was out by its clock, in the lines of the forfeit and of the end of the game.
const TIMEOUT: &str = "\"timeout\"";

#[test]
fn one_of_four_bots_is_killed_and_comes_back_and_one_stands_still() {
    let games: usize = env::var(GAMES).map_or(8, |games| games.parse().expect("a number"));
    let (count, clock) = (games.to_string(), MOVE_MS.to_string());
    let mut server = serve_game(
        "blokus",
        &[
            "--games",
            &count,
            "--move-ms",
            &clock,
            "--random-plies",
            "4",
            "--seed",
            "11",
            "--once",
            "--json",
            "--blksgf",
            "games",
        ],
    );
    let search = format!("--engine mcts-maxn --playouts {PLAYOUTS} --seed 2");
    let mut bots = [
        ("greedy", "--engine greedy --seed 1"),
        ("killed", &search),
        ("random", "--engine random --seed 3"),
        ("slow", "--engine greedy --seed 4"),
    ]
    .map(|(name, line)| Bot::start(&server, name, line));
    wait_for_words(&server, GAME_END, games / 4);
    bots[1].restart();
    wait_for_words(&server, GAME_END, games * 5 / 8);
    bots[3].signal("STOP");
    wait_for_words(&server, TIMEOUT, 1);
    bots[3].signal("CONT");
    let summaries = bots.map(Bot::finish);
    let finished = server.end();
    let sum = server.replay_all().remove(0);
    assert_eq!((sum.games as usize, sum.void, sum.closed), (games, 0, true));
    let texts = sheets::of(&server);
    assert!(finished.status.success());
    let json = finished.json();
    assert_eq!(json["points"], json!(sum.points));
    assert_eq!(json["reason"], json!(null));
    for (player, faults) in json["faults"]
        .as_array()
        .expect("a list")
        .iter()
        .enumerate()
    {
        if player == 3 {
            let late = faults["timeout"].as_u64().unwrap_or(0);
            assert!((1..=3).contains(&late), "{json}");
        } else {
            assert_eq!(*faults, json!({}), "player {player}: {json}");
        }
    }
    sheets::assert_sheets(&texts, &finished.records[0]);
    for summary in &summaries {
        assert_eq!(summary["refused"], 0, "{summary}");
    }
    println!("{json}");
}
