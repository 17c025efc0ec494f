//! The client of score four against scripted servers.

mod person;
mod returns;
mod server;

use std::io::Cursor;

use clap::Parser;
use protocol::native::{ErrorCode, ServerMessage};
use serde_json::Value;
use taikyoku_bots::score_four::client::{MatchError, ScoreFourOptions, run};

use crate::connecting::ClosedPort;
use crate::native_server::{Script, Server};
use server::{open, view, welcome};

/// The summary of a match or its error, and the output of the client.
type Played = (
    Result<client::Summary<client::DuelCounts>, MatchError>,
    String,
);

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    options: ScoreFourOptions,
}

/// Runs the client with these options and lines of a person; gives what it wrote, too.
fn play(port: u16, line: &str, lines: &str) -> Played {
    let port = port.to_string();
    let words = ["x", "--host", "127.0.0.1", "--seed", "1", "--port", &port];
    let words = words.into_iter().chain(line.split_whitespace());
    let options = Line::try_parse_from(words).expect("options").options;
    let mut out = Vec::new();
    let result = run(&options, Box::new(Cursor::new(lines.to_owned())), &mut out);
    (result, String::from_utf8(out).expect("text"))
}

/// Plays against a server that follows a script.
fn play_against(line: &str, lines: &str, act: impl FnOnce(&mut Server) + Send + 'static) -> Played {
    let mut script = Script::start(act);
    let played = play(script.port, line, lines);
    script.finish();
    played
}

fn over() -> ServerMessage {
    ServerMessage::Over {
        event: 99,
        games: 1,
        scores: vec![1.0, 0.0],
        reason: None,
    }
}

fn result(places: &[u8], end: &str) -> ServerMessage {
    ServerMessage::Result {
        event: 98,
        game: 1,
        places: places.to_vec(),
        scores: vec![1.0, 0.0],
        end: end.to_owned(),
        by: None,
        ends: Vec::new(),
        game_points: Vec::new(),
        reason: None,
    }
}

#[test]
fn an_engine_plays_what_is_asked_and_tells_of_it() {
    let (summary, out) = play_against("--engine uct --playouts 2000 --json", "", |server| {
        open(server, 0, "a1a2b1b2c1c2");
        server.ask(1, 6);
        let (ply, mv) = server.hear_move();
        assert_eq!((ply, mv.as_str()), (Some(6), "d1"));
        server.moved(2, 6, 0, "d1");
        server.tell(&[result(&[1, 2], "line"), over()]);
    });
    let summary = summary.expect("a match");
    assert_eq!(
        (
            summary.counts.total().counts(),
            summary.thinking.decisions,
            summary.thinking.corrected
        ),
        ([1, 0, 0], 1, 0)
    );
    let lines: Vec<Value> = out
        .lines()
        .map(|l| serde_json::from_str(l).expect(l))
        .collect();
    assert_eq!(
        (&lines[0]["move"], &lines[0]["ply"]),
        (&"d1".into(), &6.into())
    );
    assert_eq!(
        (&lines[1]["result"]["outcome"], &lines[1]["result"]["plies"]),
        (&"won".into(), &7.into())
    );
    assert_eq!(lines[2]["summary"]["results"]["won"], 1);
}

#[test]
fn what_a_later_version_may_say_is_passed_over() {
    let (summary, out) = play_against("--engine random", "", |server| {
        server.say(r#"{"type":"weather","rain":[1,2]}"#);
        open(server, 0, "");
        server.say("what?");
        server.say(r#"{"type":"request","game":1,"ply":0,"left_ms":5000,"mood":"good"}"#);
        assert_eq!(server.hear_move().0, Some(0));
        server.say(r#"{"type":"error","code":"teapot","message":"no coffee"}"#);
        server.tell(&[result(&[1, 1], "full-board"), over()]);
    });
    let summary = summary.expect("a match");
    assert_eq!(
        (summary.odd, summary.counts.total().counts()),
        (1, [0, 1, 0])
    );
    assert!(
        out.contains("1 drawn") && out.contains("meant nothing"),
        "{out}"
    );
}

#[test]
fn a_move_that_was_missed_is_made_up_by_the_view() {
    let (summary, _) = play_against("--engine random", "", |server| {
        open(server, 1, "");
        // Plies 0 to 2 never come.
        server.moved(5, 3, 0, "c3");
        server.ask(1, 5);
        assert_eq!(server.hear()["type"], "view");
        server.tell(&[view(1, 7, "a1b2c3d4a1")]);
        assert_eq!(server.hear_move().0, Some(5));
        server.tell(&[result(&[2, 1], "resign"), over()]);
    });
    let summary = summary.expect("a match");
    assert_eq!(
        (summary.counts.total().counts(), summary.disagreements),
        ([1, 0, 0], 1)
    );
}

#[test]
fn refusals_and_ports_without_a_server_are_told() {
    for code in [ErrorCode::Full, ErrorCode::Version, ErrorCode::Game] {
        let (error, _) = play_against("--engine random", "", move |server| {
            server.hear();
            server.tell(&[ServerMessage::error(code, "not here")]);
        });
        let error = error.expect_err("a refusal");
        assert_eq!(error.exit_code(), 3);
        assert!(error.to_string().contains("not here"), "{error}");
    }
    let closed = ClosedPort::new();
    let (error, _) = play(closed.number, "--connect-timeout 0.2", "");
    let error = error.expect_err("no server");
    assert_eq!(error.exit_code(), 3);
    assert!(
        error.to_string().contains("Is the server running"),
        "{error}"
    );
}

#[test]
fn servers_that_cannot_be_followed_are_left() {
    for line in ["x".repeat(70_000), r#"{"type":"view","event":1,"game":1,"seat":0,"ply":0,"to_move":0,"view":{"board":"chess"}}"#.to_owned()] {
        let (error, _) = play_against("--engine random", "", move |server| {
            server.hear();
            server.tell(&[welcome(false)]);
            server.say(&line);
        });
        assert_eq!(error.expect_err("nonsense").exit_code(), 4);
    }
}
