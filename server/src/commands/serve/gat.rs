//! `taikyoku serve geister`: the server of Geister.

use std::io::{self, Write};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::gat_args::GatArgs;
use super::{ServeFailure, not_bound, say_listening, stop_when_interrupted};
use crate::commands::standings::gat as standings;
use crate::config::Gat;
use crate::lobby::{GatLobby, GatReport};

/// Runs the server until its matches are played or it is interrupted. Gives whether every match
/// was played to its end.
///
/// # Errors
/// When it cannot serve.
pub(super) fn run(args: &GatArgs) -> Result<bool, ServeFailure> {
    let settings = args.settings()?;
    let matches = if settings.once { Some(1) } else { args.matches };
    // One table is faster without the way between threads.
    let mut runtime = match settings.tables {
        0 | 1 => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    runtime
        .enable_all()
        .build()?
        .block_on(serve(settings, matches))
}

async fn serve(settings: Gat, matches: Option<u64>) -> Result<bool, ServeFailure> {
    let json = settings.json;
    let host = settings.bind.clone();
    let stop = CancellationToken::new();
    let (sender, reports) = mpsc::unbounded_channel();
    let lobby = GatLobby::bind(settings, matches, stop.clone(), sender)
        .await
        .map_err(|(port, error)| not_bound(host, port, error))?;
    say_listening(&lobby.addresses()?);
    stop_when_interrupted(&stop);
    let printing = tokio::spawn(print(reports, json));
    lobby.run().await?;
    Ok(printing.await.unwrap_or(false))
}

/// Prints results as they come; gives whether all matches were whole.
async fn print(mut reports: mpsc::UnboundedReceiver<GatReport>, json: bool) -> bool {
    let mut whole = true;
    while let Some(report) = reports.recv().await {
        whole &= report.reason.is_none();
        let text = if json {
            standings::json(&report).to_string()
        } else {
            standings::table(&report)
        };
        // Nobody reads standard output: the records still say it all.
        let _ = writeln!(io::stdout(), "{text}");
    }
    whole
}
