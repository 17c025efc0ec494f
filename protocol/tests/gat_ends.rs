//! The two ends of a GAT connection: the client's answers. Whole games are a matter of the simulated world, bytes of any kind
//! in any cuts one of the fuzz target `gat`.
//! What lines of clients mean in each phase is in the dialogues of the referee, `server/dialogues/gat`.

use games::geister::{Colour, Move, Placement};
use taikyoku_protocol::gat::{
    Board, CLIENT_LINE_LIMIT, ClientEnd, ClientLine, Event, MoveAnswer, NAME_LIMIT, Names,
    OutOfTurn, Outcome, Request, SERVER_LINE_LIMIT, ServerEnd,
};

const START: &str = "14R24R34R44R15B25B35B45B41u31u21u11u40u30u20u10u";

fn board() -> Board {
    START.parse().unwrap()
}

fn mv(text: &str) -> Move {
    text.parse().unwrap()
}

fn placement() -> Placement {
    "ABCD".parse().unwrap()
}

/// The requests of everything that came.
fn requests(end: &mut ServerEnd, bytes: &str) -> Vec<Request> {
    end.receive(bytes.as_bytes());
    std::iter::from_fn(|| end.next_request()).collect()
}

fn events(end: &mut ClientEnd, bytes: &str) -> Vec<Event> {
    end.receive(bytes.as_bytes());
    std::iter::from_fn(|| end.next_event()).collect()
}

#[test]
fn an_over_long_line_is_one_malformed_line() {
    let long = "A".repeat(CLIENT_LINE_LIMIT * 3);
    let mut end = ServerEnd::new(Names::default());
    assert_eq!(
        requests(&mut end, &long),
        [Request::Refused(ClientLine::TooLong)]
    );
    assert_eq!(requests(&mut end, &long), []);
    assert!(end.waiting() <= 1);
    assert!(matches!(
        requests(&mut end, "\r\nSET:ABCD\r\n")[..],
        [Request::Placement { .. }]
    ));
    end.accept_placement();
    end.move_request(&board());
    assert_eq!(
        requests(&mut end, &long),
        [Request::Fault(ClientLine::TooLong)]
    );
    // Exactly the limit is a line yet.
    let name = "n".repeat(CLIENT_LINE_LIMIT - "SET:ABCD,NAME:".len());
    let mut end = ServerEnd::new(Names::default());
    let got = requests(&mut end, &format!("SET:ABCD,NAME:{name}\r\n"));
    assert!(matches!(got[..], [Request::Placement { .. }]));
}

#[test]
fn a_client_through_a_game() {
    let mut end = ClientEnd::new();
    assert_eq!(end.set(placement(), None), Err(OutOfTurn::Placement));
    assert!(!end.has_begun());
    assert_eq!(events(&mut end, "SET?\r\n"), [Event::SetRequested]);
    assert!(end.has_begun());
    assert_eq!(end.play(mv("A,N")), Err(OutOfTurn::Move));
    assert_eq!(end.set(placement(), Some("a b")), Err(OutOfTurn::Name));
    let long = end
        .clone()
        .set(placement(), Some(&"n".repeat(5000)))
        .unwrap();
    assert_eq!(long.len(), "SET:ABCD,NAME:\r\n".len() + NAME_LIMIT);
    assert_eq!(
        end.set(placement(), Some("me")).unwrap(),
        "SET:ABCD,NAME:me\r\n"
    );
    assert_eq!(events(&mut end, "NG \r\n"), [Event::SetAnswer(false)]);
    assert_eq!(end.set(placement(), None).unwrap(), "SET:ABCD\r\n");
    let glued = format!("OK \r\nMOV?{START}\r\n");
    let expected = [Event::SetAnswer(true), Event::MoveRequested(Ok(board()))];
    assert_eq!(events(&mut end, &glued), expected);
    assert_eq!(end.play(mv("A,N")).unwrap(), "MOV:A,N\r\n");
    assert_eq!(end.play(mv("A,N")), Err(OutOfTurn::Move));
    let captured = MoveAnswer::Made(Some(Colour::Red));
    assert_eq!(events(&mut end, "OKR\r\n"), [Event::MoveAnswer(captured)]);
    events(&mut end, &format!("MOV?{START}\r\n"));
    end.play(mv("A,N")).unwrap();
    let glued = format!("NG \r\nLST:{START}\r\n");
    let expected = [
        Event::MoveAnswer(MoveAnswer::Refused),
        Event::Ended(Outcome::Lost, Ok(board())),
    ];
    assert_eq!(events(&mut end, &glued), expected);
    assert!(end.is_over());
    assert_eq!(end.play(mv("A,N")), Err(OutOfTurn::Move));
}

#[test]
fn a_client_makes_the_best_of_what_comes() {
    let mut end = ClientEnd::new();
    assert_eq!(events(&mut end, "hello\r\nOK \r\n").len(), 2);
    assert!(!end.has_begun());
    let early = events(&mut end, &format!("MOV?{START}\r\n"));
    assert!(matches!(early[..], [Event::Odd(_)]));
    assert_eq!(
        events(&mut end, "SET?\r\nSET?\r\n"),
        [Event::SetRequested, Event::SetRequested]
    );
    end.set(placement(), None).unwrap();
    // Without the answer to the placement, and with a board that is none.
    let got = events(&mut end, "MOV?14R\r\n");
    assert!(matches!(got[..], [Event::MoveRequested(Err(_))]));
    end.play(mv("A,N")).unwrap();
    assert!(matches!(
        events(&mut end, "NG\r\n")[..],
        [Event::MoveAnswer(MoveAnswer::Refused)]
    ));
    // Where a refusal does not end the game a move is still due.
    assert_eq!(end.play(mv("B,N")).unwrap(), "MOV:B,N\r\n");
    assert!(matches!(
        events(&mut end, "OK\r\n")[..],
        [Event::MoveAnswer(MoveAnswer::Made(None))]
    ));
    let long = format!("{}\r\n", "x".repeat(SERVER_LINE_LIMIT + 1));
    assert!(matches!(events(&mut end, &long)[..], [Event::Odd(_)]));
    let got = events(&mut end, "WON:\r\nWON:\r\n");
    assert!(matches!(
        got[..],
        [Event::Ended(Outcome::Won, Err(_)), Event::Odd(_)]
    ));
}
