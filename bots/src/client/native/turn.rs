//! The own turn: requests and their answers.

use std::time::{Duration, Instant};

use protocol::native::ClientMessage;
use serde_json::json;

use super::Game;
use super::client::{Client, write_line};
use super::clock::TimeLeft;

/// A request for a move that is not answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) game: u32,
    pub(super) ply: u32,
    pub(super) left: Option<TimeLeft>,
    pub(super) since: Instant,
}

/// The last move sent, and the request for it.
pub(super) struct Sent<M> {
    asked: Asked,
    mv: M,
}

/// Moves that the server refused, of one request.
#[derive(Debug, Default)]
pub(super) struct Refused {
    /// Game and ply of the request.
    at: (u32, u32),
    moves: Vec<String>,
}

impl Refused {
    fn add(&mut self, asked: Asked, mv: String) {
        if self.at != (asked.game, asked.ply) {
            self.at = (asked.game, asked.ply);
            self.moves.clear();
        }
        self.moves.push(mv);
    }

    fn has(&self, asked: Asked, mv: &str) -> bool {
        self.at == (asked.game, asked.ply) && self.moves.iter().any(|refused| refused == mv)
    }
}

impl<G: Game> Client<'_, G> {
    /// The server may have granted a retry: another move will do, for the position of the server's view.
    pub(super) fn try_again(&mut self) {
        let Some(Sent { asked, mv }) = self.sent.take() else {
            return;
        };
        self.asked = Some(asked);
        if self.player.is_some() {
            self.refused.add(asked, mv.to_string());
            self.ask_for_view();
        }
    }

    /// Answers a request: an engine at once, a person with its next line.
    pub(super) fn answer(&mut self) {
        let (Some(asked), true) = (self.asked, self.player.is_some()) else {
            return;
        };
        if !self.track.is_asked(asked.game, asked.ply) {
            self.go_astray();
            return;
        }
        self.asked = None;
        if let Some(mv) = self.sent_before(asked) {
            self.send_move(asked, mv);
            return;
        }
        let position = self.track.position.clone();
        let moves = G::moves_left(&position, self.track.seat);
        let limit = asked
            .left
            .map(|left| left.to_use(moves).saturating_sub(asked.since.elapsed()))
            .map(|limit| limit.max(Duration::from_millis(1)));
        let decision = self
            .player
            .as_mut()
            .and_then(|player| player.choose(&position, limit));
        let Some(mut decision) = decision else {
            self.go_astray();
            return;
        };
        if self.refused.has(asked, &decision.mv.to_string()) {
            let moves = G::legal_moves(&position);
            let other = moves
                .into_iter()
                .find(|mv| !self.refused.has(asked, &mv.to_string()));
            let Some(other) = other else {
                return;
            };
            decision.mv = other;
            decision.log["move"] = json!(other.to_string());
        }
        self.send_move(asked, decision.mv);
        if self.json {
            let mut line = decision.log;
            line["game"] = json!(asked.game);
            line["ply"] = json!(asked.ply);
            line["seat"] = json!(self.track.seat);
            line["board"] = G::log(&position);
            write_line(self.out, &line);
        }
    }

    /// The answer to the same request, whose connection was lost on the way.
    fn sent_before(&mut self, asked: Asked) -> Option<G::Move> {
        let sent = self.sent.as_ref()?;
        if (sent.asked.game, sent.asked.ply) != (asked.game, asked.ply) {
            return None;
        }
        let mv = sent.mv;
        G::is_legal(&self.track.position, mv).then_some(mv)
    }

    pub(super) fn send_move(&mut self, asked: Asked, mv: G::Move) {
        self.connection.send(&ClientMessage::Move {
            game: Some(asked.game),
            ply: Some(asked.ply),
            mv: mv.to_string(),
        });
        self.sent = Some(Sent { asked, mv });
    }

    /// The server's moves do not fit the board: the view will tell.
    pub(super) fn go_astray(&mut self) {
        if self.ask_for_view() {
            self.summary.disagreements += 1;
        }
    }

    /// Asks for the view, unless it is on the way; gives whether it was not.
    fn ask_for_view(&mut self) -> bool {
        let is_first = !std::mem::replace(&mut self.astray, true);
        if is_first {
            self.connection.send(&ClientMessage::View);
        }
        is_first
    }
}
