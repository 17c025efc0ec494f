//! Dealers: the sources of chance of a match. The official one draws as the server of the `UECda`
//! tournament does, the modern one so that nobody can foresee it.

use std::fmt;

use chacha20::ChaCha20Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::cards::{Card, Cards, Suit};
use super::mt19937::Mt19937;
use super::{DECK, SEATS};
use crate::DealKey;

/// Which generator deals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
pub enum DealerKind {
    /// MT19937 with the draws of the official server: its seeds give its games. A seed has 32 bits, so that a player
    /// can try all of them against its first hand, and knows every deal then.
    Official,
    /// `ChaCha20` from a key of 256 bits, with unbiased shuffles.
    #[default]
    Modern,
}

/// What all follows from that a dealer draws. [`fmt::Display`] writes the seed or the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Chance {
    /// A key of the modern dealer.
    Key(DealKey),
    /// A seed of either dealer: that of the modern one stands for a key, the official one takes its low 32 bits.
    Seed(DealerKind, u64),
    /// A seed of xoshiro256++, see [`Dealer::Plain`].
    Plain(u64),
}

impl Chance {
    /// The dealer.
    pub const fn kind(&self) -> DealerKind {
        match self {
            Chance::Seed(kind, _) => *kind,
            Chance::Key(_) | Chance::Plain(_) => DealerKind::Modern,
        }
    }

    /// The key, which the dealer with a seed has too if it is the modern one.
    pub fn key(&self) -> Option<DealKey> {
        match *self {
            Chance::Key(key) => Some(key),
            Chance::Seed(DealerKind::Modern, seed) => Some(DealKey::of_seed(seed)),
            Chance::Seed(DealerKind::Official, _) | Chance::Plain(_) => None,
        }
    }

    /// The seed, where there is one.
    pub const fn seed(&self) -> Option<u64> {
        match *self {
            Chance::Key(_) => None,
            Chance::Seed(_, seed) | Chance::Plain(seed) => Some(seed),
        }
    }
}

impl fmt::Display for Chance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Chance::Key(key) => write!(f, "key {key}"),
            Chance::Seed(_, seed) | Chance::Plain(seed) => write!(f, "seed {seed}"),
        }
    }
}

/// A source of chance for seating, dealing and the ranking after twenty passes.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // one per match; a box would buy nothing
pub enum Dealer {
    /// See [`DealerKind::Official`].
    Official(Mt19937),
    /// See [`DealerKind::Modern`].
    Modern(ChaCha20Rng),
    /// xoshiro256++ with the draws of the modern dealer, for experiments: a player that sees enough of its deals can
    /// compute the others.
    Plain(Xoshiro256PlusPlus),
}

impl Dealer {
    /// A dealer from a seed, see [`Chance::Seed`].
    pub fn new(kind: DealerKind, seed: u64) -> Dealer {
        Dealer::of(Chance::Seed(kind, seed))
    }

    /// A dealer for experiments.
    pub fn plain(seed: u64) -> Dealer {
        Dealer::Plain(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// The dealer whose draws follow from this.
    pub fn of(chance: Chance) -> Dealer {
        match chance {
            Chance::Key(key) => Dealer::Modern(ChaCha20Rng::from_seed(*key.bytes())),
            Chance::Seed(DealerKind::Modern, seed) => {
                Dealer::of(Chance::Key(DealKey::of_seed(seed)))
            }
            Chance::Seed(DealerKind::Official, seed) => Dealer::Official(Mt19937::new(seed as u32)),
            Chance::Plain(seed) => Dealer::plain(seed),
        }
    }

    /// Whether the seats are drawn anew before game number `game` (from 1) when they change every
    /// `every` games. The official server tests `game % every == 1`, so with 1, and with seat
    /// changes off (0 here), its players keep the seats of their numbers; the modern dealer draws
    /// before every game with 1, and before the first only with 0.
    pub(super) fn reseats(&self, every: u32, game: u32) -> bool {
        match self {
            Dealer::Official(_) => every > 1 && game % every == 1,
            _ if every == 0 => game == 1,
            _ => (game - 1).is_multiple_of(every),
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
            _ => {
                for i in (1..SEATS).rev() {
                    players.swap(i, self.pick(i + 1));
                }
            }
        }
        players
    }

    /// Draws the player that is dealt to first when no ranks say it.
    pub(super) fn first_player(&mut self) -> u8 {
        self.pick(SEATS) as u8
    }

    fn pick(&mut self, n: usize) -> usize {
        match self {
            // Both ends of [0, 1] can be drawn: 1.0 would be n.
            Dealer::Official(mt) => ((mt.next_real1() * n as f64) as usize).min(n - 1),
            Dealer::Modern(rng) => below(rng, n as u32) as usize,
            Dealer::Plain(rng) => below(rng, n as u32) as usize,
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
            let pick = self.pick(DECK - k);
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
            // The official server draws 1..=n of those left.
            let pick = self.pick(rest.len());
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

    #[test]
    fn the_modern_dealer_draws_from_the_words_of_chacha20() {
        // The first words of the key stream of the zero key, nonce and counter (Bernstein's test vectors; block 0 in
        // draft-agl-tls-chacha20poly1305).
        let Dealer::Modern(mut rng) = Dealer::of(Chance::Key(DealKey::new([0; 32]))) else {
            unreachable!("a key is one of the modern dealer");
        };
        let stream = [0xade0_b876, 0x903d_f1a0, 0xe56a_5d40, 0x28bd_8653];
        assert_eq!([(); 4].map(|()| rng.next_u32()), stream);
        let of_seed = Dealer::new(DealerKind::Modern, 7).deal(0);
        let key = DealKey::of_seed(7);
        assert_eq!(of_seed, Dealer::of(Chance::Key(key)).deal(0));
        // Computed by another program, from the definition in docs/daihinmin.md.
        let hands = Dealer::of(Chance::Key(DealKey::new([0; 32]))).deal(0);
        let due = [
            "S6S8S2H4HTD3D7DTDQC5C8",
            "S5SAH6H9D5D6D8DJDAC3C6",
            "H3HADKC4C7C9CJCQCAC2J3",
            "S7S9STSQSKH7HKH2CTCK",
            "S3S4SJH5H8HJHQD4D9D2",
        ];
        assert_eq!(hands.map(|hand| hand.to_string()), due);
    }
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
