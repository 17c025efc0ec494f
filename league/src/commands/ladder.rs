//! `taikyoku ladder`: rated play without end.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use jiff::Timestamp;
use program::Failure;
use record::files::{in_shell, named};
use serde_json::json;
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

use super::league::{Folder, StopRequests, check_options, open_watching, tell};
use crate::journal::Lock;
use crate::ladder::{
    Clock, Ladder, LadderError, LadderRow, LadderStatus, Lobby, Roster, STATUS, settings_of,
    table_of, verify,
};
use crate::process;
use crate::remote::Say;
use crate::settings::{self, Settings};
use server::commands::write_out;
use server::config::Watch;
use server::number::counted;
use server::table::disk::disk;
use server::watch::Watching;

/// Run a ladder: rated play without end
///
/// Entrants connect whenever they like and wait; as soon as enough of them are free, near in rating, they play a deal from
/// every seat. Where nobody comes, entrants of the file sit down, which the ladder starts itself; the first of them has the
/// rating 0. Everything goes into the folder FILE.ladder beside the file: a folder for each day, as a league has it, and
/// status.json. The same command continues a ladder that was interrupted or killed; tables that were in play are void.
///
/// Ctrl-C finishes the tables in play and ends; pressed twice it ends at once.
#[derive(Clone, Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    subcommand_value_name = "COMMAND",
    after_help = "\
Examples:
  taikyoku ladder club.toml                    run it
  taikyoku ladder uecda.toml gat.toml          run two side by side
  taikyoku ladder add club.toml hana           register an entrant; prints its token
  taikyoku ladder status club.toml             tables in play, waiting entrants with the reason, and ratings
  taikyoku ladder verify club.toml             read every day again

A ladder in a few lines (club.toml); docs/ladder.md has all keys:
  game = \"score-four\"   # or daihinmin, geister, blokus, dobutsu
  [contest]
  port = 4444           # entrants connect here
  [ladder]
  house-after-s = 20    # then these sit down
  [[entrants]]
  engine = \"level-3\"

An entrant gives its token: in the hello of the native protocol, as its name in UECda; in Geister it has a port of its own.

Exit status: 0 it was ended; 1 something failed; 2 the command line or the file."
)]
pub struct LadderArgs {
    /// Another thing than running it
    #[command(subcommand)]
    pub command: Option<LadderCommand>,
    /// Running it
    #[command(flatten)]
    pub run: RunArgs,
}

/// What else there is to do with a ladder.
#[derive(Clone, Debug, Subcommand)]
pub enum LadderCommand {
    /// Register an entrant, also while the ladder runs, and print its token
    Add(AddArgs),
    /// Show the tables in play, the waiting entrants with the reason, and the ratings
    Status(LadderStatusArgs),
    /// Read every day again: each line, and each game once
    Verify(FolderArgs),
}

/// The ladder that is meant.
#[derive(Clone, Debug, Args)]
pub struct FolderArgs {
    /// The ladder
    #[arg(value_name = "FILE.toml")]
    pub file: PathBuf,
    /// Folder of the ladder [default: FILE.ladder beside the file]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Whom to register.
#[derive(Clone, Debug, Args)]
pub struct AddArgs {
    /// The ladder
    #[command(flatten)]
    pub ladder: FolderArgs,
    /// Name of the entrant; NAME@v2 is a new version of it with a rating of its own
    pub name: String,
}

/// What to show.
#[derive(Clone, Debug, Args)]
pub struct LadderStatusArgs {
    /// The ladder
    #[command(flatten)]
    pub ladder: FolderArgs,
    /// Work the ratings out now, from all days; a ladder that runs has done so within the hour
    #[arg(long)]
    pub rate: bool,
    /// Print it as JSON (schema: docs/schema/ladder.json)
    #[arg(long)]
    pub json: bool,
}

/// How a ladder is run.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// The ladder; several, such as one of each game, run side by side
    #[arg(value_name = "FILE.toml", required = true)]
    pub files: Vec<PathBuf>,
    /// Folder of the ladder [default: FILE.ladder beside each file]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Tables that are played at the same time [default: as the file says, otherwise the cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub at_once: Option<u32>,
    /// Port of watchers; that of the second ladder is the next one
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
}

impl From<LadderError> for Failure {
    fn from(error: LadderError) -> Failure {
        match error {
            LadderError::Journal(error) => error.into(),
            LadderError::Entrants(_) | LadderError::Ports => Failure::usage(error),
            LadderError::Io(error) => error.into(),
        }
    }
}

/// Runs the ladder, or does what the command says.
pub fn run(args: &LadderArgs) -> Result<(), Failure> {
    match &args.command {
        None => play(&args.run),
        Some(LadderCommand::Add(args)) => add(args),
        Some(LadderCommand::Status(args)) => status(args),
        Some(LadderCommand::Verify(args)) => {
            let folder = folder_of(args);
            let (days, games) = verify(folder.path())?;
            if days == 0 {
                return Err(Failure::usage(format_args!(
                    "{}: no day of a ladder is here: name the folder with --out",
                    folder.path().display()
                )));
            }
            let [days, games] = [(days, "day"), (games, "fixture")]
                .map(|(number, what)| counted(number as u64, what));
            let text = format!("{days}, {games}: every line is valid, and no game counts twice\n");
            Ok(write_out(&text)?)
        }
    }
}

fn folder_of(args: &FolderArgs) -> Folder {
    Folder::beside(&args.file, "ladder", args.out.as_deref())
}

fn read(file: &Path) -> Result<Settings, Failure> {
    let settings = settings::read(file)?;
    if settings.run.ladder.is_none() {
        return Err(Failure::usage(format_args!(
            "{}: this is the file of a league: the file of a ladder has a section [ladder]",
            file.display()
        )));
    }
    let settings = settings_of(settings);
    if settings
        .entrants
        .iter()
        .all(settings::Entrant::comes_itself)
    {
        return Err(Failure::usage(format_args!(
            "{}: a ladder needs an entrant that it starts, whose rating is 0: add one, such as `engine = \"random\"`",
            file.display()
        )));
    }
    Ok(settings)
}

/// A ladder that is about to run.
struct Prepared {
    settings: Settings,
    folder: Folder,
    _lock: Lock,
}

fn prepare(args: &RunArgs, file: &Path) -> Result<Prepared, Failure> {
    let mut settings = read(file)?;
    if let Some(at_once) = args.at_once {
        settings.run.at_once = at_once as usize;
    }
    check_options(&settings, file)?;
    let folder = Folder::beside(file, "ladder", args.out.as_deref());
    folder.make()?;
    let private = [folder.path(), file];
    for text in process::confine(&mut settings, &private).map_err(Failure::usage)? {
        tell(&text);
    }
    Ok(Prepared {
        settings,
        _lock: Lock::take(folder.path())?,
        folder,
    })
}

fn play(args: &RunArgs) -> Result<(), Failure> {
    if args.out.is_some() && args.files.len() > 1 {
        return Err(Failure::usage(
            "--out names the folder of one ladder: leave it out, or run each ladder by itself",
        ));
    }
    let files = args.files.iter();
    let ladders: Result<Vec<Prepared>, Failure> = files.map(|file| prepare(args, file)).collect();
    let ladders = ladders?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let ended = runtime.block_on(serve(args, ladders));
    // An archive that is being made is made at the next start.
    runtime.shutdown_background();
    process::kill_all();
    ended
}

async fn serve(args: &RunArgs, ladders: Vec<Prepared>) -> Result<(), Failure> {
    let (mut running, mut ports) = (Vec::new(), Vec::new());
    for (one, number) in ladders.iter().zip(0..) {
        let mut watch = args.watch;
        watch.watch = watch.watch.map(|port| {
            if port == 0 {
                0
            } else {
                port.saturating_add(number)
            }
        });
        let (watching, port) = open_watching(watch, &args.watch_host, None, None).await?;
        ports.extend(port);
        running.push(open(one, watching).await?);
    }
    let asked = StopRequests::by_signals(tell);
    let mut playing = JoinSet::new();
    for (ladder, serving) in running {
        let options = asked.options.clone();
        playing.spawn(async move {
            ladder.run(&options).await;
            drop(serving);
        });
    }
    while let Some(ended) = playing.join_next().await {
        ended.map_err(io::Error::other)?;
    }
    asked.over.cancel();
    for port in ports {
        port.close().await;
    }
    let lost = disk().finish().await;
    if lost > 0 {
        return Err(Failure::failed(format_args!(
            "{lost} records or more are lost: the disk has not taken them"
        )));
    }
    Ok(())
}

async fn open(
    one: &Prepared,
    watching: Watching,
) -> Result<(Ladder<Lobby>, AbortOnDropHandle<()>), Failure> {
    let (settings, folder) = (&one.settings, one.folder.path());
    let host = Lobby::open(settings, watching, &folder.join("stderr")).await;
    let contest = &settings.run.contest;
    let host = Arc::new(host.map_err(|e| {
        Failure::failed(format_args!(
            "entrants cannot connect to {}:{}: {e}. Give another `host` or `port` in [contest]",
            contest.host, contest.port
        ))
    })?);
    let game = settings.game();
    match host.address() {
        Some(address) => tell(&format!("{game}: entrants connect to {address}")),
        None => tell(&format!(
            "{game}: each entrant has a port of its own, which `taikyoku ladder status` names"
        )),
    }
    let clock: Clock = Arc::new(Timestamp::now);
    let say: Say = Arc::new(move |text| tell(&format!("{game}: {text}")));
    let ladder = Ladder::open(settings.clone(), folder, Arc::clone(&host), clock, say).await?;
    Ok((ladder, AbortOnDropHandle::new(tokio::spawn(host.serve()))))
}

fn add(args: &AddArgs) -> Result<(), Failure> {
    let settings = read(&args.ladder.file)?;
    let folder = folder_of(&args.ladder);
    folder.make()?;
    let now = Timestamp::now().to_string();
    let added = Roster::register(folder.path(), &settings, &args.name, now);
    let added = added.map_err(|e| match e.kind() {
        io::ErrorKind::InvalidInput => Failure::usage(e),
        _ => e.into(),
    })?;
    Ok(write_out(&format!("{}\n", added.token))?)
}

fn status(args: &LadderStatusArgs) -> Result<(), Failure> {
    let settings = read(&args.ladder.file)?;
    let folder = folder_of(&args.ladder);
    let path = folder.path().join(STATUS);
    let text = match std::fs::read_to_string(&path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            return Err(Failure::usage(format_args!(
                "{}: the ladder has not begun: taikyoku ladder {} begins it",
                folder.path().display(),
                in_shell(&args.ladder.file)
            )));
        }
        text => text.map_err(|e| named(&path, &e))?,
    };
    let read = serde_json::from_str::<LadderStatus>(&text);
    let mut read = read.map_err(|e| named(&path, &e.into()))?;
    // What a ladder that does not run has played to its end may not be in its last state.
    if args.rate || crate::journal::holder(folder.path()).is_none() {
        read.rows = table_of(settings, folder.path(), Timestamp::now())?;
    }
    if args.json {
        return Ok(write_out(&format!("{}\n", json!(read)))?);
    }
    let mut lines = vec![format!("{} ({}), {}", read.title, read.game, read.at)];
    let ports: std::collections::BTreeSet<_> = read.connects_to.values().collect();
    if ports.len() > 1 {
        for (name, address) in &read.connects_to {
            lines.push(format!("{name} connects to port {}", address.port()));
        }
    }
    for table in &read.tables {
        lines.push(format!("at a table: {}", table.join(", ")));
    }
    for one in &read.waiting {
        lines.push(format!(
            "{} waits for {} s: {}",
            one.name, one.since, one.why
        ));
    }
    lines.push(String::new());
    lines.push(format!(
        "{:>4}  {:24} {:>7} {:>8} {:>8} {:>8}",
        "rank", "entrant", "rating", "+-", "games", "faults"
    ));
    lines.extend(read.rows.iter().map(line_of));
    Ok(write_out(&(lines.join("\n") + "\n"))?)
}

fn line_of(row: &LadderRow) -> String {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    format!(
        "{:>4}  {:24} {:>7.0} {:>8} {:>8} {:>8}",
        or_none(row.rank.map(|rank| rank.to_string())),
        row.name,
        row.rating,
        or_none(row.half_width.map(|half| format!("{half:.0}"))),
        row.games,
        row.faults.values().sum::<u64>()
    )
}
