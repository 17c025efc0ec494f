//! Fixture files of layouts, which the training program checks byte for byte with code of its own.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Encoding;

/// A position, and what it is packed into.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    moves: Vec<String>,
    packed: String,
    /// The logits of its legal moves, sorted.
    logits: Vec<u16>,
}

impl Entry {
    pub(crate) fn of<E: Encoding>(
        moves: Vec<String>,
        position: &E::Position,
        legal: &[E::Move],
    ) -> Self {
        let mut packed = vec![0; E::LAYOUT.bytes()];
        E::pack(position, &mut packed);
        let mut logits: Vec<_> = legal.iter().map(|&mv| E::logit(position, mv)).collect();
        logits.sort_unstable();
        let hex = |byte: &u8| format!("{byte:02x}");
        Self {
            moves,
            packed: packed.iter().map(hex).collect(),
            logits,
        }
    }
}

/// Compares entries with the file of a layout, or writes it when `TAIKYOKU_WRITE_FIXTURES` is set.
pub(crate) fn check(layout: &str, entries: &[Entry]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/{layout}.json"));
    let lines: Vec<_> = entries
        .iter()
        .map(|entry| serde_json::to_string(entry).expect("plain data"))
        .collect();
    let text = format!("[\n{}\n]\n", lines.join(",\n"));
    if std::env::var_os("TAIKYOKU_WRITE_FIXTURES").is_some() {
        std::fs::write(&path, &text).expect("the fixture can be written");
    }
    let found = std::fs::read_to_string(&path).expect("the fixture can be read");
    assert!(
        found == text,
        "{} has other positions than the code makes",
        path.display()
    );
}
