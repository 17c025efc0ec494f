//! Why a league is not played.

use std::io;
use std::path::PathBuf;

use crate::archive::{ArchiveError, Disagreement};
use crate::journal::{CommandFileError, JournalError, LockError, SettingsChanged, WriteError};
use record::ReadError;
use server::config::{ConfigError, TlsFailure};

/// Why a league is not played, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum LeagueFailure {
    /// The file.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The file is not that of the journal.
    #[error("{}: {error}", file.display())]
    Changed {
        /// The file.
        file: PathBuf,
        /// What is different.
        error: SettingsChanged,
    },
    /// Nothing to go on with.
    #[error(
        "{}: there is no journal to go on with: leave --resume out to begin the league",
        .0.display()
    )]
    NotBegun(PathBuf),
    /// More matchups than anybody plays.
    #[error(
        "the schedule has {matchups} matchups, and {most} at most are played: use the format swiss, gauntlet or ladder"
    )]
    TooMany {
        /// Matchups of the schedule.
        matchups: u64,
        /// How many there may be.
        most: u64,
    },
    /// The port of watchers cannot be had.
    #[error("watchers cannot be served on {host}:{port}: {error}. Give another port with --watch")]
    WatchPort {
        /// The address.
        host: String,
        /// The port.
        port: u16,
        /// Why.
        error: io::Error,
    },
    /// The port of a remote entrant cannot be had.
    #[error(
        "entrants cannot connect to {host}:{port}: {error}. Give another `host` or `port` in [contest], or a `port` in the entrant's section"
    )]
    EntrantPort {
        /// The address.
        host: String,
        /// The port.
        port: u16,
        /// Why.
        error: io::Error,
    },
    /// More files at once than the system allows.
    #[error(
        "{at_once} tables at once need {needed} open files, the system allows {limit}: {}let it allow more (ulimit -Hn; nofile in /etc/security/limits.conf, LimitNOFILE of a service)",
        if *least > *limit { "" } else { "play fewer with --at-once, or " }
    )]
    Files {
        /// Tables at once.
        at_once: usize,
        /// Files that they need.
        needed: u64,
        /// Files that one table at a time needs.
        least: u64,
        /// Files that there may be.
        limit: u64,
    },
    /// A sandbox that is not to be had, or keeps nothing.
    #[error("{0}")]
    Sandbox(String),
    /// A line of the fixtures that are to be played that does not belong to the league.
    #[error("line {line} of the fixtures: {fault}")]
    Work {
        /// Its number.
        line: usize,
        /// What is wrong.
        fault: String,
    },
    /// A league that workers do not play, or workers that are not to be had.
    #[error("{0}")]
    Workers(String),
    /// The files of TLS.
    #[error(transparent)]
    Tls(#[from] TlsFailure),
    /// The organiser's token cannot be had.
    #[error("{}: {reason}", path.display())]
    Token {
        /// Its file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Something that cannot be done to this league.
    #[error("{0}")]
    Command(String),
    /// The file of acts cannot be written.
    #[error(transparent)]
    CommandFile(#[from] CommandFileError),
    /// Another process plays it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The journal cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// There is no report.
    #[error(transparent)]
    Report(#[from] ReportFailure),
    /// There is no archive.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The archive was made, but does not verify.
    #[error(
        "the archive is made, but it does not verify: {0}. Put back what is missing or was changed, and make the archive again"
    )]
    Unverified(Disagreement),
    /// Anything else.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl LeagueFailure {
    /// Whether the command line or the file is at fault, rather than that something has failed.
    pub const fn is_usage(&self) -> bool {
        match self {
            LeagueFailure::Journal(e)
            | LeagueFailure::Report(ReportFailure::Journal(e))
            | LeagueFailure::Archive(ArchiveError::Journal(e)) => e.is_usage(),
            LeagueFailure::Config(_)
            | LeagueFailure::Changed { .. }
            | LeagueFailure::NotBegun(_)
            | LeagueFailure::TooMany { .. }
            | LeagueFailure::Files { .. }
            | LeagueFailure::Sandbox(_)
            | LeagueFailure::Work { .. }
            | LeagueFailure::Workers(_)
            | LeagueFailure::Tls(_)
            | LeagueFailure::Token { .. }
            | LeagueFailure::Command(_) => true,
            _ => false,
        }
    }
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportFailure {
    /// No journal that can be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// No record that can be used.
    #[error(transparent)]
    Record(#[from] ReadError),
    /// A file cannot be written.
    #[error("{0}")]
    Write(#[from] io::Error),
}
