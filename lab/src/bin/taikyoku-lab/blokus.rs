//! Training of the judge and the evaluation of Blokus.

use std::path::PathBuf;

use bots::blokus::best::Judge;
use clap::Args;
use taikyoku_lab::self_play::{Archive, Record};
use taikyoku_lab::training::evaluation::{Lesson, ShareFit, SharedRows};
use taikyoku_lab::training::judge::{Guess, Imitation, Searched};
use taikyoku_lab::training::{Model, Trainer};

use crate::Failure;
use crate::learning::{PassOptions, show_progress, try_out, write_out};

/// What is learned from games of Blokus.
#[derive(Args)]
pub(crate) struct ArchiveLessons {
    /// File to write, for `best:judge=FILE` or `best:evaluation=FILE`.
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

impl ArchiveLessons {
    /// Lets a model learn from what `add` takes from the games, writes the network that `network` makes of it, and gives its bytes and
    /// what `add` takes from the games that are held out.
    fn learn<M: Model + Send>(
        &self,
        model: impl FnOnce(u64) -> M,
        add: impl Fn(&Record, &mut Vec<M::Lesson>) -> Result<(), String>,
        network: impl FnOnce(&M) -> Vec<u8>,
    ) -> Result<(Vec<u8>, Vec<M::Lesson>), Failure> {
        try_out(&self.out)?;
        let (mut lessons, mut held_out) = (Vec::new(), Vec::new());
        let mut games = 0;
        for path in &self.files {
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
        let plan = self.passes.plan();
        let mut trainer = Trainer::new(model(plan.seed));
        show_progress(|progress| trainer.train(&mut lessons, &plan, |_, _| (), progress));
        let bytes = network(&trainer.model);
        write_out(&self.out, &bytes)?;
        Ok((bytes, held_out))
    }
}

/// Learns the judge from what the searches of games made of their moves.
pub(crate) fn train_judge(options: &ArchiveLessons) -> Result<(), Failure> {
    let (bytes, held_out) =
        options.learn(Imitation::new, Searched::of_game, Imitation::to_bytes)?;
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

pub(crate) fn train_evaluation(options: &ArchiveLessons) -> Result<(), Failure> {
    let (bytes, held_out) = options.learn(SharedRows::new, Lesson::of, SharedRows::to_bytes)?;
    println!("plies   held out  cross-entropy  squared error of the network, of quarters");
    for (stretch, fit) in ShareFit::of(&bytes, &held_out)?.iter().enumerate() {
        println!(
            "{:>3}-{:<3} {:>8}  {:>13.4}  {:.4} {:.4}",
            12 * stretch,
            12 * stretch + 11,
            fit.positions,
            fit.loss,
            fit.network,
            fit.quarters,
        );
    }
    Ok(())
}
