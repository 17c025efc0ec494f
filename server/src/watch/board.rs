//! A game in play as everybody may know it, and as each seat may know it once it is over.

use std::fmt::Debug;

use games::daihinmin::{
    Cards, Exchanged, GameView, Meld, PASSES_TO_STALL, PublicView, SEATS, SessionRules, Table, View,
};
use games::{
    Blokus, BySeat, Dobutsu, Game, GameName, Geister, Outcome, Player, ScoreFour, Seat, Seating,
};
use protocol::native::Now;
use record::{DaihinminGame, Header, Replay, ReplayError, What};
use serde::Serialize;
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) ply: u32,
    pub(super) seat: Seat,
    pub(super) mv: String,
}

/// A game in play, rebuilt from the events of its record.
pub(super) trait Board: Debug + Send + Sync {
    /// Takes in an event; gives the move that it shows, if it shows one.
    ///
    /// # Errors
    /// When the event cannot have happened now: the board is of no further use.
    fn take(&mut self, what: &What) -> Result<Option<Shown>, ReplayError>;

    /// Plays a move that was held back until it is due; gives it.
    ///
    /// # Errors
    /// As [`Board::take`].
    fn go_on(&mut self) -> Result<Option<Shown>, ReplayError> {
        Ok(None)
    }

    /// Whether the game can be shown: all is dealt.
    fn is_dealt(&self) -> bool {
        true
    }

    fn seating(&self) -> &Seating;

    fn ply(&self) -> u32;

    fn now(&self) -> Now;

    fn views(&self) -> Vec<Value>;

    /// The rule by which a seat plays no more.
    fn out(&self, _seat: Seat) -> Option<&'static str> {
        None
    }

    /// What the game has come to, once it is over.
    fn outcome(&self) -> Option<Outcome>;
}

/// Begins the board of a game of this match; `None` when the event is no beginning.
///
/// # Errors
/// When the rules of the header or the event are not those of the game.
pub(super) fn begin(header: &Header, what: &What) -> Result<Option<Box<dyn Board>>, ReplayError> {
    match header.game {
        GameName::Daihinmin => {
            let rules = Replay::<DaihinminGame>::rules(header)?;
            let replay = Replay::begin(what, &rules)?;
            Ok(replay.map(|replay| Box::new(Cardroom::new(replay, &rules)) as Box<dyn Board>))
        }
        GameName::Geister => open::<Geister>(header, what),
        GameName::ScoreFour => open::<ScoreFour>(header, what),
        GameName::Blokus => open::<Blokus>(header, what),
        GameName::Dobutsu => open::<Dobutsu>(header, what),
    }
}

fn open<G: Game>(header: &Header, what: &What) -> Result<Option<Box<dyn Board>>, ReplayError> {
    let replay = Replay::<G>::begin(what, &Replay::<G>::rules(header)?)?;
    Ok(replay.map(|replay| {
        let held = BySeat::of(G::SEATS, None);
        Box::new(Moves { replay, held }) as Box<dyn Board>
    }))
}

fn json(view: &impl Serialize) -> Value {
    serde_json::to_value(view).expect("a view is plain data")
}

/// A game whose record has nothing but moves, and set-ups, which are moves as well.
#[derive(Debug)]
struct Moves<G> {
    replay: Replay<G>,
    /// By seat, a set-up that is not due yet: seats make theirs at the same time.
    held: BySeat<Option<What>>,
}

impl<G: Game> Board for Moves<G> {
    fn take(&mut self, what: &What) -> Result<Option<Shown>, ReplayError> {
        let (player, mv) = match what {
            What::Move { player, mv, .. } => (*player, mv),
            What::Setup { player, setup, .. } => {
                if let Some(&seat) = self.replay.seating.seats().get(Player::new(*player)) {
                    self.held[seat] = Some(What::play(*player, setup));
                }
                return Ok(None);
            }
            _ => return self.replay.apply(what).map(|()| None),
        };
        let before = G::HAS_SECRETS.then(|| self.replay.game.clone());
        let ply = self.ply();
        self.replay.apply(what)?;
        // The replay has played it, in turn.
        let seat = self.replay.seating.seat_of(Player::new(player));
        let Ok(mv) = mv.parse::<G::Move>() else {
            unreachable!("the replay has read it");
        };
        let other = Seat::at((seat.index() + 1) % G::SEATS);
        let mv = before.map_or_else(|| mv.to_string(), |before| before.shown(mv, other));
        Ok(Some(Shown { ply, seat, mv }))
    }

    fn go_on(&mut self) -> Result<Option<Shown>, ReplayError> {
        let mover = self
            .replay
            .mover()
            .map(|player| self.replay.seating.seat_of(player));
        match mover.and_then(|seat| self.held[seat].take()) {
            Some(due) => self.take(&due),
            None => Ok(None),
        }
    }

    fn seating(&self) -> &Seating {
        &self.replay.seating
    }

    fn ply(&self) -> u32 {
        Game::ply(&self.replay.game)
    }

    fn now(&self) -> Now {
        let mover = self.replay.mover();
        Now {
            to_move: mover.map(|player| self.replay.seating.seat_of(player).number()),
            view: json(&self.replay.game.public_view()),
        }
    }

    fn views(&self) -> Vec<Value> {
        let seats = Seat::all(G::SEATS);
        seats
            .map(|seat| json(&self.replay.game.view(seat)))
            .collect()
    }

    fn out(&self, seat: Seat) -> Option<&'static str> {
        self.replay.game.out(seat)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.replay.outcome()
    }
}

/// What the seats of a pair give each other.
#[derive(Clone, Copy, Debug, Default)]
struct Exchange {
    /// The seats: the rich one and the poor one.
    pair: [usize; 2],
    tribute: Option<Cards>,
    gift: Option<Cards>,
}

/// A game of Daihinmin. It follows the record, not the rules: the faults of the official server can be watched, too.
#[derive(Debug)]
struct Cardroom {
    replay: Replay<DaihinminGame>,
    played: [Cards; SEATS],
    ranks: Option<[u8; SEATS]>,
    /// Of the best rank and the second, in games with an exchange.
    exchanges: Vec<Exchange>,
    ply: u32,
}

impl Cardroom {
    fn new(replay: Replay<DaihinminGame>, rules: &SessionRules) -> Cardroom {
        let ranks = replay.game.ranks.as_ref().map(|ranks| {
            let by_seat = replay.seating.by_seat(ranks);
            std::array::from_fn(|seat| by_seat[Seat::at(seat)])
        });
        let exchange = |ranks: [u8; SEATS], pair: u8| {
            let seat = |rank| ranks.iter().position(|&r| r == rank);
            let pair = [pair, 4 - pair].map(|rank| seat(rank).expect("ranks without ties"));
            Exchange {
                pair,
                ..Exchange::default()
            }
        };
        Cardroom {
            replay,
            played: [Cards::EMPTY; SEATS],
            exchanges: match ranks {
                Some(ranks) if rules.exchange => [0, 1].map(|pair| exchange(ranks, pair)).into(),
                _ => Vec::new(),
            },
            ranks,
            ply: 0,
        }
    }

    /// Cards that each seat still has to give.
    fn owed(&self) -> [u32; SEATS] {
        let mut owed = [0; SEATS];
        for (exchange, number) in self.exchanges.iter().zip([2, 1]) {
            if exchange.gift.is_none() {
                owed[exchange.pair[0]] = number;
            }
        }
        owed
    }

    /// The table. Nobody knows who leads while gifts are owed: the seat that gives next stands for the leader.
    fn table(&self) -> Table {
        let table = self.replay.game.position.table;
        let open = self
            .exchanges
            .iter()
            .find(|exchange| exchange.gift.is_none());
        open.map_or(table, |open| Table::new(open.pair[0] as u8, table.rules))
    }

    fn exchanged(&self, seat: usize) -> Exchanged {
        let Some(exchange) = self.exchanges.iter().find(|e| e.pair.contains(&seat)) else {
            return Exchanged::default();
        };
        let [rich, poor] = exchange.pair;
        let tribute = exchange.tribute.unwrap_or(Cards::EMPTY);
        let gift = exchange.gift.unwrap_or(Cards::EMPTY);
        let (partner, given, received) = if seat == rich {
            (poor, gift, tribute)
        } else {
            (rich, tribute, gift)
        };
        Exchanged {
            partner: Some(partner as u8),
            given,
            received,
            rich: seat == rich,
        }
    }

    fn view(&self, seat: usize) -> GameView {
        let position = &self.replay.game.position;
        GameView {
            view: View {
                table: self.table(),
                played: self.played,
                exchanged: self.exchanged(seat),
                ranks: self.ranks,
                ..View::at_start(position, seat as u8)
            },
            owed: self.owed(),
        }
    }
}

impl Board for Cardroom {
    fn take(&mut self, what: &What) -> Result<Option<Shown>, ReplayError> {
        self.replay.apply(what)?;
        // What was applied names players of the table, and cards.
        let seat_of = |player: u8| self.replay.seating.seat_of(Player::new(player));
        let cards =
            |text: &str| -> Cards { text.parse().expect("cards of an event that was applied") };
        let (seat, mv) = match what {
            What::Give {
                from,
                cards: given,
                forced,
                ..
            } => {
                let seat = seat_of(*from);
                let given = cards(given);
                if let Some(exchange) = self
                    .exchanges
                    .iter_mut()
                    .find(|e| e.pair[usize::from(*forced)] == seat.index())
                {
                    let place = if *forced {
                        &mut exchange.tribute
                    } else {
                        &mut exchange.gift
                    };
                    *place = Some(given);
                }
                if *forced {
                    return Ok(None);
                }
                (seat, "give".to_owned())
            }
            What::Move {
                player, mv, spent, ..
            } => {
                let meld: Meld = mv.parse().expect("a meld that was applied");
                let seat = seat_of(*player);
                self.played[seat.index()] |= spent.as_deref().map_or(meld.cards(), cards);
                (seat, meld.to_string())
            }
            _ => return Ok(None),
        };
        self.ply += 1;
        Ok(Some(Shown {
            ply: self.ply - 1,
            seat,
            mv,
        }))
    }

    fn is_dealt(&self) -> bool {
        self.exchanges
            .iter()
            .all(|exchange| exchange.tribute.is_some())
    }

    fn seating(&self) -> &Seating {
        &self.replay.seating
    }

    fn ply(&self) -> u32 {
        self.ply
    }

    fn now(&self) -> Now {
        let table = self.table();
        let owed = self.owed();
        let is_open = !self.replay.ended && !table.is_over() && !table.is_stalled();
        let view = PublicView {
            table,
            counts: self.replay.game.position.counts(),
            played: self.played,
            ranks: self.ranks,
            owed,
        };
        Now {
            to_move: is_open.then_some(table.turn),
            view: json(&view),
        }
    }

    fn views(&self) -> Vec<Value> {
        (0..SEATS).map(|seat| json(&self.view(seat))).collect()
    }

    fn outcome(&self) -> Option<Outcome> {
        let outcome = self.replay.outcome()?;
        let stalled = self.replay.game.position.table.passes_in_row >= PASSES_TO_STALL;
        Some(Outcome {
            rule: Some(if stalled { "stalled" } else { "played-out" }),
            ..outcome
        })
    }
}
