//! Settings of `taikyoku serve uecda`.

use std::path::PathBuf;

use games::daihinmin::{DealerKind, SEATS, SessionRules};
use serde::{Deserialize, Serialize};

/// How close to the official server's faults the referee keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compat {
    /// The same bytes to honest clients; the known exploits are closed.
    #[default]
    Safe,
    /// The same bytes to any client, the exploits included.
    Official,
}

/// Settings of one `UECda` server. The defaults are the contest's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Uecda {
    /// Address to listen on.
    pub bind: String,
    /// Port to listen on; 0 lets the system choose.
    pub port: u16,
    /// Games of a match (`GAME_NUMBER`).
    pub games: u32,
    /// Seed of the first match; `None` takes one from the clock.
    pub seed: Option<u64>,
    /// Generator of the deals (`RAND_TYPE`).
    pub dealer: DealerKind,
    /// Faults of the official server to keep.
    pub compat: Compat,
    /// Rules of a match.
    pub rules: SessionRules,
    /// Limit of one decision in milliseconds.
    pub move_ms: Option<u64>,
    /// Limit of all decisions of one player in one game in milliseconds.
    pub game_ms: Option<u64>,
    /// Play one match and stop.
    pub once: bool,
    /// Print results as JSON.
    pub json: bool,
    /// Folder for the project's own records; `None` writes none.
    pub records: Option<PathBuf>,
    /// Write the official log into `logs/` (`FLAG_LOGGER`).
    pub official_log: bool,
    /// Write `debug.dat` and `debug2.dat`.
    pub debug_dat: bool,
    /// Folder that the official files are written below.
    pub directory: PathBuf,
    /// Names of players that send no profile (`PLAYER1_NAME` to `PLAYER5_NAME`).
    pub names: [String; SEATS],
}

impl Default for Uecda {
    fn default() -> Uecda {
        Uecda {
            bind: "0.0.0.0".to_owned(),
            port: 42485,
            games: 1000,
            seed: None,
            dealer: DealerKind::default(),
            compat: Compat::default(),
            rules: SessionRules::default(),
            move_ms: None,
            game_ms: None,
            once: false,
            json: false,
            records: None,
            official_log: false,
            debug_dat: false,
            directory: PathBuf::from("."),
            names: std::array::from_fn(|i| format!("Player {}", i + 1)),
        }
    }
}
