//! `taikyoku serve blokus`: the server of Blokus.

use std::path::PathBuf;

use clap::Args;
use games::GameName;
use games::blokus::Rules as BlokusRules;
use games::blokus::{SEATS, Scoring};

use super::native;
use crate::config::limits::most_random_plies;
use crate::config::{Native, Overrides};
use program::Failure;

pub(super) const EXAMPLES: &str = "\
Examples:
  taikyoku serve blokus
      serves matches of four games on port 4444 for ever, 10 s a move
  taikyoku serve blokus --games 100 --random-plies 4 --move-ms 1000 --once --json --records records/
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
#[derive(Clone, Debug, Args)]
pub struct Blokus {
    #[command(flatten)]
    native: Native,
    /// How players are compared: `advanced` (-1 for each square left, bonuses of 15 and 20 for all
    /// pieces) or `squares` (those placed) [default: advanced]
    #[arg(long, value_name = "SCORING", help_heading = "What")]
    scoring: Scoring,
    /// Write a blksgf file of each game into this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    blksgf: Option<PathBuf>,
}

fn settings(options: &Overrides<Blokus>) -> Result<(Native, Scoring), Failure> {
    let options = options.over(Blokus {
        native: Native {
            games: SEATS as u32,
            ..Native::default()
        },
        scoring: Scoring::default(),
        blksgf: None,
    });
    let mut settings = native::checked(options.native, most_random_plies(GameName::Blokus))?;
    settings.game_files = options.blksgf;
    Ok((settings, options.scoring))
}

pub(super) fn run(options: &Overrides<Blokus>) -> Result<bool, Failure> {
    let (settings, scoring) = settings(options)?;
    native::run::<games::Blokus>(settings, BlokusRules { scoring }, Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(line: &str) -> Result<(Native, Scoring), String> {
        super::settings(&Overrides::parse(line)?).map_err(|e| e.to_string())
    }

    #[test]
    fn a_match_is_a_round_of_the_four_seats() {
        let (default, scoring) = settings("").unwrap();
        assert_eq!((default.games, default.game_files), (4, None));
        assert_eq!(scoring, Scoring::Advanced);
        let line = "--scoring squares --blksgf here --random-plies 4 --draw-seats";
        let (given, scoring) = settings(line).unwrap();
        assert_eq!(scoring, Scoring::Squares);
        assert_eq!(given.game_files, Some(PathBuf::from("here")));
        assert!(given.draw_seats && given.swap);
    }
}
