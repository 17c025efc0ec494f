//! The exchange of cards between rich and poor before a game (`protocol/UECDA.md`).

use super::cards::{Card, Cards};

/// Rank of a card in the order in which tribute is taken: greater is taken first. The joker,
/// then by rank from 2 down, inside a rank spade, heart, diamond, club.
pub const fn tribute_order(card: Card) -> u8 {
    if card.is_joker() {
        u8::MAX
    } else {
        4 * card.column() + (3 - card.row())
    }
}

/// The `n` strongest cards of a hand: what the poor must give, and what a rich seat gives when
/// its choice is void.
pub fn strongest(hand: Cards, n: u32) -> Cards {
    let mut cards: Vec<Card> = hand.iter().collect();
    cards.sort_by_key(|&card| std::cmp::Reverse(tribute_order(card)));
    cards.into_iter().take(n as usize).collect()
}

/// Cards that a seat of the last game's place `place` must hand over, and to which place it
/// gives: two from 4 to 0, one from 3 to 1, none otherwise.
pub const fn forced_tribute(place: u8) -> Option<(u32, u8)> {
    match place {
        4 => Some((2, 0)),
        3 => Some((1, 1)),
        _ => None,
    }
}

/// Whether a rich seat that holds `hand` may give `gift` when it owes `n` cards.
pub const fn is_valid_gift(hand: Cards, gift: Cards, n: u32) -> bool {
    gift.len() == n && hand.contains_all(gift)
}
