//! Connections that are lost, players that come back, and those that do not.

use std::time::Duration;

use games::Game;
use protocol::native::ServerMessage;

use super::{Outbox, Referee};
use record::EndKind;

impl<G: Game> Referee<G> {
    /// The connection of a player is lost.
    pub fn lose(&mut self, player: u8, now: Duration, out: &mut Outbox) {
        let seated = &mut self.players[usize::from(player)];
        if self.over || seated.away.is_some() {
            return;
        }
        seated.away = Some(now);
        self.tell_presence(player, false, out);
        self.wake(now, out);
    }

    /// A player is back on a new connection; `last` is the number of the last event that it has.
    /// It is told what it has missed; one that [is gone](Referee::is_gone) is sent away.
    pub fn rejoin(&mut self, player: u8, last: Option<u64>, now: Duration, out: &mut Outbox) {
        if self.over || self.is_gone(player) {
            out.close.push(player);
            return;
        }
        if self.players[usize::from(player)].away.take().is_some() {
            self.tell_presence(player, true, out);
            // It is told of its own return with all that it has missed.
            out.messages.retain(|(to, _)| *to != player);
        }
        out.send(player, self.match_message());
        let since = last.unwrap_or(u64::MAX);
        let missed: Vec<ServerMessage> = self.history.since(since, player).collect();
        for event in missed {
            out.send(player, event);
        }
        out.send(player, self.view(player));
        if self
            .play
            .as_ref()
            .is_some_and(|play| play.mover() == Some(player))
        {
            let request = self.request(now);
            out.messages
                .extend(request.map(|request| (player, request)));
        }
    }

    /// A player is gone for good: the match is over, or will be after the game that the others play.
    pub(super) fn gone(&mut self, player: u8, reason: &str, now: Duration, out: &mut Outbox) {
        self.lost_by(player, EndKind::Disconnect, reason, now, out);
        let gone = &mut self.players[usize::from(player)];
        gone.gone = true;
        if gone.kind == EndKind::Normal {
            gone.kind = EndKind::Disconnect;
        }
        let is_here = gone.away.is_none();
        let reason = format!("player {player} is gone: {reason}");
        self.ending.get_or_insert(reason);
        if self.play.is_none() {
            self.go_on(now, out);
        } else if is_here {
            self.players[usize::from(player)].away = Some(now);
            self.tell_presence(player, false, out);
            out.close.push(player);
        }
    }
}
