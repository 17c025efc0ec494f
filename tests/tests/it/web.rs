//! A person at the page, by requests and sockets as a browser has them.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use end_to_end::patience::outcome;
use end_to_end::programs;
use end_to_end::run::{Server, sit_at};
use end_to_end::uecda::{Player, StandIn};
use end_to_end::web::{Gateway, Page};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

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
    for (game, seats) in GAMES {
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
    }
    let list = gateway.get("/api/records");
    assert_eq!(list.as_array().map(Vec::len), Some(GAMES.len()));
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

const THINKERS: [(&str, usize, &str); 5] = [
    ("score-four", 2, "flat:playouts=40:seed=1"),
    ("dobutsu", 2, "alphabeta:playouts=50"),
    ("blokus", 4, "mcts-maxn:playouts=20:seed=1"),
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
            assert_eq!(page.hear_of("error")["code"], "thoughts", "{game}");
        }
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
                "error" => panic!("{message}"),
                _ => {}
            }
        };
        assert_eq!(over["reason"], Value::Null, "{game}");
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
        let verified = Command::new(programs::taikyoku())
            .arg("verify")
            .arg(&record)
            .output()
            .expect("it is verified");
        assert!(verified.status.success(), "{verified:?}");
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
fn strangers_are_refused() {
    let gateway = Gateway::start(&[]);
    let (table, tokens) = gateway.make(&table("dobutsu", 2));
    for (table, token) in [
        (&table[..], "0123456789abcdef0123456789abcdef"),
        (&table[..], "x"),
        ("elsewhere", &tokens[0][..]),
    ] {
        let mut page = gateway.sit(table, token);
        assert_eq!(page.hear_of("error")["code"], "token");
        assert!(page.hear().is_none());
    }
    let foreign = gateway.page_from("http://elsewhere.example");
    assert_eq!(foreign.err().map(|status| status.as_u16()), Some(403));
    let settings = table_of_bots().to_string();
    let origin = "Origin: http://elsewhere.example\r\n";
    assert_eq!(gateway.ask("POST /api/tables", origin, &settings).0, 403);
    assert_eq!(
        gateway.ask("GET /", "Host: elsewhere.example\r\n", "").0,
        421
    );
    assert_eq!(gateway.ask("POST /api/tables", "", &settings).0, 400);
    assert_eq!(gateway.ask("POST /api/tables", "", "{").0, 400);
    assert_eq!(gateway.ask("GET /api/records/..%2f..%2fx", "", "").0, 404);
    let (status, _, page) = gateway.ask("GET /nowhere", "", "");
    assert!(
        status == 404 && page.starts_with("<!doctype html>"),
        "{page}"
    );
    let (status, head, _) = gateway.ask("GET /", "", "");
    assert_eq!(status, 200);
    let head = head.to_lowercase();
    assert!(head.contains("content-security-policy: default-src 'none'; script-src 'self'"));
    assert!(head.contains("x-content-type-options: nosniff"));
}

#[test]
fn a_page_that_is_open_to_others_answers_to_the_names_of_its_machine_alone() {
    let options = ["--host-name", "Play.Example"];
    let gateway = Gateway::run("web", &["--listen", "0.0.0.0:0"], &options);
    let settings = table("dobutsu", 2).to_string();
    let status = |host: &str, request: &str| {
        let headers = format!("Host: {host}\r\nOrigin: http://{host}\r\n");
        gateway.ask(request, &headers, &settings).0
    };
    for host in ["play.example", "192.0.2.7:8080", "localhost:8080"] {
        assert_eq!(status(host, "GET /"), 200, "{host}");
        assert_eq!(status(host, "POST /api/tables"), 201, "{host}");
    }
    // The name of another host that leads here has the origin of its own page.
    for host in ["elsewhere.example", "play.example.elsewhere"] {
        assert_eq!(status(host, "GET /"), 421, "{host}");
        assert_eq!(status(host, "POST /api/tables"), 421, "{host}");
    }
}

fn table_of_bots() -> Value {
    json!({ "game": "dobutsu", "seats": [{ "kind": "bot" }, { "kind": "bot" }] })
}

#[test]
fn odd_messages_cost_the_page_its_connection_or_nothing() {
    let gateway = Gateway::start(&[]);
    let (table, tokens) = gateway.make(&table("dobutsu", 2));
    let mut page = gateway.sit(&table, &tokens[0]);
    let ask = page.hear_of("ask");
    for (message, code) in [
        (
            json!({ "type": "move", "game": 1, "ply": 0, "move": "9z9z" }),
            "illegal",
        ),
        (
            json!({ "type": "move", "game": 1, "ply": 5, "move": "2c2b" }),
            "not-due",
        ),
        (json!({ "type": "move" }), "malformed"),
        (json!({ "type": "takeback" }), "takeback"),
        (json!([1]), "malformed"),
    ] {
        page.say(&message);
        assert_eq!(page.hear_of("error")["code"], code, "{message}");
    }
    page.say(&json!({ "type": "hint" }));
    let hint = page.hear_of("hint");
    assert!(
        ask["moves"]
            .as_array()
            .expect("moves")
            .contains(&hint["moves"][0]["move"])
    );
    page.say(&json!({ "type": "move", "move": "x".repeat(100_000) }));
    assert!(std::iter::from_fn(|| page.hear()).all(|message| message["type"] != "over"));
    // The seat is kept.
    let mut back = gateway.sit(&table, &tokens[0]);
    assert_eq!(back.hear_of("ask"), ask);
    back.say(&json!({ "type": "resign" }));
    let result = back.hear_of("result");
    assert_eq!(
        (&result["end"], &result["places"]),
        (&json!("resign"), &json!([2, 1]))
    );
}

#[test]
fn a_person_leaves_before_the_last_game_of_any_match() {
    let gateway = Gateway::start(&[]);
    for (game, seats) in GAMES {
        let (table, tokens) = gateway.make(&table(game, seats));
        let mut page = gateway.sit(&table, &tokens[0]);
        page.hear_of("ask");
        page.say(&json!({ "type": "leave" }));
        assert_eq!(page.hear_of("over")["type"], "over", "{game}");
    }
}

#[test]
fn one_address_has_so_many_tables_only() {
    let gateway = Gateway::start(&[]);
    let settings = table("score-four", 2);
    let made: Vec<_> = (0..8).map(|_| gateway.make(&settings)).collect();
    let (status, _, body) = gateway.ask("POST /api/tables", "", &settings.to_string());
    assert!(status == 429 && body.contains("too many"), "{body}");
    // A table that is left makes room.
    let mut page = gateway.sit(&made[0].0, &made[0].1[0]);
    page.hear_of("ask");
    page.say(&json!({ "type": "leave" }));
    page.hear_of("over");
    while gateway.ask("POST /api/tables", "", &settings.to_string()).0 != 201 {
        std::thread::yield_now();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_outlasts_the_gateway() {
    let gateway = Gateway::start(&[]);
    let (table, tokens) = gateway.make(&table("blokus", 4));
    let mut page = gateway.sit(&table, &tokens[0]);
    page.hear_of("ask");
    let of = gateway.child.id();
    assert_eq!(children(of).len(), 4, "a server and three bots");
    let programs = children(of);
    drop(gateway);
    all_end(programs);
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_outlasts_a_gateway_that_is_killed() {
    let mut gateway = Gateway::start(&[]);
    for (game, seats) in [("blokus", 4), ("geister", 2), ("daihinmin", 5)] {
        let (table, tokens) = gateway.make(&table(game, seats));
        let mut page = gateway.sit(&table, &tokens[0]);
        page.hear_of("ask");
    }
    let programs = children(gateway.child.id());
    assert_eq!(
        programs.len(),
        3 + 3 + 1 + 4,
        "three servers and their bots"
    );
    // Nothing is said to them: the gateway has no time for it.
    gateway.child.kill().expect("it is killed");
    gateway.child.wait().expect("it ends");
    all_end(programs);
}

/// Waits until these processes have ended.
#[cfg(target_os = "linux")]
fn all_end(programs: Vec<u32>) {
    // They have been told to end, and the kernel may need a moment for it.
    let due = std::time::Instant::now() + std::time::Duration::from_secs(40);
    for program in programs {
        while parent(program).is_some() {
            assert!(
                std::time::Instant::now() < due,
                "process {program} lives on"
            );
            std::thread::yield_now();
        }
    }
}

/// The parent of a process; `None` when the process has ended.
#[cfg(target_os = "linux")]
fn parent(process: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    fields.next().filter(|state| *state != "Z")?;
    fields.next()?.parse().ok()
}

/// The processes that a process has started, and that have not ended.
#[cfg(target_os = "linux")]
fn children(of: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").expect("processes");
    let numbers = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    numbers
        .filter(|number| parent(*number) == Some(of))
        .collect()
}

#[test]
fn a_person_sits_at_a_table_of_uecda_among_four_clients() {
    let server = Server::serve("uecda", &["--games", "2", "--once", "--seed", "3"]);
    let link = format!("uecda://127.0.0.1:{}", server.port);
    let gateway = Gateway::start(&["--join", &link]);
    let mut page = gateway.follow(&gateway.links[0]);
    page.hear_of("table");
    let others = sit_at(server.port, &["a", "b", "c", "d"].map(Player::honest));
    let (over, [frames, asks, results]) = page.play(random(1));
    assert_eq!((&over["games"], results), (&json!(2), 2));
    assert!(frames > 60 && asks > 10);
    for other in others {
        outcome(other);
    }
    assert!(server.finish().status.success());
}

/// A person that plays single cards, as the stand-in knows them.
fn single(moves: &[&str]) -> usize {
    let is_single = |mv: &&str| mv.len() == 2;
    let place = moves.iter().position(is_single);
    let pass = || moves.iter().position(|mv| *mv == "pass");
    place.or_else(pass).unwrap_or(0)
}

#[test]
fn a_person_sits_at_a_table_of_a_server_that_is_not_ours() {
    for (seat, seed) in [(0, 1), (4, 2)] {
        let server = StandIn::start(3, seed);
        let clients = &["a", "b", "c", "d"].map(Player::honest);
        let (before, behind) = clients.split_at(seat);
        let mut others = sit_at(server.port, before);
        let link = format!("uecda://127.0.0.1:{}", server.port);
        let gateway = Gateway::start(&["--join", &link]);
        let mut page = gateway.follow(&gateway.links[0]);
        page.hear_of("table");
        others.extend(sit_at(server.port, behind));
        let (over, [frames, asks, results]) = page.play(single);
        assert_eq!((&over["games"], results), (&json!(3), 3));
        assert!(frames > 90 && asks > 15, "{frames} frames, {asks} asks");
        let rankings = server.end();
        let last = rankings.last().expect("a game");
        let place = last.iter().zip(1..).find(|(player, _)| **player == seat);
        let result = page.heard.iter().rfind(|line| line.contains("\"result\""));
        let result: Value = serde_json::from_str(result.expect("a result")).expect("JSON");
        let place = place.map(|(_, place)| place);
        assert_eq!(result["places"][seat], json!(place), "{result}");
        for other in others {
            let other = outcome(other);
            assert!(other.finished && other.refused == 0, "{other:?}");
        }
    }
}

#[test]
fn a_person_sits_at_a_table_of_gat() {
    let server = Server::serve("geister", &["--games", "1", "--once"]);
    let link = format!("gat://127.0.0.1:{}", server.ports[0]);
    let gateway = Gateway::start(&["--join", &link]);
    let mut page = gateway.follow(&gateway.links[0]);
    let mut bot = Command::new(programs::geister())
        .args([
            "--engine",
            "random",
            "--seed",
            "4",
            "--port",
            &server.ports[1].to_string(),
        ])
        .spawn()
        .expect("a bot");
    let (over, [_, asks, results]) = page.play(random(1));
    assert_eq!((&over["games"], results), (&json!(1), 1));
    assert!(asks > 2);
    no_secrets("geister", &page);
    bot.wait().expect("it ends");
    assert!(server.finish().status.success());
}

#[test]
fn a_person_sits_at_a_native_table_whose_game_the_server_tells() {
    let server = Server::serve("dobutsu", &["--games", "1", "--once"]);
    let link = format!("native://127.0.0.1:{}", server.port);
    let gateway = Gateway::start(&["--join", &link]);
    let mut page = gateway.follow(&gateway.links[0]);
    assert_eq!(page.hear_of("table")["game"], "dobutsu");
    let mut bot = Command::new(programs::dobutsu())
        .args(["--engine", "random", "--port", &server.port.to_string()])
        .spawn()
        .expect("a bot");
    let (over, _) = page.play(random(1));
    assert_eq!(over["games"], 1);
    bot.wait().expect("it ends");
    assert!(server.finish().status.success());
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
    let exact = gateway.get(&format!("{path}/{before}"));
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
    for wrong in [
        format!("{path}/{}", before + 1),
        format!("{path}/99"),
        path.replace("/1/", "/9/") + "/0",
    ] {
        assert_eq!(
            gateway.ask(&format!("GET {wrong}"), "", "").0,
            404,
            "{wrong}"
        );
    }

    // Nobody has solved Dobutsu shogi here.
    let (table, tokens) = gateway.make(&table_of("dobutsu"));
    let mut page = gateway.sit(&table, &tokens[0]);
    page.hear_of("ask");
    page.say(&json!({ "type": "hint" }));
    let hint = page.hear_of("hint");
    assert_eq!(
        (&hint["missing"], &hint["ply"]),
        (&json!("table"), &json!(0))
    );
    page.say(&json!({ "type": "resign" }));
    page.play(random(1));
    let exact = gateway.get(&format!("/api/records/{table}/games/1/plies/0"));
    assert_eq!(exact, json!({ "moves": [], "missing": "table" }));
}

/// A table of a person against one bot that plays at random.
fn table_of(game: &str) -> Value {
    table(game, 2)
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

#[test]
fn play_takes_place_at_a_terminal_where_it_is_asked_for() {
    for build in [programs::score_four, programs::taikyoku_web] {
        build();
    }
    let records = tempfile::tempdir().expect("a folder");
    let mut play = Command::new(programs::taikyoku())
        .args(["play", "score-four", "--terminal", "--against", "random"])
        .arg("--records")
        .arg(records.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a table");
    // A pipe is a terminal without a screen. Pegs that are full by then are passed over.
    let pegs = (0..64).map(|i| format!("{}{}\n", ['a', 'b', 'c', 'd'][i % 4], 1 + i / 4 % 4));
    let pegs: String = pegs.collect();
    let mut lines = play.stdin.take().expect("a pipe");
    lines.write_all(pegs.as_bytes()).expect("it reads");
    drop(lines);
    let output = play.wait_with_output().expect("an end");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("person against random") && text.contains("The match is over"));
    let (_, record) = text.split_once("the record is ").expect("a record");
    assert!(
        record
            .trim()
            .starts_with(&*records.path().to_string_lossy())
    );
    assert!(std::fs::exists(record.trim()).expect("a folder"), "{text}");
}

#[test]
fn a_table_of_another_server_is_watched() {
    let mut server = Command::new(programs::taikyoku())
        .args(["serve", "score-four", "--host", "127.0.0.1", "--port", "0"])
        .args(["--games", "1", "--once", "--watch", "0"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a server");
    let mut lines = BufReader::new(server.stderr.take().expect("a pipe")).lines();
    let mut address = |before: &str| loop {
        let line = lines.next().expect("it listens").expect("text");
        if let Some(address) = line.strip_prefix(before) {
            break address.to_owned();
        }
    };
    let watch = address("watched on ");
    let players = address("listening on ");
    let (_, port) = players.rsplit_once(':').expect("a port");
    let gateway = Gateway::start(&["--watch", &watch]);
    let mut lobby = gateway.page();
    lobby.say(&json!({ "type": "watch", "source": null, "match": null }));
    assert_eq!(lobby.hear_of("lobby")["tables"], json!([]));
    let bots: Vec<_> = [1, 2]
        .map(|seed| {
            Command::new(programs::score_four())
                .args(["play", "--engine", "random", "--seed", &seed.to_string()])
                .args(["--port", port])
                .spawn()
                .expect("a bot")
        })
        .into();
    let told = loop {
        let told = lobby.hear_of("lobby");
        if told["tables"][0]["state"] == "over" {
            break told["tables"][0].clone();
        }
    };
    assert_eq!(
        (&told["game"], &told["games"]),
        (&json!("score-four"), &json!(1))
    );
    let mut page = gateway.page();
    page.say(&json!({ "type": "watch", "source": "0", "match": told["match"] }));
    assert_eq!(page.hear_of("table")["protocol"], "native");
    assert_eq!(page.hear_of("frame")["ply"], 0);
    let result = page.hear_of("result");
    assert_eq!(result["views"].as_array().map(Vec::len), Some(2));
    assert_eq!(page.hear_of("over")["games"], 1);
    for mut bot in bots {
        bot.wait().expect("it ends");
    }
    assert!(server.wait().expect("it ends").success());
}
