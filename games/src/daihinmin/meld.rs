//! Melds: what may be laid down in one move, and the pass.

use super::cards::{Cards, Suit, Suits};

/// Value of [`Meld::joker`] for a meld without the joker.
pub const NO_JOKER: u8 = u8::MAX;

/// The shape of a meld.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum MeldKind {
    /// No card: a pass as a move, an empty field on the table.
    Pass,
    /// One card, or the joker alone.
    Single,
    /// Two to five cards of one rank.
    Group,
    /// Three or more neighbouring cards of one suit.
    Sequence,
}

/// A meld, or the pass, in two machine words.
///
/// `cards` are the cards that leave the hand. `joker` is the cell that the joker stands in,
/// `4 * column + row` for rows 0..=3, [`Meld::ROW_4`]` + column` for the fifth card of a group of
/// five, [`NO_JOKER`] without the joker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Meld {
    cards: Cards,
    kind: MeldKind,
    low: u8,
    len: u8,
    suits: Suits,
    joker: u8,
}

impl Meld {
    /// The pass, and the empty field.
    pub const PASS: Meld = Meld {
        cards: Cards::EMPTY,
        kind: MeldKind::Pass,
        low: 0,
        len: 0,
        suits: 0,
        joker: NO_JOKER,
    };
    /// The joker alone, in the cell that strong clients use: row 0, column 14.
    pub const LONE_JOKER: Meld = Meld {
        cards: Cards::JOKER,
        kind: MeldKind::Single,
        low: 14,
        len: 1,
        suits: 0,
        joker: 14 * 4,
    };
    /// Base of [`Meld::joker`] values in row 4; the column is added.
    pub const ROW_4: u8 = 64;

    /// The single card in `column` (1..=13) of `row` (0..=3).
    #[inline]
    pub const fn single(column: u8, row: u8) -> Meld {
        debug_assert!(column >= 1 && column <= 13 && row < 4);
        Meld {
            cards: Cards::from_bits(1 << (4 * column + row)),
            kind: MeldKind::Single,
            low: column,
            len: 1,
            suits: 1 << row,
            joker: NO_JOKER,
        }
    }

    /// The group of `suits` (two to four of rows 0..=3) in `column`, the joker standing for
    /// `joker_row` if given. With all four suits, `joker_row` 4 makes a group of five.
    #[inline]
    pub const fn group(column: u8, suits: Suits, joker_row: Option<u8>) -> Meld {
        let base = ((suits & 0xF) as u64) << (4 * column);
        match joker_row {
            None => Meld {
                cards: Cards::from_bits(base),
                kind: MeldKind::Group,
                low: column,
                len: suits.count_ones() as u8,
                suits,
                joker: NO_JOKER,
            },
            Some(4) => Meld {
                cards: Cards::from_bits(base | Cards::JOKER.bits()),
                kind: MeldKind::Group,
                low: column,
                len: 5,
                suits: 0x1F,
                joker: Meld::ROW_4 + column,
            },
            Some(row) => Meld {
                cards: Cards::from_bits((base & !(1 << (4 * column + row))) | Cards::JOKER.bits()),
                kind: MeldKind::Group,
                low: column,
                len: suits.count_ones() as u8,
                suits,
                joker: 4 * column + row,
            },
        }
    }

    /// The sequence of `len` (3..=15) cells from column `low` (0..=14) upward in `row`, the joker
    /// standing in `joker_column` if given.
    #[inline]
    pub const fn sequence(low: u8, len: u8, row: u8, joker_column: Option<u8>) -> Meld {
        debug_assert!(len >= 3 && low + len <= 15 && row < 4);
        let cells = (0x0111_1111_1111_1111 & ((1 << (4 * len)) - 1)) << (4 * low + row);
        let (bits, joker) = match joker_column {
            None => (cells, NO_JOKER),
            Some(column) => {
                let cell = 4 * column + row;
                ((cells & !(1 << cell)) | Cards::JOKER.bits(), cell)
            }
        };
        Meld {
            cards: Cards::from_bits(bits),
            kind: MeldKind::Sequence,
            low,
            len,
            suits: 1 << row,
            joker,
        }
    }

    /// The cards that leave the hand.
    #[inline]
    pub const fn cards(self) -> Cards {
        self.cards
    }

    /// The shape.
    #[inline]
    pub const fn kind(self) -> MeldKind {
        self.kind
    }

    /// Lowest column: the rank of a single or group, the first column of a sequence (0 when the
    /// joker stands below the 3). 14 for the lone joker.
    #[inline]
    pub const fn low(self) -> u8 {
        self.low
    }

    /// Number of cards.
    #[inline]
    pub const fn len(self) -> u8 {
        self.len
    }

    /// Whether this is the pass.
    #[inline]
    pub const fn is_pass(self) -> bool {
        matches!(self.kind, MeldKind::Pass)
    }

    /// Whether the meld has no card: the same as [`Meld::is_pass`].
    pub const fn is_empty(self) -> bool {
        self.is_pass()
    }

    /// Suits that the cards, and the joker by its cell, stand in. Empty for the lone joker.
    #[inline]
    pub const fn suits(self) -> Suits {
        self.suits
    }

    /// Cell of the joker; see [`Meld`].
    #[inline]
    pub const fn joker(self) -> u8 {
        self.joker
    }

    /// Whether this is the joker alone.
    #[inline]
    pub const fn is_lone_joker(self) -> bool {
        self.len == 1 && self.joker != NO_JOKER
    }

    /// Whether the meld is the single spade 3.
    pub fn is_spade_3(self) -> bool {
        self.cards == Cards::SPADE_3
    }

    /// Whether the meld has an 8, the joker's cell included (the
    /// lone joker never counts).
    #[inline]
    pub const fn cuts(self) -> bool {
        match self.kind {
            MeldKind::Pass => false,
            MeldKind::Single | MeldKind::Group => self.low == 6,
            MeldKind::Sequence => self.low <= 6 && self.low + self.len > 6,
        }
    }

    /// Whether the meld turns the order of ranks over: a group of four or more or a sequence of
    /// five or more.
    #[inline]
    pub const fn revolts(self) -> bool {
        match self.kind {
            MeldKind::Pass | MeldKind::Single => false,
            MeldKind::Group => self.len >= 4,
            MeldKind::Sequence => self.len >= 5,
        }
    }

    /// Whether the joker stands for a card of `hand`: legal, but it wastes the joker.
    pub const fn wastes_joker(self, hand: Cards) -> bool {
        self.len > 1
            && self.joker < Meld::ROW_4
            && hand.bits() & Cards::SUITED.bits() & (1 << self.joker) != 0
    }

    /// The suit of a sequence or single card.
    pub fn suit(self) -> Option<Suit> {
        if self.suits.is_power_of_two() {
            Suit::from_row(self.suits.trailing_zeros() as u8)
        } else {
            None
        }
    }
}
