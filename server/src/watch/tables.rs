//! All tables as watchers see them: what tables tell goes in, what watchers are told comes out. Without sockets and
//! clocks.

use std::collections::BTreeMap;

use games::{Player, Seat, Seating};
use protocol::native::{Clocks, League, State, Table, WatchMessage};
use record::{EndKind, Event, Header, What};
use serde_json::{Value, json};

use super::board::{self, Board, Shown};
use super::publisher::{Said, Told};

/// Bytes of the lines of a record that go into one message, about: a message stays below the limit of a line.
const RECORD_PIECE: usize = 16 * 1024;

#[derive(Debug, Default)]
pub(super) struct Hall {
    tables: BTreeMap<u64, Sitting>,
    /// Number of the last match that has begun.
    last: u64,
    league: Option<League>,
}

#[derive(Debug)]
struct Sitting {
    header: Header,
    scores: Vec<f64>,
    here: Vec<bool>,
    counted: u32,
    /// Number of the last event.
    event: u64,
    games: BTreeMap<u32, InPlay>,
}

#[derive(Debug)]
struct InPlay {
    board: Box<dyn Board>,
    is_told: bool,
    /// Its events so far, of which its greatest length bounds the number.
    events: Vec<Event>,
    ends: Vec<Option<String>>,
    /// The last fault that cost a seat the game, and why.
    fault: Option<(Seat, EndKind, String)>,
}

/// What watchers are to be told; nothing is made where nobody hears it.
#[derive(Debug)]
pub(super) struct Announcements<'a> {
    pub(super) is_heard: bool,
    pub(super) messages: &'a mut Vec<WatchMessage>,
}

impl Announcements<'_> {
    fn say(&mut self, message: impl FnOnce() -> WatchMessage) {
        if self.is_heard {
            self.messages.push(message());
        }
    }
}

impl Hall {
    pub(super) fn playing(&self) -> impl Iterator<Item = u64> {
        self.tables.keys().copied()
    }

    pub(super) fn is_over(&self, number: u64) -> bool {
        (1..=self.last).contains(&number) && !self.tables.contains_key(&number)
    }

    /// What a watcher is told that comes now of the league, if the tables are of one.
    pub(super) fn league(&self) -> Option<WatchMessage> {
        self.league.clone().map(WatchMessage::League)
    }

    /// What a watcher is told that comes now: of the table, and where it is `wanted` of the games in play.
    pub(super) fn present(&self, number: u64, wanted: bool) -> Vec<WatchMessage> {
        let Some(sitting) = self.tables.get(&number) else {
            return Vec::new();
        };
        let mut all = vec![sitting.table(number, State::Playing)];
        if wanted {
            all.push(sitting.terms(number));
            let told = sitting.games.iter().filter(|(_, play)| play.is_told);
            all.extend(told.map(|(&game, play)| play.begun(number, sitting.event, game)));
            let gone = (0..).zip(&sitting.here).filter(|(_, here)| !**here);
            all.extend(gone.map(|(player, _)| WatchMessage::Presence {
                number,
                event: sitting.event,
                player,
                here: false,
            }));
        }
        all
    }

    pub(super) fn take(&mut self, told: Told, out: &mut Announcements<'_>) {
        let number = told.number;
        if let Said::League(league) = told.what {
            out.say(|| WatchMessage::League(League::clone(&league)));
            self.league = Some(*league);
            return;
        }
        if let Said::Opened(header) = told.what {
            self.last = self.last.max(number);
            let sitting = Sitting::new(*header);
            out.say(|| sitting.table(number, State::Playing));
            out.say(|| sitting.terms(number));
            self.tables.insert(number, sitting);
            return;
        }
        // A match whose result was told is over.
        let Some(sitting) = self.tables.get_mut(&number) else {
            return;
        };
        let mut at = At {
            number,
            sitting,
            out,
        };
        match told.what {
            Said::Opened(_) | Said::League(_) => unreachable!("it was taken in above"),
            Said::Event(
                _,
                Event {
                    what:
                        What::Result {
                            games,
                            points,
                            reason,
                            ..
                        },
                    ..
                },
            ) => {
                at.over(games, points, reason);
                self.tables.remove(&number);
            }
            Said::Event(game, event) => at.event(game, event),
            Said::Missed(game) => at.missed(game),
            Said::Presence(player, here) => at.presence(player, here),
            Said::Closed => {
                let (games, scores) = (at.sitting.counted, at.sitting.scores.clone());
                at.over(games, scores, Some("it broke off".to_owned()));
                self.tables.remove(&number);
            }
        }
    }
}

impl Sitting {
    fn new(mut header: Header) -> Sitting {
        // Long, and of use only beside the seed of the league.
        if let Some(options) = header.options.as_object_mut() {
            options.remove("fixtures");
        }
        let players = header.players.len();
        Sitting {
            header,
            scores: vec![0.0; players],
            here: vec![true; players],
            counted: 0,
            event: 0,
            games: BTreeMap::new(),
        }
    }

    fn names(&self) -> Vec<String> {
        let players = self.header.players.iter();
        players.map(|player| player.name.clone()).collect()
    }

    fn table(&self, number: u64, state: State) -> WatchMessage {
        WatchMessage::Table(Table {
            number,
            game: self.header.game.as_str().to_owned(),
            protocol: self.header.tongue.clone(),
            id: self.header.id.clone(),
            players: self.names(),
            games: self.header.games,
            scores: self.scores.clone(),
            state,
        })
    }

    fn terms(&self, number: u64) -> WatchMessage {
        let clocks = self.header.clocks;
        WatchMessage::Match {
            number,
            game: self.header.game.as_str().to_owned(),
            protocol: self.header.tongue.clone(),
            players: self.names(),
            games: self.header.games,
            rules: self.header.rules.clone(),
            clocks: Clocks {
                budget_ms: clocks.game_ms,
                increment_ms: clocks.increment_ms,
                move_ms: clocks.move_ms,
                resume_ms: None,
            },
            header: json!(self.header),
        }
    }
}

impl InPlay {
    fn begun(&self, number: u64, event: u64, game: u32) -> WatchMessage {
        let players = self.board.seating().players();
        WatchMessage::Game {
            number,
            event,
            game,
            players: players.iter().map(|player| player.number()).collect(),
            ply: self.board.ply(),
            now: self.board.now(),
        }
    }

    fn seat_of(&self, player: u8) -> Option<Seat> {
        self.board
            .seating()
            .seats()
            .get(Player::new(player))
            .copied()
    }
}

struct At<'a, 'b> {
    number: u64,
    sitting: &'a mut Sitting,
    out: &'a mut Announcements<'b>,
}

impl At<'_, '_> {
    fn next(&mut self) -> u64 {
        self.sitting.event += 1;
        self.sitting.event
    }

    fn event(&mut self, game: u32, event: Event) {
        if let What::Setup {
            player,
            name: Some(name),
            ..
        } = &event.what
        {
            self.rename(*player, name);
        }
        let begun = match board::begin(&self.sitting.header, &event.what) {
            Ok(begun) => begun,
            Err(e) => return self.give_up(game, &e.to_string()),
        };
        if let Some(board) = begun {
            let seats = board.seating().len();
            let play = InPlay {
                board,
                is_told: false,
                events: vec![event],
                ends: vec![None; seats],
                fault: None,
            };
            self.sitting.games.insert(game, play);
            self.tell_game(game);
            return;
        }
        // Of a game that was missed nothing is told.
        let Some(play) = self.sitting.games.get_mut(&game) else {
            return;
        };
        let taken = play.board.take(&event.what);
        play.events.push(event.clone());
        let mut shown = match taken {
            Ok(shown) => shown,
            Err(e) => return self.give_up(game, &e.to_string()),
        };
        self.tell_game(game);
        match &event.what {
            What::Lot { .. } => self.tell_view(game),
            What::Forfeit {
                player,
                kind,
                reason,
            } => self.forfeit(game, *player, *kind, reason),
            _ => {}
        }
        let mut what = Some(&event.what);
        loop {
            if let Some(shown) = shown {
                self.moved(game, shown, what.take());
            }
            self.tell_outs(game);
            let Some(play) = self.sitting.games.get_mut(&game) else {
                return;
            };
            shown = match play.board.go_on() {
                Ok(Some(shown)) => Some(shown),
                Ok(None) => break,
                Err(e) => return self.give_up(game, &e.to_string()),
            };
        }
        if let What::End { .. } = event.what {
            self.end(game, &event.what);
        }
    }

    fn rename(&mut self, player: u8, name: &str) {
        let known = self.sitting.header.players.get_mut(usize::from(player));
        if let Some(known) = known.filter(|known| known.name != name) {
            name.clone_into(&mut known.name);
            let (number, sitting) = (self.number, &self.sitting);
            self.out.say(|| sitting.table(number, State::Playing));
            self.out.say(|| sitting.terms(number));
        }
    }

    /// Tells that a game begins, as soon as all is dealt.
    fn tell_game(&mut self, game: u32) {
        let is_due = |play: &InPlay| !play.is_told && play.board.is_dealt();
        if !self.sitting.games.get(&game).is_some_and(is_due) {
            return;
        }
        let (number, event) = (self.number, self.next());
        if let Some(play) = self.sitting.games.get_mut(&game) {
            play.is_told = true;
            self.out.say(|| play.begun(number, event, game));
        }
    }

    fn tell_view(&mut self, game: u32) {
        let (number, event) = (self.number, self.next());
        if let Some(play) = self.sitting.games.get(&game) {
            self.out.say(|| WatchMessage::View {
                number,
                event,
                game,
                ply: play.board.ply(),
                now: play.board.now(),
            });
        }
    }

    /// Tells a move; `what` is its event, if it has one of its own.
    fn moved(&mut self, game: u32, shown: Shown, what: Option<&What>) {
        let (number, event) = (self.number, self.next());
        let (used_ms, budget_ms, fault) = match what {
            Some(
                What::Move {
                    used, left, fault, ..
                }
                | What::Give {
                    used, left, fault, ..
                },
            ) => (*used, *left, *fault),
            _ => (None, None, None),
        };
        if let Some(play) = self.sitting.games.get(&game) {
            self.out.say(|| WatchMessage::Moved {
                number,
                event,
                game,
                ply: shown.ply,
                seat: shown.seat.number(),
                mv: shown.mv,
                used_ms,
                budget_ms,
                fault: fault.map(|kind| kind.as_str().to_owned()),
                now: play.board.now(),
            });
        }
    }

    /// Tells of seats that the rules have put out.
    fn tell_outs(&mut self, game: u32) {
        let Some(play) = self.sitting.games.get(&game) else {
            return;
        };
        let new = Seat::all(play.ends.len()).filter(|seat| play.ends[seat.index()].is_none());
        let new: Vec<_> = new
            .filter_map(|seat| Some((seat, play.board.out(seat)?)))
            .collect();
        for (seat, rule) in new {
            self.out(game, seat, rule, None);
        }
    }

    fn out(&mut self, game: u32, seat: Seat, end: &str, reason: Option<&str>) {
        let (number, event) = (self.number, self.next());
        if let Some(play) = self.sitting.games.get_mut(&game) {
            play.ends[seat.index()] = Some(end.to_owned());
            self.out.say(|| WatchMessage::Out {
                number,
                event,
                game,
                seat: seat.number(),
                end: end.to_owned(),
                reason: reason.map(str::to_owned),
                now: play.board.now(),
            });
        }
    }

    /// A player has lost the game by a fault; in Daihinmin others play in its stead, as it is gone.
    fn forfeit(&mut self, game: u32, player: u8, kind: EndKind, reason: &str) {
        if self.sitting.header.game == games::GameName::Daihinmin {
            self.presence(player, false);
            return;
        }
        let Some(play) = self.sitting.games.get_mut(&game) else {
            return;
        };
        let Some(seat) = play.seat_of(player) else {
            return;
        };
        play.fault = Some((seat, kind, reason.to_owned()));
        if play.ends.len() > 2 {
            self.out(game, seat, kind.as_str(), Some(reason));
        }
    }

    fn presence(&mut self, player: u8, here: bool) {
        // In GAT a connection has one game only.
        if self.sitting.header.tongue == "gat" {
            return;
        }
        let known = self.sitting.here.get_mut(usize::from(player));
        if known.is_none_or(|known| std::mem::replace(known, here) == here) {
            return;
        }
        let (number, event) = (self.number, self.next());
        self.out.say(|| WatchMessage::Presence {
            number,
            event,
            player,
            here,
        });
    }

    fn end(&mut self, game: u32, what: &What) {
        let Some(play) = self.sitting.games.remove(&game) else {
            return;
        };
        let What::End { places, points, .. } = what else {
            unreachable!("only an end is handed over");
        };
        if !places.is_empty() {
            self.sitting.counted += 1;
            for (sum, points) in self.sitting.scores.iter_mut().zip(points) {
                *sum += points;
            }
        }
        let (number, event) = (self.number, self.next());
        self.out.say(|| play.result(number, event, game, what));
        if self.out.is_heard {
            for message in play.record(number, game) {
                self.out.say(|| message);
            }
        }
        let sitting = &self.sitting;
        self.out.say(|| sitting.table(number, State::Playing));
    }

    /// The game in play is not what its record says.
    fn give_up(&mut self, game: u32, reason: &str) {
        log::error!(
            "match {}, game {game} cannot be watched: {reason}",
            self.number
        );
        self.missed(game);
    }

    fn missed(&mut self, game: u32) {
        if self.sitting.games.remove(&game).is_some() {
            let number = self.number;
            self.out.say(|| WatchMessage::Missed { number, game });
        }
    }

    fn over(&mut self, games: u32, scores: Vec<f64>, reason: Option<String>) {
        let open: Vec<u32> = self.sitting.games.keys().copied().collect();
        for game in open {
            self.missed(game);
        }
        let (number, event) = (self.number, self.next());
        self.sitting.scores.clone_from(&scores);
        self.out.say(|| WatchMessage::Over {
            number,
            event,
            games,
            scores,
            reason,
        });
        let sitting = &self.sitting;
        self.out.say(|| sitting.table(number, State::Over));
    }
}

impl InPlay {
    /// The result of a game that has ended, with all that was hidden.
    fn result(&self, number: u64, event: u64, game: u32, end: &What) -> WatchMessage {
        let What::End {
            places,
            points,
            game_points,
            kinds,
            rule,
            ..
        } = end
        else {
            unreachable!("only an end is handed over");
        };
        let is_void = places.is_empty();
        let outcome = self.board.outcome().filter(|_| !is_void);
        let rule = rule
            .as_deref()
            .or(outcome.as_ref().and_then(|outcome| outcome.rule));
        let fault = self.fault.as_ref().filter(|_| rule.is_none() && !is_void);
        let end = match (rule, fault) {
            _ if is_void => EndKind::Void.as_str(),
            (Some(rule), _) => rule,
            (None, Some((_, kind, _))) => kind.as_str(),
            (None, None) => EndKind::Normal.as_str(),
        };
        let seating = self.board.seating();
        let ends = Seat::all(self.ends.len()).map(|seat| {
            let kind = kinds.get(seating.player_at(seat).index());
            let kind = kind
                .filter(|kind| **kind != EndKind::Normal)
                .map(|kind| kind.as_str());
            let own = self.ends[seat.index()].as_deref().or(kind);
            own.or(rule).unwrap_or("unopposed").to_owned()
        });
        WatchMessage::Result {
            number,
            event,
            game,
            places: by_seat(places, seating)
                .into_iter()
                .map(|place| place + 1)
                .collect(),
            scores: by_seat(points, seating),
            end: end.to_owned(),
            by: fault.map(|(seat, ..)| seat.number()),
            ends: if self.ends.len() > 2 && !is_void {
                ends.collect()
            } else {
                Vec::new()
            },
            game_points: by_seat(game_points, seating),
            reason: fault
                .map(|(_, _, reason)| reason.clone())
                .or_else(|| outcome.and_then(|outcome| outcome.reason)),
            views: self.board.views(),
        }
    }

    fn record(&self, number: u64, game: u32) -> Vec<WatchMessage> {
        let mut pieces: Vec<Vec<Value>> = Vec::new();
        let mut bytes = RECORD_PIECE;
        for event in &self.events {
            let line = json!(event);
            bytes += line.to_string().len();
            if bytes > RECORD_PIECE {
                bytes = 0;
                pieces.push(Vec::new());
            }
            if let Some(piece) = pieces.last_mut() {
                piece.push(line);
            }
        }
        let last = pieces.len();
        let piece = |(at, events)| WatchMessage::Record {
            number,
            game,
            events,
            more: at < last,
        };
        (1..).zip(pieces).map(piece).collect()
    }
}

/// A list that goes by player, by seat.
fn by_seat<T: Clone>(list: &[T], seating: &Seating) -> Vec<T> {
    let of = |player: &Player| list.get(player.index()).cloned();
    seating.players().iter().filter_map(of).collect()
}
