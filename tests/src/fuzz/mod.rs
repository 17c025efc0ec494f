//! Bodies of the fuzz targets: functions of arbitrary bytes, which return whatever the bytes are. A panic is a
//! finding.
//!
//! `tests/fuzz/` gives each of them to libFuzzer; the test `fuzz` runs each over its corpus and over seeded mutations of it,
//! with the stable compiler.

mod codecs;
mod files;
mod notations;
mod referees;
mod shogi;

use std::path::Path;

#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name: that of its program and of its folder in `tests/fuzz/corpus/`.
    pub name: &'static str,
    /// What it does with an input.
    pub run: fn(&[u8]),
    /// Mutations of the corpus in a run of the tests.
    pub mutations: u32,
    /// Files of the repository that are inputs too, and folders of them.
    pub more: &'static [&'static str],
}

macro_rules! targets {
    ($($module:ident::$name:ident: $mutations:expr, $more:expr;)*) => {
        pub const TARGETS: &[Target] = &[
            $(Target {
                name: stringify!($name),
                run: $module::$name,
                mutations: $mutations,
                more: &$more,
            }),*
        ];
    };
}

targets! {
    codecs::uecda: 500, [];
    codecs::gat: 500, [];
    codecs::native: 500, [];
    codecs::gtp: 500, [];
    shogi::usi: 500, [];
    referees::uecda_referee: 50, [];
    referees::gat_referee: 250, [];
    referees::score_four_referee: 125, [];
    referees::blokus_referee: 25, [];
    files::records: 125, [];
    files::settings: 250, ["examples/leagues"];
    files::journals: 125, [];
    files::sheets: 250, [];
    files::imports: 125, ["tests/fuzz/corpus/sheets", "tests/fuzz/corpus/records"];
    files::weights: 125, ["models/daihinmin/networks.i16", "models/geister/policy.npy"];
    files::self_play: 250, [];
    files::networks: 75, ["models/fixtures/tiny-score-four.onnx"];
    notations::notation: 250, [];
}

impl Target {
    /// The inputs in the repository, in the order of their names.
    pub fn corpus(&self) -> Vec<(String, Vec<u8>)> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let folder = format!("tests/fuzz/corpus/{}", self.name);
        let mut files = Vec::new();
        for place in std::iter::once(folder.as_str()).chain(self.more.iter().copied()) {
            let path = root.join(place);
            if path.is_dir() {
                let entries = path.read_dir().expect("a folder that can be read");
                files.extend(entries.map(|entry| entry.expect("a file").path()));
            } else {
                files.push(path);
            }
        }
        files.sort();
        assert!(!files.is_empty(), "{folder} has no file");
        let read = |path: &std::path::PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            (name.into_owned(), std::fs::read(path).expect("a file"))
        };
        files.iter().map(read).collect()
    }
}
