//! What an engine is, a search behind a name that is asked through one seat's view, and two yardsticks: uniformly random
//! moves, and a rule bot of the official client's kind.

use std::time::Duration;

use games::daihinmin::{
    Cards, Meld, MeldKind, SEATS, Table, View, legal_moves_no_waste, strongest, tribute_order,
};
use serde_json::Value;

use super::sampler::{below, random_move};
use crate::engine::RandomEngine;

pub trait Engine: Send {
    /// A move for the seat of the view, which is to move, within the engine's own budget and, where one is given, `limit`,
    /// whichever is less. The caller checks it.
    fn choose(&mut self, view: &View, limit: Option<Duration>) -> Meld;

    /// The `n` cards (1 or 2) to give away, as fugo or daifugo. `view.hand` is the hand with the
    /// tribute in it, `view.exchanged` says what was received and from whom; `view.table` is not
    /// yet meaningful.
    fn gift(&mut self, view: &View, n: u32, limit: Option<Duration>) -> Cards;

    /// The players in the seats of the game that comes, by their numbers in the match. The caller tells it before the game's
    /// first question.
    fn seated(&mut self, _player_at: [u8; SEATS]) {}

    /// A game begins, exchange done; nobody has moved.
    fn game_begins(&mut self, _view: &View) {}

    /// Somebody moved: `before` is this seat's view before the move and `before.table.turn` the
    /// mover. Called for this seat's own moves, too.
    fn observe(&mut self, _before: &View, _meld: Meld) {}

    fn explain(&self) -> Option<Value> {
        None
    }
}

impl Engine for RandomEngine {
    fn choose(&mut self, view: &View, _limit: Option<Duration>) -> Meld {
        random_move(&view.table, view.hand, &mut self.rng)
    }

    fn gift(&mut self, view: &View, n: u32, _limit: Option<Duration>) -> Cards {
        let mut gift = Cards::EMPTY;
        while gift.len() < n && gift != view.hand {
            let rest = view.hand - gift;
            gift.insert(rest.nth(below(&mut self.rng, rest.len())));
        }
        gift
    }
}

/// The plain rule bot: answers with the weakest legal meld, leads its weakest rank with as many
/// cards of it as it can, keeps the joker until nothing else fits, and gives its weakest cards.
#[derive(Clone, Copy, Debug, Default)]
pub struct DefaultEngine;

impl Engine for DefaultEngine {
    fn choose(&mut self, view: &View, _limit: Option<Duration>) -> Meld {
        lowest_meld(&view.table, view.hand)
    }

    fn gift(&mut self, view: &View, n: u32, _limit: Option<Duration>) -> Cards {
        weakest(view.hand, n)
    }
}

/// The `n` weakest cards of a hand before a revolution.
pub fn weakest(hand: Cards, n: u32) -> Cards {
    hand - strongest(hand, hand.len().saturating_sub(n))
}

pub fn lowest_meld(table: &Table, hand: Cards) -> Meld {
    let mut moves = Vec::with_capacity(64);
    legal_moves_no_waste(table, hand, &mut moves);
    let revolution = table.revolution;
    let strength = |meld: &Meld| {
        let top = if revolution {
            14 - meld.low()
        } else {
            meld.low()
        };
        let joker = meld.cards().has_joker();
        let order: u32 = meld
            .cards()
            .iter()
            .map(|c| u32::from(tribute_order(c)))
            .sum();
        (joker, top, std::cmp::Reverse(meld.len()), order)
    };
    let leads = table.field.kind() == MeldKind::Pass;
    moves
        .iter()
        .filter(|m| !m.is_pass())
        .min_by_key(|m| strength(m))
        .copied()
        .unwrap_or_else(|| {
            debug_assert!(!leads, "a leader has a card");
            Meld::PASS
        })
}

/// The gifts worth trying: `n` of the cards of the hand that are below the king, the joker, aces
/// and 2s being kept while there are enough others.
pub fn gift_choices(hand: Cards, n: u32) -> Vec<Cards> {
    let mut pool: Vec<_> = hand.iter().filter(|c| c.column() <= 10).collect();
    if (pool.len() as u32) < n + 1 {
        pool = hand.iter().filter(|c| !c.is_joker()).collect();
    }
    let mut choices = Vec::new();
    for (i, &a) in pool.iter().enumerate() {
        if n == 1 {
            choices.push(Cards::from(a));
        } else {
            choices.extend(
                pool[i + 1..]
                    .iter()
                    .map(|&b| Cards::from(a) | Cards::from(b)),
            );
        }
    }
    if choices.is_empty() {
        choices.push(weakest(hand, n));
    }
    choices
}
