//! Faults of players: refused lines and their penalties.

use games::{Game, Player};
use protocol::native::{ErrorCode, Fault, ServerMessage};
use record::EndKind;

use super::play::SeatEnd;
use super::{NativeOutbox, NativeReferee};
use crate::referee::{forfeited, refused};

/// Number of refused lines of a player in a game that the record keeps.
const MOST_REFUSED: u32 = 100;

impl<G: Game> NativeReferee<G> {
    pub(super) fn fault(&mut self, player: Player, fault: Fault, out: &mut NativeOutbox) {
        let Fault {
            code,
            message,
            sent,
        } = fault;
        self.refuse(player, code, &message, &sent, out);
        if code == ErrorCode::Rate {
            self.forfeit(player, EndKind::ProtocolError, &message, out);
            out.close.push(player);
            self.is_away(player, out);
        } else if !code.is_harmless() {
            self.costs(player, EndKind::ProtocolError, &message, out);
        }
    }

    pub(super) fn refuse(
        &mut self,
        player: Player,
        code: ErrorCode,
        message: &str,
        sent: &str,
        out: &mut NativeOutbox,
    ) {
        out.send(player, ServerMessage::error(code, message));
        let count = &mut self.players[player].refused;
        *count += 1;
        if *count <= MOST_REFUSED {
            out.event(refused(player, sent, message));
        }
    }

    /// Counts a refused line; the player forfeits the game if it has no retry left.
    pub(super) fn costs(
        &mut self,
        player: Player,
        kind: EndKind,
        reason: &str,
        out: &mut NativeOutbox,
    ) {
        let retried = &mut self.players[player].retried;
        *retried += 1;
        if *retried > self.settings.retries {
            self.forfeit(player, kind, reason, out);
        }
    }

    /// The player forfeits the game in play, if there is one, and the match continues.
    pub(super) fn forfeit(
        &mut self,
        player: Player,
        kind: EndKind,
        reason: &str,
        out: &mut NativeOutbox,
    ) {
        if self.lost_by(player, kind, reason, out) {
            self.go_on(out);
        }
    }

    /// Ends the game in play for a player that still takes part in it; returns whether that ends the game.
    pub(super) fn lost_by(
        &mut self,
        player: Player,
        kind: EndKind,
        reason: &str,
        out: &mut NativeOutbox,
    ) -> bool {
        let Some(play) = &mut self.play else {
            return false;
        };
        let seat = play.seating.seat_of(player);
        if !play.end_seat(seat, SeatEnd::Fault(kind)) {
            return false;
        }
        let was_its_turn = play.to_move() == Some(seat);
        let goes_on = play.game.withdraw(seat);
        let outcome = if goes_on {
            play.game.outcome()
        } else {
            Some(play.game.forfeited(seat))
        };
        let first = &mut self.players[player].kind;
        if *first == EndKind::Normal {
            *first = kind;
        }
        out.event(forfeited(player, kind, reason));
        if goes_on {
            self.tell_out(seat, kind.as_str(), Some(reason), out);
        }
        if let Some(mut outcome) = outcome {
            if outcome.rule.is_none() {
                outcome.reason.get_or_insert_with(|| reason.to_owned());
            }
            self.end(&outcome, Some((seat, kind)), out);
            return true;
        }
        if was_its_turn {
            self.ask(out);
        }
        false
    }
}
