//! What one seat may know, and the deals that agree with it.

use rand_xoshiro::rand_core::Rng;

use super::cards::{Card, Cards};
use super::meld::Meld;
use super::position::Position;
use super::session::tribute_order;
use super::table::{IllegalMove, Table};
use super::{SEATS, legal};

/// The exchange as one seat saw it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Exchanged {
    /// The other seat of the exchange, if this seat took part.
    pub partner: Option<u8>,
    /// Cards this seat gave.
    pub given: Cards,
    /// Cards this seat received. The protocol shows a rich seat its hand with the tribute in it but
    /// not which cards it is; these are then the strongest cards of that hand, as many as the
    /// tribute: the weakest of them bounds the partner's other cards all the same.
    pub received: Cards,
    /// Whether this seat is the rich one: what it received were its partner's strongest cards.
    pub rich: bool,
}

/// All that one seat knows of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct View {
    /// The seat that looks.
    pub seat: u8,
    /// Its hand.
    pub hand: Cards,
    /// What everybody sees.
    pub table: Table,
    /// Number of cards of each seat.
    pub counts: [u8; SEATS],
    /// Cards laid down so far, by seat.
    pub played: [Cards; SEATS],
    /// The exchange as this seat saw it.
    pub exchanged: Exchanged,
    /// Place of each **seat** in the last game; `None` in a game without ranks.
    pub ranks: Option<[u8; SEATS]>,
    /// Games still to come before the ranks are reset or the match ends, where known.
    pub games_to_reset: Option<u32>,
}

impl View {
    /// The view of `seat` at the start of a game (after the exchange).
    pub fn at_start(position: &Position, seat: u8) -> View {
        View {
            seat,
            hand: position.hands[usize::from(seat)],
            table: position.table,
            counts: position.counts(),
            played: [Cards::EMPTY; SEATS],
            exchanged: Exchanged::default(),
            ranks: None,
            games_to_reset: None,
        }
    }

    /// Cards laid down by anybody.
    pub fn played_by_all(&self) -> Cards {
        self.played
            .iter()
            .fold(Cards::EMPTY, |all, &cards| all | cards)
    }

    /// Cards that are in the other seats' hands.
    pub fn unseen(&self) -> Cards {
        !(self.hand | self.played_by_all())
    }

    /// Follows a move of the seat to move, seen by all.
    ///
    /// # Errors
    /// When the move cannot have been made: it is illegal on the table, its cards were played
    /// before or (for another seat) lie in this seat's hand, or the seat has too few cards.
    pub fn follow(&mut self, meld: Meld) -> Result<(), IllegalMove> {
        let mover = usize::from(self.table.turn);
        let available = if self.table.turn == self.seat {
            self.hand
        } else {
            self.unseen()
        };
        if meld.len() > self.counts[mover] {
            return Err(IllegalMove::NotHeld);
        }
        legal::is_legal(&self.table, available, meld)?;
        self.counts[mover] -= meld.len();
        self.played[mover] |= meld.cards();
        self.hand -= meld.cards();
        self.table.lay(meld, self.counts[mover] == 0);
        self.table.advance();
        Ok(())
    }

    /// Cards that a seat is known to hold: what was given to it and not played since.
    pub fn known_hand(&self, seat: u8) -> Cards {
        if seat == self.seat {
            self.hand
        } else if self.exchanged.partner == Some(seat) {
            self.exchanged.given & self.unseen()
        } else {
            Cards::EMPTY
        }
    }

    /// Unseen cards that a seat cannot hold: the partner that gave its strongest cards has none
    /// above them but what it was given back.
    pub fn impossible_for(&self, seat: u8) -> Cards {
        let exchanged = &self.exchanged;
        if !exchanged.rich || exchanged.partner != Some(seat) {
            return Cards::EMPTY;
        }
        let Some(limit) = exchanged.received.iter().map(tribute_order).min() else {
            return Cards::EMPTY;
        };
        let above: Cards = self
            .unseen()
            .iter()
            .filter(|&c| tribute_order(c) > limit)
            .collect();
        above - exchanged.given
    }

    /// A full position drawn uniformly from the placements of the unseen cards that agree with
    /// what the seat knows: the numbers of cards, the cards it gave that its partner still holds,
    /// and that a poor partner's other cards are weaker than its tribute.
    ///
    /// Every placement has the same weight. A rich seat that does not know which of its cards are
    /// the tribute could weigh placements by the number of tributes that fit each; that is not done,
    /// and its partner's kept cards come out somewhat too strong.
    ///
    /// Only the numbers of cards are kept when the rest contradicts them (a server that broke its
    /// own exchange rule).
    #[inline]
    pub fn determinize(&self, rng: &mut impl Rng) -> Position {
        let mut deck = [Card::JOKER; 64];
        let mut hands = [Cards::EMPTY; SEATS];
        hands[usize::from(self.seat)] = self.hand;
        let mut rest = self.unseen();
        let mut need = self.counts.map(u32::from);
        need[usize::from(self.seat)] = 0;
        if let Some(partner) = self.exchanged.partner {
            let p = usize::from(partner);
            let known = self.known_hand(partner);
            let allowed = rest - known - self.impossible_for(partner);
            if known.len() <= need[p] {
                let free = need[p] - known.len();
                if allowed.len() >= free {
                    let n = fill(&mut deck, allowed);
                    let drawn = draw(&mut deck[..n], free as usize, rng);
                    hands[p] = known | drawn;
                    rest -= hands[p];
                    need[p] = 0;
                }
            }
        }
        let n = fill(&mut deck, rest);
        let mut left = &mut deck[..n];
        for (hand, &count) in hands.iter_mut().zip(&need) {
            let count = (count as usize).min(left.len());
            if count > 0 {
                *hand |= draw(left, count, rng);
                left = &mut left[count..];
            }
        }
        Position {
            table: self.table,
            hands,
        }
    }
}

/// Writes the cards of a set into `deck`; gives their number.
#[inline]
fn fill(deck: &mut [Card; 64], cards: Cards) -> usize {
    let mut n = 0;
    for card in cards.iter() {
        deck[n] = card;
        n += 1;
    }
    n
}

/// Moves `count` cards drawn at random to the front of `deck` (a partial Fisher-Yates shuffle)
/// and gives them as a set.
#[inline]
fn draw(deck: &mut [Card], count: usize, rng: &mut impl Rng) -> Cards {
    let n = deck.len();
    let mut set = Cards::EMPTY;
    for i in 0..count {
        // The bias of a 32-bit product is below 2^-26 for at most 53 cards.
        let span = (n - i) as u64;
        let j = i + ((u64::from(rng.next_u32()) * span) >> 32) as usize;
        deck.swap(i, j);
        set.insert(deck[i]);
    }
    set
}
