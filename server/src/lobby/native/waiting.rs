//! A player whose table is not full.

use protocol::native::{ClientMessage, ErrorCode, ServerMessage, VERSION};

use super::greeting::Guest;
use crate::record::Player;
use crate::table_game::TableGame;

/// A player that waits for others.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) guest: Guest,
    pub(super) player: Player,
    pub(super) token: String,
}

impl Waiting {
    /// Answers what it sends before the match; whether it leaves or is to be left.
    pub(super) fn has_left(&mut self) -> bool {
        while let Some(sent) = self.guest.next_message() {
            let (code, message) = match sent {
                Ok(ClientMessage::Leave) => return true,
                Ok(_) => (ErrorCode::NoGame, "the match has not begun".to_owned()),
                Err(fault) => (fault.code, fault.message),
            };
            self.guest.send([&ServerMessage::error(code, message)]);
            if code == ErrorCode::Rate {
                return true;
            }
        }
        false
    }
}

/// The answer to a hello.
pub(super) fn welcome<G: TableGame>(
    number: u64,
    player: u8,
    token: &str,
    resumed: bool,
) -> ServerMessage {
    ServerMessage::Welcome {
        version: VERSION,
        server: concat!("taikyoku ", env!("CARGO_PKG_VERSION")).to_owned(),
        game: G::NAME.as_str().to_owned(),
        number,
        player,
        token: token.to_owned(),
        resumed,
    }
}
