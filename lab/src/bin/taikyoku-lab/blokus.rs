//! Training of the judge and the evaluation of Blokus.

use std::path::PathBuf;

use clap::Args;
use indicatif::ProgressBar;
use taikyoku_bots::blokus::best::{Fit, Guess, Imitation, Judge, Lesson, Searched, Trainer};
use taikyoku_bots::learning::Passes;
use taikyoku_bots::self_play::{Archive, Record};

use crate::Failure;
use crate::learning::Learned;

#[derive(Args)]
pub(crate) struct TrainOptions {
    /// File to write, for `best:judge=FILE`.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Files of games, as taikyoku-lab selfplay teach writes them.
    #[arg(required = true, value_name = "GAMES")]
    files: Vec<PathBuf>,
    /// Passes over the positions.
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..))]
    passes: u32,
    /// Positions in a step.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// Learning rate at the beginning; it falls to a twentieth of that.
    #[arg(long, value_name = "RATE", default_value_t = 0.004, value_parser = crate::learning::rate)]
    rate: f32,
    /// Seed.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

/// One of so many games is held out.
const HELD_OUT: usize = 20;

/// What `add` takes from all games of these files but those that are held out, and from these.
fn lessons_of<T>(
    files: &[PathBuf],
    add: impl Fn(&Record, &mut Vec<T>) -> Result<(), String>,
) -> Result<(Vec<T>, Vec<T>), Failure> {
    let (mut lessons, mut held_out) = (Vec::new(), Vec::new());
    let mut games = 0;
    for path in files {
        for record in Archive::read(path, "blokus")? {
            let to = if games % HELD_OUT == 0 {
                &mut held_out
            } else {
                &mut lessons
            };
            add(&record, to).map_err(|error| format!("{}: {error}", path.display()))?;
            games += 1;
        }
    }
    if lessons.is_empty() {
        return Err("there are no positions to learn from in these files".into());
    }
    println!("{games} games, {} positions", lessons.len());
    Ok((lessons, held_out))
}

/// Shows the progress of a training, which tells its steps done, all steps and the recent loss.
fn show_progress(train: impl FnOnce(&mut dyn FnMut(u64, u64, f64))) {
    let bar = ProgressBar::new(0);
    train(&mut |done, steps, loss| {
        bar.set_length(steps);
        bar.set_position(done);
        bar.set_message(format!("{loss:.4}"));
    });
    bar.finish_and_clear();
}

/// Learns the judge from what the searches of games made of their moves, and writes it.
pub(crate) fn train(options: &TrainOptions) -> Result<(), Failure> {
    let out = Learned::begin(&options.out)?;
    let (mut searches, held_out) = lessons_of(&options.files, Searched::of_game)?;
    let mut learner = Imitation::new(Passes {
        passes: options.passes,
        batch: options.batch as usize,
        rate: options.rate,
        seed: options.seed,
    });
    show_progress(|progress| learner.train(&mut searches, progress));
    let bytes = learner.to_bytes();
    out.write(&bytes)?;
    println!("plies   held out  cross-entropy  entropy  likeliest move the most visited");
    let guesses = Guess::of(&Judge::from_bytes(&bytes)?, &held_out);
    for (stretch, guess) in guesses.iter().enumerate() {
        println!(
            "{:>3}-{:<3} {:>8}  {:>13.4}  {:>7.4}  {:.3}",
            12 * stretch,
            12 * stretch + 11,
            guess.positions,
            guess.loss,
            guess.entropy,
            guess.hits,
        );
    }
    Ok(())
}

#[derive(Args)]
pub(crate) struct EvaluationOptions {
    /// File to write, for `best:evaluation=FILE`.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Files of games, as taikyoku-lab selfplay teach writes them.
    #[arg(required = true, value_name = "GAMES")]
    files: Vec<PathBuf>,
    /// Passes over the positions.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    passes: u32,
    /// Positions in a step.
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// Learning rate at the beginning; it falls to a twentieth of that.
    #[arg(long, value_name = "RATE", default_value_t = 0.001, value_parser = crate::learning::rate)]
    rate: f32,
    /// Playouts from each held-out position, whose mean is compared with the network.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    playouts: u32,
    /// Seed.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

/// Learns the evaluation from games and writes it.
pub(crate) fn train_evaluation(options: &EvaluationOptions) -> Result<(), Failure> {
    let out = Learned::begin(&options.out)?;
    let (mut lessons, held_out) = lessons_of(&options.files, Lesson::of)?;
    let mut trainer = Trainer::new(Passes {
        passes: options.passes,
        batch: options.batch as usize,
        rate: options.rate,
        seed: options.seed,
    });
    show_progress(|progress| trainer.train(&mut lessons, progress));
    let bytes = trainer.to_bytes();
    out.write(&bytes)?;
    println!(
        "plies   held out  cross-entropy  squared error of the network, of {} playouts, of quarters",
        options.playouts
    );
    for (stretch, fit) in Fit::of(&bytes, &held_out, options.playouts, options.seed)?
        .iter()
        .enumerate()
    {
        println!(
            "{:>3}-{:<3} {:>8}  {:>13.4}  {:.4} {:.4} {:.4}",
            12 * stretch,
            12 * stretch + 11,
            fit.positions,
            fit.loss,
            fit.network,
            fit.playouts,
            fit.quarters,
        );
    }
    Ok(())
}
