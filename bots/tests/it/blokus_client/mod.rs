//! The client of Blokus against scripted servers.

mod person;
mod program;
mod refusals;
mod returns;
mod server;
mod time;
mod zero;

use std::io::Cursor;

use clap::Parser;
use client::MatchError;
use serde_json::Value;
use taikyoku_bots::blokus::client::{BlokusOptions, run};

use crate::native_server::{Script, Server};
use server::{OPENING, is_legal, open, out, over, result, view};

/// The summary of a match or its error, and the output of the client.
type Played = (
    Result<client::Summary<client::native::BlokusCounts>, MatchError>,
    String,
);

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    options: BlokusOptions,
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

#[test]
fn an_engine_plays_what_is_asked_and_tells_of_it() {
    let options = "--engine mcts-maxn --playouts 30 --json";
    let (summary, out) = play_against(options, "", |server| {
        open(server, 1, 1);
        server.ask(1, 1);
        let (ply, mv) = server.hear_move();
        assert!(ply == Some(1) && is_legal(1, 1, &mv), "{mv}");
        server.moved(2, 1, 1, &mv);
        server.tell(&[result(&[2, 1, 4, 3], &[-5, 20, -60, -7]), over()]);
    });
    let summary = summary.expect("a match");
    let total = summary.counts.total();
    assert_eq!((total.games, total.places, total.points), (1, 1.0, 20));
    assert_eq!(
        (summary.thinking.decisions, summary.thinking.corrected),
        (1, 0)
    );
    let lines: Vec<Value> = out
        .lines()
        .map(|l| serde_json::from_str(l).expect(l))
        .collect();
    assert_eq!(
        (&lines[0]["ply"], &lines[0]["seat"]),
        (&1.into(), &1.into())
    );
    let result = &lines[1]["result"];
    assert_eq!(
        (&result["outcome"], &result["plies"]),
        (&"won".into(), &2.into())
    );
    assert_eq!(
        (&result["ends"][2], &result["game_points"][1]),
        (&"timeout".into(), &20.into())
    );
    let summary = &lines[2]["summary"];
    assert_eq!(
        (&summary["games"], &summary["win_share"]),
        (&1.into(), &1.0.into())
    );
    assert_eq!(summary["by_seat"][1]["mean_points"], 20.0);
}

#[test]
fn seats_that_are_out_are_passed_over() {
    let (summary, _) = play_against("--engine greedy", "", |server| {
        open(server, 3, 1);
        // Yellow and red lose by faults before they have moved: the next ply is green's.
        server.tell(&[out(2, 1, "timeout"), out(3, 2, "illegal")]);
        server.ask(1, 1);
        let (ply, mv) = server.hear_move();
        assert!(ply == Some(1) && is_legal(1, 3, &mv), "{mv}");
        // One that is out already, and a game that is none.
        server.tell(&[out(4, 1, "no-moves")]);
        server.moved(5, 1, 3, &mv);
        server.tell(&[result(&[2, 3, 3, 1], &[0; 4]), over()]);
    });
    let summary = summary.expect("a match");
    assert_eq!(
        (summary.disagreements, summary.counts.total().places),
        (0, 1.0)
    );
}

#[test]
fn a_view_with_seats_that_are_out_is_taken_over() {
    let (summary, _) = play_against("--engine random", "", |server| {
        open(server, 3, 0);
        // The moves and the news of the others never came.
        server.ask(1, 2);
        assert_eq!(server.hear()["type"], "view");
        server.tell(&[view(3, 5, &OPENING[..2], &[2])]);
        let (ply, mv) = server.hear_move();
        assert!(ply == Some(2) && is_legal(2, 3, &mv), "{mv}");
        server.tell(&[result(&[], &[]), over()]);
    });
    let summary = summary.expect("a match");
    assert_eq!((summary.disagreements, summary.void), (1, 1));
}
