//! Leagues that are played by workers.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bots::spec::{self, Specified};
use bots::{blokus, daihinmin, dobutsu, geister, score_four};
use end_to_end::league::{League, random_bots, timeless};
use end_to_end::programs::{self, Ended, end_of};
use end_to_end::run::signal;
use games::GameName;
use league::journal::{Entry, Played};

/// A league of 30 fixtures that follow from the seed.
const FILE: &str = r#"
game = "score-four"
deals = 5
seed = 11
[[entrants]]
engine = "random"
[[entrants]]
engine = "flat"
options = ["--playouts", "20"]
[[entrants]]
engine = "uct"
options = ["--playouts", "40"]
"#;

/// A carrier as `docs/many_machines.md` has it. With `lose` it says of each third piece that it is lost,
/// and it always says some twice. With `stall` it does the same, and answers no more after some fixtures. With the name of a
/// program it has workers look for another version of it.
const CARRIER: &str = r#"
import json, subprocess, sys
program, file, name, lose = sys.argv[1:]
print('{"slots": 2}', flush=True)
league = sys.stdin.readline()
if lose in (programs := json.loads(league)["programs"]):
    league = league.replace(programs[lose], programs[lose] + "x")
carried = 0
for number, line in enumerate(sys.stdin):
    piece = json.loads(line)["piece"]
    command = [program, "league", "work", file, "--keys", "-", "--machine", name]
    done = subprocess.run(command, input=league + line, stdout=subprocess.PIPE, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if lose != "keep" and number % 3 == 1:
        print(json.dumps({"piece": piece, "lost": "on purpose"}), flush=True)
    for _ in range(1 + number % 2):
        print(json.dumps({"piece": piece, "ms": 100, "lines": lines}), flush=True)
    carried += len(lines) - 1
    if lose == "stall" and carried >= 6:
        sys.stdin.read()
"#;

fn carrier(league: &League, lose: &str) -> String {
    let script = league.folder.path().join("carrier.py");
    fs::write(&script, CARRIER).unwrap();
    let program = programs::taikyoku();
    format!(
        "python3 {} {} it.toml alpha {lose}",
        script.display(),
        program.display()
    )
}

/// Works on lines; gives the exit code, what was played, and what was said.
fn work(league: &League, options: &[&str], lines: &str) -> (Option<i32>, Vec<Played>, String) {
    let mut child = Command::new(programs::taikyoku())
        .args(["league", "work", "it.toml", "--keys", "-"])
        .args(options)
        .current_dir(league.folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // It may have ended at a wrong line.
    let _ = input.write_all(lines.as_bytes());
    drop(input);
    let ended = end_of(child);
    let entries = ended
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let played = entries.filter_map(|entry| match entry {
        Entry::Played(played) => Some(played),
        Entry::Joined { .. } => None,
        other => panic!("{other:?}"),
    });
    (ended.code, played.collect(), ended.err)
}

#[test]
fn workers_play_what_one_machine_plays_also_when_pieces_are_lost_and_the_league_is_killed() {
    let league = League::new(FILE);
    league.ends("whole", 0);
    let stalling = carrier(&league, "stall");
    let mut command = league.command("torn");
    command.args(["--workers", &stalling, "--piece", "1"]);
    league.kill_after("torn", 4, command.stdout(Stdio::null()).spawn().unwrap());
    let before = league.played("torn");
    assert!((4..30).contains(&before), "{before}");
    let carrier = carrier(&league, "lose");
    let torn = league.play_with("torn", &["--workers", &carrier, "--piece", "1"]);
    assert_eq!(torn.code, Some(0), "{}", torn.err);
    assert!(
        torn.err
            .contains("lost, and given to another worker: on purpose")
    );
    let whole = league.timeless("whole");
    assert_eq!(whole.len(), 30);
    assert_eq!(league.timeless("torn"), whole);
    let [whole, torn] = ["whole", "torn"].map(|out| league.ask("report", out));
    for figures in ["cross", "seats", "totals", "seed"] {
        assert_eq!(torn[figures], whole[figures], "{figures}");
    }
    assert_eq!(torn["machines"][0]["name"], "alpha");
    assert_eq!(torn["machines"][0]["fixtures"], 30);
    assert_eq!(whole["machines"], serde_json::json!([]));
    let page = fs::read_to_string(league.out("torn").join("report.html")).unwrap();
    assert!(
        page.contains("alpha: 30 fixtures"),
        "which machine played what"
    );
}

#[test]
fn a_fixture_follows_from_the_file_and_its_key() {
    let league = League::new("");
    league.rewrite(&FILE.replace("seed = 11\n", ""));
    let keys = "0.1.0\n\n2.4.1\n";
    let (code, played, said) = work(&league, &[], keys);
    assert_eq!((code, played.len()), (Some(2), 0), "{said}");
    assert!(said.contains("there is no journal here"), "{said}");
    league.ends("it.league", 0);
    let (code, played, said) = work(&league, &["--machine", "beta", "--at-once", "2"], keys);
    assert_eq!(code, Some(0), "{said}");
    let whole = league.timeless("it.league");
    assert_eq!(played.len(), 2);
    for played in &played {
        assert_eq!(played.host.as_deref(), Some("beta"));
        assert_eq!(whole.get(&played.key), Some(&timeless(played)));
    }
    for (line, due) in [
        (
            "0.5.0\n",
            "line 1 of the fixtures: the schedule has no fixture 0.5.0",
        ),
        (
            "0.1.0\nx\n",
            "line 2 of the fixtures: `x` is not the key of a game",
        ),
        ("{\"piece\":1}\n", "line 1 of the fixtures"),
    ] {
        let (code, played, said) = work(&league, &[], line);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(due), "{said}");
        // What had begun before the wrong line.
        assert_eq!(played.len(), usize::from(line.contains('x')), "{said}");
    }
    // The keys are those of the league that has begun.
    league.rewrite(&FILE.replace("seed = 11\n", "").replace("\"40\"", "\"41\""));
    let (code, played, said) = work(&league, &[], keys);
    assert!(code == Some(2) && played.is_empty(), "{code:?} {said}");
    assert!(said.contains("options"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_carrier_that_does_not_end_is_killed_with_all_that_it_has_started() {
    let league = League::new(FILE);
    let script =
        "trap '' HUP TERM; sleep 1000 & echo $! > begun; mv begun pid; while :; do sleep 1; done";
    fs::write(league.folder.path().join("stay.sh"), script).unwrap();
    let mut command = league.command("out");
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.args(["--workers", "sh stay.sh"]).spawn().unwrap();
    let pid = league.folder.path().join("pid");
    let began = Instant::now();
    while !pid.exists() {
        assert!(began.elapsed() < Duration::from_mins(1));
        std::thread::sleep(Duration::from_millis(10));
    }
    signal(&child, "INT");
    let ended = end_of(child);
    assert_eq!(ended.code, Some(130), "{}", ended.err);
    let started = fs::read_to_string(pid).unwrap();
    // A process that was killed has no command line, as long as nobody has asked for its status.
    let line = || fs::read(format!("/proc/{}/cmdline", started.trim())).unwrap_or_default();
    let killed = Instant::now();
    while !line().is_empty() {
        assert!(killed.elapsed() < Duration::from_mins(1), "it runs on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_worker_with_another_file_or_program_plays_nothing_and_the_league_says_why() {
    let league = League::new(FILE);
    let other = FILE.replace("\"40\"", "\"41\"");
    fs::write(league.folder.path().join("other.toml"), other).unwrap();
    let other_file = carrier(&league, "keep").replace("it.toml", "other.toml");
    let other_program = carrier(&league, "score-four");
    for (carrier, due) in [
        (other_file, "options"),
        (other_program, "the driver of the league has score-four "),
    ] {
        let said = league.play_with("out", &["--workers", &carrier]).err;
        assert!(said.contains(due), "{said}");
        assert_eq!(league.played("out"), 0);
    }
}

/// The engines of a game as entrants, and those whose moves depend on the speed of the machine.
fn engines<O: Specified>() -> (String, Vec<String>) {
    let (mut entrants, mut timed) = (String::new(), Vec::new());
    for name in spec::engines::<O>() {
        let engine: O = spec::read(&name).unwrap();
        entrants.extend(["[[entrants]]\nengine = \"", &name, "\"\n"]);
        // The league tells a bot of Geister its limit.
        if engine.is_timed() || (O::GAME == GameName::Geister && name == "best") {
            timed.push(name);
        }
    }
    (entrants, timed)
}

#[test]
fn a_league_by_the_clock_is_warned_of_where_workers_play_it() {
    for (game, (entrants, timed)) in [
        ("daihinmin", engines::<daihinmin::EngineOptions>()),
        ("geister", engines::<geister::EngineOptions>()),
        ("blokus", engines::<blokus::EngineOptions>()),
        ("score-four", engines::<score_four::EngineOptions>()),
        ("dobutsu", engines::<dobutsu::EngineOptions>()),
    ] {
        let text = format!("game = \"{game}\"\ndeals = 1\nseed = 1\n{entrants}");
        let league = League::new(&text);
        // A carrier without a worker.
        let said = league.play_with("out", &["--workers", "true"]).err;
        if timed.is_empty() {
            assert!(!said.contains("limits of time"), "{game}: {said}");
        } else {
            let due = format!("as far as their options tell: {}. ", timed.join(", "));
            assert!(said.contains(&due), "{game}: {said}");
        }
    }
}

#[test]
fn a_league_ends_with_its_carrier_and_after_an_interrupt() {
    let league = League::new(FILE);
    for (command, due) in [
        (
            "sh -c 'echo no port >&2; exit 3'",
            "the carrier of the workers is gone (exit status: 3",
        ),
        ("sh -c 'echo no port >&2; exit 3'", "goes on\n    no port"),
        ("./nothing", "--workers ./nothing"),
        ("'", "this is no command"),
    ] {
        let gone = league.play_with("gone", &["--workers", command]);
        assert!(gone.err.contains(due), "{}", gone.err);
        assert!(matches!(gone.code, Some(1 | 2)));
    }
    league.rewrite(&FILE.replace("deals = 5", "deals = 500"));
    let carrier = carrier(&league, "keep");
    let mut command = league.command("out");
    command.args(["--workers", &carrier, "--piece", "1"]);
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    league.wait_for("out", 3, &mut child);
    signal(&child, "INT");
    let Ended { code, err, .. } = end_of(child);
    assert!(code == Some(130) && err.contains("--workers"), "{err}");
    assert_eq!(league.fixtures("out").len(), league.played("out"));
}

fn recorded(game: &str) -> String {
    let (keys, entrants) = match game {
        "daihinmin" => ("session = 3", 5),
        _ => ("process = \"sitting\"", 4),
    };
    let head = format!("game = \"{game}\"\nrecords = true\nseed = 4\ndeals = 1\n{keys}\n");
    head + &random_bots(0..entrants)
}

#[test]
fn records_come_from_workers() {
    for game in ["daihinmin", "blokus"] {
        let league = League::new(&recorded(game));
        league.ends("whole", 0);
        let carrier = carrier(&league, "lose");
        let torn = league.play_with("torn", &["--workers", &carrier, "--piece", "1"]);
        assert_eq!(torn.code, Some(0), "{}", torn.err);
        assert_eq!(league.timeless("torn"), league.timeless("whole"));
        let names = |out: &str| {
            let entries = fs::read_dir(league.out(out).join("records")).unwrap();
            let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let mut names: Vec<String> = names.collect();
            names.sort_unstable();
            names
        };
        assert_eq!(names("torn"), names("whole"), "{game}");
        let verified = ["whole", "torn"].map(|out| league.ask("verify", out));
        for figure in ["games", "moves", "records"] {
            assert!(verified[0][figure].as_u64() > Some(0), "{}", verified[0]);
            assert_eq!(verified[1][figure], verified[0][figure], "{game}: {figure}");
        }
    }
}

#[test]
fn a_second_interrupt_waits_for_no_piece() {
    let league = League::new(&FILE.replace("deals = 5", "deals = 500"));
    let stalling = carrier(&league, "stall");
    let mut running = league.run_with("out", &["--workers", &stalling, "--piece", "1"]);
    league.wait_for("out", 6, &mut running.child);
    signal(&running.child, "INT");
    running.wait_said("finishing the running games");
    assert!(
        running.child.try_wait().unwrap().is_none(),
        "the first one waits for the pieces that are out"
    );
    signal(&running.child, "INT");
    running.wait_said("ending at once");
    let asked = Instant::now();
    let (code, said) = running.end();
    assert_eq!(code, Some(130), "{said}");
    assert!(asked.elapsed() < Duration::from_secs(30));
    assert_eq!(league.fixtures("out").len(), league.played("out"));
}

#[test]
fn leagues_that_workers_cannot_play_are_refused() {
    for (more, due) in [
        (
            "[[entrants]]\nname = \"far\"\nstart = \"remote\"\n",
            "leave --workers out",
        ),
        (
            "[[entrants]]\nname = \"kept\"\nengine = \"random\"\ncpus = [0]\n",
            "kept has `cpus`",
        ),
    ] {
        let text = if more.starts_with('[') {
            FILE.to_owned() + more
        } else {
            more.to_owned() + FILE
        };
        let league = League::new(&text);
        let refused = league.play_with("out", &["--workers", "true"]);
        assert_eq!(refused.code, Some(2), "{}", refused.err);
        assert!(refused.err.contains(due), "{}", refused.err);
    }
}
