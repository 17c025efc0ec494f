//! `blokus-zero`, which needs a network.

use std::process::Command;

use games::blokus::Board;

use super::play;
use super::server::{open, over, result};
use crate::native_server::Script;

const FIXTURE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../models/fixtures/tiny-fast.onnx"
);

#[test]
fn it_plays_a_whole_game() {
    let mut script = Script::start(|server| {
        open(server, 0, 0);
        let (mut board, mut moves) = (Board::new(), Vec::new());
        while let Some(colour) = board.to_move() {
            let ply = u32::from(board.ply());
            board.legal_moves(&mut moves);
            let mut mv = moves[moves.len() - 1].to_string();
            if colour.seat() == 0 {
                server.ask(1, ply);
                mv = server.hear_move().1;
            }
            server.moved(2 + u64::from(ply), ply, colour.seat(), &mv);
            board.play(mv.parse().expect("a placement")).expect(&mv);
        }
        server.tell(&[result(&[2, 1, 4, 3], &[0; 4]), over()]);
    });
    let options =
        format!("--engine blokus-zero --model {FIXTURE} --nn-engine rten --simulations 8 --json");
    let (summary, out) = play(script.port, &options, "");
    script.finish();
    let summary = summary.expect("a match");
    assert!(
        summary.thinking.decisions > 10,
        "{}",
        summary.thinking.decisions
    );
    assert_eq!((summary.thinking.corrected, summary.disagreements), (0, 0));
    assert!(out.contains("\"model\":\"tiny-fast.onnx\"") && out.contains("\"nn_engine\":\"rten\""));
}

#[test]
fn without_its_network_it_does_not_even_connect() {
    for (options, words) in [
        (
            "--engine blokus-zero --model absent.onnx",
            ["absent.onnx", "--model"],
        ),
        (
            "--gtp --engine blokus-zero --model absent.onnx",
            ["absent.onnx", "--model"],
        ),
        (
            "--engine blokus-zero --model Cargo.toml",
            ["Cargo.toml", "--model"],
        ),
        (
            "--gtp --engine blokus-zero --model ../models/fixtures/tiny-score-four.onnx",
            ["score-four", "--model"],
        ),
        (
            "--engine best --simulations 9",
            ["--simulations", "--playouts"],
        ),
        (
            "--engine best --precision fp32",
            ["--precision", "blokus-zero"],
        ),
        (
            "--engine blokus-zero --precision int8 --model ../models/fixtures/tiny-paper.onnx",
            ["tiny-paper", "int8"],
        ),
        ("--engine best --lazy 3", ["--lazy", "blokus-zero"]),
        (
            "--engine blokus-zero --lazy 3 --batch 2 --model ../models/fixtures/tiny-fast.onnx",
            ["--lazy", "batches"],
        ),
        (
            "--engine best --leaf-playouts 2",
            ["--leaf-playouts", "blokus-zero"],
        ),
        (
            "--engine blokus-zero --leaf-playouts 1001",
            ["--leaf-playouts", "1000"],
        ),
        ("--engine human --model x.onnx", ["--model", "human"]),
        ("--engine brs --threads 2", ["--threads", "one thread"]),
        (
            "--engine blokus-zero --simulations 9 --playouts 9",
            ["--simulations", "--playouts"],
        ),
    ] {
        // A client of a port without a listener ends with 3.
        let output = Command::new(env!("CARGO_BIN_EXE_blokus"))
            .args(options.split_whitespace())
            .args(if options.contains("--gtp") {
                &[][..]
            } else {
                &["--port", "1", "--connect-timeout", "0"]
            })
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("the program");
        let text = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "{options}: {text}");
        assert!(output.stdout.is_empty());
        assert!(
            words.iter().all(|word| text.contains(word)),
            "{options}: {text}"
        );
    }
}
