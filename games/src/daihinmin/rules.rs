//! Which optional rules of one game are on.

use serde::{Deserialize, Serialize};

/// Optional rules; the default is the UECda contest's set, all on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rules {
    /// Groups of four and sequences of five turn the ranks over (`RULE_KAKUMEI`).
    pub revolution: bool,
    /// Two melds with the same suits in a row lock the trick to these suits (`RULE_SHIBARI`).
    pub lock: bool,
    /// Sequences are melds (`RULE_KAIDAN`).
    pub sequences: bool,
    /// A meld with an 8 ends the trick (`RULE_8GIRI`).
    pub eight_cut: bool,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            revolution: true,
            lock: true,
            sequences: true,
            eight_cut: true,
        }
    }
}
