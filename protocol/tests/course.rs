//! The protocol of the course: round trips, every cut of the stream, arbitrary bytes.

use proptest::collection::vec;
use proptest::prelude::*;
use taikyoku_protocol::course::{
    ANSWER_LIMIT, Answer, Board, COMMAND_LIMIT, ClientEnd, Command, Event, Piece, Place, Player,
    ServerEnd,
};

fn commands(stream: &[u8], size: usize) -> Vec<Command> {
    let mut end = ServerEnd::default();
    let mut found = Vec::new();
    for piece in stream.chunks(size) {
        end.receive(piece);
        found.extend(std::iter::from_fn(|| end.next_command()));
        assert!(end.waiting() <= COMMAND_LIMIT + 1);
    }
    found
}

fn events(stream: &[u8], size: usize) -> Vec<Event> {
    let mut end = ClientEnd::default();
    let mut found = Vec::new();
    for piece in stream.chunks(size) {
        end.receive(piece);
        found.extend(std::iter::from_fn(|| end.next_event()));
    }
    found
}

fn any_place() -> impl Strategy<Value = Place> {
    prop::sample::select(Place::all().collect::<Vec<_>>())
}

fn any_board() -> impl Strategy<Value = Board> {
    let piece = (
        prop::sample::select(vec!['l', 'g', 'e', 'c', 'h']),
        1..=2_u8,
    );
    let piece = piece.prop_map(|(letter, owner)| Piece::new(letter, owner));
    vec((any_place(), piece), 0..12).prop_map(|pieces| {
        let mut board = Board::default();
        for (place, piece) in pieces {
            board.put(place, piece);
        }
        board
    })
}

fn any_command() -> impl Strategy<Value = Command> {
    prop_oneof![
        Just(Command::Turn),
        Just(Command::Board),
        Just(Command::BoardJson),
        Just(Command::InitBoard),
        Just(Command::InitBoardJson),
        Just(Command::WhoAmI),
        (any_place(), any_place()).prop_map(|(from, to)| Command::Move(from, to)),
        "[a-z]{1,3}( [A-Z]{1,3}){0,3}".prop_map(Command::Other),
    ]
}

fn any_answer() -> impl Strategy<Value = Answer> {
    let player = || prop::sample::select(vec![Player::One, Player::Two]);
    prop_oneof![
        player().prop_map(Answer::YouAre),
        player().prop_map(Answer::Turn),
        any_board().prop_map(Answer::Board),
        any_board().prop_map(Answer::Json),
        Just(Answer::Moved),
        "[a-z]{1,9}( [a-z]{1,9}){1,3}".prop_map(Answer::Refused),
    ]
}

fn lines_of(lines: &[impl ToString], end: &str) -> String {
    let lines = lines.iter().map(|line| line.to_string() + end);
    lines.collect()
}

proptest! {
    #[test]
    fn lines_read_as_they_were_written(command in any_command(), answer in any_answer(), place in any_place()) {
        prop_assert_eq!(Command::parse(&command.to_string()), Some(command));
        prop_assert_eq!(Answer::parse(&answer.to_string()), answer);
        prop_assert_eq!(place.to_string().parse(), Ok(place));
    }

    #[test]
    fn cuts_of_the_stream_change_nothing(
        asked in vec(any_command(), 0..9),
        answers in vec(any_answer(), 0..9),
        size in 1_usize..9,
        end in prop_oneof![Just("\n"), Just("\r\n")],
    ) {
        let stream = lines_of(&asked, end);
        prop_assert_eq!(&commands(stream.as_bytes(), size), &asked);
        prop_assert_eq!(&commands(stream.as_bytes(), usize::MAX), &asked);
        let stream = lines_of(&answers, end);
        prop_assert_eq!(events(stream.as_bytes(), size), events(stream.as_bytes(), usize::MAX));
    }

    #[test]
    fn nothing_is_too_strange(
        stream in prop_oneof![
            vec(any::<u8>(), 0..400),
            "(turn|board|mv|You are |Player[123]|[A-F][0-7]|[lgech][123]|--|[{}:\", \n.]){0,60}"
                .prop_map(String::into_bytes),
        ],
        size in 1_usize..40,
    ) {
        prop_assert_eq!(commands(&stream, size), commands(&stream, usize::MAX));
        prop_assert_eq!(events(&stream, size), events(&stream, usize::MAX));
        for line in String::from_utf8_lossy(&stream).split('\n') {
            if let Some(read) = Command::parse(line) {
                prop_assert_eq!(Command::parse(&read.to_string()), Some(read));
            }
            let read = Answer::parse(line);
            prop_assert_eq!(Answer::parse(&read.to_string()), read);
        }
    }
}

#[test]
fn every_place_has_one_name() {
    let names: Vec<String> = Place::all().map(|place| place.to_string()).collect();
    assert_eq!(
        names.join(" "),
        "A1 B1 C1 A2 B2 C2 A3 B3 C3 A4 B4 C4 D1 D2 D3 D4 D5 D6 E1 E2 E3 E4 E5 E6"
    );
    assert_eq!("b3".parse(), Ok(Place::square(1, 2).expect("a square")));
    assert_eq!("E6".parse(), Ok(Place::in_hand(2, 5).expect("a place")));
    for text in ["", "A", "A0", "A5", "D7", "E0", "F1", "A11", "あ"] {
        assert!(text.parse::<Place>().is_err(), "{text}");
    }
    for place in Place::all() {
        assert!(place.on_board().is_some() != place.of_hand().is_some());
    }
}

#[test]
fn boards_of_other_servers_are_read() {
    let whole: Board = "A1 g2, B1 l2, C1 e2, A2 --, B2 c2, C2 --, A3 --, B3 c1, C3 --, A4 e1, B4 l1, C4 g1, D1 --, D2 --"
        .parse()
        .expect("a board");
    let pieces: Board = "A1 g2,B1 l2, C1 e2, B2 c2,B3 c1, A4 e1,B4 l1, C4 g1, "
        .parse()
        .expect("a board");
    assert_eq!(whole, pieces);
    assert_eq!(Board::from_json(&whole.to_json()), Ok(pieces));
    assert_eq!(Board::from_json(r#"{"A1":"--"}"#), Ok(Board::default()));
    for text in ["A1", "A1 x1", "A1 g3", "Z1 g1", "A1 g", "A1  "] {
        assert!(text.parse::<Board>().is_err(), "{text}");
    }
    for text in ["[]", "{", r#"{"A1":1}"#, r#"{"A1":"z1"}"#] {
        assert!(Board::from_json(text).is_err(), "{text}");
    }
}

#[test]
fn lines_above_the_limit_are_told_once() {
    let mut stream = vec![b'x'; 3 * COMMAND_LIMIT];
    stream.extend(b"\nturn\n");
    assert_eq!(commands(&stream, 100), [Command::TooLong, Command::Turn]);
    let mut stream = vec![b'x'; 3 * ANSWER_LIMIT];
    stream.extend(b"\nPlayer2\n");
    let found = events(&stream, 100);
    assert!(matches!(
        found[..],
        [Event::Refused(_), Event::Turn(Player::Two)]
    ));
}
