//! Watchers of real servers and leagues, and the program that watches.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};
use std::thread;

use end_to_end::league::League;
use end_to_end::native::{Client, Random};
use end_to_end::programs;
use end_to_end::run::Server;
use record::{Record, RecordReader, What, replay};
use serde_json::{Value, json};

/// A watcher that has received all present tables.
fn watcher(port: u16) -> (Client, Vec<Value>) {
    let mut client = Client::connect(port);
    client.send(&json!({"type": "hello", "versions": [1], "name": "", "watch": true}));
    client.expect("watching");
    let mut told = Vec::new();
    loop {
        let message = client.hear();
        if message["type"] == "tables" {
            return (client, told);
        }
        told.push(message);
    }
}

/// All that a watcher is told to the end.
fn rest(mut client: Client) -> Vec<Value> {
    std::iter::from_fn(|| client.line().ok())
        .map(|line| serde_json::from_str(&line).expect("JSON"))
        .collect()
}

fn of_type<'a>(told: &'a [Value], kind: &str) -> Vec<&'a Value> {
    told.iter()
        .filter(|message| message["type"] == kind)
        .collect()
}

/// What was told of the one match of a server leads to its record: the same lines, moves, result.
fn assert_seen(told: &[Value], record: &Record) {
    let header = &of_type(told, "match").last().expect("a match")["header"];
    let records = of_type(told, "record").into_iter();
    let lines: Vec<&Value> = records
        .flat_map(|message| message["events"].as_array().expect("events"))
        .collect();
    let events = record
        .events
        .iter()
        .filter(|event| !matches!(event.what, What::Refused { .. } | What::Result { .. }));
    let events: Vec<Value> = events.map(|event| json!(event)).collect();
    assert_eq!(lines, events.iter().collect::<Vec<_>>());
    let text: Vec<String> = std::iter::once(header)
        .chain(lines)
        .map(Value::to_string)
        .collect();
    let text = text.join("\n");
    let replayed = replay(RecordReader::new(text.as_bytes(), "told").expect("a header"));
    let replayed = replayed.expect("a record that plays again");
    let over = of_type(told, "over");
    let [over] = over[..] else {
        panic!("one match is over: {over:?}");
    };
    assert_eq!(over["scores"], json!(replayed.points));
    assert_eq!(over["games"], json!(replayed.games));
    assert_eq!(of_type(told, "result").len(), replayed.games as usize);
    let events = record.events.iter();
    let moves = events.filter(|event| matches!(event.what, What::Move { .. }));
    let plies = of_type(told, "frame").into_iter();
    let mut plies: Vec<_> = plies
        .filter(|frame| frame["seat"].is_number())
        .map(|frame| (frame["game"].as_u64(), frame["ply"].as_u64()))
        .collect();
    plies.dedup();
    assert_eq!(plies.len(), moves.count());
}

#[test]
fn a_match_is_seen_whole() {
    let server = Server::serve("score-four --watch 0 --once --games 3");
    let (client, told) = watcher(server.watch.expect("a port of watchers"));
    assert!(told.is_empty());
    let watching = thread::spawn(|| rest(client));
    let players = ["ana", "bo"].map(|name| Random::new(name, 1).sit(server.port));
    for player in players {
        player.join().expect("a player");
    }
    let finished = server.finish();
    assert!(finished.status.success());
    let told = watching.join().expect("a watcher");
    assert_seen(&told, &finished.records[0]);
    let header = &of_type(&told, "match")[0]["header"];
    assert_eq!(header["players"][1]["name"], "bo");
}

#[test]
fn players_and_watchers_have_ports_of_their_own() {
    let server = Server::serve("score-four --watch 0");
    let mut player = Client::connect(server.watch.expect("a port"));
    player.send(&json!({"type": "hello", "versions": [1], "name": "ana"}));
    player.error("hello");
    let mut watcher = Client::connect(server.port);
    watcher.send(&json!({"type": "hello", "versions": [1], "name": "", "watch": true}));
    watcher.error("hello");
}

fn program(port: u16, options: &[&str]) -> Command {
    let mut command = Command::new(programs::taikyoku());
    command
        .args(["watch", &format!("127.0.0.1:{port}")])
        .args(options)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[test]
fn the_program_prints_what_it_is_told_and_draws_it() {
    let server = Server::serve("score-four --watch 0 --once --games 1");
    let port = server.watch.expect("a port");
    let mut json = program(port, &["--json"]).spawn().expect("a watcher");
    let mut lines = BufReader::new(json.stdout.take().expect("a pipe")).lines();
    let mut line = || lines.next().map(|line| line.expect("text"));
    assert!(line().expect("a line").contains(r#""type":"watching""#));
    assert!(line().expect("a line").contains(r#""type":"tables""#));
    let mut drawn = program(port, &["--match", "1"]).spawn().expect("a watcher");
    let [mut ana, _bo] = Client::pair(server.port);
    // It has come before the match is over.
    let mut story = BufReader::new(drawn.stdout.take().expect("a pipe"));
    let mut text = String::new();
    story.read_line(&mut text).expect("text");
    ana.say(r#"{"type":"resign"}"#);
    let mut last = String::new();
    while let Some(next) = line() {
        last = next;
    }
    assert!(last.contains(r#""state":"over""#), "{last}");
    assert!(json.wait().expect("a child").success());
    story.read_to_string(&mut text).expect("text");
    assert!(drawn.wait().expect("a child").success(), "{text}");
    assert!(text.ends_with("match 1: over, ana 0, bo 1\n"), "{text}");
    assert!(server.finish().status.success());
    let none = program(port, &[]).output().expect("an output");
    assert_eq!(none.status.code(), Some(3));
    let text = String::from_utf8_lossy(&none.stderr);
    assert!(text.contains("cannot connect to 127.0.0.1"), "{text}");
    assert_eq!(
        program(port, &["--match", "0"])
            .output()
            .expect("an output")
            .status
            .code(),
        Some(2)
    );
}

/// All lines that a watcher is told of a league, from its beginning to its end.
fn watched(league: &League) -> Vec<String> {
    let mut child = league
        .command("out")
        .args(["--watch", "0"])
        .spawn()
        .expect("a league");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let mut watched = lines.by_ref().map_while(Result::ok);
    let port = watched.find_map(|line| Some(line.strip_prefix("watched on ")?.to_owned()));
    let port = port
        .expect("a port of watchers")
        .rsplit(':')
        .next()
        .and_then(|port| port.parse().ok());
    let mut client = Client::connect(port.expect("a number"));
    client.send(&json!({"type": "hello", "versions": [1], "name": "", "watch": true}));
    client.expect("watching");
    let errors = thread::spawn(move || lines.map_while(Result::ok).collect::<Vec<String>>());
    let told = std::iter::from_fn(|| client.line().ok()).collect();
    assert!(
        child.wait().expect("a child").success(),
        "{:?}",
        errors.join()
    );
    told
}

fn values(lines: &[String]) -> Vec<Value> {
    let value = |line: &String| serde_json::from_str(line).expect("JSON");
    lines.iter().map(value).collect()
}

#[test]
fn hidden_names_are_in_no_byte_before_the_end() {
    let entrants = ["Quagga", "Zanzibar", "Łódź"]
        .map(|name| format!("[[entrants]]\nname = \"{name}\"\nengine = \"random\"\n"))
        .concat();
    for game in ["score-four", "geister"] {
        let league = League::new(&format!(
            "game = \"{game}\"\nseed = 3\ndeals = 10\nnames = \"hidden\"\ntitle = \"cup\"\n{entrants}"
        ));
        let lines = watched(&league);
        let names = ["Quagga", "Zanzibar", "Łódź"];
        let has_name = |line: &&String| names.iter().any(|name| line.contains(name));
        let (named, hidden): (Vec<_>, Vec<_>) = lines.iter().partition(|line| has_name(line));
        let [last] = named[..] else {
            panic!("one line has names: {named:?}");
        };
        let last: Value = serde_json::from_str(last).expect("JSON");
        assert_eq!(
            (&last["type"], &last["fixtures"]),
            (&json!("league"), &json!(60))
        );
        let hidden = values(&hidden.into_iter().cloned().collect::<Vec<_>>());
        let leagues = of_type(&hidden, "league");
        let entrants = leagues[0]["entrants"].as_array().expect("entrants");
        let shown: Vec<&Value> = entrants.iter().map(|entrant| &entrant["name"]).collect();
        assert_eq!(
            shown,
            ["A", "B", "C"],
            "before any game in the order of aliases"
        );
        for table in of_type(&hidden, "table") {
            let players = table["players"].as_array().expect("players").iter();
            let players = players.filter_map(Value::as_str);
            assert!(players.clone().count() == 2 && players.clone().all(|one| "ABC".contains(one)));
        }
        assert!(!of_type(&hidden, "record").is_empty());
        let report = league.ask("report", "out");
        assert!(has_name(&&report.to_string()), "{report}");
    }
}

#[test]
fn a_league_is_watched_with_the_names_of_its_entrants() {
    let told = values(&watched(&League::new(
        "game = \"score-four\"\nseed = 3\ndeals = 60\n[[entrants]]\nname = \"left\"\nengine = \"random\"\n\
         [[entrants]]\nname = \"right\"\nengine = \"random\"\n",
    )));
    let ended = of_type(&told, "over").len();
    assert!(
        ended > 0 && of_type(&told, "match").len() == ended,
        "{ended}"
    );
    assert!(!of_type(&told, "result").is_empty());
    // The last word says how it has ended.
    let leagues = of_type(&told, "league");
    let last = leagues.last().expect("a league");
    assert_eq!(
        (&last["fixtures"], &last["scheduled"], &last["game"]),
        (&json!(120), &json!(120), &json!("score-four"))
    );
    assert_eq!(last["next"], json!([]));
    let entrants = last["entrants"].as_array().expect("entrants");
    let ratings: Vec<f64> = entrants
        .iter()
        .filter_map(|entrant| entrant["rating"].as_f64())
        .collect();
    assert!(ratings.len() == 2 && ratings[0] >= ratings[1], "{last}");
    assert!(entrants.iter().all(|entrant| entrant["games"] == 120));
    let share = |a: usize, b: usize| last["cross"][a][b].as_f64();
    let sum = share(0, 1).expect("a share") + share(1, 0).expect("a share");
    assert!((sum - 1.0).abs() < 0.01 && share(0, 0).is_none(), "{last}");
    for table in of_type(&told, "table") {
        let mut names: Vec<&str> = table["players"]
            .as_array()
            .expect("names")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        names.sort_unstable();
        assert_eq!(names, ["left", "right"]);
    }
}
