//! The board: the whole state of a game.

use std::fmt;
use std::hash::Hash;

use super::piece::FIRST_OF_PIECE;
use super::rows::{FULL, Rows};
use super::{Cell, Colour, Orientation, Piece, PieceSet, Placement, SEATS, SIDE, SQUARES};

/// The rule that forbids a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// No colour has a move.
    #[error("the game is over")]
    Over,
    /// The colour is out of the game.
    #[error("{0} is out of the game")]
    Out(Colour),
    /// The colour has placed the piece already.
    #[error("{0} has placed its piece {1} already")]
    Placed(Colour, Piece),
    /// A square is covered.
    #[error("the square {0} is covered already")]
    Covered(Cell),
    /// A square lies beside a piece of the same colour.
    #[error(
        "the square {0} lies beside another piece of {1}; own pieces may touch at corners only"
    )]
    Beside(Cell, Colour),
    /// The first piece does not cover the start.
    #[error("the first piece of {0} must cover {start}", start = .0.start())]
    Start(Colour),
    /// No corner touches that of an own piece.
    #[error("the piece touches no other piece of {0} at a corner")]
    Apart(Colour),
}

/// The whole state of a game: what lies where, which pieces are left, whose turn it is.
///
/// A colour whose turn comes and that has no legal move is out, and stays out: nothing that others do gives it
/// one back. [`Board::to_move`] is never such a colour.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    own: [[u32; SIDE]; SEATS],
    occupied: [u32; SIDE],
    edges: [[u32; SIDE]; SEATS],
    /// Squares that touch a piece of the colour at a corner, and its start.
    corners: [[u32; SIDE]; SEATS],
    left: [PieceSet; SEATS],
    key: u64,
    ply: u16,
    /// A colour's seat, or [`Board::OVER`].
    turn: u8,
    out: u8,
    withdrawn: u8,
    monomino_last: u8,
}

impl Default for Board {
    fn default() -> Board {
        Board::new()
    }
}

impl Board {
    const OVER: u8 = SEATS as u8;

    /// The empty board, blue to move.
    pub const fn new() -> Board {
        let mut corners = [[0; SIDE]; SEATS];
        let mut seat = 0;
        while seat < SEATS {
            let start = Colour::ALL[seat].start();
            corners[seat][start.y() as usize] = 1 << start.x();
            seat += 1;
        }
        Board {
            own: [[0; SIDE]; SEATS],
            occupied: [0; SIDE],
            edges: [[0; SIDE]; SEATS],
            corners,
            left: [PieceSet::ALL; SEATS],
            key: 0,
            ply: 0,
            turn: 0,
            out: 0,
            withdrawn: 0,
            monomino_last: 0,
        }
    }

    /// The colour to move; `None` when the game is over.
    #[inline]
    pub const fn to_move(&self) -> Option<Colour> {
        Colour::new(self.turn)
    }

    /// Pieces on the board.
    #[inline]
    pub const fn ply(&self) -> u16 {
        self.ply
    }

    /// Whether a colour is known to be out: its turn came and it had no move, or it was withdrawn.
    #[inline]
    pub const fn is_out(&self, colour: Colour) -> bool {
        self.out >> colour.seat() & 1 == 1
    }

    /// Whether a colour was withdrawn.
    #[inline]
    pub const fn is_withdrawn(&self, colour: Colour) -> bool {
        self.withdrawn >> colour.seat() & 1 == 1
    }

    /// The pieces that a colour has not placed.
    #[inline]
    pub const fn pieces_left(&self, colour: Colour) -> PieceSet {
        self.left[colour.index()]
    }

    /// The squares that a colour has covered, by row from the bottom; bit 0 is column a.
    #[inline]
    pub const fn own_rows(&self, colour: Colour) -> &[u32; SIDE] {
        &self.own[colour.index()]
    }

    /// All covered squares, by row.
    #[inline]
    pub const fn occupied(&self) -> &[u32; SIDE] {
        &self.occupied
    }

    /// The colour that covers a square.
    pub fn owner(&self, cell: Cell) -> Option<Colour> {
        Colour::ALL
            .into_iter()
            .find(|colour| has(&self.own[colour.index()], cell))
    }

    /// The rows from 20 down to 1 as texts, a letter for each square: `b`, `y`, `r`, `g`, or `.` for a free one.
    pub fn letters(&self) -> Vec<String> {
        let letter = |x, y| {
            let owner = self.owner(Cell::at(x, y));
            owner.map_or('.', |colour| ['b', 'y', 'r', 'g'][colour.index()])
        };
        let side = 0..SIDE as u8;
        let row = |y| side.clone().map(|x| letter(x, y)).collect();
        side.clone().rev().map(row).collect()
    }

    /// The squares that a colour may cover: neither covered nor beside a piece of its own.
    #[inline]
    pub fn free_rows(&self, colour: Colour) -> [u32; SIDE] {
        let edges = &self.edges[colour.index()];
        let mut free = [0; SIDE];
        for y in 0..SIDE {
            free[y] = !(self.occupied[y] | edges[y]) & FULL;
        }
        free
    }

    /// The squares that touch a piece of a colour at a corner, and its start; some of them may be covered or
    /// lie beside its pieces.
    #[inline]
    pub const fn corner_rows(&self, colour: Colour) -> &[u32; SIDE] {
        &self.corners[colour.index()]
    }

    /// Where a colour can lay its pieces.
    #[inline]
    pub fn rows(&self, colour: Colour) -> Rows {
        Rows::new(&self.free_rows(colour), &self.corners[colour.index()])
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
        let rows = self.rows(colour);
        if self.is_out(colour) || rows.is_closed() {
            return;
        }
        for piece in self.left[colour.index()].iter() {
            for orientation in orientations(piece) {
                rows.anchors(orientation).extend(out);
            }
        }
    }

    /// Whether a colour has or would have a legal move on its turn.
    pub fn has_move(&self, colour: Colour) -> bool {
        if self.is_out(colour) {
            return false;
        }
        let rows = self.rows(colour);
        !rows.is_closed()
            && self.left[colour.index()].iter().any(|piece| {
                orientations(piece).any(|orientation| !rows.anchors(orientation).is_empty())
            })
    }

    /// Whether a colour may make a move, in or out of turn.
    pub fn is_legal(&self, colour: Colour, placement: Placement) -> bool {
        self.check(colour, placement).is_ok()
    }

    /// Whether a colour may make a move, in or out of turn.
    ///
    /// # Errors
    /// The rule that forbids it.
    pub fn check(&self, colour: Colour, placement: Placement) -> Result<(), IllegalMove> {
        let piece = placement.piece();
        if self.is_out(colour) {
            return Err(IllegalMove::Out(colour));
        }
        if !self.left[colour.index()].contains(piece) {
            return Err(IllegalMove::Placed(colour, piece));
        }
        let cells = placement.cells();
        if let Some(&cell) = cells.iter().find(|&&cell| has(&self.occupied, cell)) {
            return Err(IllegalMove::Covered(cell));
        }
        let beside = |&&cell: &&Cell| has(&self.edges[colour.index()], cell);
        if let Some(&cell) = cells.iter().find(beside) {
            return Err(IllegalMove::Beside(cell, colour));
        }
        if !cells
            .iter()
            .any(|&cell| has(&self.corners[colour.index()], cell))
        {
            let is_first = self.left[colour.index()] == PieceSet::ALL;
            return Err(if is_first {
                IllegalMove::Start(colour)
            } else {
                IllegalMove::Apart(colour)
            });
        }
        Ok(())
    }

    /// Plays a move of the colour to move, or refuses it and changes nothing.
    ///
    /// # Errors
    /// The rule that forbids it.
    pub fn play(&mut self, placement: Placement) -> Result<(), IllegalMove> {
        let colour = self.to_move().ok_or(IllegalMove::Over)?;
        self.place(colour, placement)
    }

    /// Plays a move of any colour, in or out of turn; the turn passes to the next colour that has a
    /// move. Refuses what is illegal and changes nothing then.
    ///
    /// # Errors
    /// The rule that forbids it.
    pub fn place(&mut self, colour: Colour, placement: Placement) -> Result<(), IllegalMove> {
        self.check(colour, placement)?;
        self.put(colour, placement);
        self.give_turn(colour.next());
        Ok(())
    }

    /// Plays a legal move of the colour to move.
    ///
    /// # Panics
    /// May panic when the game is over. What an illegal move leaves behind is undefined.
    #[inline]
    pub fn play_unchecked(&mut self, placement: Placement) {
        let colour = Colour::ALL[usize::from(self.turn)];
        self.put(colour, placement);
        self.give_turn(colour.next());
    }

    /// Lays a legal placement of a colour down and leaves the turn alone. Follow it with
    /// [`Board::give_turn`]; playouts, which look for moves anyway, need not.
    #[inline]
    pub fn put(&mut self, colour: Colour, placement: Placement) {
        let i = colour.index();
        let (x, y) = placement.anchor();
        let orientation = placement.orientation();
        let piece = orientation.piece();
        for (dy, &row) in orientation.rows()[..usize::from(orientation.height())]
            .iter()
            .enumerate()
        {
            let y = usize::from(y) + dy;
            let row = row << x;
            let sides = (row << 1 | row >> 1) & FULL;
            self.own[i][y] |= row;
            self.occupied[y] |= row;
            self.edges[i][y] |= sides;
            if y > 0 {
                self.edges[i][y - 1] |= row;
                self.corners[i][y - 1] |= sides;
            }
            if y + 1 < SIDE {
                self.edges[i][y + 1] |= row;
                self.corners[i][y + 1] |= sides;
            }
        }
        self.left[i].remove(piece);
        self.monomino_last &= !(1 << i);
        self.monomino_last |= u8::from(piece == Piece::MONOMINO) << i;
        self.key ^= mix((placement.index() * SEATS + i) as u64 + 1);
        self.ply += 1;
    }

    /// Makes it the turn of a colour, or of the next one after it that has a move; the game is over if there is
    /// none. Colours that are passed over are out.
    #[inline]
    pub fn give_turn(&mut self, colour: Colour) {
        let mut turn = colour;
        for _ in 0..SEATS {
            if !self.is_out(turn) {
                if self.has_move(turn) {
                    self.turn = turn.seat();
                    return;
                }
                self.out |= 1 << turn.seat();
            }
            turn = turn.next();
        }
        self.turn = Self::OVER;
    }

    /// Makes it the turn of a colour that is known to have a move, or marks the game as over.
    #[inline]
    pub(super) fn set_turn(&mut self, colour: Option<Colour>) {
        self.turn = colour.map_or(Self::OVER, Colour::seat);
    }

    #[inline]
    pub(super) fn set_out(&mut self, colour: Colour) {
        self.out |= 1 << colour.seat();
    }

    #[inline]
    pub(super) fn set_withdrawn(&mut self, colour: Colour) {
        self.set_out(colour);
        self.withdrawn |= 1 << colour.seat();
    }

    /// Takes a colour that has lost by a fault out of the game for good: its pieces stay on the board, its place is
    /// behind all that were not withdrawn.
    pub fn withdraw(&mut self, colour: Colour) {
        self.set_withdrawn(colour);
        if self.turn == colour.seat() {
            self.give_turn(colour.next());
        }
    }

    /// Squares that a colour has placed, 0 to 89.
    #[inline]
    pub const fn squares(&self, colour: Colour) -> u8 {
        SQUARES - self.squares_left(colour)
    }

    /// Squares of the pieces that a colour has left, 0 to 89.
    #[inline]
    pub const fn squares_left(&self, colour: Colour) -> u8 {
        self.left[colour.index()].squares()
    }

    /// Whether the piece of one square was the last of a colour.
    #[inline]
    pub(super) const fn is_monomino_last(&self, colour: Colour) -> bool {
        self.monomino_last >> colour.seat() & 1 == 1
    }

    /// The values that distinguish two boards: the squares of each colour, the turn, the withdrawals, and the colours whose
    /// final piece was the single square. Pieces of a colour never share an edge, so the squares determine the pieces.
    pub(super) fn essence(&self) -> impl Hash {
        let bonus = Colour::ALL
            .map(|colour| self.squares_left(colour) == 0 && self.is_monomino_last(colour));
        (self.own, self.turn, self.withdrawn, bonus)
    }

    /// A hash of all that matters to what comes: placements, turn, withdrawals and whose last piece was the
    /// one of one square. Boards of the same game that are equal have equal keys.
    #[inline]
    pub const fn key(&self) -> u64 {
        let rest = (self.withdrawn as u64) << 16
            | (self.turn as u64) << 8
            | (self.out as u64) << 4
            | self.monomino_last as u64;
        mix(self.key ^ mix(rest + (1 << 32)))
    }
}

/// The board as text: row 20 first, a letter for each covered square (`B`, `Y`, `R`, `G`), `.` for the others.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for y in (0..SIDE as u8).rev() {
            write!(f, "{:>2} ", y + 1)?;
            for x in 0..SIDE as u8 {
                let letter = match self.owner(Cell::at(x, y)).map(Colour::seat) {
                    Some(0) => 'B',
                    Some(1) => 'Y',
                    Some(2) => 'R',
                    Some(_) => 'G',
                    None => '.',
                };
                write!(f, " {letter}")?;
            }
            writeln!(f)?;
        }
        write!(f, "   ")?;
        (b'a'..b'a' + SIDE as u8).try_for_each(|letter| write!(f, " {}", letter as char))
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Board of ply {}, to move {:?}",
            self.ply(),
            self.to_move()
        )?;
        fmt::Display::fmt(self, f)
    }
}

fn orientations(piece: Piece) -> impl Iterator<Item = Orientation> {
    let first = FIRST_OF_PIECE[piece.index()];
    (first..FIRST_OF_PIECE[piece.index() + 1]).map(Orientation::of)
}

#[inline]
fn has(rows: &[u32; SIDE], cell: Cell) -> bool {
    rows[usize::from(cell.y())] >> cell.x() & 1 == 1
}

/// A number that looks random (the finalizer of `SplitMix64`; Steele, Lea and Flood 2014).
const fn mix(n: u64) -> u64 {
    let n = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ n >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ n >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ n >> 31
}
