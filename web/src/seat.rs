//! A person's seat: what has happened there, and the page that shows it.

use std::collections::{BTreeSet, VecDeque};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use client::{TableEvent, Waker};
use games::OfferStep;
use record::Frame;
use tokio::sync::{mpsc, watch};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::frames::SeatFrames;
use crate::messages::{Ask, Message, Offer, PlyThought, SeatInfo, TableInfo, TablePermissions};
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
    /// Something is said about a draw in a game.
    Draw(u32, OfferStep),
    Leave,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
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
    state: Mutex<SeatState>,
}

struct SeatState {
    key: Key,
    frames: SeatFrames,
    /// What a page that comes is told, from the beginning of the game in play.
    kept: VecDeque<Message>,
    ask: Option<Ask>,
    offer: Option<Offer>,
    over: Option<Utf8Bytes>,
    /// The message that names the players who want another match.
    again: Option<Utf8Bytes>,
    /// The players that are away, of those who have been there.
    gone: BTreeSet<u8>,
    page: Option<(u64, mpsc::Sender<Utf8Bytes>)>,
    pages: u64,
    /// Whether the match happens again up to where it was: the page is told all at once then.
    is_muted: bool,
    /// Whether the person has left the match.
    has_left: bool,
    /// What the bots thought in the game in play, where nothing is hidden; empty otherwise.
    thoughts: VecDeque<PlyThought>,
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
    pub(crate) fn new(info: TableInfo, key: Key) -> Arc<Seat> {
        let (wishes, wished) = sync_channel(MOST_WISHES);
        Arc::new(Seat {
            stage: watch::Sender::new(Stage::Empty),
            wishes,
            state: Mutex::new(SeatState {
                key,
                frames: SeatFrames::new(info),
                kept: VecDeque::new(),
                ask: None,
                offer: None,
                over: None,
                again: None,
                gone: BTreeSet::new(),
                page: None,
                pages: 0,
                is_muted: false,
                has_left: false,
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
    pub(crate) fn listed(&self) -> Option<SeatInfo> {
        let state = self.state();
        let info = state.frames.info();
        let players = info.players.iter().map(|player| player.name.clone());
        (!self.is_over()).then(|| SeatInfo {
            table: info.id.clone(),
            game: info.game,
            players: players.collect(),
            you: info.you,
            waits: *self.stage.borrow() < Stage::Seated,
            yours: state.ask.is_some(),
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

    /// Whether the game that was shown last is over.
    pub(crate) fn has_result(&self) -> bool {
        let state = self.state();
        let mut kept = state.kept.iter();
        kept.any(|message| matches!(message, Message::Result { .. }))
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
            let replaced = Message::error("replaced", "the seat was taken over by another page");
            let _ = page.try_send(replaced.line());
        }
        let missed = state.lines();
        drop(state);
        self.rise(Stage::Claimed);
        Attached {
            number,
            missed,
            lines,
        }
    }

    /// The moves of the game in play up to that in which the person's last move was due; `None` where it has made none.
    pub(crate) fn before_own_move(&self) -> Option<Vec<String>> {
        let state = self.state();
        let own = state.frames.own_seat()?;
        // A later frame takes the place of one with the same ply.
        let mut moves = Vec::new();
        let mut last = None;
        for message in &state.kept {
            let Message::Frame(Frame { ply, seat, mv, .. }) = message else {
                continue;
            };
            let Some(before) = ply.checked_sub(1) else {
                continue;
            };
            let mv = mv.as_ref()?;
            moves.truncate(before as usize);
            // The seat may no longer keep earlier moves.
            (moves.len() == before as usize).then(|| moves.push(mv.clone()))?;
            if seat.is_some_and(|seat| seat.index() == own) {
                last = Some(before as usize);
            }
        }
        moves.truncate(last?);
        Some(moves)
    }

    /// Shows these frames of a game, of which the last is that with which the game begins at its server.
    pub(crate) fn begin_from(&self, frames: Vec<Frame>) {
        let Some(last) = frames.last() else {
            return;
        };
        let mut state = self.state();
        state.frames.go_on(last);
        state.kept = frames.into_iter().map(Message::Frame).collect();
    }

    /// Takes over what another seat was told of the thoughts of bots, up to so many plies.
    pub(crate) fn take_thoughts(&self, before: &Seat, plies: u32) {
        let mut thoughts = before.state().thoughts.clone();
        thoughts.retain(|thought| thought.ply <= Some(plies));
        self.state().thoughts = thoughts;
    }

    pub(crate) fn offer(&self) -> Option<Offer> {
        self.state().offer.clone()
    }

    /// Tells the page what a player says about an offer.
    pub(crate) fn tell_offer(&self, offer: &Offer) {
        self.state().note_offer(offer);
    }

    /// Sets the names of the players before the match begins.
    pub(crate) fn call(&self, names: &[String]) {
        let mut state = self.state();
        if state.frames.call(names) {
            let table = Message::Table(state.frames.info().clone());
            state.send(&table);
        }
    }

    /// Tells the page which players want another match.
    pub(crate) fn want_again(&self, players: &BTreeSet<u8>) {
        let again = Message::Again {
            players: players.clone(),
        };
        let mut state = self.state();
        state.again = Some(again.line());
        state.send(&again);
    }

    /// The page of another player has come or gone.
    pub(crate) fn tell_presence(&self, player: u8, here: bool) {
        let mut state = self.state();
        if state.note_presence(player, here) {
            state.send(&Message::Presence { player, here });
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

    /// The person is to leave the match.
    pub(crate) fn set_left(&self) {
        self.state().has_left = true;
    }

    pub(crate) fn has_left(&self) -> bool {
        self.state().has_left
    }

    /// The match happens again up to where it was. Its page is told nothing until then.
    pub(crate) fn mute(&self) {
        self.state().is_muted = true;
    }

    /// The match goes on, with these times of the players where they are known.
    pub(crate) fn unmute(&self, left_ms: &[Option<u64>]) {
        let mut state = self.state();
        state.is_muted = false;
        state.frames.set_clocks(left_ms);
        for line in state.lines() {
            state.send_line(line);
        }
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

    pub(crate) fn show(&self, event: TableEvent) {
        let is_seated = matches!(event, TableEvent::Seated(_));
        let mut state = self.state();
        let (told, is_new) = state.frames.take(event);
        if is_new {
            state.kept.clear();
            state.ask = None;
            state.offer = None;
            let (game, _) = state.frames.at();
            state.thoughts.retain(|thought| thought.game >= game);
        }
        if let Some(Message::Offer(offer)) = &told {
            state.note_offer(offer);
        } else if let Some(message) = told {
            state.send(&message);
            match message {
                Message::Frame(_) | Message::Result { .. } => {
                    // What was offered holds until the next move. An earlier frame may come late, or again.
                    let (_, ply) = state.frames.at();
                    if matches!(message, Message::Result { .. }) {
                        state.offer = None;
                    }
                    state.offer = state.offer.take().filter(|offer| offer.ply >= ply);
                    if state.kept.len() == MOST_KEPT {
                        state.kept.pop_front();
                    }
                    state.kept.push_back(message);
                }
                // A page that receives a table clears its marks of players that are away.
                Message::Table(_) => {
                    for player in state.gone.clone() {
                        state.send(&away(player));
                    }
                }
                Message::Presence { player, here } => {
                    state.note_presence(player, here);
                }
                _ => {}
            }
        }
        drop(state);
        if is_seated {
            self.rise(Stage::Seated);
        }
    }

    /// A move is due; gives the game and ply of it.
    pub(crate) fn ask(&self, kind: &str, moves: Vec<String>) -> (u32, u32) {
        let mut state = self.state();
        let (game, ply) = state.frames.at();
        let ask = Ask {
            game,
            ply,
            moves,
            kind: kind.to_owned(),
            left_ms: state.frames.left_ms(),
        };
        state.send(&Message::Ask(ask.clone()));
        state.ask = Some(ask);
        (game, ply)
    }

    /// What its page may ask for.
    pub(crate) fn can(&self) -> TablePermissions {
        self.state().frames.info().can
    }

    pub(crate) fn at(&self) -> (u32, u32) {
        self.state().frames.at()
    }

    /// How long the player may take for an answer, where the gateway counts it and the client does not learn that the
    /// time is up: a client of UECda that owes an answer reads nothing.
    pub(crate) fn limit(&self) -> Option<Duration> {
        let state = self.state();
        let is_untold = state.frames.info().protocol == "uecda";
        let left = state.frames.left_ms().filter(|_| is_untold);
        left.map(Duration::from_millis)
    }

    pub(crate) fn game(&self) -> u32 {
        self.state().frames.at().0
    }

    /// No move is due any more.
    pub(crate) fn unask(&self) {
        self.state().ask = None;
    }

    /// Tells the page of something that is not kept.
    pub(crate) fn tell(&self, message: &Message) {
        self.state().send(message);
    }

    pub(crate) fn has_hints(&self) -> bool {
        self.state().frames.info().can.hint
    }

    /// A bot has thought. A page is told during the game only where the game hides nothing.
    pub(crate) fn think(&self, thought: &Thought) {
        let mut state = self.state();
        let (game, _) = state.frames.at();
        if !state.frames.info().game.is_open() || thought.game < game {
            return;
        }
        let message = thought.message();
        if state.wants_thoughts {
            let thoughts = vec![message.clone()];
            state.send(&Message::Thoughts { thoughts });
        }
        if state.thoughts.len() == MOST_THOUGHTS {
            state.thoughts.pop_front();
        }
        state.thoughts.push_back(message);
    }

    /// Tells the page what the bots think from now on, and what they have thought in this game, or no more.
    pub(crate) fn want_thoughts(&self, wants: bool) {
        let mut state = self.state();
        if !state.frames.info().game.is_open() {
            drop(state);
            return self.refuse("thoughts", "what the bots think is shown after the game");
        }
        state.wants_thoughts = wants;
        if wants {
            let thoughts = state.thoughts.iter().cloned().collect();
            state.send(&Message::Thoughts { thoughts });
        }
    }

    pub(crate) fn refuse(&self, code: &str, message: &str) {
        self.state().send(&Message::error(code, message));
    }

    /// The match is over, by the gateway for a reason of its own or by the server; the note is about the record. It may be
    /// told again, with what has become of the record.
    pub(crate) fn finish(&self, reason: Option<&str>, record: Option<&str>, note: Option<&str>) {
        let mut state = self.state();
        state.is_muted = false;
        let reason = reason.filter(|_| !state.frames.is_over());
        let over = Message::Over(state.frames.over(reason, record, note));
        state.ask = None;
        state.over = Some(over.line());
        // The page may want the next match at once.
        self.rise(Stage::Over);
        state.send(&over);
    }

    fn rise(&self, stage: Stage) {
        self.stage.send_if_modified(|now| {
            let rises = stage > *now;
            *now = stage.max(*now);
            rises
        });
    }

    fn state(&self) -> MutexGuard<'_, SeatState> {
        self.state.lock().expect("nothing panics at a seat")
    }
}

impl SeatState {
    /// What a page that comes is told.
    fn lines(&self) -> Vec<Utf8Bytes> {
        let table = Message::Table(TableInfo {
            missed: Some(self.kept.len()),
            ..self.frames.info().clone()
        });
        let mut missed = vec![table.line()];
        missed.extend(self.gone.iter().map(|player| away(*player).line()));
        missed.extend(self.kept.iter().map(Message::line));
        // Its times are of long ago.
        missed.extend(self.frames.clock().as_ref().map(Message::line));
        missed.extend(self.ask.clone().map(|ask| {
            let left_ms = self.frames.left_ms();
            Message::Ask(Ask { left_ms, ..ask }).line()
        }));
        missed.extend(self.offer.clone().map(|offer| Message::Offer(offer).line()));
        missed.extend(self.over.clone());
        missed.extend(self.again.clone());
        missed
    }

    /// Tells the page what a player says about an offer, of which one is open at a time.
    fn note_offer(&mut self, offer: &Offer) {
        self.offer = (offer.act == OfferStep::Offer).then(|| offer.clone());
        self.send(&Message::Offer(offer.clone()));
    }

    /// Notes whether a player is there; gives whether that is new.
    fn note_presence(&mut self, player: u8, here: bool) -> bool {
        if here {
            self.gone.remove(&player)
        } else {
            self.gone.insert(player)
        }
    }

    /// Sends a message to the page, unless it is told all at once later.
    fn send(&mut self, message: &Message) {
        if !self.is_muted {
            self.send_line(message.line());
        }
    }

    /// Sends a line to the page, which is cut off when it does not read.
    fn send_line(&mut self, line: Utf8Bytes) {
        if let Some((_, page)) = &self.page
            && page.try_send(line).is_err()
        {
            self.page = None;
        }
    }
}

const fn away(player: u8) -> Message {
    let here = false;
    Message::Presence { player, here }
}
