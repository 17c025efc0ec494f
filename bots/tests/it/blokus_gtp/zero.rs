//! `blokus-zero`, which needs a network.

use super::controller::Controller;

/// A tiny network with random weights for a layout.
fn fixture(name: &str) -> String {
    format!(
        "{}/../models/fixtures/{name}.onnx",
        env!("CARGO_MANIFEST_DIR")
    )
}

fn start(name: &str, more: &str) -> Controller {
    let model = fixture(name);
    Controller::start(&format!(
        "--engine blokus-zero --model {model} --nn-engine rten {more}"
    ))
}

#[test]
fn its_parameters_are_known_and_wrong_ones_change_nothing() {
    let mut engine = start("tiny-fast", "--simulations 6");
    let before = engine.must("param");
    let model = fixture("tiny-fast");
    assert!(before.starts_with("fixed_simulations 6\n"), "{before}");
    assert!(
        before.ends_with(&format!(
            "\nmodel {model}\nnn_engine rten\nprecision auto\nbatch 1\nlazy auto\nleaf_playouts 4"
        )),
        "{before}"
    );
    for wrong in [
        "model absent.onnx",
        "nn_engine x",
        "lazy x",
        "lazy 1000001",
        "precision int4",
        "batch 0",
        "batch 2000",
        "leaf_playouts 1001",
        "model",
    ] {
        engine.ask(&format!("param {wrong}")).expect_err(wrong);
        assert_eq!(engine.must("param"), before);
    }
    let other = fixture("tiny-paper");
    engine.must(&format!("param model {other}"));
    engine.must("param precision fp32");
    engine.must("param batch 4");
    engine.must("param lazy 0");
    engine
        .ask("param lazy 9")
        .expect_err("one search or the other");
    engine.must("param leaf_playouts 0");
    assert!(engine.must("param").ends_with(&format!(
        "\nmodel {other}\nnn_engine rten\nprecision fp32\nbatch 4\nlazy 0\nleaf_playouts 0"
    )));
    engine.must("genmove 1");
    assert_ne!(engine.must("move_values"), "");
    // Other engines do not know them.
    let mut other = Controller::start("--engine greedy");
    other
        .ask(&format!("param model {model}"))
        .expect_err("no network");
    assert!(!other.must("param").contains("batch"));
}
