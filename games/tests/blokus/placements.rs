//! Pieces, orientations and the numbering of the placements.

use taikyoku_games::blokus::{
    Board, CELLS, Cell, Colour, ORIENTATIONS, Orientation, PIECES, PLACEMENTS, Piece, PieceSet,
    Placement,
};

use super::oracle::{DRAWINGS, PLACES, orientations};

#[test]
fn pieces_are_those_of_the_drawings() {
    assert_eq!(Piece::all().len(), PIECES);
    for (piece, (name, drawing)) in Piece::all().zip(DRAWINGS) {
        assert_eq!(piece.name(), name);
        assert_eq!(usize::from(piece.size()), drawing.matches('#').count());
        assert_eq!(
            piece.orientations().len(),
            orientations(piece.index()).len()
        );
        assert_eq!(name.parse(), Ok(piece));
        assert_eq!(name.to_lowercase().parse(), Ok(piece));
    }
    let squares: u8 = Piece::all().map(Piece::size).sum();
    assert_eq!(squares, 89);
    assert_eq!(PieceSet::ALL.squares(), 89);
    for size in 1..=5 {
        let of_size = Piece::all().filter(|p| p.size() == size);
        assert!(of_size.eq(PieceSet::ALL.of_size(size).iter()));
    }
}

#[test]
fn orientations_are_those_of_the_drawings() {
    let drawings: Vec<String> = (0..PIECES).flat_map(orientations).collect();
    assert_eq!(drawings.len(), ORIENTATIONS);
    assert_eq!(Orientation::all().len(), ORIENTATIONS);
    for (orientation, drawing) in Orientation::all().zip(&drawings) {
        let mut rows =
            vec![vec!['.'; usize::from(orientation.width())]; usize::from(orientation.height())];
        for &(x, y) in orientation.cells() {
            rows[usize::from(y)][usize::from(x)] = '#';
        }
        let rows: Vec<String> = rows.iter().rev().map(|row| row.iter().collect()).collect();
        assert_eq!(&rows.join("/"), drawing);
        assert!(orientation.cells().is_sorted_by_key(|&(x, y)| (y, x)));
        for (y, row) in drawing.split('/').rev().enumerate() {
            for (x, square) in row.chars().enumerate() {
                assert_eq!(orientation.rows()[y] >> x & 1 == 1, square == '#');
            }
        }
    }
}

#[test]
fn placements_are_numbered_by_drawing_row_and_column() {
    assert_eq!(PLACES.len(), PLACEMENTS);
    assert_eq!(Placement::all().len(), PLACEMENTS);
    for (i, (placement, place)) in Placement::all().zip(PLACES.iter()).enumerate() {
        assert_eq!(placement.index(), i);
        assert_eq!(Placement::new(i as u16), Some(placement));
        assert_eq!(placement.piece().index(), place.piece);
        assert_eq!(placement.orientation().index(), place.orientation);
        assert_eq!(usize::from(placement.size()), place.squares.len());
        let squares: Vec<usize> = placement.cells().iter().map(|cell| cell.index()).collect();
        assert_eq!(squares, place.squares);
        let (x, y) = placement.anchor();
        assert_eq!(Placement::at(placement.orientation(), x, y), placement);
        assert_eq!(Placement::from_cells(placement.cells()), Ok(placement));
    }
    assert_eq!(Placement::new(PLACEMENTS as u16), None);
}

#[test]
fn there_are_as_many_as_others_have_counted() {
    let mut by_size = [0; 5];
    for placement in Placement::all() {
        by_size[usize::from(placement.size()) - 1] += 1;
    }
    assert_eq!(by_size, [400, 760, 2164, 6513, 20596]);
    let mut squares: Vec<&[Cell]> = Placement::all().map(Placement::cells).collect();
    squares.sort_unstable();
    squares.dedup();
    assert_eq!(squares.len(), 30_433);
    let mut moves = Vec::new();
    for colour in Colour::ALL {
        Board::new().legal_moves_of(colour, &mut moves);
        assert_eq!(moves.len(), 58);
        assert!(moves.iter().all(|p| p.cells().contains(&colour.start())));
    }
}

#[test]
fn cells_are_numbered_by_row() {
    assert_eq!(Cell::all().len(), CELLS);
    for (i, cell) in Cell::all().enumerate() {
        assert_eq!(cell.index(), i);
        assert_eq!(usize::from(cell.x()) + 20 * usize::from(cell.y()), i);
        assert_eq!(Cell::new(i as u16), Some(cell));
        let letter = b"abcdefghijklmnopqrst"[i % 20] as char;
        assert_eq!(cell.to_string(), format!("{letter}{}", i / 20 + 1));
    }
    assert_eq!(Cell::new(400), None);
    let starts = Colour::ALL.map(|colour| colour.start().to_string());
    assert_eq!(starts, ["a20", "t20", "t1", "a1"]);
}

/// The numbering is that of trained networks and must not change: the table in `docs/blokus.md`.
#[test]
fn the_numbering_is_that_of_the_docs() {
    let firsts = Piece::all().map(|piece| {
        let mut placements = Placement::all();
        let first = placements
            .find(|placement| placement.piece() == piece)
            .unwrap();
        (first.orientation().index(), first.index())
    });
    let expected = [
        (0, 0),
        (1, 400),
        (3, 1160),
        (5, 1880),
        (9, 3324),
        (11, 4004),
        (19, 6740),
        (20, 7101),
        (24, 8469),
        (28, 9837),
        (36, 12429),
        (38, 13069),
        (46, 15653),
        (54, 18237),
        (62, 20973),
        (66, 22269),
        (70, 23637),
        (74, 24933),
        (78, 26229),
        (79, 26553),
        (87, 29137),
    ];
    assert!(firsts.eq(expected));
    for (index, text) in [
        (0, "a1"),
        (399, "t20"),
        (400, "a1,a2"),
        (780, "a1,b1"),
        (9837, "b1,a2,b2,b3,c3"),
        (15653, "a1,a2,b2,b3,b4"),
        (26553, "a1,a2,b2,a3,a4"),
        (30432, "t18,r19,s19,t19,r20"),
    ] {
        assert_eq!(Placement::new(index).unwrap().to_string(), text);
    }
}
