//! The evaluation of Blokus, from games to an engine that plays by it.

use std::process::Command;

use bots::blokus::EngineOptions;
use bots::engine::OpenPosition as _;
use bots::spec::Specified as _;
use games::blokus::Board;

/// Games of the laboratory teach an evaluation, by which the engine plays otherwise; a file that is none is named.
#[test]
fn an_evaluation_is_learned_from_games_and_played_by() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (games, network) = (path("games.tkg"), path("network.i16"));
    let lab = |words: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_taikyoku-lab"))
            .args(words)
            .output()
            .expect("the laboratory starts");
        let said = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        (output.status.code(), said)
    };
    let teach = "selfplay teach --engine best:playouts=2:trust=0 --games 3 --out".split(' ');
    let teach: Vec<&str> = teach.chain([&games[..]]).collect();
    assert_eq!(lab(&teach).0, Some(0));
    let train = ["train", "blokus-evaluation", "--passes", "1", "--out"];
    let (code, said) = lab(&[&train[..], &[&network, &games]].concat());
    assert!(code == Some(0) && said.contains("3 games, "), "{said}");
    let board = Board::random_opening(12, 2);
    let values = |text: &str| {
        let options: EngineOptions = text.parse().expect(text);
        let mut engine = options.build(1).expect(text);
        engine.choose(&board, None);
        engine.values()
    };
    let learned = values(&format!("best:playouts=60:evaluation={network}"));
    assert_ne!(learned, values("best:playouts=60"));
    assert_eq!(
        values(&format!("best:playouts=60:trust=0:evaluation={network}")),
        values("best:playouts=60:trust=0")
    );
    let options: EngineOptions = format!("best:evaluation={games}").parse().expect("words");
    let error = options.build(1).err().expect("a file of games is none");
    let error = error.to_string();
    assert!(
        error.contains(&games) && error.contains("bytes where"),
        "{error}"
    );
}
