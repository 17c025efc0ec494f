//! Sittings of real programs that fail.

use std::path::Path;
use std::time::Instant;

use games::GameName;

use super::*;
use crate::process::Mounts;
use crate::runner::agenda::plans;
use crate::settings::{Rules, Start};

/// The first session of a league of these scripts.
fn sit(words: &[&str]) -> (SessionReport, tempfile::TempDir) {
    let mut settings = settings();
    settings.entrants.truncate(words.len());
    settings.clocks.start_ms = 600_000;
    for (entrant, script) in settings.entrants.iter_mut().zip(words) {
        let words = ["sh", "-c", script].map(String::from);
        entrant.start = Start::Command(words.to_vec());
    }
    sit_down(settings)
}

/// The first session of a league.
fn sit_down(mut settings: Settings) -> (SessionReport, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    settings.run.folder = folder.path().to_owned();
    let round = first_round(&settings);
    let plan = plans(&settings, &round, |_| false, None).next();
    let programs = Programs::new(settings.clone(), &folder.path().join("stderr"));
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let mut none = |done: FixtureResult| panic!("{done:?}");
    let sat = runtime.block_on(programs.play(
        plan.unwrap(),
        Vec::new(),
        SessionOptions::default(),
        &mut none,
    ));
    (sat, folder)
}

#[test]
fn nobody_waits_for_a_program_that_has_ended() {
    let began = Instant::now();
    let (sat, folder) = sit(&["sleep 1000", "echo no weights >&2; exit 3"]);
    let reason = "bo ended before it sat down (exit status: 3)";
    assert_eq!(sat.ended, SessionEnd::Void(reason.to_owned()));
    let said = "bo has ended, exit status: 3; the end of its standard error:\n    no weights";
    assert_eq!(sat.said, said);
    assert!(began.elapsed().as_secs() < 300);
    // Only its file is kept.
    let files = std::fs::read_dir(folder.path().join("stderr")).unwrap();
    let files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    let text = std::fs::read_to_string(&files[0]).unwrap();
    assert_eq!(files.len(), 1);
    assert!(
        text.starts_with("bo, from game 0.0.0 on: exit status: 3\n\nno weights"),
        "{text}"
    );
}

#[test]
fn a_client_of_gat_in_the_sandbox_has_the_port_of_its_seat() {
    let mut settings = settings();
    settings.rules = Rules::usual(GameName::Geister);
    let round = first_round(&settings);
    let plans = plans(&settings, &round, |_| false, None);
    let plans: Vec<_> = plans.collect();
    let ports = |settings: &Settings, entrant| {
        let player = |plan: &SessionPlan| plan.players.iter().position(|&e| e == entrant);
        let ports = plans.iter().map(|plan| {
            let port = plan.port_of_seat(settings, player(plan).unwrap());
            (plan.fixtures[0].seats[0] == entrant, port)
        });
        ports.collect::<HashSet<_>>()
    };
    assert_eq!(ports(&settings, 0), [(true, None), (false, None)].into());
    settings.entrants[0].mounts = Some(Mounts::default());
    assert_eq!(
        ports(&settings, 0),
        [(true, Some(10_000)), (false, Some(10_001))].into()
    );
    assert_eq!(ports(&settings, 1), [(true, None), (false, None)].into());
}

#[test]
fn copies_of_a_program_say_the_same_once() {
    // What would clear a terminal is shown.
    let (sat, _folder) = sit(&["printf '\\033\\007no weights\\n' >&2; exit 3"]);
    let reason = "ana ended before it sat down (exit status: 3)";
    assert_eq!(sat.ended, SessionEnd::Void(reason.to_owned()));
    assert_eq!(
        sat.said.matches(r"    \u001b\u0007no weights").count(),
        1,
        "{}",
        sat.said
    );
}

#[test]
fn a_program_that_does_not_start_is_named() {
    let mut settings = settings();
    settings.entrants[1].start = Start::Command(vec!["./no-such-bot".to_owned()]);
    let folder = tempfile::tempdir().unwrap();
    settings.run.folder = folder.path().to_owned();
    let league = League::new(settings.clone());
    let programs = Programs::new(settings, &folder.path().join("stderr"));
    let (outcome, _) = league.run(&Arc::new(programs));
    assert_eq!(outcome.stopped.len(), 1);
    let reason = &outcome.stopped[0].reason;
    assert!(reason.starts_with("bo: there is no program"), "{reason}");
}

#[test]
fn seeds_of_programs_follow_from_the_sitting() {
    let settings = three(2, ProcessLife::Fixture);
    let round = first_round(&settings);
    let programs = |seed: u64| {
        Programs::new(
            Settings {
                seed: seed.into(),
                ..settings.clone()
            },
            Path::new(""),
        )
    };
    let seeds = |seed: u64| {
        let all = plans(&settings, &round, |_| false, None);
        let of = |plan: SessionPlan| [0, 1].map(|player| programs(seed).seed(&plan, player));
        all.flat_map(of).collect::<Vec<u64>>()
    };
    assert_eq!(seeds(1), seeds(1));
    let different: HashSet<u64> = [seeds(1), seeds(2)].concat().into_iter().collect();
    assert_eq!(different.len(), 2 * 24);
    assert!(different.iter().all(|seed| *seed < 1 << 31));
}

#[test]
fn nobody_is_blamed_for_another_of_a_similar_name() {
    let mut settings = settings();
    settings.clocks.start_ms = 400;
    let scripts = ["echo it is not me >&2; exec sleep 1000", "exec sleep 1000"];
    for (entrant, script) in settings.entrants.iter_mut().zip(scripts) {
        entrant.start = Start::Command(["sh", "-c", script].map(String::from).to_vec());
    }
    settings.entrants[0].name = "ana".to_owned();
    settings.entrants[0].start_ms = Some(60_000);
    settings.entrants[1].name = "ana lee".to_owned();
    let (sat, _folder) = sit_down(settings);
    let reason = "ana lee did not connect within 0.4 s";
    assert_eq!(sat.ended, SessionEnd::Void(reason.to_owned()));
    assert!(
        sat.said.starts_with("ana lee has not ended"),
        "{}",
        sat.said
    );
    assert!(!sat.said.contains("not me"), "{}", sat.said);
}
