//! `taikyoku serve score-four`: the server of 3D four-in-a-row.

use games::score_four::Rules as ScoreFourRules;
use games::{GameName, ScoreFour};

use super::native;
use crate::config::limits::most_random_plies;
use crate::config::{Native, Overrides};
use program::Failure;

pub(super) const EXAMPLES: &str = "\
Examples:
  taikyoku serve score-four
      serves matches of two games on port 4444 for ever, 10 s a move
  taikyoku serve score-four --games 100 --move-ms 1000 --once --json
      plays 100 games with a second a move; the result is the last line of the output
  taikyoku serve score-four --games 200 --random-plies 4 --seed 1 --records records/
      games in pairs from the same four random plies, each player once first, with a record
  taikyoku serve score-four --move-ms 600000 --retries 20 --resume-ms 60000
      for people: ten minutes a move, and a slip of the keyboard costs nothing

A player that sends an illegal move, is out of time or stays away loses the game; the record says why.
The protocol is specified in protocol/NATIVE.md. Set RUST_LOG=debug for more of what happens.";

fn settings(options: &Overrides<Native>) -> Result<Native, Failure> {
    native::checked(
        options.over(Native::default()),
        most_random_plies(GameName::ScoreFour),
    )
}

pub(super) fn run(options: &Overrides<Native>) -> Result<bool, Failure> {
    let rules = ScoreFourRules::default();
    native::run::<ScoreFour>(settings(options)?, rules, Vec::new())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Overrides<Native>,
    }

    fn settings(line: &str) -> Result<Native, String> {
        let words = std::iter::once("score-four").chain(line.split_whitespace());
        let line = Line::try_parse_from(words).map_err(|e| e.to_string())?;
        super::settings(&line.options).map_err(|e| e.to_string())
    }

    #[test]
    fn options_are_laid_over_the_defaults() {
        assert_eq!(settings(""), Ok(Native::default()));
        let given = settings(
            "--port 4000 --games 200 --budget-ms 9 --increment-ms 4 --move-ms 500 --once --json --no-swap \
             --draw-seats --random-plies 4 --seed 3 --records here --tables 3 --resume-ms 7 --retries 2",
        );
        let due = Native {
            port: 4000,
            games: 200,
            budget_ms: 9,
            increment_ms: 4,
            move_ms: 500,
            once: true,
            json: true,
            swap: false,
            draw_seats: true,
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
            "--increment-ms 5",
        ] {
            assert!(settings(line).is_err(), "{line}");
        }
    }
}
