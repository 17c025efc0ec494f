//! The two ends of a GAT connection: the client's answers, and whole games in every cut of the stream. Bytes of any kind are
//! a matter of the fuzz target `gat`.
//! What lines of clients mean in each phase is in the dialogues of the referee, `server/dialogues/gat`.

use games::geister::{Colour, Move, MoveList, Placement, Position, Rules};
use proptest::prelude::*;
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

/// What both clients of a random game hear, with the bytes of both directions in pieces of `cut`.
fn play(choices: &[u8], cut: usize) -> [Vec<Event>; 2] {
    let placements = [Placement::ALL[7], Placement::ALL[61]];
    let mut position = Position::new(placements, Rules { ply_limit: 40 });
    let mut servers = [(); 2].map(|()| ServerEnd::new(Names::default()));
    let mut clients = [(); 2].map(|()| ClientEnd::new());
    let mut heard = [(); 2].map(|()| Vec::new());
    let mut hear = |client: &mut ClientEnd, seat: usize, bytes: &[u8]| {
        let before = heard[seat].len();
        for piece in bytes.chunks(cut) {
            client.receive(piece);
            heard[seat].extend(std::iter::from_fn(|| client.next_event()));
        }
        heard[seat].len() - before
    };
    let ask = |server: &mut ServerEnd, bytes: &[u8]| {
        let mut got = Vec::new();
        for piece in bytes.chunks(cut) {
            server.receive(piece);
            got.extend(std::iter::from_fn(|| server.next_request()));
        }
        assert_eq!(got.len(), 1);
        got.remove(0)
    };
    for seat in 0..2 {
        let bytes = servers[seat].set_request();
        assert_eq!(hear(&mut clients[seat], seat, &bytes), 1);
        let message = clients[seat].set(placements[seat], None).unwrap();
        let Request::Placement { placement, .. } = ask(&mut servers[seat], &message) else {
            panic!("no placement");
        };
        assert_eq!(placement, placements[seat]);
        let answer = servers[seat].accept_placement();
        hear(&mut clients[seat], seat, &answer);
    }
    let (mut moves, mut choices) = (MoveList::new(), choices.iter().cycle());
    while let Some(mover) = position.to_move() {
        let seat = usize::from(mover);
        let request = servers[seat].move_request(&Board::from(&position.view(mover)));
        hear(&mut clients[seat], seat, &request);
        position.legal_moves(&mut moves);
        let chosen = moves[usize::from(*choices.next().unwrap()) % moves.len()];
        let message = clients[seat].play(chosen).unwrap();
        assert_eq!(ask(&mut servers[seat], &message), Request::Move(chosen));
        let played = position.play(chosen).unwrap();
        let answer = servers[seat].accept_move(played.captured.map(|(_, colour)| colour));
        hear(&mut clients[seat], seat, &answer);
    }
    let winner = position.end().unwrap().winner;
    for seat in [0, 1] {
        let outcome = Outcome::of(seat, winner);
        let board = Board::from(&position.final_view(seat));
        let seat = usize::from(seat);
        let result = servers[seat].result(outcome, &board);
        hear(&mut clients[seat], seat, &result);
        assert!(clients[seat].is_over());
    }
    heard
}

proptest! {
    #[test]
    fn a_game_does_not_depend_on_the_cuts(
        choices in prop::collection::vec(any::<u8>(), 1..60),
        cut in 1..60_usize,
    ) {
        let whole = play(&choices, usize::MAX);
        prop_assert_eq!(&play(&choices, cut), &whole);
        prop_assert!(whole.iter().flatten().all(|event| !matches!(event, Event::Odd(_))));
    }
}
