//! Plays games to learn from, and shows them to what learns.

mod play;
mod samples;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::Failure;

/// Plays games to learn from, and shows them to what learns.
///
/// Files of games (*.tkg) can be added to at any time: a game whose number is in the file is not played again, and one
/// that was being written when the program was killed is played again under its number.
///
/// Exit status: 0 all is done; 1 something failed; 2 the command line, or a network that cannot be
/// opened; 3 stopped before all games were played.
#[derive(Args)]
#[command(after_help = "\
Examples:
  taikyoku-lab selfplay teach --out teacher.tkg --games 1000 --engine best:playouts=400
                                                       games of a classical engine, to begin with
  taikyoku-lab selfplay play blokus-fast --model blokus-zero.onnx --out games.tkg --games 100 --threads 2
                                                       games of a network, evaluated here
  taikyoku-lab selfplay encode blokus-fast teacher.tkg positions and targets, as bytes on stdout
The formats are described in models/SELF_PLAY.md.")]
pub(crate) struct SelfPlayOptions {
    #[command(subcommand)]
    command: SelfPlayCommand,
}

#[derive(Subcommand)]
enum SelfPlayCommand {
    /// Let a network play all seats.
    Play(play::PlayOptions),
    /// Let an engine that needs no network play all four seats of Blokus.
    Teach(play::TeachOptions),
    /// Write the positions of games and what is to be learned of them to stdout, a block for each game.
    Encode(samples::EncodeOptions),
    /// Write what a network says of the positions of games to stdout.
    Evaluate(samples::EvaluateOptions),
}

/// Runs a command; 3 as exit status says that the learner wanted no more games.
pub(crate) fn run(options: &SelfPlayOptions) -> Result<ExitCode, Failure> {
    match &options.command {
        SelfPlayCommand::Play(options) => {
            return Ok(ExitCode::from(if play::run(options)? { 0 } else { 3 }));
        }
        SelfPlayCommand::Teach(options) => play::teach(options),
        SelfPlayCommand::Encode(options) => samples::encode(options),
        SelfPlayCommand::Evaluate(options) => samples::evaluate(options),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// A bar for people, or a line of JSON now and then for programs.
pub(crate) struct Progress {
    bar: ProgressBar,
    json: bool,
    start: Instant,
    said: Instant,
    pub(crate) games: u64,
    pub(crate) positions: u64,
    pub(crate) evaluations: u64,
}

impl Progress {
    pub(crate) fn new(games: u64, json: bool) -> Self {
        let bar = if json {
            ProgressBar::hidden()
        } else {
            ProgressBar::new(games)
        };
        if let Ok(style) =
            ProgressStyle::with_template("{wide_bar} {pos} of {len} games, {per_sec}, {eta} left")
        {
            bar.set_style(style);
        }
        let now = Instant::now();
        Self {
            bar,
            json,
            start: now,
            said: now,
            games: 0,
            positions: 0,
            evaluations: 0,
        }
    }

    /// A game of so many plies is over.
    pub(crate) fn game(&mut self, plies: usize) {
        self.games += 1;
        self.positions += plies as u64;
        self.bar.inc(1);
        if self.said.elapsed() > Duration::from_secs(5) {
            self.said = Instant::now();
            self.say();
        }
    }

    fn say(&self) {
        if self.json {
            let line = json!({
                "games": self.games,
                "positions": self.positions,
                "evaluations": self.evaluations,
                "seconds": self.start.elapsed().as_secs_f64(),
            });
            eprintln!("{line}");
        }
    }

    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
        self.say();
        if !self.json && self.games == 0 {
            eprintln!(
                "the file has all of these games already; others want another --first-game, or another file"
            );
        } else if !self.json {
            let seconds = self.start.elapsed().as_secs_f64();
            eprintln!(
                "{} games, {} positions in {seconds:.1} s: {:.2} games/s",
                self.games,
                self.positions,
                self.games as f64 / seconds
            );
        }
    }
}
