//! The inputs of the evaluation of `best`: how many squares of each kind a position has, by their distance from the edge.

use std::sync::LazyLock;

use games::blokus::{Board, Colour, PIECES, SEATS, SIDE};

use super::map::{Rows, joins, spread};

const SETS: usize = 1 << SEATS;
/// Steps through free squares from each level of closeness to the next; the first level begins at the squares where a seat may
/// join on.
const STEPS: [usize; 3] = [3, 3, 4];
/// The level after these: the squares that a seat may cover, however far away.
const FREE: usize = STEPS.len();
/// The level of the squares that a seat covers.
const COVERED: usize = FREE + 1;
const LEVELS: usize = COVERED + 1;
/// The level up to which a seat is near to a square where another may join on.
const NEAR: usize = 1;
/// Kinds of squares: by level and the set of seats, then by the seat that may join on there and the set of seats that are near.
pub const KINDS: usize = LEVELS * SETS + SEATS * SETS;
const FIRST_JOIN: usize = LEVELS * SETS;
/// Zones by distance from the edge, of two squares each.
pub const ZONES: usize = 5;
const SQUARE: f32 = 1.0 / 8.0;

const FIRST_PIECE: usize = KINDS * ZONES;
const FIRST_OUT: usize = FIRST_PIECE + PIECES * SEATS;
const FIRST_DONE: usize = FIRST_OUT + SEATS;
const FIRST_TURN: usize = FIRST_DONE + SEATS;
/// Stages of a game, of four plies each.
pub(super) const STAGES: usize = 18;
/// Inputs: squares by kind and zone; then by seat the pieces left, whether it is out of the game, and whether it has placed all
/// pieces with that of one square last; and by stage the seat to move.
pub const INPUTS: usize = FIRST_TURN + STAGES * SEATS;

/// The inputs of a seat that are not 0, with their values.
pub type SeatInputs = Vec<(u16, f32)>;

pub fn stage(board: &Board) -> usize {
    usize::from(board.ply() / 4).min(STAGES - 1)
}

static APART: LazyLock<[u64; 1 << 10]> = LazyLock::new(|| {
    std::array::from_fn(|bits| (0..10).fold(0, |all, i| all | ((bits as u64 >> i) & 1) << (4 * i)))
});

/// For each byte: byte number `n` of the entry counts how often `n` is among its two half bytes.
static HALVES: LazyLock<[u128; 256]> = LazyLock::new(|| {
    std::array::from_fn(|byte| (1 << (8 * (byte & 15))) + (1 << (8 * (byte >> 4))))
});

pub(super) struct Survey {
    /// By level and zone: a byte for each set of seats. A zone has at most 144 squares.
    sets: [[u128; ZONES]; LEVELS],
    /// By seat that may join on, set of seats that are near, and zone.
    joins: [[[u8; ZONES]; SETS]; SEATS],
}

impl Survey {
    pub(super) fn of(board: &Board) -> Self {
        let mut rows = [[[0; SIDE]; SEATS]; LEVELS];
        let mut starts = [[0; SIDE]; SEATS];
        for colour in Colour::ALL {
            let seat = colour.index();
            rows[COVERED][seat] = *board.own_rows(colour);
            if board.is_out(colour) {
                continue;
            }
            let free = board.free_rows(colour);
            let mut reached = joins(board, colour, &free);
            starts[seat] = reached;
            for (level, steps) in STEPS.into_iter().enumerate() {
                reached = spread(&reached, &free, steps);
                rows[level][seat] = reached;
            }
            rows[FREE][seat] = free;
        }
        Self {
            sets: sets(&rows),
            joins: join_sets(&starts, &rows[NEAR]),
        }
    }

    /// Clears `out` and fills it with the inputs of each seat, in which the seat itself comes first and the others follow in turn
    /// order.
    pub(super) fn inputs(&self, board: &Board, out: &mut [SeatInputs; SEATS]) {
        out.iter_mut().for_each(Vec::clear);
        let mut squares =
            |kind: usize, turned: &dyn Fn(usize, usize) -> usize, zone: usize, count: u8| {
                if count > 0 {
                    for (seat, list) in out.iter_mut().enumerate() {
                        let input = turned(kind, seat) * ZONES + zone;
                        list.push((input as u16, SQUARE * f32::from(count)));
                    }
                }
            };
        let turned = |set: usize, seat: usize| (set >> seat | set << (SEATS - seat)) & (SETS - 1);
        for (level, zones) in self.sets.iter().enumerate() {
            for (zone, counts) in zones.iter().enumerate() {
                // The number of squares that belong to no seat follows from the others.
                for (set, &count) in counts.to_le_bytes().iter().enumerate().skip(1) {
                    let kind = |set, seat| level * SETS + turned(set, seat);
                    squares(set, &kind, zone, count);
                }
            }
        }
        for (of, sets) in self.joins.iter().enumerate() {
            for (set, zones) in sets.iter().enumerate().skip(1) {
                for (zone, &count) in zones.iter().enumerate() {
                    let kind =
                        |set, seat| FIRST_JOIN + relative(of, seat) * SETS + turned(set, seat);
                    squares(set, &kind, zone, count);
                }
            }
        }
        let mover = board.to_move().map_or(0, Colour::index);
        for (seat, list) in out.iter_mut().enumerate() {
            let mut set = |input: usize| list.push((input as u16, 1.0));
            for other in Colour::ALL {
                let of = relative(other.index(), seat);
                for piece in board.pieces_left(other).iter() {
                    set(FIRST_PIECE + piece.index() * SEATS + of);
                }
                if board.is_out(other) {
                    set(FIRST_OUT + of);
                }
                if board.score(other) == MOST {
                    set(FIRST_DONE + of);
                }
            }
            set(FIRST_TURN + stage(board) * SEATS + relative(mover, seat));
        }
    }
}

const MOST: i16 = 20;

/// How many turns after `seat` another one moves.
const fn relative(other: usize, seat: usize) -> usize {
    (other + SEATS - seat) % SEATS
}

const fn zone_of(line: usize) -> usize {
    let ring = if line < SIDE / 2 {
        line
    } else {
        SIDE - 1 - line
    };
    ring / 2
}

/// Counts squares by level, zone and set of seats.
fn sets(rows: &[[Rows; SEATS]; LEVELS]) -> [[u128; ZONES]; LEVELS] {
    const HALF: usize = SIDE / 2;
    let (apart, halves) = (&*APART, &*HALVES);
    let mut sets = [[0; ZONES]; LEVELS];
    for y in 0..SIDE {
        for (counts, rows) in sets.iter_mut().zip(rows) {
            for half in 0..2 {
                let bits = |seat: usize| {
                    let bits = rows[seat][y] >> (HALF * half) & ((1 << HALF) - 1);
                    apart[bits as usize] << seat
                };
                let mut codes = bits(0) | bits(1) | bits(2) | bits(3);
                // Two neighbouring squares have the same zone.
                for pair in 0..HALF / 2 {
                    let zone = zone_of(HALF * half + 2 * pair).min(zone_of(y));
                    counts[zone] += halves[(codes & 255) as usize];
                    codes >>= 8;
                }
            }
        }
    }
    sets
}

/// Counts the squares where a seat may join on, by seat, set of seats that are near, and zone.
fn join_sets(starts: &[Rows; SEATS], near: &[Rows; SEATS]) -> [[[u8; ZONES]; SETS]; SEATS] {
    let mut counts = [[[0; ZONES]; SETS]; SEATS];
    for (counts, rows) in counts.iter_mut().zip(starts) {
        for (y, &row) in rows.iter().enumerate() {
            let mut row = row;
            while row != 0 {
                let x = row.trailing_zeros();
                row &= row - 1;
                let bit = |seat: usize| (near[seat][y] >> x & 1) << seat;
                let set = bit(0) | bit(1) | bit(2) | bit(3);
                counts[set as usize][zone_of(x as usize).min(zone_of(y))] += 1;
            }
        }
    }
    counts
}

/// A slow and plain version of the inputs.
#[cfg(test)]
pub(super) mod slow {
    use std::collections::{BTreeMap, HashMap, VecDeque};

    use games::blokus::Cell;

    use super::*;

    fn has(rows: &Rows, cell: Cell) -> bool {
        rows[usize::from(cell.y())] >> cell.x() & 1 == 1
    }

    fn beside(cell: Cell) -> impl Iterator<Item = Cell> {
        let is_beside =
            move |other: &Cell| cell.x().abs_diff(other.x()) + cell.y().abs_diff(other.y()) == 1;
        Cell::all().filter(is_beside)
    }

    /// Steps from the squares where a colour may join on to those that it can get to.
    fn distances(board: &Board, colour: Colour) -> HashMap<Cell, usize> {
        let free = board.free_rows(colour);
        let corners = board.corner_rows(colour);
        let starts = Cell::all().filter(|&cell| has(&free, cell) && has(corners, cell));
        let mut found: HashMap<Cell, usize> = starts.map(|cell| (cell, 0)).collect();
        let mut queue: VecDeque<Cell> = found.keys().copied().collect();
        while let Some(cell) = queue.pop_front() {
            let steps = found[&cell] + 1;
            for next in beside(cell) {
                if has(&free, next) && !found.contains_key(&next) {
                    found.insert(next, steps);
                    queue.push_back(next);
                }
            }
        }
        found
    }

    pub(in super::super) fn inputs(board: &Board, seat: Colour) -> SeatInputs {
        let seats: Vec<Colour> = (0..4)
            .map(|k| Colour::ALL[(seat.index() + k) % 4])
            .collect();
        let steps: Vec<_> = seats
            .iter()
            .map(|&colour| {
                if board.is_out(colour) {
                    HashMap::new()
                } else {
                    distances(board, colour)
                }
            })
            .collect();
        let mut counts = BTreeMap::new();
        let set_of = |is_in: &dyn Fn(usize) -> bool| -> usize {
            (0..4).filter(|&k| is_in(k)).map(|k| 1 << k).sum()
        };
        for cell in Cell::all() {
            let ring = [cell.x(), cell.y(), 19 - cell.x(), 19 - cell.y()];
            let zone = usize::from(ring.into_iter().min().unwrap_or_default()) / 2;
            let within =
                |most: usize| set_of(&|k| steps[k].get(&cell).is_some_and(|&steps| steps <= most));
            let mut add = |kind: usize| *counts.entry(kind * ZONES + zone).or_insert(0) += 1;
            let free =
                set_of(&|k| !board.is_out(seats[k]) && has(&board.free_rows(seats[k]), cell));
            let covered = set_of(&|k| board.owner(cell) == Some(seats[k]));
            let sets = [within(3), within(6), within(10), free, covered];
            for (level, set) in sets.into_iter().enumerate() {
                if set > 0 {
                    add(level * SETS + set);
                }
            }
            for (k, steps) in steps.iter().enumerate() {
                if steps.get(&cell) == Some(&0) {
                    add(FIRST_JOIN + k * SETS + within(6));
                }
            }
        }
        let mut inputs: SeatInputs = counts
            .into_iter()
            .map(|(input, count)| (input as u16, SQUARE * count as f32))
            .collect();
        for (k, &colour) in seats.iter().enumerate() {
            let left = board.pieces_left(colour);
            let pieces = left
                .iter()
                .map(|piece| FIRST_PIECE + piece.index() * SEATS + k);
            let out = board.is_out(colour).then_some(FIRST_OUT + k);
            let done = (board.score(colour) == 20).then_some(FIRST_DONE + k);
            let turn =
                (board.to_move() == Some(colour)).then_some(FIRST_TURN + stage(board) * SEATS + k);
            let all = pieces.chain(out).chain(done).chain(turn);
            inputs.extend(all.map(|input| (input as u16, 1.0)));
        }
        inputs
    }
}
