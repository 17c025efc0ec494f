//! Watchers of real servers and leagues, and the program that watches.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Command;
use std::thread;

use end_to_end::league::{League, random_bots};
use end_to_end::native::Client;
use end_to_end::programs::{self, run, started};
use end_to_end::run::Server;
use serde_json::{Value, json};

fn of_type<'a>(told: &'a [Value], kind: &str) -> Vec<&'a Value> {
    told.iter()
        .filter(|message| message["type"] == kind)
        .collect()
}

#[test]
fn the_program_prints_what_it_is_told_and_draws_it() {
    let server = Server::serve("score-four --watch 0 --once --games 1");
    let address = format!("127.0.0.1:{}", server.watch.expect("a port"));
    let watch = |options: &[&str]| {
        let mut command = Command::new(programs::taikyoku());
        started(command.args(["watch", &address]).args(options))
    };
    let mut json = watch(&["--json"]);
    let mut lines = BufReader::new(json.stdout.take().expect("a pipe")).lines();
    let mut line = || lines.next().map(|line| line.expect("text"));
    assert!(line().expect("a line").contains(r#""type":"watching""#));
    assert!(line().expect("a line").contains(r#""type":"tables""#));
    let mut drawn = watch(&["--match", "1"]);
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
    let none = run(&["watch", &address]);
    assert_eq!(none.code, Some(3));
    assert!(none.err.contains("cannot connect to 127.0.0.1"), "{none:?}");
    assert_eq!(run(&["watch", &address, "--match", "0"]).code, Some(2));
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
    let entrants = random_bots(["Quagga", "Zanzibar", "Łódź"]);
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
    let head = "game = \"score-four\"\nseed = 3\ndeals = 60\n".to_owned();
    let told = values(&watched(&League::new(
        &(head + &random_bots(["left", "right"])),
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
