//! `taikyoku league report`: the figures of a league, from its journal.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::Args;

use crate::league::journal::{Journal, JournalError};
use crate::league::report::{Report, csv, html, terminal};

/// Figures of a league, from its journal alone, also while it runs.
#[derive(Clone, Debug, Args)]
pub struct ReportArgs {
    /// The league's TOML file, its folder or its journal
    #[arg(value_name = "FILE|DIR|JOURNAL")]
    pub league: PathBuf,
    /// All figures as JSON instead of tables
    #[arg(long)]
    pub json: bool,
    /// Write the page with plots into this file
    #[arg(long, value_name = "PATH")]
    pub html: Option<PathBuf>,
    /// Write standings.csv and games.csv into this folder
    #[arg(long, value_name = "DIR")]
    pub csv: Option<PathBuf>,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportFailure {
    /// No journal that can be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A file cannot be written.
    #[error("{0}")]
    Write(#[from] io::Error),
}

/// Reads the journal, writes the files that are asked for and prints the figures.
///
/// # Errors
/// A journal that cannot be used; a file that cannot be written.
pub(super) fn run(args: &ReportArgs) -> Result<(), ReportFailure> {
    let journal = Journal::read(&args.league)?;
    let report = Report::of(&journal);
    if let Some(path) = &args.html {
        fs::write(path, html::page(&report))
            .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display())))?;
    }
    if let Some(folder) = &args.csv {
        fs::create_dir_all(folder)
            .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", folder.display())))?;
        csv::write(folder, &report, &journal)?;
    }
    let text = if args.json {
        serde_json::to_string_pretty(&report).map_err(io::Error::from)? + "\n"
    } else {
        terminal::text(&report)
    };
    match io::stdout().lock().write_all(text.as_bytes()) {
        // Who reads it has seen enough.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}
