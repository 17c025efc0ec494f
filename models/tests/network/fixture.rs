//! The networks in `models/fixtures`, and what they should answer.

use std::collections::BTreeMap;
use std::env;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Once};

use serde::Deserialize;
use taikyoku_models::blokus::{Fast, Paper};
use taikyoku_models::dobutsu::Dobutsu;
use taikyoku_models::score_four::ScoreFour;
use taikyoku_models::{Encoding as _, Layout, Network, NetworkError, NnEngine};

/// What Python's onnxruntime says of some random positions.
#[derive(Deserialize)]
pub(crate) struct Expected {
    layout: String,
    packed: Vec<String>,
    /// The logits that are told.
    pub(crate) logits: Vec<usize>,
    pub(crate) policy: Vec<Vec<f32>>,
    /// As the network gives it, shares or -1 to 1.
    pub(crate) value: Vec<Vec<f32>>,
    pub(crate) score: Option<Vec<Vec<f32>>>,
}

pub(crate) static EXPECTED: LazyLock<BTreeMap<String, Expected>> = LazyLock::new(|| {
    let text = std::fs::read_to_string(path("expected.json")).expect("expected.json");
    serde_json::from_str(&text).expect("expected.json holds answers")
});

impl Expected {
    pub(crate) fn layout(&self) -> Layout {
        let layouts = [
            Fast::LAYOUT,
            Paper::LAYOUT,
            ScoreFour::LAYOUT,
            Dobutsu::LAYOUT,
        ];
        let named = layouts.into_iter().find(|it| it.name == self.layout);
        named.expect("a layout")
    }

    pub(crate) fn packed(&self) -> Vec<Vec<u8>> {
        let byte = |digits: &str| u8::from_str_radix(digits, 16).expect("hexadecimal");
        let bytes = |hex: &String| {
            (0..hex.len())
                .step_by(2)
                .map(|i| byte(&hex[i..i + 2]))
                .collect()
        };
        self.packed.iter().map(bytes).collect()
    }
}

/// The answers of the networks that an engine runs: rten has no 8 bits.
pub(crate) fn expected(
    engine: NnEngine,
) -> impl Iterator<Item = (&'static String, &'static Expected)> {
    let runs = move |name: &str| engine == NnEngine::Ort || !name.ends_with(".int8.onnx");
    EXPECTED.iter().filter(move |(name, _)| runs(name))
}

/// A file of `models/fixtures`.
pub(crate) fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name)
}

/// The engines that are there: rten always.
pub(crate) fn engines() -> Vec<NnEngine> {
    let mut engines = vec![NnEngine::Rten];
    if has_onnx_runtime() {
        engines.push(NnEngine::Ort);
    }
    engines
}

/// Whether the library of ONNX Runtime is there; says so when it is not.
pub(crate) fn has_onnx_runtime() -> bool {
    match Network::open_any(&path("tiny-score-four.onnx"), NnEngine::Ort) {
        Ok(_) => true,
        Err(error @ NetworkError::NoLibrary { .. }) if !required() => {
            // Written past the capture of the tests, for all to see.
            static TOLD: Once = Once::new();
            let told = format!("NOT TESTED with ONNX Runtime: {error}\n");
            TOLD.call_once(|| _ = io::stderr().write_all(told.as_bytes()));
            false
        }
        Err(error) => panic!("ONNX Runtime: {error}"),
    }
}

fn required() -> bool {
    env::var_os("TAIKYOKU_REQUIRE_ORT").is_some()
}

/// Writes a fixture into a folder, with some of its bytes replaced by as many others, each at least once.
pub(crate) fn patched(name: &str, from: &[u8], to: &[u8], folder: &Path) -> PathBuf {
    assert_eq!(from.len(), to.len());
    let mut bytes = std::fs::read(path(name)).expect("a fixture");
    let mut count = 0;
    for start in 0..bytes.len() - from.len() {
        if bytes[start..].starts_with(from) {
            bytes[start..start + to.len()].copy_from_slice(to);
            count += 1;
        }
    }
    assert!(count > 0, "{name} holds the bytes");
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("a file in a temporary folder");
    path
}
