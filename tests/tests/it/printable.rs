//! Text from files, networks and command lines: nothing of it commands a terminal, hides, or turns the direction of writing,
//! whichever program shows it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use end_to_end::league::League;
use end_to_end::programs::{self, Ended, end_of, ended};
use games::{Blokus, Dobutsu, Game, ScoreFour, is_printable};
use serde_json::{Value, json};

/// Escapes of terminals in two forms, marks of direction, what has no width, and a separator of lines.
const HOSTILE: &str = "[\u{1b}]0;t\u{7}\u{9b}31m\u{202e}\u{2066}\u{200f}\u{200b}\u{feff}\u{2028}]";
const SHOWN: &str = r"[\u001b]0;t\u0007\u009b31m\u202e\u2066\u200f\u200b\ufeff\u2028]";

/// Asserts that a text has none of it as it is, and shows it so often at least.
fn assert_printable(text: &str, times: usize) {
    let raw = text
        .chars()
        .find(|&c| !is_printable(c) && !['\n', '\t'].contains(&c));
    assert_eq!(raw, None, "{text}");
    assert!(text.matches(SHOWN).count() >= times, "{text}");
}

fn text_of(Ended { out, err, .. }: Ended) -> String {
    out + &err
}

fn taikyoku(folder: &Path, words: &[&str]) -> String {
    let mut command = Command::new(programs::taikyoku());
    text_of(ended(command.current_dir(folder).args(words)))
}

/// A record of a game that a fault ends, with hostile text wherever there is text.
fn record() -> String {
    let players: Vec<Value> = ["a", "b"]
        .map(|name| json!({"name": format!("{name}{HOSTILE}")}))
        .into();
    let lines = [
        json!({"taikyoku-record": 1, "game": "score-four", "match": HOSTILE, "tongue": "native", "players": players, "games": 1,
            "rules": {}, "started": HOSTILE, "server": HOSTILE}),
        json!({"ms": 1, "event": "begin", "game": 1, "seats": [0, 1]}),
        json!({"ms": 2, "event": "refused", "player": 0, "sent": HOSTILE, "reason": HOSTILE}),
        json!({"ms": 3, "event": "forfeit", "player": 0, "kind": "illegal", "reason": HOSTILE}),
        json!({"ms": 4, "event": "end", "game": 1, "places": [1, 0], "points": [0.0, 1.0], "kinds": ["illegal", "normal"]}),
        json!({"ms": 5, "event": "result", "games": 1, "points": [0.0, 1.0], "kinds": ["illegal", "normal"], "reason": HOSTILE}),
    ];
    lines.map(|line| format!("{line}\n")).concat()
}

#[test]
fn a_record_and_its_name_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let name = format!("{HOSTILE}.jsonl");
    fs::write(folder.join(&name), record()).expect("a record");
    let empty = format!("empty {HOSTILE}.jsonl");
    fs::write(folder.join(&empty), "").expect("a file");
    for (words, times) in [
        (&["replay", "--all", &name][..], 5),
        (&["replay", "--json", &name], 2),
        (&["replay", "--all", &empty], 1),
        (&["replay", HOSTILE], 1),
        (&["report", &name], 3),
        (&["report", "--json", &name], 3),
        (&["report", HOSTILE], 1),
        (
            &["report", "--csv", "tables", "--html", "page.html", &name],
            2,
        ),
        (&["verify", "."], 2),
        (&["verify", HOSTILE], 1),
        (&["verify", "--json", &name, &empty], 2),
        (&["league", "status", HOSTILE], 1),
    ] {
        assert_printable(&taikyoku(folder, words), times);
    }
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a file");
    for (file, times) in [
        ("page.html", 4),
        ("tables/standings.csv", 2),
        ("tables/games.csv", 2),
    ] {
        assert_printable(&read(file).replace('\r', ""), times);
    }
    // JSON has the same value.
    let json = taikyoku(folder, &["replay", "--json", &name]);
    let mut values = json
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    assert_eq!(
        values.next_back().expect("a position")["what"]["kinds"][0],
        "illegal"
    );
    assert!(json.lines().any(|line| {
        let value: Value = serde_json::from_str(line).expect("JSON");
        value["what"]["sent"] == HOSTILE
    }));
}

#[test]
fn what_the_journal_of_another_league_says_is_shown() {
    let league = League::new(
        "title = \"TITLE\"\ngame = \"score-four\"\ndeals = 1\n[[entrants]]\nengine = \"random\"\nname = \"NAME\"\n\
         [[entrants]]\nengine = \"random\"\n",
    );
    league.ends("out", 0);
    let journal = league.out("out").join("journal.jsonl");
    let text = fs::read_to_string(&journal).expect("a journal");
    // As JSON has it.
    let hostile = text
        .replace("TITLE", SHOWN)
        .replace("NAME", &format!("n{SHOWN}"));
    fs::write(&journal, hostile).expect("a journal");
    for (words, times) in [
        (&["league", "status", "out"][..], 2),
        (&["league", "status", "out", "--json"], 2),
        (&["league", "report", "out"], 2),
        (
            &[
                "league",
                "report",
                "out",
                "--html",
                "page.html",
                "--csv",
                "tables",
            ],
            2,
        ),
        (&["league", "verify", "out"], 0),
    ] {
        assert_printable(&taikyoku(league.folder.path(), words), times);
    }
    for (file, times) in [
        ("page.html", 2),
        ("tables/standings.csv", 1),
        ("tables/games.csv", 1),
    ] {
        let text = fs::read_to_string(league.out(file)).expect("a file");
        assert_printable(&text.replace('\r', ""), times);
    }
}

/// Accepts a client, says these lines and no more.
fn server(lines: Vec<String>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        // It says hello first.
        let mut hello = [0; 1];
        stream.read_exact(&mut hello).expect("a byte");
        let _ = stream.write_all(lines.concat().as_bytes());
        let _ = stream.shutdown(Shutdown::Write);
        // Until the client has gone.
        let _ = stream.read_to_end(&mut Vec::new());
    });
    port
}

fn client(program: &Path, port: u16, more: &[&str]) -> Child {
    let is_play = program == programs::score_four();
    Command::new(program)
        .args(is_play.then_some("play"))
        .args(["--port", &port.to_string(), "--connect-timeout", "1"])
        .args(more)
        .env("RUST_LOG", "debug")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a client")
}

#[test]
fn what_servers_say_is_shown_by_every_client() {
    let games = [
        (
            programs::score_four(),
            2,
            json!(<ScoreFour as Game>::Rules::default()),
        ),
        (
            programs::dobutsu(),
            2,
            json!(<Dobutsu as Game>::Rules::default()),
        ),
        (
            programs::blokus(),
            4,
            json!(<Blokus as Game>::Rules::default()),
        ),
    ];
    for (program, seats, rules) in games {
        let game = program
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a name");
        let welcome = json!({"type": "welcome", "version": 1, "server": HOSTILE, "game": game, "match": 1, "player": 0,
            "token": "00112233445566778899aabbccddeeff", "resumed": false});
        let error = |code| json!({"type": "error", "code": code, "message": HOSTILE});
        let name = |number: usize| format!("{number}{HOSTILE}");
        let names: Vec<String> = (0..seats).map(name).collect();
        let over = json!({"type": "over", "event": 1, "games": 0, "scores": vec![0.0; seats], "reason": HOSTILE});
        let all = [
            welcome,
            json!({"type": HOSTILE}),
            error("later"),
            json!({"type": "match", "players": names, "games": 2, "rules": rules, "clocks": {}}),
            over,
        ];
        let lines = |messages: &[Value]| {
            messages
                .iter()
                .map(|message| format!("{message}\n"))
                .collect()
        };
        let said = |messages: &[Value], more: &[&str]| {
            let child = client(&program, server(lines(messages)), more);
            text_of(end_of(child))
        };
        // An engine: the log, the summary, which is JSON at last.
        assert_printable(&said(&all, &["--engine", "random"]), 3);
        assert_printable(&said(&all, &["--engine", "random", "--json"]), 3);
        // A person that reads lines.
        assert_printable(&said(&all, &["--engine", "human"]), 4 + seats);
        // No seat.
        assert_printable(&said(&[error("full")], &["--engine", "random"]), 1);
        assert_printable(&said(&[json!(HOSTILE)], &["--engine", "random"]), 0);
    }
    let foreign = vec![format!("{HOSTILE}\r\n")];
    let animal_shogi = ["--protocol", "animal-shogi", "--engine", "random"];
    for (program, more) in [
        (programs::daihinmin(), &["--engine", "random"][..]),
        (programs::dobutsu(), &animal_shogi),
    ] {
        let child = client(&program, server(foreign.clone()), more);
        assert_printable(&text_of(end_of(child)), 0);
    }
}

#[test]
fn what_clients_say_is_shown_by_the_server() {
    let mut child = Command::new(programs::taikyoku())
        .args([
            "serve",
            "score-four",
            "--port",
            "0",
            "--games",
            "1",
            "--once",
        ])
        .env("RUST_LOG", "debug")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a server");
    let mut log = BufReader::new(child.stderr.take().expect("a pipe"))
        .lines()
        .map_while(Result::ok);
    let address = log.find_map(|line| Some(line.strip_prefix("listening on ")?.to_owned()));
    let address: SocketAddr = address.expect("it listens").parse().expect("an address");
    let hello = json!({"type": "hello", "versions": [1], "name": format!("ana{HOSTILE}"), "client": HOSTILE});
    let mut streams: Vec<_> = (0..2)
        .map(|_| {
            let mut stream = end_to_end::patience::connect(address.port()).expect("a connection");
            let lines = format!("{hello}\n{}\n", json!({"type": HOSTILE}));
            stream
                .write_all(lines.as_bytes())
                .expect("a server that reads");
            BufReader::new(stream)
        })
        .collect();
    let mut said = String::new();
    while !said.contains("\"type\":\"match\"") {
        let bytes = streams[0].read_line(&mut said);
        assert!(bytes.is_ok_and(|bytes| bytes > 0), "{said}");
    }
    // One leaves: the match is over.
    let leave = b"{\"type\":\"leave\"}\n";
    streams[0]
        .get_mut()
        .write_all(leave)
        .expect("a server that reads");
    for stream in &mut streams {
        while stream
            .read_line(&mut String::new())
            .is_ok_and(|bytes| bytes > 0)
        {}
    }
    let log: String = log.map(|line| line + "\n").collect();
    let text = text_of(end_of(child)) + &log;
    assert!(text.contains("ana"), "{text}");
    assert_printable(&text, 0);
}
