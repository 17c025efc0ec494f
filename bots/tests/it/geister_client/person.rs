//! A person's lines.

use std::io::Write as _;
use std::process::{Command, Stdio};

use games::geister::{Position, Rules};
use protocol::gat::{Board, Outcome, ServerLine};
use taikyoku_bots::geister::client::{MatchError, run};

use super::options;
use super::server::{Seat, message, serve};

/// Plays with a person's lines; gives what was drawn, too.
fn play(
    port: u16,
    more: &str,
    lines: &str,
) -> (
    Result<client::Summary<client::DuelCounts>, MatchError>,
    String,
) {
    let mut options = options(port, more);
    options.common.engine = taikyoku_bots::options::PlayerName::Human;
    let lines = lines.to_owned().into_bytes();
    let mut out = Vec::new();
    let result = run(&options, Box::new(std::io::Cursor::new(lines)), &mut out);
    (result, String::from_utf8(out).unwrap())
}

#[test]
fn a_person_plays_with_help_and_errors() {
    let (port, server) = serve(|listener| {
        let mut seat = Seat::accept(listener);
        let placement = seat.placement();
        assert_eq!(placement.to_string(), "ABGH");
        let mut position = Position::new([placement; 2], Rules::default());
        let ask = |seat: &mut Seat, position: &Position| {
            let board = Board::from(&position.view(0));
            seat.say(&message(ServerLine::MoveRequest(board)));
        };
        ask(&mut seat, &position);
        let mv = seat.hear_move();
        assert_eq!(mv.to_string(), "A,N");
        position.play(mv).unwrap();
        seat.say(&message(ServerLine::Ok(None)));
        position.play("B,N".parse().unwrap()).unwrap();
        ask(&mut seat, &position);
        assert_eq!(seat.hear_move().to_string(), "D,N");
        // Refused where a refusal ends no game: another move comes.
        seat.say("NG \r\n");
        let mv = seat.hear_move();
        assert_eq!(mv.to_string(), "C,N");
        position.play(mv).unwrap();
        seat.say(&message(ServerLine::Ok(None)));
        let board = Board::from(&position.final_view(0));
        seat.say(&message(ServerLine::Result(Outcome::Won, board)));
        seat.closed();
    });
    let lines = "help\nx\nABCA\nabgh\n\nmoves\nd,q\na,s\na,n\nD N\ncn\n";
    let (result, out) = play(port, "", lines);
    server.join().unwrap();
    let summary = result.unwrap();
    assert_eq!((summary.counts.total().won, summary.refused), (1, 1));
    for due in [
        "Game 1. Type help for help.",
        "Which four are red?",
        "before a game: the four of your ghosts",
        "leave the game, which loses it",
        "`x` is not a placement",
        "names a ghost twice",
        "`d,q` is not a move",
        "A,S: this ghost cannot go there",
        "   .  Ar Br Cb Db .\n   .  Eb Fb Gr Hr .\n",
        "Your move:",
        "The enemy's b goes south, towards you.",
        "The server has refused the move.",
        "<- .  hr gr fb eb . ->",
        "You have won (forfeit).",
        "1 game: 1 won",
    ] {
        assert!(out.contains(due), "{due} is not in\n{out}");
    }
}

#[test]
fn the_program_of_a_person_who_quits_ends_with_the_code_of_a_match_that_ended_early() {
    let (port, server) = serve(|listener| {
        let mut seat = Seat::accept(listener);
        seat.say("SET?\r\n");
        seat.closed();
    });
    let mut child = Command::new(env!("CARGO_BIN_EXE_geister"))
        .args(["--engine", "human", "--host", "127.0.0.1", "--port"])
        .arg(port.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"quit\n").unwrap();
    let output = child.wait_with_output().unwrap();
    server.join().unwrap();
    assert_eq!(output.status.code(), Some(i32::from(program::CUT_SHORT)));
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(out.contains("ended early: the player has left"), "{out}");
}

#[test]
fn a_name_that_is_refused_asks_for_the_placement_again() {
    let (port, server) = serve(|listener| {
        let mut seat = Seat::accept(listener);
        seat.say("SET?\r\n");
        assert_eq!(seat.hear(), "SET:ABCD,NAME:ana");
        seat.say("NG \r\n");
        assert_eq!(seat.hear_placement().to_string(), "EFGH");
        seat.say("OK \r\n");
        // The person is gone with the end of the lines, on its turn.
        let position = Position::new(["EFGH".parse().unwrap(); 2], Rules::default());
        let board = Board::from(&position.view(0));
        seat.say(&message(ServerLine::MoveRequest(board)));
        seat.closed();
    });
    let (result, out) = play(port, "--name ana --games 3", "abcd\nefgh\n");
    server.join().unwrap();
    let summary = result.unwrap();
    assert_eq!(summary.reason.as_deref(), Some("the player has left"));
    assert!(out.contains("The server takes no names."), "{out}");
}
