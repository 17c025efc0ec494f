//! What `taikyoku-lab selfplay` refuses before it leaves anything behind, and games of Dobutsu shogi from it.

use std::process::Command;

use taikyoku_lab::self_play::Archive;

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
            "play score-four --out g --games 1 --mate 7 --model FIXTURES/tiny-score-four.onnx",
            "--mate",
        ),
        (
            "play dobutsu --out g --games 1 --alpha 0.34 --model FIXTURES/tiny-dobutsu.onnx",
            "--paper",
        ),
        (
            "play dobutsu --out g --games 1 --paper --noise 2 --model FIXTURES/tiny-dobutsu.onnx",
            "--noise",
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

/// The paper's procedure: games by PUCT with its noise, which end at the second occurrence of a position or where a lion
/// can be caught, and become positions and targets.
#[test]
fn dobutsu_shogi_is_played_and_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let lab = |arguments: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_taikyoku-lab"))
            .arg("selfplay")
            .args(arguments.split_whitespace())
            .current_dir(&folder)
            .output()
            .expect("the program");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments}: {text}");
        output.stdout
    };
    let model = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../models/fixtures/tiny-dobutsu.onnx"
    );
    let play = format!(
        "play dobutsu --model {model} --nn-engine rten --games 6 --paper --simulations 12 --fast-simulations 12 \
         --exploration 1.0 --drawn-plies 8"
    );
    let games = |name: &str, more: &str| {
        lab(&format!("{play} --out {name} {more}"));
        std::fs::read(folder.path().join(name)).expect("games")
    };
    let noisy = games("a.tkg", "--alpha 0.34 --noise 0.25 --mate 3");
    assert_eq!(noisy, games("b.tkg", "--alpha 0.34 --noise 0.25 --mate 3"));
    assert_ne!(noisy, games("c.tkg", "--alpha 30 --noise 0.25 --mate 3"));
    assert_ne!(noisy, games("d.tkg", "--noise 0 --mate 3"));
    let records = Archive::read(&folder.path().join("a.tkg"), "dobutsu").expect("games");
    assert_eq!(records.len(), 6);
    for record in &records {
        assert!(record.plies.iter().all(|ply| ply.is_lesson));
        assert!((record.rewards[0] + record.rewards[1] - 1.0).abs() < 1e-6);
    }
    let blocks = lab("encode dobutsu a.tkg");
    let word = |at: usize| u32::from_le_bytes(*blocks[at..].first_chunk().expect("a word"));
    assert_eq!((word(12), word(16), word(24)), (21, 2, 144));
}
