//! `taikyoku serve dobutsu`: the server of Dobutsu shogi.

use std::path::PathBuf;

use clap::Args;
use games::dobutsu::Rules as DobutsuRules;

use super::ServeFailure;
use super::native::{self, TwoSeats};
use crate::config::{Given, Native};

/// More end too many random games.
const MOST_PLIES: u32 = 20;

pub(super) const EXAMPLES: &str = "\
Examples:
  taikyoku serve dobutsu
      serves matches of two games on port 4444 for ever, 10 s a move
  taikyoku serve dobutsu --games 100 --move-ms 1000 --once --json
      plays 100 games with a second a move; the result is the last line of the output
  taikyoku serve dobutsu --games 200 --random-plies 4 --seed 1 --record records/ --csa games/
      games in pairs from the same four random plies, each player once first, with a record of the
      match, and the moves of each game as CSA-like text
  taikyoku serve dobutsu --ply-limit 256 --repetition 2
      a game is a draw after 256 plies, and when a position occurs for the second time

A player that sends an illegal move, is out of time or stays away loses the game; the record says why.
The protocol is specified in protocol/NATIVE.md. Set RUST_LOG=debug for more of what happens.";

/// Options of `taikyoku serve dobutsu`.
#[derive(Clone, Debug, Args)]
pub struct Dobutsu {
    #[command(flatten)]
    native: Native,
    /// A position that occurs for the N-th time, with the same player to move, is a draw; 0 lets games repeat
    /// positions for ever [default: 3]
    #[arg(long, value_name = "N", help_heading = "What")]
    repetition: u8,
    /// Plies of both players together after which an undecided game is a draw; 0 sets no limit [default: 0]
    #[arg(long, value_name = "N", help_heading = "What")]
    ply_limit: u32,
    /// Write the moves of each game as CSA-like text into this folder
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    csa: Option<PathBuf>,
}

/// The settings of options, and the rules.
///
/// # Errors
/// When nobody would have time to move.
fn settings(options: &Given<Dobutsu>) -> Result<(Native, DobutsuRules), ServeFailure> {
    let rules = DobutsuRules::default();
    let options = options.over(Dobutsu {
        native: Native::default(),
        repetition: rules.repetition,
        ply_limit: rules.ply_limit,
        csa: None,
    });
    let mut settings = native::checked(options.native, MOST_PLIES)?;
    settings.sheets = options.csa;
    let rules = DobutsuRules {
        repetition: options.repetition,
        ply_limit: options.ply_limit,
        ..rules
    };
    Ok((settings, rules))
}

/// Runs the server until its matches are played or it is interrupted. Gives whether every match
/// was played to its end.
///
/// # Errors
/// When it cannot serve.
pub(super) fn run(options: &Given<Dobutsu>) -> Result<bool, ServeFailure> {
    let (settings, rules) = settings(options)?;
    native::run::<games::Dobutsu, _>(settings, rules, TwoSeats::new)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Given<Dobutsu>,
    }

    fn settings(line: &str) -> Result<(Native, DobutsuRules), String> {
        let words = std::iter::once("dobutsu").chain(line.split_whitespace());
        let line = Line::try_parse_from(words).map_err(|e| e.to_string())?;
        super::settings(&line.options).map_err(|e| e.to_string())
    }

    #[test]
    fn rules_are_those_of_tournaments_unless_options_say_otherwise() {
        let (default, rules) = settings("").unwrap();
        assert_eq!(
            (default, rules),
            (Native::default(), DobutsuRules::default())
        );
        let (given, rules) = settings("--repetition 2 --ply-limit 256 --csa here").unwrap();
        assert_eq!(given.sheets, Some(PathBuf::from("here")));
        assert_eq!((rules.repetition, rules.ply_limit), (2, 256));
        for line in ["--random-plies 21", "--repetition x", "--move-ms 0"] {
            assert!(settings(line).is_err(), "{line}");
        }
    }
}
