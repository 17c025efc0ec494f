//! The mean of several weights.

use std::path::PathBuf;

use clap::Args;
use taikyoku_bots::geister::Weights;

use crate::Failure;

#[derive(Args)]
pub(crate) struct Options {
    /// The file to write.
    #[arg(long)]
    out: PathBuf,
    /// Weights, usually the last checkpoints of a run.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut sum = vec![0.0; taikyoku_bots::geister::PAIRS];
    for path in &options.files {
        for (sum, value) in sum.iter_mut().zip(Weights::read(path)?.pairs()) {
            *sum += value;
        }
    }
    let count = options.files.len() as f64;
    for value in &mut sum {
        *value /= count;
    }
    Weights::from_pairs(&sum).write(&options.out)?;
    println!("{}: mean of {count}", options.out.display());
    Ok(())
}
