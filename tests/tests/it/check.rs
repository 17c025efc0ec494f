//! `taikyoku check` on good players, and on each that misbehaves: what it says of them.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use end_to_end::programs;
use serde_json::{Value, json};

const PLAYER: &str = env!("CARGO_BIN_EXE_mock-player");
const ENGINE: &str = env!("CARGO_BIN_EXE_mock-gtp-engine");

fn check(options: &[&str], command: &[&str]) -> Output {
    let mut all = vec!["--leave-ms", "400", "--games", "2"];
    if !options.contains(&"--start-ms") {
        all.extend(["--start-ms", "5000"]);
    }
    all.extend(options);
    started(&all, command)
        .wait_with_output()
        .expect("the check runs")
}

fn started(options: &[&str], command: &[&str]) -> Child {
    Command::new(programs::taikyoku())
        .arg("check")
        .args(options)
        .args(command)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the check starts")
}

/// The report of a check and its exit status.
struct Report {
    json: Value,
    status: Option<i32>,
}

impl Report {
    fn of(game: &str, tongue: &str, mode: &str, move_ms: &str) -> Report {
        Report::with(&["--move-ms", move_ms], game, tongue, mode)
    }

    fn with(options: &[&str], game: &str, tongue: &str, mode: &str) -> Report {
        let options = [&["--json", "--game", game], options].concat();
        let command = [PLAYER, tongue, mode, "{port}", "{games}"];
        Report::from(check(&options, &command))
    }

    fn from(output: Output) -> Report {
        let text = String::from_utf8(output.stdout).expect("text");
        let stderr = String::from_utf8_lossy(&output.stderr);
        let json = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}{stderr}"));
        let status = output.status.code();
        Report { json, status }
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

    /// All is well.
    fn assert_good(&self, checks: u64) {
        assert_eq!(self.json["pass"], checks, "{}", self.json);
        assert_eq!(self.status, Some(0));
    }
}

#[test]
fn good_players_of_every_protocol_pass() {
    let players = [
        ("daihinmin", "uecda", 10),
        ("score-four", "native", 11),
        ("blokus", "native", 11),
        ("geister", "gat", 11),
    ];
    thread::scope(|scope| {
        for (game, tongue, checks) in players {
            scope.spawn(move || Report::of(game, tongue, "good", "2000").assert_good(checks));
        }
        let engine = ["--json", "--gtp", "--move-ms", "2000"];
        Report::from(check(&engine, &["--", ENGINE, "good"])).assert_good(11);
    });
}

#[test]
fn clients_of_gat_may_come_again_after_the_last_game() {
    let report = Report::of("geister", "gat", "loops", "2000");
    report.assert_good(11);
    let seen = report.verdict("ten-games")["seen"].as_str().expect("text");
    assert!(seen.contains("2 games on 2 connections"), "{seen}");
    let report = Report::of("geister", "gat", "stays", "2000");
    assert_eq!(report.grade("leaves"), "WARN", "{}", report.json);
    assert_eq!((&report.json["warn"], report.status), (&json!(1), Some(0)));
}

#[cfg(unix)]
#[test]
fn a_launcher_may_leave_the_program_that_plays_behind() {
    let script = format!("'{PLAYER}' uecda good {{port}} {{games}} & exit 0");
    let options = ["--json", "--move-ms", "2000"];
    let report = Report::from(check(&options, &["sh", "-c", &script]));
    for check in ["starts", "handshake", "full-game", "ten-games"] {
        assert_eq!(report.grade(check), "PASS", "{}", report.json);
    }
}

/// The first line of a check that goes on: its program plays no game.
#[cfg(unix)]
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
        let mut check = started(&["--start-ms", "600000"], &["sh", "-c", &script]);
        let pid = loop {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if text.ends_with('\n') {
                break text.trim().to_owned();
            }
            assert!(check.try_wait().expect("a child").is_none());
            thread::sleep(Duration::from_millis(5));
        };
        let kill = format!("kill -{signal} {}", check.id());
        let status = Command::new("sh").args(["-c", &kill]).status();
        assert!(status.expect("a shell").success());
        assert_eq!(check.wait().expect("a child").code(), Some(130));
        let runs = || {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status"));
            status.is_ok_and(|status| !status.contains("zombie"))
        };
        // It has been killed, and may need a moment to end.
        let deadline = Instant::now() + Duration::from_secs(20);
        while runs() {
            assert!(Instant::now() < deadline, "the program runs on");
            thread::sleep(Duration::from_millis(5));
        }
        std::fs::remove_file(&path).expect("the file");
    }
}

#[cfg(unix)]
#[test]
fn a_check_that_nobody_reads_ends_quietly() {
    let folder = tempfile::tempdir().expect("a folder");
    let command = [PLAYER, "uecda", "good", "{port}", "{games}"];
    let mut check = Command::new(programs::taikyoku())
        .args(["check", "--games", "2"])
        .args(command)
        .env("TMPDIR", folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the check starts");
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

#[test]
fn a_player_that_is_started_for_each_game_passes() {
    let report = Report::of("geister", "gat", "once", "2000");
    report.assert_good(11);
    let seen = report.verdict("ten-games")["seen"].as_str().expect("text");
    assert!(seen.contains("on 2 connections, started twice"), "{seen}");
}

#[test]
fn players_that_do_not_come_or_do_not_greet() {
    let soon = ["--start-ms", "1500"];
    let silent = [
        (
            "daihinmin",
            "uecda",
            "mute",
            "connected once, but has sent nothing",
        ),
        (
            "daihinmin",
            "uecda",
            "bad-handshake",
            "its greeting came to nothing",
        ),
        (
            "score-four",
            "native",
            "bad-handshake",
            "its greeting came to nothing",
        ),
        // It is told before the other player comes, or after.
        ("geister", "gat", "bad-set-up", "came to nothing"),
    ];
    thread::scope(|scope| {
        for (game, tongue, mode, words) in silent {
            scope.spawn(move || {
                let report = Report::with(&soon, game, tongue, mode);
                report.assert_fails("handshake", words);
                assert_eq!(report.grade("starts"), "PASS");
                assert_eq!(report.grade("leaves"), "SKIP");
            });
        }
        let report = Report::with(&soon, "daihinmin", "uecda", "never-connects");
        report.assert_fails("starts", "did not connect within 1500 ms");
        assert_eq!(report.grade("full-game"), "SKIP");
        let absent = check(&["--json"], &["no-such-program-here", "{port}"]);
        Report::from(absent).assert_fails("starts", "there is no program no-such-program-here");
        let usage = Report::from(check(&["--json"], &[PLAYER, "uecda", "good", "{port}"]));
        usage.assert_fails("starts", "usage: mock-player");
    });
}

#[test]
fn faults_in_a_game_are_named() {
    let faults = [
        (
            "daihinmin",
            "uecda",
            "illegal",
            "illegal: a card of the meld is not in the hand",
        ),
        (
            "daihinmin",
            "uecda",
            "garbage",
            "protocol-error: cell [0][0]",
        ),
        (
            "daihinmin",
            "uecda",
            "stall",
            "timeout: no answer within 500 ms",
        ),
        (
            "daihinmin",
            "uecda",
            "crash",
            "the program ended with exit status: 3\nindex out of bounds",
        ),
        ("score-four", "native", "illegal", "illegal: `nowhere`"),
        ("score-four", "native", "garbage", "protocol-error"),
        ("score-four", "native", "crash", "disconnect"),
        ("geister", "gat", "crash", "exit status: 4"),
    ];
    thread::scope(|scope| {
        for (game, tongue, mode, words) in faults {
            scope.spawn(move || {
                let report = Report::of(game, tongue, mode, "500");
                report.assert_fails("full-game", words);
                assert_eq!(report.grade("handshake"), "PASS");
            });
        }
        let engine = ["--json", "--gtp", "--move-ms", "500"];
        let report = Report::from(check(&engine, &["--", ENGINE, "crash", "2"]));
        report.assert_fails("full-game", "the engine has ended: exit status: 3");
    });
}

/// Each of these takes its time, most of it asleep.
#[test]
fn one_that_fails_one_check_is_told_so() {
    thread::scope(|scope| {
        scope.spawn(one_that_takes_a_read_for_a_message_fails_on_split_packets_only);
        scope.spawn(one_that_loses_messages_which_come_together_does_not_pass);
        scope.spawn(one_that_cannot_play_its_second_seat_is_told_so);
        scope.spawn(one_that_quits_when_an_opponent_vanishes_is_told_so);
    });
}

fn one_that_takes_a_read_for_a_message_fails_on_split_packets_only() {
    let report = Report::of("daihinmin", "uecda", "one-read", "500");
    report.assert_fails("split-packets", "the program ended with exit status: 2");
    assert_eq!(report.grade("full-game"), "PASS", "{}", report.json);
}

fn one_that_loses_messages_which_come_together_does_not_pass() {
    let report = Report::of("score-four", "native", "together", "500");
    assert_eq!(report.status, Some(1));
    // On a machine that is busy they may come together without a proxy.
    let grade = report.grade("glued-packets");
    assert!(
        grade == "FAIL" || report.grade("full-game") == "FAIL",
        "{}",
        report.json
    );
}

fn one_that_cannot_play_its_second_seat_is_told_so() {
    let report = Report::of("score-four", "native", "second-seat", "500");
    report.assert_fails("every-seat", "no game without a fault in seat 2");
    report.assert_fails("ten-games", "game 2: illegal");
    assert_eq!(report.grade("full-game"), "PASS");
}

fn one_that_quits_when_an_opponent_vanishes_is_told_so() {
    let report = Report::of("blokus", "native", "quits", "2000");
    report.assert_fails("vanishing-opponent", "panic: no such player");
    assert_eq!(report.grade("ten-games"), "PASS", "{}", report.json);
}

#[test]
fn bad_manners_are_told() {
    let of = |mode, move_ms| Report::of("daihinmin", "uecda", mode, move_ms);
    thread::scope(|scope| {
        scope.spawn(|| {
            let report = of("lingers", "2000");
            report.assert_fails("leaves", "still runs 400 ms after");
            assert_eq!(report.json["fail"], 1, "{}", report.json);
        });
        scope.spawn(|| of("leaves-early", "2000").assert_fails("ten-games", "game 2: disconnect"));
        scope.spawn(|| {
            let report = of("noisy", "2000");
            assert_eq!(report.grade("stderr"), "WARN", "{}", report.json);
            assert_eq!(report.status, Some(0));
        });
        let report = of("slow", "500");
        assert_ne!(report.grade("time-use"), "PASS", "{}", report.json);
    });
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
        let output = check(options, command);
        assert_eq!(output.status.code(), Some(2));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(words), "{stderr}");
    }
}

#[test]
fn the_report_for_people_is_a_line_for_each_thing() {
    let command = format!("'{PLAYER}' uecda good {{port}} {{games}}");
    let output = check(&["--move-ms", "2000"], &[&command]);
    let text = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 11, "{text}");
    assert!(
        lines[..10].iter().all(|line| line.starts_with("PASS  ")),
        "{text}"
    );
    assert_eq!(lines[10], "10 passed: ready for a tournament");
}
