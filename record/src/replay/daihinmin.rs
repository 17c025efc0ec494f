//! Playing a record of Daihinmin again.

use games::daihinmin::{
    Cards, Exchanged, GameView, Meld, PASSES_TO_STALL, Position, PublicView, SEATS, SessionRules,
    Table, View,
};
use games::{ByPlayer, BySeat, GameName, Outcome, Player, Seat, Seating};

use serde_json::{Value, json};

use super::game::{Recorded, ReplayError, contradiction, seat_of};
use crate::event::What;

/// A game of Daihinmin as its record tells it.
#[derive(Clone, Debug)]
pub struct DaihinminGame {
    /// Place of each player in the last game, in a game with ranks.
    pub ranks: Option<ByPlayer<u8>>,
    /// The position. Before the first move its hands change with the exchange.
    pub position: Position,
    plies: u32,
    played: [Cards; SEATS],
    /// The exchange of each seat, whose partner is known from the beginning.
    exchanged: [Exchanged; SEATS],
    /// Cards that each seat still has to give.
    owed: [u32; SEATS],
    /// Places of the seats in the last game.
    seat_ranks: Option<[u8; SEATS]>,
    /// Cards that vanished by a fault of the official server.
    pub lost: Cards,
}

impl DaihinminGame {
    /// Places by seat, [`games::daihinmin::NO_PLACE`] for seats that still play.
    pub fn places(&self) -> BySeat<u8> {
        self.position.table.places.into()
    }

    /// Places of the seats in the last game, in a game with ranks.
    pub const fn seat_ranks(&self) -> Option<[u8; SEATS]> {
        self.seat_ranks
    }

    /// Cards that each seat still has to give.
    pub const fn owed(&self) -> [u32; SEATS] {
        self.owed
    }

    /// Whether all gifts are given.
    pub fn is_exchanged(&self) -> bool {
        let mut exchanged = self.exchanged.iter();
        exchanged.all(|own| own.partner.is_none() || !own.given.is_empty())
    }

    /// All that a seat may know now.
    pub fn view(&self, seat: Seat) -> View {
        View {
            table: self.table(),
            played: self.played,
            exchanged: self.exchanged[seat.index()],
            ranks: self.seat_ranks,
            ..View::at_start(&self.position, seat.number())
        }
    }

    fn give(
        &mut self,
        [from, to]: [Seat; 2],
        cards: &str,
        lost: Option<&str>,
    ) -> Result<(), ReplayError> {
        if self.plies > 0 {
            return contradiction("cards are given after the first move");
        }
        let cards = cards_of(cards)?;
        let lost = lost.map_or(Ok(Cards::EMPTY), cards_of)?;
        let mut hands = self.position.hands;
        if !hands[from.index()].contains_all(cards | lost) {
            return contradiction(format!("the giver does not hold {cards}{lost}"));
        }
        hands[from.index()] -= cards | lost;
        hands[to.index()] |= cards;
        self.lost |= lost;
        self.exchanged[from.index()].given = cards;
        self.exchanged[to.index()].received = cards;
        self.owed[from.index()] = 0;
        self.position = Position::new(hands, self.position.table.rules);
        Ok(())
    }
}

impl DaihinminGame {
    /// The table. Nobody knows who leads while gifts are owed: the seat that gives next stands for the leader.
    fn table(&self) -> Table {
        let table = self.position.table;
        let gives = |rank: &u8| {
            let seat = self.seat_ranks?.iter().position(|of| of == rank)?;
            (self.owed[seat] > 0).then_some(seat as u8)
        };
        match [0, 1].iter().find_map(gives) {
            Some(giver) if self.plies == 0 => Table::new(giver, table.rules),
            _ => table,
        }
    }
}

fn cards_of(text: &str) -> Result<Cards, ReplayError> {
    text.parse().map_err(ReplayError::notation)
}

impl Recorded for DaihinminGame {
    type Rules = SessionRules;
    const NAME: GameName = GameName::Daihinmin;
    const SEATS: usize = SEATS;
    const FORFEITS: bool = false;

    fn deal(
        begin: &What,
        seating: &Seating,
        rules: &SessionRules,
    ) -> Result<DaihinminGame, ReplayError> {
        let What::Begin {
            game, ranks, hands, ..
        } = begin
        else {
            unreachable!("a game is begun from its beginning");
        };
        if let Some(ranks) = ranks {
            // Ranks are places without ties: each of the numbers once, as in a seating.
            let order: BySeat<Player> = ranks.iter().copied().map(Player::new).collect();
            if order.len() != SEATS || Seating::new(order).is_err() {
                return contradiction(format!("ranks {ranks:?} are not 0 to 4 in some order"));
            }
        }
        if hands.len() != SEATS {
            return contradiction(format!(
                "game {game}: {} hands for five players",
                hands.len()
            ));
        }
        let mut dealt = [Cards::EMPTY; SEATS];
        let mut all = Cards::EMPTY;
        for (seat, player) in seating.players().pairs() {
            let hand = cards_of(&hands[player.index()])?;
            if !(all & hand).is_empty() {
                return contradiction(format!("game {game}: a card is in two hands"));
            }
            all |= hand;
            dealt[seat.index()] = hand;
        }
        let by_seat = |ranks: &Vec<u8>| {
            std::array::from_fn(|at| ranks[seating.player_at(Seat::at(at)).index()])
        };
        let seat_ranks: Option<[u8; SEATS]> = ranks.as_ref().map(by_seat);
        let mut exchanged = [Exchanged::default(); SEATS];
        let mut owed = [0; SEATS];
        if let Some(ranks) = seat_ranks.filter(|_| rules.exchange) {
            for (seat, rank) in ranks.into_iter().enumerate().filter(|(_, rank)| *rank != 2) {
                let partner = ranks.iter().position(|&other| other == 4 - rank);
                exchanged[seat].partner = partner.map(|partner| partner as u8);
                exchanged[seat].rich = rank < 2;
                owed[seat] = 2_u32.saturating_sub(rank.into());
            }
        }
        Ok(DaihinminGame {
            played: [Cards::EMPTY; SEATS],
            exchanged,
            owed,
            seat_ranks,
            ranks: ranks.clone().map(ByPlayer::from),
            position: Position::new(dealt, rules.game),
            plies: 0,
            lost: Cards::EMPTY,
        })
    }

    fn prepare(&mut self, what: &What, seating: &Seating) -> Result<(), ReplayError> {
        match what {
            What::Give {
                from,
                to,
                cards,
                lost,
                ..
            } => {
                let seats = [seat_of(seating, *from)?, seat_of(seating, *to)?];
                self.give(seats, cards, lost.as_deref())
            }
            What::Lot { order } => {
                if !self.position.table.is_stalled() {
                    return contradiction(
                        "players are ranked by lot before twenty passes in a row",
                    );
                }
                let seats = order
                    .iter()
                    .map(|&player| seat_of(seating, player).map(Seat::number));
                let seats: Vec<u8> = seats.collect::<Result<_, _>>()?;
                self.position.table.rank_rest(&seats);
                Ok(())
            }
            _ => unreachable!("only gifts and lots are handed over"),
        }
    }

    fn follow(&mut self, mv: &str, spent: Option<&str>) -> Result<(), ReplayError> {
        let meld: Meld = mv.parse().map_err(ReplayError::notation)?;
        let seat = usize::from(self.position.table.turn);
        let mut cards = meld.cards();
        if let Some(spent) = spent {
            cards = cards_of(spent)?;
            self.position.lay(meld, cards);
            self.position.table.advance();
        } else {
            self.position
                .play(meld)
                .map_err(|reason| ReplayError::Illegal(format!("{mv}: {reason}")))?;
        }
        self.played[seat] |= cards;
        self.plies += 1;
        Ok(())
    }

    fn turn(&self) -> Option<Seat> {
        let table = &self.position.table;
        (!table.is_over() && !table.is_stalled()).then(|| Seat::new(table.turn))
    }

    fn due(&self) -> Option<Seat> {
        self.turn().map(|_| Seat::new(self.table().turn))
    }

    fn is_dealt(&self) -> bool {
        let mut exchanged = self.exchanged.iter();
        exchanged.all(|own| own.partner.is_none() || own.rich || !own.given.is_empty())
    }

    fn plies(&self) -> u32 {
        self.plies
    }

    fn seen(&self, seat: Seat) -> Value {
        json!(GameView {
            view: self.view(seat),
            owed: self.owed,
        })
    }

    fn seen_by_all(&self) -> Value {
        json!(PublicView {
            table: self.table(),
            counts: self.position.counts(),
            played: self.played,
            ranks: self.seat_ranks,
            owed: self.owed,
        })
    }

    /// The fewer cards a seat has, the nearer it is to its end.
    fn game_points(&self) -> BySeat<i32> {
        self.position.counts().map(|cards| -i32::from(cards)).into()
    }

    fn result(&self) -> Option<Outcome> {
        let places = self.position.table.is_over().then(|| self.places())?;
        Some(Outcome {
            points: places.map(|&place| 5.0 - f64::from(place)),
            places,
            game_points: BySeat::default(),
            rule: None,
            reason: None,
        })
    }

    fn rule(&self) -> Option<&'static str> {
        self.result()?;
        let is_stalled = self.position.table.passes_in_row >= PASSES_TO_STALL;
        Some(if is_stalled { "stalled" } else { "played-out" })
    }

    fn lose(&mut self, _: Seat) -> Option<Outcome> {
        None
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use games::daihinmin::{Cards, Chance, Dealer, DealerKind, Session};

    use super::*;
    use crate::replay::{Replayed, replay};
    use crate::{EndKind, Header, ReadError, RecordReader, RecordWriter};

    /// Plays a match of random moves, or of none but passes, and records it.
    pub(crate) fn record(games: u32, chance: Chance, passes: bool) -> Vec<u8> {
        let rules = SessionRules::default();
        let mut session = Session::new(rules, Dealer::of(chance));
        let players = vec![crate::Player::default(); 5];
        let mut header = Header::new(GameName::Daihinmin, "m", "uecda", players, games)
            .with_option("dealer", serde_json::json!(chance.kind()));
        let key = chance.key();
        header.commitment = key.map(|key| key.commitment("m"));
        let mut out = Vec::new();
        let mut writer = RecordWriter::new(&mut out, &header.with_rules(&rules)).unwrap();
        let mut moves = Vec::new();
        let mut pick = 4_u64;
        for game in 1..=games {
            let mut deal = session.deal();
            writer.event(&What::begin(&deal).at(0)).unwrap();
            for what in What::tributes(&deal) {
                writer.event(&what.at(0)).unwrap();
            }
            for (rich, poor) in [(0, 4), (1, 3)] {
                if !deal.ranked {
                    break;
                }
                let (from, to) = (deal.seat_of_rank(rich), deal.seat_of_rank(poor));
                if deal.owes[usize::from(from)] > 0 {
                    let cards = deal.give(from, Cards::EMPTY);
                    let player = |seat: u8| deal.player_at[usize::from(seat)];
                    let what = What::give(player(from), player(to), cards);
                    writer.event(&what.at(0)).unwrap();
                }
            }
            let mut position = deal.start();
            while !position.table.is_over() {
                if position.table.is_stalled() {
                    let alive = position.table.alive;
                    session.settle_stall(&mut position);
                    let mut seats: Vec<u8> = (0..5).filter(|s| alive >> s & 1 != 0).collect();
                    seats.sort_by_key(|&seat| position.table.places[usize::from(seat)]);
                    let order = seats.iter().map(|&s| deal.player_at[usize::from(s)]);
                    let order = order.collect();
                    writer.event(&What::Lot { order }.at(0)).unwrap();
                    continue;
                }
                position.legal_moves(&mut moves);
                pick = pick.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let most = if passes { 1 } else { moves.len() };
                let meld = moves[(pick >> 33) as usize % most];
                let player = deal.player_at[usize::from(position.table.turn)];
                writer.event(&What::play(player, meld).at(0)).unwrap();
                position.play(meld).unwrap();
            }
            session.finish(position.table.places);
            let places = session.places();
            let end = What::End {
                game,
                places: places.to_vec(),
                points: places.iter().map(|&p| 5.0 - f64::from(p)).collect(),
                game_points: Vec::new(),
                kinds: vec![EndKind::Normal; 5],
                rule: None,
            };
            writer.event(&end.at(0)).unwrap();
        }
        let result = What::Result {
            games,
            points: session.points().iter().map(|&p| f64::from(p)).collect(),
            kinds: vec![EndKind::Normal; 5],
            seed: chance.seed(),
            key,
            reason: None,
        };
        writer.event(&result.at(0)).unwrap();
        drop(writer);
        out
    }

    fn replay_text(text: &str) -> Result<Replayed, ReadError> {
        replay(RecordReader::new(text.as_bytes(), "r")?)
    }

    #[test]
    fn a_record_plays_again_to_its_result() {
        let text =
            String::from_utf8(record(30, Chance::Seed(DealerKind::Modern, 4), false)).unwrap();
        let sum = replay_text(&text).unwrap();
        assert!(sum.closed && !sum.unfinished);
        assert_eq!((sum.games, sum.void), (30, 0));
        assert!((sum.points.iter().sum::<f64>() - 450.0).abs() < 1e-9);
    }

    #[test]
    fn a_wrong_player_or_a_missing_end_is_noticed() {
        let text =
            String::from_utf8(record(2, Chance::Seed(DealerKind::Modern, 5), false)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let mut tried = 0;
        for (i, line) in lines.iter().enumerate() {
            let mut other = lines.clone();
            let changed = line.replace("\"player\":1", "\"player\":2");
            if changed != *line {
                other[i] = &changed;
            } else if line.contains("\"event\":\"end\"") {
                other.remove(i);
            } else {
                continue;
            }
            let error = replay_text(&other.join("\n")).unwrap_err();
            assert!(error.line as usize > i, "{error}");
            tried += 1;
        }
        assert!(tried > 20, "{tried}");
    }
}
