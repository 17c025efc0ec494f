//! Dealers: the sources of chance of a match. Official (section 2.14 of the specification) and
//! modern.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::cards::{Card, Cards, Suit};
use super::mt19937::Mt19937;
use super::{DECK, SEATS};

/// Which generator deals.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum DealerKind {
    /// MT19937 with the draws of the official server: its seeds give its games.
    #[default]
    Official,
    /// xoshiro256++ with unbiased shuffles.
    Modern,
}

/// A source of chance for seating, dealing and the ranking after twenty passes.
#[derive(Clone, Debug)]
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
        let mut deck = official_order();
        let mut hands = [Cards::EMPTY; SEATS];
        for k in 0..DECK {
            let left = DECK - k;
            let pick = match self {
                Dealer::Official(mt) => ((mt.next_real1() * left as f64) as usize).min(left - 1),
                Dealer::Modern(rng) => below(rng, left as u32) as usize,
            };
            hands[(usize::from(first) + k) % SEATS].insert(deck.remove(pick));
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
