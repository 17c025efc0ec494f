//! A person's seat: what has happened there, and the page that shows it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use client::Waker;
use protocol::native::ServerMessage;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::join::is_open;
use crate::reel::{About, Reel};
use crate::thoughts::Thought;
use crate::token::{Key, Token, Turned};

/// Lines that wait for a page; one that reads no more is cut off.
const MOST_WAITING: usize = 256;
/// Lines of a game that are kept for a page that comes back.
const MOST_KEPT: usize = 4096;
/// Thoughts of bots that are kept of a game: more than it has plies.
const MOST_THOUGHTS: usize = 1024;
/// Wishes of the page that wait for the player.
const MOST_WISHES: usize = 32;

#[derive(Debug)]
pub(crate) enum Wish {
    /// A move of a game at a ply.
    Move(u32, u32, String),
    Hint,
    /// The game in play is given up, or that with this number alone.
    Resign(Option<u32>),
    Leave,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// No page has come.
    Empty,
    /// A page has come, and the player is not at the table yet.
    Claimed,
    Seated,
    Over,
}

/// A seat. Its player follows the match whether a page shows it or not.
pub(crate) struct Seat {
    stage: watch::Sender<Stage>,
    wishes: SyncSender<Wish>,
    state: Mutex<State>,
}

struct State {
    key: Key,
    reel: Reel,
    /// What a page that comes is told, from the beginning of the game in play.
    kept: VecDeque<Utf8Bytes>,
    ask: Option<Value>,
    over: Option<Utf8Bytes>,
    /// The message that names the players who want another match.
    again: Option<Utf8Bytes>,
    /// The players that are away, of those who have been there.
    gone: BTreeSet<u8>,
    page: Option<(u64, mpsc::Sender<Utf8Bytes>)>,
    pages: u64,
    /// What the bots thought in the game in play, with its number, where nothing is hidden; empty otherwise.
    thoughts: VecDeque<(u32, Value)>,
    /// Whether the page wants them during the game.
    wants_thoughts: bool,
    wished: Option<Receiver<Wish>>,
    waker: Option<Waker>,
}

/// A page at a seat: what it has missed, and what comes.
pub(crate) struct Attached {
    pub(crate) number: u64,
    pub(crate) missed: Vec<Utf8Bytes>,
    pub(crate) lines: mpsc::Receiver<Utf8Bytes>,
}

impl Seat {
    pub(crate) fn new(about: About, key: Key) -> Arc<Seat> {
        let (wishes, wished) = sync_channel(MOST_WISHES);
        Arc::new(Seat {
            stage: watch::Sender::new(Stage::Empty),
            wishes,
            state: Mutex::new(State {
                key,
                reel: Reel::new(about),
                kept: VecDeque::new(),
                ask: None,
                over: None,
                again: None,
                gone: BTreeSet::new(),
                page: None,
                pages: 0,
                thoughts: VecDeque::new(),
                wants_thoughts: false,
                wished: Some(wished),
                waker: None,
            }),
        })
    }

    /// What opens it; a seat whose table begins anew keeps it.
    pub(crate) fn key(&self) -> Key {
        self.state().key.clone()
    }

    /// The table of a seat, for a page without a connection; `None` once the match is over.
    pub(crate) fn listed(&self) -> Option<Value> {
        let state = self.state();
        let about = state.reel.about();
        let players = about.players.iter().map(|player| &player.name);
        (!self.is_over()).then(|| {
            json!({
                "table": about.id,
                "game": about.game,
                "players": players.collect::<Vec<_>>(),
                "you": about.you,
                "waits": *self.stage.borrow() < Stage::Seated,
                "yours": state.ask.is_some(),
            })
        })
    }

    /// Tries a token; `None` where it is none of this seat.
    pub(crate) fn turn(&self, token: Token) -> Option<Turned> {
        self.state().key.turn(token)
    }

    /// Waits until the seat has come so far.
    pub(crate) async fn reaches(&self, stage: Stage) {
        let mut stages = self.stage.subscribe();
        let reached = stages.wait_for(|now| *now >= stage).await;
        reached.expect("the sender is kept here");
    }

    pub(crate) fn has_come(&self) -> bool {
        *self.stage.borrow() > Stage::Empty
    }

    pub(crate) fn is_over(&self) -> bool {
        *self.stage.borrow() == Stage::Over
    }

    pub(crate) fn is_shown(&self) -> bool {
        self.state().page.is_some()
    }

    /// A page comes; the one before it is told so, and has nothing more.
    pub(crate) fn attach(&self) -> Attached {
        let mut state = self.state();
        let (sender, lines) = mpsc::channel(MOST_WAITING);
        state.pages += 1;
        state.wants_thoughts = false;
        let number = state.pages;
        if let Some((_, page)) = state.page.replace((number, sender)) {
            // It may be full: it is closed all the same.
            let _ = page.try_send(error("replaced", "the seat was taken over by another page"));
        }
        let mut table = state.reel.about().message();
        table["missed"] = json!(state.kept.len());
        let mut missed = vec![line(&table)];
        missed.extend(state.gone.iter().map(|player| presence(*player, false)));
        missed.extend(state.kept.iter().cloned());
        // Its times are of long ago.
        missed.extend(state.reel.clock().as_ref().map(line));
        missed.extend(state.ask.as_ref().map(|ask| {
            let mut ask = ask.clone();
            ask["left_ms"] = json!(state.reel.left_ms());
            line(&ask)
        }));
        missed.extend(state.over.clone());
        missed.extend(state.again.clone());
        drop(state);
        self.rise(Stage::Claimed);
        Attached {
            number,
            missed,
            lines,
        }
    }

    /// The frames of the game in play, one for each ply, up to that in which the person's last move was due; `None`
    /// where it has made none.
    pub(crate) fn before_own_move(&self) -> Option<Vec<Value>> {
        let state = self.state();
        let own = json!(state.reel.own_seat()?);
        let kept = state.kept.iter();
        let kept = kept.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let frames = kept.filter(|value| value["type"] == "frame");
        // A later frame takes the place of one with the same ply.
        let frames: BTreeMap<u64, Value> = frames
            .filter_map(|frame| Some((frame["ply"].as_u64()?, frame)))
            .collect();
        let is_own = |frame: &Value| frame["seat"] == own && frame["move"].is_string();
        let (last, _) = frames.iter().rfind(|(_, frame)| is_own(frame))?;
        let before: Vec<Value> = (0..*last)
            .map(|ply| frames.get(&ply).cloned())
            .collect::<Option<_>>()?;
        let has_moves = before.iter().skip(1).all(|one| one["move"].is_string());
        (has_moves && !before.is_empty()).then_some(before)
    }

    /// Takes over what another seat was told of a game, up to these frames, with which the game goes on here.
    pub(crate) fn go_on(&self, before: &Seat, frames: &[Value]) {
        let Some(last) = frames.last() else {
            return;
        };
        let ply = last["ply"].as_u64();
        let thoughts: VecDeque<(u32, Value)> = before
            .state()
            .thoughts
            .iter()
            .filter(|(_, thought)| thought["ply"].as_u64() <= ply)
            .cloned()
            .collect();
        let mut state = self.state();
        state.reel.go_on(last);
        state.kept = frames.iter().map(line).collect();
        state.thoughts = thoughts;
    }

    /// Sets the names of the players before the match begins.
    pub(crate) fn call(&self, names: &[String]) {
        let mut state = self.state();
        if state.reel.call(names) {
            let table = line(&state.reel.about().message());
            state.send(table);
        }
    }

    /// Tells the page which players want another match.
    pub(crate) fn want_again(&self, players: &BTreeSet<u8>) {
        let again = line(&json!({ "type": "again", "players": players }));
        let mut state = self.state();
        state.again = Some(again.clone());
        state.send(again);
    }

    /// The page of another player has come or gone.
    pub(crate) fn tell_presence(&self, player: u8, here: bool) {
        let mut state = self.state();
        if state.note_presence(player, here) {
            state.send(presence(player, here));
        }
    }

    pub(crate) fn detach(&self, number: u64) {
        let mut state = self.state();
        if state.page.as_ref().is_some_and(|(page, _)| *page == number) {
            state.page = None;
        }
    }

    /// Passes a wish on to the player; gives whether there was room.
    pub(crate) fn wish(&self, wish: Wish) -> bool {
        let has_room = self.wishes.try_send(wish).is_ok();
        self.wake();
        has_room
    }

    pub(crate) fn wake(&self) {
        if let Some(waker) = &self.state().waker {
            waker.wake();
        }
    }

    /// The player comes; it takes the wishes.
    ///
    /// # Panics
    /// When another player was here.
    pub(crate) fn take_player(&self, waker: Waker) -> Receiver<Wish> {
        let mut state = self.state();
        state.waker = Some(waker);
        state.wished.take().expect("a seat has one player")
    }

    pub(crate) fn show(&self, message: &ServerMessage) {
        let mut state = self.state();
        let (told, is_new) = state.reel.take(message);
        if is_new {
            state.kept.clear();
            state.ask = None;
            let (game, _) = state.reel.at();
            state.thoughts.retain(|(of, _)| *of >= game);
        }
        for value in told {
            let line = line(&value);
            if matches!(value["type"].as_str(), Some("frame" | "result")) {
                if state.kept.len() == MOST_KEPT {
                    state.kept.pop_front();
                }
                state.kept.push_back(line.clone());
            }
            state.send(line);
            match (value["type"].as_str(), value["player"].as_u64()) {
                // A page that receives a table clears its marks of players that are away.
                (Some("table"), _) => {
                    for player in state.gone.clone() {
                        state.send(presence(player, false));
                    }
                }
                (Some("presence"), Some(player)) => {
                    state.note_presence(player as u8, value["here"] == true);
                }
                _ => {}
            }
        }
        drop(state);
        if let ServerMessage::Welcome { .. } = message {
            self.rise(Stage::Seated);
        }
    }

    /// A move is due; gives the game and ply of it.
    pub(crate) fn ask(&self, kind: &str, moves: &[String]) -> (u32, u32) {
        let mut state = self.state();
        let (game, ply) = state.reel.at();
        let ask = json!({
            "type": "ask", "game": game, "ply": ply, "moves": moves, "kind": kind,
            "left_ms": state.reel.left_ms(),
        });
        state.send(line(&ask));
        state.ask = Some(ask);
        (game, ply)
    }

    /// How long the player may take for an answer, where the gateway counts it and the client does not learn that the
    /// time is up: a client of UECda that owes an answer reads nothing.
    pub(crate) fn limit(&self) -> Option<Duration> {
        let state = self.state();
        let is_untold = state.reel.about().protocol == "uecda";
        let left = state.reel.left_ms().filter(|_| is_untold);
        left.map(Duration::from_millis)
    }

    pub(crate) fn game(&self) -> u32 {
        self.state().reel.at().0
    }

    /// No move is due any more.
    pub(crate) fn unask(&self) {
        self.state().ask = None;
    }

    /// Tells the page of something that is not kept.
    pub(crate) fn tell(&self, value: &Value) {
        self.state().send(line(value));
    }

    pub(crate) fn has_hints(&self) -> bool {
        self.state().reel.about().can.hint
    }

    /// A bot has thought. A page is told during the game only where the game hides nothing.
    pub(crate) fn think(&self, thought: &Thought) {
        let mut state = self.state();
        let (game, _) = state.reel.at();
        if !is_open(state.reel.about().game) || thought.game < game {
            return;
        }
        let message = thought.message();
        if state.wants_thoughts {
            state.send(thoughts(&[&message]));
        }
        if state.thoughts.len() == MOST_THOUGHTS {
            state.thoughts.pop_front();
        }
        state.thoughts.push_back((thought.game, message));
    }

    /// Tells the page what the bots think from now on, and what they have thought in this game, or no more.
    pub(crate) fn want_thoughts(&self, wants: bool) {
        let mut state = self.state();
        if !is_open(state.reel.about().game) {
            drop(state);
            return self.refuse("thoughts", "what the bots think is shown after the game");
        }
        state.wants_thoughts = wants;
        if wants {
            let all: Vec<&Value> = state.thoughts.iter().map(|(_, message)| message).collect();
            let line = thoughts(&all);
            state.send(line);
        }
    }

    pub(crate) fn refuse(&self, code: &str, message: &str) {
        self.state().send(error(code, message));
    }

    /// The match is over, by the gateway for a reason of its own or by the server; the note is about the record. It may be
    /// told again, with what has become of the record.
    pub(crate) fn finish(&self, reason: Option<&str>, record: Option<&str>, note: Option<&str>) {
        let mut state = self.state();
        let reason = reason.filter(|_| !state.reel.is_over());
        let over = line(&state.reel.over(reason, record, note));
        state.ask = None;
        state.over = Some(over.clone());
        // The page may want the next match at once.
        self.rise(Stage::Over);
        state.send(over);
    }

    fn rise(&self, stage: Stage) {
        self.stage.send_if_modified(|now| {
            let rises = stage > *now;
            *now = stage.max(*now);
            rises
        });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics at a seat")
    }
}

impl State {
    /// Notes whether a player is there; gives whether that is new.
    fn note_presence(&mut self, player: u8, here: bool) -> bool {
        if here {
            self.gone.remove(&player)
        } else {
            self.gone.insert(player)
        }
    }

    /// Sends a line to the page, which is cut off when it does not read.
    fn send(&mut self, line: Utf8Bytes) {
        if let Some((_, page)) = &self.page
            && page.try_send(line).is_err()
        {
            self.page = None;
        }
    }
}

/// The message `thoughts`.
fn thoughts(list: &[&Value]) -> Utf8Bytes {
    line(&json!({ "type": "thoughts", "thoughts": list }))
}

/// The message `presence`.
pub(crate) fn presence(player: u8, here: bool) -> Utf8Bytes {
    line(&json!({ "type": "presence", "player": player, "here": here }))
}

pub(crate) fn line(value: &Value) -> Utf8Bytes {
    value.to_string().into()
}

/// The message `error`.
pub(crate) fn error(code: &str, message: &str) -> Utf8Bytes {
    line(&json!({ "type": "error", "code": code, "message": message }))
}
