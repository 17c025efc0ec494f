//! What a rich player sends in the exchange (section 2.10 of the UECda specification).

use games::daihinmin::Cards;

use super::card_table::{CardTable, Cell, cell};
use super::submission::{Malformed, Scan, check_values, joker_cell, named_cards};

/// Why a table is no choice of cards to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum MalformedGift {
    /// A malformed table. The official server looks at this for the daifugo only.
    #[error(transparent)]
    Flaw(Malformed),
    /// Another number of cards than is owed.
    #[error("{got} cards given, {owed} owed")]
    Number {
        /// Cells with a card.
        got: u32,
        /// Cards owed.
        owed: u32,
    },
}

/// An exchange table, understood as the official server does, but for its fault with a joker in
/// another cell than [`cell::JOKER`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GiftChoice {
    /// Cells of value 1 or 2 in rows 0..5.
    pub named: u32,
    /// The cards that these cells name; fewer than `named` when a cell names none, or two the
    /// joker.
    pub cards: Cards,
    /// The first flaw, if any.
    pub flaw: Option<Malformed>,
    /// Where the joker was sent if not in [`cell::JOKER`]. The official server then also deletes
    /// the card of this cell from the giver's hand.
    pub joker_elsewhere: Option<Cell>,
}

impl GiftChoice {
    /// Understands an exchange table. Rows 5..8 are not looked at.
    pub fn parse(table: &CardTable) -> GiftChoice {
        GiftChoice {
            named: Scan::of(table).named,
            cards: named_cards(table),
            flaw: check_values(table).err(),
            joker_elsewhere: joker_cell(table).filter(|&at| at != cell::JOKER),
        }
    }

    /// The cards to move, when `owed` of them are due from a seat that gives freely. Flaws beside
    /// the card are overlooked for one card (the fugo's exchange), as the official server does.
    /// Whether the cards are held is a matter of the rules.
    ///
    /// # Errors
    /// Why the choice is void; the strongest cards are then taken instead.
    pub fn cards(&self, owed: u32) -> Result<Cards, MalformedGift> {
        let flaw = self
            .flaw
            .filter(|_| owed != 1 || self.cards.len() != self.named);
        if let Some(flaw) = flaw {
            return Err(MalformedGift::Flaw(flaw));
        }
        if self.named != owed {
            return Err(MalformedGift::Number {
                got: self.named,
                owed,
            });
        }
        Ok(self.cards)
    }
}
