//! The rules of Blokus again, slowly: squares on a board and nothing shared with the engine.

use std::collections::BTreeSet;

/// Squares as column and row from the lower left, both from 0.
pub(crate) type Squares = BTreeSet<(i32, i32)>;

const SIDE: i32 = 20;
const EDGES: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const CORNERS: [(i32, i32); 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];
const STARTS: [(i32, i32); 4] = [(0, 19), (19, 19), (19, 0), (0, 0)];

/// A board that knows who lies where and which pieces each colour has used.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rules {
    own: [Squares; 4],
    used: [BTreeSet<Squares>; 4],
    last_size: [usize; 4],
}

/// Reads `b18,c18,b19`; anything else is a failure of the test.
pub(crate) fn squares(text: &str) -> Squares {
    let square = |word: &str| {
        let (column, row) = word.split_at(1);
        let x = i32::from(column.as_bytes()[0]) - i32::from(b'a');
        (x, row.parse::<i32>().expect(word) - 1)
    };
    let squares: Squares = text.split(',').map(square).collect();
    assert!(squares.iter().all(|&(x, y)| inside(x, y)), "{text}");
    squares
}

/// The squares in the order of answers.
pub(crate) fn text(squares: &Squares) -> String {
    let mut sorted: Vec<_> = squares.iter().copied().collect();
    sorted.sort_by_key(|&(x, y)| (y, x));
    let words: Vec<String> = sorted
        .iter()
        .map(|&(x, y)| format!("{}{}", char::from(b'a' + x as u8), y + 1))
        .collect();
    words.join(",")
}

fn inside(x: i32, y: i32) -> bool {
    (0..SIDE).contains(&x) && (0..SIDE).contains(&y)
}

fn moved(squares: &Squares, dx: i32, dy: i32) -> Squares {
    squares.iter().map(|&(x, y)| (x + dx, y + dy)).collect()
}

fn fixed(squares: &Squares) -> Squares {
    let x = squares.iter().map(|s| s.0).min().unwrap_or_default();
    let y = squares.iter().map(|s| s.1).min().unwrap_or_default();
    moved(squares, -x, -y)
}

/// The piece: the least of its turned and mirrored images.
fn piece(squares: &Squares) -> Squares {
    let mut best: Option<Squares> = None;
    let mut image = squares.clone();
    for turn in 0..8 {
        image = image.iter().map(|&(x, y)| (-y, x)).collect();
        if turn == 4 {
            image = image.iter().map(|&(x, y)| (-x, y)).collect();
        }
        let image = fixed(&image);
        best = Some(best.map_or(image.clone(), |best| best.min(image)));
    }
    best.unwrap_or_default()
}

/// All orientations of all pieces: every shape of one to five squares joined at edges.
pub(crate) fn orientations() -> BTreeSet<Squares> {
    let mut all = BTreeSet::new();
    let mut last = BTreeSet::from([Squares::from([(0, 0)])]);
    for _ in 1..=5 {
        all.extend(last.iter().cloned());
        let mut next = BTreeSet::new();
        for shape in &last {
            for &(x, y) in shape {
                for (dx, dy) in EDGES {
                    let mut larger = shape.clone();
                    if larger.insert((x + dx, y + dy)) {
                        next.insert(fixed(&larger));
                    }
                }
            }
        }
        last = next;
    }
    all
}

impl Rules {
    /// Whether a colour, 0 to 3, may cover these squares, in or out of turn.
    pub(crate) fn is_legal(&self, colour: usize, squares: &Squares) -> bool {
        let own = &self.own[colour];
        let touches = |steps: [(i32, i32); 4]| {
            squares
                .iter()
                .any(|&(x, y)| steps.iter().any(|(dx, dy)| own.contains(&(x + dx, y + dy))))
        };
        let is_free = squares.iter().all(|square| {
            inside(square.0, square.1) && self.own.iter().all(|own| !own.contains(square))
        });
        let is_joined = if own.is_empty() {
            squares.contains(&STARTS[colour])
        } else {
            touches(CORNERS)
        };
        is_free
            && is_joined
            && !touches(EDGES)
            && orientations().contains(&fixed(squares))
            && !self.used[colour].contains(&piece(squares))
    }

    pub(crate) fn play(&mut self, colour: usize, squares: &Squares) {
        assert!(self.is_legal(colour, squares), "{colour} {squares:?}");
        self.own[colour].extend(squares);
        self.used[colour].insert(piece(squares));
        self.last_size[colour] = squares.len();
    }

    /// All legal moves of a colour as texts, sorted.
    pub(crate) fn legal_moves(&self, colour: usize) -> Vec<String> {
        let own = &self.own[colour];
        // Only squares that touch own corners can join a piece on.
        let near: Squares = if own.is_empty() {
            Squares::from([STARTS[colour]])
        } else {
            let around = own
                .iter()
                .flat_map(|&(x, y)| CORNERS.map(|(dx, dy)| (x + dx, y + dy)));
            around.filter(|square| !own.contains(square)).collect()
        };
        let mut moves = BTreeSet::new();
        for shape in orientations() {
            if self.used[colour].contains(&piece(&shape)) {
                continue;
            }
            for &(x, y) in &near {
                for &(dx, dy) in &shape {
                    let squares = moved(&shape, x - dx, y - dy);
                    if self.may_lie(colour, &squares) {
                        moves.insert(text(&squares));
                    }
                }
            }
        }
        moves.into_iter().collect()
    }

    /// Whether squares are free and none lies beside the colour's own.
    fn may_lie(&self, colour: usize, squares: &Squares) -> bool {
        squares.iter().all(|&(x, y)| {
            inside(x, y)
                && self.own.iter().all(|own| !own.contains(&(x, y)))
                && EDGES
                    .iter()
                    .all(|(dx, dy)| !self.own[colour].contains(&(x + dx, y + dy)))
        })
    }

    /// Squares and bonuses of each colour: 15 for all pieces, 5 more if the single square was the last.
    pub(crate) fn scores(&self) -> String {
        let score = |colour: usize| {
            let squares = self.own[colour].len();
            match (squares, self.last_size[colour]) {
                (89, 1) => 109,
                (89, _) => 104,
                _ => squares,
            }
        };
        [0, 1, 2, 3]
            .map(|colour| score(colour).to_string())
            .join(" ")
    }

    /// The rows from the top, a letter for each square.
    pub(crate) fn rows(&self) -> Vec<String> {
        let letter = |square| {
            let owner = self.own.iter().position(|own| own.contains(&square));
            owner.map_or(".", |colour| ["X", "O", "#", "@"][colour])
        };
        let row = |y| {
            let letters: Vec<&str> = (0..SIDE).map(|x| letter((x, y))).collect();
            format!("{:>2}  {}", y + 1, letters.join(" "))
        };
        (0..SIDE).rev().map(row).collect()
    }
}
