//! Verifying a record: whether its deals are those of its key, and its moves lead to its result.

use std::io::BufRead;

use games::daihinmin::{
    Cards, Chance, Deal, Dealer, DealerKind, Meld, SEATS, Session, SessionRules, is_valid_gift,
    strongest,
};
use games::{DealKey, GameName, Seat};

use super::game::contradiction;
use super::{Check, DaihinminGame, RecordState, Replay, ReplayError, Replayed, replay_all};
use crate::event::{EndKind, Event, What};
use crate::header::Header;
use crate::reader::{ReadError, RecordReader};

/// What was found in a record in which all agrees.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verified {
    /// What its games come to.
    pub replayed: Replayed,
    /// Whether its key is the one committed to before the match.
    pub commitment: bool,
    /// Whether its seats, deals and lots follow from its key or seed.
    pub deals: bool,
    /// What could not be verified, and why.
    pub unverified: Vec<String>,
}

/// Games in which ranks carry over, as they were dealt in a league.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DealtSession {
    /// So many games.
    pub games: u32,
    /// What its dealer draws from.
    pub chance: Chance,
    /// The player of each number that the dealer draws.
    pub order: [u8; SEATS],
    /// Whether others play its deals too, see [`Session::begin_duplicate`].
    pub duplicate: bool,
}

impl DealtSession {
    fn begin(&self, session: &mut Session) {
        if self.duplicate {
            session.begin_duplicate(self.chance, self.order);
        } else {
            session.begin_anew(Dealer::of(self.chance), self.order);
        }
    }
}

/// Verifies a record: plays its games again as [`super::replay`] does, and where it tells the key or the seed of its deals,
/// compares commitment, seats, deals, gifts and lots with what follows from that. `published` is the commitment that
/// was published before the match, where it is known from elsewhere than the record.
///
/// # Errors
/// The first line that cannot be read, or that does not agree with the others.
pub fn verify<R: BufRead>(
    reader: RecordReader<R>,
    published: Option<&str>,
) -> Result<Verified, ReadError> {
    verify_sessions(reader, published, &[])
}

/// The same of a record of a league, which tells no key: its sessions are known from elsewhere. Without sessions the
/// deals are those that the record tells.
///
/// # Errors
/// As [`verify`].
pub fn verify_sessions<R: BufRead>(
    mut reader: RecordReader<R>,
    published: Option<&str>,
    sessions: &[DealtSession],
) -> Result<Verified, ReadError> {
    if let Some(published) = published
        && reader.header().commitment.as_deref() != Some(published)
    {
        return Err(reader.error("this is not the commitment that was published"));
    }
    let verified = verify_all(&mut reader, sessions, &mut |_, _| Ok(()))?;
    if !verified.replayed.closed {
        let reason = "the record has no result: its match is not over, or was cut off";
        return Err(reader.error(reason));
    }
    Ok(verified)
}

/// The same of a record that may be cut off, as of a league that was killed; [`Replayed::closed`] says whether it is.
/// Each event that agrees with those before it, and the number of its line, are given to `check`, which knows what
/// else the event has to agree with.
///
/// # Errors
/// As [`verify`], and what `check` says.
pub fn verify_events<R: BufRead>(
    mut reader: RecordReader<R>,
    sessions: &[DealtSession],
    check: &mut dyn FnMut(u64, &Event) -> Result<(), String>,
) -> Result<Verified, ReadError> {
    verify_all(&mut reader, sessions, check)
}

fn verify_all<R: BufRead>(
    reader: &mut RecordReader<R>,
    sessions: &[DealtSession],
    check: Check<'_>,
) -> Result<Verified, ReadError> {
    let header = reader.header().clone();
    if header.game == GameName::Daihinmin {
        let mut lines = Vec::new();
        while let Some(event) = reader.next() {
            lines.push((reader.line(), event?));
        }
        let at = |line, error: ReplayError| ReadError {
            line,
            ..reader.error(error)
        };
        of_daihinmin(&header, &lines, sessions, at, check)
    } else {
        let reason =
            "the openings and seats: only matches of Daihinmin have a key that they follow from";
        Ok(Verified {
            replayed: replay_all(reader, check)?,
            unverified: vec![reason.to_owned()],
            ..Verified::default()
        })
    }
}

fn of_daihinmin(
    header: &Header,
    lines: &[(u64, Event)],
    sessions: &[DealtSession],
    at: impl Fn(u64, ReplayError) -> ReadError,
    check: Check<'_>,
) -> Result<Verified, ReadError> {
    let rules = Replay::<DaihinminGame>::rules(header).map_err(|e| at(1, e))?;
    let mut verified = Verified::default();
    let result = lines
        .iter()
        .rev()
        .find_map(|(line, event)| match &event.what {
            What::Result { seed, key, .. } => Some((*line, *seed, *key)),
            _ => None,
        });
    let chance = match result {
        Some((line, seed, key)) => {
            verified.commitment = committed(header, key).map_err(|e| at(line, e))?;
            chance(header, seed, key).map_err(|e| at(line, e))?
        }
        None => None,
    };
    let told = chance.map(|chance| DealtSession {
        games: u32::MAX,
        chance,
        order: [0, 1, 2, 3, 4],
        duplicate: false,
    });
    let sessions = match sessions {
        [] => told.as_slice(),
        known => known,
    };
    let mut dealt = Dealt::new(rules, sessions, header);
    let mut state = RecordState::new();
    for (line, event) in lines {
        let before: Option<Replay<DaihinminGame>> = state.game.clone();
        state
            .step(event, &rules)
            .and_then(|()| match &mut dealt {
                Some(dealt) => dealt.check(before.as_ref(), &event.what),
                None => Ok(()),
            })
            .and_then(|()| check(*line, event).map_err(ReplayError::Contradiction))
            .map_err(|e| at(*line, e))?;
    }
    verified.replayed = state.end();
    verified.deals = dealt.is_some();
    if !verified.deals {
        let reason = "the seats, deals, gifts and lots: the record tells neither key nor seed";
        verified.unverified.push(reason.to_owned());
    }
    if !verified.commitment {
        let reason = "that the deals were fixed before the match: the record has no commitment";
        verified.unverified.push(reason.to_owned());
    }
    Ok(verified)
}

fn committed(header: &Header, key: Option<DealKey>) -> Result<bool, ReplayError> {
    match (&header.commitment, key) {
        (None, _) => Ok(false),
        (Some(_), None) => {
            contradiction("the header has a commitment, and the result does not tell its key")
        }
        (Some(commitment), Some(key)) if key.commitment(&header.id) == *commitment => Ok(true),
        (Some(_), Some(_)) => contradiction(
            "the key of the result is not the one that the header commits to before the match",
        ),
    }
}

/// What the deals follow from, if the record tells it.
fn chance(
    header: &Header,
    seed: Option<u64>,
    key: Option<DealKey>,
) -> Result<Option<Chance>, ReplayError> {
    let kind = header.options.get("dealer").cloned().unwrap_or_default();
    let kind: Option<DealerKind> = serde_json::from_value(kind)
        .map_err(|e| ReplayError::Contradiction(format!("the header's dealer: {e}")))?;
    match (kind, seed, key) {
        (Some(DealerKind::Official), _, Some(_)) => contradiction("the official dealer has no key"),
        (Some(DealerKind::Official), Some(seed), None) => {
            Ok(Some(Chance::Seed(DealerKind::Official, seed)))
        }
        (_, Some(seed), Some(key)) if DealKey::of_seed(seed) != key => {
            contradiction("the key of the result is not that of its seed")
        }
        (_, _, Some(key)) => Ok(Some(Chance::Key(key))),
        // Before it had keys the modern dealer was a plain one.
        (Some(DealerKind::Modern), Some(seed), None) => Ok(Some(Chance::Plain(seed))),
        (None, _, None) | (_, None, None) => Ok(None),
    }
}

/// The match as its key has it, followed event by event.
#[derive(Debug)]
struct Dealt<'a> {
    session: Session,
    /// Games that are still to come in the session, and the sessions after it.
    left: u32,
    sessions: &'a [DealtSession],
    /// The deal of the game in play, its gifts given so far.
    deal: Option<Deal>,
    /// What the poor still give by the rules.
    tributes: Vec<What>,
    games: u32,
    /// Whether the faults of the official server are kept, by which other cards may leave a hand than those of the move.
    is_official: bool,
}

impl<'a> Dealt<'a> {
    /// `None` without sessions.
    fn new(
        rules: SessionRules,
        sessions: &'a [DealtSession],
        header: &Header,
    ) -> Option<Dealt<'a>> {
        let chance = sessions.first()?.chance;
        Some(Dealt {
            session: Session::new(rules, Dealer::of(chance)),
            left: 0,
            sessions,
            deal: None,
            tributes: Vec::new(),
            games: header.games,
            is_official: header.options.get("compat").and_then(|c| c.as_str()) == Some("official"),
        })
    }

    /// Compares an event with what has to be, `before` which the game stood so.
    fn check(
        &mut self,
        before: Option<&Replay<DaihinminGame>>,
        what: &What,
    ) -> Result<(), ReplayError> {
        match (what, before) {
            (What::Begin { .. }, _) => self.begin(what),
            (
                What::Give {
                    from,
                    to,
                    cards,
                    forced,
                    fault,
                    lost,
                    ..
                },
                _,
            ) => {
                if lost.is_some() && !self.is_official {
                    return contradiction(format!("player {from} loses cards beside its gift"));
                }
                if *forced {
                    return self.tribute(what);
                }
                self.gift([*from, *to], cards, *fault)
            }
            (
                What::Move {
                    player,
                    mv,
                    fault,
                    spent,
                    ..
                },
                _,
            ) => {
                self.given()?;
                if spent.is_some() && !self.is_official {
                    return contradiction(format!("player {player} lays other cards than {mv}"));
                }
                if fault.is_some() && mv.parse() != Ok(Meld::PASS) {
                    return contradiction(format!("player {player} plays {mv} by a fault"));
                }
                Ok(())
            }
            (What::Lot { order }, Some(before)) => self.lot(before, order),
            (What::End { places, .. }, Some(before)) if !places.is_empty() => {
                self.given()?;
                self.session.finish(before.game.position.table.places);
                self.deal = None;
                Ok(())
            }
            (What::Result { games, reason, .. }, _) => {
                if reason.is_none() && *games != self.games {
                    return contradiction(format!(
                        "the match has {games} games of {} and no reason for its end",
                        self.games
                    ));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, what: &What) -> Result<(), ReplayError> {
        if self.left == 0 {
            let Some((next, rest)) = self.sessions.split_first() else {
                return contradiction("it has more games than its sessions");
            };
            next.begin(&mut self.session);
            (self.left, self.sessions) = (next.games, rest);
        }
        self.left -= 1;
        let deal = self.session.deal();
        let due = What::begin(&deal);
        if let (
            What::Begin {
                game,
                seats,
                ranks,
                hands,
                ..
            },
            What::Begin {
                game: number,
                seats: due_seats,
                ranks: due_ranks,
                hands: due_hands,
                ..
            },
        ) = (what, &due)
        {
            if game != number {
                return contradiction(format!("game {game} is to be game {number}"));
            }
            if seats != due_seats {
                return contradiction(format!(
                    "game {game}: the players sit {seats:?}, by the key {due_seats:?}"
                ));
            }
            if ranks != due_ranks {
                return contradiction(format!(
                    "game {game}: the ranks are {ranks:?}, by the game before {due_ranks:?}"
                ));
            }
            let cards = |hands: &[String]| -> Vec<Option<Cards>> {
                hands.iter().map(|hand| hand.parse().ok()).collect()
            };
            let other = cards(hands).into_iter().zip(cards(due_hands));
            if let Some(player) = other.into_iter().position(|(hand, due)| hand != due) {
                return contradiction(format!(
                    "game {game}: player {player} is dealt {}, by the key {}",
                    hands[player], due_hands[player]
                ));
            }
        }
        self.tributes = What::tributes(&deal);
        self.deal = Some(deal);
        Ok(())
    }

    fn tribute(&mut self, what: &What) -> Result<(), ReplayError> {
        if self.tributes.first() != Some(what) {
            return contradiction("this is not what the poor give by the rules");
        }
        self.tributes.remove(0);
        Ok(())
    }

    fn gift(
        &mut self,
        [from, to]: [u8; 2],
        cards: &str,
        fault: Option<EndKind>,
    ) -> Result<(), ReplayError> {
        let gift: Cards = cards.parse().map_err(ReplayError::notation)?;
        let due = self.deal.as_mut().filter(|_| self.tributes.is_empty());
        // The richest gives first.
        let due = due.and_then(|deal| {
            let owing = [0, 1].map(|place| (place, deal.ranks.iter().position(|&p| p == place)));
            let (place, player) = owing.into_iter().find_map(|(place, player)| {
                let player = player? as u8;
                (deal.owes[usize::from(deal.seat_of(player))] > 0).then_some((place, player))
            })?;
            Some((deal, place, player))
        });
        let Some((deal, place, player)) = due else {
            return contradiction(format!("player {from} has no gift to give"));
        };
        let poor = deal.player_at[usize::from(deal.seat_of_rank(4 - place))];
        if (player, poor) != (from, to) {
            return contradiction(format!(
                "player {from} gives to player {to}, but player {player} owes player {poor}"
            ));
        }
        let seat = deal.seat_of(player);
        let (hand, owed) = (deal.hands[usize::from(seat)], deal.owes[usize::from(seat)]);
        let allowed = match fault {
            Some(_) => gift == strongest(hand, owed),
            None => is_valid_gift(hand, gift, owed),
        };
        if !allowed {
            let why = fault.map_or(
                "which the rules forbid",
                |_| "and by a fault gives its strongest",
            );
            return contradiction(format!(
                "player {from} owes {owed} of {hand} and gives {cards}, {why}"
            ));
        }
        deal.give(seat, gift);
        Ok(())
    }

    fn given(&self) -> Result<(), ReplayError> {
        let owes = |deal: &Deal| deal.owes.iter().any(|&owed| owed > 0);
        if !self.tributes.is_empty() || self.deal.as_ref().is_some_and(owes) {
            return contradiction("a gift is missing before this");
        }
        Ok(())
    }

    fn lot(&mut self, before: &Replay<DaihinminGame>, order: &[u8]) -> Result<(), ReplayError> {
        let mut position = before.game.position;
        let alive = position.table.alive;
        self.session.settle_stall(&mut position);
        let places = position.table.places;
        let mut drawn: Vec<usize> = (0..SEATS).filter(|&seat| alive >> seat & 1 != 0).collect();
        drawn.sort_by_key(|&seat| places[seat]);
        let player = |&seat: &usize| before.seating.player_at(Seat::at(seat)).number();
        let due: Vec<u8> = drawn.iter().map(player).collect();
        if order != due {
            return contradiction(format!("the lot is {order:?}, by the key {due:?}"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::daihinmin::tests::record;
    use super::*;

    const KEY: Chance = Chance::Key(DealKey::new([7; 32]));

    fn lines(games: u32, chance: Chance, passes: bool) -> Vec<Value> {
        let text = String::from_utf8(record(games, chance, passes)).unwrap();
        let lines = text.lines().map(serde_json::from_str);
        lines.collect::<Result<_, _>>().unwrap()
    }

    fn verdict(lines: &[Value]) -> Result<Verified, ReadError> {
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        verify(RecordReader::new(lines.join("\n").as_bytes(), "r")?, None)
    }

    /// The number of the first line, from 0, of an event.
    fn first(lines: &[Value], event: &str) -> usize {
        let line = lines.iter().position(|line| line["event"] == event);
        line.expect("there is such an event")
    }

    /// What is found after a change of one line, whose number from 0 is given.
    fn after(at: usize, lines: &[Value], change: impl Fn(&mut Value)) -> ReadError {
        let mut lines = lines.to_vec();
        change(&mut lines[at]);
        verdict(&lines).unwrap_err()
    }

    #[test]
    fn records_of_every_dealer_verify() {
        for (chance, committed) in [
            (KEY, true),
            (Chance::Seed(DealerKind::Modern, 3), true),
            (Chance::Seed(DealerKind::Official, 3), false),
            (Chance::Plain(3), false),
        ] {
            for passes in [false, true] {
                let verified = verdict(&lines(6, chance, passes)).unwrap();
                assert_eq!(verified.replayed.games, 6);
                assert!(verified.deals, "{chance:?}");
                assert_eq!(verified.commitment, committed, "{chance:?}");
                assert_eq!(verified.unverified.is_empty(), committed);
            }
        }
    }

    #[test]
    fn what_is_not_told_is_not_verified() {
        let mut lines = lines(2, KEY, false);
        lines[0].as_object_mut().unwrap().remove("commitment");
        let result = lines.len() - 1;
        lines[result].as_object_mut().unwrap().remove("key");
        let verified = verdict(&lines).unwrap();
        assert!(!verified.deals && !verified.commitment);
        assert_eq!(verified.unverified.len(), 2);
        lines.pop();
        let error = verdict(&lines).unwrap_err();
        assert!(error.reason.contains("no result"), "{error}");
    }

    #[test]
    fn the_published_commitment_is_the_one_that_counts() {
        // An organiser deals anew, and writes the header anew too.
        let text = String::from_utf8(record(1, KEY, false)).unwrap();
        let published = |commitment: &str| {
            let reader = RecordReader::new(text.as_bytes(), "r").unwrap();
            verify(reader, Some(commitment))
        };
        let key = KEY.key().unwrap();
        assert!(published(&key.commitment("m")).unwrap().commitment);
        let other = DealKey::new([8; 32]).commitment("m");
        assert_eq!(published(&other).unwrap_err().line, 1);
    }

    #[test]
    fn a_changed_card_is_named() {
        let lines = lines(4, KEY, false);
        for (at, line) in lines.iter().enumerate() {
            if line["event"] != "begin" {
                continue;
            }
            // Two players change a card: the hands still make a deck.
            let error = after(at, &lines, |line| {
                let hands: Vec<String> = serde_json::from_value(line["hands"].clone()).unwrap();
                let swapped = |own: usize, other: usize| {
                    format!("{}{}", &hands[other][..2], &hands[own][2..])
                };
                line["hands"][0] = json!(swapped(0, 1));
                line["hands"][1] = json!(swapped(1, 0));
            });
            assert_eq!(error.line as usize, at + 1);
            assert!(error.reason.contains("player 0 is dealt"), "{error}");
            let error = after(at, &lines, |line| {
                let seats = line["seats"].as_array_mut().unwrap();
                seats.swap(0, 1);
            });
            assert_eq!(error.line as usize, at + 1);
        }
    }

    #[test]
    fn changed_gifts_and_lots_are_named() {
        let lines = lines(3, KEY, true);
        let forced = first(&lines, "give");
        let chosen = lines
            .iter()
            .rposition(|line| line["event"] == "give")
            .unwrap();
        for (at, fault) in [(forced, None), (chosen, Some("timeout"))] {
            // A card that the giver holds: the next one of its hand.
            let giver = lines[at]["from"].as_u64().unwrap() as usize;
            let begin = lines[..at]
                .iter()
                .rposition(|line| line["event"] == "begin");
            let hand = lines[begin.unwrap()]["hands"][giver].as_str().unwrap();
            let weak = &hand[..2];
            let error = after(at, &lines, |line| {
                let cards = line["cards"].as_str().unwrap();
                line["cards"] = json!(format!("{weak}{}", &cards[2..]));
                if let Some(fault) = fault {
                    line["fault"] = json!(fault);
                }
            });
            assert_eq!(error.line as usize, at + 1, "{error}");
            let mut without = lines.clone();
            without.remove(at);
            assert_eq!(verdict(&without).unwrap_err().line as usize, at + 1);
        }
        let at = first(&lines, "lot");
        let error = after(at, &lines, |line| {
            line["order"].as_array_mut().unwrap().reverse();
        });
        assert_eq!(error.line as usize, at + 1);
        assert!(error.reason.contains("the lot is"), "{error}");
    }

    #[test]
    fn a_changed_move_is_found_there_or_behind() {
        let lines = lines(1, KEY, false);
        let mut tried = 0;
        for (at, line) in lines.iter().enumerate() {
            if line["event"] == "move" && line["move"] != "pass" {
                let error = after(at, &lines, |line| line["move"] = json!("pass"));
                assert!(error.line as usize > at, "{error}");
                let error = after(at, &lines, |line| line["fault"] = json!("illegal"));
                assert_eq!(error.line as usize, at + 1, "{error}");
                let error = after(at, &lines, |line| line["spent"] = json!(""));
                assert_eq!(error.line as usize, at + 1, "{error}");
                tried += 1;
            }
        }
        assert!(tried > 10);
    }

    /// A match of Daihinmin in which player 2 is late once and then leaves, and player 1 sends what is refused.
    fn faulty() -> Vec<Value> {
        let mut lines = lines(3, KEY, true);
        let second = lines
            .iter()
            .rposition(|line| line["event"] == "begin")
            .unwrap();
        let moves = |lines: &[Value], from: usize, player: u64| {
            let mut all = (from..lines.len()).filter(|&at| lines[at]["event"] == "move");
            all.find(|&at| lines[at]["player"] == player).unwrap()
        };
        // From behind, so that the numbers of lines before stay.
        for line in &mut lines[second..] {
            let is_gift = line["event"] == "give" && line["from"] == 2 && line["forced"] != true;
            if is_gift || line["event"] == "move" && line["player"] == 2 {
                line["fault"] = json!("disconnect");
            }
            if line["event"] == "end" || line["event"] == "result" {
                line["kinds"][2] = json!("disconnect");
            }
        }
        lines.insert(second + 1, json!({"ms": 0, "event": "forfeit", "player": 2, "kind": "disconnect", "reason": "lost"}));
        let (late, refused) = (moves(&lines, 0, 2), moves(&lines, 0, 1));
        lines[late]["fault"] = json!("timeout");
        lines[refused]["fault"] = json!("illegal");
        lines.insert(
            refused,
            json!({"ms": 0, "event": "refused", "player": 1, "sent": "H3", "reason": "no"}),
        );
        let end = first(&lines, "end");
        lines[end]["kinds"][2] = json!("timeout");
        lines
    }

    #[test]
    fn kinds_follow_from_forfeits_and_faults() {
        let lines = faulty();
        assert!(verdict(&lines).unwrap().deals);
        let result = lines.len() - 1;
        let all = |event: &str| -> Vec<usize> {
            (0..lines.len())
                .filter(|&at| lines[at]["event"] == event)
                .collect()
        };
        // What the end of a game or of the match says of a player is that player's.
        for at in all("end").into_iter().chain([result]) {
            for (one, other) in [(0, 2), (1, 2), (0, 1)] {
                if lines[at]["kinds"][one] == lines[at]["kinds"][other] {
                    continue;
                }
                let error = after(at, &lines, |line| {
                    let kinds = line["kinds"].as_array_mut().unwrap();
                    kinds.swap(one, other);
                });
                assert_eq!(error.line as usize, at + 1, "{error}");
            }
            if lines[at]["kinds"] != json!(vec!["normal"; 5]) {
                let error = after(at, &lines, |line| line["kinds"] = json!(vec!["normal"; 5]));
                assert_eq!(error.line as usize, at + 1, "{error}");
            }
        }
        // No line that tells of a fault can be struck.
        for at in all("forfeit").into_iter().chain(all("refused")) {
            let mut without = lines.clone();
            without.remove(at);
            assert!(verdict(&without).is_err());
        }
        for at in all("move")
            .into_iter()
            .filter(|&at| !lines[at]["fault"].is_null() && lines[at]["fault"] != "illegal")
        {
            let error = after(at, &lines, |line| line["fault"] = Value::Null);
            assert!(error.line as usize > at, "{error}");
        }
        let forfeit = all("forfeit")[0];
        let error = after(forfeit, &lines, |line| line["player"] = json!(3));
        assert!(
            error.reason.contains("disconnect") || error.reason.contains("out"),
            "{error}"
        );
    }

    #[test]
    fn times_that_cannot_be_are_named() {
        let lines = lines(1, KEY, false);
        let at = first(&lines, "move");
        let error = after(at, &lines, |line| line["used"] = json!(1));
        assert_eq!(error.line as usize, at + 1, "{error}");
        let error = after(at, &lines, |line| line["ms"] = json!(7));
        assert_eq!(error.line as usize, at + 2, "{error}");
    }

    #[test]
    fn a_changed_key_commitment_or_result_is_named() {
        let lines = lines(2, KEY, false);
        let last = lines.len() - 1;
        let other = DealKey::new([8; 32]);
        let changes: [(usize, &str, Value); 6] = [
            (last, "key", json!(other)),
            (0, "commitment", json!(other.commitment("m"))),
            (0, "match", json!("another")),
            (last, "seed", json!(1)),
            (last, "points", json!([6.0, 6.0, 6.0, 6.0, 6.0])),
            (last, "games", json!(1)),
        ];
        for (at, field, value) in changes {
            let error = after(at, &lines, |line| line[field] = value.clone());
            assert_eq!(error.line as usize, last + 1, "{field}: {error}");
        }
        // A key of other deals, with its own commitment, is not that of these.
        let mut changed = lines.clone();
        changed[0]["commitment"] = json!(other.commitment("m"));
        changed[last]["key"] = json!(other);
        assert_eq!(verdict(&changed).unwrap_err().line, 2);
        let end = first(&lines, "end");
        let error = after(end, &lines, |line| {
            line["places"].as_array_mut().unwrap().swap(0, 1);
        });
        assert_eq!(error.line as usize, end + 1);
        let error = after(0, &lines, |line| line["games"] = json!(3));
        assert!(error.reason.contains("no reason"), "{error}");
    }
}
