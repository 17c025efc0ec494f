//! Learning the evaluation of `best`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use indicatif::ProgressBar;
use taikyoku_bots::score_four::best::{Schedule, Trainer};

use crate::Failure;

#[derive(Args)]
pub(crate) struct Options {
    /// Games against itself.
    #[arg(long, default_value_t = 1_000_000)]
    games: u64,
    /// Step of the first game.
    #[arg(long, default_value_t = 0.02)]
    first_step: f64,
    /// Step of the last game.
    #[arg(long, default_value_t = 0.0005)]
    last_step: f64,
    /// Chance of a random move.
    #[arg(long, default_value_t = 0.08)]
    explore: f64,
    /// Lambda of TD(lambda).
    #[arg(long, default_value_t = 0.8)]
    lambda: f64,
    /// Begin with the weights built in.
    #[arg(long)]
    go_on: bool,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The file to write.
    #[arg(long)]
    out: PathBuf,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let schedule = Schedule {
        games: options.games,
        step: [options.first_step, options.last_step],
        explore: options.explore.clamp(0.0, 1.0),
        lambda: options.lambda.clamp(0.0, 1.0),
        seed: options.seed,
    };
    let mut trainer = Trainer::new(options.go_on);
    let bar = ProgressBar::new(options.games);
    trainer.train(&schedule, |games, error| {
        bar.set_position(games);
        bar.set_message(format!("{error:.4}"));
        if games.is_multiple_of(100_000) {
            log::info!("{games} games, mean square error {error:.4}");
        }
    });
    bar.finish_and_clear();
    let mut file = std::io::BufWriter::new(std::fs::File::create(&options.out)?);
    writeln!(
        file,
        "# Weights of the evaluation in thousandths of a logit: `taikyoku-lab train score-four` writes this file.\n\
         # {} games, step {} to {}, explore {}, lambda {}, seed {}{}.",
        options.games,
        options.first_step,
        options.last_step,
        options.explore,
        options.lambda,
        options.seed,
        if options.go_on {
            ", from the weights before"
        } else {
            ""
        },
    )?;
    for row in trainer.weights().chunks(16) {
        let numbers: Vec<String> = row
            .iter()
            .map(|weight| format!("{:.0}", 1000.0 * weight))
            .collect();
        writeln!(file, "{}", numbers.join(" "))?;
    }
    file.flush()?;
    Ok(())
}
