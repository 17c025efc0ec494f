//! A league for tests.

use std::collections::BTreeMap;

use super::schedule::LeagueSeed;
use super::settings::{
    Access, Clocks, Contest, Entrant, Format, Groups, Limits, ProcessLife, Rules, Settings, Start,
    TIMEOUTS,
};
use super::table::Ranking;

/// Two entrants, `ana` and `bo`, that play one deal of score four.
pub(crate) fn settings() -> Settings {
    let entrant = |name: &str| Entrant {
        name: name.to_owned(),
        start: Start::Command(vec!["true".to_owned()]),
        directory: None,
        environment: BTreeMap::new(),
        cpus: Vec::new(),
        start_ms: None,
        stderr_kib: 64,
        remote: false,
        access: Access::default(),
        limits: Limits::default(),
        sandbox: None,
        reads: Vec::new(),
        mounts: None,
    };
    Settings {
        title: "test".to_owned(),
        rules: Rules::ScoreFour(games::score_four::Rules::default()),
        seed: LeagueSeed::Number(1),
        has_seed: false,
        has_ranking: false,
        groups: Groups::default(),
        stages: Vec::new(),
        ranking: Ranking::default(),
        format: Format::RoundRobin,
        deals: 1,
        duplicate: true,
        session: 1,
        process: ProcessLife::Fixture,
        at_once: 1,
        random_plies: 0,
        points: None,
        clocks: Clocks {
            start_ms: 10_000,
            move_ms: None,
            game_ms: None,
            increment_ms: None,
            wait_ms: None,
        },
        anchor: 0,
        margin: 20.0,
        sprt: None,
        records: false,
        archive: false,
        timeouts: TIMEOUTS,
        set_aside: None,
        entrants: vec![entrant("ana"), entrant("bo")],
        contest: Contest::default(),
        folder: std::path::PathBuf::new(),
    }
}
