//! Legality and the generator of legal moves (`protocol/UECDA.md`).

use super::cards::{Cards, Suits};
use super::meld::{Meld, MeldKind};
use super::table::{IllegalMove, Table};
use super::windows::Windows;

/// Whether the seat to move, holding `hand`, may play `meld`.
///
/// # Errors
/// The rule that forbids it.
pub fn is_legal(table: &Table, hand: Cards, meld: Meld) -> Result<(), IllegalMove> {
    if table.is_over() || table.is_stalled() {
        return Err(IllegalMove::GameOver);
    }
    if meld.is_pass() {
        return Ok(());
    }
    if !hand.contains_all(meld.cards()) {
        return Err(IllegalMove::NotHeld);
    }
    if meld.kind() == MeldKind::Sequence && !table.rules.sequences {
        return Err(IllegalMove::SequenceOff);
    }
    let field = table.field;
    if field.is_pass() {
        return Ok(());
    }
    if field.len() != meld.len() {
        return Err(IllegalMove::WrongCount);
    }
    if field.is_lone_joker() {
        return if meld.is_spade_3() {
            Ok(())
        } else {
            Err(IllegalMove::OnlySpade3)
        };
    }
    if meld.is_lone_joker() {
        return Ok(());
    }
    if field.kind() != meld.kind() {
        return Err(IllegalMove::WrongKind);
    }
    let span = if meld.kind() == MeldKind::Sequence {
        meld.len() - 1
    } else {
        0
    };
    let stronger = if table.revolution {
        meld.low() + span < field.low()
    } else {
        meld.low() > field.low() + span
    };
    if !stronger {
        return Err(IllegalMove::TooWeak);
    }
    if table.lock && meld.suits() != field.suits() {
        return Err(IllegalMove::Locked);
    }
    Ok(())
}

/// Clears `out` and fills it with every legal move, the pass first, which is always legal.
pub fn legal_moves(table: &Table, hand: Cards, out: &mut Vec<Meld>) {
    generate::<true>(table, hand, out);
}

/// As [`legal_moves`], without the melds in which the joker stands for a card of the hand
/// ([`Meld::wastes_joker`]): playing the card itself keeps the joker.
pub fn legal_moves_no_waste(table: &Table, hand: Cards, out: &mut Vec<Meld>) {
    generate::<false>(table, hand, out);
}

const LOW_BITS: u64 = 0x1111_1111_1111_1111;
const HIGH_BITS: u64 = 0x8888_8888_8888_8888;
/// Sets of suits by their number, in ascending order.
const SUITS_BY_LEN: [&[Suits]; 5] = [
    &[],
    &[1, 2, 4, 8],
    &[3, 5, 6, 9, 10, 12],
    &[7, 11, 13, 14],
    &[15],
];

/// Number of cards in each column, one nibble each.
#[inline]
pub const fn column_counts(cards: u64) -> u64 {
    (cards & LOW_BITS) + (cards >> 1 & LOW_BITS) + (cards >> 2 & LOW_BITS) + (cards >> 3 & LOW_BITS)
}

fn generate<const WASTE: bool>(table: &Table, hand: Cards, out: &mut Vec<Meld>) {
    out.clear();
    if table.is_over() || table.is_stalled() {
        return;
    }
    out.push(Meld::PASS);
    let field = table.field;
    let lock: Option<Suits> = table.lock.then(|| field.suits());
    match field.kind() {
        MeldKind::Pass => {
            singles(hand, !0, None, out);
            for len in 2..=5 {
                groups::<WASTE>(hand, len, 1, 13, None, out);
            }
            if table.rules.sequences {
                let most = (hand.len() as u8).min(15);
                for len in 3..=most {
                    let before = out.len();
                    sequences::<WASTE>(hand, len, 0, 15 - len, None, out);
                    if out.len() == before {
                        break;
                    }
                }
            }
        }
        MeldKind::Single if field.is_lone_joker() => {
            if hand.contains_all(Cards::SPADE_3) {
                out.push(Meld::single(1, 0));
            }
        }
        MeldKind::Single => {
            singles(hand, beating_columns(table), lock, out);
        }
        MeldKind::Group => {
            let (from, to) = if table.revolution {
                (1, field.low() - 1)
            } else {
                (field.low() + 1, 13)
            };
            groups::<WASTE>(hand, field.len(), from, to, lock, out);
        }
        MeldKind::Sequence => {
            let len = field.len();
            let range = if table.revolution {
                field.low().checked_sub(len).map(|to| (0, to))
            } else {
                Some((field.low() + len, 15 - len)).filter(|(from, to)| from <= to)
            };
            if let Some((from, to)) = range.filter(|_| table.rules.sequences) {
                sequences::<WASTE>(hand, len, from, to, lock, out);
            }
        }
    }
}

/// Bits of all cells in columns that beat the single card on the field.
fn beating_columns(table: &Table) -> u64 {
    let low = table.field.low();
    if table.revolution {
        (1 << (4 * low)) - 1
    } else {
        !0 << (4 * (low + 1))
    }
}

fn singles(hand: Cards, columns: u64, lock: Option<Suits>, out: &mut Vec<Meld>) {
    let rows = lock.map_or(!0, |suits| LOW_BITS * u64::from(suits & 0xF));
    let cards = Cards::from_bits(hand.suited().bits() & columns & rows);
    out.extend(cards.iter().map(|c| Meld::single(c.column(), c.row())));
    if hand.has_joker() {
        out.push(Meld::LONE_JOKER);
    }
}

fn groups<const WASTE: bool>(
    hand: Cards,
    len: u8,
    from: u8,
    to: u8,
    lock: Option<Suits>,
    out: &mut Vec<Meld>,
) {
    if from > to {
        return;
    }
    let joker = hand.has_joker();
    let suited = hand.suited().bits();
    let cells = suited & (!0 << (4 * from)) & ((1 << (4 * (to + 1))) - 1);
    // Columns with enough cards: a sum of at least `enough` carries into the nibble's top bit.
    let enough = u64::from(len - u8::from(joker));
    let mut columns = (column_counts(cells) + LOW_BITS * (8 - enough)) & HIGH_BITS;
    while columns != 0 {
        let column = (columns.trailing_zeros() / 4) as u8;
        columns &= columns - 1;
        let held = hand.suits_in(column);
        if len == 5 {
            if joker && held == 0xF {
                out.push(Meld::group(column, 0xF, Some(4)));
            }
            continue;
        }
        for &suits in SUITS_BY_LEN[usize::from(len)] {
            let missing = suits & !held;
            if missing & missing.wrapping_sub(1) != 0 || lock.is_some_and(|lock| lock != suits) {
                continue;
            }
            if missing != 0 {
                if joker {
                    let row = missing.trailing_zeros() as u8;
                    out.push(Meld::group(column, suits, Some(row)));
                }
                continue;
            }
            out.push(Meld::group(column, suits, None));
            if WASTE && joker {
                let rows = (0..4).filter(|row| suits >> row & 1 != 0);
                out.extend(rows.map(|row| Meld::group(column, suits, Some(row))));
            }
        }
    }
}

fn sequences<const WASTE: bool>(
    hand: Cards,
    len: u8,
    from: u8,
    to: u8,
    lock: Option<Suits>,
    out: &mut Vec<Meld>,
) {
    let joker = hand.has_joker();
    let mut windows = Windows::new(hand.suited().bits());
    while windows.len() < len {
        windows.grow();
    }
    let rows = lock.map_or(!0, |suits| LOW_BITS * u64::from(suits & 0xF));
    let (full, near) = windows.starts(joker);
    let mut starts = (full | near) & rows & (!0 << (4 * from)) & ((1 << (4 * (to + 1))) - 1);
    while starts != 0 {
        let start = starts & starts.wrapping_neg();
        starts &= starts - 1;
        if near & start != 0 {
            out.push(windows.meld(start, true));
            continue;
        }
        let meld = windows.meld(start, false);
        out.push(meld);
        if WASTE && joker {
            let (low, row) = (meld.low(), (start.trailing_zeros() & 3) as u8);
            out.extend((low..low + len).map(|c| Meld::sequence(low, len, row, Some(c))));
        }
    }
}
