//! Ctrl-C at a terminal, which reaches a program and all that it has started.

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use end_to_end::patience::wait_for;
use end_to_end::programs::{self, started};

/// Starts `taikyoku` in a process group of its own, interrupts all of them at the first line that begins with `at`, and gives
/// the exit status and the standard error.
fn interrupted(arguments: &[&str], at: &str) -> (Option<i32>, String) {
    let mut program = Command::new(programs::taikyoku());
    let program = program
        .args(arguments)
        .env_remove("RUST_LOG")
        .process_group(0);
    let mut program = started(program);
    let mut lines = BufReader::new(program.stdout.take().expect("a pipe")).lines();
    let line = lines.find(|line| line.as_ref().is_ok_and(|line| line.starts_with(at)));
    assert!(line.is_some(), "no line begins with {at:?}");
    let group = format!("-{}", program.id());
    let sent = Command::new("kill").args(["-INT", "--", &group]).status();
    assert!(sent.expect("a signal").success());
    let status = wait_for("the end", || program.try_wait().expect("a child"));
    // Nothing that it has started outlives it and holds this pipe open.
    let mut errors = String::new();
    let mut stderr = program.stderr.take().expect("a pipe");
    stderr.read_to_string(&mut errors).expect("text");
    (status.code(), errors)
}

#[test]
fn a_demo_ends_its_bots_and_blames_none() {
    programs::daihinmin();
    let (code, errors) = interrupted(&["demo", "--games", "100000"], "Five bots");
    assert_eq!((code, &errors[..]), (Some(130), ""));
}

#[test]
fn a_table_ends_well_at_an_interrupt() {
    for build in [programs::score_four, programs::taikyoku_web] {
        build();
    }
    let arguments = ["play", "score-four", "--no-open", "--against", "random"];
    let (code, errors) = interrupted(&arguments, "your seat");
    assert_eq!(code, Some(0), "{errors}");
}
