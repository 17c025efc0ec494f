//! Settings and options of a server of the native protocol.

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{ArgAction, Args};

use super::{Limits, MOST_MS, Tls, Watch, defaults};

/// Settings of one server of a game in the native protocol, as options of the command line. All times
/// are in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub struct Native {
    /// Address to listen on
    #[arg(
        long = "host",
        value_name = "ADDRESS",
        default_value = "0.0.0.0",
        help_heading = "Where"
    )]
    pub bind: String,
    /// Port; 0 takes a free one and says which
    #[arg(short, long, default_value_t = 4444, help_heading = "Where")]
    pub port: u16,
    /// Files of a port that speaks TLS
    #[command(flatten)]
    pub tls: Tls,

    /// Games of a match [default: as many as there are seats]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 2, hide_default_value = true, help_heading = "What")]
    pub games: u32,
    /// Matches to play, then stop [default: no end]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "What")]
    pub matches: Option<u64>,
    /// Play one match, then stop
    #[arg(long, conflicts_with = "matches", help_heading = "What")]
    pub once: bool,
    /// Everyone keeps the seat of the first game, instead of moving on by one after every game
    #[arg(long = "no-swap", action = ArgAction::SetFalse, help_heading = "What")]
    pub swap: bool,
    /// Draw the seats of the first game of each round, in which everyone has every seat once; with
    /// --no-swap those of every game [default: by arrival]
    #[arg(long, help_heading = "What")]
    pub draw_seats: bool,
    /// Matches played at the same time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..).map(usize::from), default_value = "16", help_heading = "What")]
    pub tables: usize,
    /// Random moves at the start of each game, drawn again where they end it or put a seat out; all games
    /// of a round have the same
    #[arg(long, value_name = "PLIES", default_value_t = 0, help_heading = "What")]
    pub random_plies: u32,
    /// Moves after which each game begins, written as in a record: a1b2 in 3D four-in-a-row, "2c2b 2a2b" in Dobutsu shogi,
    /// with semicolons in Blokus
    #[arg(
        long,
        value_name = "TEXT",
        conflicts_with = "random_plies",
        default_value = "",
        hide_default_value = true,
        help_heading = "What"
    )]
    pub position: String,
    /// Seed of random moves and drawn seats of the first match, later ones have others [default: drawn]
    #[arg(
        long,
        env = "TAIKYOKU_SEED",
        hide_env_values = true,
        help_heading = "What"
    )]
    pub seed: Option<u64>,
    /// Illegal moves and unreadable lines that cost a player nothing in each game
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "What")]
    pub retries: u32,
    /// Let the two players agree on a draw
    #[arg(long, help_heading = "What")]
    pub draws: bool,

    /// Time of each player for a whole game, used before that of the single move
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MOST_MS), default_value_t = 0, help_heading = "Clocks")]
    pub budget_ms: u64,
    /// What is added to the budget after each own move
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MOST_MS), requires = "budget_ms", default_value_t = 0, help_heading = "Clocks")]
    pub increment_ms: u64,
    /// Time for each move once the budget is used up
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MOST_MS), default_value_t = 10_000, help_heading = "Clocks")]
    pub move_ms: u64,
    /// How long the seat of a lost connection is kept; its clock goes on
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MOST_MS), default_value_t = 10_000, help_heading = "Clocks")]
    pub resume_ms: u64,

    /// Games in a row that a player may lose on time, then the match ends, or in Blokus the others play on; 0: any number
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "Clocks")]
    pub timeouts: u32,

    /// Port of watchers
    #[command(flatten)]
    pub watch: Watch,

    /// Limits of its connections
    #[command(flatten)]
    pub limits: Limits,

    /// Print each result as a line of JSON instead of a table (schema: docs/schema/match-two.json, or match-blokus.json)
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Write a record of each match into this folder, or into this file if it ends in .jsonl
    #[arg(long, alias = "record", value_name = "PATH", help_heading = "Output")]
    pub records: Option<PathBuf>,
    /// Folder for a file of each game in the format of its field; `None` writes none
    #[arg(skip)]
    pub game_files: Option<PathBuf>,
}

impl Default for Native {
    fn default() -> Native {
        defaults()
    }
}
