//! Playouts on row bitmaps, where an orientation is drawn until one fits, and then one of its places.

use std::sync::LazyLock;

use games::blokus::{
    Board, Colour, ORIENTATIONS, Orientation, PIECES, Piece, PieceSet, Placement, SEATS, SIDE,
    advanced_score,
};
use rand::Rng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::game::{counted, shares_of};
use crate::search::{Playout, Rewards};

const LARGEST: usize = 5;
const MOVES: usize = 84;

/// Epsilon-greedy playouts. A colour draws orientations of its largest pieces until one fits, of the next
/// smaller ones if none does, and then one of the places where that one fits; with probability epsilon it
/// draws from the orientations of all its pieces instead. Orientations are equally likely, not moves: to draw
/// uniformly over moves is several times slower.
///
/// Allocates nothing after it was made.
#[derive(Clone, Debug)]
pub struct RowPlayout {
    /// Of 2^32.
    epsilon: u64,
    line: Vec<(u8, Placement)>,
}

impl RowPlayout {
    /// With epsilon, in [0, 1].
    pub fn new(epsilon: f64) -> Self {
        Self {
            epsilon: (epsilon.clamp(0.0, 1.0) * 2_f64.powi(32)) as u64,
            line: Vec::with_capacity(MOVES),
        }
    }

    /// Plays from `board` to the end of the game; the advanced scores by seat. A colour that was
    /// withdrawn has less than any score of the rules.
    pub fn scores(&mut self, board: &Board, rng: &mut Xoshiro256PlusPlus) -> [i16; SEATS] {
        self.line.clear();
        let mut sides = Colour::ALL.map(|colour| PlayoutSide::of(board, colour));
        let mut turn = board.to_move().map_or(0, Colour::index);
        let mut idle = 0;
        while idle < SEATS {
            idle += 1;
            if sides[turn].is_in {
                let is_any = u64::from(rng.next_u32()) < self.epsilon;
                let drawn = if is_any {
                    sides[turn].draw(ALL, rng)
                } else {
                    let mut sizes = (1..=LARGEST).rev();
                    sizes.find_map(|size| sides[turn].draw(of_size(size), rng))
                };
                if let Some((orientation, places)) = drawn {
                    let (x, y) = any_place(&places, rng);
                    for (seat, side) in sides.iter_mut().enumerate() {
                        if seat == turn {
                            side.put(orientation, x, y);
                        } else {
                            side.cover(orientation, x, y);
                        }
                    }
                    self.line
                        .push((turn as u8, Placement::at(orientation, x, y)));
                    idle = 0;
                } else {
                    sides[turn].is_in = false;
                }
            }
            turn = (turn + 1) % SEATS;
        }
        counted(board, sides.map(|side| side.score()))
    }
}

impl Playout<Board> for RowPlayout {
    fn run(&mut self, position: &Board, rng: &mut Xoshiro256PlusPlus) -> Rewards {
        let scores = self.scores(position, rng);
        shares_of(scores)
    }

    fn line(&self) -> &[(u8, Placement)] {
        &self.line
    }
}

/// Empty rows and columns around the board.
const MARGIN: usize = 4;
const PADDED: usize = SIDE + 2 * MARGIN;
const FULL: u32 = ((1 << SIDE) - 1) << MARGIN;
/// New squares to join on at that are remembered.
const FRESH: usize = 16;

type Orientations = u128;

/// Those before number `BY_SIZE[n]` have 1 to `n` squares.
const BY_SIZE: [u32; 6] = [0, 1, 3, 9, 28, 91];

const fn of_size(size: usize) -> Orientations {
    (1 << BY_SIZE[size]) - (1 << BY_SIZE[size - 1])
}

const ALL: Orientations = (1 << ORIENTATIONS) - 1;

static OF_PIECE: LazyLock<[Orientations; PIECES]> = LazyLock::new(|| {
    let mut of_piece = [0; PIECES];
    for orientation in Orientation::all() {
        of_piece[orientation.piece().index()] |= 1 << orientation.index();
    }
    of_piece
});

/// Squares of a placement around one of its own in a field of 9x9 squares, which is in the middle: by
/// orientation and number of that square.
static AROUND: LazyLock<[[u128; 5]; ORIENTATIONS]> = LazyLock::new(|| {
    let mut around = [[0; 5]; ORIENTATIONS];
    for orientation in Orientation::all() {
        let cells = orientation.cells();
        for (mask, &(x, y)) in around[orientation.index()].iter_mut().zip(cells) {
            for &(to_x, to_y) in cells {
                *mask |= 1 << ((to_y + 4 - y) * 9 + to_x + 4 - x);
            }
        }
    }
    around
});

fn orientations(pieces: PieceSet) -> Orientations {
    let all = pieces.iter().map(|piece| OF_PIECE[piece.index()]);
    all.fold(0, |set, piece| set | piece)
}

/// Where the bottom left of the bounding box of an orientation may lie, by row; bit 4 is column a.
type OriginRows = [u32; SIDE];

/// One of the places at random, as column and row from 0; there must be one.
#[inline]
fn any_place(places: &OriginRows, rng: &mut Xoshiro256PlusPlus) -> (u8, u8) {
    let mut counts = [0; SIDE];
    for (count, row) in counts.iter_mut().zip(places) {
        *count = row.count_ones();
    }
    let mut n = below(counts.iter().sum(), rng);
    for y in 0..SIDE {
        if n < counts[y] {
            let mut row = places[y];
            for _ in 0..n {
                row &= row - 1;
            }
            return (
                (row.trailing_zeros() as u8).wrapping_sub(MARGIN as u8),
                y as u8,
            );
        }
        n -= counts[y];
    }
    (0, 0)
}

/// A colour in a playout.
///
/// An orientation that was found to fit nowhere will not fit until the colour has new squares to join on
/// at: what others lay down only takes squares away. So it is looked at again only there.
#[derive(Clone, Copy)]
struct PlayoutSide {
    free: [u32; PADDED],
    /// Squares that touch a piece at a corner.
    corners: [u32; PADDED],
    open: Orientations,
    /// Orientations that can only fit at the fresh squares.
    stale: Orientations,
    fresh: [(u8, u8); FRESH],
    fresh_count: usize,
    left: PieceSet,
    /// Whether it has not been found without a move.
    is_in: bool,
    monomino_last: bool,
}

impl PlayoutSide {
    fn of(board: &Board, colour: Colour) -> Self {
        let left = board.pieces_left(colour);
        let mut side = Self {
            free: [0; PADDED],
            corners: [0; PADDED],
            open: orientations(left),
            stale: 0,
            fresh: [(0, 0); FRESH],
            fresh_count: 0,
            left,
            is_in: !board.is_out(colour),
            monomino_last: board.score(colour) == advanced_score(0, true),
        };
        let rows = board.free_rows(colour).into_iter();
        for (y, (free, corners)) in rows.zip(board.corner_rows(colour)).enumerate() {
            side.free[y + MARGIN] = free << MARGIN;
            side.corners[y + MARGIN] = corners << MARGIN;
        }
        side
    }

    /// The rows of the places of an orientation: the bottom left of its bounding box.
    #[inline]
    fn places(&self, orientation: Orientation) -> OriginRows {
        let cells = orientation.cells();
        match cells.len() {
            1 => self.fits::<1>(cells),
            2 => self.fits::<2>(cells),
            3 => self.fits::<3>(cells),
            4 => self.fits::<4>(cells),
            _ => self.fits::<5>(cells),
        }
    }

    #[inline]
    fn fits<const N: usize>(&self, cells: &[(u8, u8)]) -> OriginRows {
        let mut fit = [u32::MAX; SIDE];
        let mut joined = [0; SIDE];
        for &(x, y) in cells.iter().take(N) {
            let (x, bottom) = (u32::from(x) & 7, usize::from(y & 7) % 5 + MARGIN);
            let free = &self.free[bottom..bottom + SIDE];
            let corners = &self.corners[bottom..bottom + SIDE];
            for i in 0..SIDE {
                fit[i] &= free[i] >> x;
                joined[i] |= corners[i] >> x;
            }
        }
        for i in 0..SIDE {
            fit[i] &= joined[i];
        }
        fit
    }

    #[inline]
    fn field(&self, (x, y): (u8, u8)) -> u128 {
        let mut field = 0;
        for dy in 0..9 {
            let row = self.free[(usize::from(y) + dy) % PADDED] >> (x & 31) & 0x1ff;
            field |= u128::from(row) << (9 * dy);
        }
        field
    }

    /// A random one of the orientations in `wanted` that fit, and its places.
    #[inline]
    fn draw(
        &mut self,
        wanted: Orientations,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Option<(Orientation, OriginRows)> {
        let mut fields = [0; FRESH];
        let mut field_count = None;
        loop {
            let hopes = (self.open | self.stale) & wanted;
            if hopes == 0 {
                return None;
            }
            let number = any_bit(hopes, rng);
            let bit = 1 << number;
            if self.stale & bit != 0 {
                let count = *field_count.get_or_insert_with(|| self.fields(&mut fields));
                let around = &AROUND[number as usize];
                let fits =
                    |field: &u128| around.iter().any(|mask| *mask != 0 && mask & !field == 0);
                if !fields[..count].iter().any(fits) {
                    self.stale &= !bit;
                    continue;
                }
            }
            let orientation = Orientation::new(number as u8)?;
            let places = self.places(orientation);
            self.stale &= !bit;
            if places.iter().fold(0, |any, row| any | row) != 0 {
                self.open |= bit;
                return Some((orientation, places));
            }
            self.open &= !bit;
        }
    }

    /// Fills in what is free around those fresh squares that are free themselves, and counts them.
    fn fields(&self, fields: &mut [u128; FRESH]) -> usize {
        const MIDDLE: u128 = 1 << 40;
        let mut count = 0;
        for &cell in &self.fresh[..self.fresh_count] {
            let field = self.field(cell);
            if field & MIDDLE != 0 {
                fields[count] = field;
                count += 1;
            }
        }
        count
    }

    #[inline]
    fn cover(&mut self, orientation: Orientation, x: u8, y: u8) {
        let bottom = usize::from(y) + MARGIN;
        let height = usize::from(orientation.height());
        for (dy, &row) in orientation.rows()[..height].iter().enumerate() {
            self.free[bottom + dy] &= !(row << (usize::from(x) + MARGIN));
        }
    }

    fn score(&self) -> i16 {
        advanced_score(self.left.squares(), self.monomino_last)
    }

    #[inline]
    fn put(&mut self, orientation: Orientation, x: u8, y: u8) {
        let height = usize::from(orientation.height());
        let bottom = usize::from(y) + MARGIN;
        let mut new = [0; 8];
        for (dy, &row) in orientation.rows()[..height].iter().enumerate() {
            let row = row << (usize::from(x) + MARGIN);
            let sides = row << 1 | row >> 1;
            let y = bottom + dy;
            self.free[y] &= !(row | sides);
            self.free[y - 1] &= !row;
            self.free[y + 1] &= !row;
            new[dy] |= sides;
            new[dy + 2] |= sides;
        }
        let piece = orientation.piece();
        self.left.remove(piece);
        self.monomino_last = self.left.is_empty() && piece == Piece::MONOMINO;
        let gone = OF_PIECE[piece.index()];
        let is_stale_done = self.stale == 0;
        if is_stale_done {
            self.fresh_count = 0;
        }
        let before = self.fresh_count;
        for (dy, &corners) in new[..height + 2].iter().enumerate() {
            let y = bottom + dy - 1;
            let mut fresh = corners & self.free[y] & !self.corners[y];
            self.corners[y] |= corners & FULL;
            while fresh != 0 {
                if let Some(cell) = self.fresh.get_mut(self.fresh_count) {
                    *cell = (
                        fresh.trailing_zeros() as u8 - MARGIN as u8,
                        (y - MARGIN) as u8,
                    );
                }
                self.fresh_count += 1;
                fresh &= fresh - 1;
            }
        }
        if self.fresh_count > FRESH {
            self.open = orientations(self.left);
            self.stale = 0;
            self.fresh_count = 0;
        } else if self.fresh_count > before {
            self.stale = orientations(self.left) & !self.open;
        }
        self.open &= !gone;
        self.stale &= !gone;
    }
}

/// The bits below this one are the orientations of pieces of less than five squares.
const SMALL: u32 = 28;

/// A number below `n`, uniform but for 2^-32 n (D. Lemire, "Fast random integer generation in an
/// interval", ACM TOMACS 29 (2019), without the last correction).
#[inline]
fn below(n: u32, rng: &mut Xoshiro256PlusPlus) -> u32 {
    ((u64::from(rng.next_u32()) * u64::from(n)) >> 32) as u32
}

/// The number of one of the bits of a set of orientations that is not empty, each equally likely.
#[inline]
fn any_bit(set: u128, rng: &mut Xoshiro256PlusPlus) -> u32 {
    let (small, large) = (set as u64 & ((1 << SMALL) - 1), (set >> SMALL) as u64);
    if small == 0 {
        return SMALL + any_of(large, 63, rng);
    }
    if large == 0 {
        return any_of(small, SMALL, rng);
    }
    let count = small.count_ones();
    if below(count + large.count_ones(), rng) < count {
        any_of(small, SMALL, rng)
    } else {
        SMALL + any_of(large, 63, rng)
    }
}

/// One of the bits of a set that is not empty and lies below bit `end`.
#[inline]
fn any_of(mut set: u64, end: u32, rng: &mut Xoshiro256PlusPlus) -> u32 {
    // Most sets are dense, so guessing is faster than counting.
    for _ in 0..3 {
        let bit = below(end, rng);
        if set >> bit & 1 == 1 {
            return bit;
        }
    }
    for _ in 0..below(set.count_ones(), rng) {
        set &= set - 1;
    }
    set.trailing_zeros()
}
