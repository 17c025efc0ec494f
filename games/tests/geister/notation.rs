//! Moves, placements and letters read back from what they print, in every accepted spelling.

use std::collections::BTreeSet;

use taikyoku_games::geister::{Direction, Ghost, Move, ParseError, Placement};

#[test]
fn every_move_reads_back_in_every_spelling() {
    let words = [
        (Direction::East, ["E", "e", "EAST", "east", "East", "eAsT"]),
        (
            Direction::South,
            ["S", "s", "SOUTH", "south", "South", "sOuTh"],
        ),
        (Direction::West, ["W", "w", "WEST", "west", "West", "wEsT"]),
        (
            Direction::North,
            ["N", "n", "NORTH", "north", "North", "nOrTh"],
        ),
    ];
    let mut printed = BTreeSet::new();
    for ghost in Ghost::ALL {
        for (direction, spellings) in words {
            let mv = Move { ghost, direction };
            for spelling in spellings {
                let capital = format!("{},{spelling}", ghost.letter());
                let small = format!("{},{spelling}", ghost.letter().to_ascii_lowercase());
                assert_eq!(capital.parse(), Ok(mv), "{capital}");
                assert_eq!(small.parse(), Ok(mv), "{small}");
            }
            assert_eq!(mv.to_string().parse(), Ok(mv));
            printed.insert(mv.to_string());
        }
    }
    assert_eq!(printed.len(), 32);
}

#[test]
fn what_is_no_move_is_refused_with_its_reason() {
    for (text, error) in [
        ("", ParseError::Move(String::new())),
        ("AN", ParseError::Move("AN".to_owned())),
        (",N", ParseError::Ghost(String::new())),
        ("I,N", ParseError::Ghost("I".to_owned())),
        ("AB,N", ParseError::Ghost("AB".to_owned())),
        ("A ,N", ParseError::Ghost("A ".to_owned())),
        ("A,", ParseError::Direction(String::new())),
        ("A, N", ParseError::Direction(" N".to_owned())),
        ("A,N,1", ParseError::Direction("N,1".to_owned())),
        ("A,NO", ParseError::Direction("NO".to_owned())),
        ("A,Ｎ", ParseError::Direction("Ｎ".to_owned())),
    ] {
        assert_eq!(text.parse::<Move>(), Err(error));
    }
}

#[test]
fn every_placement_reads_back_in_any_order_and_case() {
    let mut printed = BTreeSet::new();
    for placement in Placement::ALL {
        let text = placement.to_string();
        assert_eq!(text.len(), 4);
        assert_eq!(text.parse(), Ok(placement));
        assert_eq!(text.to_ascii_lowercase().parse(), Ok(placement));
        let letters: Vec<char> = text.chars().collect();
        for order in [[3, 2, 1, 0], [1, 0, 3, 2], [2, 3, 0, 1], [0, 2, 1, 3]] {
            let mixed: String = order.iter().map(|&i| letters[i]).collect();
            assert_eq!(mixed.parse(), Ok(placement), "{mixed}");
        }
        let reds: String = Ghost::ALL
            .into_iter()
            .filter(|&ghost| placement.is_red(ghost))
            .map(Ghost::letter)
            .collect();
        assert_eq!(reds, text);
        printed.insert(text);
    }
    assert_eq!(printed.len(), 70);
}

#[test]
fn what_is_no_placement_is_refused_with_its_reason() {
    for text in [
        "", "ABC", "ABCDE", "ABCZ", "ABC1", "ABCD ", " ABCD", "ABCあ",
    ] {
        let error = ParseError::Placement(text.to_owned());
        assert_eq!(text.parse::<Placement>(), Err(error));
    }
    for text in ["AAAA", "ABCA", "abCB", "HhGg"] {
        let error = ParseError::Repeated(text.to_owned());
        assert_eq!(text.parse::<Placement>(), Err(error));
    }
    let long = "A".repeat(300);
    assert!(long.parse::<Placement>().is_err());
}

#[test]
fn masks_with_four_bits_are_placements() {
    let some = (0..=u8::MAX).filter_map(Placement::new);
    assert!(some.eq(Placement::ALL));
    for mask in 0..=u8::MAX {
        let placement = Placement::new(mask);
        assert_eq!(placement.is_some(), mask.count_ones() == 4);
        assert!(placement.is_none_or(|p| p.mask() == mask));
    }
}
