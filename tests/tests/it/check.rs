//! `taikyoku check` on good players, and on each that misbehaves: what it says of them.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command};

use crate::league::confined::is_confined;
use end_to_end::patience::{at_once, wait_for};
use end_to_end::programs::{self, Ended, end_of, ended};
use end_to_end::run;
use serde_json::{Value, json};

const PLAYER: &str = env!("CARGO_BIN_EXE_mock-player");
const ENGINE: &str = env!("CARGO_BIN_EXE_mock-gtp-engine");

fn check(options: &[&str], command: &[&str]) -> Ended {
    let mut all = vec!["--leave-ms", "400"];
    for usual in [["--games", "2"], ["--start-ms", "5000"]] {
        if !options.contains(&usual[0]) {
            all.extend(usual);
        }
    }
    all.extend(options);
    end_of(started(&all, command))
}

/// `taikyoku check` beside the bots that it plays with.
fn taikyoku() -> Command {
    programs::build_clients();
    let mut command = Command::new(programs::taikyoku());
    command.arg("check");
    command
}

fn started(options: &[&str], command: &[&str]) -> Child {
    programs::started(taikyoku().args(options).args(command))
}

/// The report of a check and its exit status.
struct Report {
    json: Value,
    status: Option<i32>,
}

impl Report {
    /// With time enough for every move that a program makes at all, however busy the machine is.
    fn of(game: &str, tongue: &str, mode: &str) -> Report {
        Report::with(&["--move-ms", "20000"], game, tongue, mode)
    }

    /// With little time for a move: for programs that do not move, or take all of it.
    fn hurried(game: &str, tongue: &str, mode: &str) -> Report {
        Report::with(&["--move-ms", "500"], game, tongue, mode)
    }

    fn with(options: &[&str], game: &str, tongue: &str, mode: &str) -> Report {
        let options = [&["--json", "--game", game], options].concat();
        let command = [PLAYER, tongue, mode, "{port}", "{games}"];
        Report::from(check(&options, &command))
    }

    fn from(Ended { code, out, err }: Ended) -> Report {
        let json = serde_json::from_str(&out);
        Report {
            json: json.unwrap_or_else(|e| panic!("{e}: {out}\n{err}")),
            status: code,
        }
    }

    fn verdict(&self, check: &str) -> &Value {
        let verdicts = self.json["verdicts"].as_array().expect("verdicts");
        let found = verdicts.iter().find(|verdict| verdict["check"] == check);
        found.unwrap_or_else(|| panic!("no {check}: {}", self.json))
    }

    fn grade(&self, check: &str) -> &str {
        self.verdict(check)["grade"].as_str().expect("a grade")
    }

    /// A check that fails, with a remedy, for a reason that has these words in it.
    fn assert_fails(&self, check: &str, words: &str) {
        let verdict = self.verdict(check);
        assert_eq!(verdict["grade"], "FAIL", "{}", self.json);
        let seen = verdict["seen"].as_str().expect("text");
        assert!(seen.contains(words), "{seen}");
        assert!(
            verdict["remedy"]
                .as_str()
                .is_some_and(|remedy| remedy.len() > 20)
        );
        assert_eq!(self.status, Some(1));
    }

    fn assert_good(&self, checks: u64) {
        assert_eq!(self.json["pass"], checks, "{}", self.json);
        assert_eq!(self.status, Some(0));
    }
}

/// A test for each line: its name, and what it asserts. Each takes its time, most of it asleep.
macro_rules! tests {
    ($($name:ident: $assert:expr;)*) => {
        $(
            #[test]
            fn $name() {
                $assert;
            }
        )*
    };
}

fn assert_good(game: &str) {
    Report::of(game, "native", "good").assert_good(11);
}

tests! {
    a_good_player_of_score_four_passes: assert_good("score-four");
    a_good_player_of_blokus_passes: assert_good("blokus");
}

#[test]
fn the_project_s_player_of_dobutsu_shogi_passes() {
    let player = programs::dobutsu();
    let player = player.to_str().expect("a path of text");
    let words = "--host {host} --port {port} --engine alphabeta --playouts 200";
    let command: Vec<&str> = std::iter::once(player).chain(words.split(' ')).collect();
    let options = ["--json", "--game", "dobutsu", "--move-ms", "20000"];
    let report = Report::from(check(&options, &command));
    // It may have won before its opponent could vanish, which is a warning.
    assert_eq!(report.json["fail"], 0, "{}", report.json);
    assert_eq!(report.status, Some(0), "{}", report.json);
}

#[test]
fn a_good_engine_that_speaks_gtp_passes() {
    let engine = ["--json", "--gtp", "--move-ms", "20000"];
    Report::from(check(&engine, &["--", ENGINE, "good"])).assert_good(11);
}

#[test]
fn clients_of_gat_may_be_started_for_each_game_and_come_again_after_the_last() {
    at_once(["loops", "once", "stays"], |mode| {
        let report = Report::of("geister", "gat", mode);
        let seen = report.verdict("ten-games")["seen"].as_str().expect("text");
        match mode {
            "stays" => {
                assert_eq!(report.grade("leaves"), "WARN", "{}", report.json);
                assert_eq!((&report.json["warn"], report.status), (&json!(1), Some(0)));
            }
            mode => {
                report.assert_good(11);
                let started = if mode == "once" {
                    ", started twice"
                } else {
                    ""
                };
                let due = format!("2 games on 2 connections{started}");
                assert!(seen.contains(&due), "{seen}");
            }
        }
    });
}

#[test]
fn a_launcher_may_leave_the_program_that_plays_behind() {
    let script = format!("'{PLAYER}' uecda good {{port}} {{games}} & exit 0");
    // The command does not name it as a word.
    let options = ["--json", "--move-ms", "20000", "--reads", PLAYER];
    let report = Report::from(check(&options, &["sh", "-c", &script]));
    for check in ["starts", "handshake", "full-game", "ten-games"] {
        assert_eq!(report.grade(check), "PASS", "{}", report.json);
    }
}

/// The first line of a check that goes on: its program plays no game.
fn first_line(check: &mut Child) -> String {
    let mut line = String::new();
    let stdout = check.stdout.take().expect("a pipe");
    // The pipe is closed behind it.
    BufReader::new(stdout).read_line(&mut line).expect("a line");
    line
}

#[cfg(target_os = "linux")]
#[test]
fn a_check_that_is_interrupted_takes_its_programs_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("pid");
    for signal in ["INT", "TERM"] {
        let script = format!("echo $$ > '{}'; exec sleep 600 # {{port}}", path.display());
        let options = ["--start-ms", "600000", "--sandbox", "none"];
        let mut check = started(&options, &["sh", "-c", &script]);
        let pid = wait_for("a process", || {
            assert!(check.try_wait().expect("a child").is_none());
            let text = std::fs::read_to_string(&path).ok()?;
            text.strip_suffix('\n').map(str::to_owned)
        });
        run::signal(&check, signal);
        assert_eq!(check.wait().expect("a child").code(), Some(130));
        // It has been killed, and may need a moment to end.
        wait_for("the end of the program", || {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status"));
            (!status.is_ok_and(|status| !status.contains("zombie"))).then_some(())
        });
        std::fs::remove_file(&path).expect("the file");
    }
}

#[test]
fn a_check_that_nobody_reads_ends_quietly() {
    let folder = tempfile::tempdir().expect("a folder");
    let command = [PLAYER, "uecda", "good", "{port}", "{games}"];
    let mut check = taikyoku();
    let options = ["--games", "2", "--sandbox", "none"];
    let check = check.args(options).args(command);
    let mut check = programs::started(check.env("TMPDIR", folder.path()));
    let line = first_line(&mut check);
    assert!(line.starts_with("PASS  starts"), "{line}");
    let mut stderr = String::new();
    let mut pipe = check.stderr.take().expect("a pipe");
    pipe.read_to_string(&mut stderr).expect("text");
    assert_eq!(stderr, "");
    assert_eq!(check.wait().expect("a child").code(), Some(141));
    // It has cleaned up.
    assert_eq!(folder.path().read_dir().expect("a folder").count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_bot_is_checked_in_the_sandbox() {
    if !is_confined() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("secret"), "a secret").expect("a file");
    for name in ["bot", "bin"] {
        std::fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    // The sandbox shows the program that PATH finds outside of the system's folders.
    let spy = folder.path().join("bin/spy");
    programs::script(&spy, "#!/bin/sh\ncat ../secret >&2\nexit 3\n");
    let path = format!("{}:/usr/bin:/bin", folder.path().join("bin").display());
    let said = |options: &[&str], program: &str| {
        let mut command = taikyoku();
        command.args(options);
        command.args([program, "{port}"]).env("PATH", &path);
        let Ended { out, err, .. } = ended(command.current_dir(folder.path().join("bot")));
        (out, err)
    };
    let open = said(&["--sandbox", "none"], "spy").0;
    assert!(open.contains("a secret"), "{open}");
    let (closed, errors) = said(&[], "spy");
    assert!(
        !closed.contains("a secret") && closed.contains("No such file"),
        "{closed}{errors}"
    );
    // If PATH finds two programs, the one in the sandbox runs, with a warning.
    std::fs::copy(&spy, folder.path().join("bin/cat")).expect("a file");
    let (_, errors) = said(&[], "cat");
    assert!(
        errors.contains("bin/cat, because the sandbox does not show"),
        "{errors}"
    );
}

#[test]
fn a_bare_name_in_the_folder_is_told_how_to_write_it() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("bot.py"), "#!/usr/bin/python3\n").expect("a file");
    let mut command = taikyoku();
    command.args(["--", "bot.py", "{host}", "{port}"]);
    let text = ended(command.current_dir(folder.path())).out;
    assert!(text.contains("folders of PATH: write `./bot.py`"), "{text}");
}

/// Time in which a player has to come and to greet.
const SOON: [&str; 2] = ["--start-ms", "1500"];

fn assert_not_greeted(game: &str, tongue: &str, mode: &str, words: &str) {
    let report = Report::with(&SOON, game, tongue, mode);
    report.assert_fails("handshake", words);
    assert_eq!(report.grade("starts"), "PASS");
    assert_eq!(report.grade("leaves"), "SKIP");
}

tests! {
    a_player_that_waits_for_the_server_is_told_so:
        assert_not_greeted("daihinmin", "uecda", "mute", "connected once, but has sent nothing");
    a_greeting_that_is_no_profile_comes_to_nothing:
        assert_not_greeted("daihinmin", "uecda", "bad-handshake", "its greeting came to nothing");
    // It is told before the other player comes, or after.
    a_placement_that_is_none_comes_to_nothing:
        assert_not_greeted("geister", "gat", "bad-set-up", "came to nothing");
}

#[test]
fn a_greeting_of_another_protocol_is_told_its_option() {
    let command = [PLAYER, "native", "good", "{port}", "{games}"];
    let report = Report::from(check(&["--json", SOON[0], SOON[1]], &command));
    report.assert_fails("handshake", " bytes, `{\"");
    let verdict = report.verdict("handshake").to_string();
    assert!(verdict.contains("such as --game score-four"), "{verdict}");
}

#[test]
fn players_that_do_not_come_are_told_so() {
    let report = Report::with(&SOON, "daihinmin", "uecda", "never-connects");
    report.assert_fails("starts", "did not connect within 1500 ms");
    assert_eq!(report.grade("full-game"), "SKIP");
    let absent = check(&["--json"], &["no-such-program-here", "{port}"]);
    Report::from(absent).assert_fails("starts", "there is no program no-such-program-here");
    let absent = Report::from(check(&["--json"], &["./no-such-program-here", "{port}"]));
    absent.assert_fails("starts", "no-such-program-here");
    let verdict = absent.verdict("starts").to_string();
    assert!(
        verdict.contains("in which `taikyoku check` runs"),
        "{verdict}"
    );
    assert!(!verdict.contains("league"), "{verdict}");
    let usage = Report::from(check(&["--json"], &[PLAYER, "uecda", "good", "{port}"]));
    usage.assert_fails("starts", "usage: mock-player");
}

/// A check of a player in a mode fails with these words, and another check passes.
fn assert_told(player: [&str; 3], fails: &[(&str, &str)], passes: &str) {
    let [game, tongue, mode] = player;
    let report = match mode {
        "stall" => Report::hurried(game, tongue, mode),
        _ => Report::of(game, tongue, mode),
    };
    for (check, words) in fails {
        report.assert_fails(check, words);
    }
    assert_eq!(report.grade(passes), "PASS", "{}", report.json);
}

fn assert_named(game: &str, tongue: &str, mode: &str, words: &str) {
    assert_told([game, tongue, mode], &[("full-game", words)], "handshake");
}

tests! {
    garbage_of_uecda_is_named:
        assert_named("daihinmin", "uecda", "garbage", "protocol-error: cell [0][0]");
    a_stall_of_uecda_is_named:
        assert_named("daihinmin", "uecda", "stall", "timeout: no answer within 500 ms");
    a_crash_of_uecda_is_named: assert_named(
        "daihinmin", "uecda", "crash",
        "the program ended with exit status: 3\nindex out of bounds",
    );
    an_illegal_move_of_native_is_named:
        assert_named("score-four", "native", "illegal", "illegal: `nowhere`");
    a_crash_of_gat_is_named: assert_named("geister", "gat", "crash", "exit status: 4");
    one_that_cannot_play_its_second_seat_is_told_so: assert_told(
        ["score-four", "native", "second-seat"],
        &[("every-seat", "no game without a fault in seat 2"), ("ten-games", "game 2: illegal")],
        "full-game",
    );
    one_that_quits_when_an_opponent_vanishes_is_told_so: assert_told(
        ["blokus", "native", "quits"],
        &[("vanishing-opponent", "panic: no such player")], "ten-games",
    );
    one_that_lingers_is_told_so: assert_told(
        ["daihinmin", "uecda", "lingers"],
        &[("leaves", "still runs 400 ms after")], "ten-games",
    );
    one_that_leaves_early_is_told_so: assert_told(
        ["daihinmin", "uecda", "leaves-early"],
        &[("ten-games", "game 2: crash")], "handshake",
    );
}

#[test]
fn a_crash_of_an_engine_is_named() {
    let engine = ["--json", "--gtp", "--move-ms", "20000"];
    let report = Report::from(check(&engine, &["--", ENGINE, "crash", "2"]));
    report.assert_fails("full-game", "the engine has ended: exit status: 3");
    // To resign is no fault of one that ends well.
    let report = Report::from(check(&engine, &["--", ENGINE, "resign", "2"]));
    assert_eq!(report.grade("full-game"), "PASS", "{}", report.json);
}

/// In UECda the servers cut no message, and a refused meld is a pass: neither turns a program away.
fn assert_remark(mode: &str, checks: &[&str], words: &str) {
    let report = Report::of("daihinmin", "uecda", mode);
    for check in checks {
        let verdict = report.verdict(check);
        assert_eq!(verdict["grade"], "WARN", "{}", report.json);
        let seen = verdict["seen"].as_str().expect("text");
        assert!(seen.contains(words), "{seen}");
    }
    let json = &report.json;
    assert_eq!(
        (&json["fail"], &json["skip"], &json["fit"]),
        (&json!(0), &json!(0), &json!(true)),
        "{json}"
    );
    assert_eq!(
        (json["warn"].as_u64(), report.status),
        (Some(checks.len() as u64), Some(0)),
        "{json}"
    );
}

tests! {
    one_that_takes_a_read_for_a_message_has_a_remark_on_split_packets_only:
        assert_remark("one-read", &["split-packets"], "the program ended with exit status: 2");
    a_refused_meld_of_uecda_is_a_remark_and_skips_nothing: assert_remark(
        "illegal", &["full-game", "ten-games"], "illegal: a card of the meld is not in the hand",
    );
}

/// The pause serves it, so that the check only tells it so.
#[test]
fn a_client_of_gat_that_takes_a_read_for_a_message_gets_a_remark() {
    let options = ["--move-ms", "1000", "--games", "1"];
    let report = Report::with(&options, "geister", "gat", "one-read");
    // If the machine is busy for longer than the pause, messages arrive together even without a proxy, and the game is lost.
    let verdict = report.verdict("glued-packets").to_string();
    for words in ["takes one read for one message", "`wait-ms`"] {
        assert!(verdict.contains(words), "{}", report.json);
    }
    assert_eq!(report.grade("handshake"), "PASS", "{}", report.json);
}

#[test]
fn one_that_loses_messages_which_come_together_does_not_pass() {
    let report = Report::hurried("score-four", "native", "together");
    assert_eq!(report.status, Some(1));
    // On a machine that is busy they may come together without a proxy.
    let grade = report.grade("glued-packets");
    assert!(
        grade == "FAIL" || report.grade("full-game") == "FAIL",
        "{}",
        report.json
    );
}

#[test]
fn one_that_is_noisy_is_warned() {
    let report = Report::of("daihinmin", "uecda", "noisy");
    assert_eq!(report.grade("stderr"), "WARN", "{}", report.json);
    assert_eq!(report.status, Some(0));
}

#[test]
fn one_that_uses_all_its_time_does_not_pass() {
    let report = Report::hurried("daihinmin", "uecda", "slow");
    assert_ne!(report.grade("time-use"), "PASS", "{}", report.json);
}

#[test]
fn a_command_that_cannot_be_checked_is_a_wrong_command_line() {
    for (options, command, words) in [
        (&["--json"][..], &["./bot", "4444"][..], "write `{port}`"),
        (
            &["--gtp", "--game", "geister"],
            &["./engine"],
            "--gtp is for engines of Blokus",
        ),
        (&[], &["./bot '{port}"], "a quote without an end"),
    ] {
        let Ended { code, err, .. } = check(options, command);
        assert!(code == Some(2) && err.contains(words), "{err}");
    }
}

#[test]
fn the_report_for_people_is_a_line_for_each_thing() {
    let command = format!("'{PLAYER}' uecda good {{port}} {{games}}");
    let text = check(&["--move-ms", "20000"], &[&command]).out;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 11, "{text}");
    assert!(
        lines[..10].iter().all(|line| line.starts_with("PASS  ")),
        "{text}"
    );
    assert_eq!(lines[10], "10 passed: ready for a tournament");
}
