//! Clients of `AnimalShogiServer` at tables of Dobutsu shogi, written from its page.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use end_to_end::native::Client;
use end_to_end::programs::{Ended, bot, end_of};
use end_to_end::run::Server;
use serde_json::json;

/// Starts a server with a port for the native protocol and one for the lines, in this order.
fn serve(options: &str) -> Server {
    Server::serve(&format!("dobutsu --animal-shogi 0 {options}"))
}

/// Two clients at a table, the first player first. `is_first` reads which one a client is.
fn in_order(mut clients: [Client; 2], is_first: impl Fn(&mut Client) -> bool) -> [Client; 2] {
    match clients.each_mut().map(is_first) {
        [true, false] => {}
        [false, true] => clients.reverse(),
        firsts => panic!("each has a side of its own: {firsts:?}"),
    }
    clients
}

/// The lines that come, which must be these.
fn expect(client: &mut Client, lines: &[&str]) {
    for line in lines {
        assert_eq!(client.line().expect(line), *line);
    }
}

/// Reads the summary; gives whether the client moves first.
fn summary(client: &mut Client) -> bool {
    expect(client, &["BEGIN Game_Summary"]);
    let id = client.line().expect("a game");
    assert!(id.starts_with("Game_ID:20") && id.contains('-'), "{id}");
    let turn = client.line().expect("a side");
    expect(client, &["END Game_Summary"]);
    assert!(["Your_Turn:+", "Your_Turn:-"].contains(&&*turn), "{turn}");
    turn.ends_with('+')
}

fn play(clients: &mut [Client; 2], mover: usize, mv: &str) {
    clients[mover].say(mv);
    for client in clients {
        expect(client, &[&format!("{mv},OK")]);
    }
}

/// The results for both, and nothing behind them.
fn end(mut clients: [Client; 2], ends: [[&str; 2]; 2]) {
    for (client, lines) in clients.iter_mut().zip(ends) {
        expect(client, &lines);
        assert!(client.line().is_err(), "the server closes");
    }
}

const LOST: [&str; 2] = ["#GAME_OVER", "#LOSE"];
const WON: [&str; 2] = ["#GAME_OVER", "#WIN"];

#[test]
fn a_game_is_played_and_recorded() {
    let mut server = serve("--once --json --csa games");
    let port = server.ports[1];
    let mut clients = [Client::connect(port), Client::connect(port)];
    for (client, name) in clients.iter_mut().zip(["ana", "bo"]) {
        client.say(&format!("LOGIN:{name}"));
        expect(client, &[&format!("LOGIN:{name},ok")]);
    }
    let mut clients = in_order(clients, summary);
    for client in &mut clients {
        client.say("AGREE");
        expect(client, &["START"]);
    }
    play(&mut clients, 0, "+2c2b");
    play(&mut clients, 1, "-1a1b");
    // The lion is caught; the plus may be left out.
    clients[0].say("+2b2a");
    for client in &mut clients {
        expect(client, &["+2b2a+,OK"]);
    }
    end(clients, [WON, LOST]);
    let finished = server.end();
    assert!(finished.status.success());
    let [sum] = &server.replay_all()[..] else {
        panic!("a record");
    };
    assert_eq!((sum.games, sum.void, sum.closed), (1, 0, true));
    let games = server.folder.path().join("games");
    let mut games = fs::read_dir(games).expect("a folder").flatten();
    let csa = fs::read_to_string(games.next().expect("a game").path()).expect("a text");
    assert!(csa.contains("+B3B2HI") && csa.contains("ana"), "{csa}");
    let record = &finished.records[0];
    let mut names: Vec<&str> = record.header.players.iter().map(|p| &p.name[..]).collect();
    names.sort_unstable();
    assert_eq!(names, ["ana", "bo"]);
}

#[test]
fn a_client_of_the_native_protocol_is_an_opponent_like_any_other() {
    let server = serve("--once --games 4");
    let mut native = Client::seated(server.port, "native");
    let mut lines = Client::connect(server.ports[1]);
    let first = summary(&mut lines);
    lines.say("AGREE");
    expect(&mut lines, &["START"]);
    let rules = native.expect("match");
    assert_eq!(
        rules["games"],
        json!(1),
        "one game for a client that plays no more"
    );
    if first {
        lines.say("+2c2b");
        expect(&mut lines, &["+2c2b,OK"]);
        native.wait_for("request");
        native.play("1a2b");
        expect(&mut lines, &["-3a2b,OK"]);
        lines.say("resign");
        expect(&mut lines, &LOST);
    } else {
        native.wait_for("request");
        native.play("1d1c");
        expect(&mut lines, &["+3d3c,OK"]);
        lines.say("-2b2c");
        expect(&mut lines, &["-2b2c,OK"]);
        native.wait_for("request");
        native.send(&json!({"type": "resign"}));
        expect(&mut lines, &WON);
    }
    native.wait_for("over");
    assert!(server.finish().status.success());
}

#[test]
fn the_program_of_a_person_who_leaves_says_that_the_match_ended_early() {
    let server = serve("--once");
    let mut other = Client::connect(server.ports[1]);
    let line = "--engine human --protocol animal-shogi";
    let mut person = bot("dobutsu", server.ports[1], line)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    summary(&mut other);
    other.say("AGREE");
    let lines = person.stdin.as_mut().expect("a pipe");
    lines.write_all(b"quit\n").expect("it reads");
    let Ended { code, out, .. } = end_of(person);
    assert_eq!(code, Some(i32::from(program::CUT_SHORT)), "{out}");
    assert!(out.contains("the player has left"), "{out}");
    drop(other);
    server.finish();
}
