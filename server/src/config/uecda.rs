//! Settings and options of `taikyoku serve uecda`.

use std::path::PathBuf;

use clap::builder::{EnumValueParser, TypedValueParser};
use clap::{ArgAction, Args, ValueEnum};
use games::daihinmin::{DealerKind, SEATS, SessionRules};
use serde::{Deserialize, Serialize};

use super::{Limits, Watch, defaults};

/// How close to the official server's faults the referee keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Compat {
    /// The same bytes to honest clients, the known exploits closed.
    #[default]
    Safe,
    /// The same bytes to any client, exploits included.
    Official,
}

/// Generators, as the command line names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DealerName {
    /// MT19937 as the official server draws: its seeds give its games. A player can compute all deals of a match from
    /// its first hand, by trying all 32-bit seeds: 285 s on one core
    Official,
    /// A cryptographic generator with a key of 256 bits: nobody can foresee a card
    Modern,
}

impl From<DealerName> for DealerKind {
    fn from(name: DealerName) -> DealerKind {
        match name {
            DealerName::Official => DealerKind::Official,
            DealerName::Modern => DealerKind::Modern,
        }
    }
}

/// Settings of one `UECda` server, in the file and on the command line. The defaults are the contest's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Args)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Uecda {
    /// Settings file in TOML, section `[uecda]`
    #[arg(long, value_name = "FILE", conflicts_with = "tndhms")]
    #[serde(skip)]
    pub config: Option<PathBuf>,
    /// Settings file of the official server, as it is
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub tndhms: Option<PathBuf>,

    /// Address to listen on
    #[arg(
        long = "host",
        value_name = "ADDRESS",
        default_value = "0.0.0.0",
        help_heading = "Where"
    )]
    pub bind: String,
    /// Port; 0 takes a free one and says which
    #[arg(short, long, default_value_t = 42485, help_heading = "Where")]
    pub port: u16,

    /// Games of a match
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 1000, help_heading = "What")]
    pub games: u32,
    /// Matches to play, then stop [default: no end]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "What")]
    #[serde(skip)]
    pub matches: Option<u64>,
    /// Play one match, then stop
    #[arg(long, conflicts_with = "matches", help_heading = "What")]
    pub once: bool,
    /// Seed of the first match, the next has the next number [default: each match draws its own key]
    ///
    /// For tests and for matches that are to be repeated: the seed of one match tells those of all others.
    /// The variable keeps it out of the list of processes, which every user of the machine may read.
    #[arg(
        long,
        env = "TAIKYOKU_SEED",
        hide_env_values = true,
        help_heading = "What"
    )]
    pub seed: Option<u64>,
    /// Generator of seats and deals
    #[arg(long, value_parser = EnumValueParser::<DealerName>::new().map(DealerKind::from), default_value = "modern", help_heading = "What")]
    pub dealer: DealerKind,
    /// How close to keep to the official server's faults
    #[arg(long, value_enum, default_value = "safe", help_heading = "What")]
    pub compat: Compat,
    /// Matches played at the same time; the next five wait for a table
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..).map(usize::from), default_value = "256", help_heading = "What")]
    pub tables: usize,
    /// Turn clients away that send no profile, instead of taking them for players of version 20060
    #[arg(long, help_heading = "What")]
    pub require_profile: bool,
    /// Names of players that send none
    #[arg(long = "names", value_name = "A,B,C,D,E", value_delimiter = ',', num_args = 1..=SEATS, help_heading = "What")]
    #[serde(skip)]
    pub given_names: Vec<String>,
    /// Names of players that send no profile (`PLAYER1_NAME` to `PLAYER5_NAME`)
    #[arg(skip = <[String; SEATS]>::from(std::array::from_fn(|i| format!("Player {}", i + 1))))]
    pub names: [String; SEATS],

    /// Rules of a match
    #[arg(skip)]
    pub rules: SessionRules,
    /// Options for the rules
    #[command(flatten)]
    #[serde(skip)]
    pub given_rules: RuleOptions,

    /// Milliseconds for one decision [default: no limit]
    #[arg(long, value_name = "MS", help_heading = "Clocks")]
    pub move_ms: Option<u64>,
    /// Milliseconds for all decisions of one player in one game [default: no limit]
    #[arg(long, value_name = "MS", help_heading = "Clocks")]
    pub game_ms: Option<u64>,
    /// A player that is out of time in so many games in a row passes to the end of the match; 0 sets no limit. It has no effect
    /// without --move-ms or --game-ms
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "Clocks")]
    pub timeouts: u32,

    /// Port of watchers
    #[command(flatten)]
    #[serde(skip)]
    pub watch: Watch,

    /// Limits of its connections
    #[command(flatten)]
    pub limits: Limits,

    /// Print each result as a line of JSON instead of a table (schema: docs/schema/match-daihinmin.json)
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Write a record of each match into this folder, or into this file if it ends in .jsonl
    #[arg(long, alias = "record", value_name = "PATH", help_heading = "Output")]
    pub records: Option<PathBuf>,
    /// Write the official server's log into the folder logs/ of this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    #[serde(skip)]
    pub log: Option<PathBuf>,
    /// Write debug.dat and debug2.dat into this folder (the same as that of --log)
    #[arg(long = "debug-dat", value_name = "DIR", help_heading = "Output")]
    #[serde(skip)]
    pub debug_dat_below: Option<PathBuf>,
    /// Write the official log into `logs/` (`FLAG_LOGGER`)
    #[arg(skip)]
    pub official_log: bool,
    /// Write `debug.dat` and `debug2.dat`
    #[arg(skip)]
    pub debug_dat: bool,
    /// Folder that the official files are written below
    #[arg(skip = ".")]
    pub directory: PathBuf,
}

/// Options for the rules, whose own types know of no command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Args)]
pub struct RuleOptions {
    /// New seats every N games; 0: never [default: 3]
    #[arg(long, value_name = "N", help_heading = "Rules")]
    pub seat_change: Option<u32>,
    /// No ranks and no exchange every N games; 0: only in the first [default: 100]
    #[arg(long, value_name = "N", help_heading = "Rules")]
    pub rank_reset: Option<u32>,
    /// Exchange of cards between rich and poor [default: true]
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, help_heading = "Rules")]
    pub exchange: Option<bool>,
    /// Revolution [default: true]
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, help_heading = "Rules")]
    pub revolution: Option<bool>,
    /// Suit lock [default: true]
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, help_heading = "Rules")]
    pub lock: Option<bool>,
    /// Sequences [default: true]
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, help_heading = "Rules")]
    pub sequences: Option<bool>,
    /// Eight cut [default: true]
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, help_heading = "Rules")]
    pub eight_cut: Option<bool>,
}

impl Default for Uecda {
    fn default() -> Uecda {
        defaults()
    }
}

impl Uecda {
    /// A setting that is 0 and may not be, by its name in the file.
    pub fn zero(&self) -> Option<&'static str> {
        let is_zero = [("games", self.games == 0), ("tables", self.tables == 0)];
        is_zero
            .into_iter()
            .find_map(|(name, is_zero)| is_zero.then_some(name))
    }
}
