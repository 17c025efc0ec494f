//! What the commands of training share.

use std::path::{Path, PathBuf};

use bots::learning::Networks;
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

pub(crate) fn rate(text: &str) -> Result<f32, String> {
    let rate = text.parse().ok().filter(|rate| *rate > 0.0 && *rate <= 1.0);
    rate.ok_or_else(|| "a rate is a number above 0, at most 1".to_owned())
}

/// Reads a share, 0 to 1.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

/// A file for what is learned. A path that cannot be written to is refused before the work, and a file that is being written is
/// never taken for a whole one.
pub(crate) struct Learned<'a> {
    out: &'a Path,
    part: PathBuf,
}

impl Learned<'_> {
    /// Refuses a path that cannot be written to.
    pub(crate) fn begin(out: &Path) -> Result<Learned<'_>, Failure> {
        // In place of a device or a link there would be a file afterwards.
        match out.symlink_metadata() {
            Ok(what) if what.is_dir() => {
                return Err(format!("{} is a folder", out.display()).into());
            }
            Ok(what) if !what.is_file() => {
                return Err(format!(
                    "{} is no regular file: name a file of its own",
                    out.display()
                )
                .into());
            }
            _ => {}
        }
        let part = out.with_added_extension("part");
        std::fs::write(&part, []).map_err(|e| format!("{}: {e}", out.display()))?;
        Ok(Learned { out, part })
    }

    /// Writes the file, in place of what is there.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        let written = std::fs::write(&self.part, bytes);
        let renamed = written.and_then(|()| std::fs::rename(&self.part, self.out));
        Ok(renamed.map_err(|e| format!("{}: {e}", self.out.display()))?)
    }
}

impl Drop for Learned<'_> {
    fn drop(&mut self) {
        // It is there only where nothing was written last.
        let _ = std::fs::remove_file(&self.part);
    }
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
        let read = |path: &PathBuf| {
            Networks::read(path).map_err(|reason| format!("{}: {reason}", path.display()))
        };
        Ok(self.from.as_ref().map(read).transpose()?)
    }

    /// Lets networks play and learn all games, and writes them.
    pub(crate) fn run<G: SelfPlayGames<INPUTS>, const INPUTS: usize>(
        &self,
        game: G,
    ) -> Result<(), Failure> {
        /// Games after which the networks are written and measured.
        const LAP: u64 = 100_000;
        let out = Learned::begin(&self.out)?;
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
                out.write(&learner.networks().to_bytes())?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_from_0_to_1() {
        assert_eq!(
            [share("0"), share("0.25"), share("1")],
            [Ok(0.0), Ok(0.25), Ok(1.0)]
        );
        for text in ["-0.1", "1.1", "nan", "half"] {
            assert!(share(text).is_err(), "{text}");
        }
    }
}
