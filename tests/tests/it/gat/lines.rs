//! Malformed lines and illegal moves of Geister's clients in every phase, over TCP.

use end_to_end::gat::{Host, Player, Wire, leave, reasons};
use record::EndKind;

/// Lines that are neither a placement nor a move.
const MALFORMED: [&[u8]; 24] = [
    b"",
    b" ",
    b"SET:",
    b"SET:ABC",
    b"SET:ABCDE",
    b"SET:ABCZ",
    b"SET:ABC1",
    b"SET:AAAA",
    b"SET:ABCD ",
    b" SET:ABCD",
    b"set:ABCD",
    b"SET:ABCD,NAME:a b",
    b"SET:ABCD\nSET:EFGH",
    b"SET?",
    b"MOV:",
    b"MOV:,N",
    b"MOV:A",
    b"MOV:A, N",
    b"MOV:A,N,1",
    b"mov:A,N",
    b"MOV:I,N",
    b"MOV:A,NORTHEAST",
    b"GET / HTTP/1.1",
    b"\xff\xfe\x00\x01",
];

const START: &str = "14R24R34R44R15B25B35B45B41u31u21u11u40u30u20u10u";

fn send(wire: &mut Wire, line: &[u8]) {
    let line = [line, b"\r\n"].concat();
    wire.send(&line).expect("a server that listens");
}

fn long_lines() -> [Vec<u8>; 3] {
    [
        [&b"SET:"[..], &[b'A'; 300]].concat(),
        [b'M'; 4_096].to_vec(),
        vec![b'\n'; 200_000],
    ]
}

fn host(options: &[&str]) -> Host {
    let mut all = vec!["--games", "1000", "--no-swap"];
    all.extend(options);
    Host::start(&all)
}

#[test]
fn a_bad_placement_may_be_tried_again() {
    let host = host(&[]);
    // Without and with an opponent.
    let mut alone = Wire::to(host.ports[0]);
    let (mut waits, mut second) = (Wire::to(host.ports[0]), Wire::to(host.ports[1]));
    for wire in [&mut alone, &mut waits, &mut second] {
        wire.expect_line("SET?");
        let long = long_lines();
        let long = long.iter().map(Vec::as_slice);
        for line in MALFORMED.into_iter().chain(long) {
            send(wire, line);
            wire.expect_line("NG ");
        }
        for line in ["MOV:A,N", "SET:ABCD,NAME:foo", "SET:ABCD,NAME:"] {
            wire.say(line);
            wire.expect_line("NG ");
        }
        wire.say("SET:DCBA");
        wire.expect_line("OK ");
        // Once is enough.
        wire.say("SET:ABCD");
        wire.expect_line("NG ");
    }
    // The first that came is the one that plays.
    assert_eq!(alone.expect("MOV?"), START);
    leave([alone, second]);
    let _ = waits.close();
    assert!(host.wait_for_ends(1)[0].rule.is_none());
    let record = &host.server.records()[0];
    let reasons = reasons(record);
    assert!(reasons.iter().filter(|r| r.1.is_none()).count() >= 2 * MALFORMED.len());
}

#[test]
fn the_first_line_may_be_bad() {
    let host = host(&[]);
    for line in MALFORMED {
        let mut players = host.ports.map(Wire::to);
        for wire in &mut players {
            // Sent at once, before anything is read.
            send(wire, line);
        }
        for wire in &mut players {
            wire.expect_line("SET?");
            wire.expect_line("NG ");
            wire.say("SET:ABCD");
            wire.expect_line("OK ");
        }
        assert_eq!(players[0].expect("MOV?"), START);
        leave(players);
    }
}

#[test]
fn out_of_turn_a_line_is_refused_and_the_game_goes_on() {
    let host = host(&[]);
    let mut players = host.seat();
    players[0].expect("MOV?");
    let long = long_lines();
    let more: [&[u8]; 3] = [b"MOV:A,N", b"SET:ABCD", b"MOV:E,S"];
    let lines = MALFORMED.into_iter().chain(more);
    for line in lines.chain(long.iter().map(Vec::as_slice)) {
        send(&mut players[1], line);
        players[1].expect_line("NG ");
    }
    players[0].say("MOV:A,N");
    players[0].expect_line("OK ");
    let board = players[1].expect("MOV?");
    assert_eq!(board, "14R24R34R44R15B25B35B45B42u31u21u11u40u30u20u10u");
    send(&mut players[0], b"MOV:A,N");
    players[0].expect_line("NG ");
    players[1].say("MOV:A,N");
    players[1].expect_line("OK ");
    players[0].expect("MOV?");
    leave(players);
    assert_eq!(host.wait_for_ends(1)[0].plies, 2);
}

/// A line on one's own turn loses the game.
fn loses_by(host: &Host, games: &mut usize, line: &[u8], seat: usize, kind: EndKind) {
    let mut players = host.seat();
    players[0].expect("MOV?");
    if seat == 1 {
        players[0].say("MOV:B,N");
        players[0].expect_line("OK ");
        players[1].expect("MOV?");
    }
    send(&mut players[seat], line);
    players[seat].expect_line("NG ");
    let lost = players[seat].expect("LST:");
    let won = players[1 - seat].expect("WON:");
    for board in [lost, won] {
        assert!(
            !board.contains('u') && board.matches('R').count() == 4,
            "{board}"
        );
    }
    for wire in players {
        let (received, clean) = wire.close_after_server();
        assert!(clean && received.ends_with(b"\r\n"));
    }
    *games += 1;
    let ends = host.wait_for_ends(*games);
    let end = ends.last().expect("an end");
    let line = String::from_utf8_lossy(line);
    assert_eq!(end.kinds[seat], kind, "{line}");
    assert_eq!(end.kinds[1 - seat], EndKind::Normal);
    assert_eq!(end.winner, Some(1 - seat as u8));
    assert_eq!(end.plies, seat);
}

#[test]
fn a_malformed_line_on_the_own_turn_loses() {
    let host = host(&[]);
    let mut games = 0;
    let long = long_lines();
    for (i, line) in MALFORMED
        .into_iter()
        .chain([&b"SET:EFGH"[..], b"SET:ABCD,NAME:foo"])
        .chain(long.iter().map(Vec::as_slice))
        .enumerate()
    {
        loses_by(&host, &mut games, line, i % 2, EndKind::ProtocolError);
    }
    assert_eq!(
        host.play(&[Player::honest(1), Player::honest(2)])[0].refused(),
        0
    );
}

#[test]
fn an_illegal_move_loses() {
    let host = host(&[]);
    let mut games = 0;
    for seat in 0..2 {
        // Onto an own ghost, off the board, and backwards onto an own ghost.
        for line in [&b"MOV:E,N"[..], b"MOV:E,S", b"MOV:C,S", b"MOV:h,SOUTH"] {
            loses_by(&host, &mut games, line, seat, EndKind::Illegal);
        }
    }
    let record = &host.server.records()[0];
    let reasons = reasons(record);
    assert!(reasons.iter().any(|(_, _, r)| r.contains("own ghost")));
    assert!(
        reasons
            .iter()
            .any(|(_, _, r)| r.contains("leaves the board"))
    );
}

#[test]
fn a_refused_move_may_be_tried_again_if_the_server_says_so() {
    let host = host(&["--no-ng-terminate"]);
    let mut players = host.seat();
    for seat in [0, 1] {
        players[seat].expect("MOV?");
        let illegal: [&[u8]; 3] = [b"MOV:E,N", b"MOV:E,S", b"SET:ABCD"];
        for line in MALFORMED.into_iter().chain(illegal) {
            send(&mut players[seat], line);
            players[seat].expect_line("NG ");
        }
        players[seat].say("MOV:A,N");
        players[seat].expect_line("OK ");
    }
    players[0].expect("MOV?");
    leave(players);
    let end = host.wait_for_ends(1).remove(0);
    assert_eq!((end.plies, end.winner), (2, Some(0)));
    assert_eq!(end.kinds, [EndKind::Normal, EndKind::Disconnect]);
}
