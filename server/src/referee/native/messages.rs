//! What players are told.

use std::time::Duration;

use games::{Game, Seat};
use protocol::native::{ErrorCode, ServerMessage};

use super::{Outbox, Referee};

pub(super) fn millis(time: Duration) -> u64 {
    time.as_millis() as u64
}

impl<G: Game> Referee<G> {
    /// What holds for the match.
    pub(super) fn match_message(&self) -> ServerMessage {
        ServerMessage::Match {
            players: self.players.iter().map(|p| p.name.clone()).collect(),
            games: self.settings.games,
            rules: serde_json::to_value(&self.settings.rules).unwrap_or_default(),
            clocks: self.settings.clocks(),
        }
    }

    /// What a player may know of the game in play.
    pub(super) fn view(&self, player: u8) -> ServerMessage {
        let Some(play) = &self.play else {
            return ServerMessage::error(ErrorCode::NoGame, "no game is being played");
        };
        let seat = play.seat_of(player);
        ServerMessage::View {
            event: self.history.last(),
            game: play.number,
            seat,
            ply: play.game.ply(),
            to_move: play.game.to_move().map(Seat::number),
            view: serde_json::to_value(play.game.view(Seat::new(seat)))
                .expect("a view is plain data"),
        }
    }

    /// The legal moves of a player.
    pub(super) fn legal(&self, player: u8) -> ServerMessage {
        let Some(play) = &self.play else {
            return ServerMessage::error(ErrorCode::NoGame, "no game is being played");
        };
        let is_its_turn = play.mover() == Some(player);
        ServerMessage::Legal {
            game: play.number,
            ply: play.game.ply(),
            moves: if is_its_turn {
                play.game.legal_texts()
            } else {
                Vec::new()
            },
        }
    }

    /// The request to the seat to move, with the time that it has left at `now`.
    pub(super) fn request(&self, now: Duration) -> Option<ServerMessage> {
        let play = self.play.as_ref()?;
        let seat = play.game.to_move()?.index();
        let spent = now.saturating_sub(play.asked);
        let left = self.allowance(seat).map(|time| time.saturating_sub(spent));
        Some(ServerMessage::Request {
            game: play.number,
            ply: play.game.ply(),
            left_ms: left.map(millis),
            budget_ms: play.left[seat].map(|time| millis(time.saturating_sub(spent))),
        })
    }

    /// Time of a seat for one move; `None` is no limit.
    fn allowance(&self, seat: usize) -> Option<Duration> {
        let budget = self.play.as_ref()?.left[seat];
        match (budget, self.settings.per_move) {
            (None, None) => None,
            (budget, per_move) => Some(
                budget
                    .unwrap_or_default()
                    .saturating_add(per_move.unwrap_or_default()),
            ),
        }
    }

    /// When the time of the mover is up.
    pub(super) fn time_up(&self) -> Option<Duration> {
        let play = self.play.as_ref()?;
        let seat = play.game.to_move()?.index();
        play.asked.checked_add(self.allowance(seat)?)
    }

    /// Tells all players of an event; `told` makes what each is told.
    pub(super) fn tell(&mut self, out: &mut Outbox, told: impl Fn(u64, u8) -> ServerMessage) {
        let event = self.history.next();
        let all: Vec<ServerMessage> = (0..self.players.len() as u8)
            .map(|player| told(event, player))
            .collect();
        for (player, message) in (0..).zip(&all) {
            if self.players[usize::from(player)].away.is_none() {
                out.send(player, message.clone());
            }
        }
        self.history.keep(all);
    }

    pub(super) fn tell_presence(&mut self, player: u8, here: bool, out: &mut Outbox) {
        self.tell(out, |event, _| ServerMessage::Presence {
            event,
            player,
            here,
        });
    }
}
