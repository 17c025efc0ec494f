//! Players whose table is not full.

use std::task::{Context, Poll};

use games::Game;
use protocol::native::{ClientMessage, ErrorCode, ServerMessage, VERSION};

use super::connection::NativeConnection;
use crate::lobby::seats::WaitingClient;
use record::Player;

#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) guest: NativeConnection,
    pub(super) player: Player,
    pub(super) token: String,
}

impl Waiting {
    /// Answers what it sends before the match; whether it leaves or is to be left.
    fn has_left(&mut self) -> bool {
        while let Some(sent) = self.guest.next_message() {
            let (code, message) = match sent {
                Ok(ClientMessage::Leave) => return true,
                Ok(_) => (ErrorCode::NoGame, "the match has not begun".to_owned()),
                Err(fault) => (fault.code, fault.message),
            };
            self.guest.tell(&ServerMessage::error(code, message));
            if code == ErrorCode::Rate {
                return true;
            }
        }
        false
    }

    /// The player, by the name that a client of another protocol has told meanwhile, if it has.
    pub(super) fn player(&self) -> Player {
        let mut player = self.player.clone();
        if let Some(name) = self.guest.name() {
            name.clone_into(&mut player.name);
        }
        player
    }
}

impl WaitingClient for Waiting {
    fn name(&self) -> &str {
        &self.player.name
    }

    fn poll_left(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        // One that never stops sending is soon above the rate.
        while let Poll::Ready(read) = self.guest.poll_read(cx) {
            if read.is_err() || self.has_left() {
                return Poll::Ready(());
            }
        }
        Poll::Pending
    }
}

/// The welcome of a player of match number `number` (from 1).
pub fn welcome<G: Game>(
    number: u64,
    player: games::Player,
    token: &str,
    resumed: bool,
) -> ServerMessage {
    ServerMessage::Welcome {
        version: VERSION,
        server: concat!("taikyoku ", env!("CARGO_PKG_VERSION")).to_owned(),
        game: G::NAME.as_str().to_owned(),
        number,
        player: player.number(),
        token: token.to_owned(),
        resumed,
    }
}
