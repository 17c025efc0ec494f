//! What the commands of training share.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use bots::FileError;
use bots::learning::Networks;
use bots::spec::Span;
use bots::whole_file;
use clap::Args;
use indicatif::ProgressBar;
use taikyoku_lab::training::{Learner, Passes, Rounds, SelfPlayGames};

use crate::Failure;
use crate::meter::Meter;

#[derive(Args)]
pub(crate) struct LearnOptions {
    /// Games to play.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    games: u64,
    /// Games before each round of learning.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    round: u32,
    /// Decisions of a step.
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// Passes over the decisions of a round.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    passes: u32,
    /// Rate of learning at the beginning; it falls to a tenth.
    #[arg(long, value_name = "RATE", default_value_t = 0.001, value_parser = rate)]
    rate: f32,
    /// Weight of the entropy at the beginning; it falls to a tenth.
    #[arg(long, value_name = "A", default_value_t = 0.01)]
    entropy: f32,
    /// Decay of later errors of the value in the advantage.
    #[arg(long, value_name = "A", default_value_t = 0.9)]
    lambda: f32,
    /// Seed.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Threads that play and learn.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Begin with these networks [default: none].
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Where the networks go, every 100,000 games and at the end.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Reads a rate of learning, above 0 and up to 1.
fn rate(text: &str) -> Result<f32, String> {
    Span::Above(0.0, 1.0).read(text).map(|rate| rate as f32)
}

/// Reads a share, 0 to 1.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    Span::SHARE.read(text)
}

/// Refuses a path that cannot be written to, before the work.
pub(crate) fn try_out(out: &Path) -> Result<(), Failure> {
    Ok(whole_file::try_place(out).map_err(|e| format!("{}: {e}", out.display()))?)
}

/// Writes a file as a whole or not at all.
pub(crate) fn write_out(out: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let written = whole_file::save(out, |file| file.write_all(bytes));
    Ok(written.map_err(|e| format!("{}: {e}", out.display()))?)
}

/// How lessons are learned.
#[derive(Args)]
pub(crate) struct PassOptions {
    /// Passes over the lessons.
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..))]
    passes: u32,
    /// Lessons of a step.
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// Rate of learning at the beginning; it falls to a twentieth.
    #[arg(long, value_name = "RATE", default_value_t = 0.001, value_parser = rate)]
    rate: f32,
    /// Seed.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

impl PassOptions {
    pub(crate) fn plan(&self) -> Passes {
        Passes {
            passes: self.passes,
            batch: self.batch as usize,
            rate: self.rate,
            seed: self.seed,
        }
    }
}

/// Shows the progress of a training, which tells its steps done, all steps and the recent loss.
pub(crate) fn show_progress(train: impl FnOnce(&mut dyn FnMut(u64, u64, f64))) {
    let bar = ProgressBar::new(0);
    train(&mut |done, steps, loss| {
        bar.set_length(steps);
        bar.set_position(done);
        bar.set_message(format!("{loss:.4}"));
    });
    bar.finish_and_clear();
}

impl LearnOptions {
    fn networks<const INPUTS: usize>(&self) -> Result<Option<Networks<INPUTS>>, Failure> {
        let read = |path: &PathBuf| FileError::read(path, Networks::from_bytes);
        Ok(self.from.as_ref().map(read).transpose()?)
    }

    /// Lets networks play and learn all games, and writes them.
    pub(crate) fn run<G: SelfPlayGames<INPUTS>, const INPUTS: usize>(
        &self,
        game: G,
    ) -> Result<(), Failure> {
        /// Games after which the networks are written and measured.
        const LAP: u64 = 100_000;
        try_out(&self.out)?;
        let threads = usize::from(self.threads);
        let mut learner = Learner::new(game, self.networks()?, self.seed);
        let meter = Meter::new(self.games, learner.games(), "game")?;
        let mut lap = 0;
        loop {
            let games = learner.games();
            let done = games >= self.games;
            if done || lap != games / LAP {
                lap = games / LAP;
                learner.renew_older();
                write_out(&self.out, &learner.networks().to_bytes())?;
                let measured = learner.measure(threads);
                meter.suspend(|| println!("{games} games: {measured}"));
            }
            if done {
                meter.finish();
                return Ok(());
            }
            let share = (games as f32 / self.games as f32).min(1.0);
            let falling = 1.0 - 0.9 * share;
            let rounds = Rounds {
                batch: self.batch as usize,
                passes: self.passes,
                rate: self.rate * falling,
                entropy: self.entropy * falling,
                lambda: self.lambda,
            };
            let round = learner.round(self.round as usize, &rounds, threads);
            let text = format!(
                "{} decisions in a round, entropy {:.3}, error {:.4}",
                round.decisions, round.entropy, round.error
            );
            meter.show(learner.games(), text);
        }
    }
}
