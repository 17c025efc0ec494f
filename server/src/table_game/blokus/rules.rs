//! Options of the rules of Blokus.

use games::blokus::Scoring;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Options of the rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlokusRules {
    /// How players are compared: `advanced` or `squares`.
    #[serde(serialize_with = "name", deserialize_with = "named")]
    pub scoring: Scoring,
}

// serde hands over a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn name<S: Serializer>(scoring: &Scoring, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(scoring.name())
}

fn named<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Scoring, D::Error> {
    let name = String::deserialize(deserializer)?;
    name.parse().map_err(de::Error::custom)
}
