//! Files that are refused, and what is said then.

use std::fs;
use std::path::Path;

use taikyoku_models::blokus::Fast;
use taikyoku_models::score_four::ScoreFour;
use taikyoku_models::{Encoding as _, Layout, Network, NetworkError, NnEngine};

use crate::fixture::{self, patched, path};

const LAYOUT: Layout = ScoreFour::LAYOUT;
const NAME: &str = "tiny-score-four.onnx";

fn refused(path: &Path, layout: &Layout) -> NetworkError {
    let refused = Network::open(path, layout, NnEngine::Rten).expect_err("to be refused");
    assert!(
        refused
            .to_string()
            .contains(path.to_str().expect("a UTF-8 path")),
        "{refused}"
    );
    refused
}

#[test]
fn a_missing_file() {
    let error = refused(Path::new("nowhere/none.onnx"), &LAYOUT);
    assert!(matches!(error, NetworkError::Read { .. }), "{error}");
    assert!(
        error.to_string().contains(".onnx file is needed"),
        "{error}"
    );
}

#[test]
fn a_file_that_is_something_else() {
    for name in ["expected.json", "make_tiny.py"] {
        let error = refused(&path(name), &LAYOUT);
        assert!(matches!(error, NetworkError::NotAModel { .. }), "{error}");
    }
}

#[test]
fn every_part_of_a_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bytes = fs::read(path(NAME)).expect("a fixture");
    let part = folder.path().join("part.onnx");
    for end in (0..bytes.len()).step_by(41) {
        fs::write(&part, &bytes[..end]).expect("a part");
        let error = refused(&part, &LAYOUT);
        let kind = matches!(
            error,
            NetworkError::NotAModel { .. } | NetworkError::Layout { .. }
        );
        assert!(kind, "{error}");
    }
}

#[test]
fn a_network_of_another_layout_or_version() {
    let error = refused(&path(NAME), &Fast::LAYOUT);
    assert!(matches!(error, NetworkError::Layout { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("score-four version 1") && text.contains("blokus-fast version 1"),
        "{text}"
    );
    let newer = Layout {
        version: 2,
        ..LAYOUT
    };
    assert!(
        refused(&path(NAME), &newer)
            .to_string()
            .contains("score-four version 2")
    );
}

#[test]
fn a_network_that_does_not_say_its_layout() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = patched(NAME, b"taikyoku.layout", b"somebody.layout", folder.path());
    let error = refused(&path, &LAYOUT);
    assert!(error.to_string().contains("no taikyoku.layout"), "{error}");
    Network::open_any(&path, NnEngine::Rten).expect("any network can be measured");
}

#[test]
fn inputs_and_outputs_of_another_shape() {
    for (layout, tensor) in [
        (
            Layout {
                planes: 9,
                ..LAYOUT
            },
            "`x` is [N, 8, 4, 4], not [N, 9, 4, 4]",
        ),
        (
            Layout {
                globals: 3,
                ..LAYOUT
            },
            "`g` is missing, not [N, 3]",
        ),
        (
            Layout {
                policy: 17,
                ..LAYOUT
            },
            "`policy` is [N, 16], not [N, 17]",
        ),
        (
            Layout { seats: 4, ..LAYOUT },
            "`value` is [N, 2], not [N, 4]",
        ),
    ] {
        let error = refused(&path(NAME), &layout);
        assert!(error.to_string().contains(tensor), "{error}");
    }
    let without = Layout {
        globals: 0,
        ..Fast::LAYOUT
    };
    let error = refused(&path("tiny-fast.onnx"), &without);
    assert!(
        error.to_string().contains("`g` is [N, 88], not absent"),
        "{error}"
    );
}

#[test]
fn a_fixed_size_of_the_batch() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // A dimension named "N" becomes one of 1, written in two bytes to be as long.
    let path = patched(NAME, b"\x12\x01N", b"\x08\x81\x00", folder.path());
    let error = refused(&path, &LAYOUT);
    assert!(
        error
            .to_string()
            .contains("`x` is [1, 8, 4, 4], not [N, 8, 4, 4]"),
        "{error}"
    );
}

#[test]
fn an_output_of_another_name() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = patched(NAME, b"\x0a\x06policy", b"\x0a\x06pilocy", folder.path());
    let error = refused(&path, &LAYOUT);
    assert!(error.to_string().contains("`policy` is missing"), "{error}");
}

#[test]
fn an_operator_that_no_engine_knows() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = patched(NAME, b"\x22\x07Softmax", b"\x22\x07Hardmin", folder.path());
    for engine in fixture::engines() {
        let error = Network::open(&path, &LAYOUT, engine).expect_err("to be refused");
        assert!(matches!(error, NetworkError::Engine { .. }), "{error}");
        assert!(
            error.to_string().starts_with(&engine.to_string()),
            "{error}"
        );
        assert!(error.to_string().contains("Hardmin"), "{error}");
    }
}

#[test]
fn dynamic_quantisation_by_rten_alone() {
    let path = path("tiny-dynamic.onnx");
    let error = refused(&path, &LAYOUT).to_string();
    assert!(error.contains("32 bits alone"), "{error}");
    assert!(error.contains("try the other --nn-engine"), "{error}");
    if fixture::has_onnx_runtime() {
        Network::open(&path, &LAYOUT, NnEngine::Ort).expect("ONNX Runtime computes it");
    }
}

/// Whatever it answers: an error, or numbers.
#[test]
fn no_damage_makes_rten_panic() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let damaged = folder.path().join("damaged.onnx");
    let mut bytes = fs::read(path(NAME)).expect("a fixture");
    let mut ran = 0;
    for i in (0..bytes.len()).step_by(7) {
        let was = bytes[i];
        for other in [0, was ^ 1, was ^ 0x82, 0xff] {
            bytes[i] = other;
            fs::write(&damaged, &bytes).expect("a file");
            if let Ok(mut network) = Network::open_any(&damaged, NnEngine::Rten) {
                let packed = vec![0x5a; 2 * network.layout().bytes()];
                ran += usize::from(network.evaluate(&packed, 2).is_ok());
            }
        }
        bytes[i] = was;
    }
    assert!(ran > bytes.len() / 14, "{ran}");
}

#[test]
fn bytes_that_are_not_so_many_positions() {
    let mut network = Network::open(&path(NAME), &LAYOUT, NnEngine::Rten).expect("opened");
    for (bytes, n) in [
        (LAYOUT.bytes(), 2),
        (LAYOUT.bytes() - 1, 1),
        (1, 0),
        (0, usize::MAX),
    ] {
        let error = network
            .evaluate(&vec![0; bytes], n)
            .expect_err("to be refused");
        assert!(matches!(error, NetworkError::Positions { .. }), "{error}");
    }
    network
        .evaluate(&vec![0; LAYOUT.bytes()], 1)
        .expect("it still works");
}
