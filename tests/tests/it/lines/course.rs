//! The protocol of the course.

use std::time::Instant;

use end_to_end::native::Client;

use super::{expect, in_order, serve};

/// Reads the greeting; gives whether the client moves first.
fn greeting(client: &mut Client) -> bool {
    let line = client.line().expect("a greeting");
    match line.as_str() {
        "You are Player1" => true,
        "You are Player2" => false,
        _ => panic!("{line}"),
    }
}

fn begun(port: u16) -> [Client; 2] {
    in_order([Client::connect(port), Client::connect(port)], greeting)
}

fn ask(client: &mut Client, line: &str) -> String {
    client.say(line);
    client.line().expect("an answer")
}

fn play(client: &mut Client, own: &str, mv: &str) {
    while ask(client, "turn") != own {}
    assert_eq!(ask(client, mv), "moved.");
}

const START: &str = "A1 g2, B1 l2, C1 e2, A2 --, B2 c2, C2 --, A3 --, B3 c1, C3 --, A4 e1, B4 l1, C4 g1, \
                     D1 --, D2 --, D3 --, D4 --, D5 --, D6 --, E1 --, E2 --, E3 --, E4 --, E5 --, E6 --, ";

#[test]
fn a_game_is_played_by_asking() {
    let mut server = serve(&["--once", "--json"]);
    let [mut one, mut two] = begun(server.ports[2]);
    assert_eq!(ask(&mut two, "board"), START);
    assert_eq!(ask(&mut one, "initboard"), START);
    assert_eq!(ask(&mut two, "whoami"), "You are Player2");
    assert_eq!(ask(&mut two, "mv B2 B3"), "not your turn");
    play(&mut one, "Player1", "mv B3 B2");
    play(&mut two, "Player2", "mv C1 B2");
    let board = ask(&mut one, "board");
    assert!(
        board.contains("B2 e2, ") && board.contains("D1 c1, D2 --, "),
        "{board}"
    );
    play(&mut one, "Player1", "mv D1 C3");
    assert!(ask(&mut two, "boardjson").contains(r#""C3":"c1""#));
    play(&mut two, "Player2", "mv E1 A2");
    // Lion beside lion, and the second player is asleep.
    play(&mut one, "Player1", "mv B4 A3");
    play(&mut two, "Player2", "mv B1 C2");
    play(&mut one, "Player1", "mv C3 C2");
    let last = ask(&mut two, "board");
    assert!(
        last.contains("C2 c1, ") && last.contains("D1 l1, "),
        "{last}"
    );
    assert_eq!(ask(&mut two, "turn"), "Player2");
    assert_eq!(ask(&mut two, "mv A1 B1"), "the game is over");
    assert_eq!(ask(&mut one, "board"), last);
    one.close();
    two.close();
    assert!(server.end().status.success());
    let [sum] = &server.replay_all()[..] else {
        panic!("a record");
    };
    assert_eq!((sum.games, sum.void, sum.closed), (1, 0, true));
}

#[test]
fn an_illegal_move_costs_the_game() {
    let server = serve(&["--matches", "4"]);
    for sent in ["mv B3 B1", "mv A3 A2", "mv D1 A2", "mv E1 A2"] {
        let [mut one, mut two] = begun(server.ports[2]);
        let answer = ask(&mut one, sent);
        assert!(answer.starts_with("illegal: "), "{answer}");
        assert_eq!(ask(&mut one, "mv B3 B2"), "the game is over");
        assert_eq!(ask(&mut two, "board"), START);
        one.close();
        two.close();
    }
    assert!(server.finish().status.success());
}

#[test]
fn who_asks_without_end_waits_and_plays_on() {
    let server = serve(&["--once", "--move-ms", "60000"]);
    let [mut one, mut two] = begun(server.ports[2]);
    one.write("turn\n".repeat(600).as_bytes())
        .expect("it listens");
    let began = Instant::now();
    for _ in 0..600 {
        expect(&mut one, &["Player1"]);
    }
    assert!(began.elapsed().as_secs() >= 1, "{:?}", began.elapsed());
    for line in ["q", "", "mv", "mv Z9 Z8", &"x".repeat(300)] {
        if !line.is_empty() {
            assert_eq!(ask(&mut one, line), "unknown command");
        }
    }
    assert_eq!(ask(&mut two, "turn"), "Player1");
    assert_eq!(ask(&mut one, "mv B3 B2"), "moved.");
    two.cut();
    one.close();
    assert!(server.finish().status.success());
}
