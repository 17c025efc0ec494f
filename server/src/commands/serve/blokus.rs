//! `taikyoku serve blokus`: the server of Blokus.

use std::path::PathBuf;

use clap::Args;
use games::Blokus;
use games::blokus::Rules as BlokusRules;
use games::blokus::{SEATS, Scoring};

use super::ServeFailure;
use super::native::{self, NativeArgs};
use crate::config::Native;

/// The shortest of a thousand random games had 51 plies.
const MOST_PLIES: u32 = 40;

pub(super) const EXAMPLES: &str = "\
Examples:
  taikyoku serve blokus
      serves matches of four games on port 4444 for ever, 10 s a move
  taikyoku serve blokus --games 100 --random-plies 4 --move-ms 1000 --once --json --record records/
      plays 100 games with a second a move, all four of a round from the same four random plies;
      writes the record, and prints the result as the last line of the output
  taikyoku serve blokus --games 300 --random-plies 4 --draw-seats --no-swap --seed 1 --blksgf games/
      the seats of each game are drawn; a blksgf file of each game, with names and scores
  taikyoku serve blokus --budget-ms 300000 --increment-ms 5000 --move-ms 0
      five minutes for each player and game, and five seconds more after each move

A player that sends an illegal move, is out of time, resigns or stays away is out of that game: it is
last, and the others play on. The protocol is specified in protocol/NATIVE.md. Set RUST_LOG=debug for
more of what happens.";

/// Options of `taikyoku serve blokus`.
#[derive(Clone, Debug, Default, Args)]
pub struct BlokusArgs {
    #[command(flatten)]
    native: NativeArgs,
    /// How players are compared: `advanced` (-1 for each square left, bonuses of 15 and 20 for all
    /// pieces) or `squares` (those placed) [default: advanced]
    #[arg(long, value_name = "SCORING", help_heading = "What")]
    pub scoring: Option<Scoring>,
    /// Write a blksgf file of each game into this folder
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub blksgf: Option<PathBuf>,
}

impl BlokusArgs {
    /// The settings.
    ///
    /// # Errors
    /// When nobody would have time to move.
    pub fn settings(&self) -> Result<Native, ServeFailure> {
        let mut settings = self.native.settings(SEATS as u32, MOST_PLIES)?;
        settings.sheets.clone_from(&self.blksgf);
        Ok(settings)
    }
}

/// Runs the server until its matches are played or it is interrupted. Gives whether every match
/// was played to its end.
///
/// # Errors
/// When it cannot serve.
pub(super) fn run(args: &BlokusArgs) -> Result<bool, ServeFailure> {
    let rules = BlokusRules {
        scoring: args.scoring.unwrap_or_default(),
    };
    native::run::<Blokus, _>(&args.native, args.settings()?, rules, |report| report)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: BlokusArgs,
    }

    fn args(line: &str) -> Result<BlokusArgs, String> {
        let words = std::iter::once("blokus").chain(line.split_whitespace());
        let line = Line::try_parse_from(words).map_err(|e| e.to_string())?;
        line.args.settings().map_err(|e| e.to_string())?;
        Ok(line.args)
    }

    #[test]
    fn a_match_is_a_round_of_the_four_seats() {
        let settings = args("").unwrap().settings().unwrap();
        assert_eq!((settings.games, settings.sheets), (4, None));
        let given = args("--scoring squares --blksgf here --random-plies 4 --draw-seats").unwrap();
        assert_eq!(given.scoring, Some(Scoring::Squares));
        let settings = given.settings().unwrap();
        assert_eq!(settings.sheets, Some(PathBuf::from("here")));
        assert!(settings.draw_seats && settings.swap);
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        for (line, why) in [
            ("--scoring best", "advanced"),
            ("--random-plies 41", "at most 40"),
            ("--move-ms 0", "nobody"),
            ("--move-ms 0 --budget-ms 0", "give --move-ms or --budget-ms"),
            ("--increment-ms 100", "--budget-ms"),
            ("--increment-ms 100 --budget-ms 0", "--budget-ms above 0"),
        ] {
            let error = args(line).unwrap_err();
            assert!(error.contains(why), "{line}: {error}");
        }
    }
}
