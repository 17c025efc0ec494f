//! Which engine and which file it is.

use std::fs;
use std::path::Path;

use taikyoku_models::blokus::Fast;
use taikyoku_models::{Encoding as _, Network, NnEngine, Precision};
use tempfile::TempDir;

use crate::fixture::{self, patched, path};

const FAST: &str = "tiny-fast.onnx";
const QUANTISED: &str = "tiny-fast.int8.onnx";

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Opens `tiny-fast.onnx` in a folder as a bot does.
fn best(folder: &Path, engine: NnEngine) -> Precision {
    let network = Network::open_in(&folder.join(FAST), &Fast::LAYOUT, engine, Precision::Auto)
        .expect("opened");
    network.metadata().precision
}

/// x86 processors without VNNI do not.
fn sums_eight_bits_exactly() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx512vnni") || is_x86_feature_detected!("avxvnni");
    #[cfg(not(target_arch = "x86_64"))]
    true
}

#[test]
fn the_quantised_file_beside_is_for_onnx_runtime() {
    let folder = folder();
    fs::copy(path(FAST), folder.path().join(FAST)).expect("a copy");
    for engine in fixture::engines() {
        assert_eq!(best(folder.path(), engine), Precision::Fp32);
    }
    fs::copy(path(QUANTISED), folder.path().join(QUANTISED)).expect("a copy");
    assert_eq!(best(folder.path(), NnEngine::Rten), Precision::Fp32);
    if !fixture::has_onnx_runtime() {
        return;
    }
    let expected = if sums_eight_bits_exactly() {
        Precision::Int8
    } else {
        Precision::Fp32
    };
    assert_eq!(best(folder.path(), NnEngine::Ort), expected);
    assert_eq!(best(folder.path(), NnEngine::Auto), expected);
    let named = folder.path().join(QUANTISED);
    let network =
        Network::open_in(&named, &Fast::LAYOUT, NnEngine::Ort, Precision::Auto).expect("opened");
    assert_eq!(network.path(), named);
}

#[test]
fn a_quantised_file_of_another_state_of_training_is_passed_over() {
    let folder = folder();
    fs::copy(path(FAST), folder.path().join(FAST)).expect("a copy");
    // The value of taikyoku.steps is 7.
    patched(
        QUANTISED,
        b"steps\x12\x017",
        b"steps\x12\x018",
        folder.path(),
    );
    for engine in fixture::engines() {
        assert_eq!(best(folder.path(), engine), Precision::Fp32);
    }
}

#[test]
fn a_precision_that_is_asked_for_is_what_runs() {
    let folder = folder();
    fs::copy(path(FAST), folder.path().join(FAST)).expect("a copy");
    let open = |name: &str, precision| {
        let path = folder.path().join(name);
        Network::open_in(&path, &Fast::LAYOUT, NnEngine::Auto, precision)
    };
    let error = open(FAST, Precision::Int8).expect_err("no 8-bit file");
    assert!(error.to_string().contains(QUANTISED), "{error}");
    fs::copy(path(QUANTISED), folder.path().join(QUANTISED)).expect("a copy");
    if !fixture::has_onnx_runtime() {
        let error = open(QUANTISED, Precision::Fp32).expect_err("8 bits in rten");
        assert!(error.to_string().contains("32 bits alone"), "{error}");
        return;
    }
    for (name, precision, expected) in [
        (FAST, Precision::Fp32, FAST),
        (FAST, Precision::Int8, QUANTISED),
        (QUANTISED, Precision::Int8, QUANTISED),
        (QUANTISED, Precision::Fp32, QUANTISED),
    ] {
        let network = open(name, precision).expect("opened");
        assert_eq!(network.path(), folder.path().join(expected));
    }
}
