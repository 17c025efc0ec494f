//! The Python package `taikyoku`: the rules of its games, with observations, numbered actions and batches for programs
//! that learn, and the engines of the bots. `README.md` describes it; `package/taikyoku/_native.pyi` has the types.

// Docstrings have examples in Python.
#![expect(clippy::doc_link_with_quotes)]

mod arrays;
mod batch;
mod daihinmin;
mod encoded;
mod engine;
mod game;
mod geister;
mod numbers;
mod open;
mod play;
mod thinker;

/// What is written in Rust; `taikyoku` has all of it by name.
#[pyo3::pymodule]
mod _native {
    use std::path::PathBuf;

    use games::GameName;
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::batch::{Batch, batch};
    #[pymodule_export]
    use crate::engine::Engine;
    #[pymodule_export]
    use crate::game::{Game, IllegalMove, Position, game, position};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // A wheel of a release puts its networks beside the programs of the environment.
        let prefix: PathBuf = module.py().import("sys")?.getattr("prefix")?.extract()?;
        bots::set_program_folder(prefix.join("bin"));
        module.add("GAMES", GameName::ALL.map(GameName::as_str))
    }
}
