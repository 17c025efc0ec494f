//! Engines that speak on standard input and output, seated over TCP by `engine-bridge`: a good one plays as anyone
//! does, and each fault of an engine has its own end at the server.
use std::process::{Child, Command, Stdio};

use end_to_end::native::{Client, Random};
use end_to_end::patience::{at_once, wait_for};
use end_to_end::programs::{self, Ended, end_of};
use end_to_end::run::{Finished, Server};
use record::{EndKind, What};
use serde_json::json;

const ENGINE: &str = env!("CARGO_BIN_EXE_mock-gtp-engine");

/// A bridge with the mock engine in a mode, or with a shell's script, and its standard error.
fn bridge(port: u16, name: &str, options: &[&str], engine: &[&str]) -> Child {
    Command::new(programs::engine_bridge())
        .args(["gtp", "--host", "127.0.0.1", "--port", &port.to_string()])
        .args(["--name", name])
        .args(options)
        .arg("--")
        .args((engine[0] != "sh").then_some(ENGINE))
        .args(engine)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the bridge starts")
}

/// The exit status and standard error of a program that ends by itself.
fn ended(child: Child) -> (Option<i32>, String) {
    let Ended { code, err, .. } = end_of(child);
    (code, err)
}

/// A match of an engine, which comes first, against three players that draw their moves: the ends of the engine's
/// games, what the server left, and status and standard error of the bridge.
fn play(server_options: &str, engine: &[&str]) -> (Vec<EndKind>, Finished, Option<i32>, String) {
    let server = Server::serve(&format!("blokus --once --json {server_options}"));
    let first = bridge(server.port, "engine", &[], engine);
    let others = ["bo", "cho", "dan"].into_iter().zip(1..);
    let others = others.map(|(name, seed)| Random::new(name, seed).sit(server.port));
    let others: Vec<_> = others.collect();
    for other in others {
        other.join().expect("a player");
    }
    let (status, stderr) = ended(first);
    server.wait_for_results(1);
    server.replay_all();
    let finished = server.finish();
    let record = &finished.records[0];
    let names = record.header.players.iter().map(|player| &player.name[..]);
    let player = names.into_iter().position(|name| name == "engine");
    let player = player.expect("the engine has played");
    let kinds = record.events.iter().filter_map(|event| match &event.what {
        What::End { kinds, .. } => Some(kinds.get(player).copied().unwrap_or_default()),
        _ => None,
    });
    (kinds.collect(), finished, status, stderr)
}

#[test]
fn a_good_engine_plays_all_games_of_a_match() {
    for mode in ["good", "no-numbers", "stay"] {
        let options = "--games 4 --random-plies 5 --seed 3";
        let (kinds, finished, status, stderr) = play(options, &[mode]);
        assert_eq!(kinds, [EndKind::Normal; 4], "{stderr}");
        assert_eq!((status, &stderr[..]), (Some(0), ""));
        assert_eq!(finished.json()["faults"], json!([{}, {}, {}, {}]));
    }
}

#[test]
fn four_engines_at_one_table_keep_each_other_company() {
    let server = Server::serve("blokus --once --json --games 4");
    let names = ["ana", "bo", "cho", "dan"];
    let bridges = names.map(|name| bridge(server.port, name, &["--move-ms", "250"], &["good"]));
    for child in bridges {
        let told = "move_ms is 250\n".to_owned();
        assert_eq!(ended(child), (Some(0), told));
    }
    let finished = server.finish();
    assert_eq!(finished.json()["faults"], json!([{}, {}, {}, {}]));
    assert_eq!(finished.json()["ends"], json!({"no-moves": 4}));
}

#[test]
fn a_fault_of_an_engine_ends_its_game_as_what_it_is() {
    let modes = [
        ("illegal", EndKind::Illegal),
        ("unreadable", EndKind::Illegal),
        // An error is no move.
        ("fails", EndKind::Crash),
        ("pass", EndKind::Illegal),
        ("resign", EndKind::Resign),
        // What it writes is no answer, and none comes.
        ("garbage", EndKind::Timeout),
        // It answers later than the clock allows, and is back for the next game.
        ("slow", EndKind::Timeout),
    ];
    at_once(modes, |(mode, kind)| {
        let (kinds, _, status, stderr) = play("--games 2 --move-ms 3000", &[mode, "3"]);
        assert_eq!(kinds, [kind, EndKind::Normal], "{mode}: {stderr}");
        assert_eq!(status, Some(0), "{mode}: {stderr}");
        assert!(!stderr.contains("misled"), "{mode}: {stderr}");
    });
}

#[test]
fn an_engine_that_stands_still_loses_on_time() {
    let (kinds, _, status, stderr) = play("--games 1 --move-ms 2000", &["stall", "2"]);
    assert_eq!(kinds, [EndKind::Timeout], "{stderr}");
    assert_eq!(status, Some(0), "{stderr}");
}

#[test]
fn an_engine_that_ends_costs_its_games_and_not_the_match_of_the_others() {
    let options = "--games 5 --resume-ms 100";
    let (kinds, finished, status, stderr) = play(options, &["crash", "2"]);
    // It is started anew for the next game, but not for ever.
    let (lost, gone) = (EndKind::Crash, EndKind::Disconnect);
    assert_eq!(kinds, [lost, lost, lost, gone, gone], "{stderr}");
    assert_eq!(finished.status.code(), Some(0));
    let json = finished.json();
    let names = json["names"].as_array().expect("names");
    let player = names.iter().position(|name| name == "engine");
    let faults = &json["faults"][player.expect("the engine has played")];
    assert_eq!(*faults, json!({"crash": 3, "disconnect": 2}));
    assert_eq!(status, Some(1));
    assert_eq!(stderr.matches("starts it anew").count(), 2, "{stderr}");
    assert!(
        stderr.contains("the engine has ended: exit status: 3"),
        "{stderr}"
    );
}

#[test]
fn an_engine_that_ends_once_plays_all_other_games() {
    // It has 21 pieces: it ends in the second game, and its second process not in the third.
    let (kinds, finished, status, stderr) = play("--games 3", &["crash", "25"]);
    let (good, lost) = (EndKind::Normal, EndKind::Crash);
    assert_eq!(kinds, [good, lost, good], "{stderr}");
    assert_eq!(finished.status.code(), Some(0));
    assert!(stderr.contains("the bridge gives up game 2"), "{stderr}");
    let end = "exit status: 3 (once in the match, which was played to its end)";
    assert!(status == Some(1) && stderr.contains(end), "{stderr}");
}

#[test]
fn a_granted_retry_is_taken_from_the_same_position() {
    let options = "--games 2 --retries 1";
    let (kinds, _, status, stderr) = play(options, &["illegal", "3"]);
    assert_eq!(kinds, [EndKind::Normal; 2], "{stderr}");
    assert_eq!(status, Some(0), "{stderr}");
}

#[test]
fn an_engine_that_talks_between_its_answers_plays_on() {
    let (kinds, _, status, stderr) = play("--games 2", &["chatty"]);
    assert_eq!(kinds, [EndKind::Normal; 2], "{stderr}");
    assert_eq!(status, Some(0), "{stderr}");
    // It is told a few times, however much it talks.
    for words in ["such as `loading`", "what was not asked: `= by the way`"] {
        let told = stderr.matches(words).count();
        assert!((1..=3).contains(&told), "{told} times {words}: {stderr}");
    }
}

#[test]
fn an_engine_that_floods_its_output_is_ended() {
    for (mode, words) in [
        // The last line may be cut where the output was read last.
        ("flood", "floods its standard output: `info: "),
        (
            "endless",
            "floods its standard output: an answer without an end",
        ),
    ] {
        let options = "--games 2 --resume-ms 100";
        let (kinds, _, status, stderr) = play(options, &[mode, "2"]);
        assert_eq!(kinds, [EndKind::Disconnect; 2], "{mode}: {stderr}");
        assert_eq!(status, Some(1));
        assert!(stderr.contains(words), "{stderr}");
        assert!(stderr.lines().count() <= 5, "{stderr}");
    }
}

#[test]
fn an_engine_that_does_not_answer_at_its_start_is_not_waited_for() {
    let (status, stderr) = ended(bridge(1, "-x", &["--start-timeout", "1"], &["mute"]));
    assert_eq!(status, Some(2));
    let words = "the engine did not answer `list_commands` within 1 s";
    assert!(stderr.contains(words), "{stderr}");
}

#[test]
fn an_engine_that_does_not_start_never_connects() {
    let (status, stderr) = ended(bridge(1, "x", &[], &["crash-at-start"]));
    assert_eq!(status, Some(1));
    assert!(
        stderr.contains("the engine has ended: exit status: 5"),
        "{stderr}"
    );
    let mut absent = Command::new(programs::engine_bridge());
    let absent = absent.args(["gtp", "--port", "1", "--", "no-such-engine-here"]);
    let Ended { code, err, .. } = programs::ended(absent);
    assert_eq!(code, Some(2));
    assert!(err.contains("no-such-engine-here does not start"), "{err}");
}

fn children(parent: u32) -> Vec<u32> {
    let path = format!("/proc/{parent}/task/{parent}/children");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace()
        .filter_map(|id| id.parse().ok())
        .collect()
}

#[cfg(target_os = "linux")]
#[test]
fn the_engine_ends_with_a_bridge_that_is_killed() {
    let server = Server::serve("blokus");
    let mut child = bridge(server.port, "x", &[], &["good"]);
    let engine = wait_for("an engine", || children(child.id()).first().copied());
    child.kill().expect("a child");
    child.wait().expect("a child");
    let folder = format!("/proc/{engine}");
    wait_for("the end of the engine", || {
        let status = std::fs::read_to_string(format!("{folder}/status")).unwrap_or_default();
        (status.is_empty() || status.contains("zombie")).then_some(())
    });
}

/// An engine of USI that plays what it is told for each position, and writes down what it reads.
const USI_ENGINE: &str = r#"
while read -r line; do
    echo "$line" >> commands
    case "$line" in
        usi)
            echo "id name Script"
            echo "option name VariantPath type string default <empty>"
            echo "option name USI_Variant type combo default shogi var dobutsu var shogi"
            echo "option name Threads type spin default 1 min 1 max 8"
            echo usiok ;;
        isready) echo loading; echo readyok ;;
        position*) position="${line#position startpos}" ;;
        go*)
            echo "info depth 1 nodes 4 score cp 0 pv 2c2b"
            case "$position" in
                "") echo bestmove 2c2b ponder 3a3b ;;
                " moves 2c2b 3a3b") echo "bestmove 2b2a+" ;;
                *) echo bestmove resign ;;
            esac ;;
        quit) exit ;;
    esac
done
"#;

/// A bridge of USI with a shell's script as its engine.
fn usi_bridge(port: u16, options: &[&str], script: &str) -> Child {
    Command::new(programs::engine_bridge())
        .args(["usi", "--host", "127.0.0.1", "--port", &port.to_string()])
        .args(options)
        .args(["--", "sh", "-c"])
        .arg(script.replace("echo \"$line\" >> commands", ""))
        .stderr(Stdio::piped())
        .spawn()
        .expect("the bridge starts")
}

/// Engines that need more time to get ready for a game than they have for a move.
#[test]
fn options_that_an_engine_does_not_have_are_refused_before_it_sits_down() {
    for (option, says) in [
        (
            "NoSuch=1",
            "the engine has no option `NoSuch`: it has `VariantPath`",
        ),
        (
            "Threads=9",
            "`Threads` takes a whole number from 1 to 8, not `9`",
        ),
        ("VariantPath=a\nb", "more than one line"),
    ] {
        // No program listens at the port.
        let (status, stderr) = ended(usi_bridge(1, &["--option", option], USI_ENGINE));
        assert_eq!(status, Some(2), "{stderr}");
        assert!(stderr.contains(says), "{stderr}");
    }
    let checked = usi_bridge(1, &["--check", "--option", "Threads=8"], USI_ENGINE);
    let (status, stderr) = ended(checked);
    assert_eq!(status, Some(0), "{stderr}");
}

#[test]
fn a_record_names_the_engine_however_long_its_name_is() {
    let long = USI_ENGINE.replace("id name Script", &format!("id name {}", "N将".repeat(2500)));
    let server = Server::serve("dobutsu --games 1 --once --json");
    let first = usi_bridge(server.port, &[], &long);
    let mut other = Client::seated(server.port, "other");
    other.wait_for("game");
    other.say(r#"{"type":"resign"}"#);
    other.wait_for("over");
    ended(first);
    let finished = server.finish();
    let mut players = finished.records[0].header.players.iter();
    let engine = players.find(|player| player.name == "N将".repeat(32));
    let client = engine.expect("its name").client.as_deref();
    let client = client.expect("what it calls itself");
    assert!(client.starts_with("engine-bridge 0."), "{client}");
    assert!(client.contains(": N将N将"), "{client}");
}

#[test]
fn an_engine_of_usi_plays_by_the_third_occurrence() {
    let server = Server::serve("dobutsu --once --json --move-ms 5000");
    let folder = server.folder.path();
    let port = server.port.to_string();
    let engine = Command::new(programs::engine_bridge())
        .args(["usi", "--host", "127.0.0.1", "--port", &port])
        .args(["--option", "Threads=2", "--", "sh", "-c", USI_ENGINE])
        .current_dir(folder)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the bridge starts");
    wait_for("the engine's seat", || {
        let commands = std::fs::read_to_string(folder.join("commands"));
        commands
            .is_ok_and(|text| text.contains("isready"))
            .then_some(())
    });
    let mut other = Client::seated(server.port, "other");
    for _ in 0..2 {
        let view = other.wait_for("view");
        other.wait_for("request");
        other.play(if view["seat"] == 0 { "2c2b" } else { "3a3b" });
        other.wait_for("result");
    }
    other.wait_for("over");
    let (status, stderr) = ended(engine);
    assert_eq!(status, Some(0), "{stderr}");
    let commands = std::fs::read_to_string(folder.join("commands")).expect("what it has read");
    for command in [
        "setoption name VariantPath value /",
        "setoption name USI_Variant value dobutsu-three",
        "setoption name Threads value 2",
        "usinewgame",
        "position startpos moves 2c2b",
        "go btime 0 wtime 0 byoyomi 49",
        "quit",
    ] {
        assert!(commands.contains(command), "{command}: {commands}");
    }
    let finished = server.finish();
    let kinds = finished.records[0]
        .events
        .iter()
        .filter_map(|event| match &event.what {
            What::End { kinds, .. } => Some(kinds.clone()),
            _ => None,
        });
    let mut kinds: Vec<EndKind> = kinds.flatten().collect();
    kinds.sort_unstable_by_key(|kind| kind.as_str());
    assert_eq!(
        kinds,
        [
            EndKind::Normal,
            EndKind::Normal,
            EndKind::Normal,
            EndKind::Resign
        ]
    );
}
