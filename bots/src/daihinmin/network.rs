//! The networks of policy and value: one hidden layer over what the mover knows and the hand that each move leaves.
//!
//! The sums of the hidden layer are those of the situation, and each move adds and removes the rows of the cards that it takes
//! out of the hand. The last unit has no `ReLU`: its sum is part of the output, so a network contains a linear policy. Ranks
//! are counted in the order of strength that holds after the move. Gifts of the exchange are moves as well.

use std::path::Path;

use games::daihinmin::{Cards, Kind, Meld, SEATS};
use rand::{Rng, RngExt as _};

use super::features::{FEATURES, NONE, Situation, features};
use super::policy::Known;

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
/// Number of inputs.
pub(crate) const INPUTS: usize = MOVE + FEATURES;
const BIAS: usize = INPUTS;
const OUT: usize = INPUTS + 1;
/// Rows of a network: one for each input, the bias, and the weights of the hidden units.
pub(crate) const ROWS: usize = INPUTS + 2;
/// Units of a network; the last one is its linear part.
pub(crate) const UNITS: usize = 64;

const EIGHT: u8 = 6;

/// The rows of one move.
#[derive(Clone, Copy, Debug)]
struct Choice {
    /// The rows of the situation are not part of it: the move turns the order of the ranks.
    whole: bool,
    removed: u32,
    end: u32,
}

/// The active inputs of a decision and of each of its moves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inputs {
    rows: Vec<u16>,
    situation: usize,
    choices: Vec<Choice>,
}

/// The rows of one move: those that it adds and those that it removes.
pub(crate) struct Change<'a> {
    pub(crate) whole: bool,
    pub(crate) added: &'a [u16],
    pub(crate) removed: &'a [u16],
}

impl Inputs {
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.choices.clear();
    }

    /// The rows of the situation with the whole hand.
    pub(crate) fn situation(&self) -> &[u16] {
        &self.rows[..self.situation]
    }

    /// The rows of each move.
    pub(crate) fn changes(&self) -> impl Iterator<Item = Change<'_>> {
        let mut begin = self.situation;
        self.choices.iter().map(move |choice| {
            let (removed, end) = (choice.removed as usize, choice.end as usize);
            let change = Change {
                whole: choice.whole,
                added: &self.rows[begin..removed],
                removed: &self.rows[removed..end],
            };
            begin = end;
            change
        })
    }

    fn push(&mut self, row: usize) {
        debug_assert!(row < INPUTS);
        self.rows.push(row as u16);
    }

    /// Takes in a decision among melds.
    pub(crate) fn set_melds(&mut self, known: &Known, melds: &[Meld]) {
        self.clear();
        let revolution = known.table.revolution;
        self.push_situation(known, revolution);
        self.push_hand(known.hand, revolution);
        self.situation = self.rows.len();
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
            let removed = self.rows.len() as u32;
            if !whole {
                self.push_hand_before(known.hand, cards, turned);
            }
            self.choices.push(Choice {
                whole,
                removed,
                end: self.rows.len() as u32,
            });
        }
    }

    /// Takes in a decision among gifts of one or two cards.
    pub(crate) fn set_gifts(&mut self, known: &Known, gifts: &[Cards]) {
        self.clear();
        self.push_situation(known, false);
        let owed = gifts.first().map_or(0, |gift| gift.len());
        self.push(GIFT + usize::from(owed > 1));
        self.push_hand(known.hand, false);
        self.situation = self.rows.len();
        for &gift in gifts {
            self.push_hand_after(known.hand, gift, false);
            for card in gift.iter().filter(|card| !card.is_joker()) {
                self.push(GIVEN + rank(card.column(), false));
            }
            let removed = self.rows.len() as u32;
            self.push_hand_before(known.hand, gift, false);
            self.choices.push(Choice {
                whole: false,
                removed,
                end: self.rows.len() as u32,
            });
        }
    }

    fn push_situation(&mut self, known: &Known, revolution: bool) {
        let Known {
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
            Kind::Pass => None,
            Kind::Single => Some(0),
            Kind::Group => Some(if field.len() == 2 { 1 } else { 2 }),
            Kind::Sequence => Some(if field.len() == 3 { 3 } else { 4 }),
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

    fn push_meld(&mut self, known: &Known, meld: Meld, revolution: bool) {
        let kind = match meld.kind() {
            Kind::Pass => 0,
            Kind::Single if meld.is_lone_joker() => 1,
            Kind::Single => 2,
            Kind::Group => usize::from(meld.len().min(4)) + 1,
            Kind::Sequence => usize::from(meld.len().min(5)) + 3,
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

/// Cards of a column.
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

/// The sums of the first layer.
pub(crate) type Sums = [f32; UNITS];

/// One step of a number in a file.
const STEP: f32 = 1.0 / 4096.0;

/// The network of the policy, and that of the value of a decision for its mover.
#[derive(Clone, Debug, PartialEq)]
pub struct Networks {
    /// Its output for a move is the logit.
    pub(crate) policy: Network,
    /// Its output for the situation is the value in 0..=1.
    pub(crate) value: Network,
}

impl Networks {
    /// Returns the networks shipped with the project.
    ///
    /// # Panics
    /// If the shipped file is damaged.
    pub fn built_in() -> Networks {
        let bytes = include_bytes!("../../../models/daihinmin/networks.i16");
        Networks::from_bytes(bytes).expect("the shipped networks are whole")
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or is not as [`Networks::from_bytes`] wants it.
    pub fn read(path: &Path) -> Result<Networks, String> {
        let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
        Networks::from_bytes(&bytes)
    }

    /// Reads little-endian 16-bit numbers of steps of 1/4096: the rows of the policy, then those of the value.
    ///
    /// # Errors
    /// If their number is not that of two networks.
    pub fn from_bytes(bytes: &[u8]) -> Result<Networks, String> {
        let wanted = 2 * 2 * ROWS * UNITS;
        if bytes.len() != wanted {
            return Err(format!("{} bytes where {wanted} are wanted", bytes.len()));
        }
        let mut networks = Networks {
            policy: Network::zero(),
            value: Network::zero(),
        };
        for (number, b) in networks.numbers_mut().zip(bytes.chunks_exact(2)) {
            *number = f32::from(i16::from_le_bytes([b[0], b[1]])) * STEP;
        }
        Ok(networks)
    }

    /// The numbers as [`Networks::from_bytes`] reads them; those beyond 8 are cut to it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let rows = self.policy.0.iter().chain(&self.value.0);
        let steps = rows.flatten().map(|number| (number / STEP).round() as i16);
        steps.flat_map(i16::to_le_bytes).collect()
    }

    fn numbers_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        let rows = self.policy.0.iter_mut().chain(&mut self.value.0);
        rows.flatten()
    }
}

/// A network with one hidden layer and a linear part.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Network(Vec<[f32; UNITS]>);

impl Network {
    /// All zero.
    pub(crate) fn zero() -> Self {
        Network(vec![[0.0; UNITS]; ROWS])
    }

    pub(crate) fn rows(&self) -> &[[f32; UNITS]] {
        &self.0
    }

    pub(crate) fn rows_mut(&mut self) -> &mut [[f32; UNITS]] {
        &mut self.0
    }

    /// Small random numbers.
    pub(crate) fn random(rng: &mut impl Rng) -> Self {
        let mut network = Network::zero();
        for row in &mut network.0[..INPUTS] {
            row[..UNITS - 1].fill_with(|| rng.random_range(-0.1..0.1));
        }
        network.0[BIAS][..UNITS - 1].fill(0.1);
        network.0[OUT][..UNITS - 1].fill_with(|| rng.random_range(-0.05..0.05));
        network
    }

    /// Adds all numbers of another.
    pub(crate) fn add_all(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            for (a, b) in mine.iter_mut().zip(theirs) {
                *a += b;
            }
        }
    }

    fn add(&self, sums: &mut Sums, rows: &[u16]) {
        for &row in rows {
            let row = &self.0[usize::from(row)];
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += weight;
            }
        }
    }

    /// The sums of the situation.
    pub(crate) fn situation(&self, inputs: &Inputs) -> Sums {
        let mut sums = self.0[BIAS];
        self.add(&mut sums, inputs.situation());
        sums
    }

    /// The sums of a move.
    pub(crate) fn after(&self, situation: &Sums, change: &Change<'_>) -> Sums {
        let mut sums = if change.whole {
            self.0[BIAS]
        } else {
            *situation
        };
        self.add(&mut sums, change.added);
        for &row in change.removed {
            let row = &self.0[usize::from(row)];
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum -= weight;
            }
        }
        sums
    }

    /// The output for some sums.
    pub(crate) fn output(&self, sums: &Sums) -> f32 {
        let out = &self.0[OUT];
        let mut parts = [0.0; 8];
        for (sums, out) in sums.chunks_exact(8).zip(out.chunks_exact(8)) {
            for k in 0..8 {
                parts[k] += sums[k].max(0.0) * out[k];
            }
        }
        // The weight of the last unit is 0: it has no `ReLU`.
        parts.iter().sum::<f32>() + sums[UNITS - 1]
    }

    /// The logit of each move.
    pub(crate) fn logits(&self, inputs: &Inputs, out: &mut Vec<f32>) {
        let situation = self.situation(inputs);
        out.clear();
        out.extend(
            inputs
                .changes()
                .map(|change| self.output(&self.after(&situation, &change))),
        );
    }

    /// Adds the gradient of one decision: `slopes` are those of the logits.
    pub(crate) fn add_gradient(&mut self, network: &Self, inputs: &Inputs, slopes: &[f32]) {
        let situation = network.situation(inputs);
        let mut shared = [0.0; UNITS];
        for (change, &slope) in inputs.changes().zip(slopes) {
            if slope.abs() < 1e-6 {
                continue;
            }
            let sums = network.after(&situation, &change);
            let back = self.back(network, &sums, slope);
            if !change.whole {
                for (sum, b) in shared.iter_mut().zip(&back) {
                    *sum += b;
                }
            }
            self.spread(change.added, &back);
            self.spread(change.removed, &back.map(|b| -b));
            if change.whole {
                self.spread(&[BIAS as u16], &back);
            }
        }
        self.spread(inputs.situation(), &shared);
        self.spread(&[BIAS as u16], &shared);
    }

    /// Adds the gradient of the output for the situation alone.
    pub(crate) fn add_gradient_of_value(&mut self, network: &Self, inputs: &Inputs, slope: f32) {
        let sums = network.situation(inputs);
        let back = self.back(network, &sums, slope);
        self.spread(inputs.situation(), &back);
        self.spread(&[BIAS as u16], &back);
    }

    fn back(&mut self, network: &Self, sums: &Sums, slope: f32) -> Sums {
        let out = &network.0[OUT];
        let mut back = [0.0; UNITS];
        for k in 0..UNITS - 1 {
            let is_on = f32::from(u8::from(sums[k] > 0.0));
            back[k] = slope * out[k] * is_on;
            self.0[OUT][k] += slope * sums[k] * is_on;
        }
        back[UNITS - 1] = slope;
        back
    }

    fn spread(&mut self, rows: &[u16], back: &Sums) {
        for &row in rows {
            for (weight, b) in self.0[usize::from(row)].iter_mut().zip(back) {
                *weight += b;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daihinmin::policy::{Choices, Mover};
    use games::daihinmin::{Dealer, Position, Session, SessionRules};
    use rand::SeedableRng as _;
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Decisions of games in which the policy plays, with some revolutions and locks among them.
    fn decisions(games: u32) -> Vec<(Known, Vec<Meld>)> {
        let networks = Networks::built_in();
        // A warm policy makes all kinds of moves.
        let mut mover = Mover::new(&networks, 0.2);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
        let mut session = Session::new(SessionRules::default(), Dealer::plain(9));
        let mut decisions = Vec::new();
        for game in 0..games {
            let mut position: Position = session.deal().start();
            let ranks = (game % 2 == 1).then_some([3, 1, 4, 0, 2]);
            while !position.table.is_over() && !position.table.is_stalled() {
                let known = Known::in_position(&position, ranks);
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
                due.rows.sort_unstable();
                assert_eq!(rows, due.rows, "{meld} of {}", known.hand);
            }
        }
        assert!(turned > 5, "{turned} revolutions");
    }

    #[test]
    fn gradients_are_differences() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let mut network = Network::random(&mut rng);
        let mut inputs = Inputs::default();
        let (_, moves) = decisions(60)
            .into_iter()
            .find(|(known, moves)| {
                inputs.set_melds(known, moves);
                inputs.changes().any(|change| change.whole)
            })
            .expect("a move that turns the ranks");
        let slopes: Vec<f32> = (0..moves.len()).map(|i| 1.0 - 0.3 * i as f32).collect();
        let weighed = |network: &Network| {
            let mut logits = Vec::new();
            network.logits(&inputs, &mut logits);
            let products = logits.iter().zip(&slopes).map(|(l, s)| f64::from(l * s));
            products.sum::<f64>()
        };
        let mut gradient = Network::zero();
        gradient.add_gradient(&network, &inputs, &slopes);
        let rows = [usize::from(inputs.situation()[0]), BIAS, OUT, MOVE];
        for row in rows {
            for unit in [0, 7, UNITS - 1] {
                if row == OUT && unit == UNITS - 1 {
                    continue;
                }
                let before = network.0[row][unit];
                let mut at = |x: f32| {
                    network.0[row][unit] = before + x;
                    weighed(&network)
                };
                let slope = (at(1e-2) - at(-1e-2)) / 2e-2;
                at(0.0);
                let due = f64::from(gradient.0[row][unit]);
                assert!(
                    (slope - due).abs() < 0.03 + 0.03 * due.abs(),
                    "{row} {unit}: {slope} {due}"
                );
            }
        }
    }

    #[test]
    fn networks_are_read_as_they_were_written() {
        let networks = Networks::built_in();
        let bytes = networks.to_bytes();
        assert_eq!(Networks::from_bytes(&bytes), Ok(networks));
        let short = Networks::from_bytes(&bytes[2..]);
        assert!(short.is_err_and(|e| e.contains("bytes where")));
    }
}
