//! Tasks of the maintainers: `cargo xtask dist` makes the archive that users unpack.

#![forbid(unsafe_code)]

mod archive;
mod dist;
mod manual;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

/// Tasks of the maintainers of Taikyoku.
#[derive(Parser)]
#[command(name = "xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build all programs, and pack them with networks, leagues, examples, documentation, man pages, completions and
    /// licences: taikyoku-VERSION-ARCH-SYSTEM.tar.gz, and SHA256SUMS beside it.
    Dist(DistOptions),
}

#[derive(Args)]
struct DistOptions {
    /// Profile of cargo with which the programs are built.
    #[arg(long, value_name = "NAME", default_value = "tournament")]
    profile: String,
    /// Folder of the archive [default: dist in the folder for targets].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Pack ONNX Runtime from this folder, such as .ort after models/fetch-onnxruntime; its licences lie beside the library.
    #[arg(long, value_name = "DIR")]
    onnxruntime: Option<PathBuf>,
}

fn main() -> ExitCode {
    let Task::Dist(options) = program::options::<Arguments>().task;
    match dist::run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => program::fail("xtask", &reason, program::FAILED),
    }
}

type Failure = Box<dyn Error>;
