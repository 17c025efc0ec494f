//! Serving a game of the native protocol.

use games::Game;
use record::files::make_folders;

use super::{
    ReportFormat, ServeFailure, ServeUsage, allow_connections, bind, number_of_matches,
    open_watching, serve, watched,
};
use crate::config::Native;
use crate::lobby::NativeSeats;
use crate::lobby::native::OtherPort;

/// The settings of a game that takes so many random plies.
///
/// # Errors
/// When nobody would have time to move, or games would begin when they are over.
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
    allow_connections(&mut settings.limits, settings.watch);
    let matches = number_of_matches(settings.matches, settings.once);
    let json = settings.json;
    let seed = settings.seed;
    let output = ReportFormat { matches, json };
    serve(matches == Some(1), output, async |stop, reports| {
        // Now, not when the last player has come.
        make_folders(settings.records.as_deref(), settings.game_files.as_deref())?;
        let tls = settings.tls.server().map_err(ServeUsage::from)?;
        let host = settings.bind.clone();
        let watching = open_watching(settings.watch, &host, &settings.limits, tls.clone());
        let (watching, watch_port) = watching.await?;
        let seats = NativeSeats::<G>::new(settings, rules, seed);
        let seats = seats.with_tls(tls).with_others(others);
        let lobby = bind(seats, matches, &stop, reports).await?;
        let lobby = lobby.with_watching(watching);
        Ok((lobby.addresses()?, watched(lobby.run(), watch_port)))
    })
}
