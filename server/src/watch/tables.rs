//! All tables as watchers see them: what tables tell goes in, what watchers are told comes out. Without sockets and
//! clocks.

use std::collections::BTreeMap;

use record::watch::{League, State, Table, WatchMessage};
use record::{Event, Frame, Frames, Header, Viewer, What};

use super::publisher::{TableEvent, TableEventKind};

/// Bytes of the lines of a record that go into one message, about: a message stays below the limit of a line.
const RECORD_PIECE: usize = 16 * 1024;

#[derive(Debug, Default)]
pub(super) struct Tables {
    matches: BTreeMap<u64, WatchedMatch>,
    /// Number of the last match that has begun.
    last: u64,
    league: Option<League>,
}

#[derive(Debug)]
struct WatchedMatch {
    header: Header,
    scores: Vec<f64>,
    here: Vec<bool>,
    counted: u32,
    games: BTreeMap<u32, GameInPlay>,
}

#[derive(Debug)]
struct GameInPlay {
    frames: Frames,
    /// Its events so far, of which its greatest length bounds the number.
    events: Vec<Event>,
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

impl Tables {
    pub(super) fn playing(&self) -> impl Iterator<Item = u64> {
        self.matches.keys().copied()
    }

    pub(super) fn is_over(&self, number: u64) -> bool {
        (1..=self.last).contains(&number) && !self.matches.contains_key(&number)
    }

    /// What a watcher is told that comes now of the league, if the tables are of one.
    pub(super) fn league(&self) -> Option<WatchMessage> {
        self.league.clone().map(WatchMessage::League)
    }

    /// What a watcher is told that comes now: of the table, and where it is `wanted` of the games in play.
    pub(super) fn present(&self, number: u64, wanted: bool) -> Vec<WatchMessage> {
        let Some(watched) = self.matches.get(&number) else {
            return Vec::new();
        };
        let mut all = vec![watched.table(number, State::Playing)];
        if wanted {
            all.push(watched.terms(number));
            let games = watched.games.values();
            let latest = games.filter_map(|play| play.frames.latest());
            all.extend(latest.map(|frame| message_of(number, frame)));
            let gone = (0..).zip(&watched.here).filter(|(_, here)| !**here);
            all.extend(gone.map(|(player, _)| WatchMessage::Presence {
                number,
                player,
                here: false,
            }));
        }
        all
    }

    pub(super) fn take(&mut self, told: TableEvent, out: &mut Announcements<'_>) {
        let number = told.number;
        if let TableEventKind::League(league) = told.what {
            out.say(|| WatchMessage::League(League::clone(&league)));
            self.league = Some(*league);
            return;
        }
        if let TableEventKind::Opened(header) = told.what {
            self.last = self.last.max(number);
            let watched = WatchedMatch::new(*header);
            out.say(|| watched.table(number, State::Playing));
            out.say(|| watched.terms(number));
            self.matches.insert(number, watched);
            return;
        }
        // A match whose result was told is over.
        let Some(watched) = self.matches.get_mut(&number) else {
            return;
        };
        let mut at = At {
            number,
            watched,
            out,
        };
        match told.what {
            TableEventKind::Opened(_) | TableEventKind::League(_) => {
                unreachable!("it was taken in above")
            }
            TableEventKind::Event(
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
                self.matches.remove(&number);
            }
            TableEventKind::Event(game, event) => at.event(game, event),
            TableEventKind::Missed(game) => at.missed(game),
            TableEventKind::Presence(player, here) => at.presence(player, here),
            TableEventKind::Closed => {
                let (games, scores) = (at.watched.counted, at.watched.scores.clone());
                at.over(games, scores, Some("it broke off".to_owned()));
                self.matches.remove(&number);
            }
        }
    }
}

impl WatchedMatch {
    fn new(mut header: Header) -> WatchedMatch {
        // Long, and of use only beside the seed of the league.
        if let Some(options) = header.options.as_object_mut() {
            options.remove("fixtures");
        }
        let players = header.players.len();
        WatchedMatch {
            header,
            scores: vec![0.0; players],
            here: vec![true; players],
            counted: 0,
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
        WatchMessage::Match {
            number,
            header: Box::new(self.header.clone()),
        }
    }
}

fn message_of(number: u64, frame: Frame) -> WatchMessage {
    WatchMessage::Frame {
        number,
        frame: Box::new(frame),
    }
}

struct At<'a, 'b> {
    number: u64,
    watched: &'a mut WatchedMatch,
    out: &'a mut Announcements<'b>,
}

impl At<'_, '_> {
    fn event(&mut self, game: u32, event: Event) {
        if let What::Setup {
            player,
            name: Some(name),
            ..
        } = &event.what
        {
            self.rename(*player, name);
        }
        match Frames::begin(&self.watched.header, &event.what, Viewer::Public) {
            Err(e) => return self.give_up(game, &e.to_string()),
            Ok(Some(frames)) => {
                self.frames(frames.latest());
                let events = vec![event];
                self.watched
                    .games
                    .insert(game, GameInPlay { frames, events });
                return;
            }
            Ok(None) => {}
        }
        // Of a game that was missed nothing is told.
        let Some(play) = self.watched.games.get_mut(&game) else {
            return;
        };
        let frames = if self.out.is_heard {
            play.frames.take(&event.what)
        } else {
            play.frames.pass(&event.what)
        };
        play.events.push(event.clone());
        match frames {
            Ok(frames) => self.frames(frames),
            Err(e) => return self.give_up(game, &e.to_string()),
        }
        match event.what {
            // Others play in its stead, as it is gone.
            What::Forfeit { player, .. }
                if self.watched.header.game == games::GameName::Daihinmin =>
            {
                self.presence(player, false);
            }
            What::End { .. } => self.end(game, &event.what),
            _ => {}
        }
    }

    fn frames(&mut self, frames: impl IntoIterator<Item = Frame>) {
        for frame in frames {
            let number = self.number;
            self.out.say(|| message_of(number, frame));
        }
    }

    fn rename(&mut self, player: u8, name: &str) {
        let known = self.watched.header.players.get_mut(usize::from(player));
        if let Some(known) = known.filter(|known| known.name != name) {
            name.clone_into(&mut known.name);
            let (number, watched) = (self.number, &self.watched);
            self.out.say(|| watched.table(number, State::Playing));
            self.out.say(|| watched.terms(number));
        }
    }

    fn presence(&mut self, player: u8, here: bool) {
        // In GAT a connection has one game only.
        if self.watched.header.tongue == "gat" {
            return;
        }
        let known = self.watched.here.get_mut(usize::from(player));
        if known.is_none_or(|known| std::mem::replace(known, here) == here) {
            return;
        }
        let number = self.number;
        self.out.say(|| WatchMessage::Presence {
            number,
            player,
            here,
        });
    }

    fn end(&mut self, game: u32, what: &What) {
        let Some(play) = self.watched.games.remove(&game) else {
            return;
        };
        let What::End { places, points, .. } = what else {
            unreachable!("only an end is handed over");
        };
        if !places.is_empty() {
            self.watched.counted += 1;
            for (sum, points) in self.watched.scores.iter_mut().zip(points) {
                *sum += points;
            }
        }
        let number = self.number;
        if self.out.is_heard {
            let result = play.frames.result(what);
            self.out.messages.extend(result.map(|result| {
                let result = Box::new(result);
                WatchMessage::Result { number, result }
            }));
            self.out.messages.extend(record(number, game, play.events));
        }
        let watched = &self.watched;
        self.out.say(|| watched.table(number, State::Playing));
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
        if self.watched.games.remove(&game).is_some() {
            let number = self.number;
            self.out.say(|| WatchMessage::Missed { number, game });
        }
    }

    fn over(&mut self, games: u32, scores: Vec<f64>, reason: Option<String>) {
        let open: Vec<u32> = self.watched.games.keys().copied().collect();
        for game in open {
            self.missed(game);
        }
        let number = self.number;
        self.watched.scores.clone_from(&scores);
        self.out.say(|| WatchMessage::Over {
            number,
            games,
            scores,
            reason,
        });
        let watched = &self.watched;
        self.out.say(|| watched.table(number, State::Over));
    }
}

/// The record of a game, in messages below the limit of a line.
fn record(number: u64, game: u32, events: Vec<Event>) -> Vec<WatchMessage> {
    let mut pieces: Vec<Vec<Event>> = Vec::new();
    let mut bytes = RECORD_PIECE;
    for event in events {
        bytes += serde_json::to_string(&event).map_or(0, |line| line.len());
        if bytes > RECORD_PIECE {
            bytes = 0;
            pieces.push(Vec::new());
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push(event);
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
