//! `taikyoku verify RECORD`: whether the deals of a match are those that were fixed before it, and its moves lead to its
//! result.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use record::{ReadError, RecordReader, Replayed, Verified, verify};
use serde_json::{Value, json};

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
    /// Print the verdict as a line of JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs the command; gives whether all agrees.
///
/// # Errors
/// When the verdict cannot be printed.
pub fn run(args: &VerifyArgs) -> io::Result<bool> {
    let reader = RecordReader::open(&args.record);
    let verdict = reader.and_then(|reader| verify(reader, args.commitment.as_deref()));
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
    let mut text = format!("{games} games, {plies} moves: moves and result agree");
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
