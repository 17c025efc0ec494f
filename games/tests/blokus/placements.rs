//! Pieces, orientations and the numbering of the placements.

use taikyoku_games::blokus::{
    ORIENTATIONS, Orientation, PIECES, PLACEMENTS, Piece, PieceSet, Placement,
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
