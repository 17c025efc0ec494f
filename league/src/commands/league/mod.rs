//! `taikyoku league`: many games between many programs, and what they say.

mod acts;
mod archive;
mod events;
mod files;
mod organiser;
mod play;
mod progress;
mod status;
mod work;
mod workers;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use program::Failure;

use server::config::{Tls, Watch};

pub use acts::{DisqualifyArgs, PauseArgs, ReplayArgs};
pub use archive::{ArchiveArgs, AuditArgs};
pub(in crate::commands) use events::tell;
pub(in crate::commands) use files::Folder;
pub(in crate::commands) use play::{StopRequests, check_options, open_watching};
pub use status::{ReportArgs, ReportOptions, StatusArgs};
pub use work::WorkArgs;

/// Play a league, or continue one
///
/// Plays the games of a schedule that follows from the file and its seed, and writes each down as it ends. The same
/// command goes on with a league that was interrupted or killed: no game is lost, and none is played twice. Everything
/// goes into the folder FILE.league beside the file: the journal, the report (report.html), tables (CSV), and what
/// programs said before a bad end (stderr/).
///
/// Ctrl-C finishes the running games and ends; pressed twice it ends at once.
#[derive(Clone, Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    subcommand_value_name = "COMMAND",
    after_help = "\
Examples:
  taikyoku league mine.toml               play, or go on where it was stopped
  taikyoku league mine.toml --at-once 1   one table at a time, for programs that use all cores
  taikyoku league mine.toml --json | jq   progress on stderr, the figures as JSON on stdout
  taikyoku league status mine.toml        how far it is, also while it runs
  taikyoku league report mine.toml        the tables again, also while it runs
  taikyoku league archive mine.toml       one file of it all, to hand out
  taikyoku league verify mine.toml        plays every game again
  taikyoku league pause mine.toml         no other game begins, until: taikyoku league resume mine.toml

A league in a few lines (mine.toml); docs/league.md has all keys, the folder examples/leagues more examples:
  game = \"daihinmin\"     # or geister, blokus, score-four, dobutsu
  deals = 100            # each is played once from every seat

  [[entrants]]           # a bot of this project
  engine = \"crow\"
  options = [\"--playouts\", \"300\"]

  [[entrants]]           # any client of the game's protocol
  name = \"mine\"
  command = [\"./client\", \"-h\", \"{host}\", \"-p\", \"{port}\"]
  directory = \"../my-bot\"

Programs that you do not trust run in a sandbox where bubblewrap is installed; [limits] bounds them: see docs/league.md.

Exit status: 0 all is played, or the test has its verdict; 1 something failed, or a matchup was given up; 2 the
command line or the file; 130 it was interrupted."
)]
pub struct LeagueArgs {
    /// Another thing than playing
    #[command(subcommand)]
    pub command: Option<LeagueCommand>,
    /// Playing
    #[command(flatten)]
    pub play: PlayArgs,
}

/// What else there is to do with a league.
#[derive(Clone, Debug, Subcommand)]
pub enum LeagueCommand {
    /// How far a league is, also while it runs
    Status(StatusArgs),
    /// The figures of a league, also while it runs
    Report(ReportArgs),
    /// Make one file of a league, with checksums
    Archive(ArchiveArgs),
    /// Play every game of a league or an archive again
    Verify(AuditArgs),
    /// Play some fixtures of a league for a machine that drives it
    Work(WorkArgs),
    /// Begin no further game; games in play are finished
    #[command(after_help = acts::HELP)]
    Pause(PauseArgs),
    /// Continue a paused league
    #[command(after_help = acts::HELP)]
    Resume(PauseArgs),
    /// Strike the result of a game and play it again
    #[command(after_help = acts::HELP)]
    Replay(ReplayArgs),
    /// Exclude an entrant from all further games
    #[command(after_help = acts::HELP)]
    Disqualify(DisqualifyArgs),
    /// Let a disqualified entrant play again; its lost games stay lost, unless they are replayed
    #[command(after_help = acts::HELP)]
    Reinstate(DisqualifyArgs),
}

/// How a league is played.
#[derive(Clone, Debug, Args)]
pub struct PlayArgs {
    /// The league
    #[arg(value_name = "FILE.toml", required = true)]
    pub file: Option<PathBuf>,
    /// Only go on: fail if the league has not begun [default: go on if it has, otherwise begin]
    #[arg(long)]
    pub resume: bool,
    /// Begin anew, and move what was played before into a folder old-1, old-2, ... of the league's folder
    #[arg(long, conflicts_with = "resume")]
    pub fresh: bool,
    /// Folder of the league [default: FILE.league beside the file]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// At the end print all figures as JSON instead of tables (schema: docs/schema/report.json)
    #[arg(long)]
    pub json: bool,
    /// Tables that are played at the same time [default: as the file says, otherwise the cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub at_once: Option<u32>,
    /// Have workers play, on this machine and others: the command of a program that carries work to them
    #[arg(long, value_name = "COMMAND", conflicts_with = "at_once")]
    pub workers: Option<String>,
    /// Length of a piece of work in seconds
    #[arg(long, value_name = "SECONDS", requires = "workers", default_value = "60", value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub piece: u32,
    /// Add a line of JSON to this file for each thing that happens (schema: docs/schema/league-event.json); with - to
    /// standard output, in place of tables
    #[arg(long, value_name = "FILE|-")]
    pub events: Option<PathBuf>,
    /// Port of watchers
    #[command(flatten)]
    pub watch: Watch,
    /// Address of the port of watchers
    #[arg(
        long,
        value_name = "ADDRESS",
        requires = "watch",
        default_value = "127.0.0.1"
    )]
    pub watch_host: String,
    /// Let an organiser act from the page of taikyoku web --acts, with the token in this file; it is made if it is not there
    #[arg(long, value_name = "FILE", requires = "watch")]
    pub organiser: Option<PathBuf>,
    /// Files of TLS at the port of watchers
    #[command(flatten)]
    pub tls: Tls,
}

/// Plays a league, or does what the command says; gives the exit code.
pub fn run(args: &LeagueArgs) -> Result<u8, Failure> {
    match &args.command {
        None => play::run(&args.play),
        Some(LeagueCommand::Status(args)) => status::run(args).map(|()| 0),
        Some(LeagueCommand::Report(args)) => status::report(args).map(|()| 0),
        Some(LeagueCommand::Archive(args)) => archive::archive(args).map(|()| 0),
        Some(LeagueCommand::Verify(args)) => archive::verify(args),
        Some(LeagueCommand::Work(args)) => work::run(args),
        Some(LeagueCommand::Pause(args)) => acts::pause(args).map(|()| 0),
        Some(LeagueCommand::Resume(args)) => acts::resume(args).map(|()| 0),
        Some(LeagueCommand::Replay(args)) => acts::replay(args).map(|()| 0),
        Some(LeagueCommand::Disqualify(args)) => acts::disqualify(args).map(|()| 0),
        Some(LeagueCommand::Reinstate(args)) => acts::reinstate(args).map(|()| 0),
    }
}
