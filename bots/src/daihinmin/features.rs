//! The features of a move that the networks take in beside the cards.

use games::daihinmin::{Cards, Meld, MeldKind};

use super::information_state::InformationState;

const LOW_BITS: u64 = 0x1111_1111_1111_1111;
const EIGHTS: u64 = 0xF << 24;

/// Sizes of the feature blocks, in order; see [`features`].
const BLOCKS: [usize; 19] = [
    84,
    64,
    32,
    8,
    84,
    12,
    24,
    3,
    6,
    14,
    4,
    96,
    8,
    8,
    30,
    16,
    16,
    64,
    2 * 7 * 8,
];
pub(crate) const FEATURES: usize = {
    let mut sum = 0;
    let mut i = 0;
    while i < BLOCKS.len() {
        sum += BLOCKS[i];
        i += 1;
    }
    sum
};
const BASE: [usize; BLOCKS.len()] = {
    let mut base = [0; BLOCKS.len()];
    let mut i = 1;
    while i < BLOCKS.len() {
        base[i] = base[i - 1] + BLOCKS[i - 1];
        i += 1;
    }
    base
};

/// Stands for no feature: its weight is always 0, so sums need no test.
pub(crate) const NONE: u16 = FEATURES as u16;

/// Active features of one move, one slot for each block, [`NONE`] where the block is silent.
pub(crate) type ActiveFeatures = [u16; BLOCKS.len()];

/// What the features read of a decision, worked out once for all its moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Situation {
    hand: u64,
    joker: bool,
    others: u64,
    other_joker: bool,
    other_spade_3: bool,
    revolution: bool,
    lead: bool,
    field: Meld,
    lock: bool,
    own_field: bool,
    active_others: u8,
    fewest: u8,
    /// Cells of cards that at most two others' cards beat.
    strong: u64,
    /// Cells that belong to a run of three.
    runs: u64,
}

/// Cells of runs of at least three.
#[inline]
fn runs(cards: u64) -> u64 {
    let starts = cards & (cards >> 4) & (cards >> 8);
    starts | (starts << 4) | (starts << 8)
}

#[inline]
fn columns(cards: u64) -> u64 {
    (cards | cards >> 1 | cards >> 2 | cards >> 3) & LOW_BITS
}

/// Cells that beat single cards of `column`.
#[inline]
fn beating(column: u8, revolution: bool) -> u64 {
    if revolution {
        (1 << (4 * column)) - 1
    } else {
        !0 << (4 * (column + 1))
    }
}

impl Situation {
    #[inline]
    pub(crate) fn new(known: &InformationState) -> Situation {
        let InformationState {
            table,
            hand,
            others,
            counts,
            ..
        } = known;
        let me = table.turn;
        let suited = others.suited().bits();
        let mut rest = suited;
        let mut third = 0;
        for _ in 0..3 {
            if rest == 0 {
                break;
            }
            let bit = if table.revolution {
                rest.trailing_zeros()
            } else {
                rest.ilog2()
            };
            third = bit;
            rest &= !(1 << bit);
        }
        let strong = if suited.count_ones() < 3 {
            !0
        } else {
            let column = third >> 2;
            if table.revolution {
                (1_u64 << (4 * (column + 1))) - 1
            } else {
                !0 << (4 * column)
            }
        };
        let mut fewest = u8::MAX;
        for (seat, &count) in counts.iter().enumerate() {
            if seat != usize::from(me) && table.is_alive(seat as u8) {
                fewest = fewest.min(count);
            }
        }
        let hand_suited = hand.suited().bits();
        Situation {
            hand: hand_suited,
            joker: hand.has_joker(),
            others: suited,
            other_joker: others.has_joker(),
            other_spade_3: others.contains_all(Cards::SPADE_3),
            revolution: table.revolution,
            lead: table.field.is_pass(),
            field: table.field,
            lock: table.lock,
            own_field: table.owner == me,
            active_others: (table.alive & !table.passed & !(1 << me)).count_ones() as u8,
            fewest,
            strong,
            runs: runs(hand_suited),
        }
    }

    /// Others' cards above a single card, in eight steps.
    #[inline]
    fn rivals(&self, column: u8) -> usize {
        const STEP: [u8; 24] = [
            0, 1, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7, 7, 7,
        ];
        let above = (self.others & beating(column, self.revolution)).count_ones() as usize;
        usize::from(STEP[above.min(23)])
    }
}

#[inline]
fn few(cards: u32) -> usize {
    const STEP: [u8; 9] = [0, 0, 1, 2, 3, 3, 4, 4, 5];
    usize::from(STEP[(cards as usize).min(8)])
}

/// The active features of a move. Blocks: 0 shape, lead or answer and cards left; 1 shape and
/// rivals above; 2 cards of the rank left behind; 3 a run broken; 4 rank; 5 eight cut; 6 joker;
/// 7 revolution; 8 suit lock made; 9 control and turns left; 10 control with one meld left; 11 turns
/// and losers left; 12 joker and strong cards left; 13 fewest cards of a rival; 14 pass by field;
/// 15 single before a rival's last cards; 16 run kept; 17 pass by rivals and cards; 18 shape by
/// fewest cards and losers.
#[inline]
pub(crate) fn features(s: &Situation, meld: Meld) -> ActiveFeatures {
    let mut active = [NONE; BLOCKS.len()];
    let mut set = |block: usize, index: usize| {
        debug_assert!(index < BLOCKS[block], "block {block} index {index}");
        active[block] = (BASE[block] + index) as u16;
    };
    let answer = usize::from(!s.lead);
    let cards = meld.cards().suited().bits();
    let uses_joker = meld.cards().has_joker();
    let rest = s.hand & !cards;
    let rest_joker = s.joker && !uses_joker;
    let left = rest.count_ones() + u32::from(rest_joker);
    let left_step = few(left);
    let shape = match meld.kind() {
        MeldKind::Pass => 0,
        MeldKind::Single if uses_joker => 6,
        MeldKind::Single => 1,
        MeldKind::Group if meld.len() == 2 => 2,
        MeldKind::Group => 3,
        MeldKind::Sequence if meld.len() == 3 => 4,
        MeldKind::Sequence => 5,
    };
    set(0, (shape * 2 + answer) * 6 + left_step);
    let turns = columns(rest).count_ones() as usize + usize::from(rest_joker);
    let losers = columns(rest & !s.strong & !EIGHTS).count_ones() as usize;
    set(11, (turns.min(7) * 6 + losers.min(5)) * 2 + answer);
    let strong_left = ((rest & (s.strong | EIGHTS)).count_ones() as usize).min(3);
    set(12, usize::from(rest_joker) * 4 + strong_left);
    let fewest = match s.fewest {
        0 | 1 => 0,
        2 => 1,
        3 | 4 => 2,
        _ => 3,
    };
    let run_left = runs(rest);
    set(
        16,
        (usize::from(run_left != 0) * 2 + usize::from(s.runs != 0)) * 4
            + usize::from(shape >= 4) * 2
            + answer,
    );
    set(
        18,
        (answer * 7 + shape) * 8 + fewest * 2 + usize::from(losers > 1),
    );
    if shape == 0 {
        set(13, fewest);
        if s.own_field && s.active_others == 0 {
            set(14, 0);
        } else {
            let kind = match s.field.kind() {
                MeldKind::Pass => 0,
                MeldKind::Single => 1,
                MeldKind::Group => 2,
                MeldKind::Sequence => 3,
            };
            let rivals = if s.field.is_lone_joker() {
                0
            } else {
                s.rivals(s.field.low())
            };
            set(14, 1 + (kind * 7 + rivals.min(6)).min(28));
        }
        set(
            17,
            usize::from(s.active_others.min(3)) * 8 + left_step + usize::from(s.lock) * 32,
        );
        return active;
    }
    set(13, 4 + fewest);
    if shape == 6 {
        let spade_3 = s.other_spade_3;
        set(6, 12 + left_step * 2 + usize::from(spade_3));
        let control = usize::from(!spade_3);
        set(9, control * 7 + turns.min(6));
        set(10, control * 2 + usize::from(one_meld(rest, rest_joker)));
        return active;
    }
    let low = meld.low();
    let top = if meld.kind() == MeldKind::Sequence {
        low + meld.len() - 1
    } else {
        low
    };
    let rank = if s.revolution { 14 - low.min(14) } else { low };
    let best_end = if s.revolution { low } else { top };
    let rivals = s.rivals(best_end);
    let size = match shape {
        1 => 0,
        2 | 3 => 1,
        _ => 2,
    };
    set(
        1,
        ((size + usize::from(shape == 3) * 2).min(3) * 2 + answer) * 8 + rivals,
    );
    set(4, (answer * 14 + usize::from(rank).min(13)) * 3 + size);
    if size < 2 {
        let behind = (rest >> (4 * low) & 0xF).count_ones() as usize;
        set(
            2,
            (usize::from(meld.len() - 1).min(3) * 4 + behind) * 2 + answer,
        );
    }
    if cards & s.runs != 0 && size < 2 {
        set(3, (answer * 2 + size) * 2 + usize::from(run_left != 0));
    }
    let cut = meld.cuts();
    if cut {
        set(5, answer * 6 + left_step);
    }
    if uses_joker {
        set(6, left_step * 2 + answer);
    }
    if meld.revolts() {
        let high = (rest & (!0 << 32)).count_ones();
        let low_cards = (rest & ((1 << 24) - 1)).count_ones();
        let gain = if s.revolution {
            high.cmp(&low_cards)
        } else {
            low_cards.cmp(&high)
        };
        set(7, (gain as i8 + 1) as usize);
    }
    if answer == 1 && !s.lock && meld.suits() == s.field.suits() {
        let suit_cells = LOW_BITS * u64::from(meld.suits() & 0xF);
        let more = rest & suit_cells & beating(low, s.revolution) != 0;
        set(
            8,
            usize::from(more) * 3 + usize::from(s.active_others.min(2)),
        );
    }
    let control =
        cut || s.active_others == 0 || (rivals == 0 && !(meld.len() == 1 && s.other_joker));
    set(9, usize::from(control) * 7 + turns.min(6));
    set(
        10,
        usize::from(control) * 2 + usize::from(one_meld(rest, rest_joker)),
    );
    if shape == 1 {
        set(15, fewest.min(1) * 8 + rivals);
    }
    active
}

/// Whether cards make one meld that can be led (or nothing is left).
#[inline]
fn one_meld(cards: u64, joker: bool) -> bool {
    if cards == 0 {
        return true;
    }
    let n = cards.count_ones() + u32::from(joker);
    if columns(cards).is_power_of_two() {
        return true;
    }
    let row = cards.trailing_zeros() & 3;
    if n < 3 || cards & !(LOW_BITS << row) != 0 {
        return false;
    }
    let span = (cards.ilog2()) / 4 - cards.trailing_zeros() / 4 + 1;
    span == cards.count_ones() || (joker && span == n)
}
