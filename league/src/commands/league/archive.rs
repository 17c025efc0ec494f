//! `taikyoku league archive` and `verify`: the league as one file, and whether all in it agrees.

use std::path::{Path, PathBuf};

use clap::Args;
use program::Failure;
use serde_json::{Value, json};

use super::events::tell;
use crate::archive::{self, Audit, Disagreement};
use crate::journal::{self, FILE_NAME, JournalReader, Lock, check_change, difference};
use crate::result::Results;
use crate::settings;
use server::commands::write_out;
use server::number::counted;

/// Make one file of a league: its journal, records and report, with checksums
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  taikyoku league archive mine.toml                        makes mine.league.tar.gz
  taikyoku league archive mine.toml --output spring.tar.gz
  taikyoku league verify spring.tar.gz                     plays every game in it again

The command then verifies the league as `taikyoku league verify` does, and plays every recorded game again.
Exit status: 0 an archive that verifies; 1 no archive, or one that does not verify; 2 the command line.
The same league gives the same bytes. With `archive = true` in its file a league makes its archive at its end.
The journal has the seed: before the league is over, give its archive to nobody.")]
pub struct ArchiveArgs {
    /// The league's TOML file, its folder or its journal
    #[arg(value_name = "FILE|DIR|JOURNAL")]
    pub league: PathBuf,
    /// The archive, NAME.tar.gz [default: that of the folder, beside it]
    #[arg(long, value_name = "PATH")]
    pub output: Option<PathBuf>,
}

/// Verify a league: play every game again and compare all that was written
///
/// Compares checksums, the schedule and the deals that follow from the seed, plays every game of every record again by the
/// rules, and compares each result of the journal with its game, and the CSV tables of an archive with the journal. The first thing that does not agree is told with its file, line and game. Rounds that follow
/// from results are not paired again, and report.html is not compared: give out the SHA-256 of the archive.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  taikyoku league verify mine.league.tar.gz    an archive
  taikyoku league verify mine.league           the folder of a league
  taikyoku league verify mine.toml             the same, and whether the file has the settings that were played

Exit status: 0 all agrees; 1 something does not; 2 the command line.")]
pub struct AuditArgs {
    /// An archive, the folder of a league, or its TOML file
    #[arg(value_name = "ARCHIVE|DIR|FILE")]
    pub league: PathBuf,
    /// Print what is found as a line of JSON (schema: docs/schema/league-verdict.json)
    #[arg(long)]
    pub json: bool,
}

/// Most games or files that are named in a line of text.
const MOST_NAMED: usize = 10;

const EXTENSIONS: [&str; 2] = [".tar.gz", ".tgz"];

pub(super) fn archive(args: &ArchiveArgs) -> Result<(), Failure> {
    let folder = journal::folder_of(&args.league);
    // A folder without a league is left without a lock.
    let is_league = folder.join(FILE_NAME).is_file();
    let _lock = is_league.then(|| Lock::take(&folder)).transpose()?;
    let is_over = Results::open(&args.league)?.0.is_over();
    make(&folder, args.output.as_deref(), is_over)
}

/// Makes the archive of the league in a folder that no other process uses, and says so.
///
/// # Errors
/// The archive cannot be made; or it does not verify, and then the file exists all the same.
pub(super) fn make(folder: &Path, output: Option<&Path>, is_over: bool) -> Result<(), Failure> {
    let full = folder.canonicalize()?;
    let name = full.file_name().unwrap_or_default().to_string_lossy();
    let beside = full.with_file_name(format!("{name}{}", EXTENSIONS[0]));
    let beside = folder.file_name().map_or(beside, |own| {
        let mut own = own.to_owned();
        own.push(EXTENSIONS[0]);
        folder.with_file_name(own)
    });
    let output = output.unwrap_or(&beside);
    let said = output.to_string_lossy();
    if !EXTENSIONS.iter().any(|extension| said.ends_with(extension)) {
        return Err(Failure::usage(format_args!(
            "{said}: an archive is a tar file compressed by gzip: call it NAME.tar.gz"
        )));
    }
    let packed = archive::pack(folder, &name, output, !is_over)?;
    tell(&format!(
        "The archive is {said}: {}, SHA-256 {}",
        counted(packed.files as u64, "file"),
        packed.sha256
    ));
    if !is_over {
        tell(
            "The league is not over, and its journal has the seed of all deals: give the archive to nobody",
        );
    }
    archive::audit(folder).map_err(|e| {
        Failure::failed(format_args!(
            "the archive is made, but it does not verify: {e}. Put back what is missing or was changed, and make the archive again"
        ))
    })?;
    Ok(())
}

pub(super) fn verify(args: &AuditArgs) -> Result<u8, Failure> {
    let path = &args.league;
    let (audit, sha256) = if path.is_file() && archive::is_archive(path)? {
        let unpacked = tempfile::tempdir()?;
        let sha256 = archive::unpack(path, unpacked.path());
        let audit = sha256
            .clone()
            .and_then(|_| archive::audit_archive(unpacked.path()));
        (audit, sha256.ok())
    } else {
        let folder = journal::folder_of(path);
        let is_journal = path.file_name().is_some_and(|name| name == FILE_NAME);
        let is_toml = path.extension().is_some_and(|e| e == "toml");
        if !folder.join(FILE_NAME).is_file() || !(path.is_dir() || is_toml || is_journal) {
            return Err(Failure::usage(format_args!(
                "{}: there is no league here; name an archive (NAME.tar.gz), the folder of a league (FILE.league, or what \
                 --out said) or its FILE.toml",
                path.display()
            )));
        }
        let audit = if is_toml {
            compare_file(path, &folder)?
        } else {
            Ok(())
        };
        (audit.and_then(|()| archive::audit(&folder)), None)
    };
    let text = if args.json {
        json_of(&audit, sha256.as_deref())
    } else {
        text_of(&audit, sha256.as_deref())
    };
    write_out(&(text + "\n"))?;
    Ok(u8::from(audit.is_err()))
}

/// Whether a league's file has the settings that its journal says were played.
fn compare_file(file: &Path, folder: &Path) -> Result<Result<(), Disagreement>, Failure> {
    let mut now = settings::read(file)?;
    // What is wrong with the journal is told by the audit.
    let Ok(journal) = JournalReader::open(&folder.join(FILE_NAME)) else {
        return Ok(Ok(()));
    };
    let played = &journal.head.settings;
    if !now.run.has_seed {
        now.seed = played.seed;
    }
    if !now.run.has_ranking {
        now.ranking.clone_from(&played.ranking);
    }
    let reason = match (check_change(played, &now), difference(played, &now)) {
        (Err(error), _) => Some(error.to_string()),
        (Ok(()), Some(change)) => Some(format!(
            "{change}, and the league has not taken that up yet"
        )),
        (Ok(()), None) => None,
    };
    Ok(reason.map_or(Ok(()), |reason| {
        Err(Disagreement {
            file: file.display().to_string(),
            line: None,
            key: None,
            reason,
        })
    }))
}

fn text_of(audit: &Result<Audit, Disagreement>, sha256: Option<&str>) -> String {
    let audit = match audit {
        Ok(audit) => audit,
        Err(disagreement) => return disagreement.to_string(),
    };
    let scheduled = audit
        .scheduled
        .map_or_else(String::new, |all| format!(" of {all}"));
    let mut lines = vec![
        format!(
            "{}: {}{scheduled} {} a result, as the schedule has them",
            audit.title,
            audit.fixtures,
            if audit.fixtures == 1 {
                "fixture has"
            } else {
                "fixtures have"
            },
        ),
        if audit.games == 0 && audit.unrecorded > 0 {
            "not verified: rules, deals, moves and results of games; no records were kept (`records` in the league's file)"
                .to_owned()
        } else {
            format!(
                "{} with {} in {}: rules, deals, moves and results agree with the journal",
                counted(audit.games, "game"),
                counted(audit.moves, "move"),
                counted(audit.records, "record"),
            )
        },
    ];
    let mut also = |count: u64, what: &str| {
        if count > 0 {
            lines.push(format!("{count} × {what}"));
        }
    };
    also(
        audit.walkovers,
        "no record: none of the players has begun the fixture (walkover)",
    );
    also(audit.unrecorded, "no record: not verified");
    also(audit.struck, "a result was struck by the organiser");
    also(audit.voids, "a fixture was begun in vain (void)");
    also(audit.cut_off, "a record has no end: the league was killed");
    also(
        audit.uncounted,
        "a game in a record is no result: void, still in play, or the league was killed before the journal had it",
    );
    if let [first, ..] = &audit.lost[..] {
        let what = if audit.lost == [*first] {
            "was played to its end and is no result"
        } else {
            "were played to their end and are no results"
        };
        lines.push(format!(
            "{} of these {what}: {}",
            counted(audit.lost.len() as u64, "game"),
            named(&audit.lost)
        ));
    }
    if !audit.unverified.is_empty() {
        lines.push(format!(
            "not verified (no result depends on these files): {}",
            named(&audit.unverified)
        ));
    }
    if audit.rounds > 0 {
        lines.push(format!(
            "not verified: how {} of the league {} paired",
            counted(audit.rounds, "round"),
            if audit.rounds == 1 { "was" } else { "were" }
        ));
    }
    if let Some(files) = audit.checksums {
        lines.push(format!("checksums of {} agree", counted(files, "file")));
    }
    if let Some(sha256) = sha256 {
        lines.push(format!("SHA-256 of the archive: {sha256}"));
    }
    lines.join("\n")
}

/// The first of some games or files, in words.
fn named(all: &[impl ToString]) -> String {
    let first = all.iter().take(MOST_NAMED).map(ToString::to_string);
    let first = first.collect::<Vec<_>>().join(", ");
    let and = if all.len() > MOST_NAMED { ", ..." } else { "" };
    first + and
}

fn json_of(audit: &Result<Audit, Disagreement>, sha256: Option<&str>) -> String {
    let mut value = match audit {
        Ok(audit) => json!(audit),
        Err(disagreement) => json!(disagreement),
    };
    value["agrees"] = Value::from(audit.is_ok());
    if let Some(sha256) = sha256 {
        value["sha256"] = Value::from(sha256);
    }
    value.to_string()
}
