//! Training of the judge and the evaluation of Blokus.

use std::path::PathBuf;

use bots::blokus::best::Judge;
use clap::Args;
use taikyoku_lab::self_play::{Archive, Record};
use taikyoku_lab::training::Trainer;
use taikyoku_lab::training::evaluation::{Lesson, ShareFit, SharedRows};
use taikyoku_lab::training::judge::{Guess, Imitation, Searched};

use crate::Failure;
use crate::learning::{Learned, PassOptions, show_progress};

#[derive(Args)]
pub(crate) struct TrainOptions {
    /// File to write, for `best:judge=FILE`.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Files of games, as taikyoku-lab selfplay teach writes them.
    #[arg(required = true, value_name = "GAMES")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    passes: PassOptions,
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

/// Learns the judge from what the searches of games made of their moves, and writes it.
pub(crate) fn train(options: &TrainOptions) -> Result<(), Failure> {
    let out = Learned::begin(&options.out)?;
    let (mut searches, held_out) = lessons_of(&options.files, Searched::of_game)?;
    let plan = options.passes.plan();
    let mut trainer = Trainer::new(Imitation::new(plan.seed));
    show_progress(|progress| trainer.train(&mut searches, &plan, |_, _| (), progress));
    let bytes = trainer.model.to_bytes();
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
    #[command(flatten)]
    passes: PassOptions,
    /// Playouts from each held-out position, whose mean is compared with the network.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    playouts: u32,
}

/// Learns the evaluation from games and writes it.
pub(crate) fn train_evaluation(options: &EvaluationOptions) -> Result<(), Failure> {
    let out = Learned::begin(&options.out)?;
    let (mut lessons, held_out) = lessons_of(&options.files, Lesson::of)?;
    let plan = options.passes.plan();
    let mut trainer = Trainer::new(SharedRows::new(plan.seed));
    show_progress(|progress| trainer.train(&mut lessons, &plan, |_, _| (), progress));
    let bytes = trainer.model.to_bytes();
    out.write(&bytes)?;
    println!(
        "plies   held out  cross-entropy  squared error of the network, of {} playouts, of quarters",
        options.playouts
    );
    for (stretch, fit) in ShareFit::of(&bytes, &held_out, options.playouts, plan.seed)?
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
