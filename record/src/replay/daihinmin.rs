//! One game of a record, event by event.

use games::GameName;
use games::daihinmin::{Cards, Meld, NO_PLACE, Position, SEATS, SessionRules};

use super::{Rebuild, ReplayError, contradiction};
use crate::event::{EndKind, What};
use crate::header::Header;

/// One game of a record, rebuilt event by event.
#[derive(Clone, Debug)]
pub struct GameReplay {
    /// Number of the game.
    pub game: u32,
    /// The player in each seat.
    pub player_at: [u8; SEATS],
    /// Place of each player in the last game, in a game with ranks.
    pub ranks: Option<[u8; SEATS]>,
    /// The position. Before the first move its hands change with the exchange.
    pub position: Position,
    /// Moves so far.
    pub plies: u32,
    /// Whether the game has ended.
    pub ended: bool,
    /// Cards that vanished by a fault of the official server.
    pub lost: Cards,
}

impl GameReplay {
    /// Begins a game from a [`What::Begin`]; `None` for other events.
    ///
    /// # Errors
    /// When the event is no beginning of a game of Daihinmin.
    pub fn begin(what: &What, rules: &SessionRules) -> Result<Option<GameReplay>, ReplayError> {
        let What::Begin {
            game,
            seats,
            ranks,
            hands,
            ..
        } = what
        else {
            return Ok(None);
        };
        let player_at = permutation(seats, "seats")?;
        let ranks = match ranks {
            Some(ranks) => Some(permutation(ranks, "ranks")?),
            None => None,
        };
        if hands.len() != SEATS {
            return contradiction(format!(
                "game {game}: {} hands for five players",
                hands.len()
            ));
        }
        let mut dealt = [Cards::EMPTY; SEATS];
        let mut all = Cards::EMPTY;
        for (seat, &player) in player_at.iter().enumerate() {
            let hand: Cards = hands[usize::from(player)].parse()?;
            if !(all & hand).is_empty() {
                return contradiction(format!("game {game}: a card is in two hands"));
            }
            all |= hand;
            dealt[seat] = hand;
        }
        Ok(Some(GameReplay {
            game: *game,
            player_at,
            ranks,
            position: Position::new(dealt, rules.game),
            plies: 0,
            ended: false,
            lost: Cards::EMPTY,
        }))
    }

    /// The seat of a player.
    ///
    /// # Errors
    /// When there is no such player.
    pub fn seat_of(&self, player: u8) -> Result<u8, ReplayError> {
        match self.player_at.iter().position(|&p| p == player) {
            Some(seat) => Ok(seat as u8),
            None => contradiction(format!("there is no player {player}")),
        }
    }

    /// Places by player, [`NO_PLACE`] for those who still play.
    pub fn places(&self) -> [u8; SEATS] {
        let mut places = [NO_PLACE; SEATS];
        for (seat, &player) in self.player_at.iter().enumerate() {
            places[usize::from(player)] = self.position.table.places[seat];
        }
        places
    }

    /// Applies the next event of the game. Events that change no position are accepted as they
    /// are.
    ///
    /// # Errors
    /// When the event cannot have happened now; the replay is then of no further use.
    pub fn apply(&mut self, what: &What) -> Result<(), ReplayError> {
        match what {
            What::Give {
                from,
                to,
                cards,
                lost,
                ..
            } => self.give(*from, *to, cards, lost.as_deref()),
            What::Move {
                player, mv, spent, ..
            } => self.play(*player, mv, spent.as_deref()),
            What::Lot { order } => self.lot(order),
            What::End {
                game,
                places,
                points,
                kinds,
                ..
            } => self.end(*game, places, points, kinds),
            What::Begin { game, .. } => contradiction(format!(
                "game {game} begins while game {} is played",
                self.game
            )),
            What::Setup { .. } => contradiction("there is no set-up in Daihinmin"),
            What::Result { .. } | What::Refused { .. } | What::Forfeit { .. } => Ok(()),
        }
    }

    fn give(
        &mut self,
        from: u8,
        to: u8,
        cards: &str,
        lost: Option<&str>,
    ) -> Result<(), ReplayError> {
        if self.plies > 0 {
            return contradiction("cards are given after the first move");
        }
        let cards: Cards = cards.parse()?;
        let lost: Cards = lost.unwrap_or_default().parse()?;
        let (from, to) = (self.seat_of(from)?, self.seat_of(to)?);
        let mut hands = self.position.hands;
        if !hands[usize::from(from)].contains_all(cards | lost) {
            return contradiction(format!("the giver does not hold {cards}{lost}"));
        }
        hands[usize::from(from)] -= cards | lost;
        hands[usize::from(to)] |= cards;
        self.lost |= lost;
        self.position = Position::new(hands, self.position.table.rules);
        Ok(())
    }

    fn play(&mut self, player: u8, mv: &str, spent: Option<&str>) -> Result<(), ReplayError> {
        let meld: Meld = mv.parse()?;
        let seat = self.seat_of(player)?;
        let table = &self.position.table;
        if table.is_over() || table.is_stalled() || self.ended {
            return contradiction(format!("player {player} plays {mv} after the end"));
        }
        if table.turn != seat {
            let turn = self.player_at[usize::from(table.turn)];
            return contradiction(format!(
                "player {player} plays {mv}, but it is player {turn}'s turn"
            ));
        }
        if let Some(spent) = spent {
            let spent: Cards = spent.parse()?;
            self.position.lay(meld, spent);
            self.position.table.advance();
        } else {
            self.position
                .play(meld)
                .map_err(|reason| ReplayError::Illegal(format!("{mv}: {reason}")))?;
        }
        self.plies += 1;
        Ok(())
    }

    fn lot(&mut self, order: &[u8]) -> Result<(), ReplayError> {
        if !self.position.table.is_stalled() {
            return contradiction("players are ranked by lot before twenty passes in a row");
        }
        let seats: Result<Vec<u8>, ReplayError> = order.iter().map(|&p| self.seat_of(p)).collect();
        self.position.table.rank_rest(&seats?);
        Ok(())
    }

    fn end(
        &mut self,
        game: u32,
        places: &[u8],
        points: &[f64],
        kinds: &[EndKind],
    ) -> Result<(), ReplayError> {
        self.ended = true;
        if game != self.game {
            return contradiction(format!("game {game} ends while game {} runs", self.game));
        }
        if kinds.contains(&EndKind::Void) {
            return if places.is_empty() && points.iter().all(|&p| p == 0.0) {
                Ok(())
            } else {
                contradiction(format!("game {game} is void, but has places or points"))
            };
        }
        if !self.position.table.is_over() {
            return contradiction(format!("game {game} ends while it is still played"));
        }
        let played = self.places();
        if places != played {
            return contradiction(format!(
                "game {game}: the record says places {places:?}, its moves lead to {played:?}"
            ));
        }
        let due = played.map(|place| 5.0 - f64::from(place));
        if points != due {
            return contradiction(format!(
                "game {game}: the record says points {points:?}, its places give {due:?}"
            ));
        }
        Ok(())
    }
}

fn permutation(list: &[u8], name: &str) -> Result<[u8; SEATS], ReplayError> {
    let mut seen = [false; SEATS];
    for &item in list {
        if let Some(seen) = seen.get_mut(usize::from(item)) {
            *seen = true;
        }
    }
    match <[u8; SEATS]>::try_from(list) {
        Ok(list) if seen == [true; SEATS] => Ok(list),
        _ => contradiction(format!("{name} {list:?} are not 0 to 4 in some order")),
    }
}

impl Rebuild for GameReplay {
    type Rules = SessionRules;
    const PLAYERS: usize = SEATS;

    fn rules(header: &Header) -> Result<SessionRules, ReplayError> {
        if header.game != GameName::Daihinmin {
            return Err(ReplayError::OtherGame(header.game));
        }
        serde_json::from_value(header.rules.clone()).map_err(|e| ReplayError::Rules(e.to_string()))
    }

    fn begin(what: &What, rules: &SessionRules) -> Result<Option<GameReplay>, ReplayError> {
        GameReplay::begin(what, rules)
    }

    fn apply(&mut self, what: &What) -> Result<(), ReplayError> {
        GameReplay::apply(self, what)
    }

    fn number(&self) -> u32 {
        self.game
    }
}

#[cfg(test)]
#[path = "daihinmin_tests.rs"]
mod tests;
