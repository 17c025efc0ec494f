//! Settings of a server of the native protocol.

use std::path::PathBuf;

/// Settings of one server of a game in the native protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Native {
    /// Address to listen on.
    pub bind: String,
    /// Port; 0 lets the system choose.
    pub port: u16,
    /// Games of a match.
    pub games: u32,
    /// Whether the players change seats after every game.
    pub swap: bool,
    /// Whether seats are drawn: for each round of games, or each game without `swap`.
    pub draw_seats: bool,
    /// Time of each player for all moves of a game in milliseconds; 0 is none.
    pub budget_ms: u64,
    /// What is added to that after each own move, in milliseconds.
    pub increment_ms: u64,
    /// Time for each move in milliseconds once the budget is used up.
    pub move_ms: u64,
    /// How long the seat of a lost connection is kept, in milliseconds.
    pub resume_ms: u64,
    /// Illegal moves and unreadable lines that a player may send in a game without losing it.
    pub retries: u32,
    /// Random plies at the start of each game.
    pub random_plies: u32,
    /// Seed of the random plies and of drawn seats; `None` draws one.
    pub seed: Option<u64>,
    /// Matches played at the same time.
    pub tables: usize,
    /// Play one match and stop.
    pub once: bool,
    /// Print results as JSON.
    pub json: bool,
    /// Folder for records, or the file of the first match; `None` writes none.
    pub records: Option<PathBuf>,
    /// Folder for a file of each game in the format of its field; `None` writes none.
    pub sheets: Option<PathBuf>,
}

impl Default for Native {
    fn default() -> Native {
        Native {
            bind: "0.0.0.0".to_owned(),
            port: 4444,
            games: 2,
            swap: true,
            draw_seats: false,
            budget_ms: 0,
            increment_ms: 0,
            move_ms: 10_000,
            resume_ms: 10_000,
            retries: 0,
            random_plies: 0,
            seed: None,
            tables: 16,
            once: false,
            json: false,
            records: None,
            sheets: None,
        }
    }
}
