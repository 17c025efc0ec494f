//! Cards, suits, and sets of cards as 64-bit words.
//!
//! Bit `4 * column + suit` stands for a card. Columns are those of the UECda tables: 1..=13 are
//! 3, 4, ..., K, A, 2; columns 0 and 14 hold no card, only cells that the joker may stand in.
//! The joker itself is bit 60. Neighbouring ranks of one suit are thus 4 bits apart and the
//! suits of one rank are one nibble.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, Sub, SubAssign};

/// A suit; the number is the row of the UECda tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Suit {
    /// Row 0.
    Spade,
    /// Row 1.
    Heart,
    /// Row 2.
    Diamond,
    /// Row 3.
    Club,
}

impl Suit {
    /// All suits in row order.
    pub const ALL: [Suit; 4] = [Suit::Spade, Suit::Heart, Suit::Diamond, Suit::Club];

    /// The suit of row `row`, if `row < 4`.
    pub fn from_row(row: u8) -> Option<Suit> {
        Suit::ALL.get(usize::from(row)).copied()
    }
}

/// A set of suits: bits 0..=3 are the rows of the suits, bit 4 is row 4, where the joker stands
/// as the fifth card of a group.
pub type Suits = u8;

/// One card: a bit index of [`Cards`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

impl Card {
    /// The joker.
    pub const JOKER: Card = Card(60);

    /// The card of `suit` in `column` (1..=13 for 3..=2), or `None` outside these columns.
    pub const fn new(suit: Suit, column: u8) -> Option<Card> {
        if column >= 1 && column <= 13 {
            Some(Card(4 * column + suit as u8))
        } else {
            None
        }
    }

    /// Bit index in [`Cards`].
    pub const fn index(self) -> u8 {
        self.0
    }

    /// Column 1..=13, or 15 for the joker.
    pub const fn column(self) -> u8 {
        self.0 >> 2
    }

    /// Row 0..=3; meaningless for the joker.
    pub const fn row(self) -> u8 {
        self.0 & 3
    }

    /// Whether this is the joker.
    pub const fn is_joker(self) -> bool {
        self.0 == 60
    }
}

/// A set of cards.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cards(u64);

impl Cards {
    /// No card.
    pub const EMPTY: Cards = Cards(0);
    /// The joker alone.
    pub const JOKER: Cards = Cards(1 << 60);
    /// The 52 cards other than the joker: columns 1..=13.
    pub const SUITED: Cards = Cards(((1 << 56) - 1) & !0xF);
    /// All 53 cards.
    pub const ALL: Cards = Cards(Cards::SUITED.0 | Cards::JOKER.0);
    /// The three of spades, which takes the lone joker.
    pub const SPADE_3: Cards = Cards(1 << 4);
    /// The three of diamonds, whose holder leads the game.
    pub const DIAMOND_3: Cards = Cards(1 << 6);

    /// The set with these bits; bits that stand for no card are dropped.
    pub const fn from_bits(bits: u64) -> Cards {
        Cards(bits & Cards::ALL.0)
    }

    /// The bits of the set.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Number of cards.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set has no card.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether every card of `other` is in the set.
    pub const fn contains_all(self, other: Cards) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether `card` is in the set.
    pub const fn contains(self, card: Card) -> bool {
        self.0 >> card.0 & 1 != 0
    }

    /// Whether the joker is in the set.
    pub const fn has_joker(self) -> bool {
        self.0 & Cards::JOKER.0 != 0
    }

    /// The set without the joker.
    #[must_use]
    pub const fn suited(self) -> Cards {
        Cards(self.0 & Cards::SUITED.0)
    }

    /// Rows of the cards in `column` (0..=14), one bit each.
    pub const fn suits_in(self, column: u8) -> Suits {
        (self.0 >> (4 * column as u64)) as u8 & 0xF
    }

    /// Adds `card`.
    pub const fn insert(&mut self, card: Card) {
        self.0 |= 1 << card.0;
    }

    /// The cards in ascending bit order: by column, then row, the joker last.
    pub fn iter(self) -> impl Iterator<Item = Card> {
        let mut bits = self.0;
        std::iter::from_fn(move || {
            if bits == 0 {
                return None;
            }
            let i = bits.trailing_zeros() as u8;
            bits &= bits - 1;
            Some(Card(i))
        })
    }

    /// The `k`-th card of the set in bit order. `k` must be less than [`Cards::len`].
    #[inline]
    pub fn nth(self, k: u32) -> Card {
        let mut bits = self.0;
        for _ in 0..k {
            bits &= bits.wrapping_sub(1);
        }
        Card(bits.trailing_zeros() as u8)
    }
}

impl From<Card> for Cards {
    fn from(card: Card) -> Cards {
        Cards(1 << card.0)
    }
}

impl FromIterator<Card> for Cards {
    fn from_iter<I: IntoIterator<Item = Card>>(iter: I) -> Cards {
        let mut set = Cards::EMPTY;
        for card in iter {
            set.insert(card);
        }
        set
    }
}

impl BitOr for Cards {
    type Output = Cards;
    fn bitor(self, other: Cards) -> Cards {
        Cards(self.0 | other.0)
    }
}

impl BitOrAssign for Cards {
    fn bitor_assign(&mut self, other: Cards) {
        self.0 |= other.0;
    }
}

impl BitAnd for Cards {
    type Output = Cards;
    fn bitand(self, other: Cards) -> Cards {
        Cards(self.0 & other.0)
    }
}

impl BitAndAssign for Cards {
    fn bitand_assign(&mut self, other: Cards) {
        self.0 &= other.0;
    }
}

impl Sub for Cards {
    type Output = Cards;
    fn sub(self, other: Cards) -> Cards {
        Cards(self.0 & !other.0)
    }
}

impl SubAssign for Cards {
    fn sub_assign(&mut self, other: Cards) {
        self.0 &= !other.0;
    }
}

impl Not for Cards {
    type Output = Cards;
    fn not(self) -> Cards {
        Cards(!self.0 & Cards::ALL.0)
    }
}

impl fmt::Debug for Cards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cards({self})")
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Card({self})")
    }
}
