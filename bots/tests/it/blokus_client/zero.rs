//! `blokus-zero`, which needs a network.

use std::process::Command;

/// Command lines, each with words of its error.
const REFUSED: &str = "\
--engine blokus-zero --model absent.onnx => absent.onnx, --model
--gtp --engine blokus-zero --model absent.onnx => absent.onnx, --model
--engine blokus-zero --model Cargo.toml => Cargo.toml, --model
--gtp --engine blokus-zero --model ../models/fixtures/tiny-score-four.onnx => score-four, --model
--engine best --simulations 9 => --simulations, --playouts
--engine best --precision fp32 => --precision, blokus-zero
--engine blokus-zero --precision int8 --model ../models/fixtures/tiny-paper.onnx => tiny-paper, int8
--engine best --lazy 3 => --lazy, blokus-zero
--engine blokus-zero --lazy 3 --batch 2 --model ../models/fixtures/tiny-fast.onnx => --lazy, batches
--engine best --leaf-playouts 2 => --leaf-playouts, blokus-zero
--engine blokus-zero --leaf-playouts 1001 => --leaf-playouts, 1000
--engine human --model x.onnx => --model, human
--engine brs --threads 2 => --threads, one thread
--engine blokus-zero --simulations 9 --playouts 9 => --simulations, --playouts";

#[test]
fn without_its_network_it_does_not_even_connect() {
    for case in REFUSED.lines() {
        let (options, words) = case.split_once(" => ").expect(case);
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
            words.split(", ").all(|word| text.contains(word)),
            "{options}: {text}"
        );
    }
}
