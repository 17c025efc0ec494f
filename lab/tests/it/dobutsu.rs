//! Positions of the solved game, for networks to learn from, and how much of it players know.

use std::path::PathBuf;
use std::process::Command;

use bots::dobutsu::{Table, Value, solve};
use games::dobutsu::{MoveList, Position};
use models::dobutsu::Dobutsu;
use models::{Encoding as _, Network, NnEngine};
use taikyoku_lab::dobutsu::{Accuracy, Draw, write_samples};

/// The table of a game with one giraffe.
fn table() -> Table {
    let start: Position = "gl1/3/3/1LG w - 1".parse().unwrap();
    let solution = solve(start.board(), 1, &mut |_| ());
    let folder = tempfile::tempdir().unwrap();
    Table::write(folder.path(), &solution.index, &solution.values, 1).unwrap();
    Table::open(folder.path()).unwrap()
}

#[test]
fn positions_are_drawn_with_their_values_and_both_mirror_images() {
    let table = table();
    let mut mirrored = 0;
    for (board, value) in Draw::new(&table, 1).take(2000) {
        assert_eq!(Value::at_once(&board), None);
        assert_eq!(table.board_value(&board), Some(value));
        let index = table.index();
        mirrored += usize::from(index.unrank(index.rank(&board)) != board);
    }
    assert!((800..=1200).contains(&mirrored), "{mirrored}");
    let again: Vec<_> = Draw::new(&table, 1).take(9).collect();
    assert_eq!(again, Draw::new(&table, 1).take(9).collect::<Vec<_>>());
    assert_ne!(again, Draw::new(&table, 2).take(9).collect::<Vec<_>>());
}

#[test]
fn samples_have_the_good_moves_and_the_result() {
    let table = table();
    let mut bytes = Vec::new();
    let mut told = Vec::new();
    write_samples(&table, 7, 5000, &mut bytes, |written| told.push(written)).unwrap();
    assert_eq!(told, [4096, 5000]);

    let word = |at: usize| u32::from_le_bytes(*bytes[at..].first_chunk().unwrap());
    let mut drawn = Draw::new(&table, 7);
    let (mut at, mut legal) = (0, MoveList::new());
    for samples in [4096_usize, 904] {
        let layout = Dobutsu::LAYOUT;
        let moves = word(at + 8) as usize;
        assert_eq!(word(at + 4) as usize, samples);
        let padded = |bytes: usize| bytes.next_multiple_of(4);
        let packed = at + 40;
        let logits = packed + padded(samples * layout.bytes());
        let weights = logits + padded(2 * moves);
        let ends = weights + padded(2 * moves);
        let values = ends + 4 * samples;
        let half = |at: usize| u16::from_le_bytes(*bytes[at..].first_chunk().unwrap());
        let mut first = 0;
        for (i, (board, value)) in drawn.by_ref().take(samples).enumerate() {
            let mut expected = vec![0; layout.bytes()];
            Dobutsu::pack(&board, &mut expected);
            assert_eq!(
                bytes[packed + i * layout.bytes()..][..layout.bytes()],
                expected
            );
            legal.clear();
            board.moves(false, &mut legal);
            let end = word(ends + 4 * i) as usize;
            assert_eq!(end - first, legal.len());
            let mut best = 0;
            for (number, &mv) in (first..end).zip(legal.iter()) {
                assert_eq!(half(logits + 2 * number), Dobutsu::logit(&board, mv));
                let after = table.board_value(&board.after(mv)).unwrap().before();
                let is_good = half(weights + 2 * number) > 0;
                assert!(after <= value);
                match value {
                    Value::Loss(_) => assert_eq!(is_good, after == value),
                    _ => assert_eq!(is_good, after.sign() == value.sign()),
                }
                best += usize::from(is_good);
            }
            assert!(best > 0);
            first = end;
            let share = f32::from_bits(word(values + 8 * i));
            assert!((share * 2.0 - 1.0 - f32::from(value.sign())).abs() < 1e-6);
        }
        // Score, the search's value, and plies.
        at = values + 3 * 8 * samples + padded(2 * samples);
    }
    assert_eq!(at, bytes.len());
}

fn tiny() -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/fixtures");
    PathBuf::from(folder).join("tiny-dobutsu.onnx")
}

/// One position at a time, and from the table alone.
#[test]
fn the_accuracy_of_a_network_is_that_of_its_answers() {
    let table = table();
    let mut network = Network::open(&tiny(), &Dobutsu::LAYOUT, NnEngine::Rten).unwrap();
    let mut due = Accuracy::default();
    let (mut legal, mut packed) = (MoveList::new(), [0; Dobutsu::LAYOUT.bytes()]);
    for (board, value) in Draw::new(&table, 5).take(700) {
        Dobutsu::pack(&board, &mut packed);
        let outputs = network.evaluate(&packed, 1).unwrap();
        let thinks_win = outputs.value[0] > 0.5;
        due.value[0] += u64::from(value != Value::Draw);
        due.value[1] += match value {
            Value::Win(_) => u64::from(thinks_win),
            Value::Loss(_) => u64::from(!thinks_win),
            Value::Draw => 0,
        };
        if let Value::Win(_) = value {
            legal.clear();
            board.moves(false, &mut legal);
            let mut best = (f32::NEG_INFINITY, legal[0]);
            for &mv in &legal {
                let logit = outputs.policy[usize::from(Dobutsu::logit(&board, mv))];
                if logit >= best.0 {
                    best = (logit, mv);
                }
            }
            let after = table.board_value(&board.after(best.1)).unwrap();
            due.policy[0] += 1;
            due.policy[1] += u64::from(matches!(after, Value::Loss(_)));
        }
    }
    let found = Accuracy::of(&mut network, &table, Draw::new(&table, 5).take(700)).unwrap();
    assert_eq!(found, due);
    assert!(found.value[1] < found.value[0] && found.policy[1] < found.policy[0]);
    assert!(found.policy[0] > 100 && found.policy[1] > 0, "{found:?}");
}

/// The lines of JSON of the laboratory, on the table of a small game.
fn lab(arguments: &str) -> Vec<serde_json::Value> {
    let start: Position = "gl1/3/3/1LG w - 1".parse().unwrap();
    let solution = solve(start.board(), 1, &mut |_| ());
    let folder = tempfile::tempdir().unwrap();
    Table::write(folder.path(), &solution.index, &solution.values, 1).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_taikyoku-lab"))
        .args(
            arguments
                .replace("TINY", &tiny().to_string_lossy())
                .split_whitespace(),
        )
        .arg("--table")
        .arg(folder.path())
        .arg("--json")
        .output()
        .expect("the program");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {errors}");
    let output = String::from_utf8(output.stdout).expect("text");
    let read = |line| serde_json::from_str(line).expect("JSON");
    output.lines().map(read).collect()
}

#[test]
fn the_accuracy_is_told_with_its_interval() {
    let lines = lab("accuracy dobutsu TINY --nn-engine rten --positions 300 --threads 2");
    for what in ["value", "policy"] {
        let line = lines.iter().find(|line| line["what"] == what).unwrap();
        let [low, share, high] = ["low", "share", "high"].map(|key| line[key].as_f64().unwrap());
        assert!(0.0 < low && low <= share && share <= high, "{line}");
        assert_eq!(
            line["parameters"],
            16 * 8 * 9 + 8 + 8 * 8 * 9 + 8 + 8 * 12 + 12 + 8 * 2 + 2
        );
    }
}

#[test]
fn a_study_of_c_tells_when_mistakes_are_mended() {
    let lines = lab(
        "dobutsu c-study TINY --nn-engine rten --share 0.5 --positions 20 --simulations 256 --c 1.0,log --threads 2",
    );
    let constants: Vec<_> = lines
        .iter()
        .map(|line| line["c"].as_str().unwrap())
        .collect();
    assert_eq!(constants, ["1", "log"]);
    for line in &lines {
        assert_eq!(line["positions"], 20);
        let shares = line["mean_shares"].as_array().unwrap();
        // After 0, 1, 2, ..., 256.
        assert_eq!(shares.len(), 10);
        assert!(shares[0].as_f64() <= Some(0.5) && shares[9].as_f64() > shares[0].as_f64());
        assert!(line["corrected"].as_u64() > Some(0), "{line}");
    }
}
