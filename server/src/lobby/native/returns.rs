//! Clients that come back with a token.

use games::Game;
use protocol::native::ErrorCode;
use tokio::sync::mpsc::error::TrySendError;

use super::NativeLobby;
use super::greeting::Guest;
use super::table::{OVER, Return};
use super::waiting::welcome;

/// What a return to a seat costs of a rate of its own: 32 may come at once, 8 more each second. Everyone at
/// the table is told of each.
const RETURN_COST: usize = 2048;

impl<G: Game> NativeLobby<G> {
    /// Brings a client back to the seat of its token.
    pub(super) fn bring_back(&mut self, mut guest: Guest, token: &str, last: Option<u64>) {
        let place = |tokens: &[String]| tokens.iter().position(|t| t == token);
        let now = self.epoch.elapsed();
        let running = self.tables.values_mut().find_map(|table| {
            let player = place(&table.tokens)?;
            Some((table, player as u8))
        });
        if let Some((table, player)) = running {
            if !table.rates[usize::from(player)].take_bytes(RETURN_COST, now) {
                let reason = "this seat was come back to too often";
                self.closing.spawn(guest.refuse(ErrorCode::Rate, reason));
                return;
            }
            match table.returns.try_reserve() {
                Ok(place) => place.send(Return {
                    player,
                    guest,
                    last,
                    welcome: welcome::<G>(table.number, player, token, true),
                }),
                Err(TrySendError::Full(())) => {
                    let reason = "too many come back at once: try again";
                    self.closing.spawn(guest.refuse(ErrorCode::Rate, reason));
                }
                Err(TrySendError::Closed(())) => {
                    self.closing.spawn(guest.refuse(ErrorCode::Token, OVER));
                }
            }
        } else if let Some((place, one)) = self.waiting.find(token) {
            guest.send([&welcome::<G>(self.started + 1, place as u8, token, true)]);
            let old = std::mem::replace(&mut one.guest, guest);
            let reason = "the seat was taken over with its token";
            self.closing.spawn(old.refuse(ErrorCode::Replaced, reason));
        } else {
            let reason = "this token has no seat here: the match is over, or never was";
            self.closing.spawn(guest.refuse(ErrorCode::Token, reason));
        }
    }
}
