//! The header of the record of a session.

use games::GameName;
use games::daihinmin::DealerKind;
use record::{Clocks, Header, Player};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::schedule::Key;
use crate::settings::{Rules, Settings};

/// The option of a header that has a [`RecordedFixture`] for each fixture of the session, in the order in which they are
/// played.
pub(crate) const FIXTURES: &str = "fixtures";

/// What the header of a record says of a fixture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedFixture {
    pub(crate) game: Key,
    /// The player in each seat of the schedule; in Daihinmin that of each number that the dealer draws.
    pub(crate) players: Vec<u8>,
}

/// The header of a session between the programs of these entrants, with their own descriptions. It never has a seed: the
/// deals may be played again by others.
pub(crate) fn header_of(
    settings: &Settings,
    id: &str,
    players: Vec<(usize, Option<String>)>,
    fixtures: &[RecordedFixture],
) -> Header {
    let session = settings.session.max(1);
    let games = fixtures.len() as u32;
    let game = settings.game();
    let games = match game {
        GameName::Daihinmin => games * session,
        _ => games,
    };
    let entrants = players
        .iter()
        .map(|&(number, _)| &settings.entrants[number]);
    let own: Vec<Clocks> = entrants.map(|one| settings.clocks_of(one).into()).collect();
    let named = players.into_iter().map(|(number, client)| Player {
        name: settings.entrants[number].name.clone(),
        client,
    });
    let mut header = Header::new(game, id, game.protocol(), named.collect(), games)
        .with_option(FIXTURES, json!(fixtures));
    header.clocks = settings.clocks.into();
    if own.iter().any(|clocks| *clocks != header.clocks) {
        header.player_clocks = own;
    }
    let header = match &settings.rules {
        Rules::Daihinmin(rules) => {
            return header
                .with_rules(rules)
                .with_option("dealer", json!(DealerKind::Modern))
                .with_option("session", session)
                // With the seed of the league and the fixtures it says what was dealt.
                .with_option("duplicate", settings.duplicate);
        }
        Rules::Geister(rules) => return header.with_rules(rules),
        Rules::Blokus(rules) => header.with_rules(rules),
        Rules::ScoreFour(rules) => header.with_rules(rules),
        Rules::Dobutsu(rules) => header.with_rules(rules),
    };
    header
        .with_option("random-plies", settings.random_plies)
        .with_option("resume-ms", 0)
        .with_option("retries", 0)
}
