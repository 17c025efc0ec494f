//! `taikyoku replay RECORD`: a viewer for records on the terminal.

mod frame;
mod positions;
mod viewer;

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use games::{Blokus, Dobutsu, GameName, ScoreFour, count_of_games};
use record::{DaihinminGame, GeisterGame, Record, RecordReader, Replayed, replay};

use frame::Show;
use viewer::Viewer;

/// Looks at a record: steps through its games on a terminal, prints them elsewhere.
#[derive(Clone, Debug, clap::Args)]
pub struct ReplayArgs {
    /// The record
    pub record: PathBuf,
    /// Begin with this game; without a terminal, print only this game
    #[arg(long, value_name = "N")]
    pub game: Option<u32>,
    /// Print whole games even on a terminal
    #[arg(long)]
    pub all: bool,
    /// Print every position as a line of JSON
    #[arg(long)]
    pub json: bool,
    /// Only play the record again, and say whether it leads to the result that it states
    ///
    /// Its moves are those of the players, passes included; random first plies, which the plies of the server's result
    /// count, are none.
    #[arg(long)]
    pub check: bool,
}

/// Why a record cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ReplayFailure {
    /// It cannot be read, or it contradicts itself.
    #[error(transparent)]
    Record(#[from] record::ReadError),
    /// It has no such game.
    #[error("the record has no game {0}")]
    NoGame(u32),
    /// Input or output failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Runs the command on standard input and output.
///
/// # Errors
/// When the record cannot be read or contradicts itself.
pub fn run(args: &ReplayArgs) -> Result<(), ReplayFailure> {
    let stdin = io::stdin();
    let stdout = io::stdout();
    let step = stdin.is_terminal() && stdout.is_terminal();
    match show(args, step, &mut stdin.lock(), &mut stdout.lock()) {
        // `taikyoku replay R | head` is no failure.
        Err(ReplayFailure::Io(e)) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// As [`run`]; `step` waits for a key between positions.
///
/// # Errors
/// As [`run`], and those of `output`.
pub fn show(
    args: &ReplayArgs,
    step: bool,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> Result<(), ReplayFailure> {
    if args.check {
        let sum = replay(RecordReader::open(&args.record)?)?;
        return Ok(check_line(&sum, output)?);
    }
    let record = Record::open(&args.record)?;
    match record.header.game {
        GameName::Daihinmin => view::<DaihinminGame>(record, args, step, input, output),
        GameName::Geister => view::<GeisterGame>(record, args, step, input, output),
        GameName::ScoreFour => view::<ScoreFour>(record, args, step, input, output),
        GameName::Blokus => view::<Blokus>(record, args, step, input, output),
        GameName::Dobutsu => view::<Dobutsu>(record, args, step, input, output),
    }
}

fn view<G: Show>(
    record: Record,
    args: &ReplayArgs,
    step: bool,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> Result<(), ReplayFailure> {
    let viewer: Viewer<G> = Viewer::new(record, &args.record)?;
    if step && !args.all && !args.json {
        viewer.step_through(args.game, input, output)
    } else {
        viewer.print(args.game, args.json, output)
    }
}

fn check_line(sum: &Replayed, out: &mut dyn Write) -> io::Result<()> {
    let points: Vec<String> = sum.points.iter().map(ToString::to_string).collect();
    write!(
        out,
        "{}, {} moves, points {}",
        count_of_games(sum.games),
        sum.plies,
        points.join(" ")
    )?;
    if sum.void > 0 {
        write!(out, ", {} void", sum.void)?;
    }
    if sum.unfinished {
        write!(out, ", the last game has no end")?;
    }
    if sum.closed {
        writeln!(out, ": as the record states")
    } else {
        writeln!(out, ": the record has no result yet")
    }
}
