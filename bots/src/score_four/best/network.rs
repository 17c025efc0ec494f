//! The evaluation of `best`: a small network over the contents of lines and the states of pegs, carried along from ball to ball.
//!
//! Its inputs are, for each of the 76 lines on which only one seat has balls, its contents (30 kinds), and the
//! state of each of the 16 pegs: its height and which seats threaten to complete a line on each of its empty squares (341
//! states). These tell which seat must at last play below a threat. The first layer has 32 units, clamped to 0 to 1, and a sum for
//! each of four phases of the game; the second layer has weights for each number of balls by fours and seat to move. The
//! sums of the first layer change by a few rows with each ball: Y. Nasu, "Efficiently updatable neural-network-based evaluation
//! function for computer Shogi" (2018).

use std::sync::LazyLock;

use games::score_four::{LINE_COUNT, LINES, PEGS, Position, SQUARES};

use super::board::Board;

pub const UNITS: usize = 32;
/// Phases of the game with sums of their own.
pub const PHASES: usize = 4;
pub const STAGES: usize = 32;
const CONTENTS: usize = 81;
const OPEN: usize = 30;
const PEG_STATES: usize = 341;
/// Number of the first state of a peg.
const FIRST_STATE: usize = LINE_COUNT * OPEN;
/// Inputs: first the open contents of each line, then the states of each peg.
pub const INPUTS: usize = FIRST_STATE + PEGS * PEG_STATES;
/// 1 in the numbers of the first layer.
pub const ONE: f32 = 512.0;
/// 1 in the weights of the second layer.
pub const WEIGHT_ONE: f32 = 256.0;
/// 1 in the result: it is in thousandths of a logit.
const THOUSAND: i32 = 1000;
/// The highest value that a search is told.
const CLEAR: i32 = 15_000;

/// Number among the open contents, by contents; [`OPEN`] of all others.
static OPEN_NUMBER: [u8; CONTENTS] = {
    let mut table = [OPEN as u8; CONTENTS];
    let (mut contents, mut number) = (0, 0);
    while contents < CONTENTS {
        let digits = [
            contents % 3,
            contents / 3 % 3,
            contents / 9 % 3,
            contents / 27,
        ];
        let mut seen = [false; 3];
        let mut i = 0;
        while i < 4 {
            seen[digits[i]] = true;
            i += 1;
        }
        if seen[1] != seen[2] {
            table[contents] = number;
            number += 1;
        }
        contents += 1;
    }
    table
};

/// The lines through a square and the place value of a ball there (1, 3, 9 or 27); the rest of a row is the line 76.
static THROUGH: [[(u8, u8); 7]; SQUARES] = {
    let mut table = [[(LINE_COUNT as u8, 0); 7]; SQUARES];
    let mut counts = [0; SQUARES];
    let mut line = 0;
    while line < LINE_COUNT {
        let (mut square, mut place) = (0, 1_u8);
        while square < SQUARES {
            if LINES[line] >> square & 1 == 1 {
                table[square][counts[square]] = (line as u8, place);
                counts[square] += 1;
                place = place.wrapping_mul(3);
            }
            square += 1;
        }
        line += 1;
    }
    table
};

/// The state of a peg, for the squares with balls and the threats of seats 0 and 1: 256 states of an empty peg, 64, 16 and 4 of
/// higher ones, and the full one.
#[inline]
fn peg_state(peg: u32, taken: u64, threats: [u64; 2]) -> usize {
    const FIRST: [usize; 5] = [0, 256, 320, 336, 340];
    const COLUMN: u64 = 0x0001_0001_0001_0001;
    let height = (taken >> peg & COLUMN).count_ones();
    let above = |squares: u64| {
        let column = squares >> peg & COLUMN;
        ((column | column >> 15 | column >> 30 | column >> 45) & 15) as usize >> height
    };
    if height == 4 {
        return FIRST[4];
    }
    FIRST[height as usize] + above(threats[0]) + (above(threats[1]) << (4 - height))
}

/// The row of a line with open contents.
#[inline]
fn line_input(line: usize, contents: u8) -> Option<usize> {
    let number = usize::from(OPEN_NUMBER[usize::from(contents)]);
    (number < OPEN).then_some(line * OPEN + number)
}

#[inline]
fn peg_input(peg: u32, taken: u64, threats: [u64; 2]) -> usize {
    FIRST_STATE + peg as usize * PEG_STATES + peg_state(peg, taken, threats)
}

fn contents(position: &Position) -> [u8; LINE_COUNT + 4] {
    let mut contents = [0; LINE_COUNT + 4];
    for seat in 0..2 {
        let balls = position.balls(seat);
        for square in (0..SQUARES).filter(|square| balls >> square & 1 == 1) {
            for &(line, place) in &THROUGH[square] {
                contents[usize::from(line)] += place * (1 + seat);
            }
        }
    }
    contents
}

/// The threats of seats 0 and 1 on a board with `balls` balls.
#[inline]
const fn threats(board: &Board, balls: u32) -> [u64; 2] {
    let [own, other] = board.threats;
    if balls & 1 == 0 {
        [own, other]
    } else {
        [other, own]
    }
}

/// The inputs of a position: at most one of each line, one of each peg.
pub fn inputs(position: &Position) -> impl Iterator<Item = usize> {
    let contents = contents(position);
    let lines = (0..LINE_COUNT).filter_map(move |line| line_input(line, contents[line]));
    let (taken, threats) = (
        position.taken(),
        threats(&Board::of(position), u32::from(position.ply())),
    );
    lines.chain((0..PEGS as u32).map(move |peg| peg_input(peg, taken, threats)))
}

/// The phase of a position with `balls` balls.
#[inline]
pub fn phase(balls: u32) -> usize {
    (balls.saturating_sub(8) / 12).min(PHASES as u32 - 1) as usize
}

/// The set of weights of the second layer for `balls` balls.
#[inline]
pub const fn stage(balls: u32) -> usize {
    ((balls >> 2) * 2 + (balls & 1)) as usize & (STAGES - 1)
}

/// A row of the first layer: its units, the phases, and padding.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct WeightRow([i16; UNITS + 2 * PHASES]);

impl WeightRow {
    #[inline]
    fn add(&mut self, other: &Self) {
        for (sum, number) in self.0.iter_mut().zip(&other.0) {
            *sum = sum.wrapping_add(*number);
        }
    }

    #[inline]
    fn subtract(&mut self, other: &Self) {
        for (sum, number) in self.0.iter_mut().zip(&other.0) {
            *sum = sum.wrapping_sub(*number);
        }
    }
}

pub struct ValueNetwork {
    rows: Vec<WeightRow>,
    bias: WeightRow,
    second: [[i16; UNITS]; STAGES],
    /// Thousandths of a logit.
    constants: [i32; STAGES],
}

/// Numbers of a file: rows, bias, second layer, constants.
pub const NUMBERS: usize = (INPUTS + 1) * (UNITS + PHASES) + STAGES * UNITS + STAGES;

impl ValueNetwork {
    /// The network of numbers of 16 bits, the low byte first; `None` unless there are [`NUMBERS`] of them.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let (pairs, []) = bytes.as_chunks::<2>() else {
            return None;
        };
        if pairs.len() != NUMBERS {
            return None;
        }
        let mut numbers = pairs.iter().map(|pair| i16::from_le_bytes(*pair));
        let mut row = || {
            let mut row = WeightRow([0; UNITS + 2 * PHASES]);
            for number in &mut row.0[..UNITS + PHASES] {
                *number = numbers.next().unwrap_or(0);
            }
            row
        };
        let rows = (0..INPUTS).map(|_| row()).collect();
        let bias = row();
        let mut next = || numbers.next().unwrap_or(0);
        Some(Self {
            rows,
            bias,
            second: std::array::from_fn(|_| std::array::from_fn(|_| next())),
            constants: std::array::from_fn(|_| i32::from(next())),
        })
    }

    /// The network that is built into the program.
    pub fn built_in() -> &'static Self {
        static NETWORK: LazyLock<ValueNetwork> = LazyLock::new(|| {
            ValueNetwork::of(include_bytes!("network.bin")).expect("the shipped network is whole")
        });
        &NETWORK
    }

    pub fn sums(&self, position: &Position) -> UnitSums {
        let mut first = self.bias;
        for input in inputs(position) {
            first.add(&self.rows[input]);
        }
        UnitSums {
            contents: contents(position),
            first,
        }
    }

    /// The sums after a ball on a square of `board`, which has `balls` balls and becomes `next`.
    #[inline]
    pub(super) fn after(
        &self,
        sums: &UnitSums,
        square: u32,
        (board, next, balls): (&Board, &Board, u32),
    ) -> UnitSums {
        let mut sums = *sums;
        let seat = (balls & 1) as u8;
        for &(line, place) in &THROUGH[square as usize & 63] {
            let line = usize::from(line);
            let before = sums.contents[line];
            let after = before + place * (1 + seat);
            sums.contents[line] = after;
            if line == LINE_COUNT {
                continue;
            }
            if let Some(input) = line_input(line, before) {
                sums.first.subtract(&self.rows[input]);
            }
            if let Some(input) = line_input(line, after) {
                sums.first.add(&self.rows[input]);
            }
        }
        let taken = board.sides[0] | board.sides[1];
        let ball = 1 << square;
        let (old, new) = (threats(board, balls), threats(next, balls + 1));
        let changed = (old[0] ^ new[0] | old[1] ^ new[1]) & !taken | ball;
        let mut pegs = (changed | changed >> 16 | changed >> 32 | changed >> 48) & 0xffff;
        while pegs != 0 {
            let peg = pegs.trailing_zeros();
            pegs &= pegs - 1;
            sums.first.subtract(&self.rows[peg_input(peg, taken, old)]);
            sums.first
                .add(&self.rows[peg_input(peg, taken | ball, new)]);
        }
        sums
    }

    /// The value of a position with `balls` balls for seat 0, in thousandths of a logit.
    #[inline]
    pub fn value(&self, sums: &UnitSums, balls: u32) -> i32 {
        let stage = stage(balls);
        let mut sum = 0;
        for (unit, weight) in sums.first.0.iter().zip(&self.second[stage]) {
            sum += i32::from((*unit).clamp(0, ONE as i16)) * i32::from(*weight);
        }
        let linear = i32::from(sums.first.0[UNITS + phase(balls)]);
        (sum / WEIGHT_ONE as i32 + linear) * THOUSAND / ONE as i32 + self.constants[stage]
    }

    /// The same for the seat to move; no value is above [`CLEAR`].
    #[inline]
    pub(super) fn value_for_mover(&self, sums: &UnitSums, balls: u32) -> i32 {
        let value = self.value(sums, balls).clamp(-CLEAR, CLEAR);
        if balls & 1 == 0 { value } else { -value }
    }
}

/// Contents of lines and the sums of the first layer.
#[derive(Clone, Copy)]
pub struct UnitSums {
    contents: [u8; LINE_COUNT + 4],
    first: WeightRow,
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::super::board::Moves;
    use super::*;

    /// Sums that are carried along are those of the position.
    #[test]
    fn carried_sums_are_those_of_the_position() {
        let network = ValueNetwork::built_in();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let mut longest = 0;
        for _ in 0..200 {
            let mut position = Position::START;
            let mut sums = network.sums(&position);
            loop {
                let board = Board::of(&position);
                let balls = u32::from(position.ply());
                let fresh = network.sums(&position);
                assert_eq!(sums.contents, fresh.contents, "{position}");
                assert_eq!(sums.first.0, fresh.first.0, "{position}");
                assert_eq!(network.value(&sums, balls), network.value(&fresh, balls));
                longest = longest.max(balls);
                let mut squares = match board.moves() {
                    Moves::Forced(ball) => ball,
                    Moves::Safe(safe) => safe,
                    _ => break,
                };
                for _ in 0..rng.random_range(0..squares.count_ones()) {
                    squares &= squares - 1;
                }
                let square = squares.trailing_zeros();
                let next = board.after(1 << square);
                sums = network.after(&sums, square, (&board, &next, balls));
                position.play_unchecked(games::score_four::Peg::under(square));
            }
        }
        assert!(longest > 50, "{longest}");
    }

    #[test]
    fn states_of_a_peg_are_distinct() {
        let mut seen = [false; PEG_STATES];
        for height in 0..=4 {
            let column = 0x0001_0001_0001_0001_u64;
            let taken = column & ((1_u128 << (16 * height)) - 1) as u64;
            for code in 0..1_u32 << (2 * (4 - height)) {
                let squares = |code: u32| {
                    (0..4 - height).fold(0, |all, i| {
                        all | u64::from(code >> i & 1) << (16 * (height + i))
                    })
                };
                let threats = [squares(code), squares(code >> (4 - height))];
                let state = peg_state(3, taken << 3, threats.map(|t| t << 3));
                assert!(!std::mem::replace(&mut seen[state], true));
            }
        }
        assert!(seen.iter().all(|&seen| seen));
    }

    #[test]
    fn a_network_of_another_length_is_refused() {
        assert!(ValueNetwork::of(&[0; 4]).is_none());
        assert!(ValueNetwork::of(&vec![0; 2 * NUMBERS]).is_some());
        assert!(ValueNetwork::of(&vec![0; 2 * NUMBERS + 1]).is_none());
    }
}
