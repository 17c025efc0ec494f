//! Lost connections, and programs that were killed.

use std::fs;

use super::server::{OPENING, error, game, open, over, result, table, view, welcome};
use super::{play, play_against};
use crate::native_server::{Script, TOKEN};

#[test]
fn what_was_lost_on_the_way_is_sent_again() {
    let (summary, out) = play_against("--engine random", "", |server| {
        open(server, 0, 0);
        server.ask(1, 0);
        let first = server.hear_move();
        // The move never arrived.
        server.cut();
        let hello = server.hear();
        assert_eq!(
            (hello["token"].as_str(), hello["last"].as_u64()),
            (Some(TOKEN), Some(1))
        );
        server.tell(&[welcome(true), table(), view(0, 2, &[], &[])]);
        server.ask(1, 0);
        assert_eq!(server.hear_move(), first);
        server.tell(&[result(&[1, 2, 3, 4], &[0; 4]), over()]);
    });
    let summary = summary.expect("a match");
    // It was thought of once.
    assert_eq!((summary.reconnected, summary.thinking.decisions), (1, 1));
    assert!(out.contains("1 connection lost"), "{out}");
}

#[test]
fn a_program_that_was_killed_comes_back_with_the_file_of_its_token() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("seat.token");
    let options = format!(
        "--engine random --connect-timeout 0.2 --token-file {}",
        file.display()
    );
    let mut script = Script::start(|server| open(server, 0, 0));
    let (error, _) = play(script.port, &options, "");
    script.finish();
    assert_eq!(error.expect_err("no server").exit_code(), 4);
    assert_eq!(fs::read_to_string(&file).expect("a token").trim(), TOKEN);

    let (summary, _) = play_against(&options, "", |server| {
        let hello = server.hear();
        assert_eq!(
            (hello["token"].as_str(), hello["last"].as_u64()),
            (Some(TOKEN), Some(0))
        );
        // All that happened so far, and the view.
        server.tell(&[welcome(true), table(), game(0, 0)]);
        server.moved(2, 0, 0, OPENING[0]);
        server.moved(3, 1, 1, OPENING[1]);
        server.tell(&[view(0, 3, &OPENING, &[])]);
        server.ask(1, 4);
        assert_eq!(server.hear_move().0, Some(4));
        server.tell(&[result(&[1, 2, 3, 4], &[0; 4]), over()]);
    });
    assert_eq!(summary.expect("a match").counts.total().games, 1);
    // The match is over: there is nothing to come back to.
    assert!(!file.exists());
}

#[test]
fn a_token_of_a_match_that_is_over_makes_a_new_player() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("seat.token");
    fs::write(&file, "of-yesterday\n").expect("a file");
    let options = format!("--engine random --token-file {}", file.display());
    let (summary, _) = play_against(&options, "", |server| {
        assert_eq!(server.hear()["token"], "of-yesterday");
        server.tell(&[error("token")]);
        server.cut();
        assert_eq!(server.hear()["token"], serde_json::Value::Null);
        server.tell(&[welcome(false), table(), over()]);
    });
    assert!(summary.is_ok());
}

#[test]
fn a_game_from_moves_that_were_not_told_waits_for_its_view() {
    let (summary, _) = play_against("--engine random", "", |server| {
        open(server, 0, 0);
        server.cut();
        server.hear();
        server.tell(&[welcome(true), table(), game(2, 2)]);
        server.moved(3, 2, 2, OPENING[2]);
        server.tell(&[view(2, 3, &OPENING, &[]), over()]);
    });
    assert_eq!(summary.expect("a match").disagreements, 0);
}

#[test]
fn a_file_of_something_else_is_no_file_for_the_token() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bot.py");
    let options = format!("--engine random --token-file {}", file.display());
    for bytes in [
        &b"import socket\n"[..],
        b"one\ntwo\n",
        b"\xff\xfe",
        &[b'a'; 1001],
    ] {
        fs::write(&file, bytes).expect("a file");
        // It is refused before any server is looked for.
        let (refused, _) = play(1, &options, "");
        let error = refused.expect_err("no token");
        assert_eq!(error.exit_code(), 2);
        assert!(
            error.to_string().contains("something other than a token"),
            "{error}"
        );
        assert_eq!(fs::read(&file).expect("the file"), bytes);
    }
}

#[test]
fn the_token_is_for_its_owners_eyes_only() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().expect("a folder");
    for was_there in [false, true] {
        let file = folder.path().join(format!("{was_there}.token"));
        if was_there {
            fs::write(&file, "").expect("a file");
            fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("permissions");
        }
        let path = file.clone();
        let options = format!("--engine random --token-file {}", file.display());
        let (summary, _) = play_against(&options, "", move |server| {
            open(server, 0, 0);
            server.ask(1, 0);
            // The client has its seat and its token.
            server.hear_move();
            let mode = fs::metadata(path).expect("a file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            server.tell(&[over()]);
        });
        assert!(summary.is_ok());
    }
}
