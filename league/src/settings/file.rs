//! The settings file of a league as it is written.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;

use serde::Deserialize;

use super::order::OrderFile;
use super::{
    Access, Clocks, Contest, ExclusionRule, LadderRules, Limits, MoveDelay, NameRule, Preset,
    Start, TieBreak,
};
use crate::schedule::LeagueSeed;
use games::GameName;

/// A whole file. What is left out is that of the preset or of the game.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct File {
    pub(super) title: Option<String>,
    pub(super) game: Option<GameName>,
    pub(super) preset: Option<Preset>,
    pub(super) seed: Option<LeagueSeed>,
    pub(super) format: Option<FormatName>,
    pub(super) challenger: Option<String>,
    pub(super) rounds: Option<u32>,
    pub(super) groups: Option<u32>,
    pub(super) order: OrderFile,
    pub(super) tie_breaks: Option<Vec<TieBreak>>,
    pub(super) pairing_points: Option<[f64; 3]>,
    pub(super) stages: Vec<StageFile>,
    pub(super) pace: Option<MoveDelay>,
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
    pub(super) archive: Option<bool>,
    pub(super) names: Option<NameRule>,
    pub(super) timeouts: Option<u32>,
    pub(super) set_aside: Option<ExclusionRule>,
    pub(super) clocks: ClocksFile,
    pub(super) rules: toml::Table,
    pub(super) sprt: Option<SprtFile>,
    pub(super) limits: Limits,
    pub(super) sandbox: Option<toml::Value>,
    pub(super) contest: Option<Contest>,
    pub(super) ladder: Option<LadderRules>,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum StartName {
    Remote,
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
    pub(super) wait_ms: Option<u64>,
}

impl ClocksFile {
    /// These settings, with `clocks` as the defaults.
    pub(super) fn over(self, mut clocks: Clocks) -> Clocks {
        set(&mut clocks.start_ms, self.start_ms);
        limit(&mut clocks.move_ms, self.move_ms);
        limit(&mut clocks.game_ms, self.game_ms);
        limit(&mut clocks.increment_ms, self.increment_ms);
        clocks.wait_ms = self.wait_ms.or(clocks.wait_ms);
        clocks
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct StageFile {
    pub(super) name: Option<String>,
    pub(super) advance: u32,
    #[serde(default)]
    pub(super) wild_cards: u32,
    pub(super) groups: Option<u32>,
    pub(super) format: Option<FormatName>,
    pub(super) rounds: Option<u32>,
    pub(super) deals: Option<u32>,
    pub(super) pace: Option<MoveDelay>,
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
    pub(super) start: Option<StartName>,
    pub(super) engine: Option<String>,
    #[serde(default)]
    pub(super) options: Vec<String>,
    pub(super) command: Option<Vec<String>>,
    pub(super) gtp: Option<Vec<String>>,
    pub(super) usi: Option<Vec<String>>,
    pub(super) directory: Option<PathBuf>,
    #[serde(default)]
    pub(super) environment: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) cpus: Vec<usize>,
    pub(super) start_ms: Option<u64>,
    pub(super) move_ms: Option<u64>,
    pub(super) game_ms: Option<u64>,
    pub(super) increment_ms: Option<u64>,
    pub(super) wait_ms: Option<u64>,
    pub(super) stderr_kib: Option<u32>,
    #[serde(default)]
    pub(super) remote: bool,
    pub(super) token: Option<String>,
    pub(super) token_file: Option<PathBuf>,
    pub(super) address: Option<IpAddr>,
    pub(super) port: Option<u16>,
    #[serde(default)]
    pub(super) limits: Limits,
    pub(super) sandbox: Option<toml::Value>,
    #[serde(default)]
    pub(super) reads: Vec<PathBuf>,
}

impl EntrantFile {
    /// What the section of a remote entrant says; its port is still that of the section.
    pub(super) fn access(&self, start: &Start, game: GameName) -> Result<Access, String> {
        let own = [
            ("token", self.token.is_some()),
            ("token-file", self.token_file.is_some()),
            ("address", self.address.is_some()),
            ("port", self.port.is_some()),
        ];
        let started = [
            ("options", !self.options.is_empty()),
            ("directory", self.directory.is_some()),
            ("environment", !self.environment.is_empty()),
            ("cpus", !self.cpus.is_empty()),
            ("stderr-kib", self.stderr_kib.is_some()),
            ("remote", self.remote),
            ("limits", self.limits != Limits::default()),
            ("sandbox", self.sandbox.is_some()),
            ("reads", !self.reads.is_empty()),
        ];
        let given = |keys: &[(&'static str, bool)]| {
            let given = keys.iter().find(|(_, is_given)| *is_given);
            given.map(|(key, _)| *key)
        };
        if *start != Start::Remote {
            return match given(&own) {
                None => Ok(Access::default()),
                Some(key) => Err(format!(
                    "`{key}` has a meaning with `start = \"remote\"` only"
                )),
            };
        }
        if let Some(key) = given(&started) {
            return Err(format!(
                "the league starts nothing for an entrant with `start = \"remote\"`: `{key}` has no meaning there"
            ));
        }
        if self.token.is_some() && self.token_file.is_some() {
            return Err("give `token` or `token-file`, not both".to_owned());
        }
        if game == GameName::Geister && (self.token.is_some() || self.token_file.is_some()) {
            return Err(
                "GAT carries no token: the entrant's port tells who connects, and its `address`, if you give it"
                    .to_owned(),
            );
        }
        let access = Access {
            port: self.port.unwrap_or_default(),
            token: self.token.clone(),
            token_file: self.token_file.clone(),
            address: self.address,
        };
        access.check(game)?;
        Ok(access)
    }
}

pub(super) fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// 0 takes a limit away.
fn limit(place: &mut Option<u64>, value: Option<u64>) {
    if let Some(value) = value {
        *place = (value > 0).then_some(value);
    }
}
