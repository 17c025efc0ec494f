//! A person at the page, by requests and sockets as a browser has them.

mod elsewhere;
mod limits;
mod offers;
mod restart;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use end_to_end::patience::{at_once, wait_for};
use end_to_end::programs::{self, end_of, run, started};
use end_to_end::web::{Gateway, Page};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A table of a person as player 0 and bots that play at random.
fn table(game: &str, seats: usize) -> Value {
    let bot = |at| json!({ "kind": "bot", "spec": format!("random:seed={at}") });
    let bots = (1..seats).map(bot);
    let seats: Vec<Value> = std::iter::once(json!({ "kind": "person" }))
        .chain(bots)
        .collect();
    json!({ "game": game, "seats": seats, "games": 2, "practice": true, "seed": 5 })
}

fn random(seed: u64) -> impl FnMut(&[&str]) -> usize {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    move |moves| rng.random_range(0..moves.len())
}

const GAMES: [(&str, usize); 5] = [
    ("score-four", 2),
    ("dobutsu", 2),
    ("blokus", 4),
    ("geister", 2),
    ("daihinmin", 5),
];

#[test]
fn every_game_is_played_to_its_end_and_replayed() {
    let gateway = Gateway::start(&[]);
    at_once(GAMES, |(game, seats)| {
        let (table, tokens) = gateway.make(&table(game, seats));
        let mut page = gateway.sit(&table, &tokens[0]);
        let (over, [frames, asks, results]) = page.play(random(7));
        assert_eq!(over["games"], 2, "{game}: {over}");
        assert_eq!((&over["reason"], results), (&Value::Null, 2), "{game}");
        assert!(
            frames > asks && asks > 4,
            "{game}: {frames} frames, {asks} asks"
        );
        assert_eq!(over["record"], *table, "{game}");
        no_secrets(game, &page);

        let record = gateway.get(&format!("/api/records/{table}"));
        assert_eq!(record["table"]["game"], game);
        let games = record["games"].as_array().expect("games");
        assert_eq!(games.len(), 2, "{game}");
        for replayed in games {
            let frames = replayed["frames"].as_array().expect("frames");
            let plies: Vec<u64> = frames.iter().filter_map(|f| f["ply"].as_u64()).collect();
            let counted: Vec<u64> = (0..=replayed["plies"].as_u64().expect("plies")).collect();
            assert_eq!(plies, counted, "{game}");
            let views = frames.iter().filter_map(|frame| frame["views"].as_array());
            assert!(views.clone().all(|views| views.len() == seats), "{game}");
            assert_eq!(views.count(), frames.len());
            // The last message of the page about the game is its result.
            assert_eq!(
                replayed["result"]["places"].as_array().map(Vec::len),
                Some(seats)
            );
        }
        let last = page
            .heard
            .iter()
            .rev()
            .find(|line| line.contains("\"result\""));
        let last: Value = serde_json::from_str(last.expect("a result")).expect("JSON");
        assert_eq!(last["places"], games[1]["result"]["places"], "{game}");
        let (status, head, _) = gateway.ask(&format!("GET /api/records/{table}/download"), "", "");
        assert!(status == 200 && head.contains("attachment"), "{head}");
        let (sheet, ..) = gateway.ask(&format!("GET /api/records/{table}/sheet"), "", "");
        let has_sheet = matches!(game, "blokus" | "dobutsu");
        assert_eq!(sheet, if has_sheet { 200 } else { 404 }, "{game}");
    });
    // The last line of a record may be written late.
    let list = wait_for("all records", || {
        let list = gateway.get("/api/records").as_array().cloned()?;
        let is_whole = list.iter().all(|one| one["played"] == 2);
        (is_whole && list.len() == GAMES.len()).then_some(list)
    });
    for one in list {
        let (scores, players) = (one["scores"].as_array(), one["players"].as_array());
        assert_eq!(scores.map(Vec::len), players.map(Vec::len), "{one}");
    }
}

/// Before a game is over its page has the own view alone, without what is hidden from the seat.
fn no_secrets(game: &str, page: &Page) {
    for line in &page.heard {
        let message: Value = serde_json::from_str(line).expect("JSON");
        if message["type"] != "frame" {
            continue;
        }
        let views = message["views"].as_array().expect("views");
        assert_eq!(views.len(), 1, "{line}");
        let view = &views[0];
        match game {
            // A colour is known of ghosts that are off the board; all are when the game has ended.
            "geister" if !view["to-move"].is_null() && !message["to_move"].is_null() => {
                let enemies = view["enemy"].as_array().into_iter().flatten();
                let known = enemies
                    .filter_map(Value::as_str)
                    .filter(|e| !e.ends_with('u'));
                let shown = known.filter(|enemy| !enemy.starts_with("99"));
                let all = shown.count();
                assert!(all == 0 || all + captured(view) == 8, "{line}");
            }
            "daihinmin" => {
                assert!(
                    view.get("hands").is_none() && view["hand"].is_string(),
                    "{line}"
                );
                let counts = view["counts"].as_array().expect("counts");
                let seat = view["seat"].as_u64().expect("a seat") as usize;
                let hand = view["hand"].as_str().expect("a hand").len() / 2;
                assert_eq!(counts.len(), 5);
                assert!(hand <= 15 && seat < 5, "{line}");
            }
            _ => {}
        }
    }
}

fn captured(view: &Value) -> usize {
    let enemies = view["enemy"].as_array().into_iter().flatten();
    enemies
        .filter(|e| e.as_str().is_some_and(|e| e.starts_with("99")))
        .count()
}

/// A table of a person as player 0 and bots of an engine that explains its moves.
fn thinking(game: &str, seats: usize, spec: &str) -> Value {
    let mut settings = table(game, seats);
    for seat in settings["seats"]
        .as_array_mut()
        .expect("seats")
        .iter_mut()
        .skip(1)
    {
        seat["spec"] = json!(spec);
    }
    settings
}

/// Engines of an open game and of games with secrets.
const THINKERS: [(&str, usize, &str); 3] = [
    ("score-four", 2, "flat:playouts=40:seed=1"),
    ("geister", 2, "best:simulations=20:seed=1"),
    ("daihinmin", 5, "mc:playouts=20:seed=1"),
];

#[test]
fn what_bots_thought_is_told_with_the_games_that_are_over_and_never_before() {
    let gateway = Gateway::start(&[]);
    for (game, seats, spec) in THINKERS {
        let (table, tokens) = gateway.make(&thinking(game, seats, spec));
        let mut page = gateway.sit(&table, &tokens[0]);
        assert_eq!(page.hear_of("table")["record"], *table);
        let mut choose = random(7);
        let is_hidden = matches!(game, "geister" | "daihinmin");
        if is_hidden {
            page.say(&json!({ "type": "thoughts", "live": true }));
        }
        let mut is_refused = false;
        let first = format!("/api/records/{table}/games/1");
        let mut asks = 0;
        let over = loop {
            let message = page.hear().expect("the match goes on");
            match message["type"].as_str().expect("a type") {
                "ask" => {
                    asks += 1;
                    // The first game is asked for while it is on.
                    if asks == 2 {
                        assert_eq!(message["game"], 1, "{game}");
                        let (status, _, body) = gateway.ask(&format!("GET {first}"), "", "");
                        assert_eq!(status, 404, "{game}: {body}");
                    }
                    page.answer(&message, &mut choose);
                }
                "over" => break message,
                // It may come before the first question or after it.
                "error" if message["code"] == "thoughts" => is_refused = true,
                "error" => panic!("{message}"),
                _ => {}
            }
        };
        assert_eq!(over["reason"], Value::Null, "{game}");
        assert_eq!(is_refused, is_hidden, "{game}");
        no_secrets(game, &page);
        // Canaries: words that only explanations have.
        for line in page.heard.iter().filter(|line| !line.contains("\"error\"")) {
            for canary in ["thought", "candidates", "visits", "playouts", "reason\":{"] {
                assert!(!line.contains(canary), "{game}: {canary} in {line}");
            }
        }
        let record = gateway.get(&format!("/api/records/{table}"));
        for replayed in record["games"].as_array().expect("games") {
            let frames = replayed["frames"].as_array().expect("frames");
            let (mut thoughts, mut moves) = (0, 0);
            for frame in frames {
                let Some(seat) = frame["seat"].as_u64() else {
                    continue;
                };
                let player = frame["players"][seat as usize].as_u64();
                let is_set_up = game == "geister" && frame["ply"].as_u64() <= Some(2);
                moves += usize::from(player != Some(0) && !is_set_up);
                if let Some(thought) = frame["thought"].as_object() {
                    assert_ne!(player, Some(0), "{game}: a person has no thoughts");
                    assert!(thought["ms"].is_number(), "{game}: {frame}");
                    let value = frame["value"].as_f64().unwrap_or_default();
                    assert!((-1.0..=1.0).contains(&value), "{game}: {value}");
                    thoughts += 1;
                }
            }
            // Daihinmin's player says nothing of a move without a choice.
            let least = if game == "daihinmin" {
                moves / 4
            } else {
                moves
            };
            assert!(
                (least..=moves).contains(&thoughts) && thoughts > 0,
                "{game}: {thoughts} thoughts, {moves} moves"
            );
        }
    }
    // What is kept of thoughts is no record.
    let list = gateway.get("/api/records");
    assert_eq!(list.as_array().map(Vec::len), Some(THINKERS.len()));
}

#[test]
fn a_page_sees_what_bots_think_of_an_open_game_as_soon_as_it_asks() {
    let gateway = Gateway::start(&[]);
    let settings = thinking("score-four", 2, "flat:playouts=40:seed=1");
    let (table, tokens) = gateway.make(&settings);
    let mut page = gateway.sit(&table, &tokens[0]);
    for _ in 0..3 {
        let ask = page.hear_of("ask");
        page.answer(&ask, |_| 0);
    }
    page.hear_of("ask");
    page.say(&json!({ "type": "thoughts", "live": true }));
    let mut plies: Vec<u64> = Vec::new();
    // The last of them may still be on its way.
    while plies.len() < 3 {
        let told = page.hear_of("thoughts");
        for one in told["thoughts"].as_array().expect("thoughts") {
            assert_eq!(one["game"], 1);
            assert!(one["thought"]["candidates"].is_array() && one["value"].is_number());
            plies.push(one["ply"].as_u64().expect("a ply"));
        }
    }
    assert_eq!(plies, [2, 4, 6]);
    // A page that comes back has to ask again.
    let mut back = gateway.sit(&table, &tokens[0]);
    let ask = back.hear_of("ask");
    back.answer(&ask, |_| 0);
    back.hear_of("ask");
    assert!(back.heard.iter().all(|line| !line.contains("thought")));
}

#[test]
fn a_page_comes_back_in_the_middle_of_a_game() {
    let gateway = Gateway::start(&[]);
    let (table, tokens) = gateway.make(&table("score-four", 2));
    let mut first = gateway.sit(&table, &tokens[0]);
    for _ in 0..3 {
        let ask = first.hear_of("ask");
        first.answer(&ask, |_| 0);
    }
    let ask = first.hear_of("ask");
    let mut second = gateway.sit(&table, &tokens[0]);
    let told = second.hear_of("frame");
    assert_eq!(told["ply"], 0);
    assert_eq!(second.hear_of("ask"), ask);
    let frames = second
        .heard
        .iter()
        .filter(|line| line.contains("\"frame\""))
        .count();
    assert_eq!(frames as u64, ask["ply"].as_u64().expect("a ply") + 1);
    // The page before it is told so, and closed.
    assert_eq!(first.hear_of("error")["code"], "replaced");
    assert!(first.hear().is_none());
    second.answer(&ask, |_| 0);
    let (over, _) = second.play(random(3));
    assert_eq!(over["reason"], Value::Null);
}

#[test]
fn moves_of_a_practice_game_are_taken_back() {
    let gateway = Gateway::start(&[]);
    for (game, seats, person) in [("score-four", 2, 0), ("dobutsu", 2, 1), ("blokus", 4, 2)] {
        let mut settings = table(game, seats);
        settings["games"] = json!(1);
        let list = settings["seats"].as_array_mut().expect("seats");
        list.swap(0, person);
        let (table, tokens) = gateway.make(&settings);
        let mut page = gateway.sit(&table, &tokens[0]);
        assert_eq!(page.hear_of("table")["can"]["takeback"], true, "{game}");
        let first = page.hear_of("ask");
        page.say(&json!({ "type": "takeback" }));
        assert_eq!(page.hear_of("error")["code"], "takeback", "{game}");
        page.answer(&first, |_| 1);
        let second = page.hear_of("ask");
        assert_eq!(second["ply"].as_u64(), Some((person + seats) as u64));
        page.answer(&second, |_| 3);
        page.hear_of("ask");
        let told = |page: &Page, ply: u64| -> Value {
            let lines = page.heard.iter().rev();
            let frames = lines.map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
            let mut frames = frames.filter(|one| one["type"] == "frame" && one["ply"] == ply);
            frames.next().expect("a frame")
        };
        // Twice, to the position of each of the two questions.
        for ask in [&second, &first] {
            let ply = ask["ply"].as_u64().expect("a ply");
            let before = told(&page, ply);
            page.say(&json!({ "type": "takeback" }));
            let from = page.heard.len();
            let again = page.hear_of("table");
            assert_ne!(again["record"], *table, "{game}");
            let due = page.hear_of("ask");
            assert_eq!((&due["moves"], &due["ply"]), (&ask["moves"], &ask["ply"]));
            let after = told(&page, ply);
            assert_eq!(
                (&after["views"], &after["move"], &after["seat"]),
                (&before["views"], &before["move"], &before["seat"])
            );
            // The game is told from its beginning, and no further.
            let lines = page.heard[from..].iter();
            let frames = lines.map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
            let plies: Vec<u64> = frames
                .filter(|one| one["type"] == "frame")
                .filter_map(|one| one["ply"].as_u64())
                .collect();
            assert_eq!(plies.first(), Some(&0), "{game}");
            assert_eq!(plies.iter().max(), Some(&ply), "{game}");
        }
        page.answer(&first, |_| 1);
        let (over, _) = page.play(random(11));
        assert_eq!((&over["games"], &over["reason"]), (&json!(1), &Value::Null));
        assert_eq!(over["record"], json!(format!("{table}-3")), "{game}");
        let record = gateway.record(over["record"].as_str().expect("a record"));
        run(&["verify", &record.to_string_lossy()]).good();
        // The replay shows the whole game, though its record begins where it went on.
        let path = format!("/api/records/{table}-3");
        let shown = gateway.get(&path)["games"][0].clone();
        let frames = shown["frames"].as_array().expect("frames").iter();
        let plies: Vec<u64> = frames.filter_map(|one| one["ply"].as_u64()).collect();
        let all: Vec<u64> = (0..=shown["plies"].as_u64().expect("plies")).collect();
        assert_eq!(plies, all, "{game}");
        assert!(shown["frames"][1]["move"].is_string(), "{game}");
        if game == "dobutsu" {
            let question = format!("POST {path}/games/1/plies/0");
            let (status, _, found) = gateway.ask(&question, "", r#"{"exact":true}"#);
            assert!(
                status == 200 && found.contains(r#""missing":"table""#),
                "{found}"
            );
        }
        page.say(&json!({ "type": "again" }));
        assert_eq!(page.hear_of("ask")["moves"], first["moves"], "{game}");
    }
    // Of the matches that were not played on there is no record.
    let list = gateway.get("/api/records");
    let ids = list.as_array().expect("a list").iter();
    let ids = ids.map(|one| one["id"].as_str().expect("a name"));
    let (ended, others): (Vec<&str>, _) = ids.partition(|id| id.ends_with("-3"));
    assert_eq!(ended.len(), 3);
    assert!(others.iter().all(|id| id.ends_with("-4")), "{others:?}");
    let (table, tokens) = gateway.make(&table("geister", 2));
    let mut page = gateway.sit(&table, &tokens[0]);
    assert_eq!(page.hear_of("table")["can"]["takeback"], false);
    let ask = page.hear_of("ask");
    page.answer(&ask, |_| 0);
    page.say(&json!({ "type": "takeback" }));
    assert_eq!(page.hear_of("error")["code"], "takeback");
}

#[test]
fn a_person_leaves_before_the_last_game_of_any_match() {
    let gateway = Gateway::start(&[]);
    at_once(GAMES, |(game, seats)| {
        let (table, tokens) = gateway.make(&table(game, seats));
        let mut page = gateway.sit(&table, &tokens[0]);
        page.hear_of("ask");
        page.say(&json!({ "type": "leave" }));
        assert_eq!(page.hear_of("over")["type"], "over", "{game}");
    });
}

#[test]
fn moves_have_exact_values_where_a_game_is_solved() {
    let gateway = Gateway::start(&[]);
    let (table, tokens) = gateway.make(&table("score-four", 2));
    let mut page = gateway.sit(&table, &tokens[0]);
    page.play(random(7));
    let record = gateway.get(&format!("/api/records/{table}/games/1"));
    let game = &record["games"][0];
    assert_eq!(game["result"]["end"], "line");
    let last = game["frames"].as_array().and_then(|frames| frames.last());
    let last = last.expect("a frame");
    // The last move has won, and so every move before it that is solved is a win or worse.
    let before = last["ply"].as_u64().expect("a ply") - 1;
    let path = format!("/api/records/{table}/games/1/plies");
    let ask = |path: &str| gateway.ask(&format!("POST {path}"), "", r#"{"exact":true}"#);
    let answer = |ply: u64| {
        let (status, _, body) = ask(&format!("{path}/{ply}"));
        assert_eq!(status, 200, "{body}");
        serde_json::from_str::<Value>(&body).expect("JSON")
    };
    let exact = answer(before)["hint"].clone();
    assert_eq!(exact["missing"], Value::Null);
    let moves = exact["moves"].as_array().expect("moves");
    let known = |mv: &Value| moves.iter().find(|one| one["move"] == *mv);
    let is_late = 64 - before <= 20;
    match known(&last["move"]) {
        Some(found) => assert_eq!(found["exact"], "win"),
        None => assert!(!is_late, "{exact}"),
    }
    assert_eq!(is_late, !moves.is_empty());
    // The end of a game has no moves, and a game that is not there no positions.
    let end = answer(before + 1);
    assert_eq!([&end["ask"], &end["hint"]], [&Value::Null, &Value::Null]);
    for wrong in [format!("{path}/99"), path.replace("/1/", "/9/") + "/0"] {
        assert_eq!(ask(&wrong).0, 404, "{wrong}");
    }
}

#[test]
fn play_makes_a_table_at_once() {
    let arguments = [
        "score-four",
        "--against",
        "random",
        "--seat",
        "1",
        "--no-open",
    ];
    let gateway = Gateway::run("play", &arguments, &[]);
    let mut page = gateway.follow(&gateway.links[0]);
    assert_eq!(page.hear_of("table")["you"], 1);
    let (over, _) = page.play(random(2));
    assert_eq!(over["reason"], Value::Null);
    // The same seat begins anew.
    page.say(&json!({ "type": "again" }));
    assert_eq!(page.hear_of("table")["you"], 1);
    let (next, _) = page.play(random(4));
    assert!(next["record"].is_string() && next["record"] != over["record"]);
}

/// `taikyoku play` with a shell's script in the place of the program that opens pages, and the folder of that.
#[cfg(target_os = "linux")]
fn play_with_opener(script: &str) -> (TempDir, Command) {
    let folder = tempfile::tempdir().expect("a folder");
    let opener = folder.path().join("xdg-open");
    programs::script(&opener, &format!("#!/bin/sh\n{script}"));
    let path = std::env::var("PATH").expect("a path");
    let path = format!("{}:{path}", folder.path().display());
    let mut command = Command::new(programs::taikyoku());
    command.args(["play", "score-four", "--against", "random"]);
    command.env("PATH", path);
    (folder, command)
}

#[cfg(target_os = "linux")]
#[test]
fn play_opens_the_browser_at_an_address_for_one_use() {
    let script = "printf %s \"$1\" > \"$0.part\" && mv \"$0.part\" \"$0.url\"\n";
    let (folder, command) = play_with_opener(script);
    let gateway = Gateway::begin(command);
    let opened = folder.path().join("xdg-open.url");
    let opened = wait_for("the browser", || std::fs::read_to_string(&opened).ok());
    let (page, link) = gateway.links[0].split_once("/t/").expect("a link");
    let path = opened.strip_prefix(page).expect("the page");
    assert!(path.starts_with("/o/") && path.len() == 35, "{path}");
    // A look at it leaves it as it is.
    assert_eq!(gateway.ask(&format!("HEAD {path}"), "", "").0, 204);
    let (status, head, _) = gateway.ask(&format!("GET {path}"), "", "");
    assert_eq!(status, 303);
    assert!(head.contains(&format!("location: /t/{link}\r\n")), "{head}");
    assert!(head.contains("cache-control: no-store"), "{head}");
    let (status, head, _) = gateway.ask(&format!("GET {path}"), "", "");
    assert_eq!(status, 410);
    assert!(!head.contains("location"), "{head}");
    assert_eq!(gateway.ask("GET /o/x", "", "").0, 410);
}

#[cfg(target_os = "linux")]
#[test]
fn play_without_a_browser_tells_the_link_in_a_line() {
    use std::io::{BufRead as _, BufReader};

    programs::taikyoku_web();
    let (_folder, mut command) = play_with_opener("echo no display >&2; exit 3\n");
    let mut play = started(&mut command);
    let mut line = String::new();
    let mut said = BufReader::new(play.stderr.take().expect("a pipe"));
    said.read_line(&mut line).expect("a line");
    play.kill().expect("it runs");
    let printed = end_of(play).out;
    let link = printed
        .lines()
        .find_map(|line| line.strip_prefix("your seat: "));
    let due = format!("no browser opens here: go to {}\n", link.expect("a seat"));
    assert_eq!(line, due, "{printed}");
}

/// The programs are copied to a folder in which they find no ONNX Runtime.
#[cfg(target_os = "linux")]
#[test]
fn a_missing_library_is_told_once_and_not_by_each_bot() {
    let folder = tempfile::tempdir().expect("a folder");
    // Another process writes the copies: a program that this one has open for writing cannot be started.
    let copied = Command::new("cp")
        .args([programs::taikyoku(), programs::taikyoku_web()])
        .args([programs::blokus().as_path(), folder.path()])
        .status();
    assert!(copied.expect("cp runs").success());
    let log = folder.path().join("log");
    let mut command = Command::new(folder.path().join("taikyoku"));
    command
        .args(["play", "blokus", "--against", "blokus-zero:playouts=1"])
        .args(["--seat", "3", "--no-open"])
        .env_remove("ORT_DYLIB_PATH")
        .env_remove("RUST_LOG")
        .stderr(std::fs::File::create(&log).expect("a file"));
    let gateway = Gateway::begin(command);
    // The person is asked once all bots have moved.
    gateway.follow(&gateway.links[0]).hear_of("ask");
    let said = std::fs::read_to_string(&log).expect("a log");
    assert_eq!(
        said.matches("ONNX Runtime was not found").count(),
        1,
        "{said}"
    );
}

/// What `taikyoku play` comes to for a person at a terminal that says this; a pipe is a terminal without a screen.
fn play_at_terminal(records: &Path, said: &str) -> String {
    for build in [programs::score_four, programs::taikyoku_web] {
        build();
    }
    let mut play = Command::new(programs::taikyoku())
        .args(["play", "score-four", "--terminal", "--against", "random"])
        .arg("--records")
        .arg(records)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a table");
    let mut lines = play.stdin.take().expect("a pipe");
    lines.write_all(said.as_bytes()).expect("it reads");
    drop(lines);
    end_of(play).good()
}

/// The table has nobody to wait for, whether the bots sit already or not.
#[test]
fn a_person_that_leaves_the_terminal_ends_the_table() {
    let records = tempfile::tempdir().expect("a folder");
    play_at_terminal(records.path(), "quit\n");
}

#[test]
fn play_takes_place_at_a_terminal_where_it_is_asked_for() {
    let records = tempfile::tempdir().expect("a folder");
    // Pegs that are full by then are passed over.
    let pegs = (0..64).map(|i| format!("{}{}\n", ['a', 'b', 'c', 'd'][i % 4], 1 + i / 4 % 4));
    let text = play_at_terminal(records.path(), &pegs.collect::<String>());
    assert!(text.contains("person against random") && text.contains("The match is over"));
    let (_, record) = text.split_once("the record is ").expect("a record");
    assert!(
        record
            .trim()
            .starts_with(&*records.path().to_string_lossy())
    );
    assert!(std::fs::exists(record.trim()).expect("a folder"), "{text}");
}

/// The settings of a table for two persons; the second is invited.
fn invited() -> Value {
    json!({ "game": "dobutsu", "seats": [{ "kind": "person" }, { "kind": "open" }] })
}

/// A page at the seat of a named person. The link of an open seat gives the page a token first.
fn named(gateway: &Gateway, table: &str, token: &str, name: &str) -> Page {
    let mut page = gateway.page();
    let sit =
        |token: &Value| json!({ "type": "sit", "table": table, "token": token, "name": name });
    page.say(&sit(&json!(token)));
    let first = page.hear().expect("an answer");
    if first["type"] == "token" {
        page.say(&sit(&first["token"]));
    }
    page
}

/// The names of the players when a match begins.
fn names_at(page: &mut Page) -> Value {
    page.hear_of("frame");
    let tables = page.heard.iter().rev();
    let mut tables = tables.map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let table = tables.find(|line| line["type"] == "table");
    let table = table.expect("a table");
    let players = table["players"].as_array().expect("players").iter();
    players.map(|player| player["name"].clone()).collect()
}

#[test]
fn persons_have_names_and_play_again_on_the_other_sides() {
    let gateway = Gateway::start(&[]);
    let (table, tokens) = gateway.make(&invited());
    let mut pages = [
        named(
            &gateway,
            &table,
            &tokens[0],
            " An\u{202e}a, \u{845b} and a name that is too long",
        ),
        named(&gateway, &table, &tokens[1], "\u{1b}\u{200b}"),
    ];
    let names = json!(["Ana  \u{845b} and a name th", "guest"]);
    for page in &mut pages {
        assert_eq!(names_at(page), names);
    }
    let [maker, guest] = &mut pages;
    // The address of the table serves a watcher; the lobby does not list the table.
    let mut watcher = gateway.page();
    watcher.say(&json!({ "type": "watch", "source": table, "match": null }));
    assert_eq!(names_at(&mut watcher), names);
    let mut lobby = gateway.page();
    lobby.say(&json!({ "type": "watch", "source": null, "match": null }));
    assert_eq!(lobby.hear_of("lobby")["tables"], json!([]));
    guest.say(&json!({ "type": "again" }));
    assert_eq!(guest.hear_of("error")["code"], "again");
    guest.say(&json!({ "type": "resign" }));
    assert_eq!(watcher.hear_of("over")["scores"], json!([1.0, 0.0]));
    guest.hear_of("over");
    maker.hear_of("over");
    for (page, players) in [(&mut *guest, json!([1])), (&mut *maker, json!([0, 1]))] {
        page.say(&json!({ "type": "again" }));
        if players == json!([1]) {
            assert_eq!(page.hear_of("again")["players"], players);
        }
    }
    assert_eq!(maker.hear_of("again")["players"], json!([1]));
    let turned = json!(["guest", names[0]]);
    for (page, you) in [(guest, 0), (maker, 1)] {
        let about = page.hear_of("table");
        assert_eq!((&about["id"], &about["you"]), (&json!(table), &json!(you)));
        assert_eq!(names_at(page), turned);
    }
    assert_eq!(names_at(&mut watcher), turned);
    let record = gateway.record(&format!("{table}-2"));
    wait_for("the record", || {
        let text = std::fs::read_to_string(&record).ok()?;
        text.contains("Ana  \u{845b}").then_some(())
    });
}

#[test]
fn tables_are_watched_where_their_maker_lets_everybody_and_show_nothing_hidden() {
    let gateway = Gateway::start(&[]);
    let mut shown = Vec::new();
    for (game, seats) in GAMES {
        let mut settings = table(game, seats);
        settings["listed"] = json!(game != "dobutsu");
        let (made, tokens) = gateway.make(&settings);
        let mut page = gateway.sit(&made, &tokens[0]);
        page.hear_of("ask");
        let mut watcher = gateway.page();
        watcher.say(&json!({ "type": "watch", "source": made, "match": null }));
        let frame = watcher.hear_of("frame");
        let view = &frame["views"][0];
        assert!(
            view.get("hand").is_none() && view.get("own").is_none(),
            "{frame}"
        );
        shown.push((made, page, game));
    }
    let mut lobby = gateway.page();
    lobby.say(&json!({ "type": "watch", "source": null, "match": null }));
    let tables = loop {
        let told = lobby.hear_of("lobby")["tables"].clone();
        if told.as_array().map(Vec::len) == Some(GAMES.len() - 1) {
            break told;
        }
    };
    for (made, _, game) in &shown {
        let is_listed = tables.to_string().contains(&**made);
        assert_eq!(is_listed, *game != "dobutsu", "{tables}");
    }
}
