//! A match of many games between five players: seating, dealing, exchange, ranks and points.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

use super::cards::{Card, Cards};
use super::deal::{Chance, Dealer};
use super::position::Position;
use super::table::Rules;
use super::{NO_PLACE, SEATS};
use crate::DealKey;

/// Rules of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields, rename_all = "kebab-case")
)]
pub struct SessionRules {
    /// Rules of each game.
    pub game: Rules,
    /// Rich and poor exchange cards before a game with ranks (`RULE_CHANGE`).
    pub exchange: bool,
    /// Seats are drawn anew before games 1, 1 + n, 1 + 2n, ... (`RULE_SEKIGAE`,
    /// `RULE_SEKIGAE_NUM`). With 0 the modern dealer draws them once, before the first game, and
    /// the official one never; with 1 the official one never draws them either, as its server.
    pub seat_change: u32,
    /// Every n-th game begins without ranks; 0: only the first (`FLASH_MIBUN_NUMBER`).
    pub rank_reset: u32,
}

impl Default for SessionRules {
    fn default() -> SessionRules {
        SessionRules {
            game: Rules::default(),
            exchange: true,
            seat_change: 3,
            rank_reset: 100,
        }
    }
}

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

/// The start of one game: who sits where with which cards, before the rich have given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deal {
    /// Number of the game in the match, from 1.
    pub game: u32,
    /// The player in each seat.
    pub player_at: [u8; SEATS],
    /// The place of each **player** in the last game; all 0 in a game without ranks.
    pub ranks: [u8; SEATS],
    /// Whether this game has ranks (and so, where the rule is on, an exchange).
    pub ranked: bool,
    /// Hands by seat as dealt.
    pub dealt: [Cards; SEATS],
    /// Hands by seat after the poor have given their strongest cards, and the rich not yet.
    pub hands: [Cards; SEATS],
    /// Cards that each seat owes in the exchange: 2 for the daifugo, 1 for the fugo, 0 for others
    /// and in games without an exchange.
    pub owes: [u32; SEATS],
    /// Rules of the game.
    pub rules: Rules,
}

impl Deal {
    /// The seat of a player.
    ///
    /// # Panics
    /// If there is no such player.
    pub fn seat_of(&self, player: u8) -> u8 {
        find(self.player_at, player)
    }

    /// The seat whose last place was `place`.
    ///
    /// # Panics
    /// In a game without ranks.
    pub fn seat_of_rank(&self, place: u8) -> u8 {
        self.seat_of(find(self.ranks, place))
    }

    /// Moves a rich seat's gift to its partner: the daifugo's to the daihinmin, the fugo's to the
    /// hinmin. A void gift is replaced by the strongest cards. Gives the cards that moved.
    pub fn give(&mut self, seat: u8, gift: Cards) -> Cards {
        let from = usize::from(seat);
        let owed = self.owes[from];
        if owed == 0 {
            return Cards::EMPTY;
        }
        let hand = self.hands[from];
        let gift = if is_valid_gift(hand, gift, owed) {
            gift
        } else {
            strongest(hand, owed)
        };
        let to = usize::from(self.seat_of_rank(if owed == 2 { 4 } else { 3 }));
        self.hands[from] -= gift;
        self.hands[to] |= gift;
        self.owes[from] = 0;
        gift
    }

    /// The cards that the seat of the last place 4 or 3 gave, as dealt; none for other places.
    ///
    /// # Panics
    /// For places 4 and 3 in a game without ranks.
    pub fn tribute(&self, place: u8) -> Cards {
        let n = match place {
            4 => 2,
            3 => 1,
            _ => return Cards::EMPTY,
        };
        strongest(self.dealt[usize::from(self.seat_of_rank(place))], n)
    }

    /// The position in which the first seat leads. Gifts still owed must have been given.
    pub fn start(&self) -> Position {
        Position::new(self.hands, self.rules)
    }
}

/// Where the dealers of single games come from, in a session of duplicate deals.
#[derive(Debug)]
enum Dealers {
    /// The key of each is a part of this one.
    Key(DealKey),
    /// The seed of each is the next number.
    Seeds(Xoshiro256PlusPlus),
}

impl Dealers {
    /// The dealer of the next game of the session, of this number from 1.
    fn next(&mut self, game: u32) -> Dealer {
        match self {
            Dealers::Key(key) => Dealer::of(Chance::Key(key.part("game", &[game]))),
            Dealers::Seeds(seeds) => Dealer::plain(seeds.next_u64()),
        }
    }
}

/// A match in progress.
#[derive(Debug)]
pub struct Session {
    rules: SessionRules,
    dealer: Dealer,
    dealers: Option<Dealers>,
    /// The player of each number that the dealer draws.
    order: [u8; SEATS],
    game: u32,
    before: u32,
    player_at: [u8; SEATS],
    places: [u8; SEATS],
    points: [u32; SEATS],
}

impl Session {
    /// A match before its first game.
    pub fn new(rules: SessionRules, dealer: Dealer) -> Session {
        Session {
            rules,
            dealer,
            dealers: None,
            order: [0, 1, 2, 3, 4],
            game: 0,
            before: 0,
            player_at: [0, 1, 2, 3, 4],
            places: [0; SEATS],
            points: [0; SEATS],
        }
    }

    /// Rules of the match.
    pub fn rules(&self) -> &SessionRules {
        &self.rules
    }

    /// Games begun.
    pub fn games_begun(&self) -> u32 {
        self.game
    }

    /// Points by player: 5, 4, 3, 2, 1 a game by place.
    pub fn points(&self) -> [u32; SEATS] {
        self.points
    }

    /// Places by player in the last game that was ended.
    pub fn places(&self) -> [u8; SEATS] {
        self.places
    }

    /// Begins anew with another dealer: the next game has no ranks, and seats and ranks are counted from it.
    /// Numbers of games and points go on. Whatever the dealer draws for player `n` is that of player `order[n]`,
    /// so that the same deals can be played with other players in the place of each. Call it between games.
    pub fn begin_anew(&mut self, dealer: Dealer, order: [u8; SEATS]) {
        self.dealer = dealer;
        self.dealers = None;
        self.order = order;
        self.before = self.game;
        self.player_at = order;
    }

    /// As [`Session::begin_anew`] with dealers that keep the deals of each game apart from how the games
    /// before it went: whatever the ranks and lots were, the players of the same numbers have the same seats, and are
    /// dealt the same cards but for the last three of the deck, which go to the daifugo and the two behind it. All
    /// deals are as likely as ever.
    ///
    /// # Panics
    /// For the official dealer, which has no duplicate deals.
    pub fn begin_duplicate(&mut self, chance: Chance, order: [u8; SEATS]) {
        self.begin_anew(Dealer::of(chance), order);
        self.dealers = Some(match (chance, chance.key()) {
            (Chance::Plain(seed), _) => Dealers::Seeds(Xoshiro256PlusPlus::seed_from_u64(seed)),
            (_, key) => Dealers::Key(key.expect("duplicate deals are those of a key")),
        });
    }

    /// Begins the next game.
    pub fn deal(&mut self) -> Deal {
        self.game += 1;
        let number = self.game - self.before;
        if let Some(dealers) = &mut self.dealers {
            self.dealer = dealers.next(number);
        }
        if self.dealer.reseats(self.rules.seat_change, number) {
            self.player_at = self.dealer.seating().map(|n| self.order[usize::from(n)]);
        }
        let reset = match self.rules.rank_reset {
            0 => number == 1,
            n => (number - 1).is_multiple_of(n),
        };
        let ranked = !reset;
        let ranks = if ranked { self.places } else { [0; SEATS] };
        let first = if ranked {
            find(ranks, 0)
        } else {
            self.order[usize::from(self.dealer.first_player())]
        };
        let first_seat = self.seat_of(first);
        let dealt = match self.dealers {
            None => self.dealer.deal(first_seat),
            Some(_) => self.dealer.deal_evenly(first_seat),
        };
        let mut deal = Deal {
            game: self.game,
            player_at: self.player_at,
            ranks,
            ranked,
            dealt,
            hands: dealt,
            owes: [0; SEATS],
            rules: self.rules.game,
        };
        if ranked && self.rules.exchange {
            for (poor, rich) in [(4, 0), (3, 1)] {
                let tribute = deal.tribute(poor);
                let (from, to) = (deal.seat_of_rank(poor), deal.seat_of_rank(rich));
                deal.hands[usize::from(from)] -= tribute;
                deal.hands[usize::from(to)] |= tribute;
                deal.owes[usize::from(to)] = tribute.len();
            }
        }
        deal
    }

    /// Ranks the seats that still play a stalled game at random.
    pub fn settle_stall(&mut self, position: &mut Position) {
        let seat_of = |n: u8| self.seat_of(self.order[usize::from(n)]);
        let left: Vec<u8> = (0..SEATS as u8)
            .filter(|&n| position.table.is_alive(seat_of(n)))
            .collect();
        let order = self.dealer.rank_rest(&left);
        let seats: Vec<u8> = order
            .into_iter()
            .map(|n| self.seat_of(self.order[usize::from(n)]))
            .collect();
        position.table.rank_rest(&seats);
    }

    /// Books a finished game: `places` by seat.
    pub fn finish(&mut self, places: [u8; SEATS]) {
        debug_assert!(!places.contains(&NO_PLACE));
        for (seat, &place) in places.iter().enumerate() {
            let player = usize::from(self.player_at[seat]);
            self.places[player] = place;
            self.points[player] += 5_u32.saturating_sub(u32::from(place));
        }
    }

    fn seat_of(&self, player: u8) -> u8 {
        find(self.player_at, player)
    }
}

/// Where a number stands in a list of the numbers 0 to 4.
fn find(list: [u8; SEATS], number: u8) -> u8 {
    let at = list.iter().position(|&n| n == number);
    at.expect("each player has a seat, and each place a player") as u8
}
