//! Playing a record of Daihinmin again.

use std::io::BufRead;

use games::daihinmin::{
    Cards, IllegalMove, Meld, NO_PLACE, ParseError, Position, SEATS, SessionRules,
};

use super::event::{EndKind, Event, What};
use super::header::{GameName, Header};
use super::reader::{ReadError, RecordReader};

/// Why a record does not play again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The record is of another game.
    #[error("this is a record of {0}, not of daihinmin")]
    OtherGame(GameName),
    /// The header's rules are no rules of Daihinmin.
    #[error("the rules of the header: {0}")]
    Rules(String),
    /// A text is no notation.
    #[error(transparent)]
    Notation(#[from] ParseError),
    /// A move that the rules forbid.
    #[error("{mv}: {reason}")]
    Illegal {
        /// The move.
        mv: String,
        /// Why.
        reason: IllegalMove,
    },
    /// Events that do not follow from each other.
    #[error("{0}")]
    Contradiction(String),
}

fn contradiction<T>(what: impl Into<String>) -> Result<T, ReplayError> {
    Err(ReplayError::Contradiction(what.into()))
}

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
                .map_err(|reason| ReplayError::Illegal {
                    mv: mv.to_owned(),
                    reason,
                })?;
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

/// What a whole record comes to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replayed {
    /// Games that counted.
    pub games: u32,
    /// Games that were void.
    pub void: u32,
    /// Moves in all, passes included.
    pub plies: u64,
    /// Points by player.
    pub points: [f64; SEATS],
    /// Whether the record has its last line, so that the result was compared too.
    pub closed: bool,
    /// Whether the last game in it has no end.
    pub unfinished: bool,
}

/// Plays a record of Daihinmin again from its deals and moves, checks every move against the
/// rules, and compares the places, the points and the result that it states with those it leads
/// to.
///
/// # Errors
/// The first line that cannot be read or that contradicts the lines before it.
pub fn replay<R: BufRead>(mut reader: RecordReader<R>) -> Result<Replayed, ReadError> {
    let rules = daihinmin_rules(reader.header()).map_err(|e| reader.error(e))?;
    let mut sum = Replayed::default();
    let mut current: Option<GameReplay> = None;
    while let Some(event) = reader.next() {
        let Event { what, .. } = event?;
        step(&mut sum, &mut current, &what, &rules).map_err(|e| reader.error(e))?;
    }
    sum.unfinished = current.is_some();
    Ok(sum)
}

fn step(
    sum: &mut Replayed,
    current: &mut Option<GameReplay>,
    what: &What,
    rules: &SessionRules,
) -> Result<(), ReplayError> {
    if sum.closed {
        return contradiction("there is a line after the result");
    }
    let Some(game) = current else {
        *current = GameReplay::begin(what, rules)?;
        return match what {
            What::Begin { .. } | What::Refused { .. } | What::Forfeit { .. } => Ok(()),
            What::Result { games, points, .. } => {
                sum.closed = true;
                if *games != sum.games || points[..] != sum.points {
                    return contradiction(format!(
                        "the result says {games} games and points {points:?}; \
                         its games are {} and give {:?}",
                        sum.games, sum.points
                    ));
                }
                Ok(())
            }
            _ => contradiction("this belongs into a game"),
        };
    };
    if let What::Result { .. } = what {
        return contradiction(format!("the match ends while game {} is played", game.game));
    }
    game.apply(what)?;
    if let What::Move { .. } = what {
        sum.plies += 1;
    }
    if let What::End { points, places, .. } = what {
        if places.is_empty() {
            sum.void += 1;
        } else {
            sum.games += 1;
            for (total, point) in sum.points.iter_mut().zip(points) {
                *total += point;
            }
        }
        *current = None;
    }
    Ok(())
}

/// The rules in the header of a record of Daihinmin.
///
/// # Errors
/// When the record is of another game or its rules are not to be read.
pub(crate) fn daihinmin_rules(header: &Header) -> Result<SessionRules, ReplayError> {
    if header.game != GameName::Daihinmin {
        return Err(ReplayError::OtherGame(header.game));
    }
    serde_json::from_value(header.rules.clone()).map_err(|e| ReplayError::Rules(e.to_string()))
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

#[cfg(test)]
mod tests {
    use games::daihinmin::{Dealer, DealerKind, Session};

    use super::*;
    use crate::record::{Player, RecordWriter};

    /// Plays a match of random moves and records it.
    fn record(games: u32, seed: u64) -> Vec<u8> {
        let rules = SessionRules::default();
        let mut session = Session::new(rules, Dealer::new(DealerKind::Modern, seed));
        let players = vec![Player::default(); 5];
        let header = Header::new(GameName::Daihinmin, "m", "uecda", players, games);
        let mut out = Vec::new();
        let mut writer = RecordWriter::new(&mut out, &header.with_rules(&rules)).unwrap();
        let mut moves = Vec::new();
        let mut pick = seed;
        for game in 1..=games {
            let mut deal = session.deal();
            writer.event(&What::begin(&deal).at(0)).unwrap();
            for what in What::tributes(&deal) {
                writer.event(&what.at(0)).unwrap();
            }
            for (rich, poor) in [(0, 4), (1, 3)] {
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
                    session.settle_stall(&mut position);
                    continue;
                }
                position.legal_moves(&mut moves);
                pick = pick.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let meld = moves[(pick >> 33) as usize % moves.len()];
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
                kinds: vec![EndKind::Normal; 5],
            };
            writer.event(&end.at(0)).unwrap();
        }
        let result = What::Result {
            games,
            points: session.points().iter().map(|&p| f64::from(p)).collect(),
            kinds: vec![EndKind::Normal; 5],
            seed: Some(seed),
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
        let text = String::from_utf8(record(30, 4)).unwrap();
        let sum = replay_text(&text).unwrap();
        assert!(sum.closed && !sum.unfinished);
        assert_eq!((sum.games, sum.void), (30, 0));
        assert!((sum.points.iter().sum::<f64>() - 450.0).abs() < 1e-9);
    }

    #[test]
    fn a_wrong_player_or_a_missing_end_is_noticed() {
        let text = String::from_utf8(record(2, 5)).unwrap();
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
