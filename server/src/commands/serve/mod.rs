//! `taikyoku serve`: the match server.

mod blokus;
mod gat;
mod gat_args;
mod native;
mod native_args;
mod score_four;
mod uecda_args;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::net::SocketAddr;

use clap::{Args, Subcommand};
use games::daihinmin::DealerKind;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::standings::uecda as standings;
use crate::config::{ConfigError, Uecda};
use crate::lobby::{UecdaLobby, UecdaReport};
pub use blokus::BlokusArgs;
pub use gat_args::GatArgs;
pub use score_four::ScoreFourArgs;
use uecda_args::EXAMPLES;
pub use uecda_args::UecdaArgs;

/// Runs a match server.
#[derive(Clone, Debug, Args)]
pub struct ServeArgs {
    /// The tongue to serve
    #[command(subcommand)]
    pub tongue: Tongue,
}

/// What can be served.
#[derive(Clone, Debug, Subcommand)]
pub enum Tongue {
    /// Daihinmin under the rules and in the protocol of the UECda tournament
    ///
    /// Clients connect and are seated in the order in which they come; five make a match. The
    /// next five make the next match, at the same time if they come early. Any client that plays
    /// on the official server can play here.
    ///
    /// Settings come from three places, later ones win: the contest's rules, --config or
    /// --tndhms, and the options given here.
    #[command(after_help = EXAMPLES)]
    Uecda(Box<UecdaArgs>),
    /// Geister in the GAT protocol, for two players
    ///
    /// Each player has its port: a client connects to it, plays one game, and connects again for
    /// the next. The ports are always listened on; clients that come early wait. The players change
    /// seats after every game without noticing: whose port is which stays as it is.
    ///
    /// Settings come from three places, later ones win: the defaults, section `[geister]` of
    /// --config, and the options given here.
    #[command(after_help = gat_args::EXAMPLES)]
    Geister(Box<GatArgs>),
    /// 3D four-in-a-row (4 by 4 by 4, with gravity) in the native protocol, for two players
    ///
    /// Clients connect to one port and are seated in the order in which they come; two make a
    /// match. All games of a match are played on the same connection, and the players change seats
    /// after every game. A client whose connection is lost may come back to its seat.
    #[command(after_help = score_four::EXAMPLES)]
    ScoreFour(Box<ScoreFourArgs>),
    /// Blokus for four players in the native protocol
    ///
    /// Clients connect to one port and are seated in the order in which they come; four make a
    /// match. All games of a match are played on the same connection, and the players move on by a seat
    /// after every game. A client whose connection is lost may come back to its seat; one that makes a
    /// fault is out of that game, which the others play on.
    #[command(after_help = blokus::EXAMPLES)]
    Blokus(Box<BlokusArgs>),
}

/// Why the server does not serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeFailure {
    /// The settings file.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The port.
    #[error(
        "port {port} of {host} is in use: stop the other server, or choose another (0 takes a free one)"
    )]
    PortInUse {
        /// The address.
        host: String,
        /// The port.
        port: u16,
    },
    /// The address.
    #[error("cannot listen on {host}:{port}: {error}")]
    Bind {
        /// The address.
        host: String,
        /// The port.
        port: u16,
        /// Why.
        error: io::Error,
    },
    /// Two folders where the official files have one.
    #[error("--log and --debug-dat name two folders; the official files lie in one")]
    TwoFolders,
    /// A clock without time.
    #[error("a limit of 0 ms lets nobody move: leave the limit out to have none")]
    NoTime,
    /// A clock without budget and time for the move.
    #[error("nobody has time to move: give --move-ms or --budget-ms above 0")]
    NoClock,
    /// An increment without budget.
    #[error("--increment-ms adds to a budget: give --budget-ms above 0")]
    NoBudget,
    /// Openings that are too long.
    #[error("at most {0} random plies are possible: the game may be over after more")]
    TooManyPlies(u32),
    /// A number of the settings file, by its name, that may not be 0.
    #[error("`{0}` in the settings file may not be 0")]
    Zero(&'static str),
    /// Anything else.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl ServeFailure {
    /// Whether an option has a value that cannot be, rather than that something has failed.
    pub const fn is_usage(&self) -> bool {
        use ServeFailure::{NoBudget, NoClock, NoTime, TooManyPlies, TwoFolders};
        matches!(
            self,
            TwoFolders | NoTime | NoClock | NoBudget | TooManyPlies(_)
        )
    }
}

/// Runs the server until its matches are played or it is interrupted. Gives whether every match
/// was played to its end.
///
/// # Errors
/// When it cannot serve.
pub fn run(args: &ServeArgs) -> Result<bool, ServeFailure> {
    let args = match &args.tongue {
        Tongue::Uecda(args) => args,
        Tongue::Geister(args) => return gat::run(args),
        Tongue::ScoreFour(args) => return score_four::run(args),
        Tongue::Blokus(args) => return blokus::run(args),
    };
    let settings = args.settings()?;
    let matches = if settings.once { Some(1) } else { args.matches };
    // One match is one task, and faster without the way between threads.
    let mut runtime = match matches {
        Some(1) => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    runtime
        .enable_all()
        .build()?
        .block_on(serve(settings, matches))
}

async fn serve(settings: Uecda, matches: Option<u64>) -> Result<bool, ServeFailure> {
    let seed = settings.seed.unwrap_or_else(|| drawn_seed(settings.dealer));
    let json = settings.json;
    let stop = CancellationToken::new();
    let (sender, reports) = mpsc::unbounded_channel();
    let lobby = bind(settings, matches, seed, &stop, sender).await?;
    say_listening(&[lobby.address()?]);
    stop_when_interrupted(&stop);
    let printing = tokio::spawn(print(reports, json));
    lobby.run().await?;
    Ok(printing.await.unwrap_or(false))
}

/// Prints `listening on ADDRESS` for each port to standard error, whatever the level of the log, so that
/// a program that has asked for port 0 learns where to connect to.
fn say_listening(addresses: &[SocketAddr]) {
    for address in addresses {
        // Nobody reads standard error: clients connect all the same.
        let _ = writeln!(io::stderr(), "listening on {address}");
    }
}

/// Cancels `stop` at the first interrupt from the keyboard, or request of the system to end.
fn stop_when_interrupted(stop: &CancellationToken) {
    let stop = stop.clone();
    let terminated = terminated();
    tokio::spawn(async move {
        let interrupted = tokio::select! {
            interrupt = tokio::signal::ctrl_c() => interrupt.is_ok(),
            () = terminated => true,
        };
        if interrupted {
            log::info!("interrupted: games in play are void");
            stop.cancel();
        }
    });
}

/// Waits for SIGTERM, which is what service managers send; from the call on it ends the process no
/// more.
#[cfg(unix)]
fn terminated() -> impl Future<Output = ()> + Send {
    use tokio::signal::unix::{SignalKind, signal};
    let stream = signal(SignalKind::terminate());
    async move {
        if let Ok(mut stream) = stream
            && stream.recv().await.is_some()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}

/// There is no such signal: waits for ever.
#[cfg(not(unix))]
fn terminated() -> impl Future<Output = ()> + Send {
    std::future::pending()
}

/// Opens the lobby's port.
///
/// # Errors
/// What to do about a port that cannot be had.
pub(super) async fn bind(
    settings: Uecda,
    matches: Option<u64>,
    seed: u64,
    stop: &CancellationToken,
    reports: mpsc::UnboundedSender<UecdaReport>,
) -> Result<UecdaLobby, ServeFailure> {
    let (host, port) = (settings.bind.clone(), settings.port);
    UecdaLobby::bind(settings, matches, seed, stop.clone(), reports)
        .await
        .map_err(|error| not_bound(host, port, error))
}

fn not_bound(host: String, port: u16, error: io::Error) -> ServeFailure {
    match error.kind() {
        io::ErrorKind::AddrInUse => ServeFailure::PortInUse { host, port },
        _ => ServeFailure::Bind { host, port, error },
    }
}

/// Prints results as they come; gives whether all matches were whole.
async fn print(mut reports: mpsc::UnboundedReceiver<UecdaReport>, json: bool) -> bool {
    let mut whole = true;
    while let Some(report) = reports.recv().await {
        whole &= report.result.reason.is_none();
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

/// A seed from the system's randomness. The official generator takes 32 bits of it.
pub(super) fn drawn_seed(dealer: DealerKind) -> u64 {
    let seed = RandomState::new().build_hasher().finish();
    match dealer {
        DealerKind::Official => seed & u64::from(u32::MAX),
        DealerKind::Modern => seed,
    }
}
