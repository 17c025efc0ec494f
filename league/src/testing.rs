//! A league for tests.

use games::GameName;

use super::journal::{Head, VERSION};
use super::settings::{Clocks, Entrant, Run, Settings, Start, plain};

/// Two entrants, `ana` and `bo`, that play one deal of score four.
pub(crate) fn settings() -> Settings {
    let entrant = |name| Entrant::new(name, Start::Command(vec!["true".to_owned()]));
    Settings {
        title: "test".to_owned(),
        deals: 1,
        random_plies: 0,
        clocks: Clocks::default(),
        entrants: vec![entrant("ana"), entrant("bo")],
        run: Run {
            at_once: 1,
            ..Run::default()
        },
        ..plain(GameName::ScoreFour)
    }
}

/// The first line of a journal of a league.
pub(crate) fn head(settings: Settings) -> Head {
    Head {
        version: VERSION,
        started: "2020-01-01T00:00:00Z".to_owned(),
        server: "test".to_owned(),
        machine: None,
        settings,
    }
}
