//! Servers that are late, refuse, break off, or talk nonsense.

use std::io::Write as _;
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use games::geister::{MoveList, Position, Rules};
use protocol::gat::{Board, Outcome, ServerLine};
use taikyoku_bots::geister::client::MatchError;

use super::play;
use super::server::{Manner, Seat, game, message, serve};
use crate::connecting::ClosedPort;

#[test]
fn connections_that_die_before_set_are_tried_again() {
    let (port, server) = serve(|listener| {
        for _ in 0..3 {
            drop(listener.accept().unwrap());
        }
        // Resets, if the client has not read this when the connection closes.
        for torn in ["SE", "SET?\r"] {
            let (stream, _) = listener.accept().unwrap();
            (&stream).write_all(torn.as_bytes()).unwrap();
            drop(stream);
        }
        let mut seat = Seat::accept(listener);
        game(&mut seat, 0, Manner::default(), 1);
    });
    let (result, _) = play(port, "");
    server.join().unwrap();
    assert_eq!(result.unwrap().counts.total().games(), 1);
}

#[test]
fn a_port_that_opens_late_is_found() {
    let closed = ClosedPort::new();
    let port = closed.number;
    let early = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let server = thread::spawn(move || {
        // The client has come once before nobody listens and the port opens again.
        drop(early.accept().unwrap());
        drop(early);
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        game(&mut Seat::accept(&listener), 1, Manner::default(), 1);
    });
    let (result, _) = play(port, "");
    server.join().unwrap();
    assert_eq!(result.unwrap().counts.total().games(), 1);
}

#[test]
fn nobody_there_is_a_clear_error() {
    let closed = ClosedPort::new();
    let error = play(closed.number, "--connect-timeout 0.1").0.unwrap_err();
    assert!(
        error.to_string().contains("cannot connect to 127.0.0.1"),
        "{error}"
    );
    assert_eq!(error.exit_code(), 3);
    // Somebody there, but no seat.
    let (port, server) = serve(|listener| {
        listener.set_nonblocking(true).unwrap();
        for _ in 0..100 {
            drop(listener.accept());
            thread::sleep(Duration::from_millis(5));
        }
    });
    let error = play(port, "--connect-timeout 0.1").0.unwrap_err();
    assert!(
        matches!(error, MatchError::Dropped { dropped: 1.., .. }),
        "{error}"
    );
    server.join().unwrap();
    // Somebody who says nothing.
    let (port, server) = serve(|listener| Seat::accept(listener).closed());
    let error = play(port, "--idle-timeout 0.1").0.unwrap_err();
    assert!(matches!(error, MatchError::Silent { .. }), "{error}");
    server.join().unwrap();
}

#[test]
fn a_server_of_another_protocol_is_no_seat() {
    for end in ["\r\n", "\n"] {
        let (port, server) = serve(move |listener| {
            Seat::accept(listener).say(&format!("no hello{end}"));
        });
        let error = play(port, "").0.unwrap_err();
        assert!(matches!(error, MatchError::Foreign { .. }), "{error}");
        assert!(error.to_string().contains("said `no hello`"), "{error}");
        assert_eq!(error.exit_code(), 3);
        server.join().unwrap();
    }
}

#[test]
fn a_server_that_goes_after_a_game_has_cut_the_run_short() {
    let (port, server) = serve(|listener| {
        game(&mut Seat::accept(listener), 1, Manner::default(), 1);
    });
    let (played, lines) = play(port, "--games 2 --connect-timeout 0.1");
    let error = played.unwrap_err();
    assert!(matches!(error, MatchError::Gone { game: 2, .. }), "{error}");
    assert_eq!(error.exit_code(), 4);
    assert_eq!(lines.last().unwrap()["summary"]["games"], 1);
    server.join().unwrap();
}

#[test]
fn a_refused_name_is_left_out() {
    let (port, server) = serve(|listener| {
        let mut seat = Seat::accept(listener);
        seat.say("SET?\r\n");
        let line = seat.hear();
        assert!(
            line.starts_with("SET:") && line.ends_with(",NAME:me_2"),
            "{line}"
        );
        seat.say("NG \r\n");
        let placement = seat.hear_placement();
        seat.say("OK \r\n");
        let position = Position::new([placement; 2], Rules::default());
        seat.say(&message(ServerLine::Result(
            Outcome::Won,
            Board::from(&position.final_view(0)),
        )));
        // And a server that takes it.
        let mut seat = Seat::accept(listener);
        seat.say("SET?\r\n");
        assert!(seat.hear().ends_with(",NAME:me_2"));
        seat.say("OK \r\nDRW:\r\n");
    });
    let (result, lines) = play(port, "--name me_2 --games 2");
    server.join().unwrap();
    let summary = result.unwrap();
    // Over before the first turn: the seat is not known.
    assert_eq!(
        (
            summary.counts.results[2].won,
            summary.counts.results[2].drawn
        ),
        (1, 1)
    );
    assert_eq!(lines[0]["result"]["reason"], "forfeit");
    assert!(lines[1]["result"]["board"].is_null());
}

#[test]
fn a_server_that_refuses_every_placement() {
    let (port, server) = serve(|listener| {
        for _ in 0..3 {
            let mut seat = Seat::accept(listener);
            seat.say("SET?\r\n");
            for _ in 0..5 {
                seat.hear_placement();
                seat.say("NG \r\n");
            }
        }
    });
    let error = play(port, "--games 9").0.unwrap_err();
    server.join().unwrap();
    assert!(
        error.to_string().contains("refused 5 placements"),
        "{error}"
    );
    assert_eq!(error.exit_code(), 4);
}

#[test]
fn a_refused_move_ends_the_game_or_is_replaced() {
    let (port, server) = serve(|listener| {
        let start = |seat: &mut Seat| {
            let placement = seat.placement();
            let position = Position::new([placement; 2], Rules::default());
            let board = Board::from(&position.view(0));
            seat.say(&message(ServerLine::MoveRequest(board)));
            Board::from(&position.final_view(0))
        };
        // The usual server.
        let mut seat = Seat::accept(listener);
        let last = start(&mut seat);
        seat.hear_move();
        seat.say(&format!(
            "NG \r\n{}",
            message(ServerLine::Result(Outcome::Lost, last))
        ));
        seat.closed();
        // A server where refusals do not end games: another move comes, and another.
        let mut seat = Seat::accept(listener);
        let last = start(&mut seat);
        let mut tried = Vec::new();
        for _ in 0..3 {
            let mv = seat.hear_move();
            assert!(!tried.contains(&mv));
            tried.push(mv);
            seat.say("NG \r\nwhat?\r\n");
        }
        seat.hear_move();
        seat.say(&format!(
            "OK \r\n{}",
            message(ServerLine::Result(Outcome::Won, last))
        ));
        seat.closed();
    });
    let (result, _) = play(port, "--games 2");
    server.join().unwrap();
    let summary = result.unwrap();
    let total = summary.counts.total();
    assert_eq!(
        (total.won, total.lost, summary.refused, summary.odd),
        (1, 1, 4, 3)
    );
}

#[test]
fn odd_servers_are_played_with() {
    let (port, server) = serve(|listener| {
        let mut seat = Seat::accept(listener);
        seat.say("welcome\r\n");
        let placement = seat.placement();
        let mut position = Position::new([placement; 2], Rules::default());
        // A board that is none, no answer to the move, and a board that no single move leads to.
        seat.say("MOV?14R\r\n");
        let mv = seat.hear_move();
        position.play(mv).unwrap();
        let mut moves = MoveList::new();
        for _ in 0..3 {
            position.legal_moves(&mut moves);
            let mv = moves[0];
            position.play(mv).unwrap();
        }
        position.legal_moves(&mut moves);
        position.play(moves[0]).unwrap();
        let text = Board::from(&position.view(0)).to_string();
        seat.say(&format!("hm\r\nMOV?{text}\r\n"));
        seat.hear_move();
        seat.say(&format!("OK\r\nLST:{text}\r\n"));
        seat.closed();
    });
    let (result, lines) = play(port, "");
    server.join().unwrap();
    let summary = result.unwrap();
    assert_eq!(
        (summary.counts.total().games(), summary.broken, summary.odd),
        (1, 0, 1)
    );
    assert_eq!(summary.disagreements, 2);
    let plies: Vec<_> = lines
        .iter()
        .filter_map(|line| line["ply"].as_u64())
        .collect();
    assert_eq!(plies, [0, 2]);
}

#[test]
fn a_game_that_breaks_is_counted_and_the_next_is_played() {
    let (port, server) = serve(|listener| {
        let mut seat = Seat::accept(listener);
        seat.placement();
        drop(seat);
        game(&mut Seat::accept(listener), 0, Manner::default(), 1);
    });
    let (result, lines) = play(port, "--games 2");
    server.join().unwrap();
    let summary = result.unwrap();
    assert_eq!((summary.counts.total().games(), summary.broken), (1, 1));
    assert_eq!(lines[0]["broken"]["game"], 1);
}
