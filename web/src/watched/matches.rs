//! A match of a watched server, as its pages show it.

use std::collections::BTreeSet;
use std::mem;
use std::time::Instant;

use protocol::gat::{ViewerFrame, WinCounts};
use record::watch::{Table, WatchMessage};
use record::{Frame, GameResult, Header};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::messages::{Message, Over, TableInfo};
use crate::viewer;

const MOST_KEPT: usize = 4096;

/// A match as far as it was told.
#[derive(Default)]
pub(super) struct Match {
    /// How the server has told of it last.
    pub(super) told: Option<Table>,
    pub(super) info: Option<TableInfo>,
    pub(super) header: Option<Header>,
    pub(super) frame: Option<Frame>,
    /// When it came, while the game is in play.
    pub(super) since: Option<Instant>,
    /// What the game of that frame has come to.
    pub(super) result: Option<GameResult>,
    /// The number of the newest game that was shown; 0 where any may be shown.
    newest: u32,
    /// Lines of the game in play, or of the last.
    pub(super) kept: Vec<Utf8Bytes>,
    /// Why nothing more is told of the game in play, while that is so.
    pub(super) said: Option<Utf8Bytes>,
    pub(super) over: Option<Utf8Bytes>,
    pub(super) gone: BTreeSet<u8>,
    /// Games of each player since it is watched, of games for two.
    tallies: Vec<WinCounts>,
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
        let said = Message::Said {
            text: reason.to_owned(),
        };
        let said = said.line();
        self.newest = 0;
        // A connection that is tried in vain is lost again and again.
        if self.said.as_ref() == Some(&said) {
            return;
        }
        if let Some((_, left)) = self.left_now()
            && let Some(frame) = &mut self.frame
        {
            frame.clocks = Some(left);
        }
        self.since = None;
        self.said = Some(said.clone());
        if let Some(clock) = self.clock() {
            self.tell(&clock.line());
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
            let over = Message::Over(Over {
                games: None,
                scores: self.told.as_ref().map(|told| told.scores.clone()),
                reason: Some("the server tells no more of this match".to_owned()),
                record: None,
                note: None,
            });
            let over = over.line();
            self.tell(&over);
            self.over = Some(over);
        }
    }

    /// The seat whose time runs, and the times at this moment.
    fn left_now(&self) -> Option<(u8, Vec<Option<u64>>)> {
        let frame = self.frame.as_ref()?;
        let seat = frame.to_move?;
        let used = self.since?.elapsed().as_millis() as u64;
        let mut left = frame.clocks.clone()?;
        let running = left.get_mut(seat.index())?.as_mut()?;
        *running = running.saturating_sub(used);
        Some((seat.number(), left))
    }

    /// The message `clock` for a page that comes now, where a time runs. Where nothing is told of the match none does,
    /// though the last frame has times.
    pub(super) fn clock(&self) -> Option<Message> {
        if let Some((running, left_ms)) = self.left_now() {
            let running = Some(running);
            return Some(Message::Clock { left_ms, running });
        }
        self.said.as_ref()?;
        let left_ms = self.frame.as_ref()?.clocks.clone()?;
        let running = None;
        Some(Message::Clock { left_ms, running })
    }

    /// Takes a message of the server; gives a line for pages.
    pub(super) fn take(&mut self, message: &WatchMessage) -> Option<Utf8Bytes> {
        match message {
            WatchMessage::Table(table) => {
                self.told = Some(table.clone());
                None
            }
            WatchMessage::Match { number, header } => {
                self.gone.clear();
                self.said = None;
                let info = TableInfo::of(*number, header);
                self.info = Some(info.clone());
                self.header = Some(Header::clone(header));
                Some(Message::Table(info).line())
            }
            WatchMessage::Frame { frame, .. } => self.show(frame),
            WatchMessage::Presence { player, here, .. } => {
                if *here {
                    self.gone.remove(player);
                } else {
                    self.gone.insert(*player);
                }
                let (player, here) = (*player, *here);
                Some(Message::Presence { player, here }.line())
            }
            WatchMessage::Missed { game, .. } if self.is_shown(*game) => {
                self.stall("the server could not keep up: this game is told no further");
                None
            }
            WatchMessage::Result { result, .. } if self.is_shown(result.game) => {
                self.since = None;
                let players = self.frame.as_ref().map(|frame| &frame.players[..]);
                viewer::count(
                    &mut self.tallies,
                    players.unwrap_or_default(),
                    &result.places,
                );
                let result = GameResult::clone(result);
                self.result = Some(result.clone());
                let match_scores = None;
                let message = Message::Result {
                    result,
                    match_scores,
                };
                Some(self.keep(message.line()))
            }
            WatchMessage::Over {
                games,
                scores,
                reason,
                ..
            } => {
                let over = Message::Over(Over {
                    games: Some(*games),
                    scores: Some(scores.clone()),
                    reason: reason.clone(),
                    record: None,
                    note: None,
                });
                let over = over.line();
                self.said = None;
                self.over = Some(over.clone());
                Some(over)
            }
            _ => None,
        }
    }

    fn is_shown(&self, game: u32) -> bool {
        self.frame.as_ref().is_some_and(|frame| frame.game == game)
    }

    /// Takes a frame, which is kept. Of games that are played at the same time the newest is shown.
    fn show(&mut self, frame: &Frame) -> Option<Utf8Bytes> {
        if frame.game < self.newest {
            return None;
        }
        let before = self.frame.as_ref();
        if before.is_none_or(|before| before.game != frame.game || before.ply > frame.ply) {
            self.kept.clear();
            self.result = None;
        }
        self.newest = frame.game;
        self.said = None;
        self.since = Some(Instant::now());
        self.frame = Some(frame.clone());
        Some(self.keep(Message::Frame(frame.clone()).line()))
    }

    pub(super) fn viewer_frame(&self, told: &Table, with_scoreboard: bool) -> Option<ViewerFrame> {
        let shown = viewer::Shown {
            names: &told.players,
            frame: self.frame.as_ref()?,
            result: self.result.as_ref(),
            tallies: &self.tallies,
        };
        shown.frame(with_scoreboard)
    }

    /// Keeps a line of the game for pages that come later, as long as there are not too many.
    fn keep(&mut self, line: Utf8Bytes) -> Utf8Bytes {
        if self.kept.len() < MOST_KEPT {
            self.kept.push(line.clone());
        }
        line
    }
}
