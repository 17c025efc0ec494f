//! Settings of `taikyoku serve geister`.

use std::path::PathBuf;

use games::geister::SEATS;
use serde::{Deserialize, Serialize};

/// Pause of the strict mode in milliseconds: about what the official server's own delays come to,
/// which clients that take one read for one message live by.
const STRICT_WAIT: u64 = 40;

/// Settings of one server of Geister. The defaults are those of the GAT tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Gat {
    /// Address to listen on.
    pub bind: String,
    /// Port of each player; 0 lets the system choose.
    pub ports: [u16; SEATS],
    /// Games of a match.
    pub games: u32,
    /// Whether the players change seats after every game. Without it player 0 always moves first.
    /// `None` is yes, or no in the strict mode: the official server's port is the seat, and there are
    /// clients that know their seat by the port.
    pub swap: Option<bool>,
    /// Moves of both sides together after which an undecided game is a draw.
    pub ply_limit: u16,
    /// Time of each player for a whole game in milliseconds.
    pub budget_ms: u64,
    /// Time for each move in milliseconds once the budget is used up.
    pub move_ms: u64,
    /// Time to set up in milliseconds, from the moment that both are connected; 0 is no limit.
    pub seat_timeout_ms: u64,
    /// Least time in milliseconds between an answer to a player and the next message to it, by
    /// player. `None` is no pause, or 40 ms in the strict mode.
    pub wait_ms: Option<[u64; SEATS]>,
    /// Whether a refused move loses the game.
    pub ng_terminates: bool,
    /// Names by player.
    pub names: [String; SEATS],
    /// Whether clients may name themselves (`SET:ABCD,NAME:foo`).
    pub client_names: bool,
    /// Games played at the same time.
    pub tables: usize,
    /// Clients that may wait at each port; never fewer than tables.
    pub queue: usize,
    /// Keep the habits of the official server that clients may rely on.
    pub strict: bool,
    /// Play one match and stop.
    pub once: bool,
    /// Print results as JSON.
    pub json: bool,
    /// Folder for the project's own records; `None` writes none.
    pub records: Option<PathBuf>,
    /// Folder for the official server's log of each game; `None` writes none.
    pub official_log: Option<PathBuf>,
}

impl Default for Gat {
    fn default() -> Gat {
        Gat {
            bind: "0.0.0.0".to_owned(),
            ports: [10000, 10001],
            games: 2,
            swap: None,
            ply_limit: 200,
            budget_ms: 600_000,
            move_ms: 10_000,
            seat_timeout_ms: 60_000,
            wait_ms: None,
            ng_terminates: true,
            names: ["player 0", "player 1"].map(str::to_owned),
            client_names: false,
            tables: 1,
            queue: 256,
            strict: false,
            once: false,
            json: false,
            records: None,
            official_log: None,
        }
    }
}

impl Gat {
    /// Whether the players change seats after every game.
    pub fn swaps(&self) -> bool {
        self.swap.unwrap_or(!self.strict)
    }

    /// A setting that is 0 and may not be, by its name in the file.
    pub fn zero(&self) -> Option<&'static str> {
        let zeros = [
            ("games", self.games == 0),
            ("ply-limit", self.ply_limit == 0),
            ("tables", self.tables == 0),
            ("queue", self.queue == 0),
        ];
        zeros
            .into_iter()
            .find_map(|(name, is_zero)| is_zero.then_some(name))
    }

    /// The pause of each player in milliseconds.
    pub fn waits(&self) -> [u64; SEATS] {
        let default = if self.strict { STRICT_WAIT } else { 0 };
        self.wait_ms.unwrap_or([default; SEATS])
    }
}
