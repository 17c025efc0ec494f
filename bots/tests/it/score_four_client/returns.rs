//! Lost connections.

use std::net::TcpListener;

use protocol::native::{ErrorCode, ServerMessage};

use super::server::{open, table, view, welcome};
use super::{over, play, play_against, result};
use crate::native_server::{Script, TOKEN};

#[test]
fn a_client_that_is_cut_off_comes_back_with_its_token() {
    let (summary, out) = play_against("--engine random", "", |server| {
        open(server, 0, "");
        server.ask(1, 0);
        server.hear_move();
        server.moved(2, 0, 0, "a1");
        server.moved(3, 1, 1, "b2");
        // Its request is lost with the connection.
        server.cut();
        let hello = server.hear();
        assert_eq!(
            (hello["token"].as_str(), hello["last"].as_u64()),
            (Some(TOKEN), Some(3))
        );
        server.tell(&[welcome(true), table()]);
        server.tell(&[ServerMessage::Presence {
            event: 4,
            player: 0,
            here: true,
        }]);
        server.tell(&[view(0, 4, "a1b2")]);
        server.ask(1, 2);
        assert_eq!(server.hear_move().0, Some(2));
        server.tell(&[result(&[2, 1], "timeout"), over()]);
    });
    let summary = summary.expect("a match");
    assert_eq!(
        (summary.reconnected, summary.counts.total().counts()),
        (1, [0, 0, 1])
    );
    assert!(out.contains("1 connection lost"), "{out}");
}

#[test]
fn the_token_of_an_earlier_run_is_used() {
    let (summary, _) = play_against("--engine random --token mine", "", |server| {
        assert_eq!(server.hear()["token"], "mine");
        server.tell(&[welcome(true), table(), view(1, 9, "a1"), over()]);
    });
    assert_eq!(summary.expect("a match").reconnected, 0);
}

#[test]
fn one_whose_waiting_place_was_not_kept_takes_another() {
    let (summary, _) = play_against("--engine random", "", |server| {
        server.hear();
        server.tell(&[welcome(false)]);
        server.cut();
        assert_eq!(server.hear()["token"], TOKEN);
        server.tell(&[ServerMessage::error(ErrorCode::Token, "no such seat")]);
        server.cut();
        assert_eq!(server.hear()["token"], serde_json::Value::Null);
        server.tell(&[welcome(false), table(), over()]);
    });
    assert_eq!(summary.expect("a match").reconnected, 2);
}

/// Such as an entrant of a league whose token is mistyped or missing.
#[test]
fn one_whose_token_is_wrong_or_missing_does_not_come_back() {
    for (line, token) in [
        ("--token mine", "mine".into()),
        ("", serde_json::Value::Null),
    ] {
        let (error, _) = play_against(&format!("--engine random {line}"), "", move |server| {
            assert_eq!(server.hear()["token"], token);
            server.tell(&[ServerMessage::error(ErrorCode::Token, "it is another")]);
        });
        assert_eq!(error.expect_err("no seat").exit_code(), 3);
    }
}

#[test]
fn a_seat_that_is_gone_or_a_server_that_is_ends_the_match() {
    let (error, _) = play_against("--engine random", "", |server| {
        open(server, 0, "");
        server.cut();
        server.hear();
        server.tell(&[ServerMessage::error(ErrorCode::Token, "the match is over")]);
    });
    assert_eq!(error.expect_err("no seat").exit_code(), 3);

    let mut script = Script::start(|server| open(server, 0, ""));
    let (error, out) = play(
        script.port,
        "--engine random --connect-timeout 0.3 --json",
        "",
    );
    script.finish();
    assert_eq!(error.expect_err("no server").exit_code(), 4);
    assert!(out.contains(r#""reconnected":1"#), "{out}");
}

#[test]
fn a_server_of_another_protocol_gives_no_welcome() {
    let mut speaks = Script::start(|server| {
        server.hear();
        server.say("SET?\r");
    });
    // This one closes every connection at once.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let waits = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || listener.incoming().for_each(drop));
    for port in [speaks.port, waits] {
        let (error, _) = play(port, "--engine random --connect-timeout 0.3", "");
        let error = error.expect_err("no match");
        assert_eq!(error.exit_code(), 3);
        let said = error.to_string();
        let due = "gives no welcome: perhaps its protocol is another";
        assert!(said.contains(due), "{said}");
    }
    speaks.finish();
}

#[test]
fn a_server_that_is_too_busy_is_asked_again() {
    let (summary, _) = play_against("--engine random", "", |server| {
        for _ in 0..6 {
            server.hear();
            server.tell(&[ServerMessage::error(ErrorCode::Rate, "try again")]);
            server.cut();
        }
        server.hear();
        server.tell(&[welcome(false), table(), over()]);
    });
    assert_eq!(summary.expect("a match").reconnected, 6);
}

#[test]
fn results_of_games_that_were_missed_go_to_the_right_seat() {
    let (summary, _) = play_against("--engine random", "", |server| {
        open(server, 0, "");
        server.cut();
        server.hear();
        // The first game was won by the other, then the seats changed and this client lost again as seat 1.
        server.tell(&[welcome(true), table(), result(&[2, 1], "line")]);
        server.tell(&[
            ServerMessage::Game {
                event: 5,
                game: 2,
                players: vec![1, 0],
                ply: 3,
            },
            result(&[1, 2], "line"),
            over(),
        ]);
    });
    assert_eq!(summary.expect("a match").counts.total().counts(), [0, 0, 2]);
}
