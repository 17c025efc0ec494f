use proptest::prelude::*;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, test_kill_process};

use super::launch::{Seat, Words};
use super::*;
use crate::settings::{Clocks, Rules, Settings, Start};
use crate::testing::settings;

fn launch(settings: &Settings, folder: &Path) -> Launch {
    let address = SocketAddr::from(([127, 0, 0, 1], 4567));
    let mut settings = settings.clone();
    settings.run.folder = folder.to_owned();
    Launch::of(&settings, 0, address, 3, 99).unwrap()
}

fn command(words: &[&str]) -> Settings {
    let mut settings = settings();
    settings.entrants[0].start = Start::Command(words.iter().map(ToString::to_string).collect());
    settings
}

fn shell(script: &str) -> Settings {
    command(&["sh", "-c", script])
}

/// Runs to the end; gives exit code and standard error.
async fn run(settings: &Settings, folder: &Path) -> (Option<i32>, String) {
    let mut process = launch(settings, folder).start().unwrap();
    let status = process.exited().await;
    (status.code(), process.stderr())
}

/// Writes a file that may be executed. Another process writes it: each program that another test starts meanwhile would have
/// it open for writing until it begins itself, and such a file cannot be executed.
fn executable(path: &Path, text: &str) {
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "printf %s \"$1\" > \"$0\" && chmod 755 \"$0\""]);
    let status = command.arg(path).arg(text).status().unwrap();
    assert!(status.success());
}

#[tokio::test]
async fn a_program_gets_its_words_folder_and_environment() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    let script = "echo \"$0 $1 $SECRET\" >&2; basename \"$PWD\" >&2; exit 3";
    let words = [
        "sh",
        "-c",
        script,
        "{host}:{port} {games}/{seed}",
        "{move-ms} {name} {x}",
    ];
    let mut settings = command(&words);
    settings.entrants[0].clocks = Some(Clocks {
        move_ms: Some(250),
        ..Clocks::default()
    });
    settings.entrants[0].name = "{seed}".to_owned();
    settings.entrants[0].directory = Some("sub".into());
    let secret = ("SECRET".to_owned(), "xyzzy".to_owned());
    settings.entrants[0].environment.extend([secret]);
    let (code, stderr) = run(&settings, folder.path()).await;
    assert_eq!(code, Some(3));
    assert_eq!(stderr, "127.0.0.1:4567 3/99 250 {seed} {x} xyzzy\nsub\n");
    assert!(!format!("{:?}", launch(&settings, folder.path())).contains("xyzzy"));
}

#[tokio::test]
async fn paths_begin_at_the_folder_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    executable(&folder.path().join("bot"), "#!/bin/sh\nexit 7\n");
    assert_eq!(run(&command(&["./bot"]), folder.path()).await.0, Some(7));
}

#[tokio::test]
async fn standard_error_is_capped() {
    let mut settings = shell("yes 0123456789 | head -c 99990 >&2; echo the end >&2");
    settings.entrants[0].stderr_kib = 2;
    let folder = tempfile::tempdir().unwrap();
    let mut process = launch(&settings, folder.path()).start().unwrap();
    process.exited().await;
    let text = process.stderr();
    assert!(text.len() < 2100 && text.starts_with("0123456789\n0123"));
    assert!(text.contains("[... 97950 bytes left out ...]"), "{text}");
    let tail = process.stderr_tail();
    assert!(tail.ends_with("0123456789\nthe end"), "{tail}");
    assert_eq!(tail.lines().count(), 12);
}

/// Waits for a number that the program writes to its standard error.
async fn number(process: &Process) -> Pid {
    loop {
        let text = process.stderr();
        if let Some((number, _)) = text.split_once('\n') {
            return Pid::from_raw(number.trim().parse().unwrap()).unwrap();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn is_gone(pid: Pid) {
    // The system takes a moment to reap the process.
    let began = Instant::now();
    while began.elapsed() < Duration::from_mins(1) {
        let state = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
        if test_kill_process(pid).is_err() || state.is_ok_and(|state| state.contains(") Z ")) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{pid:?} is still there");
}

#[tokio::test]
async fn what_a_program_has_started_ends_with_it() {
    // Without a sandbox that is its process group.
    let folder = tempfile::tempdir().unwrap();
    let settings = shell("sleep 1000 & echo $! >&2; wait");
    let process = launch(&settings, folder.path()).start().unwrap();
    let child = number(&process).await;
    drop(process);
    is_gone(child).await;
    // Also when the program itself has ended before.
    let settings = shell("sleep 1000 & echo $! >&2");
    let mut process = launch(&settings, folder.path()).start().unwrap();
    let child = number(&process).await;
    assert!(process.exited().await.success());
    assert_eq!(process.status().unwrap().code(), Some(0));
    test_kill_process(child).unwrap();
    drop(process);
    is_gone(child).await;
}

#[tokio::test]
async fn a_program_goes_on_while_what_it_has_started_does() {
    let folder = tempfile::tempdir().unwrap();
    let settings = shell("sleep 1000 & echo $! >&2");
    let mut process = launch(&settings, folder.path()).start().unwrap();
    let child = number(&process).await;
    assert!(process.exited().await.success());
    let soon = std::time::Duration::from_millis(300);
    assert!(tokio::time::timeout(soon, process.gone()).await.is_err());
    rustix::process::kill_process(child, rustix::process::Signal::KILL).unwrap();
    assert!(process.gone().await.success());
    // After a bad end nobody waits for what is left.
    let settings = shell("sleep 1000 & exit 1");
    let mut process = launch(&settings, folder.path()).start().unwrap();
    assert_eq!(process.gone().await.code(), Some(1));
}

#[tokio::test]
async fn a_program_is_killed_when_its_folder_is_too_full() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("a")).unwrap();
    for number in 0..300 {
        // Each takes a block of 4 KiB.
        fs::write(folder.path().join(format!("a/{number}")), "x").unwrap();
    }
    assert_eq!(bytes_in(folder.path()), 302 * 4096);
    let mut settings = shell("exec sleep 1000");
    settings.entrants[0].directory = Some(".".into());
    settings.entrants[0].limits.folder_mib = Some(1);
    let mut process = launch(&settings, folder.path()).start().unwrap();
    assert!(!process.exited().await.success());
    assert!(
        process.stderr().contains("more than 1 MiB"),
        "{}",
        process.stderr()
    );
}

#[tokio::test]
async fn killed_programs_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let settings = shell("sleep 1000");
    let mut process = launch(&settings, folder.path()).start().unwrap();
    assert_eq!(process.status(), None);
    process.kill();
    assert!(!process.exited().await.success());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn processors_that_are_not_there_are_named_before_a_program_starts() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = shell("true");
    for cpu in [1023, 99_999] {
        settings.entrants[0].cpus = vec![cpu];
        let failure = launch(&settings, folder.path()).start().unwrap_err();
        let text = failure.to_string();
        assert!(text.contains("ana") && text.contains("`cpus`"), "{text}");
    }
}

#[tokio::test]
async fn what_does_not_start_says_whose_it_is_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("text"), "hello").unwrap();
    executable(&at("binary"), "hello");
    executable(&at("script"), "#!/no/such/shell\n");
    let failure = |settings: &Settings| {
        let failed = launch(settings, folder.path()).start();
        failed.unwrap_err().to_string()
    };
    for (word, due) in [
        ("no-such-program", "give its path, such as `./mybot`"),
        (
            "binary",
            "bare name is looked for in the folders of PATH: write `./binary`",
        ),
        ("./no-such-program", "`directory`"),
        ("./text", "chmod +x"),
        ("./binary", "#!"),
        ("./script", "first line"),
    ] {
        let text = failure(&command(&[word]));
        assert!(text.starts_with("ana: ") && text.contains(due), "{text}");
    }
    let mut nowhere = command(&["sh"]);
    nowhere.entrants[0].directory = Some("nowhere".into());
    assert!(failure(&nowhere).contains("nowhere"));
    let address = SocketAddr::from(([127, 0, 0, 1], 1));
    let empty = Launch::of(&command(&[]), 0, address, 1, 1).unwrap_err();
    assert!(empty.to_string().contains("empty"));
    let mut ours = settings();
    ours.entrants[0].start = Start::Gtp(vec!["x".to_owned()]);
    assert!(failure(&ours).contains("beside taikyoku"));
}

/// The words of a command line, however they are quoted.
fn words(line: &str) -> Vec<String> {
    shlex::split(line).unwrap()
}

fn house(rules: Rules, options: &[&str]) -> Vec<String> {
    let mut settings = settings();
    settings.rules = rules;
    settings.clocks.move_ms = Some(250);
    settings.session = 50;
    settings.entrants[0].name = "ana 1".to_owned();
    settings.entrants[0].start = Start::House {
        engine: "best".to_owned(),
        options: options.iter().map(ToString::to_string).collect(),
    };
    let folder = Path::new("");
    words(&launch(&settings, folder).command_line())
}

#[test]
fn house_bots_get_what_their_protocol_does_not_tell() {
    let seat = "--host 127.0.0.1 --port 4567 --engine best";
    let mut session = games::daihinmin::SessionRules::default();
    session.game.lock = false;
    session.game.eight_cut = false;
    assert_eq!(
        house(Rules::Daihinmin(session), &["--playouts", "300"]),
        words(&format!(
            "TAIKYOKU_SEED=99 daihinmin {seat} '--name=ana 1' --games 3 --rank-reset 50 --off lock,eight-cut \
             --playouts 300"
        ))
    );
    let geister = Rules::Geister(games::geister::Rules { ply_limit: 120 });
    let own = "--name=ana_1 --games 3 --ply-limit 120";
    assert_eq!(
        house(geister.clone(), &[]),
        words(&format!(
            "TAIKYOKU_SEED=99 geister {seat} {own} --move-ms 250"
        ))
    );
    for fixed in [
        &["--simulations=10", "--seed", "5"][..],
        &["--move-ms", "90"],
    ] {
        let due = format!("TAIKYOKU_SEED=99 geister {seat} {own} {}", fixed.join(" "));
        assert_eq!(house(geister.clone(), fixed), words(&due));
    }
    let score_four = Rules::ScoreFour(games::score_four::Rules::default());
    let due = format!("TAIKYOKU_SEED=99 score-four play {seat} '--name=ana 1'");
    assert_eq!(house(score_four, &[]), words(&due));
}

#[test]
fn gtp_engines_are_started_by_the_bridge() {
    let mut settings = settings();
    let words = ["./engine", "--seed", "{seed}"];
    settings.entrants[0].start = Start::Gtp(words.map(String::from).to_vec());
    let seat = Seat {
        host: "127.0.0.1".to_owned(),
        port: 9,
        games: 1,
        seed: 8,
    };
    settings.entrants[0].name = "-ana".to_owned();
    settings.clocks.move_ms = Some(1500);
    let due = "gtp --host 127.0.0.1 --port 9 --name=-ana --move-ms=1500 -- ./engine --seed 8";
    let due = due.split(' ').map(String::from).collect();
    assert_eq!(
        Words::of(&settings, &settings.entrants[0], &seat),
        Words::Ours("engine-bridge", due)
    );
    settings.entrants[0].start = Start::Usi {
        command: words.map(String::from).to_vec(),
        options: vec!["Eval Dir=a b".to_owned()],
    };
    let Words::Ours(_, all) = Words::of(&settings, &settings.entrants[0], &seat) else {
        panic!("a bridge");
    };
    assert_eq!(
        all.join("|"),
        "usi|--host|127.0.0.1|--port|9|--name=-ana|--option=Eval Dir=a b|--|./engine|--seed|8"
    );
}

proptest! {
    #[test]
    fn the_ends_are_kept_however_it_comes(
        stream in "[a-z]{0,200}",
        cuts in prop::collection::vec(0_usize..60, 0..20),
        bytes in 0_usize..80,
    ) {
        let mut capture = Capture::new(bytes);
        let mut rest = stream.as_bytes();
        for cut in cuts {
            let (now, later) = rest.split_at(cut.min(rest.len()));
            capture.add(now);
            rest = later;
        }
        capture.add(rest);
        let half = bytes / 2;
        let due = match stream.len().checked_sub(2 * half) {
            None | Some(0) => stream,
            Some(out) => {
                let (first, last) = (&stream[..half], &stream[stream.len() - half..]);
                format!("{first}\n[... {out} bytes left out ...]\n{last}")
            }
        };
        prop_assert_eq!(capture.text(), due);
    }
}

#[test]
fn characters_across_the_middle_stay_whole() {
    let mut capture = Capture::new(8);
    capture.add("対局".as_bytes());
    assert_eq!(capture.text(), "対局");
}

#[test]
fn files_of_the_league_in_the_folder_of_an_entrant_are_hidden() {
    if lacks_sandbox().is_some() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    fs::write(path.join("token"), "secret").unwrap();
    let mut settings = command(&["./bot"]);
    settings.run.folder.clone_from(&path);
    settings.entrants[0].directory = Some(".".into());
    settings.entrants[1].access.token_file = Some("token".into());
    // One that is not there yet is hidden when it is.
    confine(&mut settings, &[&path.join("key")]).unwrap();
    let mounts = settings.entrants[0].mounts.as_ref().unwrap();
    let words = mounts.words(&[]);
    for name in ["key", "token"] {
        let at = words.iter().position(|word| *word == path.join(name));
        assert_eq!(words[at.expect(name) - 1], "/dev/null");
    }
}
