//! `taikyoku verify RECORD...`: whether the deals of matches are those that were fixed before them, and their moves lead to
//! their results.

use std::path::{Path, PathBuf};

use clap::Args;
use games::count_of_games;
use games::daihinmin::Chance;
use program::Failure;
use record::files::{records_at, without_copies};
use record::{DealtSession, Header, ReadError, Replayed, Verified, verify_sessions};
use serde_json::{Value, json};

use crate::schedule::LeagueSeed;
use crate::table_session::{FIXTURES, RecordedFixture};
use server::commands::{log, write_out};
use server::number::counted;
use server::replay::reader;

/// Verify the deals and the results of records
///
/// Says whether records agree with themselves, and their deals with the keys that they were dealt from. The exit code is 0 when commitment, deals, moves and result of all agree, 1 when something does not; for each record that
/// does not agree, a line names the first of its lines that disagrees. A copy of a record is named and counts once. What a
/// record has no means to verify is said, and is no disagreement.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  taikyoku verify monday.jsonl                               one match
  taikyoku verify monday.jsonl --commitment HEX              with the commitment that was published before it
  taikyoku verify records/                                   all records of a folder
  taikyoku verify --league-seed SEED mine.league/records/    those of a league, with their deals")]
pub struct VerifyArgs {
    /// Records, or folders of them
    #[arg(value_name = "RECORD", required = true)]
    pub records: Vec<PathBuf>,
    /// The commitment that was published before the match; the record must have it. Only for a single record
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
pub fn run(args: &VerifyArgs) -> Result<bool, Failure> {
    let paths = records_at(&args.records)?;
    let [path] = &args.records[..] else {
        return run_all(args, &paths);
    };
    if path.is_dir() {
        return run_all(args, &paths);
    }
    let verdict = verify(args, path);
    if let Some(error) = unread(&verdict)
        && !args.json
    {
        return Err(Failure::failed(error));
    }
    let text = if args.json {
        json_of(path, &verdict).to_string()
    } else {
        text_of(&verdict)
    };
    write_out(&(text + "\n"))?;
    Ok(verdict.is_ok())
}

/// As [`run`], for several records.
fn run_all(args: &VerifyArgs, paths: &[PathBuf]) -> Result<bool, Failure> {
    if args.commitment.is_some() && paths.len() > 1 {
        let text = "--commitment is that of one match: name its record alone";
        return Err(Failure::usage(text));
    }
    let (paths, copies) = without_copies(paths.to_vec());
    for (copy, original) in &copies {
        if args.json {
            let mut verdict = json_of(copy, &verify(args, copy));
            verdict["copy_of"] = json!(original.display().to_string());
            write_out(&format!("{verdict}\n"))?;
        } else {
            write_out(&format!(
                "{}: a copy of {}\n",
                copy.display(),
                original.display()
            ))?;
        }
    }
    let (mut agreeing, mut unreadable) = (0, 0);
    for path in &paths {
        let verdict = verify(args, path);
        agreeing += usize::from(verdict.is_ok());
        unreadable += usize::from(unread(&verdict).is_some());
        if args.json {
            write_out(&format!("{}\n", json_of(path, &verdict)))?;
            continue;
        }
        match &verdict {
            // An error names its file.
            Err(error) if error.line == 0 => log::fail(&error.to_string()),
            Err(error) => write_out(&format!("{error}\n"))?,
            Ok(_) => write_out(&format!("{}: {}\n", path.display(), text_of(&verdict)))?,
        }
    }
    if !args.json {
        let records = paths.len();
        let unread = match unreadable {
            0 => String::new(),
            some => format!(" and {some} cannot be read"),
        };
        let verb = if agreeing == 1 { "agrees" } else { "agree" };
        let copied = match copies.len() as u64 {
            0 => String::new(),
            1 => "; 1 copy does not count".to_owned(),
            some => format!("; {some} copies do not count"),
        };
        write_out(&format!(
            "{}, of which {agreeing} {verb}{unread}{copied}\n",
            counted(records as u64, "record")
        ))?;
    }
    Ok(agreeing == paths.len())
}

/// The error of a file that cannot be opened: there is nothing to give a verdict on.
fn unread<T>(verdict: &Result<T, ReadError>) -> Option<&ReadError> {
    verdict.as_ref().err().filter(|error| error.line == 0)
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
