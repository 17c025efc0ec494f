//! Dealers: the sources of chance of a match. The official one draws as the server of the `UECda`
//! tournament does, the modern one without bias.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::cards::{Card, Cards, Suit};
use super::mt19937::Mt19937;
use super::{DECK, SEATS};

/// Which generator deals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
pub enum DealerKind {
    /// MT19937 with the draws of the official server: its seeds give its games.
    #[default]
    Official,
    /// xoshiro256++ with unbiased shuffles.
    Modern,
}

/// A source of chance for seating, dealing and the ranking after twenty passes.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // one per match; a box would buy nothing
pub enum Dealer {
    /// See [`DealerKind::Official`].
    Official(Mt19937),
    /// See [`DealerKind::Modern`].
    Modern(Xoshiro256PlusPlus),
}

impl Dealer {
    /// A dealer from a seed; the official one uses its low 32 bits.
    pub fn new(kind: DealerKind, seed: u64) -> Dealer {
        match kind {
            DealerKind::Official => Dealer::Official(Mt19937::new(seed as u32)),
            DealerKind::Modern => Dealer::Modern(Xoshiro256PlusPlus::seed_from_u64(seed)),
        }
    }

    /// Whether the seats are drawn anew before game number `game` (from 1) when they change every
    /// `every` games. The official server tests `game % every == 1`, so with 1, and with seat
    /// changes off (0 here), its players keep the seats of their numbers; the modern dealer draws
    /// before every game with 1, and before the first only with 0.
    pub(super) fn reseats(&self, every: u32, game: u32) -> bool {
        match self {
            Dealer::Official(_) => every > 1 && game % every == 1,
            Dealer::Modern(_) if every == 0 => game == 1,
            Dealer::Modern(_) => (game - 1).is_multiple_of(every),
        }
    }

    /// Draws the seating: the player in each seat.
    pub(super) fn seating(&mut self) -> [u8; SEATS] {
        let mut players = [0, 1, 2, 3, 4];
        match self {
            Dealer::Official(mt) => {
                let mut draws = [0.0_f64; SEATS];
                for player in 0..SEATS {
                    loop {
                        draws[player] = mt.next_real1();
                        if !draws[..player].contains(&draws[player]) {
                            break;
                        }
                    }
                }
                players.sort_by(|&a, &b| draws[usize::from(a)].total_cmp(&draws[usize::from(b)]));
            }
            Dealer::Modern(rng) => {
                for i in (1..SEATS).rev() {
                    players.swap(i, below(rng, i as u32 + 1) as usize);
                }
            }
        }
        players
    }

    /// Draws the player that is dealt to first when no ranks say it.
    pub(super) fn first_player(&mut self) -> u8 {
        match self {
            // Both ends of [0, 1] can be drawn: 1.0 would be player 5.
            Dealer::Official(mt) => ((mt.next_real1() * SEATS as f64) as u8).min(SEATS as u8 - 1),
            Dealer::Modern(rng) => below(rng, SEATS as u32) as u8,
        }
    }

    /// Deals the deck round the seats, beginning with seat `first`.
    pub(super) fn deal(&mut self, first: u8) -> [Cards; SEATS] {
        self.deal_to(|k| (usize::from(first) + k) % SEATS)
    }

    /// As [`Dealer::deal`], and as likely to give any hands; but whichever seat is first, a seat gets the same cards but for
    /// the last three of the deck, which go to seat `first` and the two behind it.
    pub(super) fn deal_evenly(&mut self, first: u8) -> [Cards; SEATS] {
        let even = DECK - DECK % SEATS;
        self.deal_to(|k| {
            if k < even {
                k % SEATS
            } else {
                (usize::from(first) + k) % SEATS
            }
        })
    }

    /// Deals the deck; `seat` says who gets which card of it.
    fn deal_to(&mut self, seat: impl Fn(usize) -> usize) -> [Cards; SEATS] {
        let mut deck = official_order();
        let mut hands = [Cards::EMPTY; SEATS];
        for k in 0..DECK {
            let left = DECK - k;
            let pick = match self {
                Dealer::Official(mt) => ((mt.next_real1() * left as f64) as usize).min(left - 1),
                Dealer::Modern(rng) => below(rng, left as u32) as usize,
            };
            hands[seat(k)].insert(deck.remove(pick));
        }
        hands
    }

    /// Ranks the players left when twenty passes in a row have stopped a game. `left` is in
    /// player order; gives them from the best place down.
    pub(super) fn rank_rest(&mut self, left: &[u8]) -> Vec<u8> {
        let mut rest = left.to_vec();
        let mut order = Vec::with_capacity(left.len());
        // Nothing is drawn for the last one.
        while rest.len() > 1 {
            let n = rest.len();
            let pick = match self {
                // The server draws 1..=n of those left; see the note on 1.0 above.
                Dealer::Official(mt) => ((mt.next_real1() * n as f64) as usize).min(n - 1),
                Dealer::Modern(rng) => below(rng, n as u32) as usize,
            };
            order.push(rest.remove(pick));
        }
        order.extend(rest);
        order
    }
}

/// Uniform in 0..n without bias (Lemire, "Fast random integer generation in an interval", 2019).
fn below(rng: &mut impl Rng, n: u32) -> u32 {
    loop {
        let wide = u64::from(rng.next_u32()) * u64::from(n);
        if (wide as u32) >= n.wrapping_neg() % n {
            return (wide >> 32) as u32;
        }
    }
}

/// The deck in the official order: suit by suit from 3 to 2, the joker last.
fn official_order() -> Vec<Card> {
    let suited = Suit::ALL
        .into_iter()
        .flat_map(|s| (1..=13).filter_map(move |c| Card::new(s, c)));
    suited.chain([Card::JOKER]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daihinmin::{Meld, Session, SessionRules};

    #[test]
    fn the_official_lots_of_stalled_games() {
        // A match of the official server, seed 7, in which nobody ever played or chose a gift.
        let dealer = Dealer::new(DealerKind::Official, 7);
        let mut session = Session::new(SessionRules::default(), dealer);
        for places in [[0, 1, 3, 2, 4], [4, 3, 0, 1, 2], [4, 2, 3, 0, 1]] {
            let mut deal = session.deal();
            for seat in 0..SEATS as u8 {
                deal.give(seat, Cards::EMPTY);
            }
            let mut position = deal.start();
            while !position.table.is_stalled() {
                position.play(Meld::PASS).unwrap();
            }
            session.settle_stall(&mut position);
            session.finish(position.table.places);
            assert_eq!(session.places(), places);
        }
        assert_eq!(session.points(), [7, 9, 9, 12, 8]);
    }

    #[test]
    fn seats_change_as_the_dealer_says() {
        let games = |kind, every| -> Vec<u32> {
            let dealer = Dealer::new(kind, 1);
            (1..=7).filter(|&g| dealer.reseats(every, g)).collect()
        };
        for kind in [DealerKind::Official, DealerKind::Modern] {
            assert_eq!(games(kind, 3), [1, 4, 7]);
        }
        assert_eq!(games(DealerKind::Official, 1), []);
        assert_eq!(games(DealerKind::Official, 0), []);
        assert_eq!(games(DealerKind::Modern, 1), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(games(DealerKind::Modern, 0), [1]);
    }
}
