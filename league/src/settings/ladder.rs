//! How a ladder pairs and rates its entrants, and for how long it keeps what they have played.

use serde::Deserialize;

use super::Settings;

/// The section `[ladder]` of a file. It is no part of what is played: all of it may change from one start to the next.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LadderRules {
    /// Whether clients without a token play, unrated and against entrants that the ladder starts.
    pub guests: bool,
    /// Rating points by which two at a table may differ; one more for each tenth of a second that one of them waits.
    pub reach: f64,
    /// Seconds until entrants that the ladder starts take the seats for which nobody has come.
    pub house_after_s: u64,
    /// Games until an entrant has a rank.
    pub ranked_after: u64,
    /// Seconds that an entrant waits for its next table after it has left one, twice as many for each further time on a day.
    pub quit_wait_s: u64,
    /// Seconds between two ratings.
    pub rate_every_s: u64,
}

impl Default for LadderRules {
    fn default() -> LadderRules {
        LadderRules {
            guests: true,
            reach: 200.0,
            house_after_s: 20,
            ranked_after: 20,
            quit_wait_s: 60,
            rate_every_s: 3600,
        }
    }
}

impl Settings {
    /// How it is played as a ladder.
    pub fn ladder(&self) -> LadderRules {
        self.run.ladder.clone().unwrap_or_default()
    }
}
