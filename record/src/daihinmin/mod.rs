//! Playing a record of Daihinmin again.

mod game;
#[cfg(test)]
mod tests;

use games::GameName;
use games::daihinmin::{SEATS, SessionRules};

use super::event::What;
use super::header::Header;
use super::replay::{Rebuild, ReplayError};
pub use game::GameReplay;

impl Rebuild for GameReplay {
    type Rules = SessionRules;
    const PLAYERS: usize = SEATS;

    fn rules(header: &Header) -> Result<SessionRules, ReplayError> {
        if header.game != GameName::Daihinmin {
            return Err(ReplayError::OtherGame(header.game));
        }
        serde_json::from_value(header.rules.clone()).map_err(|e| ReplayError::Rules(e.to_string()))
    }

    fn begin(what: &What, rules: &SessionRules) -> Result<Option<GameReplay>, ReplayError> {
        GameReplay::begin(what, rules)
    }

    fn apply(&mut self, what: &What) -> Result<(), ReplayError> {
        GameReplay::apply(self, what)
    }

    fn number(&self) -> u32 {
        self.game
    }
}
