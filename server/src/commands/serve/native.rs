//! Serving a game of the native protocol.

use games::Game;

use super::{ServeFailure, ServeUsage, Service, allow_connections, number_of_matches, serve};
use crate::config::Native;
use crate::lobby::NativeSeats;
use crate::lobby::native::OtherPort;
use crate::table::Journal;

/// The settings of a game that takes so many random plies.
pub(super) fn checked(settings: Native, most_plies: u32) -> Result<Native, ServeUsage> {
    if settings.budget_ms == 0 && settings.increment_ms > 0 {
        return Err(ServeUsage::NoBudget);
    }
    if settings.budget_ms == 0 && settings.move_ms == 0 {
        return Err(ServeUsage::NoClock);
    }
    if settings.random_plies > most_plies {
        return Err(ServeUsage::TooManyPlies(most_plies));
    }
    Ok(settings)
}

/// Runs the server, see [`super::run`]; `others` are ports of other protocols.
pub(super) fn run<G: Game>(
    mut settings: Native,
    rules: G::Rules,
    others: Vec<OtherPort>,
) -> Result<bool, ServeFailure> {
    let first = G::read(&rules, &settings.position);
    let first = first.map_err(|e| ServeUsage::NoPosition(e.to_string()))?;
    if first.to_move().is_none() {
        let reason = "the game is over in it".to_owned();
        return Err(ServeUsage::NoPosition(reason).into());
    }
    if settings.draws && !G::HAS_DRAWS {
        return Err(ServeUsage::NoDraws.into());
    }
    allow_connections(&mut settings.limits, settings.watch);
    let matches = number_of_matches(settings.matches, settings.once);
    let service = Service {
        matches,
        json: settings.json,
        is_one_task: matches == Some(1),
        watch: settings.watch,
        tls: settings.tls.server().map_err(ServeUsage::from)?,
        records: settings.records.clone(),
        files: settings.game_files.clone(),
    };
    let seed = settings.seed;
    let seats = NativeSeats::<G>::new(settings, rules, seed);
    let seats = seats.with_tls(service.tls.clone()).with_others(others);
    serve(service, seats.with_journal(Journal::of_environment()?))
}
