//! What the networks of policy and value see: what the mover knows, and the hand that each move leaves.
//!
//! Ranks are counted in the order of strength that holds after the move. Gifts of the exchange are moves as well.

use games::daihinmin::{Cards, Meld, MeldKind, SEATS};

use super::features::{FEATURES, NONE, Situation, features};
use super::information_state::InformationState;
use crate::learning::{Inputs, numbers_of};

const RANKS: usize = 13;
const OTHERS: usize = 0;
const OTHERS_JOKER: usize = OTHERS + RANKS * 4;
const OTHERS_SPADE_3: usize = OTHERS_JOKER + 1;
const OTHERS_EIGHTS: usize = OTHERS_SPADE_3 + 1;
const RIVALS: usize = OTHERS_EIGHTS + 4;
const RIVAL: usize = 28;
const FIELD: usize = RIVALS + (SEATS - 1) * RIVAL;
const FIELD_JOKER: usize = FIELD + 5 * 15;
const FIELD_EMPTY: usize = FIELD_JOKER + 1;
const FIELD_SUITS: usize = FIELD_EMPTY + 1;
const LOCK: usize = FIELD_SUITS + 4;
const REVOLUTION: usize = LOCK + 1;
const OWNER: usize = REVOLUTION + 1;
const STANDING: usize = OWNER + SEATS;
const STANDINGS: usize = STANDING + SEATS + 1;
const GIFT: usize = STANDINGS + (SEATS - 1) * SEATS;
const HAND: usize = GIFT + 2;
const HAND_JOKER: usize = HAND + RANKS * 4;
const HAND_EIGHTS: usize = HAND_JOKER + 1;
const HAND_CELLS: usize = HAND_EIGHTS + 4;
const HAND_SIZE: usize = HAND_CELLS + RANKS * 4;
const MELD: usize = HAND_SIZE + 14;
const MAKES_LOCK: usize = MELD + 9 * 15;
const REVOLTS: usize = MAKES_LOCK + 1;
const GIVEN: usize = REVOLTS + 1;
const MOVE: usize = GIVEN + RANKS;
pub const INPUTS: usize = MOVE + FEATURES;

const EIGHT: u8 = 6;

/// Most kinds of players of a field: a seat keeps a copy of each for each of the others.
const MOST_KINDS: usize = 16;

pub type DaihinminNetworks = crate::learning::Networks<INPUTS>;

impl DaihinminNetworks {
    /// Returns the networks shipped with the project.
    pub fn built_in() -> DaihinminNetworks {
        let bytes = include_bytes!("../../../models/daihinmin/networks.i16");
        DaihinminNetworks::from_bytes(bytes).expect("the shipped networks are whole")
    }

    /// Those of the kinds of players that the field has: a policy for each, and the value that is built in.
    pub fn field() -> Vec<DaihinminNetworks> {
        let bytes = include_bytes!("../../../models/daihinmin/field.i16");
        DaihinminNetworks::field_of(bytes).expect("the shipped policies are whole")
    }

    /// Reads policies that follow one another, each like that of [`Self::from_bytes`].
    ///
    /// # Errors
    /// If they are not 1 to 16 whole policies.
    pub fn field_of(bytes: &[u8]) -> Result<Vec<DaihinminNetworks>, String> {
        let own = DaihinminNetworks::built_in();
        let kind = |bytes| {
            let mut networks = own.clone();
            numbers_of(bytes, networks.policy.numbers_mut())?;
            Ok(networks)
        };
        let size = 2 * own.policy.numbers().len();
        let kinds = bytes.len() / size;
        if !bytes.len().is_multiple_of(size) || kinds == 0 || kinds > MOST_KINDS {
            let length = bytes.len();
            return Err(format!(
                "{length} bytes are not 1 to {MOST_KINDS} policies of {size} bytes each"
            ));
        }
        bytes.chunks(size).map(kind).collect()
    }
}

impl Inputs {
    pub(crate) fn set_melds(&mut self, known: &InformationState, melds: &[Meld]) {
        self.clear();
        let revolution = known.table.revolution;
        self.push_situation(known, revolution);
        self.push_hand(known.hand, revolution);
        self.end_situation();
        let situation = Situation::new(known);
        for &meld in melds {
            let whole = known.table.rules.revolution && meld.revolts();
            let cards = meld.cards();
            let turned = revolution ^ whole;
            if whole {
                self.push_situation(known, turned);
                self.push_hand(known.hand - cards, turned);
                self.push(REVOLTS);
            } else {
                self.push_hand_after(known.hand, cards, turned);
            }
            self.push_meld(known, meld, turned);
            let active = features(&situation, meld);
            for &feature in active.iter().filter(|&&feature| feature != NONE) {
                self.push(MOVE + usize::from(feature));
            }
            let added = self.len();
            if !whole {
                self.push_hand_before(known.hand, cards, turned);
            }
            self.end_move(self.len() - added, whole);
        }
    }

    /// Takes in a decision among gifts of one or two cards.
    pub(crate) fn set_gifts(&mut self, known: &InformationState, gifts: &[Cards]) {
        self.clear();
        self.push_situation(known, false);
        let owed = gifts.first().map_or(0, |gift| gift.len());
        self.push(GIFT + usize::from(owed > 1));
        self.push_hand(known.hand, false);
        self.end_situation();
        for &gift in gifts {
            self.push_hand_after(known.hand, gift, false);
            for card in gift.iter().filter(|card| !card.is_joker()) {
                self.push(GIVEN + rank(card.column(), false));
            }
            let added = self.len();
            self.push_hand_before(known.hand, gift, false);
            self.end_move(self.len() - added, false);
        }
    }

    fn push_situation(&mut self, known: &InformationState, revolution: bool) {
        let InformationState {
            table,
            others,
            counts,
            ..
        } = known;
        let me = usize::from(table.turn);
        let suited = others.suited().bits();
        for column in 1..=RANKS as u8 {
            let n = held(suited, column);
            if n > 0 {
                self.push(OTHERS + rank(column, revolution) * 4 + n - 1);
            }
        }
        let eights = held(suited, EIGHT);
        if eights > 0 {
            self.push(OTHERS_EIGHTS + eights - 1);
        }
        if others.has_joker() {
            self.push(OTHERS_JOKER);
        }
        if others.contains_all(Cards::SPADE_3) {
            self.push(OTHERS_SPADE_3);
        }
        for rival in 1..SEATS {
            let seat = (me + rival) % SEATS;
            if table.is_alive(seat as u8) && counts[seat] > 0 {
                let count = usize::from(counts[seat].min(14)) - 1;
                let passed = usize::from(table.has_passed(seat as u8));
                self.push(RIVALS + (rival - 1) * RIVAL + passed * 14 + count);
            }
        }
        let field = table.field;
        let kind = match field.kind() {
            MeldKind::Pass => None,
            MeldKind::Single => Some(0),
            MeldKind::Group => Some(if field.len() == 2 { 1 } else { 2 }),
            MeldKind::Sequence => Some(if field.len() == 3 { 3 } else { 4 }),
        };
        match kind {
            None => self.push(FIELD_EMPTY),
            Some(_) if field.is_lone_joker() => self.push(FIELD_JOKER),
            Some(kind) => {
                self.push(FIELD + kind * 15 + strength(field.low(), revolution));
                for suit in (0..4).filter(|suit| field.suits() >> suit & 1 != 0) {
                    self.push(FIELD_SUITS + suit);
                }
                self.push(OWNER + (usize::from(table.owner) + SEATS - me) % SEATS);
            }
        }
        if table.lock {
            self.push(LOCK);
        }
        if revolution {
            self.push(REVOLUTION);
        }
        match known.ranks {
            None => self.push(STANDING + SEATS),
            Some(ranks) => {
                self.push(STANDING + usize::from(ranks[me]));
                for rival in 1..SEATS {
                    let seat = (me + rival) % SEATS;
                    if table.is_alive(seat as u8) {
                        self.push(STANDINGS + (rival - 1) * SEATS + usize::from(ranks[seat]));
                    }
                }
            }
        }
    }

    fn push_hand(&mut self, hand: Cards, revolution: bool) {
        self.push_columns(hand, 0x1FFF, revolution);
        self.push_cards(hand, revolution);
        self.push_size(hand);
    }

    /// The rows that appear when `gone` leaves the hand.
    fn push_hand_after(&mut self, hand: Cards, gone: Cards, revolution: bool) {
        if gone.is_empty() {
            return;
        }
        let rest = hand - gone;
        self.push_columns(rest, touched(gone), revolution);
        self.push_size(rest);
    }

    /// The rows that vanish when `gone` leaves the hand.
    fn push_hand_before(&mut self, hand: Cards, gone: Cards, revolution: bool) {
        if gone.is_empty() {
            return;
        }
        self.push_columns(hand, touched(gone), revolution);
        self.push_cards(gone, revolution);
        self.push_size(hand);
    }

    fn push_cards(&mut self, cards: Cards, revolution: bool) {
        if cards.has_joker() {
            self.push(HAND_JOKER);
        }
        let mut cells = cards.suited().bits();
        while cells != 0 {
            self.push(cell(cells.trailing_zeros(), revolution));
            cells &= cells - 1;
        }
    }

    fn push_size(&mut self, hand: Cards) {
        let size = hand.len() as usize;
        if size > 0 {
            self.push(HAND_SIZE + size.min(14) - 1);
        }
    }

    /// The numbers of cards of some columns, one bit each from column 1.
    fn push_columns(&mut self, hand: Cards, columns: u16, revolution: bool) {
        let suited = hand.suited().bits();
        let mut left = columns;
        while left != 0 {
            let column = left.trailing_zeros() as u8 + 1;
            left &= left - 1;
            let n = held(suited, column);
            if n > 0 {
                self.push(HAND + rank(column, revolution) * 4 + n - 1);
                if column == EIGHT {
                    self.push(HAND_EIGHTS + n - 1);
                }
            }
        }
    }

    fn push_meld(&mut self, known: &InformationState, meld: Meld, revolution: bool) {
        let kind = match meld.kind() {
            MeldKind::Pass => 0,
            MeldKind::Single if meld.is_lone_joker() => 1,
            MeldKind::Single => 2,
            MeldKind::Group => usize::from(meld.len().min(4)) + 1,
            MeldKind::Sequence => usize::from(meld.len().min(5)) + 3,
        };
        let low = if kind < 2 {
            0
        } else {
            strength(meld.low(), revolution)
        };
        self.push(MELD + kind * 15 + low);
        let field = known.table.field;
        if kind > 1 && !known.table.lock && meld.suits() == field.suits() {
            self.push(MAKES_LOCK);
        }
    }
}

fn held(suited: u64, column: u8) -> usize {
    (suited >> (4 * column) & 0xF).count_ones() as usize
}

/// A column in the order of strength, from 0.
fn rank(column: u8, revolution: bool) -> usize {
    usize::from(if revolution { 13 - column } else { column - 1 })
}

/// The lowest column of a meld in the order of strength, 0 to 14.
fn strength(low: u8, revolution: bool) -> usize {
    usize::from(if revolution { 14 - low.min(14) } else { low })
}

fn cell(bit: u32, revolution: bool) -> usize {
    HAND_CELLS + rank((bit / 4) as u8, revolution) * 4 + (bit % 4) as usize
}

/// The columns of some cards, one bit each from column 1.
fn touched(cards: Cards) -> u16 {
    let mut bits = cards.suited().bits();
    let mut columns = 0;
    while bits != 0 {
        let column = bits.trailing_zeros() / 4;
        columns |= 1 << (column - 1);
        bits &= !(0xF << (4 * column));
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daihinmin::mover::{Choices, Mover};
    use games::daihinmin::{Dealer, Position, Session, SessionRules};
    use rand::SeedableRng as _;
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Decisions of games in which the policy plays, with some revolutions and locks among them.
    fn decisions(games: u32) -> Vec<(InformationState, Vec<Meld>)> {
        let networks = DaihinminNetworks::built_in();
        // A warm policy makes all kinds of moves.
        let mut mover = Mover::new(&networks, 0.2);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
        let mut session = Session::new(SessionRules::default(), Dealer::plain(9));
        let mut decisions = Vec::new();
        for game in 0..games {
            let mut position: Position = session.deal().start();
            let ranks = (game % 2 == 1).then_some([3, 1, 4, 0, 2]);
            while !position.table.is_over() && !position.table.is_stalled() {
                let known = InformationState::in_position(&position, ranks);
                let meld = match mover.consider(&known) {
                    Choices::One(only) => only,
                    Choices::Several => {
                        decisions.push((known, mover.moves.clone()));
                        mover.draw_among(&known, &mut rng)
                    }
                };
                position.play_unchecked(meld);
            }
            session.finish([0, 1, 2, 3, 4]);
        }
        decisions
    }

    /// What `Inputs` says of a move must be what it says of the hand that the move leaves.
    #[test]
    fn the_rows_of_a_move_are_those_of_the_hand_that_it_leaves() {
        let mut inputs = Inputs::default();
        let mut turned = 0;
        for (known, moves) in decisions(60) {
            inputs.set_melds(&known, &moves);
            assert_eq!(inputs.changes().count(), moves.len());
            for (change, &meld) in inputs.changes().zip(&moves) {
                let mut rows: Vec<u16> = if change.whole {
                    Vec::new()
                } else {
                    inputs.situation().to_vec()
                };
                rows.extend(change.added);
                for gone in change.removed {
                    let at = rows.iter().position(|row| row == gone);
                    rows.swap_remove(at.expect("only rows that are there are removed"));
                }
                rows.retain(|&row| (HAND..MELD).contains(&usize::from(row)));
                rows.sort_unstable();
                turned += u32::from(change.whole);
                let mut due = Inputs::default();
                due.push_hand(
                    known.hand - meld.cards(),
                    known.table.revolution ^ change.whole,
                );
                due.end_situation();
                let mut due = due.situation().to_vec();
                due.sort_unstable();
                assert_eq!(rows, due, "{meld} of {}", known.hand);
            }
        }
        assert!(turned > 5, "{turned} revolutions");
    }
}
