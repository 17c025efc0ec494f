//! One legal move drawn uniformly at random without listing the moves: the inner loop of the
//! uniform playout.
//!
//! The moves are those of [`games::daihinmin::legal_moves_no_waste`] (the joker never stands for
//! a card of the hand), without the pass on an empty field.

use games::daihinmin::{Cards, Meld, MeldKind, Table, Windows, column_counts};
use rand::Rng;

/// Uniform in 0..n; the bias is below n / 2^32.
#[inline]
pub(crate) fn below(rng: &mut impl Rng, n: u32) -> u32 {
    ((u64::from(rng.next_u32()) * u64::from(n)) >> 32) as u32
}

const LOW_BITS: u64 = 0x1111_1111_1111_1111;
const HIGH_BITS: u64 = 0x8888_8888_8888_8888;
/// Binomial coefficients `CHOOSE[k][n]` for k, n in 0..=4.
const CHOOSE: [[u32; 5]; 5] = [
    [1, 0, 0, 0, 0],
    [1, 1, 0, 0, 0],
    [1, 2, 1, 0, 0],
    [1, 3, 3, 1, 0],
    [1, 4, 6, 4, 1],
];
/// Groups of any size from `k` cards of one rank, without the joker.
const PLAIN_GROUPS: [u32; 5] = [0, 0, 1, 4, 11];
/// Groups of any size from `k` cards of one rank, with the joker for a card not held.
const JOKER_GROUPS: [u32; 5] = [0, 3, 6, 7, 1];

/// The `k`-th of the subsets with `n` elements of the four-bit set `set`.
#[inline]
fn subset(set: u8, n: u32, k: u32) -> u8 {
    let mut left = k;
    for x in 1..=15_u8 {
        if x & !set == 0 && x.count_ones() == n {
            if left == 0 {
                return x;
            }
            left -= 1;
        }
    }
    set
}

/// The `k`-th set bit of a four-bit set.
#[inline]
fn nth_row(set: u8, k: u32) -> u8 {
    let mut bits = set;
    for _ in 0..k {
        bits &= bits.wrapping_sub(1);
    }
    bits.trailing_zeros() as u8
}

/// The `k`-th group of `n` (2..=4) cards in `column`, `held` being the rows held; groups without
/// the joker come first.
#[inline]
fn nth_group(column: u8, held: u8, n: u32, k: u32) -> Meld {
    let count = held.count_ones() as usize;
    let plain = CHOOSE[count][n as usize];
    if k < plain {
        return Meld::group(column, subset(held, n, k), None);
    }
    let free = 4 - count as u32;
    let k = k - plain;
    let row = nth_row(!held & 0xF, k % free);
    Meld::group(column, subset(held, n - 1, k / free) | 1 << row, Some(row))
}

#[inline]
fn nth_bit(mut bits: u64, k: u32) -> u64 {
    for _ in 0..k {
        bits &= bits.wrapping_sub(1);
    }
    bits
}

/// A uniformly random legal move of the seat to move, which holds `hand`.
#[inline]
pub(crate) fn random_move(table: &Table, hand: Cards, rng: &mut impl Rng) -> Meld {
    let field = table.field;
    let suited = hand.suited().bits();
    let joker = hand.has_joker();
    match field.kind() {
        MeldKind::Pass => lead(table.rules.sequences, suited, joker, rng),
        MeldKind::Single => {
            if field.is_lone_joker() {
                let can = hand.contains_all(Cards::SPADE_3);
                return if can && rng.next_u32() >> 31 != 0 {
                    Meld::single(1, 0)
                } else {
                    Meld::PASS
                };
            }
            let low = field.low();
            let columns = if table.revolution {
                (1 << (4 * low)) - 1
            } else {
                !0 << (4 * (low + 1))
            };
            let rows = if table.lock {
                LOW_BITS * u64::from(field.suits())
            } else {
                !0
            };
            let cards = suited & columns & rows;
            let plain = cards.count_ones();
            let total = plain + u32::from(joker);
            if total == 0 {
                return Meld::PASS;
            }
            let k = below(rng, total + 1);
            if k < plain {
                let bit = nth_bit(cards, k).trailing_zeros() as u8;
                Meld::single(bit >> 2, bit & 3)
            } else if k < total {
                Meld::LONE_JOKER
            } else {
                Meld::PASS
            }
        }
        MeldKind::Group => answer_group(table, suited, joker, rng),
        MeldKind::Sequence => answer_sequence(table, suited, joker, rng),
    }
}

fn lead(sequences: bool, suited: u64, joker: bool, rng: &mut impl Rng) -> Meld {
    let singles = suited.count_ones();
    let counts = column_counts(suited);
    // Columns that can make a group: with at least two cards, or one beside the joker.
    let need = if joker { 7 } else { 6 };
    let mut columns = (counts + LOW_BITS * need) & HIGH_BITS;
    let group_columns = columns;
    let of_column = |bit: u32| {
        let k = (counts >> (bit & !3) & 0xF) as usize;
        PLAIN_GROUPS[k] + if joker { JOKER_GROUPS[k] } else { 0 }
    };
    let mut groups = 0;
    while columns != 0 {
        groups += of_column(columns.trailing_zeros());
        columns &= columns - 1;
    }
    let runs = |count: &mut dyn FnMut(&Windows) -> bool| {
        let mut windows = Windows::new(suited);
        windows.grow();
        while windows.len() < 14 {
            windows.grow();
            let (full, near) = windows.starts(joker);
            if (full | near) == 0 || count(&windows) {
                break;
            }
        }
    };
    let mut straights = 0;
    if sequences {
        runs(&mut |windows| {
            let (full, near) = windows.starts(joker);
            straights += full.count_ones() + near.count_ones();
            false
        });
    }
    let total = singles + u32::from(joker) + groups + straights;
    if total == 0 {
        return Meld::PASS;
    }
    let mut k = below(rng, total);
    if k < singles {
        let bit = nth_bit(suited, k).trailing_zeros() as u8;
        return Meld::single(bit >> 2, bit & 3);
    }
    k -= singles;
    if joker {
        if k == 0 {
            return Meld::LONE_JOKER;
        }
        k -= 1;
    }
    if k < groups {
        let mut columns = group_columns;
        loop {
            let bit = columns.trailing_zeros();
            let here = of_column(bit);
            if k < here {
                return group_of_any_size((bit >> 2) as u8, suited, joker, k);
            }
            k -= here;
            columns &= columns - 1;
        }
    }
    k -= groups;
    let mut chosen = Meld::PASS;
    runs(&mut |windows| {
        let (full, near) = windows.starts(joker);
        let plain = full.count_ones();
        let here = plain + near.count_ones();
        if k >= here {
            k -= here;
            return false;
        }
        chosen = if k < plain {
            windows.meld(nth_bit(full, k), false)
        } else {
            windows.meld(nth_bit(near, k - plain), true)
        };
        true
    });
    chosen
}

fn group_of_any_size(column: u8, suited: u64, joker: bool, mut k: u32) -> Meld {
    let held = (suited >> (4 * column)) as u8 & 0xF;
    let count = held.count_ones() as usize;
    for n in 2..=4_u32 {
        let with_joker = if joker {
            CHOOSE[count][n as usize - 1] * (4 - count as u32)
        } else {
            0
        };
        let here = CHOOSE[count][n as usize] + with_joker;
        if k < here {
            return nth_group(column, held, n, k);
        }
        k -= here;
    }
    Meld::group(column, 0xF, Some(4))
}

fn answer_group(table: &Table, suited: u64, joker: bool, rng: &mut impl Rng) -> Meld {
    let field = table.field;
    let n = u32::from(field.len());
    if n == 5 {
        return Meld::PASS;
    }
    let low = field.low();
    let beating = if table.revolution {
        (1_u64 << (4 * low)) - 1
    } else {
        !0 << (4 * (low + 1))
    };
    let cards = suited & beating;
    let counts = column_counts(cards);
    let enough = u64::from(8 - n + u32::from(joker));
    let columns = (counts + LOW_BITS * enough) & HIGH_BITS & beating;
    if columns == 0 {
        return Meld::PASS;
    }
    let of_column = |bit: u32| {
        let held = (suited >> (bit & !3)) as u8 & 0xF;
        let count = held.count_ones() as usize;
        if table.lock {
            let lacking = (field.suits() & !held).count_ones();
            u32::from(lacking == 0 || (joker && lacking == 1))
        } else {
            let with_joker = if joker {
                CHOOSE[count][n as usize - 1] * (4 - count as u32)
            } else {
                0
            };
            CHOOSE[count][n as usize] + with_joker
        }
    };
    let mut total = 0;
    let mut rest = columns;
    while rest != 0 {
        total += of_column(rest.trailing_zeros());
        rest &= rest - 1;
    }
    if total == 0 {
        return Meld::PASS;
    }
    let mut k = below(rng, total + 1);
    let mut rest = columns;
    while rest != 0 {
        let bit = rest.trailing_zeros();
        let here = of_column(bit);
        if k < here {
            let column = (bit >> 2) as u8;
            let held = (suited >> (4 * column)) as u8 & 0xF;
            if table.lock {
                let lacking = field.suits() & !held;
                let row = (lacking != 0).then(|| lacking.trailing_zeros() as u8);
                return Meld::group(column, field.suits(), row);
            }
            return nth_group(column, held, n, k);
        }
        k -= here;
        rest &= rest - 1;
    }
    Meld::PASS
}

fn answer_sequence(table: &Table, suited: u64, joker: bool, rng: &mut impl Rng) -> Meld {
    let field = table.field;
    let n = field.len();
    let mut windows = Windows::new(suited);
    while windows.len() < n {
        windows.grow();
    }
    let low = field.low();
    let starts = if table.revolution {
        if low < n {
            return Meld::PASS;
        }
        (1_u64 << (4 * (low - n + 1))) - 1
    } else {
        if low + n > 14 {
            return Meld::PASS;
        }
        !0 << (4 * (low + n))
    };
    let rows = if table.lock {
        LOW_BITS * u64::from(field.suits())
    } else {
        !0
    };
    let (full, near) = windows.starts(joker);
    let (full, near) = (full & starts & rows, near & starts & rows);
    let plain = full.count_ones();
    let total = plain + near.count_ones();
    if total == 0 {
        return Meld::PASS;
    }
    let k = below(rng, total + 1);
    if k < plain {
        windows.meld(nth_bit(full, k), false)
    } else if k < total {
        windows.meld(nth_bit(near, k - plain), true)
    } else {
        Meld::PASS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::daihinmin::{Dealer, Position, Session, SessionRules, legal_moves_no_waste};
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// In positions of random games, the sampler must draw every listed move about equally often
    /// and nothing else.
    #[test]
    fn draws_uniformly_from_the_listed_moves() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut session = Session::new(SessionRules::default(), Dealer::plain(5));
        let mut listed = Vec::new();
        let mut checked = 0;
        for game in 0..60 {
            let mut position: Position = session.deal().start();
            if game % 3 == 0 {
                position.table.revolution = true;
            }
            while !position.table.is_over() {
                legal_moves_no_waste(&position.table, position.hand(), &mut listed);
                if position.table.field.is_pass() {
                    listed.remove(0);
                }
                let draws = 40 * listed.len();
                let mut counts = vec![0_u32; listed.len()];
                for _ in 0..draws {
                    let meld = random_move(&position.table, position.hand(), &mut rng);
                    let i = listed.iter().position(|&m| m == meld);
                    counts[i.unwrap_or_else(|| panic!("{meld} is not legal"))] += 1;
                }
                // Poisson with mean 40: six standard deviations either way.
                assert!(counts.iter().all(|&c| (3..=85).contains(&c)), "{counts:?}");
                checked += 1;
                let meld = random_move(&position.table, position.hand(), &mut rng);
                position.play(meld).unwrap();
            }
            session.finish(position.table.places);
        }
        assert!(checked > 2000);
    }
}
