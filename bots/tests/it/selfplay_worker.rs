//! What `taikyoku-lab selfplay` refuses before it leaves anything behind.

use std::process::Command;

#[test]
fn what_cannot_be_begun_with_is_a_wrong_command_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/fixtures");
    for (arguments, word) in [
        (
            "play blokus-fast --out g --games 1 --model absent.onnx",
            "absent.onnx",
        ),
        (
            "play blokus-x --out g --games 1 --model FIXTURES/tiny-fast.onnx",
            "blokus-x",
        ),
        (
            "play blokus-fast --out g --games 1 --model FIXTURES/tiny-paper.onnx",
            "blokus-paper",
        ),
        (
            "play score-four --out g --games 1 --leaf-playouts 2 --model FIXTURES/tiny-score-four.onnx",
            "--leaf-playouts",
        ),
        (
            "play blokus-fast --out g --games 1 --precision int8 --model FIXTURES/tiny-paper.onnx",
            "int8",
        ),
        (
            "teach --out g --games 1 --engine blokus-zero:model=absent.onnx",
            "absent.onnx",
        ),
        ("encode blokus-x g", "blokus-x"),
        ("evaluate absent.onnx g", "absent.onnx"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_taikyoku-lab"))
            .arg("selfplay")
            .args(arguments.replace("FIXTURES", fixtures).split_whitespace())
            .current_dir(&folder)
            .output()
            .expect("the program");
        let text = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "{arguments}: {text}");
        assert!(text.contains(word), "{arguments}: {text}");
        assert!(!folder.path().join("g").exists(), "{arguments}");
    }
}
