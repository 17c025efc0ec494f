//! Transcripts that change only when what the server sends changes, and then on purpose: with
//! `UPDATE_GOLDEN=1` in the environment they are written anew.

use std::fs;
use std::path::Path;

/// Compares a text with the file `golden/NAME.txt`.
pub fn assert_golden(name: &str, text: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let path = folder.join(format!("{name}.txt"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, text).expect("a file");
        return;
    }
    let golden = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    for (i, (was, is)) in golden.lines().zip(text.lines()).enumerate() {
        assert_eq!(was, is, "{}:{}", path.display(), i + 1);
    }
    assert_eq!(golden.len(), text.len(), "{}", path.display());
}
