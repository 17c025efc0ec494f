//! Settings and options of `taikyoku serve geister`.

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{ArgAction, Args};
use games::geister::SEATS;
use serde::{Deserialize, Serialize};

use super::{Limits, MOST_MS, Watch, defaults};

/// The usual pause between two messages to a client, in milliseconds, which clients that take one read for one message live
/// by: more than twice what the official server's own delays come to, because on a busy machine a client reads late.
pub const USUAL_WAIT: u64 = 100;

/// Settings of one server of Geister, in the file and on the command line. The defaults are those of
/// the GAT tournament. All times are in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Args)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Gat {
    /// Settings file in TOML, section `[geister]`
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub config: Option<PathBuf>,

    /// Address to listen on
    #[arg(
        long = "host",
        value_name = "ADDRESS",
        default_value = "0.0.0.0",
        help_heading = "Where"
    )]
    pub bind: String,
    /// Port of each player; 0 takes a free one and says which
    #[arg(short, long, value_name = "P0,P1", value_parser = pair::<u16>, default_value = "10000,10001", help_heading = "Where")]
    pub ports: [u16; SEATS],

    /// Games of a match
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 2, help_heading = "What")]
    pub games: u32,
    /// Matches to play, then stop [default: no end]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "What")]
    #[serde(skip)]
    pub matches: Option<u64>,
    /// Play one match, then stop
    #[arg(long, conflicts_with = "matches", help_heading = "What")]
    pub once: bool,
    /// The players take turns in moving first; without it the port is the seat, as some clients take for granted
    #[arg(long, conflicts_with = "no_swap", help_heading = "What")]
    pub swap: bool,
    /// Player 0 moves first in every game, whatever the settings file says
    #[arg(long, help_heading = "What")]
    #[serde(skip)]
    pub no_swap: bool,
    /// Games played at the same time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..).map(usize::from), default_value = "1", help_heading = "What")]
    pub tables: usize,
    /// Clients that may wait at each port; more are turned away
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..).map(usize::from), default_value = "256", help_heading = "What")]
    pub queue: usize,
    /// Names of the players
    #[arg(long = "names", value_name = "A,B", value_delimiter = ',', num_args = 1..=SEATS, help_heading = "What")]
    #[serde(skip)]
    pub given_names: Vec<String>,
    /// Names by player
    #[arg(skip = ["player 0", "player 1"].map(str::to_owned))]
    pub names: [String; SEATS],
    /// Let clients name themselves with SET:ABCD,NAME:foo, which is refused otherwise
    #[arg(long, help_heading = "What")]
    pub client_names: bool,

    /// Moves of both sides together, then the game is a draw; 200 or 300 in tournaments
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u16).range(1..), default_value_t = 200, help_heading = "Rules")]
    pub ply_limit: u16,
    /// A refused move costs an NG only, and the player tries again
    #[arg(long = "no-ng-terminate", action = ArgAction::SetFalse, help_heading = "Rules")]
    pub ng_terminates: bool,
    /// Leave it to the clients to close first, as the official server does
    #[arg(long, help_heading = "Rules")]
    pub strict: bool,

    /// Time of each player for a whole game
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MOST_MS), default_value_t = 600_000, help_heading = "Clocks")]
    pub budget_ms: u64,
    /// Time for each move once the budget is used up
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MOST_MS), default_value_t = 10_000, help_heading = "Clocks")]
    pub move_ms: u64,
    /// Time to set up once both are connected; 0: no limit
    #[arg(long, alias = "seat-timeout", value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MOST_MS), default_value_t = 60_000, help_heading = "Clocks")]
    pub seat_timeout_ms: u64,
    /// Least time between two messages to a player, for both or for each, for clients that take one read for one
    /// message; 0 for clients that take line by line
    #[arg(long, alias = "wait", value_name = "MS|W0,W1", value_parser = pair_or_one, default_value = "100", help_heading = "Clocks")]
    pub wait_ms: [u64; SEATS],

    /// Games in a row that a player may lose on time, then the match ends; 0: any number
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "Clocks")]
    pub timeouts: u32,

    /// Port of watchers
    #[command(flatten)]
    #[serde(skip)]
    pub watch: Watch,

    /// Limits of its connections
    #[command(flatten)]
    pub limits: Limits,

    /// Print each result as a line of JSON instead of a table (schema: docs/schema/match-two.json)
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Write a record of each match into this folder, or into this file if it ends in .jsonl
    #[arg(long, alias = "record", value_name = "PATH", help_heading = "Output")]
    pub records: Option<PathBuf>,
    /// Write the official server's log of each game into this folder
    #[arg(long = "log", value_name = "DIR", help_heading = "Output")]
    pub official_log: Option<PathBuf>,
}

impl Default for Gat {
    fn default() -> Gat {
        defaults()
    }
}

impl Gat {
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
}

fn pair<N: std::str::FromStr>(text: &str) -> Result<[N; SEATS], String> {
    let two = text.split_once(',').and_then(|(first, second)| {
        Some([first.trim().parse().ok()?, second.trim().parse().ok()?])
    });
    two.ok_or_else(|| "write two numbers with a comma, one for each player".to_owned())
}

/// Two numbers with a comma, or one for both.
fn pair_or_one(text: &str) -> Result<[u64; SEATS], String> {
    let waits = match text.trim().parse() {
        Ok(one) => [one; SEATS],
        Err(_) => pair(text).map_err(|_| {
            "write one number for both players, or two with a comma, one for each".to_owned()
        })?,
    };
    if waits.iter().any(|&ms| ms > MOST_MS) {
        return Err("that is more than 30 days".to_owned());
    }
    Ok(waits)
}
