//! `taikyoku verify RECORD`: whether the deals of a match are those that were fixed before it, and its moves lead to its
//! result.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use games::count_of_games;
use games::daihinmin::Chance;
use record::{DealtSession, Header, ReadError, Replayed, Verified, verify_sessions};
use serde_json::{Value, json};

use crate::league::schedule::LeagueSeed;
use crate::league::sitting::{FIXTURES, RecordedFixture};
use crate::replay::reader;

/// Says whether a record agrees with itself, and its deals with the key that it was dealt from.
///
/// The exit code is 0 when commitment, deals, moves and result agree, 1 when something does not: one line names the first
/// line of the file that disagrees. What the record has no means to verify is said, and is no disagreement.
#[derive(Clone, Debug, Args)]
pub struct VerifyArgs {
    /// The record
    pub record: PathBuf,
    /// The commitment that was published before the match, to be that of the record
    #[arg(long, value_name = "HEX")]
    pub commitment: Option<String>,
    /// The seed of the league that the record belongs to, from the report of the finished league
    ///
    /// It verifies the deals of Daihinmin, whose keys are not in the records of a league.
    #[arg(long, value_name = "SEED")]
    pub league_seed: Option<LeagueSeed>,
    /// Print the verdict as a line of JSON (schema: docs/schema/verdict.json)
    #[arg(long)]
    pub json: bool,
}

/// Runs the command; gives whether all agrees.
///
/// # Errors
/// When the record cannot be opened, or the verdict cannot be printed.
pub fn run(args: &VerifyArgs) -> io::Result<bool> {
    let verdict = reader(&args.record).and_then(|reader| {
        let sessions = match args.league_seed {
            Some(seed) => sessions(reader.header(), seed).map_err(|e| reader.error(e))?,
            None => Vec::new(),
        };
        verify_sessions(reader, args.commitment.as_deref(), &sessions)
    });
    if let Err(error) = &verdict
        && error.line == 0
        && !args.json
    {
        // There is no record to give a verdict on.
        return Err(io::Error::other(error.to_string()));
    }
    let text = if args.json {
        json_of(&verdict).to_string()
    } else {
        text_of(&verdict)
    };
    match writeln!(io::stdout(), "{text}") {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(e),
        _ => Ok(verdict.is_ok()),
    }
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

fn json_of(verdict: &Result<Verified, ReadError>) -> Value {
    match verdict {
        Ok(verified) => json!({
            "agrees": true,
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
