//! `blokus-zero` with the tiny networks of the crate `models`.

use std::path::PathBuf;
use std::sync::Arc;

use games::blokus::{Board, Placement, SEATS, Scene};
use models::blokus::{Fast, Paper};
use models::{Encoding, Network, NetworkError, NnEngine};
use serde_json::json;
use taikyoku_bots::BuildError;
use taikyoku_bots::blokus::EngineOptions;
use taikyoku_bots::engine::{OpenPosition as _, play_game};
use taikyoku_bots::search::network::{
    LeafEvaluator as _, Model, ModelError, ModelOptions, NetworkEvaluator,
};
use taikyoku_bots::spec::Specified as _;

fn fixture(name: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/fixtures");
    PathBuf::from(folder).join(name)
}

fn options(name: &str, more: &str) -> EngineOptions {
    let model = fixture(name);
    let text = format!("blokus-zero:model={}:nn=rten:{more}", model.display());
    text.parse().expect("a specification")
}

/// What the bot's evaluator says of positions of a game, put in by threes, against the network itself.
fn agrees<E: Encoding<Position = Scene, Move = Placement>>(name: &str) {
    let (path, rten) = (fixture(name), NnEngine::Rten);
    let mut network = Network::open(&path, &E::LAYOUT, rten).expect("a network");
    let model = Model::<Scene>::open(ModelOptions {
        model: Some(path),
        nn_engine: rten,
        ..ModelOptions::default()
    });
    let model = model.expect("a model");
    let share = model.score_share(0.25);
    let mut evaluator = NetworkEvaluator::new(Arc::new(model), share);
    let (mut moves, mut logits) = (Vec::new(), Vec::new());
    let mut scene = Scene::new();
    let mut waiting: Vec<(Scene, Vec<Placement>)> = Vec::new();
    while scene.board().to_move().is_some() {
        scene.board().legal_moves(&mut moves);
        waiting.push((scene, moves.clone()));
        scene.play_unchecked(moves[moves.len() * 2 / 3]);
        if waiting.len() < 3 {
            continue;
        }
        evaluator.clear();
        for (scene, moves) in &waiting {
            evaluator.add(scene, moves);
        }
        evaluator.evaluate().expect("answers");
        for (number, (scene, moves)) in waiting.drain(..).enumerate() {
            let value = evaluator.answer(number, &mut logits);
            let mut packed = vec![0; E::LAYOUT.bytes()];
            E::pack(&scene, &mut packed);
            let outputs = network.evaluate(&packed, 1).expect("answers");
            assert_eq!(logits.len(), moves.len());
            for (&logit, &mv) in logits.iter().zip(&moves) {
                let due = outputs.policy[usize::from(E::logit(&scene, mv))];
                assert!((logit - due).abs() < 1e-4, "{logit} {due}");
            }
            let mover = scene.board().to_move().expect("a mover").index();
            for seat in 0..SEATS {
                let relative = (seat + SEATS - mover) % SEATS;
                let mut due = f64::from(outputs.value[relative]);
                if let Some(scores) = outputs.score {
                    due += share * (f64::from(scores[relative]) - due);
                }
                assert!((value[seat] - due).abs() < 1e-5, "{value:?} {due}");
            }
        }
    }
}

#[test]
fn the_evaluator_says_what_the_network_says() {
    agrees::<Fast>("tiny-fast.onnx");
    agrees::<Paper>("tiny-paper.onnx");
}

#[test]
fn seats_play_whole_games_with_one_network() {
    let zero = options("tiny-fast.onnx", "simulations=6");
    let batched = options("tiny-paper.onnx", "simulations=6:batch=3");
    let mut engines = [&zero, &batched, &zero, &batched].map(|it| it.build(1).expect("an engine"));
    let game = play_game(&mut engines, Board::random_opening(4, 1)).expect("legal moves");
    assert_eq!(game.end.to_move(), None);
    assert!(game.usage.iter().all(|usage| usage.work > 0));
    let again = play_game(&mut engines, Board::random_opening(4, 1)).expect("legal moves");
    assert_eq!(game.end, again.end);
    // The seats have one network, for they never move at the same time.
    let model = zero.models.get(&zero.zero.network).expect("a model");
    let copy = zero.clone();
    assert!(Arc::ptr_eq(
        &model,
        &copy.models.get(&copy.zero.network).expect("a model")
    ));
}

#[test]
fn a_network_that_is_asked_late_plays_whole_games_too() {
    let fast = options("tiny-fast.onnx", "simulations=60:lazy=8");
    let paper = options("tiny-paper.onnx", "simulations=60:lazy=8:weight=4");
    // The moves of several threads depend on timing.
    let threads = options(
        "tiny-paper.onnx",
        "simulations=60:lazy=8:weight=4:threads=2",
    );
    let game = |other| {
        let mut engines = [&fast, other, &fast, other].map(|it| it.build(1).expect("an engine"));
        let game = play_game(&mut engines, Board::random_opening(4, 1)).expect("legal moves");
        assert_eq!(game.end.to_move(), None);
        game.end
    };
    assert_eq!(game(&paper), game(&paper));
    assert!(game(&threads).ply() > 44);
    let mut engine = fast.build(1).expect("an engine");
    engine.choose(&Board::random_opening(8, 1), None);
    let reasons = engine.explain().expect("reasons");
    assert_eq!(reasons["engine"], "blokus-zero");
    assert_eq!(reasons["model"], "tiny-fast.onnx");
    assert_eq!(reasons["playouts"], 60);
    let evaluations = reasons["evaluations"].as_u64().expect("a number");
    assert!((1..30).contains(&evaluations), "{reasons}");
}

#[test]
fn on_time_alone_the_network_is_asked_late() {
    for (more, lazy) in [
        ("ms=20", json!(6)),
        ("ms=20:lazy=3", json!(3)),
        ("ms=20:leaf=0", json!(null)),
        ("ms=20:lazy=0", json!(null)),
        ("simulations=4", json!(null)),
        ("simulations=4:ms=20", json!(null)),
        ("simulations=4:lazy=2", json!(2)),
    ] {
        let mut engine = options("tiny-fast.onnx", more).build(1).expect("an engine");
        engine.choose(&Board::random_opening(8, 1), None);
        let reasons = engine.explain().expect("reasons");
        assert_eq!(reasons["lazy"], lazy, "{more}");
        assert_eq!(
            reasons["leaf_playouts"].is_null(),
            !lazy.is_null(),
            "{more}"
        );
    }
}

#[test]
fn what_is_wrong_with_a_network_is_told() {
    let wrong = |name: &str, more: &str| options(name, more).build(1).err().expect("an error");
    let error = wrong("tiny-score-four.onnx", "ms=1");
    assert!(
        matches!(&error, BuildError::Model(ModelError::Layout { found, .. }) if found.contains("score-four")),
        "{error}"
    );
    let error = wrong("absent.onnx", "ms=1");
    assert!(
        matches!(
            error,
            BuildError::Model(ModelError::Network(NetworkError::Read { .. }))
        ),
        "{error}"
    );
    let error = wrong("expected.json", "ms=1");
    assert!(
        matches!(
            error,
            BuildError::Model(ModelError::Network(NetworkError::NotAModel { .. }))
        ),
        "{error}"
    );
    // There is no 8-bit file beside this one.
    let error = wrong("tiny-paper.onnx", "precision=int8");
    assert!(
        error.to_string().contains("tiny-paper.int8.onnx"),
        "{error}"
    );
    for (more, found) in [
        ("ms=1:lazy=3:leaf=4", BuildError::LazyAndEager),
        ("ms=1:batch=2:lazy=1", BuildError::LazyAndEager),
        ("simulations=9:weight=4", BuildError::WeightAlone),
    ] {
        let error = wrong("tiny-fast.onnx", more).to_string();
        assert_eq!(error, found.to_string(), "{more}");
    }
    for text in ["nn=x", "precision=fp16", "batch=x", "leaf=-1", "moves=1"] {
        let text = format!("blokus-zero:{text}");
        text.parse::<EngineOptions>().expect_err(&text);
    }
    "best:model=x"
        .parse::<EngineOptions>()
        .expect_err("no network");
}
