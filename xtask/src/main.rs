//! Tasks of the maintainers: `cargo xtask dist` makes what users unpack or install.

#![forbid(unsafe_code)]

mod archive;
mod dist;
mod image;
mod manual;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

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
    /// licences: an archive, a wheel for Python, the sources, an image for containers, and SHA256SUMS beside them.
    Dist(DistOptions),
}

#[derive(Args)]
struct DistOptions {
    /// Profile of cargo with which the programs are built.
    #[arg(long, value_name = "NAME", default_value = "tournament")]
    profile: String,
    /// Folder of what is made [default: dist in the folder for targets].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Pack no ONNX Runtime, which models/fetch-onnxruntime fetches; networks run in rten then.
    #[arg(long)]
    without_onnxruntime: bool,
}

fn main() -> ExitCode {
    let Task::Dist(options) = program::options::<Arguments>().task;
    match dist::run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => program::fail("xtask", &reason, program::FAILED),
    }
}

type Failure = Box<dyn Error>;

/// What a command prints; its messages are those of this program.
fn output(command: &mut Command) -> Result<Vec<u8>, Failure> {
    let run = command.stderr(Stdio::inherit()).output();
    let run = run.map_err(|e| format!("{}: {e}", command.get_program().display()))?;
    if run.status.success() {
        Ok(run.stdout)
    } else {
        Err(format!("{}: {}", command.get_program().display(), run.status).into())
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|e| format!("{}: {e}", path.display()).into())
}
