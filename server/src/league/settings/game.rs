//! The games of a league, each with its rules.

use games::blokus::Rules as BlokusRules;
use games::daihinmin::SessionRules;
use games::score_four::Rules as ScoreFourRules;
use serde::{Deserialize, Serialize};

use games::GameName;
use record::GeisterRules;

/// Rules of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rules {
    /// Daihinmin, in the protocol of `UECda`.
    Daihinmin(SessionRules),
    /// Geister, in the protocol of GAT.
    Geister(GeisterRules),
    /// Blokus, in the native protocol.
    Blokus(BlokusRules),
    /// 3D four-in-a-row, in the native protocol.
    ScoreFour(ScoreFourRules),
}

impl Rules {
    /// The game.
    pub const fn game(&self) -> GameName {
        match self {
            Rules::Daihinmin(_) => GameName::Daihinmin,
            Rules::Geister(_) => GameName::Geister,
            Rules::Blokus(_) => GameName::Blokus,
            Rules::ScoreFour(_) => GameName::ScoreFour,
        }
    }

    /// Its seats.
    pub const fn seats(&self) -> usize {
        match self {
            Rules::Daihinmin(_) => games::daihinmin::SEATS,
            Rules::Geister(_) => games::geister::SEATS,
            Rules::Blokus(_) => games::blokus::SEATS,
            Rules::ScoreFour(_) => games::score_four::SEATS,
        }
    }
}
