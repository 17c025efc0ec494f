//! Serving a game of the native protocol.

use games::Game;
use record::files::make_folders;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{
    PrintableWriter, ServeFailure, allow_connections, bind, number_of_matches, open_watching,
    serve, watched,
};
use crate::commands::standings::Report;
use crate::config::Native;
use crate::lobby::native::OtherPort;
use crate::lobby::{GatReport, Lost, NativeReport, NativeSeats};

/// The settings of a game that takes so many random plies.
///
/// # Errors
/// When nobody would have time to move, or games would begin when they are over.
pub(super) fn checked(settings: Native, most_plies: u32) -> Result<Native, ServeFailure> {
    if settings.budget_ms == 0 && settings.increment_ms > 0 {
        return Err(ServeFailure::NoBudget);
    }
    if settings.budget_ms == 0 && settings.move_ms == 0 {
        return Err(ServeFailure::NoClock);
    }
    if settings.random_plies > most_plies {
        return Err(ServeFailure::TooManyPlies(most_plies));
    }
    Ok(settings)
}

/// Runs the server, see [`super::run`]; `others` are ports of other protocols, and `report` says how its reports are
/// shown.
pub(super) fn run<G: Game, R: Report>(
    mut settings: Native,
    rules: G::Rules,
    others: Vec<OtherPort>,
    report: impl Fn(NativeReport) -> R + Send + 'static,
) -> Result<bool, ServeFailure> {
    let first = G::read(&rules, &settings.position);
    let first = first.map_err(|e| ServeFailure::NoPosition(e.to_string()))?;
    if first.to_move().is_none() {
        let reason = "the game is over in it".to_owned();
        return Err(ServeFailure::NoPosition(reason));
    }
    allow_connections(&mut settings.limits, settings.watch);
    let matches = number_of_matches(settings.matches, settings.once);
    let json = settings.json;
    let seed = settings.seed;
    let output = PrintableWriter { matches, json };
    serve(matches == Some(1), output, async |stop, reports| {
        // Now, not when the last player has come.
        make_folders(settings.records.as_deref(), settings.sheets.as_deref())?;
        let tls = settings.tls.server()?;
        let host = settings.bind.clone();
        let watching = open_watching(settings.watch, &host, &settings.limits, tls.clone());
        let (watching, watch_port) = watching.await?;
        let (sender, mut results) = mpsc::unbounded_channel();
        let seats = NativeSeats::<G>::new(settings, rules, seed);
        let seats = seats.with_tls(tls).with_others(others);
        let lobby = bind(seats, matches, &stop, sender).await?;
        let lobby = lobby.with_watching(watching);
        tokio::spawn(async move {
            while let Some(result) = results.recv().await {
                // It is printed until the server ends.
                let _ = reports.send(report(result));
            }
        });
        Ok((lobby.addresses()?, watched(lobby.run(), watch_port)))
    })
}

/// A match for two, whose openings have a seed.
pub(super) struct TwoSeats {
    seed: Option<u64>,
    report: GatReport,
}

impl TwoSeats {
    pub(super) fn new(report: NativeReport) -> TwoSeats {
        TwoSeats {
            seed: report.seed,
            report: report.of_two(),
        }
    }
}

impl Report for TwoSeats {
    fn reason(&self) -> Option<&str> {
        self.report.reason()
    }

    fn lost(&self) -> Lost {
        self.report.lost()
    }

    fn fields(&self) -> Value {
        let mut value = self.report.fields();
        value["seed"] = json!(self.seed);
        value
    }

    fn table(&self) -> String {
        self.report.table()
    }
}
