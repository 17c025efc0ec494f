//! The limits of a server: what is set, and what is fixed. `docs/limits.md` has them all, and those of leagues.

use std::time::Duration;

use clap::Args;
use clap::builder::TypedValueParser;
use games::GameName;
use program::Permits;
use serde::{Deserialize, Serialize};

use super::defaults;

/// Connections from one address at the same time, unless it is set otherwise. Those of this machine have no limit
/// of their own then.
pub(crate) const PER_ADDRESS: usize = 128;

/// Clients that are greeted at the same time; the one that has been silent longest goes when another comes.
pub const MOST_GREETED: usize = 256;

/// The delay of the answer to a wrong token at the port of a remote entrant or of watchers.
pub(crate) const WRONG_TOKEN_WAIT: Duration = Duration::from_secs(1);

/// Most clients of an address that wait for this answer at the same time; more are closed without an answer.
pub const MOST_WRONG_TOKENS: usize = 10;

/// Connections that are closed cleanly at the same time at a door; more are just dropped.
pub const MOST_TURNED_AWAY: usize = 32;

/// Descriptors of the process for each connection: its own, its part of the files of its match, and a reserve.
pub(crate) const FILES_PER_CONNECTION: u64 = 3;

/// How long a client may be silent before the system asks whether its machine is still there.
pub(crate) const KEEPALIVE: Duration = Duration::from_secs(30);

/// How often it asks then, until it gives the connection up.
pub(crate) const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);

/// How long bytes may wait for a client's machine to confirm them.
pub(crate) const UNCONFIRMED: Duration = Duration::from_secs(90);

/// How long a table without a limit of time waits before the log says for whom.
pub(crate) const SAY_AWAITED: Duration = Duration::from_secs(10);

/// How long the hello of a client of the native protocol is waited for.
pub const HELLO_WAIT: Duration = Duration::from_secs(10);

/// How long a player of the native protocol that says when it is ready is waited for between two games of a match.
pub(crate) const READY_WAIT: Duration = Duration::from_mins(1);

/// How long the result of a match waits for its record to be on the disk.
pub const DISK_WAIT: Duration = Duration::from_secs(1);

/// Bytes of all files that wait in memory for the disk, also because it is full; a file with more is given up.
pub(crate) const MOST_UNWRITTEN: usize = 64 << 20;

/// Bytes of a file that are written but may not outlast a loss of power, as long as the file is open.
pub(crate) const MOST_UNSYNCED: usize = 128 << 10;

/// How soon is tried again what the disk did not take.
pub(crate) const DISK_AGAIN: Duration = Duration::from_secs(1);

/// How long a server that ends, or a league, waits for room for its files on a full disk.
pub(crate) const ROOM_WAIT: Duration = Duration::from_mins(1);

/// Events of tables that wait to be told to watchers, also because of a delay; a game with more is told no further.
pub(crate) const MOST_UNTOLD: usize = 65_536;

/// How long watchers wait for one that leaves half of the bytes unread for which it is cut off.
pub(crate) const WATCHER_GRACE: Duration = Duration::from_millis(100);

/// Results that wait for standard output to be read; more are not printed.
pub(crate) const MOST_UNREAD_RESULTS: usize = 1000;

/// Lines of the log that wait for standard error to be read; more are left out.
pub(crate) const MOST_UNREAD_LINES: usize = 1000;

/// Target of the lines of the log that a stranger can cause: there are so many of them only.
pub const CLIENTS: &str = "taikyoku::clients";

/// Lines of the log about clients that may come at once, the time for each more, and how often it is said how many were
/// left out.
pub(crate) const CROWD_BURST: u32 = 100;
pub(crate) const CROWD_EVERY: Duration = Duration::from_millis(200);
pub(crate) const CROWD_SAID: Duration = Duration::from_secs(10);

/// How long a program that ends waits for standard output to be read.
pub(crate) const PRINT_WAIT: Duration = Duration::from_secs(1);

/// Most random plies at the beginning of a game: it may be over after more.
pub const fn most_random_plies(game: GameName) -> u32 {
    match game {
        GameName::Daihinmin | GameName::Geister => 0,
        // The shortest of a thousand random games had 51 plies.
        GameName::Blokus => 40,
        // Twenty-four random plies end most games.
        GameName::ScoreFour => 24,
        // More end too many random games.
        GameName::Dobutsu => 20,
    }
}

/// Limits of the connections of one server, in the file and on the command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Args)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Limits {
    /// Connections at the same time; more are turned away
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..).map(|n| n as usize), default_value = "2048", help_heading = "Limits")]
    pub connections: usize,
    /// Connections at the same time from one address [default: 128, and any number from this machine]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..).map(|n| n as usize), help_heading = "Limits")]
    pub per_address: Option<usize>,
}

impl Limits {
    pub(crate) fn permits(&self) -> Permits {
        Permits::new(
            self.connections.max(1),
            self.per_address.unwrap_or(PER_ADDRESS),
            self.per_address.unwrap_or(usize::MAX),
        )
    }
}

impl Default for Limits {
    fn default() -> Limits {
        defaults()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Gat, Native, Uecda};

    #[test]
    fn the_page_of_limits_names_them_all() {
        let page = include_str!("../../../docs/limits.md");
        let Limits { connections, .. } = Limits::default();
        let seconds = |time: Duration| format!("{} s", time.as_secs());
        for (what, value) in [
            ("| connections |", connections.to_string()),
            ("| connections from one address |", PER_ADDRESS.to_string()),
            (
                "| descriptors for each connection |",
                FILES_PER_CONNECTION.to_string(),
            ),
            (
                "| clients that are closed cleanly",
                MOST_TURNED_AWAY.to_string(),
            ),
            ("| clients that are being greeted", MOST_GREETED.to_string()),
            ("| wrong tokens from one", MOST_WRONG_TOKENS.to_string()),
            ("| answer to a wrong token", seconds(WRONG_TOKEN_WAIT)),
            (
                "| clients that wait at a port",
                Gat::default().queue.to_string(),
            ),
            (
                "| matches of Daihinmin",
                Uecda::default().tables.to_string(),
            ),
            (
                "| matches of the native",
                Native::default().tables.to_string(),
            ),
            ("| games of Geister", Gat::default().tables.to_string()),
            ("| hello of the native", seconds(HELLO_WAIT)),
            ("| wait for a player's `ready`", seconds(READY_WAIT)),
            ("| games in a row", Native::default().timeouts.to_string()),
            ("| games in a row", Gat::default().timeouts.to_string()),
            ("| games in a row", Uecda::default().timeouts.to_string()),
            ("| one decision of Daihinmin", seconds(SAY_AWAITED)),
            ("| silence before", seconds(KEEPALIVE)),
            ("| silence before", seconds(KEEPALIVE_INTERVAL)),
            ("| bytes that the client's machine", seconds(UNCONFIRMED)),
            ("| wait for the disk", seconds(DISK_WAIT)),
            (
                "| bytes of files that wait for the disk",
                format!("{} MiB", MOST_UNWRITTEN >> 20),
            ),
            (
                "| bytes of an open file",
                format!("{} KiB", MOST_UNSYNCED >> 10),
            ),
            ("| next try to write", seconds(DISK_AGAIN)),
            ("| wait for room", seconds(ROOM_WAIT)),
            ("| results that wait", MOST_UNREAD_RESULTS.to_string()),
            (
                "| lines of the log that wait",
                MOST_UNREAD_LINES.to_string(),
            ),
            ("| lines of the log about clients", CROWD_BURST.to_string()),
            (
                "| lines of the log about clients",
                (1000 / CROWD_EVERY.as_millis()).to_string(),
            ),
            ("| lines of the log about clients", seconds(CROWD_SAID)),
            ("| wait for standard output", seconds(PRINT_WAIT)),
            (
                "| wait for a watcher",
                format!("{} ms", WATCHER_GRACE.as_millis()),
            ),
            ("| events of tables that wait", MOST_UNTOLD.to_string()),
        ] {
            let line = page
                .lines()
                .find(|line| line.starts_with(what))
                .expect(what);
            assert!(line.contains(&value), "{what} {value}");
        }
    }
}
