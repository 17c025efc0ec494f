//! Players that are away, gone, or late again and again: when nobody waits for them any more.

use games::{Game, Player};

use super::{NativeOutbox, NativeReferee};
use record::EndKind;

impl<G: Game> NativeReferee<G> {
    pub(super) fn is_away(&mut self, player: Player, out: &mut NativeOutbox) {
        let seated = &mut self.players[player];
        if self.over || seated.away.is_some() {
            return;
        }
        seated.away = Some(out.now);
        self.tell_presence(player, false, out);
    }

    /// A player is gone for good: the match is over, or will be after the game that the others play, or they play on.
    pub(super) fn gone(&mut self, player: Player, reason: &str, out: &mut NativeOutbox) {
        let kind = self.players[player].lost;
        self.lost_by(player, kind, reason, out);
        let gone = &mut self.players[player];
        gone.gone = Some(kind);
        if gone.kind == EndKind::Normal {
            gone.kind = kind;
        }
        self.is_one_less(format!("player {player} is gone: {reason}"));
        if self.play.is_some() || self.has_more() {
            self.let_go(player, out);
        }
        if self.play.is_none() {
            self.go_on(out);
        }
    }

    /// After a game: players that have lost too many in a row on time are gone.
    pub(super) fn set_aside_late(&mut self, out: &mut NativeOutbox) {
        let due = self.late.due();
        let due: Vec<Player> = due.filter(|p| self.players[*p].gone.is_none()).collect();
        for player in due {
            self.players[player].gone = Some(EndKind::Timeout);
            self.is_one_less(format!("player {player} was {}", self.late.reason()));
            // At the end of the match all are told of it.
            if self.has_more() {
                self.let_go(player, out);
            }
        }
    }

    const fn has_more(&self) -> bool {
        self.ending.is_none() && self.number < self.settings.games
    }

    /// A player is gone: after the game in play the match is over, unless the others play on.
    fn is_one_less(&mut self, reason: String) {
        let players = self.players.iter();
        let left = players.filter(|player| player.gone.is_none()).count();
        if !self.settings.goes_on || left < 2 {
            self.ending.get_or_insert(reason);
        }
    }

    /// Closes the connection of a player that is gone, if there is one.
    fn let_go(&mut self, player: Player, out: &mut NativeOutbox) {
        if self.players[player].away.is_none() {
            self.players[player].away = Some(out.now);
            self.tell_presence(player, false, out);
            out.close.push(player);
        }
    }
}
