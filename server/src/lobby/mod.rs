//! The lobby of each contest: its door, how clients are greeted and wait, and the tables that they
//! are led to.

pub(crate) mod failed_logins;
pub(crate) mod gat;
pub(crate) mod handshakes;
pub(crate) mod listener;
pub(crate) mod native;
pub(crate) mod uecda;

pub use crate::table::files::{Lost, Missing};
pub use gat::{GatLobby, GatReport, Tally};
pub use listener::Listener;
pub use native::{NativeLobby, NativeReport};
pub use uecda::{Progress, UecdaLobby, UecdaReport};

use games::{DealKey, count_of};
use rand::TryRng as _;
use rand::rngs::SysRng;

/// Target of the lines of the log that a stranger can cause: there are so many of them only.
pub(crate) const CLIENTS: &str = "taikyoku::clients";

/// Logs for how many more players the next match waits; nothing once its table is full.
pub(crate) fn log_free_seats(number: u64, free: usize) {
    if free > 0 {
        let players = count_of(free as u64, "more player", "more players");
        log::info!(target: CLIENTS, "match {number} waits for {players}");
    }
}

/// A key from the system's randomness, for the deals of one match.
///
/// # Panics
/// When the system has none: nothing that is secret could be drawn.
pub(crate) fn drawn_key() -> DealKey {
    let mut bytes = [0; 32];
    let drawn = SysRng.try_fill_bytes(&mut bytes);
    drawn.expect("the system has randomness");
    DealKey::new(bytes)
}
