//! Why a program does not start.

use std::io;
use std::path::PathBuf;

/// Why the program of an entrant does not start. Says whose program it is, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum LaunchFailure {
    /// A command without words.
    #[error("{entrant}: its command is empty: give the program and its options")]
    NoWords {
        /// Name of the entrant.
        entrant: String,
    },
    /// A program of the project is not there.
    #[error(
        "{entrant}: the program {} is not there: build it with `cargo build --release`, or put it beside taikyoku",
        program.display()
    )]
    NoClient {
        /// Name of the entrant.
        entrant: String,
        /// Where it should be.
        program: PathBuf,
    },
    /// A program is not there.
    #[error("{entrant}: there is no program {program}{remedy}")]
    NoProgram {
        /// Name of the entrant.
        entrant: String,
        /// What was looked for.
        program: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A file that is no program.
    #[error(
        "{entrant}: {program} cannot be executed: it needs the permission to (`chmod +x`), and a script a first line such as `#!/bin/sh`"
    )]
    NotExecutable {
        /// Name of the entrant.
        entrant: String,
        /// The file.
        program: String,
    },
    /// No folder to run in.
    #[error("{entrant}: there is no folder {} to run in: make it, or name another as `directory`", directory.display())]
    NoDirectory {
        /// Name of the entrant.
        entrant: String,
        /// The folder.
        directory: PathBuf,
    },
    /// Processors that it cannot run on.
    #[error("{entrant}: cannot be kept to the processors {cpus:?} (`cpus`): {error}")]
    Cpus {
        /// Name of the entrant.
        entrant: String,
        /// The processors.
        cpus: Vec<usize>,
        /// Why.
        error: io::Error,
    },
    /// Anything else.
    #[error("{entrant}: {program} does not start: {error}")]
    Start {
        /// Name of the entrant.
        entrant: String,
        /// The program.
        program: String,
        /// Why.
        error: io::Error,
    },
}
