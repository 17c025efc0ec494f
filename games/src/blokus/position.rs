//! A board that carries the legal placements of all colours along.

use std::sync::LazyLock;

use super::{Board, CELLS, Cell, Colour, IllegalMove, PLACEMENTS, Piece, Placement, SEATS, SIDE};

const LINE: usize = 8;

/// Words of a set of placements, rounded up to whole lines.
const WORDS: usize = PLACEMENTS.div_ceil(64).next_multiple_of(LINE);

type Set = [[u64; LINE]; WORDS / LINE];

const EMPTY: Set = [[0; LINE]; WORDS / LINE];

/// For each square the placements that cover it.
static COVERING: LazyLock<Box<[Set]>> = LazyLock::new(|| {
    let mut covering = vec![EMPTY; CELLS].into_boxed_slice();
    for placement in Placement::all() {
        for cell in placement.cells() {
            let words = covering[cell.index()].as_flattened_mut();
            words[placement.index() / 64] |= 1 << (placement.index() % 64);
        }
    }
    covering
});

/// A [`Board`] with two sets of placements for each colour: those that cover a square at which it may join on,
/// and those that it can never make any more. A move adds, for each square that it changes, the placements that
/// cover that square; all legal moves are then there for the reading.
///
/// About 31 kB; use [`Clone::clone_from`] to avoid a fresh allocation.
pub struct Position {
    board: Board,
    joining: Box<[Set; SEATS]>,
    blocked: Box<[Set; SEATS]>,
}

impl Clone for Position {
    fn clone(&self) -> Position {
        Position {
            board: self.board,
            joining: self.joining.clone(),
            blocked: self.blocked.clone(),
        }
    }

    /// Copies into the memory that is there already.
    fn clone_from(&mut self, source: &Position) {
        self.board = source.board;
        *self.joining = *source.joining;
        *self.blocked = *source.blocked;
    }
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
            && (self.joining[i].as_flattened()[word] & !self.blocked[i].as_flattened()[word]) >> bit
                & 1
                == 1
    }

    #[inline]
    fn words(&self, colour: Colour) -> impl Iterator<Item = u64> {
        let joining = self.joining[colour.index()].as_flattened();
        let blocked = self.blocked[colour.index()].as_flattened();
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
        let (old, new) = (before.free_rows(colour), self.board.free_rows(colour));
        let (known, corners) = (before.corner_rows(colour), self.board.corner_rows(colour));
        let mut beside = Cells::default();
        let mut joins = Cells::default();
        let bottom = usize::from(placement.anchor().1);
        for y in bottom.saturating_sub(1)..(bottom + 6).min(SIDE) {
            beside.add_row(y, old[y] & !new[y] & !self.board.occupied()[y]);
            joins.add_row(y, corners[y] & !known[y] & new[y]);
        }

        // Eight words at a time stay in registers while the sets of all squares are added up.
        let covering = &**COVERING;
        let cells = placement.cells();
        let others = Colour::ALL.map(|other| other != colour && !self.board.is_out(other));
        for line in 0..WORDS / LINE {
            let mut covered = [0; LINE];
            for cell in cells {
                add(&mut covered, &covering[cell.index()][line]);
            }
            for (blocked, other) in self.blocked.iter_mut().zip(others) {
                if other {
                    add(&mut blocked[line], &covered);
                }
            }
            for &cell in beside.as_slice() {
                add(&mut covered, &covering[usize::from(cell)][line]);
            }
            add(&mut self.blocked[mover][line], &covered);
            let mut joined = [0; LINE];
            for &cell in joins.as_slice() {
                add(&mut joined, &covering[usize::from(cell)][line]);
            }
            add(&mut self.joining[mover][line], &joined);
        }
        block_piece(&mut self.blocked[mover], placement.piece());
        self.give_turn(colour.next());
    }

    /// Takes a colour out of the game for good; its pieces stay on the board.
    pub fn withdraw(&mut self, colour: Colour) {
        self.board.set_withdrawn(colour);
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

/// Squares that a move changes: at most 12 beside a piece, and 8 at its corners.
#[derive(Default)]
struct Cells {
    cells: [u16; 16],
    len: usize,
}

impl Cells {
    #[inline]
    fn add_row(&mut self, y: usize, mut bits: u32) {
        while bits != 0 {
            self.cells[self.len] = (y * SIDE) as u16 + bits.trailing_zeros() as u16;
            self.len += 1;
            bits &= bits - 1;
        }
    }

    #[inline]
    fn as_slice(&self) -> &[u16] {
        &self.cells[..self.len]
    }
}

#[inline]
fn add(set: &mut [u64; LINE], more: &[u64; LINE]) {
    for (word, more) in set.iter_mut().zip(more) {
        *word |= more;
    }
}

#[inline]
fn block_piece(blocked: &mut Set, piece: Piece) {
    let words = blocked.as_flattened_mut();
    let range = Placement::of_piece(piece);
    let (first, last) = (range.start / 64, (range.end - 1) / 64);
    let head = u64::MAX << (range.start % 64);
    let tail = u64::MAX >> (63 - (range.end - 1) % 64);
    // A piece has hundreds of placements, so they do not begin and end in the same word.
    words[first] |= head;
    words[first + 1..last].fill(u64::MAX);
    words[last] |= tail;
}

/// The sets of legal placements of a board.
impl From<Board> for Position {
    fn from(board: Board) -> Position {
        let mut joining = Box::new([EMPTY; SEATS]);
        let mut blocked = Box::new([EMPTY; SEATS]);
        for colour in Colour::ALL {
            let i = colour.index();
            let (free, corners) = (board.free_rows(colour), board.corner_rows(colour));
            for cell in Cell::all() {
                let (x, y) = (cell.x(), usize::from(cell.y()));
                let covering = COVERING[cell.index()].iter();
                if free[y] >> x & 1 == 0 {
                    for (blocked, more) in blocked[i].iter_mut().zip(covering) {
                        add(blocked, more);
                    }
                } else if corners[y] >> x & 1 == 1 {
                    for (joining, more) in joining[i].iter_mut().zip(covering) {
                        add(joining, more);
                    }
                }
            }
            for piece in Piece::all() {
                if !board.pieces_left(colour).contains(piece) {
                    block_piece(&mut blocked[i], piece);
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
