//! Both engines say what Python's onnxruntime says.

use std::path::Path;
use std::{fs, thread};

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_models::{Layout, Network, NnEngine, Outputs, Precision, ValueKind};

use crate::fixture::{self, EXPECTED, Expected};

fn close(found: &[f32], expected: &[f32], tolerance: f32, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (&found, &expected) in found.iter().zip(expected) {
        let difference = (found - expected).abs();
        assert!(difference <= tolerance, "{what}: {found}, not {expected}");
    }
}

/// (v + 1) / 2, divided by their sum.
fn shares(values: &[f32]) -> Vec<f32> {
    let sum: f32 = values.iter().map(|v| (v + 1.0) / 2.0).sum();
    values.iter().map(|v| (v + 1.0) / 2.0 / sum).collect()
}

/// Compares the outputs of a batch that begins with the position of a number.
fn compare(outputs: Outputs<'_>, network: &Network, expected: &Expected, first: usize) {
    let (kind, layout) = (network.metadata().value, network.layout());
    let tolerance = match network.metadata().precision {
        Precision::Int8 => 1e-3,
        _ => 1e-4,
    };
    for (i, policy) in outputs.policy.chunks_exact(layout.policy).enumerate() {
        let at = (first + i) % expected.policy.len();
        let what = |head| format!("{head} of position {at}, {network:?}");
        let logits: Vec<f32> = expected.logits.iter().map(|&logit| policy[logit]).collect();
        close(&logits, &expected.policy[at], tolerance, &what("policy"));
        let seats = i * layout.seats..(i + 1) * layout.seats;
        let value = match kind {
            ValueKind::Share => expected.value[at].clone(),
            ValueKind::Tanh => shares(&expected.value[at]),
        };
        close(
            &outputs.value[seats.clone()],
            &value,
            tolerance,
            &what("value"),
        );
        match (outputs.score, &expected.score) {
            (None, None) => {}
            (Some(found), Some(score)) => {
                close(&found[seats], &score[at], tolerance, &what("score"));
            }
            _ => panic!("{}", what("score")),
        }
    }
}

fn answer(network: &mut Network, packed: &[u8], n: usize) -> (Vec<f32>, Vec<f32>) {
    let outputs = network.evaluate(packed, n).expect("an evaluation");
    (outputs.policy.to_vec(), outputs.value.to_vec())
}

#[test]
fn engines_agree_with_python_at_any_size_of_the_batch() {
    for engine in fixture::engines() {
        for (name, expected) in fixture::expected(engine) {
            let layout = expected.layout();
            let mut network = Network::open(&fixture::path(name), &layout, engine).expect(name);
            assert_eq!(network.engine(), engine);
            assert_eq!(network.has_scores(), expected.score.is_some());
            // The network cannot be looked at while its outputs are borrowed.
            let described = network.try_clone().expect("another");
            let packed = expected.packed();
            for n in [1, packed.len(), 16, 1] {
                let batch: Vec<u8> = packed.iter().cycle().take(n).flatten().copied().collect();
                let outputs = network.evaluate(&batch, n).expect("an evaluation");
                assert_eq!(outputs.policy.len(), n * layout.policy);
                assert_eq!(outputs.value.len(), n * layout.seats);
                compare(outputs, &described, expected, 0);
            }
            for (i, packed) in packed.iter().enumerate() {
                compare(
                    network.evaluate(packed, 1).expect("one"),
                    &described,
                    expected,
                    i,
                );
            }
        }
    }
}

/// Positions of random bits.
fn positions(layout: &Layout, n: usize) -> Vec<u8> {
    let mut packed = vec![0; n * layout.bytes()];
    Xoshiro256PlusPlus::seed_from_u64(7).fill_bytes(&mut packed);
    packed
}

#[test]
fn engines_agree_about_every_network_that_is_shipped() {
    if !fixture::has_onnx_runtime() {
        return;
    }
    let mut count = 0;
    for folder in ["blokus", "dobutsu"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for file in fs::read_dir(folder).expect("a folder") {
            let path = file.expect("a file").path();
            let name = path.display().to_string();
            // In 8 bits, numbers that lie between two steps are rounded either way, layer after layer.
            if path.extension().is_none_or(|it| it != "onnx") || name.contains(".int8.") {
                continue;
            }
            count += 1;
            let [mut rten, mut ort] = [NnEngine::Rten, NnEngine::Ort]
                .map(|it| Network::open_any(&path, it).expect("opened"));
            for n in [1, 5] {
                let packed = positions(rten.layout(), n);
                let outputs = rten.evaluate(&packed, n).expect("an evaluation");
                let expected = ort.evaluate(&packed, n).expect("an evaluation");
                let heads = [
                    (outputs.policy, expected.policy),
                    (outputs.value, expected.value),
                    (
                        outputs.score.unwrap_or_default(),
                        expected.score.unwrap_or_default(),
                    ),
                ];
                for (found, expected) in heads {
                    let most = expected
                        .iter()
                        .fold(1.0, |most: f32, it| most.max(it.abs()));
                    close(found, expected, 1e-4 * most, &name);
                }
            }
        }
    }
    assert!(count >= 4, "{count} networks");
}

#[test]
fn values_and_scores_are_shares() {
    for engine in fixture::engines() {
        for (name, expected) in fixture::expected(engine) {
            let layout = expected.layout();
            let mut network = Network::open(&fixture::path(name), &layout, engine).expect(name);
            let packed = expected.packed().concat();
            let n = expected.value.len();
            let outputs = network.evaluate(&packed, n).expect("a batch");
            let heads = [Some(outputs.value), outputs.score];
            for shares in heads
                .iter()
                .flatten()
                .flat_map(|head| head.chunks(layout.seats))
            {
                assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)));
                let sum: f32 = shares.iter().sum();
                assert!((sum - 1.0).abs() < 1e-5, "{name}: {shares:?}");
            }
        }
    }
}

#[test]
fn the_same_bytes_give_the_same_numbers_on_every_thread() {
    let expected = &EXPECTED["tiny-fast.onnx"];
    for engine in fixture::engines() {
        let path = fixture::path("tiny-fast.onnx");
        let mut network = Network::open(&path, &expected.layout(), engine).expect("opened");
        let packed = expected.packed();
        let first: Vec<_> = packed
            .iter()
            .map(|it| answer(&mut network, it, 1))
            .collect();
        thread::scope(|scope| {
            for _ in 0..2 {
                let mut network = network.try_clone().expect("another");
                let (packed, first) = (&packed, &first);
                scope.spawn(move || {
                    for (i, packed) in packed.iter().enumerate().cycle().take(30) {
                        assert_eq!(answer(&mut network, packed, 1), first[i]);
                    }
                });
            }
        });
    }
}

#[test]
fn no_positions_no_outputs() {
    let expected = &EXPECTED["tiny-fast.onnx"];
    let path = fixture::path("tiny-fast.onnx");
    let mut network = Network::open(&path, &expected.layout(), NnEngine::Rten).expect("opened");
    let outputs = network.evaluate(&[], 0).expect("nothing");
    assert!(outputs.policy.is_empty() && outputs.value.is_empty());
    assert_eq!(outputs.score, Some(&[][..]));
}

#[test]
fn a_network_says_what_its_file_says() {
    let path = fixture::path("tiny-paper.onnx");
    let layout = EXPECTED["tiny-paper.onnx"].layout();
    let network = Network::open(&path, &layout, NnEngine::Rten).expect("opened");
    let metadata = network.metadata();
    assert_eq!(metadata.layout, "blokus-paper");
    assert_eq!((metadata.version, metadata.steps), (1, 7));
    assert_eq!(metadata.recipe, "tiny");
    assert_eq!(
        (metadata.value, metadata.precision),
        (ValueKind::Tanh, Precision::Fp32)
    );
    assert_eq!(
        (network.path(), network.layout()),
        (path.as_path(), &layout)
    );
    let any = Network::open_any(&path, NnEngine::Rten).expect("opened");
    assert_eq!(
        (any.layout().planes, any.layout().policy),
        (33, layout.policy)
    );
}
