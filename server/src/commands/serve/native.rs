//! Serving a game of the native protocol.

use games::Game;

use super::{Service, allow_connections, no_clock, number_of_matches, serve};
use crate::config::Native;
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
    let seats = NativeSeats::<G>::new(settings, rules, seed);
    let seats = seats.with_tls(service.tls.clone()).with_others(others);
    serve(service, seats.with_journal(Journal::of_environment()?))
}
