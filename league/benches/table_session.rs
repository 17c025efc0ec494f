//! Games a second at tables of a league, with the project's own programs over TCP.
//!
//! `cargo build --release -p taikyoku-bots --bin daihinmin`, then
//! `cargo bench -p taikyoku --bench table_session -- [ENGINE [GAMES [SESSION [TABLES]]]]`; `random 1000 100 1` if
//! no argument is given.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use taikyoku::settings::Settings;
use taikyoku::table_session::{SessionEnd, SessionOptions, SessionPlan, TableSession};

const SEATS: usize = 5;

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let engine = words.first().map_or("random", |word| word);
    let number = |place: usize, or: u32| {
        words
            .get(place)
            .map_or(or, |word| word.parse().expect("a number"))
    };
    let (games, session, tables) = (number(1, 1000), number(2, 100), number(3, 1));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let began = Instant::now();
    let played: usize = runtime.block_on(async {
        let tasks =
            (0..tables).map(|table| tokio::spawn(play(engine.to_owned(), games, session, table)));
        let tasks: Vec<_> = tasks.collect();
        let mut played = 0;
        for task in tasks {
            played += task.await.expect("a session");
        }
        played
    });
    let time = began.elapsed().as_secs_f64();
    let rate = played as f64 / time;
    println!(
        "{played} games of {engine}, sessions of {session}, {tables} tables: {time:.2} s, {rate:.0} games/s"
    );
}

async fn play(engine: String, games: u32, session: u32, table: u32) -> usize {
    let settings = settings(session);
    let plan = settings.plan();
    let matchup: Vec<usize> = (0..SEATS).collect();
    let fixtures = (0..).flat_map(|deal| plan.block(table, &matchup, deal));
    let plan = SessionPlan {
        fixtures: fixtures.take(games.div_ceil(session) as usize).collect(),
        players: matchup.clone(),
        record: None,
        seeds: Vec::new(),
    };
    let table = TableSession::open(&settings, plan).await.expect("ports");
    let addresses = table.addresses().iter();
    let programs: Vec<Child> = addresses
        .enumerate()
        .map(|(seed, at)| start(&engine, at.port(), session, seed))
        .collect();
    let mut played = 0;
    let ended = table
        .play(&SessionOptions::default(), &mut |done| {
            played += done.games.len();
        })
        .await;
    assert_eq!(ended, SessionEnd::Whole);
    for mut program in programs {
        assert!(program.wait().expect("a program").success());
    }
    played
}

fn start(engine: &str, port: u16, session: u32, seed: usize) -> Child {
    let here = std::env::current_exe().expect("a program");
    let folder: PathBuf = here.ancestors().nth(2).expect("a folder").to_owned();
    Command::new(folder.join("daihinmin"))
        .args(["--host", "127.0.0.1", "--engine", engine])
        .args(["--port", &port.to_string(), "--seed", &seed.to_string()])
        .args(["--rank-reset", &session.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program `daihinmin` in the same profile")
}

fn settings(session: u32) -> Settings {
    let entrant = |number: usize| serde_json::json!({ "name": format!("{number}"), "start": { "command": ["none"] }, "stderr-kib": 64 });
    let entrants: Vec<_> = (0..SEATS).map(entrant).collect();
    serde_json::from_value(serde_json::json!({
        "title": "bench",
        "rules": { "daihinmin": {} },
        "seed": 7,
        "format": "round-robin",
        "deals": 1,
        "duplicate": true,
        "session": session,
        "process": "fixture",
        "random-plies": 0,
        "clocks": { "start-ms": 20_000, "move-ms": null, "game-ms": null, "increment-ms": null },
        "anchor": 0,
        "margin": 20.0,
        "records": false,
        "entrants": entrants,
    }))
    .expect("settings")
}
