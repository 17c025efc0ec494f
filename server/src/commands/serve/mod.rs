//! `taikyoku serve`: the match server.

mod blokus;
mod dobutsu;
mod gat;
mod native;
mod uecda;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};
use program::Failure;
use protocol::tls::ServerConfig;
use record::files::make_folders;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::allow_open_files;
use super::printer::{Printer, say};
use super::signals::stop_when_asked;
use super::standings::Report;
use crate::config::limits::FILES_PER_CONNECTION;
use crate::config::{Gat, Limits, Native, Overrides, Uecda, Watch};
use crate::lobby::{Lobby, LobbyOptions, SeatPolicy};
use crate::table::disk::disk;
use crate::watch::Watching;
use blokus::Blokus;
use dobutsu::Dobutsu;

/// Run a match server
///
/// Exit status: 0 all matches were played to their ends, or a server without --once and --matches was
/// stopped while none was in play; 130 a match has not reached its end, as the server was interrupted
/// or a player left; 1 the server cannot serve, or files of matches are lost; 2 the command line or the
/// settings file.
#[derive(Clone, Debug, Args)]
pub struct ServeArgs {
    /// The game to serve
    #[command(subcommand)]
    pub game: ServedGame,
}

/// What can be served.
#[derive(Clone, Debug, Subcommand)]
pub enum ServedGame {
    /// Daihinmin under the rules and in the protocol of the UECda tournament
    ///
    /// Clients connect and are seated in the order in which they come; five make a match. The
    /// next five make the next match, at the same time if they come early. Any client that plays
    /// on the official server can play here.
    ///
    /// Settings come from three places, later ones win: the contest's rules, --config or
    /// --tndhms, and the options given here.
    #[command(name = "daihinmin", visible_alias = "uecda", after_help = uecda::EXAMPLES)]
    Uecda(Overrides<Uecda>),
    /// Geister in the GAT protocol, for two players
    ///
    /// Each player has its port: a client connects to it, plays one game, and connects again for
    /// the next. The server always listens on both ports; clients that come early wait. The client on the first port moves
    /// first, unless --swap lets the players take turns.
    ///
    /// Settings come from three places, later ones win: the defaults, section `[geister]` of
    /// --config, and the options given here.
    #[command(visible_alias = "gat", after_help = gat::EXAMPLES)]
    Geister(Overrides<Gat>),
    /// 3D four-in-a-row (4 by 4 by 4, with gravity) in the native protocol, for two players
    ///
    /// Clients connect to one port and are seated in the order in which they come; two make a
    /// match. All games of a match are played on the same connection, and the players change seats
    /// after every game. A client whose connection is lost may come back to its seat.
    #[command(after_help = native::SCORE_FOUR_EXAMPLES)]
    ScoreFour(Overrides<Native>),
    /// Blokus for four players in the native protocol
    ///
    /// Clients connect to one port and are seated in the order in which they come; four make a
    /// match. All games of a match are played on the same connection, and the players move on by a seat
    /// after every game. A client whose connection is lost may come back to its seat; one that makes a
    /// fault is out of that game, which the others play on.
    #[command(after_help = blokus::EXAMPLES)]
    Blokus(Overrides<Blokus>),
    /// Dobutsu shogi for two players, in the native protocol and others
    ///
    /// Clients connect to one port and are seated in the order in which they come; two make a
    /// match. All games of a match are played on the same connection, and the players change seats
    /// after every game. A client whose connection is lost may come back to its seat.
    #[command(after_help = dobutsu::EXAMPLES)]
    Dobutsu(Overrides<Dobutsu>),
}

/// Runs the server until its matches are played or it is interrupted. Gives whether every match
/// was played to its end.
pub fn run(args: &ServeArgs) -> Result<bool, Failure> {
    match &args.game {
        ServedGame::Uecda(options) => uecda::run(options),
        ServedGame::Geister(options) => gat::run(options),
        ServedGame::ScoreFour(options) => native::run_score_four(options),
        ServedGame::Blokus(options) => blokus::run(options),
        ServedGame::Dobutsu(options) => dobutsu::run(options),
    }
}

/// The settings of servers of all games beside the seats.
struct Service {
    /// Matches to play; `None` goes on for ever.
    matches: Option<u64>,
    json: bool,
    /// Whether the server is one task, which is faster because no message crosses threads.
    is_one_task: bool,
    watch: Watch,
    tls: Option<Arc<ServerConfig>>,
    /// Folders of records and other files; they are made before the first player comes.
    records: Option<PathBuf>,
    files: Option<PathBuf>,
}

/// Runs a server until its matches are played or it is interrupted. Gives whether every match was played to its end.
fn serve<P: SeatPolicy<Report: Report>>(service: Service, seats: P) -> Result<bool, Failure> {
    let Service { matches, json, .. } = service;
    let mut runtime = if service.is_one_task {
        tokio::runtime::Builder::new_current_thread()
    } else {
        tokio::runtime::Builder::new_multi_thread()
    };
    let runtime = runtime.enable_all().build()?;
    runtime.block_on(async {
        make_folders(service.records.as_deref(), service.files.as_deref())?;
        let LobbyOptions { host, limits, .. } = seats.options();
        let watching = Watching::open(service.watch, host, limits, service.tls, None).await;
        let (watching, watch_port) = watching
            .map_err(|error| not_bound(host, service.watch.watch.unwrap_or_default(), &error))?;
        if let Some(port) = &watch_port {
            say(format!("watched on {}", port.address));
        }
        let stop = CancellationToken::new();
        let (sender, reports) = mpsc::unbounded_channel();
        let mut lobby = bind(seats, matches, &stop, sender).await?;
        lobby.services.watching = watching;
        let addresses = lobby.addresses()?;
        // What reads that the server listens may end it at once.
        stop_when_asked(&stop);
        // Whatever the level of the log, a program that has asked for port 0 learns where to connect to.
        for address in addresses {
            say(format!("listening on {address}"));
        }
        let printer = Printer::results(program::PrintableWriter(io::stdout()));
        let printing = tokio::spawn(print(reports, matches, json, printer));
        lobby.run().await;
        if let Some(port) = watch_port {
            port.close().await;
        }
        let printed = printing.await.expect("printing does not panic");
        let lost = disk().finish().await;
        match printed? {
            _ if lost > 0 => Err(Failure::failed(format_args!(
                "the disk has not taken all files: {lost} or more are lost, and their results are above"
            ))),
            whole => Ok(whole),
        }
    })
}

/// How many matches are played. The number is never in a file: beside it `once` is that of the file, and the command line goes
/// before it.
fn number_of_matches(matches: Option<u64>, once: bool) -> Option<u64> {
    matches.or(once.then_some(1))
}

/// Lets the process open the files that so many connections need, and as many again of watchers where they may come;
/// takes fewer connections where the system does not let it: its records are not to lack descriptors.
fn allow_connections(limits: &mut Limits, watch: Watch) {
    let each = FILES_PER_CONNECTION + u64::from(watch.watch.is_some());
    let wanted = limits.connections as u64;
    let files = allow_open_files(wanted.saturating_mul(each));
    let possible = (files / each).max(1);
    if possible < wanted {
        log::warn!(
            "at most {possible} connections: the system lets this process open {files} files only"
        );
        limits.connections = possible as usize;
    }
}

pub(super) async fn bind<P: SeatPolicy>(
    seats: P,
    matches: Option<u64>,
    stop: &CancellationToken,
    reports: mpsc::UnboundedSender<P::Report>,
) -> Result<Lobby<P>, Failure> {
    let host = seats.options().host.to_owned();
    let lobby = Lobby::bind(seats, matches, stop.clone(), reports).await;
    lobby.map_err(|(port, error)| not_bound(&host, port, &error))
}

fn not_bound(host: &str, port: u16, error: &io::Error) -> Failure {
    Failure::failed(match error.kind() {
        io::ErrorKind::AddrInUse => format!(
            "port {port} of {host} is in use, by another program or another option of this one: choose another one with --port, --ports or --watch (0 takes a free one)"
        ),
        _ => format!("cannot listen on {host}:{port}: {error}"),
    })
}

/// Prints results as they come; gives whether all matches were played, and were whole.
async fn print<R: Report>(
    mut reports: mpsc::UnboundedReceiver<R>,
    matches: Option<u64>,
    json: bool,
    printer: Printer,
) -> Result<bool, Failure> {
    let (mut whole, mut played, mut lost) = (true, 0, 0);
    while let Some(report) = reports.recv().await {
        whole &= report.reason().is_none();
        played += 1;
        lost += u64::from(report.lost().any());
        let text = if json {
            report.json().to_string()
        } else {
            report.table()
        };
        if printer.print(text) == Err(1) {
            log::error!("standard output is not read: results are left out");
        }
    }
    if !printer.printed().await {
        log::error!("standard output is not read: the last results are not printed");
    }
    if printer.left_out() > 0 {
        log::error!("{} results were left out", printer.left_out());
    }
    if lost > 0 {
        return Err(Failure::failed(format_args!(
            "files of {lost} matches are lost: the log says which, and their results are above"
        )));
    }
    Ok(whole && matches.is_none_or(|most| played >= most))
}

/// A number of the settings file, by its name, that may not be 0.
fn zero(name: &str) -> Failure {
    Failure::usage(format_args!(
        "`{name}` in the settings file may not be 0: give a number from 1, or leave it out"
    ))
}

fn no_clock() -> Failure {
    Failure::usage("nobody has time to move: give --move-ms or --budget-ms above 0")
}

/// Gives the players the names of the options, if there are any.
fn name_all(names: &mut [String], given: Vec<String>) -> Result<(), Failure> {
    if !given.is_empty() && given.len() != names.len() {
        let (players, given) = (names.len(), given.len());
        return Err(Failure::usage(format_args!(
            "--names wants {players} names, one for each player, and has {given}"
        )));
    }
    for (name, given) in names.iter_mut().zip(given) {
        *name = given;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::lobby::{Lost, Missing};

    struct Played(Option<&'static str>, Lost);

    impl Report for Played {
        fn reason(&self) -> Option<&str> {
            self.0
        }

        fn lost(&self) -> Lost {
            self.1
        }

        fn fields(&self) -> Value {
            json!({})
        }

        fn table(&self) -> String {
            String::new()
        }
    }

    #[tokio::test]
    async fn a_server_that_ends_before_its_matches_was_interrupted() {
        let ends = async |reports: &[Option<&'static str>], matches| {
            let (sender, receiver) = mpsc::unbounded_channel();
            for reason in reports {
                sender.send(Played(*reason, Lost::default())).unwrap();
            }
            drop(sender);
            let printer = Printer::results(io::sink());
            print(receiver, matches, true, printer).await.unwrap()
        };
        assert!(!ends(&[], Some(1)).await && ends(&[None], Some(1)).await);
        assert!(!ends(&[None], Some(2)).await && !ends(&[Some("x")], Some(1)).await);
        assert!(ends(&[], None).await && !ends(&[None, Some("x")], None).await);
    }

    #[test]
    fn each_player_has_a_name_or_none() {
        let mut names = ["a", "b"].map(str::to_owned);
        name_all(&mut names, Vec::new()).unwrap();
        for given in [&["x"][..], &["x", "y", "z"]] {
            let given: Vec<String> = given.iter().map(|&name| name.to_owned()).collect();
            let error = name_all(&mut names, given).unwrap_err();
            assert!(error.to_string().starts_with("--names wants 2"), "{error}");
        }
        assert_eq!(names, ["a", "b"]);
        name_all(&mut names, vec!["x".to_owned(), "y".to_owned()]).unwrap();
        assert_eq!(names, ["x", "y"]);
    }

    #[tokio::test]
    async fn a_server_that_loses_files_says_so_at_its_end() {
        let (sender, receiver) = mpsc::unbounded_channel();
        let missing = |what| Lost {
            record: Some(what),
            others: None,
        };
        let (record, late) = (missing(Missing::Lost), missing(Missing::Late));
        for lost in [record, Lost::default(), late, record] {
            sender.send(Played(None, lost)).unwrap();
        }
        assert_eq!(Played(None, record).json()["record"], "lost");
        assert_eq!(Played(None, late).json()["record"], "late");
        drop(sender);
        let printed = print(receiver, None, true, Printer::results(io::sink())).await;
        assert!(printed.is_err_and(|e| e.to_string().starts_with("files of 2 matches")));
    }
}
