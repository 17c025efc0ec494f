//! Squares, colours and placements read what they print.

use proptest::prelude::*;
use taikyoku_games::blokus::{Board, Cell, Colour, PLACEMENTS, ParseError, Piece, Placement};

#[test]
fn squares_read_in_any_case_and_nothing_else() {
    for cell in Cell::all() {
        let text = cell.to_string();
        assert_eq!(text.parse(), Ok(cell));
        assert_eq!(text.to_uppercase().parse(), Ok(cell));
    }
    for text in [
        "", "a", "1", "a0", "a00", "a01", "a21", "a30", "a100", "u1", "`1", "1a", "a1 ", " a1",
        "a-1", "a+1", "ä1", "a１", "aa1", "a1\0",
    ] {
        assert_eq!(
            text.parse::<Cell>(),
            Err(ParseError::Cell(text.into())),
            "{text}"
        );
    }
    let long = "x".repeat(10_000);
    assert_eq!(long.parse::<Cell>(), Err(ParseError::Cell("x".repeat(20))));
}

#[test]
fn colours_read_numbers_and_names() {
    for (i, colour) in Colour::ALL.into_iter().enumerate() {
        assert_eq!(Colour::new(i as u8), Some(colour));
        assert_eq!((colour.index(), usize::from(colour.seat())), (i, i));
        assert_eq!((i + 1).to_string().parse(), Ok(colour));
        assert_eq!(colour.to_string().parse(), Ok(colour));
        assert_eq!(colour.name().to_uppercase().parse(), Ok(colour));
        assert_eq!(colour.next().index(), (i + 1) % 4);
    }
    assert_eq!(Colour::new(4), None);
    for text in ["", "0", "5", "01", "1 ", "b", "blu", "purple", "１"] {
        assert_eq!(text.parse::<Colour>(), Err(ParseError::Colour(text.into())));
    }
}

#[test]
fn pieces_refuse_what_is_no_name() {
    for text in ["", "3", "I", "I2", "I6", " X", "monomino"] {
        assert_eq!(text.parse::<Piece>(), Err(ParseError::Piece(text.into())));
    }
}

#[test]
fn placements_print_from_the_bottom_row_left_to_right() {
    for placement in Placement::all() {
        let text = placement.to_string();
        assert_eq!(text.parse(), Ok(placement));
        assert!(placement.cells().is_sorted());
        let cells: Vec<String> = placement.cells().iter().map(Cell::to_string).collect();
        assert_eq!(cells.join(","), text);
    }
    let placement: Placement = "b19,B18, c18 ".parse().unwrap();
    assert_eq!(placement.to_string(), "b18,c18,b19");
    assert_eq!(placement.piece().name(), "V3");
}

#[test]
fn what_is_no_placement_is_refused() {
    let a1 = Cell::new(0).unwrap();
    for (text, error) in [
        ("", ParseError::Cell(String::new())),
        ("a1,", ParseError::Cell(String::new())),
        (",a1", ParseError::Cell(String::new())),
        ("a1,,a2", ParseError::Cell(String::new())),
        ("a1 a2", ParseError::Cell("a1 a2".into())),
        ("a1;a2", ParseError::Cell("a1;a2".into())),
        ("pass", ParseError::Cell("pass".into())),
        ("a1,a1", ParseError::Twice(a1)),
        ("a2,a1,b1,A1", ParseError::Twice(a1)),
        ("a1,b2", ParseError::Shape),
        ("a1,a3", ParseError::Shape),
        ("t1,a2", ParseError::Shape),
        ("s1,t1,a2,b2", ParseError::Shape),
        ("a1,a2,a3,a4,a6", ParseError::Shape),
        ("a1,a2,a3,a4,a5,a6", ParseError::Shape),
        ("a1,a2,a3,a4,a5,z9", ParseError::Cell("z9".into())),
    ] {
        assert_eq!(text.parse::<Placement>(), Err(error), "{text}");
    }
    assert_eq!(Placement::from_cells(&[]), Err(ParseError::Shape));
    assert_eq!(Placement::from_cells(&[a1; 6]), Err(ParseError::Shape));
}

#[test]
fn a_board_is_drawn_with_row_20_at_the_top() {
    let mut board = Board::new();
    for text in [
        "b17,a18,b18,a19,a20",
        "s18,s19,r20,s20,t20",
        "r1,s1,t1,s2,t2",
        "a1,b1,c1,d1,b2",
    ] {
        board.play(text.parse().unwrap()).unwrap();
    }
    let drawing = board.to_string();
    let lines: Vec<&str> = drawing.lines().collect();
    assert_eq!(lines.len(), 21);
    assert_eq!(
        lines[..5],
        [
            "20  B . . . . . . . . . . . . . . . . Y Y Y",
            "19  B . . . . . . . . . . . . . . . . . Y .",
            "18  B B . . . . . . . . . . . . . . . . Y .",
            "17  . B . . . . . . . . . . . . . . . . . .",
            "16  . . . . . . . . . . . . . . . . . . . .",
        ]
    );
    assert_eq!(
        lines[17..],
        [
            " 3  . . . . . . . . . . . . . . . . . . . .",
            " 2  . G . . . . . . . . . . . . . . . . R R",
            " 1  G G G G . . . . . . . . . . . . . R R R",
            "    a b c d e f g h i j k l m n o p q r s t",
        ]
    );
}

proptest! {
    #[test]
    fn squares_come_in_any_order_case_and_spacing(
        index in 0..PLACEMENTS as u16,
        order in Just([0, 1, 2, 3, 4]).prop_shuffle(),
        upper in any::<[bool; 5]>(),
        blanks in prop::array::uniform5("[ \t]{0,3}"),
    ) {
        let placement = Placement::new(index).unwrap();
        let cells = placement.cells();
        let order: Vec<usize> = order.into_iter().filter(|&i| i < cells.len()).collect();
        let words = order.iter().map(|&i| {
            let word = cells[i].to_string();
            let word = if upper[i] { word.to_uppercase() } else { word };
            format!("{0}{word}{0}", blanks[i])
        });
        let text = words.collect::<Vec<String>>().join(",");
        prop_assert_eq!(text.parse(), Ok(placement));
    }

    #[test]
    fn squares_close_together_are_a_placement_if_they_are_joined(
        offsets in prop::collection::btree_set((0..4_u16, 0..4_u16), 1..6),
        x in 0..17_u16,
        y in 0..17_u16,
    ) {
        let at = |&(dx, dy): &(u16, u16)| Cell::new(x + dx + 20 * (y + dy)).unwrap();
        let cells: Vec<Cell> = offsets.iter().map(at).collect();
        // Every polyomino of up to five squares is a piece.
        let mut joined = vec![*offsets.first().unwrap()];
        for _ in 0..5 {
            let near = |&(x, y): &(u16, u16)| {
                joined.iter().any(|&(a, b)| x.abs_diff(a) + y.abs_diff(b) == 1)
            };
            let more: Vec<_> = offsets.iter().copied().filter(near).collect();
            joined.extend(more);
        }
        let whole = offsets.iter().all(|square| joined.contains(square));
        prop_assert_eq!(Placement::from_cells(&cells).is_ok(), whole);
    }
}
