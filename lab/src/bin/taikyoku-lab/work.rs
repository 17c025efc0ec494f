//! `taikyoku-lab work`: sittings of matches and tables, played for a machine that drives them.

use std::io::BufRead as _;

use clap::{Args, Parser, Subcommand};
use program::work::Request;
use taikyoku_lab::arena::{LabContest, Sittings, WorkLine, spread};

use crate::contest::{Match, Prepared};
use crate::{Failure, Refused, TablesCommand, score_four};

/// Play the sittings of matches and tables that lines of standard input name, as `--workers` writes them (`docs/many_machines.md`).
///
/// The first line has the version of the driver, which must be the same as this one, and its folder, which must be here, too,
/// if specifications of engines name files. Each sitting gives a line of standard output.
#[derive(Args)]
pub(crate) struct WorkOptions {}

pub(crate) fn run(_: &WorkOptions) -> Result<(), Failure> {
    let mut void = None;
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let request: Request<LabContest, Sittings> = serde_json::from_str(&line?)
            .map_err(|e| Refused::because(format!("line {}: {e}", number + 1)))?;
        match request {
            Request::Contest(contest) => agree(&contest)?,
            Request::Piece(piece) => play(&piece.work, &mut void)?,
        }
    }
    void.map_or(Ok(()), Err)
}

/// Goes to the folder of the driver, if the driver is this program.
fn agree(LabContest { lab, folder }: &LabContest) -> Result<(), Failure> {
    let here = program::version!();
    if lab != here {
        return Err(Refused::because(format!(
            "the driver is taikyoku-lab {lab}, and this one {here}: have the same one on every machine"
        )));
    }
    std::env::set_current_dir(folder)
        .map_err(|e| Refused::because(format!("{folder}, the folder of the driver: {e}")))
}

fn prepare(words: &[String]) -> Result<Prepared, Failure> {
    #[derive(Parser)]
    #[command(name = "taikyoku-lab", no_binary_name = true)]
    struct WorkCommandLine {
        #[command(subcommand)]
        command: WorkCommand,
    }
    #[derive(Subcommand)]
    enum WorkCommand {
        #[command(subcommand)]
        Match(Box<Match>),
        #[command(subcommand)]
        Tables(TablesCommand),
    }
    let words = WorkCommandLine::try_parse_from(words).map_err(Refused::because)?;
    match words.command {
        WorkCommand::Match(command) => command.prepare(),
        WorkCommand::Tables(TablesCommand::ScoreFour(options)) => Ok(score_four::prepare(&options)),
    }
}

/// Plays the sittings of a piece; notes the first that comes to nothing.
fn play(piece: &Sittings, void: &mut Option<Failure>) -> Result<(), Failure> {
    let prepared = prepare(&piece.words)?;
    let contest = &prepared.contest;
    for &sitting in &piece.sittings {
        if sitting >= prepared.sittings() {
            let text = format!("there is no sitting {sitting}");
            return Err(Refused::because(text));
        }
        let of_block = contest.sittings;
        let games = spread(contest.unit, 1, 1, |_| {
            contest.play(sitting / of_block, sitting % of_block)
        });
        let line = match games.map(|mut games| games.pop()) {
            Ok(games) => WorkLine::Played {
                sitting,
                games: games.unwrap_or_default(),
            },
            Err(error) => {
                let text = error.reason();
                void.get_or_insert(format!("{} {sitting}: {text}", contest.unit).into());
                WorkLine::Void {
                    sitting,
                    void: text,
                }
            }
        };
        println!("{}", serde_json::to_string(&line)?);
    }
    Ok(())
}
