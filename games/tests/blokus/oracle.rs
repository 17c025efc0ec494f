//! The rules once more, slowly: pieces drawn by hand, turned and flipped as drawings, and every place
//! where one can lie tried out on a board of 400 squares.

use std::sync::LazyLock;

/// The pieces by name, each with the rows of its drawing from the top.
pub(super) const DRAWINGS: [(&str, &str); 21] = [
    ("1", "#"),
    ("2", "#/#"),
    ("I3", "#/#/#"),
    ("V3", "#./##"),
    ("I4", "#/#/#/#"),
    ("L4", "#./#./##"),
    ("O", "##/##"),
    ("T4", ".#./###"),
    ("Z4", "##./.##"),
    ("F", ".##/##./.#."),
    ("I5", "#/#/#/#/#"),
    ("L5", "#./#./#./##"),
    ("N", ".#/.#/##/#."),
    ("P", "##/##/#."),
    ("T5", "###/.#./.#."),
    ("U", "#.#/###"),
    ("V5", "#../#../###"),
    ("W", "#../##./.##"),
    ("X", ".#./###/.#."),
    ("Y", "#./#./##/#."),
    ("Z5", "##./.#./.##"),
];

/// A drawing turned anticlockwise: its last column becomes the top row.
fn turned(drawing: &str) -> String {
    let rows: Vec<Vec<char>> = drawing.split('/').map(|r| r.chars().collect()).collect();
    let columns = (0..rows[0].len()).rev();
    let rows: Vec<String> = columns
        .map(|x| rows.iter().map(|row| row[x]).collect())
        .collect();
    rows.join("/")
}

fn mirrored(drawing: &str) -> String {
    let rows: Vec<String> = drawing
        .split('/')
        .map(|row| row.chars().rev().collect())
        .collect();
    rows.join("/")
}

/// All different drawings of a piece: turned by 0 to 3 quarters, then the same of the mirror image.
pub(super) fn orientations(piece: usize) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for mut drawing in [DRAWINGS[piece].1.to_string(), mirrored(DRAWINGS[piece].1)] {
        for _ in 0..4 {
            if !found.contains(&drawing) {
                found.push(drawing.clone());
            }
            drawing = turned(&drawing);
        }
    }
    found
}

/// A drawing at a place of the board.
pub(super) struct Place {
    pub(super) piece: usize,
    /// Which of the 91 drawings.
    pub(super) orientation: usize,
    /// Squares x + 20 y.
    pub(super) squares: Vec<usize>,
}

/// All places of all drawings: by drawing, then by row, then by column.
pub(super) static PLACES: LazyLock<Vec<Place>> = LazyLock::new(|| {
    let mut places = Vec::new();
    let mut orientation = 0;
    for piece in 0..DRAWINGS.len() {
        for drawing in orientations(piece) {
            let rows: Vec<&str> = drawing.split('/').rev().collect();
            for y in 0..=20 - rows.len() {
                for x in 0..=20 - rows[0].len() {
                    let mut squares = Vec::new();
                    for (dy, row) in rows.iter().enumerate() {
                        for (dx, _) in row.match_indices('#') {
                            squares.push(x + dx + 20 * (y + dy));
                        }
                    }
                    places.push(Place {
                        piece,
                        orientation,
                        squares,
                    });
                }
            }
            orientation += 1;
        }
    }
    places
});

/// The corners a20, t20, t1 and a1.
const STARTS: [usize; 4] = [380, 399, 19, 0];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Breach {
    Gone,
    Placed,
    Covered,
    Beside,
    Start,
    Apart,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Board {
    pub(super) owner: Vec<Option<usize>>,
    /// Pieces of each colour in the order in which they were placed.
    pub(super) placed: [Vec<usize>; 4],
    pub(super) gone: [bool; 4],
    pub(super) withdrawn: [bool; 4],
    pub(super) turn: Option<usize>,
    /// The legal moves of the colour to move.
    pub(super) moves: Vec<usize>,
}

impl Board {
    pub(super) fn start() -> Board {
        let mut board = Board {
            owner: vec![None; 400],
            placed: [const { Vec::new() }; 4],
            gone: [false; 4],
            withdrawn: [false; 4],
            turn: None,
            moves: Vec::new(),
        };
        board.give_turn(0);
        board
    }

    /// Whether one of the squares at these offsets is the colour's.
    fn near(&self, square: usize, colour: usize, offsets: [(i32, i32); 4]) -> bool {
        let (x, y) = ((square % 20) as i32, (square / 20) as i32);
        offsets.iter().any(|(dx, dy)| {
            let (x, y) = (x + dx, y + dy);
            (0..20).contains(&x)
                && (0..20).contains(&y)
                && self.owner[(x + 20 * y) as usize] == Some(colour)
        })
    }

    fn beside(&self, square: usize, colour: usize) -> bool {
        self.near(square, colour, [(1, 0), (-1, 0), (0, 1), (0, -1)])
    }

    /// Whether a piece on the square would be joined on.
    fn joins(&self, square: usize, colour: usize) -> bool {
        if self.placed[colour].is_empty() {
            return square == STARTS[colour];
        }
        self.near(square, colour, [(1, 1), (-1, 1), (1, -1), (-1, -1)])
    }

    pub(super) fn breaches(&self, colour: usize, place: &Place) -> Vec<Breach> {
        let squares = || place.squares.iter();
        let joined = squares().any(|&s| self.joins(s, colour));
        let first = self.placed[colour].is_empty();
        let rules = [
            (Breach::Gone, self.gone[colour]),
            (Breach::Placed, self.placed[colour].contains(&place.piece)),
            (Breach::Covered, squares().any(|&s| self.owner[s].is_some())),
            (Breach::Beside, squares().any(|&s| self.beside(s, colour))),
            (Breach::Start, first && !joined),
            (Breach::Apart, !first && !joined),
        ];
        let broken = rules.into_iter().filter(|(_, broken)| *broken);
        broken.map(|(rule, _)| rule).collect()
    }

    /// Indices of the legal places of a colour, whether or not it is gone.
    pub(super) fn moves_of(&self, colour: usize) -> Vec<usize> {
        // Each square is looked at once: not to be covered, may be covered, or to be joined on at.
        let squares: Vec<u8> = (0..400)
            .map(|s| {
                if self.owner[s].is_some() || self.beside(s, colour) {
                    0
                } else {
                    1 + u8::from(self.joins(s, colour))
                }
            })
            .collect();
        let left: Vec<bool> = (0..21).map(|p| !self.placed[colour].contains(&p)).collect();
        let legal = |place: &Place| {
            let mut best = 0;
            for &s in &place.squares {
                if squares[s] == 0 {
                    return false;
                }
                best = best.max(squares[s]);
            }
            best == 2
        };
        let places = PLACES.iter().enumerate();
        let places = places.filter(|(_, place)| left[place.piece]);
        let legal = places.filter(|(_, place)| legal(place));
        legal.map(|(i, _)| i).collect()
    }

    /// Lays a place down and passes the turn to the next colour that has a move.
    pub(super) fn put(&mut self, colour: usize, place: usize) {
        for &s in &PLACES[place].squares {
            self.owner[s] = Some(colour);
        }
        self.placed[colour].push(PLACES[place].piece);
        self.give_turn(colour + 1);
    }

    pub(super) fn give_turn(&mut self, colour: usize) {
        self.turn = None;
        self.moves.clear();
        for i in 0..4 {
            let next = (colour + i) % 4;
            if !self.gone[next] {
                self.moves = self.moves_of(next);
            }
            if !self.moves.is_empty() {
                self.turn = Some(next);
                return;
            }
            self.gone[next] = true;
        }
    }

    pub(super) fn withdraw(&mut self, colour: usize) {
        self.gone[colour] = true;
        self.withdrawn[colour] = true;
        if self.turn == Some(colour) {
            self.give_turn(colour + 1);
        }
    }

    pub(super) fn squares(&self, colour: usize) -> i16 {
        self.owner.iter().filter(|&&o| o == Some(colour)).count() as i16
    }

    /// -1 for each square left; 15 when none is, and 5 more if the monomino came last.
    pub(super) fn score(&self, colour: usize) -> i16 {
        match (self.squares(colour), self.placed[colour].last()) {
            (89, Some(0)) => 20,
            (89, _) => 15,
            (squares, _) => squares - 89,
        }
    }

    /// Number of sequences of `depth` moves.
    pub(super) fn perft(&self, depth: usize) -> u64 {
        if depth <= 1 {
            return if depth == 0 {
                1
            } else {
                self.moves.len() as u64
            };
        }
        let mut count = 0;
        for &place in &self.moves {
            let mut next = self.clone();
            next.put(self.turn.unwrap(), place);
            count += next.perft(depth - 1);
        }
        count
    }
}
