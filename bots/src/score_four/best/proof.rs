//! Values that need no search, by a strategy of the seat that is not to move.
//!
//! A peg with an even number of empty squares has them in pairs: levels 0 and 1, levels 2 and 3. A seat that always plays on top
//! of the other's ball gets the upper square of each pair. Pegs with an odd number begin with a single square on level 1 or 3;
//! with an even number of such pegs a single square answers a single square. So the other seat gets no more than the lower
//! squares and some of the single ones, whatever the order of the moves is. The follow-up rule and zugzwang come from V. Allis,
//! "A knowledge-based approach of Connect-Four", Vrije Universiteit Amsterdam (1988).

use games::score_four::has_line;

use super::board::Board;

/// Levels 0 and 2.
const LOWER: u64 = 0x0000_ffff_0000_ffff;
const LEVEL_1: u64 = 0xffff << 16;
const LEVEL_2: u64 = 0xffff << 32;

/// An upper bound of the value for the seat to move: -1, 0 or 1. The board is not over, and neither seat can complete a line
/// with its next ball.
#[inline]
pub(super) fn upper_bound(board: &Board) -> i32 {
    let [own, other] = board.sides;
    let free = !(own | other);
    let single = board.rests & !LOWER;
    let upper = free & !LOWER & !single;
    // The answer on such a square wins: the mover never gets to the square above.
    let cut = (board.threats[1] & upper) << 16;
    let lower = free & LOWER & !cut;
    if free.count_ones() & 1 == 0 {
        if gets_line(own | lower, single) {
            return 1;
        }
        let wins = board.threats[1] & upper != 0 || has_line(other | upper);
        return -i32::from(wins);
    }
    // The moves add up to the other seat's disadvantage, unless there is a peg where the mover must not play: below a
    // threat on level 2.
    let mut below = (board.threats[1] & free & LEVEL_2) >> 16 & free & LEVEL_1;
    while below != 0 {
        let square = below & below.wrapping_neg();
        below ^= square;
        let column = square | square << 16 | square << 32;
        // An empty square on level 0 of this peg is a free move, as a single square is.
        let tempi = single & !square | square >> 16 & free;
        if !gets_line((own | lower & !column | square) & !tempi, tempi) {
            return -1;
        }
    }
    i32::from(has_line(own | free))
}

/// Whether the mover may get a line of `squares` and those that it takes of `single`, of which the other seat takes one for
/// each of the mover's.
#[inline]
fn gets_line(squares: u64, single: u64) -> bool {
    if !has_line(squares | single) {
        return false;
    }
    if single == 0 || has_line(squares) {
        return true;
    }
    // The other seat answers within pairs of its choice.
    let mut each = [0_u64; 16];
    let mut rest = single;
    let mut count = 0;
    while rest != 0 {
        each[count & 15] = rest & rest.wrapping_neg();
        rest &= rest - 1;
        count += 1;
    }
    let safe = |pairs: [[u64; 2]; 2]| {
        let [[a, b], [c, d]] = pairs;
        [a | c, a | d, b | c, b | d]
            .iter()
            .all(|taken| !has_line(squares | taken))
    };
    let [a, b, c, d] = [each[0], each[1], each[2], each[3]];
    match count {
        2 => has_line(squares | a) || has_line(squares | b),
        4 => !(safe([[a, b], [c, d]]) || safe([[a, c], [b, d]]) || safe([[a, d], [b, c]])),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use games::Cases;
    use games::score_four::Position;
    use rand::SeedableRng as _;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::super::Solver;
    use super::super::board::Moves;
    use super::*;
    use crate::score_four::late_position;

    #[test]
    fn no_bound_is_below_the_value() {
        let cases = Cases::new(6000);
        let share = cases.left().count() as u32;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(9 + cases.left().start);
        let mut solver = Solver::new(12).without_proofs();
        let mut found = [[0; 3]; 2];
        for i in cases {
            let position: Position = late_position(2 + (i % 15) as u8, &mut rng);
            let board = Board::of(&position);
            if !matches!(board.moves(), Moves::Safe(_)) {
                continue;
            }
            let bound = upper_bound(&board);
            let value = solver.value(&position, None).expect("no limit");
            assert!(value <= bound, "{position}: {value} above {bound}");
            found[usize::from(position.ply() & 1)][(bound + 1) as usize] += 1;
        }
        // Both strategies give bounds; seat 0 has none for a draw but the lack of lines.
        assert!(
            found
                .iter()
                .all(|seat| seat[0] > share / 300 && seat[1] >= share / 2000),
            "{found:?}"
        );
    }
}
