//! Serving a game of the native protocol.

use std::io::{self, Write};

use games::Game;
use games::daihinmin::DealerKind;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{ServeFailure, drawn_seed, not_bound, say_listening, stop_when_interrupted};
use crate::config::Native;
use crate::lobby::{NativeLobby, NativeReport};
use record::files::make_folders;

/// The text of a result: as JSON, or as a table.
pub(super) type Show = fn(NativeReport, bool) -> String;

/// Runs the server until its matches are played or it is interrupted. Gives whether every match
/// was played to its end.
///
/// # Errors
/// When it cannot serve.
pub(super) fn run<G: Game>(
    settings: Native,
    rules: G::Rules,
    matches: Option<u64>,
    show: Show,
) -> Result<bool, ServeFailure> {
    // One match is one task, and faster without the way between threads.
    let mut runtime = match matches {
        Some(1) => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    runtime
        .enable_all()
        .build()?
        .block_on(serve::<G>(settings, rules, matches, show))
}

async fn serve<G: Game>(
    settings: Native,
    rules: G::Rules,
    matches: Option<u64>,
    show: Show,
) -> Result<bool, ServeFailure> {
    let seed = settings
        .seed
        .unwrap_or_else(|| drawn_seed(DealerKind::Modern));
    let json = settings.json;
    // Now, not when the last player has come.
    make_folders(settings.records.as_deref(), settings.sheets.as_deref())?;
    let (host, port) = (settings.bind.clone(), settings.port);
    let stop = CancellationToken::new();
    let (sender, reports) = mpsc::unbounded_channel();
    let lobby = NativeLobby::<G>::bind(settings, rules, matches, seed, stop.clone(), sender)
        .await
        .map_err(|error| not_bound(host, port, error))?;
    say_listening(&[lobby.address()?]);
    stop_when_interrupted(&stop);
    let printing = tokio::spawn(print(reports, json, show));
    lobby.run().await?;
    Ok(printing.await.unwrap_or(false))
}

/// Prints results as they come; gives whether all matches were whole.
async fn print(mut reports: mpsc::UnboundedReceiver<NativeReport>, json: bool, show: Show) -> bool {
    let mut whole = true;
    while let Some(report) = reports.recv().await {
        whole &= report.reason.is_none();
        // Nobody reads standard output: the records still say it all.
        let _ = writeln!(io::stdout(), "{}", show(report, json));
    }
    whole
}
