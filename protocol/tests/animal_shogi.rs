//! The lines of `AnimalShogiServer`: round trips, every cut of the stream, arbitrary bytes, the phases of both ends.

use proptest::collection::vec;
use proptest::prelude::*;
use taikyoku_protocol::animal_shogi::{
    CLIENT_LINE_LIMIT, ClientEnd, ClientLine, End, Event, Move, NotDue, Outcome, Request,
    SERVER_LINE_LIMIT, ServerEnd, ServerLine, Side,
};

/// What a server reads that begins the game with the first login, and starts it with the first `AGREE`.
fn requests(stream: &[u8], size: usize) -> Vec<Request> {
    let mut end = ServerEnd::default();
    let mut found = Vec::new();
    for piece in stream.chunks(size) {
        end.receive(piece);
        while let Some(request) = end.next_request() {
            match &request {
                Request::Login(_) => drop(end.summary("1", Side::First)),
                Request::Agree => drop(end.start()),
                Request::Resign => drop(end.end(End::GameOver, Outcome::Lose)),
                _ => {}
            }
            found.push(request);
        }
        assert!(end.waiting() <= CLIENT_LINE_LIMIT + 1);
    }
    found
}

fn events(stream: &[u8], size: usize) -> Vec<Event> {
    let mut end = ClientEnd::default();
    let mut found = Vec::new();
    for piece in stream.chunks(size) {
        end.receive(piece);
        while let Some(event) = end.next_event() {
            if let Event::Summary { .. } = event {
                end.agree().expect("it is due");
            }
            found.push(event);
        }
    }
    found
}

fn any_move() -> impl Strategy<Value = Move> {
    let text = "[+-]([1-3][a-d][1-3][a-d]\\+?|[hzk]\\*[1-3][a-d])";
    text.prop_map(|text: String| text.parse().expect("a move"))
}

fn client_line() -> impl Strategy<Value = ClientLine> {
    prop_oneof![
        "[a-zA-Z0-9_]{1,20}( [a-z]{1,3})?".prop_map(|name| ClientLine::Login(Some(name))),
        Just(ClientLine::Login(None)),
        Just(ClientLine::Agree),
        any_move().prop_map(ClientLine::Move),
        Just(ClientLine::Resign),
        Just(ClientLine::Alive),
        "\\+[4-9][a-z]{0,9}".prop_map(ClientLine::NoMove),
        "[a-z]{7,20}".prop_map(ClientLine::Other),
    ]
}

fn server_line() -> impl Strategy<Value = ServerLine> {
    let side = prop::sample::select(vec![Side::First, Side::Second]);
    let end = prop::sample::select(vec![End::GameOver, End::Illegal]);
    let outcome = prop::sample::select(vec![Outcome::Win, Outcome::Lose, Outcome::Draw]);
    prop_oneof![
        "[a-zA-Z0-9_,]{0,20}".prop_map(ServerLine::LoggedIn),
        Just(ServerLine::SummaryBegin),
        "[0-9]{8}-[0-9]{3}".prop_map(ServerLine::GameId),
        side.prop_map(ServerLine::YourTurn),
        Just(ServerLine::SummaryEnd),
        Just(ServerLine::Start),
        any_move().prop_map(ServerLine::Played),
        end.prop_map(ServerLine::End),
        outcome.prop_map(ServerLine::Outcome),
        Just(ServerLine::Alive),
        "[a-z]{1,20}".prop_map(ServerLine::Other),
    ]
}

fn lines_of(lines: &[impl ToString], end: &str) -> String {
    let lines = lines.iter().map(|line| line.to_string() + end);
    lines.collect()
}

proptest! {
    #[test]
    fn lines_read_as_they_were_written(client in client_line(), server in server_line(), mv in any_move()) {
        prop_assert_eq!(ClientLine::parse(&client.to_string()), client);
        prop_assert_eq!(ServerLine::parse(&server.to_string()), server);
        prop_assert_eq!(Move::from_usi(mv.side(), &mv.usi()), Ok(mv));
    }

    #[test]
    fn cuts_of_the_stream_change_nothing(
        client in vec(client_line(), 0..9),
        server in vec(server_line(), 0..9),
        size in 1_usize..9,
        end in prop_oneof![Just("\n"), Just("\r\n")],
    ) {
        let stream = lines_of(&client, end);
        prop_assert_eq!(requests(stream.as_bytes(), size), requests(stream.as_bytes(), usize::MAX));
        let stream = lines_of(&server, end);
        prop_assert_eq!(events(stream.as_bytes(), size), events(stream.as_bytes(), usize::MAX));
    }

    #[test]
    fn nothing_is_too_strange(
        stream in prop_oneof![
            vec(any::<u8>(), 0..400),
            "(LOGIN:?|AGREE|START|resign|BEGIN Game_Summary|END Game_Summary|Game_ID:|Your_Turn:[+-]|[+-][1-4hzk][a-e*]2b\\+?|,OK|,ok|#WIN|#ILLEGAL|[ \n]){0,40}"
                .prop_map(String::into_bytes),
        ],
        size in 1_usize..40,
    ) {
        prop_assert_eq!(requests(&stream, size), requests(&stream, usize::MAX));
        prop_assert_eq!(events(&stream, size), events(&stream, usize::MAX));
        for line in String::from_utf8_lossy(&stream).split('\n') {
            let read = ClientLine::parse(line);
            prop_assert_eq!(ClientLine::parse(&read.to_string()), read);
            let read = ServerLine::parse(line);
            prop_assert_eq!(ServerLine::parse(&read.to_string()), read);
        }
    }
}

#[test]
fn files_run_the_other_way_than_in_usi() {
    for (line, usi) in [
        ("+1d1c", "3d3c"),
        ("+2c2b", "2c2b"),
        ("-2b2d+", "2b2d+"),
        ("-z*3a", "E*1a"),
        ("+k*1b", "G*3b"),
    ] {
        let mv: Move = line.parse().expect(line);
        assert_eq!(mv.usi(), usi);
        assert_eq!(Move::from_usi(mv.side(), usi), Ok(mv));
        assert_eq!(mv.to_string(), line);
    }
    for line in [
        "2c2b", "+2c2", "+2c2b++", "+h*2b+", "+l*2b", "+C*2b", "+4c2b", "+2c2e", "+", "",
    ] {
        assert!(line.parse::<Move>().is_err(), "{line}");
    }
    assert!(Move::from_usi(Side::First, "h*2b").is_err());
}

#[test]
fn a_game_of_both_ends() {
    let (mut server, mut client) = (ServerEnd::default(), ClientEnd::default());
    for name in ["将".repeat(5000), "a\n".repeat(5000)] {
        assert!(client.login(&name).len() <= CLIENT_LINE_LIMIT);
    }
    server.receive(client.login("ana").as_bytes());
    assert_eq!(
        server.next_request(),
        Some(Request::Login("ana".to_owned()))
    );
    client.receive(&server.logged_in("ana"));
    assert_eq!(client.next_event(), Some(Event::LoggedIn("ana".to_owned())));
    assert_eq!(client.agree(), Err(NotDue::Agree));
    client.receive(&server.summary("20180910-001", Side::Second));
    let id = "20180910-001".to_owned();
    let side = Side::Second;
    assert_eq!(client.next_event(), Some(Event::Summary { id, side }));
    server.receive(client.agree().expect("it is due").as_bytes());
    assert_eq!(server.next_request(), Some(Request::Agree));
    client.receive(&server.start());
    assert_eq!(client.next_event(), Some(Event::Started));
    let own: Move = "-2b2c".parse().expect("a move");
    assert_eq!(client.play(own), Err(NotDue::Turn));
    let first: Move = "+2c2b".parse().expect("a move");
    client.receive(&server.played(first));
    client.receive(&server.alive());
    assert_eq!(client.next_event(), Some(Event::Played(first)));
    assert_eq!(client.next_event(), Some(Event::Alive));
    assert!(client.is_to_move());
    server.receive(client.play(own).expect("it is due").as_bytes());
    assert!(!client.is_to_move());
    assert_eq!(server.next_request(), Some(Request::Move(own)));
    client.receive(&server.end(End::Illegal, Outcome::Lose));
    assert_eq!(
        client.next_event(),
        Some(Event::Ended(End::Illegal, Outcome::Lose))
    );
    assert!(client.is_over());
    server.receive(client.resign().as_bytes());
    assert_eq!(
        server.next_request(),
        Some(Request::Ignored(ClientLine::Resign))
    );
}

#[test]
fn who_agrees_early_is_told_the_start_with_the_game() {
    let mut server = ServerEnd::default();
    server.receive(b"AGREE\n+2c2b\nresign\n");
    for _ in 0..3 {
        assert!(matches!(server.next_request(), Some(Request::Ignored(_))));
    }
    let summary = server.summary("1", Side::First);
    assert!(summary.ends_with(b"END Game_Summary\nSTART\n"));
    server.receive(b"AGREE\n+2c2b\n");
    assert_eq!(
        server.next_request(),
        Some(Request::Ignored(ClientLine::Agree))
    );
    assert!(matches!(server.next_request(), Some(Request::Move(_))));
}

#[test]
fn only_what_should_be_a_move_is_a_fault() {
    let mut server = ServerEnd::default();
    let _ = server.summary("1", Side::First);
    server.receive(b"hello\n#WIN\n\n \r\nLOGIN\n");
    for _ in 0..5 {
        assert!(matches!(server.next_request(), Some(Request::Ignored(_))));
    }
    let mut long = vec![b'+'; 2 * CLIENT_LINE_LIMIT];
    long.extend(b"\n+2z2b\n");
    server.receive(&long);
    assert_eq!(
        server.next_request(),
        Some(Request::Fault(ClientLine::TooLong))
    );
    let odd = ClientLine::NoMove("+2z2b".to_owned());
    assert_eq!(server.next_request(), Some(Request::Fault(odd)));
    let mut client = ClientEnd::default();
    client.receive(&vec![b'x'; 2 * SERVER_LINE_LIMIT]);
    assert!(matches!(client.next_event(), Some(Event::Odd(_))));
}
