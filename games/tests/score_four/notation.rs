//! Pegs and positions read what they print.

use taikyoku_games::score_four::{IllegalMove, ParseError, Peg, Position};

#[test]
fn pegs_read_what_they_print() {
    for (i, peg) in Peg::ALL.into_iter().enumerate() {
        assert_eq!(peg.index(), i);
        assert_eq!(peg.to_string().parse(), Ok(peg));
        assert_eq!(peg.to_string().to_uppercase().parse(), Ok(peg));
        assert_eq!(Peg::new(peg.x(), peg.y()), Some(peg));
    }
    assert_eq!(Peg::ALL[0].to_string(), "a1");
    assert_eq!(Peg::ALL[3].to_string(), "d1");
    assert_eq!(Peg::ALL[12].to_string(), "a4");
    for text in ["", "a", "e1", "a5", "a0", "a11", "1a", "ä1", "四"] {
        assert!(text.parse::<Peg>().is_err(), "{text}");
    }
}

#[test]
fn positions_read_both_forms() {
    assert_eq!("start".parse(), Ok(Position::START));
    assert_eq!(
        " a1, B2 a1\n".parse::<Position>().unwrap().to_string(),
        "xx/-/-/-/-/o/-/-/-/-/-/-/-/-/-/-"
    );
}

#[test]
fn errors_say_what_is_wrong() {
    let full = Peg::ALL[0];
    for (text, error) in [
        ("a1a", ParseError::Peg("a".into())),
        ("a1e4", ParseError::Peg("e4".into())),
        (
            "a1a1a1a1a1",
            ParseError::Illegal(5, IllegalMove::Full(full)),
        ),
        ("x/o", ParseError::Count(2)),
        (
            "xz/-/-/-/-/-/-/-/-/-/-/-/-/-/-/-",
            ParseError::Column("xz".into()),
        ),
        (
            "xoxox/-/-/-/-/-/-/-/-/-/-/-/-/-/-/-",
            ParseError::Column("xoxox".into()),
        ),
        (
            "x//-/-/-/-/-/-/-/-/-/-/-/-/-/-",
            ParseError::Column(String::new()),
        ),
    ] {
        assert_eq!(text.parse::<Position>(), Err(error), "{text}");
    }
}
