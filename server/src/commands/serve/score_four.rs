//! `taikyoku serve score-four`: the server of 3D four-in-a-row.

use std::path::PathBuf;

use clap::Args;
use games::daihinmin::DealerKind;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::args::set;
use super::geister::print;
use super::geister_args::MOST_MS;
use super::{ServeFailure, drawn_seed, not_bound, stop_when_interrupted};
use crate::config::Native;
use crate::lobby::NativeLobby;
use crate::table_game::{ScoreFour, ScoreFourRules};

pub(super) const EXAMPLES: &str = "\
Examples:
  taikyoku serve score-four
      serves matches of two games on port 4444 for ever, 10 s a move
  taikyoku serve score-four --games 100 --move-ms 1000 --once --json
      plays 100 games with a second a move; the result is the last line of the output
  taikyoku serve score-four --games 200 --random-plies 4 --seed 1 --record records/
      games in pairs from the same four random plies, each player once first, with a record
  taikyoku serve score-four --move-ms 600000 --retries 20 --resume-ms 60000
      for people: ten minutes a move, and a slip of the keyboard costs nothing

A player that sends an illegal move, is out of time or stays away loses the game; the record says why.
The protocol is specified in protocol/README.md. Set RUST_LOG=debug for more of what happens.";

/// Options of `taikyoku serve score-four`. All times are in milliseconds.
#[derive(Clone, Debug, Default, Args)]
pub struct ScoreFourArgs {
    /// Address to listen on [default: 0.0.0.0]
    #[arg(long, value_name = "ADDRESS", help_heading = "Where")]
    pub host: Option<String>,
    /// Port; 0 takes a free one and says which [default: 4444]
    #[arg(short, long, help_heading = "Where")]
    pub port: Option<u16>,

    /// Games of a match [default: 2]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "What")]
    pub games: Option<u32>,
    /// Matches to play, then stop [default: no end]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "What")]
    pub matches: Option<u64>,
    /// Play one match, then stop
    #[arg(long, conflicts_with = "matches", help_heading = "What")]
    pub once: bool,
    /// The first player to connect moves first in every game, instead of in every other
    #[arg(long, help_heading = "What")]
    pub no_swap: bool,
    /// Matches played at the same time [default: 16]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..), help_heading = "What")]
    pub tables: Option<u16>,
    /// Random moves at the start of each game; both games of a pair have the same [default: 0]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(..=24), help_heading = "What")]
    pub random_plies: Option<u32>,
    /// Seed of the random moves of the first match, the next has the next number [default: drawn]
    #[arg(long, help_heading = "What")]
    pub seed: Option<u64>,
    /// Illegal moves and unreadable lines that cost a player nothing in each game [default: 0]
    #[arg(long, value_name = "N", help_heading = "What")]
    pub retries: Option<u32>,

    /// Time of each player for a whole game, used before that of the single move [default: 0]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MOST_MS), help_heading = "Clocks")]
    pub budget_ms: Option<u64>,
    /// Time for each move once the budget is used up [default: 10000]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MOST_MS), help_heading = "Clocks")]
    pub move_ms: Option<u64>,
    /// How long the seat of a lost connection is kept; its clock goes on [default: 10000]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MOST_MS), help_heading = "Clocks")]
    pub resume_ms: Option<u64>,

    /// Print each result as a line of JSON instead of a table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Write a record of each match into this folder, or into this file if it ends in .jsonl
    #[arg(long, value_name = "PATH", help_heading = "Output")]
    pub record: Option<PathBuf>,
}

impl ScoreFourArgs {
    /// The settings.
    ///
    /// # Errors
    /// When nobody would have time to move.
    pub fn settings(&self) -> Result<Native, ServeFailure> {
        let mut settings = Native::default();
        let s = &mut settings;
        set(&mut s.bind, self.host.clone());
        set(&mut s.port, self.port);
        set(&mut s.games, self.games);
        s.once = self.once;
        s.json = self.json;
        s.swap = !self.no_swap;
        set(&mut s.tables, self.tables.map(usize::from));
        set(&mut s.random_plies, self.random_plies);
        s.seed = self.seed;
        set(&mut s.retries, self.retries);
        set(&mut s.budget_ms, self.budget_ms);
        set(&mut s.move_ms, self.move_ms);
        set(&mut s.resume_ms, self.resume_ms);
        s.records.clone_from(&self.record);
        if s.budget_ms == 0 && s.move_ms == 0 {
            return Err(ServeFailure::NoTime);
        }
        Ok(settings)
    }
}

/// Runs the server until its matches are played or it is interrupted. Gives whether every match
/// was played to its end.
///
/// # Errors
/// When it cannot serve.
pub(super) fn run(args: &ScoreFourArgs) -> Result<bool, ServeFailure> {
    let settings = args.settings()?;
    let matches = if settings.once { Some(1) } else { args.matches };
    // One match is one task, and faster without the way between threads.
    let mut runtime = match matches {
        Some(1) => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    runtime
        .enable_all()
        .build()?
        .block_on(serve(settings, matches))
}

async fn serve(settings: Native, matches: Option<u64>) -> Result<bool, ServeFailure> {
    let seed = settings
        .seed
        .unwrap_or_else(|| drawn_seed(DealerKind::Modern));
    let json = settings.json;
    let (host, port) = (settings.bind.clone(), settings.port);
    let stop = CancellationToken::new();
    let (sender, reports) = mpsc::unbounded_channel();
    let rules = ScoreFourRules::default();
    let lobby =
        NativeLobby::<ScoreFour>::bind(settings, rules, matches, seed, stop.clone(), sender)
            .await
            .map_err(|error| not_bound(host, port, error))?;
    log::info!("serving score-four on {}", lobby.address()?);
    stop_when_interrupted(&stop);
    let printing = tokio::spawn(print(reports, json));
    lobby.run().await?;
    Ok(printing.await.unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: ScoreFourArgs,
    }

    fn settings(line: &str) -> Result<Native, String> {
        let words = std::iter::once("score-four").chain(line.split_whitespace());
        let line = Line::try_parse_from(words).map_err(|e| e.to_string())?;
        line.args.settings().map_err(|e| e.to_string())
    }

    #[test]
    fn options_are_laid_over_the_defaults() {
        assert_eq!(settings(""), Ok(Native::default()));
        let given = settings(
            "--port 4000 --games 200 --budget-ms 9 --move-ms 500 --once --json --no-swap \
             --random-plies 4 --seed 3 --record here --tables 3 --resume-ms 7 --retries 2",
        );
        let due = Native {
            port: 4000,
            games: 200,
            budget_ms: 9,
            move_ms: 500,
            once: true,
            json: true,
            swap: false,
            random_plies: 4,
            seed: Some(3),
            records: Some(PathBuf::from("here")),
            tables: 3,
            resume_ms: 7,
            retries: 2,
            ..Native::default()
        };
        assert_eq!(given, Ok(due));
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        for line in [
            "--games 0",
            "--tables 0",
            "--move-ms 0",
            "--move-ms 99999999999999",
            "--random-plies 60",
            "--once --matches 2",
        ] {
            assert!(settings(line).is_err(), "{line}");
        }
    }
}
