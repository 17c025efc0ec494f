//! The file of a league as it is written.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use super::Preset;
use games::GameName;

/// A whole file. What is left out is that of the preset or of the game.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct File {
    pub(super) title: Option<String>,
    pub(super) game: Option<GameName>,
    pub(super) preset: Option<Preset>,
    pub(super) seed: Option<u64>,
    pub(super) format: Option<FormatName>,
    pub(super) challenger: Option<String>,
    pub(super) rounds: Option<u32>,
    pub(super) deals: Option<u32>,
    pub(super) duplicate: Option<bool>,
    pub(super) session: Option<u32>,
    pub(super) process: Option<ProcessName>,
    pub(super) sitting_deals: Option<u32>,
    pub(super) at_once: Option<usize>,
    pub(super) random_plies: Option<u32>,
    pub(super) points: Option<[f64; 3]>,
    pub(super) anchor: Option<String>,
    pub(super) margin: Option<f64>,
    pub(super) records: Option<bool>,
    pub(super) clocks: ClocksFile,
    pub(super) rules: toml::Table,
    pub(super) sprt: Option<SprtFile>,
    pub(super) entrants: Vec<EntrantFile>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum FormatName {
    RoundRobin,
    Gauntlet,
    Copies,
    Swiss,
    Ladder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ProcessName {
    Fixture,
    Sitting,
}

/// 0 takes a limit away.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[allow(clippy::struct_field_names)] // they are the keys of the file
pub(super) struct ClocksFile {
    pub(super) start_ms: Option<u64>,
    pub(super) move_ms: Option<u64>,
    pub(super) game_ms: Option<u64>,
    pub(super) increment_ms: Option<u64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct SprtFile {
    pub(super) entrant: Option<String>,
    pub(super) elo0: Option<f64>,
    pub(super) elo1: Option<f64>,
    pub(super) score0: Option<f64>,
    pub(super) score1: Option<f64>,
    pub(super) alpha: Option<f64>,
    pub(super) beta: Option<f64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct EntrantFile {
    pub(super) name: Option<String>,
    pub(super) engine: Option<String>,
    #[serde(default)]
    pub(super) options: Vec<String>,
    pub(super) command: Option<Vec<String>>,
    pub(super) gtp: Option<Vec<String>>,
    pub(super) directory: Option<PathBuf>,
    #[serde(default)]
    pub(super) environment: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) cpus: Vec<usize>,
    pub(super) start_ms: Option<u64>,
    pub(super) stderr_kib: Option<u32>,
}
