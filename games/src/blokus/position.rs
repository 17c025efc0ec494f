//! A board that carries the legal placements of all colours along.

use std::sync::LazyLock;

use super::{Board, CELLS, Colour, IllegalMove, PLACEMENTS, Placement, SEATS, SIDE, rows::FULL};

/// Words of a set of placements, rounded up to whole vector registers.
const WORDS: usize = PLACEMENTS.div_ceil(64).next_multiple_of(8);

/// A set of placements.
type Set = [u64; WORDS];

/// For each square the placements that cover it.
static COVERING: LazyLock<Box<[Set]>> = LazyLock::new(|| {
    let mut covering = vec![[0; WORDS]; CELLS].into_boxed_slice();
    for placement in Placement::all() {
        for cell in placement.cells() {
            covering[cell.index()][placement.index() / 64] |= 1 << (placement.index() % 64);
        }
    }
    covering
});

/// A [`Board`] with two sets of placements for each colour: those that cover a square at which it may join on,
/// and those that it can never make any more. A move adds, for each square that it changes, the placements that
/// cover that square; all legal moves are then there for the reading.
///
/// About 31 kB; use [`Clone::clone_from`] to avoid a fresh allocation.
#[derive(Clone)]
pub struct Position {
    board: Board,
    joining: Box<[Set; SEATS]>,
    blocked: Box<[Set; SEATS]>,
}

impl Default for Position {
    fn default() -> Position {
        Position::new()
    }
}

impl Position {
    /// The beginning of a game.
    pub fn new() -> Position {
        Position::from(Board::new())
    }

    /// The board.
    #[inline]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The colour to move; `None` when the game is over.
    #[inline]
    pub const fn to_move(&self) -> Option<Colour> {
        self.board.to_move()
    }

    /// Clears `out` and fills it with the legal moves of the colour to move, in the order of their indices.
    #[inline]
    pub fn legal_moves(&self, out: &mut Vec<Placement>) {
        out.clear();
        if let Some(colour) = self.to_move() {
            self.legal_moves_of(colour, out);
        }
    }

    /// Clears `out` and fills it with the legal moves that a colour has or would have on its turn.
    pub fn legal_moves_of(&self, colour: Colour, out: &mut Vec<Placement>) {
        out.clear();
        if self.board.is_out(colour) {
            return;
        }
        for (base, word) in (0..).step_by(64).zip(self.words(colour)) {
            let mut word = word;
            while word != 0 {
                out.push(Placement::of(base + word.trailing_zeros() as u16));
                word &= word - 1;
            }
        }
    }

    /// How many legal moves a colour has or would have on its turn.
    pub fn count_moves_of(&self, colour: Colour) -> u32 {
        if self.board.is_out(colour) {
            return 0;
        }
        self.words(colour).map(u64::count_ones).sum()
    }

    /// Whether a colour has or would have a legal move on its turn.
    #[inline]
    pub fn has_move(&self, colour: Colour) -> bool {
        !self.board.is_out(colour) && self.words(colour).any(|word| word != 0)
    }

    /// Whether a colour may make a move, in or out of turn.
    #[inline]
    pub fn is_legal(&self, colour: Colour, placement: Placement) -> bool {
        let (word, bit) = (placement.index() / 64, placement.index() % 64);
        let i = colour.index();
        !self.board.is_out(colour)
            && (self.joining[i][word] & !self.blocked[i][word]) >> bit & 1 == 1
    }

    #[inline]
    fn words(&self, colour: Colour) -> impl Iterator<Item = u64> {
        let joining = &self.joining[colour.index()];
        let blocked = &self.blocked[colour.index()];
        joining
            .iter()
            .zip(blocked)
            .map(|(joining, blocked)| joining & !blocked)
    }

    /// Plays a move of the colour to move, or refuses it and changes nothing.
    ///
    /// # Errors
    /// The rule that forbids it.
    pub fn play(&mut self, placement: Placement) -> Result<(), IllegalMove> {
        let colour = self.to_move().ok_or(IllegalMove::Over)?;
        self.board.check(colour, placement)?;
        self.play_unchecked(placement);
        Ok(())
    }

    /// Plays a legal move of the colour to move.
    ///
    /// # Panics
    /// May panic when the game is over. What an illegal move leaves behind is undefined.
    pub fn play_unchecked(&mut self, placement: Placement) {
        let Some(colour) = self.to_move() else {
            return;
        };
        let mover = colour.index();
        let before = self.board;
        self.board.put(colour, placement);
        let covering = &*COVERING;

        // What is covered is blocked for all.
        let mut union: Set = [0; WORDS];
        let cells = placement.cells();
        match *cells {
            [a] => union = covering[a.index()],
            [a, b] => add_pair(&mut union, &covering[a.index()], &covering[b.index()]),
            _ => {
                for pair in cells.chunks(2) {
                    let (a, b) = (pair[0], pair[pair.len() - 1]);
                    add_pair(&mut union, &covering[a.index()], &covering[b.index()]);
                }
            }
        }
        for other in Colour::ALL {
            if !self.board.is_out(other) {
                add(&mut self.blocked[other.index()], &union);
            }
        }

        let (old, new) = (before.free_rows(colour), self.board.free_rows(colour));
        let corners = (before.corner_rows(colour), self.board.corner_rows(colour));
        let (_, bottom) = placement.anchor();
        let bottom = usize::from(bottom);
        let rows = bottom.saturating_sub(1)..(bottom + 6).min(SIDE);
        // What lies beside it is blocked for its own colour; what touches it at a corner is joined on.
        let beside = |y: usize| old[y] & !new[y] & !self.board.occupied()[y] & FULL;
        add_all(&mut self.blocked[mover], rows.clone(), beside);
        let joins = |y: usize| corners.1[y] & !corners.0[y] & new[y];
        add_all(&mut self.joining[mover], rows, joins);
        for i in Placement::of_piece(placement.piece()) {
            self.blocked[mover][i / 64] |= 1 << (i % 64);
        }
        self.give_turn(colour.next());
    }

    /// Takes a colour out of the game for good; its pieces stay on the board.
    pub fn withdraw(&mut self, colour: Colour) {
        self.board.set_out(colour);
        if self.to_move() == Some(colour) {
            self.give_turn(colour.next());
        }
    }

    fn give_turn(&mut self, colour: Colour) {
        let mut turn = colour;
        for _ in 0..SEATS {
            if self.has_move(turn) {
                self.board.set_turn(Some(turn));
                return;
            }
            self.board.set_out(turn);
            turn = turn.next();
        }
        self.board.set_turn(None);
    }
}

/// Adds the placements that cover a square of some rows.
#[inline]
fn add_all(set: &mut Set, rows: std::ops::Range<usize>, row: impl Fn(usize) -> u32) {
    let mut waiting: Option<usize> = None;
    for y in rows {
        let mut bits = row(y);
        while bits != 0 {
            let cell = y * SIDE + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            match waiting.take() {
                None => waiting = Some(cell),
                Some(other) => add_pair(set, &COVERING[other], &COVERING[cell]),
            }
        }
    }
    if let Some(cell) = waiting {
        add(set, &COVERING[cell]);
    }
}

#[inline]
fn add(set: &mut Set, more: &Set) {
    for (word, more) in set.iter_mut().zip(more) {
        *word |= more;
    }
}

/// Adds two sets at once, which saves a pass over `set`.
#[inline]
fn add_pair(set: &mut Set, a: &Set, b: &Set) {
    for ((word, a), b) in set.iter_mut().zip(a).zip(b) {
        *word |= a | b;
    }
}

/// The sets of legal placements of a board.
impl From<Board> for Position {
    fn from(board: Board) -> Position {
        let mut joining = Box::new([[0; WORDS]; SEATS]);
        let mut blocked = Box::new([[0; WORDS]; SEATS]);
        for colour in Colour::ALL {
            let i = colour.index();
            let (free, corners) = (board.free_rows(colour), board.corner_rows(colour));
            add_all(&mut joining[i], 0..SIDE, |y| corners[y] & free[y]);
            add_all(&mut blocked[i], 0..SIDE, |y| !free[y] & FULL);
            for placement in Placement::all() {
                if !board.pieces_left(colour).contains(placement.piece()) {
                    blocked[i][placement.index() / 64] |= 1 << (placement.index() % 64);
                }
            }
        }
        Position {
            board,
            joining,
            blocked,
        }
    }
}

/// Equal boards have equal legal moves.
impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.board == other.board
    }
}

impl Eq for Position {}

impl std::fmt::Debug for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.board.fmt(f)
    }
}
