//! A match of a watched server, as its pages show it.

use std::collections::BTreeSet;
use std::mem;
use std::time::Instant;

use protocol::gat::{Tally, ViewerFrame};
use protocol::native::{Now, Table, WatchMessage};
use serde::Deserialize as _;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::seat::{line, presence};
use crate::viewer;

const MOST_KEPT: usize = 4096;

/// A match as far as it was told.
#[derive(Default)]
pub(super) struct Match {
    /// How the server has told of it last.
    pub(super) told: Option<Table>,
    /// The page's `table`.
    pub(super) table: Option<Value>,
    budgets: Vec<Option<u64>>,
    pub(super) game: u32,
    pub(super) ply: u32,
    pub(super) players: Vec<u8>,
    /// Budget of each seat at the last event.
    pub(super) left: Vec<Option<u64>>,
    /// When that was, while a game is in play.
    pub(super) since: Option<Instant>,
    pub(super) now: Option<Now>,
    /// Lines of the game in play, or of the last.
    pub(super) kept: Vec<Utf8Bytes>,
    /// Why nothing more is told of the game in play, while that is so.
    pub(super) said: Option<Utf8Bytes>,
    pub(super) over: Option<Utf8Bytes>,
    pub(super) gone: BTreeSet<u8>,
    /// Games of each player since it is watched, of games for two.
    tallies: Vec<Tally>,
    pub(super) pages: Vec<mpsc::Sender<Utf8Bytes>>,
}

impl Match {
    /// Tells its pages something. One that is too far behind is cut off.
    pub(super) fn tell(&mut self, line: &Utf8Bytes) {
        self.pages
            .retain(|page| page.try_send(line.clone()).is_ok());
    }

    /// Nothing is told of it for now, for this reason: its pages learn it, and their clocks stop.
    pub(super) fn stall(&mut self, reason: &str) {
        let said = line(&json!({ "type": "said", "text": reason }));
        // A connection that is tried in vain is lost again and again.
        if self.said.as_ref() == Some(&said) {
            return;
        }
        if let Some((_, left)) = self.left_now() {
            self.left = left;
        }
        self.since = None;
        self.said = Some(said.clone());
        if let Some(clock) = self.clock() {
            self.tell(&line(&clock));
        }
        self.tell(&said);
    }

    /// Nothing more is told of it, as another server has taken the place of its own, or as it has ended unheard.
    pub(super) fn leave(&mut self) {
        self.end();
        self.pages.clear();
    }

    /// Ends the match, if one was told, and waits for another one with the same pages.
    pub(super) fn begin_anew(&mut self) {
        if self.told.is_some() {
            self.end();
        }
        *self = Match {
            pages: mem::take(&mut self.pages),
            ..Match::default()
        };
    }

    /// Ends the match if its result never arrived.
    pub(super) fn end(&mut self) {
        if self.over.is_none() {
            let scores = self.told.as_ref().map(|told| &told.scores);
            let reason = "the server tells no more of this match";
            let over = json!({ "type": "over", "games": null, "scores": scores, "reason": reason, "record": null });
            let over = line(&over);
            self.tell(&over);
            self.over = Some(over);
        }
    }

    /// The seat whose time runs, and the times at this moment.
    fn left_now(&self) -> Option<(u8, Vec<Option<u64>>)> {
        let seat = self.now.as_ref()?.to_move?;
        let used = self.since?.elapsed().as_millis() as u64;
        let mut left = self.left.clone();
        let running = left.get_mut(usize::from(seat))?.as_mut()?;
        *running = running.saturating_sub(used);
        Some((seat, left))
    }

    /// The message `clock` for a page that comes now, where a time runs. Where nothing is told of the match none does,
    /// though the last frame has times.
    pub(super) fn clock(&self) -> Option<Value> {
        let (running, left) = match self.left_now() {
            Some((seat, left)) => (Some(seat), left),
            None => (None, self.said.as_ref().map(|_| self.left.clone())?),
        };
        let has_times = left.iter().any(Option::is_some);
        has_times.then(|| json!({ "type": "clock", "left_ms": left, "running": running }))
    }

    /// Takes a message of the server; gives a line for pages.
    pub(super) fn take(&mut self, message: &WatchMessage) -> Option<Utf8Bytes> {
        match message {
            WatchMessage::Table(table) => {
                self.told = Some(table.clone());
                None
            }
            WatchMessage::Match {
                clocks,
                players,
                header,
                ..
            } => {
                let own = Vec::deserialize(&header["player-clocks"]);
                let own: Vec<record::Clocks> = own.unwrap_or_default();
                let budget =
                    |player: usize| own.get(player).map_or(clocks.budget_ms, |own| own.game_ms);
                self.budgets = (0..players.len()).map(budget).collect();
                self.gone.clear();
                self.said = None;
                let table = self.table(message);
                let told = line(&table);
                self.table = Some(table);
                Some(told)
            }
            WatchMessage::Game {
                game,
                players,
                ply,
                now,
                ..
            } => {
                if *game != self.game || *ply < self.ply {
                    self.kept.clear();
                }
                self.game = *game;
                self.players.clone_from(players);
                let budget = |&player: &u8| {
                    let budget = *self.budgets.get(usize::from(player))?;
                    budget.filter(|ms| *ms > 0 && *ply == 0)
                };
                self.left = players.iter().map(budget).collect();
                Some(self.shown(*ply, now, Step::default()))
            }
            // Another game that is played at the same time is told of, and not shown.
            WatchMessage::View { game, .. }
            | WatchMessage::Moved { game, .. }
            | WatchMessage::Out { game, .. }
            | WatchMessage::Result { game, .. }
            | WatchMessage::Missed { game, .. }
                if *game != self.game =>
            {
                None
            }
            WatchMessage::View { ply, now, .. } => Some(self.shown(*ply, now, Step::default())),
            WatchMessage::Moved {
                ply,
                seat,
                mv,
                used_ms,
                budget_ms,
                fault,
                now,
                ..
            } => {
                if let Some(left) = self.left.get_mut(usize::from(*seat)) {
                    *left = *budget_ms;
                }
                let fault = fault.as_ref();
                let step = Step {
                    seat: Some(*seat),
                    mv: Some(mv),
                    used_ms: *used_ms,
                    note: fault.map(|fault| format!("the server has played: {fault}")),
                };
                Some(self.shown(ply + 1, now, step))
            }
            WatchMessage::Out { seat, end, now, .. } => {
                let step = Step {
                    note: Some(format!("seat {seat} is out ({end})")),
                    ..Step::default()
                };
                Some(self.shown(self.ply, now, step))
            }
            WatchMessage::Presence { player, here, .. } => {
                if *here {
                    self.gone.remove(player);
                } else {
                    self.gone.insert(*player);
                }
                Some(presence(*player, *here))
            }
            WatchMessage::Missed { .. } => {
                self.stall("the server could not keep up: this game is told no further");
                None
            }
            WatchMessage::Result { places, .. } => {
                self.since = None;
                viewer::count(&mut self.tallies, &self.players, places);
                Some(self.keep(line(&without_numbers(message))))
            }
            WatchMessage::Over { .. } => {
                let mut over = without_numbers(message);
                over["record"] = Value::Null;
                let over = line(&over);
                self.said = None;
                self.over = Some(over.clone());
                Some(over)
            }
            _ => None,
        }
    }

    pub(super) fn viewer_frame(&self, told: &Table, with_scoreboard: bool) -> Option<ViewerFrame> {
        let last = self.kept.last()?;
        let result: Value = serde_json::from_str(last).ok()?;
        let shown = viewer::Shown {
            names: &told.players,
            players: &self.players,
            left: &self.left,
            now: self.now.as_ref()?,
            result: Some(&result).filter(|result| result["type"] == "result"),
            tallies: &self.tallies,
        };
        shown.frame(with_scoreboard)
    }

    pub(super) fn table(&self, message: &WatchMessage) -> Value {
        let WatchMessage::Match {
            number,
            game,
            protocol,
            players,
            games,
            rules,
            clocks,
            ..
        } = message
        else {
            unreachable!("only a match is handed over");
        };
        let players = (0_u8..).zip(players);
        let players = players
            .map(|(player, name)| json!({ "name": name, "kind": "guest", "player": player }));
        json!({
            "type": "table",
            "id": self.told.as_ref().map(|told| &told.id),
            "game": game,
            "match": number,
            "games": games,
            "players": players.collect::<Vec<_>>(),
            "you": null,
            "rules": rules,
            "clocks": clocks,
            "practice": false,
            "protocol": protocol,
            "can": { "resign": false, "takeback": false, "hint": false },
        })
    }

    /// The frame of a position, which is kept.
    fn shown(&mut self, ply: u32, now: &Now, step: Step<'_>) -> Utf8Bytes {
        self.ply = ply;
        self.said = None;
        self.now = Some(now.clone());
        self.since = Some(Instant::now());
        let mut frame = json!({
            "type": "frame",
            "game": self.game,
            "ply": ply,
            "seat": step.seat,
            "move": step.mv,
            "used_ms": step.used_ms,
            "to_move": now.to_move,
            "views": [now.view],
            "clocks": self.left.iter().any(Option::is_some).then_some(&self.left),
            "players": self.players,
        });
        if let Some(note) = step.note {
            frame["note"] = json!(note);
        }
        self.keep(line(&frame))
    }

    /// Keeps a line of the game for pages that come later, as long as there are not too many.
    fn keep(&mut self, line: Utf8Bytes) -> Utf8Bytes {
        if self.kept.len() < MOST_KEPT {
            self.kept.push(line.clone());
        }
        line
    }
}

#[derive(Default)]
struct Step<'a> {
    seat: Option<u8>,
    mv: Option<&'a str>,
    used_ms: Option<u64>,
    /// A sentence, where something has happened beside moves.
    note: Option<String>,
}

/// A message without the numbers of match and event.
fn without_numbers(message: &WatchMessage) -> Value {
    let mut message = json!(message);
    if let Some(fields) = message.as_object_mut() {
        fields.remove("match");
        fields.remove("event");
    }
    message
}
