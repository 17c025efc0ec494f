//! Serving a game of the native protocol; `taikyoku serve score-four`, which has no options of its own.

use games::score_four::Rules as ScoreFourRules;
use games::{Game, GameName, ScoreFour};

use super::{Service, allow_connections, no_clock, number_of_matches, serve};
use crate::config::limits::most_random_plies;
use crate::config::{Native, Overrides};
use crate::lobby::NativeSeats;
use crate::lobby::native::OtherPort;
use crate::table::Journal;
use program::Failure;

/// The settings of a game that takes so many random plies.
pub(super) fn checked(settings: Native, most_plies: u32) -> Result<Native, Failure> {
    if settings.budget_ms == 0 && settings.increment_ms > 0 {
        let text = "--increment-ms adds to a budget: give --budget-ms above 0";
        return Err(Failure::usage(text));
    }
    if settings.budget_ms == 0 && settings.move_ms == 0 {
        return Err(no_clock());
    }
    if settings.random_plies > most_plies {
        return Err(Failure::usage(format_args!(
            "at most {most_plies} random plies are possible: the game may be over after more"
        )));
    }
    Ok(settings)
}

/// Runs the server, see [`super::run`]; `others` are ports of other protocols.
pub(super) fn run<G: Game>(
    mut settings: Native,
    rules: G::Rules,
    others: Vec<OtherPort>,
) -> Result<bool, Failure> {
    let first = G::read(&rules, &settings.position);
    let first = first.map_err(|e| Failure::usage(format_args!("--position: {e}")))?;
    if first.to_move().is_none() {
        return Err(Failure::usage("--position: the game is over in it"));
    }
    if settings.draws && !G::HAS_DRAWS {
        return Err(Failure::usage("--draws: this game has no draws"));
    }
    allow_connections(&mut settings.limits, settings.watch);
    let matches = number_of_matches(settings.matches, settings.once);
    let service = Service {
        matches,
        json: settings.json,
        is_one_task: matches == Some(1),
        watch: settings.watch,
        tls: settings.tls.server()?,
        records: settings.records.clone(),
        files: settings.game_files.clone(),
    };
    let seed = settings.seed;
    let mut seats = NativeSeats::<G>::new(settings, rules, seed);
    seats.tls.clone_from(&service.tls);
    seats.others = others;
    seats.journal = Journal::of_environment()?;
    serve(service, seats)
}

pub(super) const SCORE_FOUR_EXAMPLES: &str = "\
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

fn score_four_settings(options: &Overrides<Native>) -> Result<Native, Failure> {
    checked(
        options.over(Native::default()),
        most_random_plies(GameName::ScoreFour),
    )
}

pub(super) fn run_score_four(options: &Overrides<Native>) -> Result<bool, Failure> {
    let rules = ScoreFourRules::default();
    run::<ScoreFour>(score_four_settings(options)?, rules, Vec::new())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn settings(line: &str) -> Result<Native, String> {
        score_four_settings(&Overrides::parse(line)?).map_err(|e| e.to_string())
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
}
