//! The evaluation of `best`: a logit of seat 0's win, the sum of what each of the 76 lines and each kind of
//! threat is worth.
//!
//! A line is worth what its contents say: empty, `x` or `o` on each of its squares, 81 contents, with
//! the same weight for all lines that a symmetry of the board makes equal. So the level of a threat, whose
//! parity decides who will be made to play below it, is part of the contents.

use std::sync::LazyLock;

use games::score_four::{LINE_COUNT, LINES, Position, SQUARES, Symmetry};

use crate::numbers::numbers;

/// Contents of a line.
pub(crate) const CONTENTS: usize = 81;

/// Where a line's contents are kept: number of the line, first weight of it, and the place value of a ball
/// (1, 3, 9 or 27), for each square; the rest of a row are the line 76, which is always empty.
static AT: [[(u8, u8, u16); 7]; SQUARES] = {
    let none = (LINE_COUNT as u8, 0, (LINE_COUNT * CONTENTS) as u16);
    let mut table = [[none; 7]; SQUARES];
    let mut counts = [0; SQUARES];
    let mut line = 0;
    while line < LINE_COUNT {
        let (mut square, mut place) = (0, 1_u8);
        while square < SQUARES {
            if LINES[line] >> square & 1 == 1 {
                table[square][counts[square]] = (line as u8, place, (line * CONTENTS) as u16);
                counts[square] += 1;
                place = place.wrapping_mul(3);
            }
            square += 1;
        }
        line += 1;
    }
    table
};

/// Which weight the contents of a line have: `[line][contents]`, and how many weights there are.
pub(crate) static SHARED: LazyLock<(Vec<[u16; CONTENTS]>, usize)> = LazyLock::new(|| {
    let digits = |contents: usize| [1, 3, 9, 27].map(|place| contents / place % 3);
    // The balls of both seats on a line, which name line and contents unless it is empty.
    let balls = |line: u64, contents: usize| {
        let squares = (0..SQUARES).filter(|square| line >> square & 1 == 1);
        let mut sides = [0_u64; 2];
        for (square, digit) in squares.zip(digits(contents)) {
            if digit > 0 {
                sides[digit - 1] |= 1 << square;
            }
        }
        (line, sides)
    };
    let least = |(line, sides): (u64, [u64; 2])| {
        let images = Symmetry::ALL.map(|s| (s.squares(line), sides.map(|side| s.squares(side))));
        images.into_iter().min().expect("the board has symmetries")
    };
    let mut names: Vec<(u64, [u64; 2])> = Vec::new();
    let mut shared = vec![[0; CONTENTS]; LINE_COUNT];
    for (row, &line) in shared.iter_mut().zip(&LINES) {
        for (contents, index) in row.iter_mut().enumerate() {
            let name = least(balls(line, contents));
            let known = names.iter().position(|n| *n == name);
            *index = known.unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            }) as u16;
        }
    }
    (shared, names.len())
});

/// Weights in thousandths of a logit.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    /// `line * 81 + contents`, and a row of zeros.
    lines: Vec<i16>,
    threats: [i32; THREATS],
}

impl Weights {
    /// Makes weights of the shared weights of lines, followed by those of threats, in logits.
    ///
    /// # Panics
    /// Unless there are [`weight_count`] of them.
    pub(crate) fn of(shared: &[f64]) -> Self {
        assert_eq!(shared.len(), weight_count(), "weights of the evaluation");
        let number = |i: usize| (1000.0 * shared[i]).round();
        let mut lines = vec![0; (LINE_COUNT + 1) * CONTENTS];
        for (line, row) in SHARED.0.iter().enumerate() {
            for (contents, &index) in row.iter().enumerate() {
                lines[line * CONTENTS + contents] = number(usize::from(index)) as i16;
            }
        }
        let count = SHARED.1;
        Self {
            lines,
            threats: std::array::from_fn(|i| number(count + i) as i32),
        }
    }

    /// Those built in.
    pub(crate) fn built_in() -> Self {
        Self::of(&built_in_weights())
    }

    /// The worth of the threats on empty squares for seat 0, of seats 0 and 1.
    #[inline]
    pub(crate) fn of_threats(&self, threats: [u64; 2], taken: u64) -> i32 {
        if (threats[0] | threats[1]) & !taken == 0 {
            return 0;
        }
        let counts = threat_counts(threats, taken);
        let terms = counts.iter().zip(&self.threats);
        terms.map(|(&count, weight)| count * weight).sum()
    }
}

/// Number of all weights: the shared ones of lines, then those of threats.
pub(crate) fn weight_count() -> usize {
    SHARED.1 + THREATS
}

/// Returns the weights built in, in logits: the shared ones of lines, then those of threats.
pub(crate) fn built_in_weights() -> Vec<f64> {
    let text = include_str!("weights.txt");
    let mut weights = numbers("score_four/best/weights.txt", text, weight_count())
        .unwrap_or_else(|error| panic!("the shipped weights are whole: {error}"));
    for thousandths in &mut weights {
        *thousandths /= 1000.0;
    }
    weights
}

/// Contents of all lines, kept ball by ball, and what they are worth to seat 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines {
    contents: [u8; LINE_COUNT + 4],
    /// Thousandths of a logit.
    pub(crate) sum: i32,
}

impl Lines {
    /// Those of a position.
    pub(crate) fn of(position: &Position, weights: &Weights) -> Self {
        let mut lines = Self {
            contents: [0; LINE_COUNT + 4],
            sum: (0..LINE_COUNT)
                .map(|line| i32::from(weights.lines[line * CONTENTS]))
                .sum(),
        };
        for seat in 0..2 {
            let balls = position.balls(seat);
            for square in (0..64).filter(|square| balls >> square & 1 == 1) {
                lines.drop(seat, square, weights);
            }
        }
        lines
    }

    /// Contents of a line, 0 to 80.
    pub(crate) fn contents(&self, line: usize) -> usize {
        usize::from(self.contents[line])
    }

    /// What a ball of `seat` on a square would add to the sum.
    #[inline]
    pub(crate) fn gain(&self, seat: u8, square: u32, weights: &Weights) -> i32 {
        let mut gain = 0;
        for &(line, place, row) in &AT[square as usize & 63] {
            let old = usize::from(self.contents[usize::from(line)]);
            let new = old + usize::from(place * (1 + seat));
            let row = usize::from(row);
            gain += i32::from(weights.lines[row + new]) - i32::from(weights.lines[row + old]);
        }
        gain
    }

    /// Drops a ball of `seat` on a square (the number of its bit).
    #[inline]
    pub(crate) fn drop(&mut self, seat: u8, square: u32, weights: &Weights) {
        self.sum += self.gain(seat, square, weights);
        for &(line, place, _) in &AT[square as usize & 63] {
            self.contents[usize::from(line)] += place * (1 + seat);
        }
    }
}

/// Kinds of threats.
pub(crate) const THREATS: usize = 17;

const LEVEL: u64 = 0xffff;

/// Counts threats on squares that cannot be played yet: on each peg the lowest threat of either seat decides what those
/// above it are worth, for nobody likes to play just below a threat of the other seat. Levels are counted from 0.
///
/// How many threats of each kind there are, for threats of seats 0 and 1 and the squares with balls.
///
/// 0..3: pegs whose lowest threat is seat 0's, on level 1, 2, 3; 3..6: seat 1's; 6..9: a square both want;
/// 9 and 10: squares above one another that both win for seat 0 (1); 11..14 and 14..17: threats of seat
/// 0 (1) higher up, by level.
#[inline]
pub(super) fn threat_counts(threats: [u64; 2], taken: u64) -> [i32; THREATS] {
    let [first, second] = threats.map(|squares| squares & !taken);
    let any = first | second;
    let lowest = any & !(any << 16 | any << 32 | any << 48);
    let by_level =
        |squares: u64| [1, 2, 3].map(|level| (squares >> (16 * level) & LEVEL).count_ones() as i32);
    let mut counts = [0; THREATS];
    counts[0..3].copy_from_slice(&by_level(lowest & first & !second));
    counts[3..6].copy_from_slice(&by_level(lowest & second & !first));
    counts[6..9].copy_from_slice(&by_level(lowest & first & second));
    counts[9] = (first & first << 16).count_ones() as i32;
    counts[10] = (second & second << 16).count_ones() as i32;
    counts[11..14].copy_from_slice(&by_level(first & !lowest));
    counts[14..17].copy_from_slice(&by_level(second & !lowest));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_weights_are_whole() {
        assert_eq!(built_in_weights().len(), weight_count());
    }
}
