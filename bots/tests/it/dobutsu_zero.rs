//! `alphazero` of Dobutsu shogi with the tiny network of the crate `models`.

use std::io::Cursor;
use std::path::PathBuf;
use std::time::Duration;

use games::Game as _;
use games::dobutsu::{Dobutsu, Rules};
use models::NetworkError;
use taikyoku_bots::BuildError;
use taikyoku_bots::dobutsu::usi::{UsiSession, run};
use taikyoku_bots::dobutsu::{DobutsuEngine, EngineOptions, Limits, Line, Report};
use taikyoku_bots::engine::{OpenPosition as _, play_game};
use taikyoku_bots::search::StopFlag;
use taikyoku_bots::search::network::{ModelError, Networked as _};
use taikyoku_bots::spec::Specified as _;

fn options(more: &str) -> EngineOptions {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/fixtures");
    let model = PathBuf::from(folder).join("tiny-dobutsu.onnx");
    let text = format!("alphazero:model={}:nn=rten:{more}", model.display());
    text.parse().expect("a specification")
}

fn engine(more: &str) -> Box<dyn DobutsuEngine> {
    options(more).build(1).expect("a network")
}

fn game_of(text: &str) -> Dobutsu {
    Dobutsu::read(&Rules::default(), text).expect(text)
}

#[test]
fn it_plays_legally_and_the_same_again() {
    for more in [
        "simulations=24",
        "simulations=24:c=2:batch=4",
        "simulations=24:log=on:mate=1",
    ] {
        let play = |seed| {
            let (a, b) = (engine(more), engine("simulations=8"));
            let game =
                play_game(&mut [a, b], Dobutsu::random_opening(2, seed)).expect("legal moves");
            game.end.position()
        };
        for seed in 0..3 {
            assert_eq!(play(seed), play(seed), "{more}");
        }
    }
    let mut two = engine("simulations=40:threads=2:batch=2");
    let game = Dobutsu::random_opening(2, 1);
    assert!(game.board().is_legal(two.choose(&game, None)));
    let reasons = two.explain().expect("reasons");
    assert_eq!(reasons["simulations"], 40);
    assert_eq!(reasons["engine"], "alphazero");
    assert_eq!(reasons["model"], "tiny-dobutsu.onnx");
}

#[test]
fn a_search_without_end_tells_what_it_has_found_until_it_is_stopped() {
    let mut engine = engine("mate=1");
    let stop = StopFlag::default();
    let mut told = Vec::new();
    let mut tell = |report: &Report<'_>| {
        told.push((report.line[0], report.nodes));
        if told.len() == 2 {
            stop.raise();
        }
    };
    let mv = stop.guard(|| engine.think(&game_of(""), &Limits::default(), &mut tell));
    let [(_, first), (_, second), last] = told[..] else {
        panic!("{told:?}");
    };
    assert!(0 < first && first < second && second <= last.1, "{told:?}");
    assert_eq!(last.0, mv);
    let simulations = engine.explain().expect("reasons")["simulations"].as_u64();
    assert_eq!(simulations, Some(last.1));
}

#[test]
fn wins_of_few_plies_are_seen_whatever_the_network_thinks() {
    // The lion can be caught at once, and after two more moves.
    for (position, plies) in [
        ("sfen gle/1G1/1C1/1LE b - 1", 1),
        ("sfen 1l1/3/1CL/3 b GE 1", 5),
    ] {
        let game = game_of(position);
        let mut engine = engine("simulations=4");
        let mv = engine.choose(&game, None);
        let reasons = engine.explain().expect("reasons");
        assert_eq!(reasons["win"], plies, "{position}: {mv} {reasons}");
    }
    // Without the search before it, the tree finds them: ends are exact in it.
    let mut engine = engine("simulations=2000:mate=1");
    engine.choose(&game_of("sfen 1l1/3/1CL/3 b GE 1"), None);
    let value = engine.explain().expect("reasons")["value"].clone();
    assert!(value.as_f64() > Some(0.9), "{value}");
}

#[test]
fn limits_end_it() {
    let game = Dobutsu::random_opening(4, 3);
    let mut engine = engine("simulations=30");
    let mut think = |limits: Limits| {
        let mut told = 0;
        let mv = engine.think(&game, &limits, &mut |report| {
            assert_eq!(report.line.len(), 1);
            told += 1;
        });
        assert!(game.board().is_legal(mv));
        assert_eq!(told, 1);
        engine.explain().expect("reasons")
    };
    let nodes = Limits {
        nodes: Some(20),
        ..Limits::default()
    };
    assert_eq!(think(nodes)["simulations"], 20);
    // Plies are no limit of its search: its own holds.
    let depth = Limits {
        depth: Some(3),
        ..Limits::default()
    };
    assert_eq!(think(depth)["simulations"], 30);
    let stop = StopFlag::default();
    stop.raise();
    assert_eq!(stop.guard(|| think(Limits::default()))["simulations"], 0);
    let none = Limits {
        time: Some(Duration::ZERO),
        ..Limits::default()
    };
    think(none);
}

#[test]
fn it_is_a_usi_engine() {
    let mut output = Vec::new();
    let lines = "usi\nsetoption name Threads value 2\nposition startpos moves 2c2b\ngo nodes 50\n";
    let session = UsiSession::new(options("simulations=9"), 1);
    run(session, Cursor::new(lines), &mut output).expect("nothing breaks");
    let output = String::from_utf8(output).expect("text");
    for due in [
        "option name Engine type combo default alphazero ",
        "option name Threads type spin default 1 ",
        "option name Model type filename default ",
        "tiny-dobutsu.onnx",
        "info ",
        " nodes 50 ",
        "\nbestmove ",
    ] {
        assert!(output.contains(due), "{due}: {output}");
    }
}

#[test]
fn what_is_wrong_with_a_network_is_told() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/fixtures");
    let wrong = |name: &str| {
        let text = format!("alphazero:nn=rten:model={folder}/{name}");
        let options: EngineOptions = text.parse().expect("a specification");
        options.build(1).err().expect("an error")
    };
    let error = wrong("tiny-score-four.onnx");
    assert!(
        matches!(&error, BuildError::Model(ModelError::Layout { found, layouts, .. })
            if found.contains("score-four") && layouts == "dobutsu"),
        "{error}"
    );
    let error = wrong("absent.onnx");
    assert!(
        matches!(
            error,
            BuildError::Model(ModelError::Network(NetworkError::Read { .. }))
        ),
        "{error}"
    );
    let none = ModelError::NoModel {
        engine: Line::ENGINE,
        model: Line::MODEL,
        program: "/bin".into(),
        here: "/tmp".into(),
    };
    let text = none.to_string();
    for word in [
        "alphazero needs a network",
        "models/dobutsu/",
        "--model FILE",
    ] {
        assert!(text.contains(word), "{text}");
    }
    for text in ["alphazero:nn=x", "alphazero:c=-1", "alphabeta:c=1"] {
        text.parse::<EngineOptions>().expect_err(text);
    }
}
