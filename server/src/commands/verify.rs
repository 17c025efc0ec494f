//! `taikyoku verify RECORD...`: whether the deals of matches are those that were fixed before them, and their moves lead to
//! their results.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use games::count_of_games;
use games::daihinmin::Chance;
use record::files::records_at;
use record::{DealtSession, Header, ReadError, Replayed, Verified, verify_sessions};
use serde_json::{Value, json};

use crate::league::schedule::LeagueSeed;
use crate::league::sitting::{FIXTURES, RecordedFixture};
use crate::replay::reader;

/// Says whether records agree with themselves, and their deals with the keys that they were dealt from.
///
/// The exit code is 0 when commitment, deals, moves and result of all agree, 1 when something does not: one line names the
/// first line of the file that disagrees. What a record has no means to verify is said, and is no disagreement.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  taikyoku verify monday.jsonl                        one match
  taikyoku verify monday.jsonl --commitment HEX       with the commitment that was published before it
  taikyoku verify records/                            all records of a folder
  taikyoku verify --league-seed SEED NAME/records/    those of a league, with their deals")]
pub struct VerifyArgs {
    /// Records, or folders of them
    #[arg(value_name = "RECORD", required = true)]
    pub records: Vec<PathBuf>,
    /// The commitment that was published before the match, to be that of the only record
    #[arg(long, value_name = "HEX")]
    pub commitment: Option<String>,
    /// The seed of the league that the records belong to, from the report of the finished league
    ///
    /// It verifies the deals of Daihinmin, whose keys are not in the records of a league.
    #[arg(long, value_name = "SEED")]
    pub league_seed: Option<LeagueSeed>,
    /// Print the verdict on each record as a line of JSON (schema: docs/schema/verdict.json)
    #[arg(long)]
    pub json: bool,
}

/// Runs the command; gives whether all agrees.
///
/// # Errors
/// When there is no record, the only one cannot be opened, or a verdict cannot be printed.
pub fn run(args: &VerifyArgs) -> io::Result<bool> {
    let paths = records_at(&args.records)?;
    let [path] = &paths[..] else {
        return run_all(args, &paths);
    };
    let verdict = verify(args, path);
    if let Err(error) = &verdict
        && error.line == 0
        && !args.json
    {
        // There is no record to give a verdict on.
        return Err(io::Error::other(error.to_string()));
    }
    let text = if args.json {
        json_of(path, &verdict).to_string()
    } else {
        text_of(&verdict)
    };
    print(&text)?;
    Ok(verdict.is_ok())
}

/// As [`run`], for several records.
fn run_all(args: &VerifyArgs, paths: &[PathBuf]) -> io::Result<bool> {
    if args.commitment.is_some() {
        let reason = "--commitment is that of one match: name its record alone";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    let mut disagreeing = 0;
    for path in paths {
        let verdict = verify(args, path);
        disagreeing += usize::from(verdict.is_err());
        let text = match &verdict {
            _ if args.json => json_of(path, &verdict).to_string(),
            // An error names its file.
            Err(error) => error.to_string(),
            Ok(_) => format!("{}: {}", path.display(), text_of(&verdict)),
        };
        print(&text)?;
    }
    if !args.json {
        let records = paths.len();
        print(&match disagreeing {
            0 => format!("{records} records: all agree"),
            wrong => format!(
                "{records} records: {} agree, {wrong} do not",
                records - wrong
            ),
        })?;
    }
    Ok(disagreeing == 0)
}

/// Prints a line; a reader that has gone does not matter.
fn print(line: &str) -> io::Result<()> {
    match writeln!(io::stdout(), "{line}") {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(e),
        _ => Ok(()),
    }
}

fn verify(args: &VerifyArgs, path: &Path) -> Result<Verified, ReadError> {
    let reader = reader(path)?;
    let sessions = match args.league_seed {
        Some(seed) => sessions(reader.header(), seed).map_err(|e| reader.error(e))?,
        None => Vec::new(),
    };
    verify_sessions(reader, args.commitment.as_deref(), &sessions)
}

/// What the seed of a league deals in a record of the league.
fn sessions(header: &Header, seed: LeagueSeed) -> Result<Vec<DealtSession>, &'static str> {
    const NO_DEALS: &str = "its header tells no deals of a league in Daihinmin";
    let option = |name: &str| header.options.get(name).cloned().unwrap_or_default();
    let fixtures: Vec<RecordedFixture> =
        serde_json::from_value(option(FIXTURES)).map_err(|_| NO_DEALS)?;
    // Leagues whose deals have no keys do not say it.
    let duplicate = option("duplicate").as_bool().ok_or(NO_DEALS)?;
    let games = option("session").as_u64().unwrap_or(1) as u32;
    let session = |fixture: RecordedFixture| {
        Ok(DealtSession {
            games,
            chance: Chance::Key(seed.deal(fixture.game, duplicate)),
            order: fixture.players.try_into().map_err(|_| NO_DEALS)?,
            duplicate,
        })
    };
    fixtures.into_iter().map(session).collect()
}

fn text_of(verdict: &Result<Verified, ReadError>) -> String {
    let Verified {
        replayed: Replayed { games, plies, .. },
        commitment,
        deals,
        unverified,
    } = match verdict {
        Ok(verified) => verified,
        Err(error) => return error.to_string(),
    };
    let games = count_of_games(*games);
    let mut text = format!("{games}, {plies} moves: moves and result agree");
    if *deals {
        text += ", and the deals with the key or seed";
    }
    if *commitment {
        text += ", and the key with the commitment";
    }
    for what in unverified {
        text += "\nnot verified: ";
        text += what;
    }
    text
}

fn json_of(path: &Path, verdict: &Result<Verified, ReadError>) -> Value {
    match verdict {
        Ok(verified) => json!({
            "agrees": true,
            "file": path.display().to_string(),
            "games": verified.replayed.games,
            "moves": verified.replayed.plies,
            "points": *verified.replayed.points,
            "deals": verified.deals,
            "commitment": verified.commitment,
            "unverified": verified.unverified,
        }),
        Err(error) => json!({
            "agrees": false,
            "file": error.file,
            "line": error.line,
            "reason": error.reason,
        }),
    }
}
