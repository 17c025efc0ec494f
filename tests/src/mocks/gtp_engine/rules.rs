//! The rules of Blokus once more, slowly: squares on a board, nothing shared with the project's own.

use std::collections::BTreeSet;

const SIDE: i32 = 20;
const EDGES: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const CORNERS: [(i32, i32); 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];
/// Where the four colours begin, as column and row from the lower left.
const STARTS: [Square; 4] = [(0, 19), (19, 19), (19, 0), (0, 0)];

type Square = (i32, i32);
/// Squares in order, so that equal shapes are equal lists.
type Shape = Vec<Square>;

/// All orientations of all pieces, each at the lower left, with the piece that it is of; the largest first.
pub(crate) struct Shapes(Vec<(Shape, Shape)>);

impl Shapes {
    /// Every shape of one to five squares that are joined at edges.
    pub(crate) fn new() -> Shapes {
        let mut all = Vec::new();
        let mut last = BTreeSet::from([vec![(0, 0)]]);
        for _ in 1..=5 {
            let mut next = BTreeSet::new();
            for shape in &last {
                for (x, y) in shape {
                    for (dx, dy) in EDGES {
                        let square = (x + dx, y + dy);
                        if !shape.contains(&square) {
                            let mut larger = shape.clone();
                            larger.push(square);
                            next.insert(fixed(larger));
                        }
                    }
                }
            }
            all.splice(0..0, last.into_iter().map(|shape| (piece(&shape), shape)));
            last = next;
        }
        Shapes(all)
    }
}

/// Moved to the lower left, in order.
fn fixed(mut shape: Shape) -> Shape {
    let x = shape.iter().map(|s| s.0).min().unwrap_or_default();
    let y = shape.iter().map(|s| s.1).min().unwrap_or_default();
    for square in &mut shape {
        *square = (square.0 - x, square.1 - y);
    }
    shape.sort_unstable();
    shape
}

/// The least of the turned and mirrored images.
fn piece(shape: &Shape) -> Shape {
    let mut image = shape.clone();
    let mut best = fixed(image.clone());
    for turn in 0..8 {
        for square in &mut image {
            *square = (-square.1, square.0);
            if turn == 3 {
                square.0 = -square.0;
            }
        }
        best = best.min(fixed(image.clone()));
    }
    best
}

/// Reads `b18,c18,b19`.
fn squares(text: &str) -> Option<Shape> {
    let square = |word: &str| {
        let word = word.to_ascii_lowercase();
        let column = i32::from(*word.as_bytes().first()?) - i32::from(b'a');
        let row: i32 = word.get(1..)?.parse().ok()?;
        Some((column, row - 1))
    };
    let mut squares: Shape = text.split(',').map(square).collect::<Option<_>>()?;
    squares.sort_unstable();
    Some(squares)
}

fn text(squares: &Shape) -> String {
    let word = |(x, y): &Square| format!("{}{}", char::from(b'a' + *x as u8), y + 1);
    let words: Vec<String> = squares.iter().map(word).collect();
    words.join(",")
}

/// A board, and the pieces that are gone.
#[derive(Clone, Default)]
pub(crate) struct Board {
    owners: [[Option<usize>; SIDE as usize]; SIDE as usize],
    used: [BTreeSet<Shape>; 4],
}

impl Board {
    fn owner(&self, square: Square) -> Option<usize> {
        let column = self.owners.get(usize::try_from(square.0).ok()?)?;
        *column.get(usize::try_from(square.1).ok()?)?
    }

    fn touches(&self, colour: usize, shape: &Shape, steps: [Square; 4]) -> bool {
        let mut near = shape
            .iter()
            .flat_map(|(x, y)| steps.map(|(dx, dy)| (x + dx, y + dy)));
        near.any(|square| self.owner(square) == Some(colour))
    }

    /// Whether squares of a shape of some piece may be covered, whatever pieces are gone.
    fn may_lie(&self, colour: usize, shape: &Shape) -> bool {
        let inside = |(x, y): &Square| (0..SIDE).contains(x) && (0..SIDE).contains(y);
        shape.iter().all(|s| inside(s) && self.owner(*s).is_none())
            && !self.touches(colour, shape, EDGES)
            && if self.used[colour].is_empty() {
                shape.contains(&STARTS[colour])
            } else {
                self.touches(colour, shape, CORNERS)
            }
    }

    /// Plays a move of a colour from 0; gives whether it was legal.
    pub(crate) fn play(&mut self, shapes: &Shapes, colour: usize, text: &str) -> bool {
        let Some(squares) = squares(text) else {
            return false;
        };
        let kind = piece(&squares);
        let is_piece = shapes.0.iter().any(|(piece, _)| *piece == kind);
        let is_legal =
            is_piece && !self.used[colour].contains(&kind) && self.may_lie(colour, &squares);
        if is_legal {
            for (x, y) in squares {
                self.owners[x as usize][y as usize] = Some(colour);
            }
            self.used[colour].insert(kind);
        }
        is_legal
    }

    /// A move of the largest piece that fits somewhere, tried from the `draw`-th corner on.
    pub(crate) fn choose(&self, shapes: &Shapes, colour: usize, draw: usize) -> Option<String> {
        let mut near: Shape = if self.used[colour].is_empty() {
            vec![STARTS[colour]]
        } else {
            let all = (0..SIDE).flat_map(|x| (0..SIDE).map(move |y| (x, y)));
            let own = all.filter(|square| self.owner(*square) == Some(colour));
            own.flat_map(|(x, y)| CORNERS.map(|(dx, dy)| (x + dx, y + dy)))
                .collect()
        };
        let inside = |(x, y): &Square| (0..SIDE).contains(x) && (0..SIDE).contains(y);
        near.retain(|s| {
            inside(s) && self.owner(*s).is_none() && !self.touches(colour, &vec![*s], EDGES)
        });
        let turn = draw % near.len().max(1);
        near.rotate_left(turn);
        let left = shapes.0.iter();
        let left = left.filter(|(piece, _)| !self.used[colour].contains(piece));
        for (_, shape) in left {
            for (x, y) in &near {
                for (dx, dy) in shape {
                    let moved = shape.iter().map(|(a, b)| (a + x - dx, b + y - dy));
                    let moved: Shape = moved.collect();
                    if self.may_lie(colour, &moved) {
                        return Some(text(&moved));
                    }
                }
            }
        }
        None
    }
}
