//! Lines, commands, boards and replies of GAT, byte for byte, and all readers against nonsense.

use games::geister::{Colour, Move, ParseError, Place, Position, Rules, Square};
use proptest::prelude::*;
use taikyoku_protocol::gat::{
    Board, BoardError, ClientLine, MalformedLine, Outcome, ServerLine, ServerLineError, ViewerBoard,
};
use taikyoku_protocol::{Line, LineEnd, LineReader};

use super::pieces;

const START: &str = "14R24R34R44R15B25B35B45B41u31u21u11u40u30u20u10u";

fn set(letters: &str, name: Option<&str>) -> ClientLine {
    ClientLine::Set {
        placement: letters.parse().unwrap(),
        name: name.map(str::to_owned),
    }
}

fn reason(line: &str) -> MalformedLine {
    match ClientLine::parse(line) {
        ClientLine::Malformed { text, reason } => {
            assert_eq!(text, line);
            reason
        }
        other => panic!("{line} was taken as {other:?}"),
    }
}

#[test]
fn every_accepted_spelling() {
    assert_eq!(ClientLine::parse("SET:ABCD"), set("ABCD", None));
    assert_eq!(ClientLine::parse("SET:dcba"), set("ABCD", None));
    assert_eq!(ClientLine::parse("SET:hAeD"), set("ADEH", None));
    assert_eq!(
        ClientLine::parse("SET:ABCD,NAME:foo_9"),
        set("ABCD", Some("foo_9"))
    );
    assert_eq!(ClientLine::parse("SET:ABCD,NAME:"), set("ABCD", Some("")));
    let directions = [
        ["N", "n", "NORTH", "north", "NoRtH"],
        ["E", "e", "EAST", "east", "eASt"],
        ["W", "w", "WEST", "west", "West"],
        ["S", "s", "SOUTH", "south", "soutH"],
    ];
    for spellings in directions {
        let mv: Move = format!("C,{}", spellings[0]).parse().unwrap();
        for spelling in spellings {
            for ghost in ["C", "c", "Cxyz", "cA9_"] {
                let line = format!("MOV:{ghost},{spelling}");
                assert_eq!(ClientLine::parse(&line), ClientLine::Move(mv), "{line}");
            }
        }
    }
}

#[test]
fn everything_else_is_malformed() {
    for line in ["", "SET", "set:ABCD", " SET:ABCD", "Mov:A,N", "OK "] {
        assert_eq!(reason(line), MalformedLine::Command, "{line}");
    }
    for letters in ["", "ABC", "ABCDE", "ABCZ", "ABC1", "ABCD ", " ABCD"] {
        let due = MalformedLine::Argument(ParseError::Placement(letters.to_owned()));
        assert_eq!(reason(&format!("SET:{letters}")), due);
    }
    for letters in ["AAAA", "ABCA", "aAbc"] {
        let due = MalformedLine::Argument(ParseError::Repeated(letters.to_owned()));
        assert_eq!(reason(&format!("SET:{letters}")), due);
    }
    for rest in [
        "", "NAME", "name:x", "NAME:a b", "NAME:é", "NAME:a,b", "foo",
    ] {
        assert_eq!(
            reason(&format!("SET:ABCD,{rest}")),
            MalformedLine::Name,
            "{rest}"
        );
    }
    let moves = [
        "", ",", ",N", "A", "A,", "AN", "I,N", "1A,N", "A,X", "A, N", " A,N", "A ,N", "A,N ",
    ];
    let odd = ["A,N,1", "A,NORT", "é,N", "Aé,N", "A,N\n", "A,N\rMOV:A,N"];
    for rest in moves.iter().chain(&odd) {
        let reason = reason(&format!("MOV:{rest}"));
        assert!(matches!(reason, MalformedLine::Argument(_)), "{rest}");
    }
    let bytes = ClientLine::read(Line::Text(b"MOV:\xFF,N"));
    assert!(matches!(bytes, ClientLine::Malformed { text, .. } if text == "MOV:\u{FFFD},N"));
    assert_eq!(ClientLine::read(Line::TooLong), ClientLine::TooLong);
}

#[test]
fn the_board_at_the_start_for_both_seats() {
    let placements = ["ABCD", "EFGH"].map(|letters| letters.parse().unwrap());
    let position = Position::new(placements, Rules::default());
    assert_eq!(Board::from(&position.view(0)).to_string(), START);
    let second = "14B24B34B44B15R25R35R45R41u31u21u11u40u30u20u10u";
    assert_eq!(Board::from(&position.view(1)).to_string(), second);
    let revealed = "14R24R34R44R15B25B35B45B41b31b21b11b40r30r20r10r";
    assert_eq!(Board::from(&position.final_view(0)).to_string(), revealed);
    let revealed = "14B24B34B44B15R25R35R45R41r31r21r11r40b30b20b10b";
    assert_eq!(Board::from(&position.final_view(1)).to_string(), revealed);
}

#[test]
fn captures_and_an_escape_on_the_board() {
    let text = "99b24R34R44R15B88b35B99r41u31u21u11u99r30u20u00u";
    let board: Board = text
        .replace("24R", "24B")
        .replace("35B", "35R")
        .parse()
        .unwrap();
    assert_eq!(board.own[0], (Place::Captured, Colour::Blue));
    assert_eq!(board.own[5], (Place::Escaped, Colour::Blue));
    assert_eq!(board.own[7], (Place::Captured, Colour::Red));
    assert_eq!(board.enemy[4], (Place::Captured, Some(Colour::Red)));
    assert_eq!(board.enemy[7], (Place::On(Square::FAR_LEFT), None));
    assert_eq!(
        board.to_string(),
        text.replace("24R", "24B").replace("35B", "35R")
    );
}

#[test]
fn impossible_boards_are_refused() {
    let parse = |text: &str| text.parse::<Board>().unwrap_err();
    let with = |i: usize, ghost: &str| {
        let mut text = START.to_owned();
        text.replace_range(3 * i..3 * i + 3, ghost);
        parse(&text)
    };
    assert_eq!(parse(""), BoardError::Length(0));
    assert_eq!(parse(&START[1..]), BoardError::Length(47));
    assert_eq!(parse(&format!("{START}u")), BoardError::Length(49));
    // 48 bytes, but 47 characters.
    assert_eq!(parse(&format!("{}é", &START[..46])), BoardError::Length(48));
    let letters = "ABCDEFGHabcdefgh";
    for (i, ghost) in [(0, "64R"), (0, "16R"), (9, "89u"), (15, "-1u"), (1, "98r")] {
        let (name, text) = (char::from(letters.as_bytes()[i]), ghost.to_owned());
        assert_eq!(with(i, ghost), BoardError::Place { ghost: name, text });
    }
    let own = ["15r", "15u", "99R", "99u", "88r", "88B", "15 "].map(|ghost| (4, ghost));
    let enemy = ["41R", "41B", "99u", "99R", "88u", "88r", "41x"].map(|ghost| (8, ghost));
    for (i, ghost) in own.into_iter().chain(enemy) {
        let (name, text) = (char::from(letters.as_bytes()[i]), ghost.to_owned());
        let due = BoardError::Colour { ghost: name, text };
        assert_eq!(with(i, ghost), due, "{ghost}");
    }
    assert_eq!(with(8, "14u"), BoardError::Shared('A', 'a'));
    assert_eq!(with(1, "14R"), BoardError::Shared('A', 'B'));
    assert_eq!(with(0, "14B"), BoardError::OwnReds(3));
    assert_eq!(with(4, "15R"), BoardError::OwnReds(5));
    let five_reds = START.replace("41u31u21u11u40u", "41r99r21r11r40r");
    assert_eq!(
        parse(&five_reds),
        BoardError::EnemyColours { red: 5, blue: 0 }
    );
    let five_blues = START.replace("41u31u21u11u40u", "41b99b21b11b40b");
    assert_eq!(
        parse(&five_blues),
        BoardError::EnemyColours { red: 0, blue: 5 }
    );
    let escapes = START.replace("15B", "88b").replace("41u", "88b");
    assert_eq!(parse(&escapes), BoardError::Escapes(2));
}

#[test]
fn replies_byte_for_byte() {
    let board: Board = START.parse().unwrap();
    let move_request = format!("MOV?{START}\r\n");
    let won = format!("WON:{START}\r\n");
    let lost = format!("LST:{START}\r\n");
    let draw = format!("DRW:{START}\r\n");
    let table: [(ServerLine, &str); 9] = [
        (ServerLine::SetRequest, "SET?\r\n"),
        (ServerLine::Ok(None), "OK \r\n"),
        (ServerLine::Ok(Some(Colour::Red)), "OKR\r\n"),
        (ServerLine::Ok(Some(Colour::Blue)), "OKB\r\n"),
        (ServerLine::Refused, "NG \r\n"),
        (ServerLine::MoveRequest(board), &move_request),
        (ServerLine::Result(Outcome::Won, board), &won),
        (ServerLine::Result(Outcome::Lost, board), &lost),
        (ServerLine::Result(Outcome::Draw, board), &draw),
    ];
    for (line, text) in table {
        assert_eq!(line.encode(), text.as_bytes());
        assert_eq!(ServerLine::parse(text.trim_end_matches("\r\n")), Ok(line));
    }
    assert_eq!(ServerLine::parse("OK"), Ok(ServerLine::Ok(None)));
    assert_eq!(ServerLine::parse("NG"), Ok(ServerLine::Refused));
    for odd in ["", "ok ", "OKX", "SET", "MOV", "WIN:"] {
        assert_eq!(
            ServerLine::parse(odd),
            Err(ServerLineError::Unknown(odd.trim_end().to_owned()))
        );
    }
    assert_eq!(
        ServerLine::parse("DRW:14R"),
        Err(ServerLineError::Result(
            Outcome::Draw,
            BoardError::Length(3)
        ))
    );
    assert_eq!(
        ServerLine::parse("MOV?"),
        Err(ServerLineError::MoveRequest(BoardError::Length(0)))
    );
}

proptest! {
    #[test]
    fn any_board_of_likely_characters(text in "([0-9][0-9][RBrbux]){16}") {
        if let Ok(board) = text.parse::<Board>() {
            prop_assert_eq!(board.to_string(), text.clone());
        }
        if let Ok(board) = text.parse::<ViewerBoard>() {
            prop_assert_eq!(board.to_string().to_lowercase(), text.to_lowercase());
        }
    }

    #[test]
    fn a_changed_board_is_read_or_refused(at in 0..48_usize, to in "[0-9RBrbu ]") {
        let mut text = START.to_owned();
        text.replace_range(at..=at, &to);
        if let Ok(board) = text.parse::<Board>() {
            prop_assert_eq!(board.to_string(), text);
        }
    }

    #[test]
    fn lines_do_not_depend_on_the_cuts(
        bytes in prop::collection::vec(prop::sample::select(b"ab\r\n".to_vec()), 0..200),
        cuts in prop::collection::vec(1..20_usize, 1..50),
    ) {
        let limit = 6;
        let mut whole = Vec::new();
        let text = String::from_utf8(bytes.clone()).unwrap();
        let parts: Vec<&str> = text.split("\r\n").collect();
        let (last, finished) = parts.split_last().unwrap();
        for line in finished {
            whole.push((line.len() <= limit).then(|| (*line).to_owned()));
        }
        let rest = last.strip_suffix('\r').unwrap_or(last);
        if rest.len() > limit {
            whole.push(None);
        }
        let mut reader = LineReader::new(LineEnd::CrLf, limit);
        let mut got = Vec::new();
        for piece in pieces(&bytes, &cuts) {
            reader.push(piece);
            while let Some(line) = reader.next_line() {
                got.push(match line {
                    Line::Text(text) => Some(String::from_utf8(text.to_vec()).unwrap()),
                    Line::TooLong => None,
                });
            }
            prop_assert!(reader.waiting() <= limit + 1);
        }
        prop_assert_eq!(got, whole);
    }
}
