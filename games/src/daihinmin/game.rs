//! One game with the gifts that begin it and the lots that may end it.

use std::fmt;
use std::str::FromStr;

#[cfg(feature = "rand")]
use rand::{Rng, RngExt as _};

use super::{
    Cards, DECK, Deal, Dealer, Exchanged, IllegalMove, Meld, NO_PLACE, PASSES_TO_STALL, ParseError,
    Position, Rules, SEATS, Session, SessionRules, Table, View, is_valid_gift,
};
use crate::game::bytes_of;
use crate::{BySeat, Game, GameName, Hidden, NoPosition, Outcome, Seat};

/// What a seat does on its turn. Prints as a meld, or as `give S3H4`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Turn {
    /// A rich seat gives cards to its partner, before the first lead.
    Give(Cards),
    /// A seat lays a meld down, or passes.
    Lay(Meld),
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Turn::Give(cards) => write!(f, "give {cards}"),
            Turn::Lay(meld) => meld.fmt(f),
        }
    }
}

impl FromStr for Turn {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Turn, ParseError> {
        match text.strip_prefix("give ") {
            Some(cards) => cards.parse().map(Turn::Give),
            None => text.parse().map(Turn::Lay),
        }
    }
}

/// Why a turn is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalTurn {
    /// The rules of melds forbid it.
    #[error(transparent)]
    Meld(#[from] IllegalMove),
    /// A gift is owed first.
    #[error("{0} cards must be given first")]
    Owed(u32),
    /// Not so many cards of the hand.
    #[error("a gift of {0} cards of the hand is owed")]
    Gift(u32),
    /// No gift is owed.
    #[error("no gift is owed")]
    NoGift,
}

/// What the poor and the rich seat of a pair give each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Exchange {
    tribute: Cards,
    /// `None` until the rich seat has given.
    gift: Option<Cards>,
}

/// A game of Daihinmin, with the gifts that are still owed at its beginning. The lots that rank the
/// seats left when twenty passes stop it are drawn beforehand.
///
/// Its text is words with blanks between them: hands, cards laid down, places of the last game, what
/// was exchanged (tribute, `>` and gift of both pairs), field, owner, turn, seats that have passed and
/// that still play, `-` with flags (`l` lock, `r` revolution, `c` trick ended), passes in a row, places, lots and
/// ply. Lists go by seat, with `/` between their entries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Daihinmin {
    position: Position,
    played: [Cards; SEATS],
    ranks: Option<[u8; SEATS]>,
    /// Of the seats of ranks 0 and 4, and of those of ranks 1 and 3.
    exchanges: [Option<Exchange>; 2],
    lots: [u8; SEATS],
    ply: u32,
}

/// What one seat may know: the view of a game in play, and which gifts are still owed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct GameView {
    /// All but the gifts. While gifts are owed, its table has the seat that gives next as the leader.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub view: View,
    /// Cards that each seat owes.
    pub owed: [u32; SEATS],
}

/// What everybody may know.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PublicView {
    /// The table.
    pub table: Table,
    /// Cards of each seat.
    pub counts: [u8; SEATS],
    /// Cards laid down, by seat.
    pub played: [Cards; SEATS],
    /// Places of the seats in the last game.
    pub ranks: Option<[u8; SEATS]>,
    /// Cards that each seat owes.
    pub owed: [u32; SEATS],
}

/// What a seat sees of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TurnView {
    /// A gift.
    Gave {
        /// The seat that gives.
        seat: Seat,
        /// The cards, for the two seats of the exchange.
        cards: Option<Cards>,
        /// The seat to move after it, to give or to lead.
        next: Seat,
    },
    /// A meld or a pass.
    Laid {
        /// The meld.
        meld: Meld,
        /// The lots, when it has stopped the game.
        lots: Option<[u8; SEATS]>,
    },
}

/// As the turn; `give` alone for a gift between others.
impl fmt::Display for TurnView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TurnView::Gave { cards: None, .. } => f.write_str("give"),
            TurnView::Gave {
                cards: Some(cards), ..
            } => Turn::Give(*cards).fmt(f),
            TurnView::Laid { meld, .. } => meld.fmt(f),
        }
    }
}

/// Cards that the rich seat of a pair owes.
const fn owed_by(pair: usize) -> u32 {
    2 - pair as u32
}

/// The seats of a pair: the rich one and the poor one.
fn pair_of(ranks: [u8; SEATS], pair: usize) -> [usize; 2] {
    [pair as u8, 4 - pair as u8].map(|rank| {
        let seat = ranks.iter().position(|&r| r == rank);
        seat.expect("each place of the last game has a seat")
    })
}

impl Daihinmin {
    /// The game of a deal of a [`Session`], with the gifts that it leaves owed; `lots` are the seats from
    /// the best lot down, for a game that twenty passes stop.
    pub fn from_deal(deal: &Deal, lots: [u8; SEATS]) -> Daihinmin {
        let ranks = deal
            .ranked
            .then(|| deal.player_at.map(|player| deal.ranks[usize::from(player)]));
        let exchanges = [0, 1].map(|pair| {
            let [rich, _] = pair_of(ranks?, pair);
            (deal.owes[rich] > 0).then(|| Exchange {
                tribute: deal.tribute(4 - pair as u8),
                gift: None,
            })
        });
        let mut game = Daihinmin {
            position: deal.start(),
            played: [Cards::EMPTY; SEATS],
            ranks,
            exchanges,
            lots,
            ply: 0,
        };
        game.find_leader(deal.rules);
        game
    }

    /// The position; while gifts are owed, the seat that gives next stands for the leader.
    pub fn state(&self) -> &Position {
        &self.position
    }

    /// The pair whose rich seat gives now, with its seats.
    fn giving(&self) -> Option<(usize, [usize; 2])> {
        let is_open =
            |pair: &usize| self.exchanges[*pair].is_some_and(|exchange| exchange.gift.is_none());
        let pair = [0, 1].into_iter().find(is_open)?;
        let ranks = self.ranks.expect("a game with an exchange has ranks");
        Some((pair, pair_of(ranks, pair)))
    }

    /// Begins the game in play, or makes it the turn of the seat that gives next.
    fn find_leader(&mut self, rules: Rules) {
        match self.giving() {
            Some((_, [rich, _])) => self.position.table = Table::new(rich as u8, rules),
            None => self.position = Position::new(self.position.hands, rules),
        }
    }

    fn owed(&self) -> [u32; SEATS] {
        let mut owed = [0; SEATS];
        for (pair, exchange) in self.exchanges.iter().enumerate() {
            if let (Some(Exchange { gift: None, .. }), Some(ranks)) = (exchange, self.ranks) {
                owed[pair_of(ranks, pair)[0]] = owed_by(pair);
            }
        }
        owed
    }

    fn give(&mut self, gift: Cards) -> Result<(), IllegalTurn> {
        let (pair, [rich, poor]) = self.giving().ok_or(IllegalTurn::NoGift)?;
        let hands = &mut self.position.hands;
        if !is_valid_gift(hands[rich], gift, owed_by(pair)) {
            return Err(IllegalTurn::Gift(owed_by(pair)));
        }
        hands[rich] -= gift;
        hands[poor] |= gift;
        let exchange = self.exchanges[pair].as_mut();
        exchange.expect("the pair exchanges").gift = Some(gift);
        self.find_leader(self.position.table.rules);
        Ok(())
    }

    fn lay(&mut self, meld: Meld) -> Result<(), IllegalTurn> {
        if let Some((pair, _)) = self.giving() {
            return Err(IllegalTurn::Owed(owed_by(pair)));
        }
        let seat = usize::from(self.position.table.turn);
        self.position.play(meld)?;
        self.played[seat] |= meld.cards();
        if self.position.table.is_stalled() {
            self.position.table.rank_rest(&self.lots);
        }
        Ok(())
    }

    fn exchanged(&self, seat: usize) -> Exchanged {
        for (pair, exchange) in self.exchanges.iter().enumerate() {
            let (Some(Exchange { tribute, gift }), Some(ranks)) = (exchange, self.ranks) else {
                continue;
            };
            let [rich, poor] = pair_of(ranks, pair);
            let gift = gift.unwrap_or(Cards::EMPTY);
            let (partner, given, received) = match seat {
                _ if seat == rich => (poor, gift, *tribute),
                _ if seat == poor => (rich, *tribute, gift),
                _ => continue,
            };
            return Exchanged {
                partner: Some(partner as u8),
                given,
                received,
                rich: seat == rich,
            };
        }
        Exchanged::default()
    }
}

impl Game for Daihinmin {
    type Rules = Rules;
    type Move = Turn;
    type Illegal = IllegalTurn;
    type View = GameView;
    type PublicView = PublicView;
    const NAME: GameName = GameName::Daihinmin;
    const SEATS: usize = SEATS;
    /// A game has two gifts, at most as many melds as cards, and before and after each meld fewer passes than stall the game.
    const MOST_PLIES: u32 = 2 + (DECK as u32 + 1) * PASSES_TO_STALL as u32;
    const HAS_SECRETS: bool = true;

    /// A game without ranks.
    fn begin(rules: &Rules, seed: u64) -> Daihinmin {
        let rules = SessionRules {
            game: *rules,
            ..SessionRules::default()
        };
        let deal = Session::new(rules, Dealer::plain(seed)).deal();
        // The seats are drawn, so the order of the players in them is a lot.
        Daihinmin::from_deal(&deal, deal.player_at)
    }

    fn read(rules: &Rules, position: &str) -> Result<Daihinmin, NoPosition> {
        read(*rules, position)
    }

    fn position(&self) -> String {
        let cards = |hands: &[Cards; SEATS]| hands.map(|hand| hand.to_string()).join("/");
        let table = &self.position.table;
        let exchanges = self.exchanges.map(|exchange| match exchange {
            None => "-".to_owned(),
            Some(Exchange {
                tribute,
                gift: None,
            }) => format!("{tribute}>?"),
            Some(Exchange {
                tribute,
                gift: Some(gift),
            }) => format!("{tribute}>{gift}"),
        });
        let flags = [
            (table.lock, 'l'),
            (table.revolution, 'r'),
            (table.cleared, 'c'),
        ];
        let flags = flags.iter().filter(|(on, _)| *on).map(|(_, flag)| flag);
        format!(
            "{} {} {} {} {} {} {} {} {} -{} {} {} {} {}",
            cards(&self.position.hands),
            cards(&self.played),
            self.ranks.map_or("-".to_owned(), digits),
            exchanges.join("/"),
            table.field,
            table.owner,
            table.turn,
            table.passed,
            table.alive,
            flags.collect::<String>(),
            table.passes_in_row,
            digits(table.places.map(|place| place.min(SEATS as u8))),
            digits(self.lots),
            self.ply,
        )
    }

    /// The hands, the cards that each seat has laid down, the table with the passes in a row, the ranks, the exchanged cards
    /// and the lots.
    fn key(&self) -> Vec<u8> {
        let Daihinmin {
            position,
            played,
            ranks,
            exchanges,
            lots,
            ply: _,
        } = self;
        bytes_of(&(position, played, ranks, exchanges, lots))
    }

    fn to_move(&self) -> Option<Seat> {
        let table = &self.position.table;
        (!table.is_over()).then_some(Seat::new(table.turn))
    }

    fn ply(&self) -> u32 {
        self.ply
    }

    fn legal_moves(&self, out: &mut Vec<Turn>) {
        out.clear();
        let Some((pair, [rich, _])) = self.giving() else {
            let mut melds = Vec::new();
            self.position.legal_moves(&mut melds);
            out.extend(melds.into_iter().map(Turn::Lay));
            return;
        };
        let hand: Vec<Cards> = self.position.hands[rich]
            .iter()
            .map(|card| [card].into_iter().collect())
            .collect();
        for (i, &first) in hand.iter().enumerate() {
            if owed_by(pair) == 1 {
                out.push(Turn::Give(first));
            } else {
                out.extend(hand[..i].iter().map(|&second| Turn::Give(first | second)));
            }
        }
    }

    fn play(&mut self, turn: Turn) -> Result<(), IllegalTurn> {
        match turn {
            Turn::Give(gift) => self.give(gift)?,
            Turn::Lay(meld) => self.lay(meld)?,
        }
        self.ply += 1;
        Ok(())
    }

    fn view(&self, seat: Seat) -> GameView {
        GameView {
            view: View {
                played: self.played,
                exchanged: self.exchanged(seat.index()),
                ranks: self.ranks,
                ..View::at_start(&self.position, seat.number())
            },
            owed: self.owed(),
        }
    }

    fn public_view(&self) -> PublicView {
        PublicView {
            table: self.position.table,
            counts: self.position.counts(),
            played: self.played,
            ranks: self.ranks,
            owed: self.owed(),
        }
    }

    fn shown(&self, turn: Turn, seat: Seat) -> String {
        self.seen(turn, seat).to_string()
    }

    /// Points as in a match: 5 for the daifugo down to 1 for the daihinmin.
    fn outcome(&self) -> Option<Outcome> {
        let table = &self.position.table;
        table.is_over().then(|| Outcome {
            places: table.places.into(),
            points: BySeat::from(table.places.map(|place| 5.0 - f64::from(place))),
            game_points: BySeat::default(),
            rule: Some(if table.passes_in_row == PASSES_TO_STALL {
                "stalled"
            } else {
                "played-out"
            }),
            reason: None,
        })
    }
}

impl Hidden for Daihinmin {
    type TurnView = TurnView;
    type Contradiction = IllegalTurn;

    fn seen(&self, turn: Turn, seat: Seat) -> TurnView {
        let mut next = self.clone();
        next.play(turn).expect("the move is legal");
        match (turn, self.giving()) {
            (Turn::Give(cards), Some((_, [rich, poor]))) => TurnView::Gave {
                seat: Seat::at(rich),
                cards: [rich, poor].contains(&seat.index()).then_some(cards),
                next: Seat::new(next.position.table.turn),
            },
            (Turn::Give(_), None) => unreachable!("a gift is legal only when one is owed"),
            (Turn::Lay(meld), _) => {
                let table = &next.position.table;
                let stopped = table.passes_in_row == PASSES_TO_STALL;
                TurnView::Laid {
                    meld,
                    lots: stopped.then_some(self.lots),
                }
            }
        }
    }

    fn follow(game: &mut GameView, seen: &TurnView) -> Result<(), IllegalTurn> {
        let view = &mut game.view;
        match *seen {
            TurnView::Gave { seat, cards, next } => {
                let n = game.owed[seat.index()];
                let ranks = view.ranks.filter(|_| n > 0).ok_or(IllegalTurn::NoGift)?;
                let [rich, poor] = pair_of(ranks, 2 - n as usize);
                if let Some(cards) = cards {
                    if usize::from(view.seat) == rich {
                        view.hand -= cards;
                        view.exchanged.given = cards;
                    } else {
                        view.hand |= cards;
                        view.exchanged.received = cards;
                    }
                }
                view.counts[rich] -= n as u8;
                view.counts[poor] += n as u8;
                view.table = Table::new(next.number(), view.table.rules);
                game.owed[rich] = 0;
            }
            TurnView::Laid { meld, lots } => {
                view.follow(meld)?;
                if let Some(lots) = lots {
                    view.table.rank_rest(&lots);
                }
            }
        }
        Ok(())
    }

    /// The cards that the other pair has exchanged are left out, and the lots are drawn anew.
    #[cfg(feature = "rand")]
    fn determinize(game: &GameView, rng: &mut impl Rng) -> Daihinmin {
        let GameView { view, owed } = game;
        let exchanged = &view.exchanged;
        let exchanges = [0, 1].map(|pair| {
            let [rich, poor] = pair_of(view.ranks?, pair);
            let is_owed = owed[rich] > 0;
            let own = exchanged.partner.is_some() && [rich, poor].contains(&usize::from(view.seat));
            let (tribute, gift) = match exchanged.rich {
                _ if !own => (Cards::EMPTY, Cards::EMPTY),
                true => (exchanged.received, exchanged.given),
                false => (exchanged.given, exchanged.received),
            };
            (own || is_owed).then_some(Exchange {
                tribute,
                gift: (!is_owed).then_some(gift),
            })
        });
        let mut lots = [0, 1, 2, 3, 4];
        for i in (1..SEATS).rev() {
            lots.swap(i, rng.random_range(0..=i));
        }
        Daihinmin {
            position: view.determinize(rng),
            played: view.played,
            ranks: view.ranks,
            exchanges,
            lots,
            ply: 0,
        }
    }
}

fn digits(numbers: [u8; SEATS]) -> String {
    numbers.iter().map(u8::to_string).collect()
}

fn read(rules: Rules, text: &str) -> Result<Daihinmin, NoPosition> {
    let words: Vec<&str> = text.split(' ').collect();
    let [
        hands,
        played,
        ranks,
        exchanges,
        field,
        owner,
        turn,
        passed,
        alive,
        flags,
        passes,
        places,
        lots,
        ply,
    ] = words[..]
    else {
        return Err(NoPosition("fourteen words are wanted".to_owned()));
    };
    let wrong = |word: &str| NoPosition(format!("`{word}` cannot stand where it does"));
    let cards = |list: &str| -> Result<[Cards; SEATS], NoPosition> {
        let read: Result<Vec<Cards>, ParseError> = list.split('/').map(str::parse).collect();
        read.map_err(NoPosition::new)?
            .try_into()
            .map_err(|_| wrong(list))
    };
    let seats = |word: &str, most: u8| -> Result<[u8; SEATS], NoPosition> {
        let digit = |byte: u8| Some(byte.wrapping_sub(b'0')).filter(|digit| *digit <= most);
        let read: Option<Vec<u8>> = word.bytes().map(digit).collect();
        read.and_then(|list| list.try_into().ok())
            .ok_or_else(|| wrong(word))
    };
    let order = |word: &str| -> Result<[u8; SEATS], NoPosition> {
        let list = seats(word, 4)?;
        let each_once = (0..SEATS as u8).all(|n| list.contains(&n));
        each_once.then_some(list).ok_or_else(|| wrong(word))
    };
    let number = |word: &str, most: u8| -> Result<u8, NoPosition> {
        let read = word.parse().ok().filter(|n| *n <= most);
        read.ok_or_else(|| wrong(word))
    };
    let exchange = |word: &str| -> Result<Option<Exchange>, NoPosition> {
        let Some((tribute, gift)) = word.split_once('>') else {
            return (word == "-").then_some(None).ok_or_else(|| wrong(word));
        };
        let gift = match gift {
            "?" => None,
            gift => Some(gift.parse().map_err(NoPosition::new)?),
        };
        Ok(Some(Exchange {
            tribute: tribute.parse().map_err(NoPosition::new)?,
            gift,
        }))
    };
    let (first, second) = exchanges.split_once('/').ok_or_else(|| wrong(exchanges))?;
    let (hands, played) = (cards(hands)?, cards(played)?);
    let all = hands.iter().chain(&played);
    let total: u32 = all.clone().map(|cards| cards.len()).sum();
    if all.fold(Cards::EMPTY, |all, &cards| all | cards).len() != total {
        return Err(NoPosition("a card is in two places".to_owned()));
    }
    let places = seats(places, SEATS as u8)?.map(|place| match place {
        5 => NO_PLACE,
        place => place,
    });
    let ranks = match ranks {
        "-" => None,
        ranks => Some(order(ranks)?),
    };
    let exchanges = [exchange(first)?, exchange(second)?];
    if ranks.is_none() && exchanges.iter().any(Option::is_some) {
        return Err(NoPosition("an exchange is for games with ranks".to_owned()));
    }
    let mut table = Table::new(number(owner, 4)?, rules);
    table.field = field.parse().map_err(NoPosition::new)?;
    table.turn = number(turn, 4)?;
    table.passed = number(passed, 0x1f)?;
    table.alive = number(alive, 0x1f)?;
    table.lock = flags.contains('l');
    table.revolution = flags.contains('r');
    table.cleared = flags.contains('c');
    table.passes_in_row = number(passes, PASSES_TO_STALL)?;
    table.finished = places.iter().filter(|place| **place != NO_PLACE).count() as u8;
    table.places = places;
    let has_cards = !hands[usize::from(table.turn)].is_empty();
    let may_move = table.is_alive(table.turn) && has_cards;
    if !table.is_over() && !may_move {
        return Err(NoPosition(
            "the seat to move has no cards, or is out of the game".to_owned(),
        ));
    }
    Ok(Daihinmin {
        position: Position { table, hands },
        played,
        ranks,
        exchanges,
        lots: order(lots)?,
        ply: (ply.parse().ok())
            .filter(|&ply| ply <= Daihinmin::MOST_PLIES)
            .ok_or_else(|| wrong(ply))?,
    })
}

#[cfg(feature = "serde")]
impl serde::Serialize for Cards {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Meld {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
