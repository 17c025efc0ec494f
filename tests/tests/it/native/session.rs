//! The example sessions of `protocol/NATIVE.md`, played line by line against the server.

use std::collections::HashMap;
use std::fs;

use end_to_end::native::Client;
use end_to_end::run::Server;
use serde_json::{Value, json};

const TIMES: [&str; 3] = ["used_ms", "left_ms", "budget_ms"];

/// The lines of a session: who, what it does, and the text.
fn session(number: usize) -> Vec<(String, char, String)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/NATIVE.md");
    let text = fs::read_to_string(path).expect("the page of the protocol");
    let session = text.split("```text\n").nth(number + 1).expect("a session");
    let (session, _) = session.split_once("```").expect("its end");
    let lines = session.lines().map(|line| {
        let end = line
            .find(['>', '<', ':'])
            .unwrap_or_else(|| panic!("{line}"));
        let what = line[end..].chars().next().expect("a sign");
        (line[..end].to_owned(), what, line[end + 2..].to_owned())
    });
    lines.collect()
}

/// A line with the token replaced by the one of the page and times by zeros, if they are not those of
/// the `clocks`.
fn usual(line: &str, tokens: &HashMap<String, String>) -> String {
    let mut text = line.to_owned();
    for (real, printed) in tokens {
        text = text.replace(real, printed);
    }
    if text.contains("\"clocks\"") {
        return text;
    }
    for name in TIMES {
        let key = format!("\"{name}\":");
        let zeroed: Vec<String> = text
            .split(&key)
            .enumerate()
            .map(|(i, part)| match i {
                0 => part.to_owned(),
                _ => format!("0{}", part.trim_start_matches(|c: char| c.is_ascii_digit())),
            })
            .collect();
        text = zeroed.join(&key);
    }
    text
}

fn token(line: &str) -> String {
    let message: Value = serde_json::from_str(line).expect("JSON");
    message["token"].as_str().expect("a token").to_owned()
}

/// Plays a session; what those of `whole` are told is there without gaps, others may be told more. Gives how
/// many saw the server close.
fn play(server: &Server, session: Vec<(String, char, String)>, whole: &[&str]) -> usize {
    let mut clients: HashMap<String, Client> = HashMap::new();
    // Real tokens and those of the page.
    let mut tokens: HashMap<String, String> = HashMap::new();
    let mut closed = 0;
    for (who, what, text) in session {
        match what {
            '>' => {
                let mut line = text;
                for (real, printed) in &tokens {
                    line = line.replace(printed.as_str(), real);
                }
                let port = server.port;
                let client = clients.entry(who).or_insert_with(|| Client::connect(port));
                client.say(&line);
            }
            '<' => {
                let client = clients.get_mut(&who).expect("a client");
                loop {
                    let line = client
                        .line()
                        .unwrap_or_else(|e| panic!("{e}: {text} was due"));
                    if text.contains("\"resumed\":false") {
                        tokens.insert(token(&line), token(&text));
                    }
                    let (heard, due) = (usual(&line, &tokens), usual(&text, &tokens));
                    if whole.contains(&&who[..]) {
                        assert_eq!(heard, due, "{who}");
                    }
                    if heard == due {
                        break;
                    }
                }
            }
            _ if text == "the connection is lost" => clients.remove(&who).expect("a client").cut(),
            _ => {
                assert_eq!(text, "the server closes");
                assert!(clients.get_mut(&who).expect("a client").is_closed());
                closed += 1;
            }
        }
    }
    closed
}

#[test]
fn the_session_of_two_is_what_the_server_says() {
    let server = Server::serve(
        "score-four --games 2 --budget-ms 60000 --move-ms 10000 --retries 1 --once --json",
    );
    assert_eq!(play(&server, session(0), &["ana", "bo"]), 2);
    let finished = server.finish();
    assert!(finished.status.success());
    let json = finished.json();
    assert_eq!(json["points"], json!([2.0, 0.0]));
    assert_eq!(json["ends"], json!({"line": 1, "resign": 1}));
}

#[test]
fn the_session_of_four_is_what_the_server_says() {
    let server =
        Server::serve("blokus --games 1 --budget-ms 60000 --increment-ms 1000 --once --json");
    assert_eq!(play(&server, session(1), &["ana"]), 1);
    let finished = server.finish();
    assert!(finished.status.success());
    let faults = json!([{}, {"illegal": 1}, {"disconnect": 1}, {}]);
    assert_eq!(finished.json()["faults"], faults);
}

#[test]
fn the_codec_writes_the_lines_of_the_readme() {
    use protocol::native::{ClientMessage, ServerMessage};

    let mut read = 0;
    for (_, what, text) in [session(0), session(1)].concat() {
        let again = match what {
            '>' => ClientMessage::parse(text.as_bytes())
                .expect(&text)
                .to_line(),
            '<' => ServerMessage::parse(text.as_bytes())
                .expect(&text)
                .to_line(),
            _ => continue,
        };
        assert_eq!(again.trim_end(), text);
        read += 1;
    }
    assert!(read > 90, "{read}");
}
