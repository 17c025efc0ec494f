//! Settings of the server, from `taikyoku.toml` or from the official `UECda` server's `tndhms.cfg`.
//!
//! Options of the command line are laid over them: each contest has one struct, whose fields are the
//! keys of the file and the options.

mod gat;
pub mod limits;
mod native;
mod tls;
mod tndhms;
mod toml_file;
mod uecda;

pub use gat::{Gat, USUAL_WAIT};
pub use limits::Limits;
pub use native::Native;
pub use tls::{Tls, TlsTrust};
pub use tndhms::{Tndhms, read_tndhms};
pub use toml_file::{TaikyokuToml, parse, plain, read_toml};
pub use uecda::{Compat, RuleOptions, Uecda};

use std::marker::PhantomData;
use std::path::Path;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};

/// Thirty days in milliseconds, so that no sum of times overflows.
pub(crate) const MOST_MS: u64 = 30 * 24 * 60 * 60 * 1000;

/// Options of a command line, to be laid over settings. An option's value is in its field only after
/// that: until then nothing tells it from a default.
#[derive(Clone, Debug)]
pub struct Overrides<S>(ArgMatches, PhantomData<S>);

impl<S: Args> Overrides<S> {
    /// Lays the options that were given over settings; the others stay as they are.
    ///
    /// # Panics
    /// When the options of `S` cannot be parsed into it without those that were not given.
    #[must_use]
    pub fn over(&self, mut settings: S) -> S {
        let mut given = self.0.clone();
        for id in self.0.ids().map(clap::Id::as_str) {
            // A flag that is not given has a value too.
            let source = self.0.value_source(id);
            if !matches!(
                source,
                Some(ValueSource::CommandLine | ValueSource::EnvVariable)
            ) {
                given.try_clear_id(id).expect("an option's own name");
            }
        }
        let laid = settings.update_from_arg_matches_mut(&mut given);
        laid.expect("options are parsed, and none is required");
        settings
    }
}

impl<S: Args> FromArgMatches for Overrides<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Overrides<S>, clap::Error> {
        Ok(Overrides(matches.clone(), PhantomData))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Overrides::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<S: Args> Args for Overrides<S> {
    fn augment_args(command: Command) -> Command {
        // The help says defaults behind the text, even in its long form.
        S::augment_args_for_update(command).mut_args(|option| {
            let (Some(help), [default]) = (option.get_help(), option.get_default_values()) else {
                return option;
            };
            if option.is_hide_default_value_set() {
                return option;
            }
            let help = format!("{help} [default: {}]", default.display());
            option.help(help).hide_default_value(true)
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The settings without file and options: what the options name as their defaults.
fn defaults<S: Args>() -> S {
    let command = S::augment_args(Command::new("defaults").no_binary_name(true));
    let matches = command.try_get_matches_from([""; 0]);
    let settings = matches.and_then(|matches| S::from_arg_matches(&matches));
    settings.expect("each option has a default or needs none")
}

/// Whether and how the tables of a server can be watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
pub struct Watch {
    /// Show all tables to everybody at this port, hidden cards and colours when the game is over; 0 takes a free port and
    /// says which
    #[arg(long, value_name = "PORT", help_heading = "Where")]
    pub watch: Option<u16>,
    /// Show watchers everything this much later
    #[arg(long = "watch-delay-ms", alias = "watch-delay", value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MOST_MS), requires = "watch", default_value_t = 0, help_heading = "Where")]
    pub watch_delay: u64,
}

/// Why a settings file cannot be used, with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {reason}", self.place())]
pub struct ConfigError {
    pub file: String,
    /// Number of the line, from 1; 0 when the file could not be read at all.
    pub line: usize,
    pub reason: String,
}

impl ConfigError {
    fn place(&self) -> String {
        match self.line {
            0 => self.file.clone(),
            line => format!("{}:{line}", self.file),
        }
    }
}

impl From<ConfigError> for program::Failure {
    fn from(error: ConfigError) -> program::Failure {
        program::Failure::usage(error)
    }
}

const READ_AS_CFG: &str =
    "read as a tndhms.cfg: only a file whose name ends in .toml is read as TOML";

/// Reads a settings file of `UECda` of either kind: `.toml` by its ending, anything else as
/// `tndhms.cfg`. Gives the settings and warnings for the user.
pub fn read(path: &Path) -> Result<(Uecda, Vec<String>), ConfigError> {
    let (text, name) = text_of(path)?;
    if path.extension().is_some_and(|e| e == "toml") {
        Ok((read_toml(&text, &name)?.uecda, Vec::new()))
    } else {
        let is_cfg = path.extension().is_some_and(|e| e == "cfg");
        let mut read = read_tndhms(&text, &name).map_err(|mut error| {
            if !is_cfg {
                error.reason += " (";
                error.reason += READ_AS_CFG;
                error.reason.push(')');
            }
            error
        })?;
        if !is_cfg && !read.warnings.is_empty() {
            read.warnings.push(format!("{name}: {READ_AS_CFG}"));
        }
        Ok((read.uecda, read.warnings))
    }
}

/// Reads a settings file of Geister, a `taikyoku.toml`.
pub fn read_gat(path: &Path) -> Result<Gat, ConfigError> {
    let (text, name) = text_of(path)?;
    Ok(read_toml(&text, &name)?.geister)
}

pub fn text_of(path: &Path) -> Result<(String, String), ConfigError> {
    let name = path.display().to_string();
    let error = |reason: String| ConfigError {
        file: name.clone(),
        line: 0,
        reason,
    };
    if path.is_dir() {
        let reason = "this is a folder: name the settings file";
        return Err(error(reason.to_owned()));
    }
    let bytes =
        std::fs::read(path).map_err(|e| error(format!("the settings file cannot be read: {e}")))?;
    // All of its letters of ASCII would be lost.
    if bytes.contains(&0) || bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        let reason = "this is UTF-16 or no text at all: save the settings file as UTF-8";
        return Err(error(reason.to_owned()));
    }
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    // Official files may have comments in old Japanese encodings: only the ASCII part matters.
    let text = String::from_utf8_lossy(bytes).into_owned();
    Ok((text, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    impl<S: Args> Overrides<S> {
        /// The options of a command line without the name of a program.
        pub(crate) fn parse(line: &str) -> Result<Overrides<S>, String> {
            let command = Self::augment_args(Command::new("test").no_binary_name(true));
            let matches = command.try_get_matches_from(line.split_whitespace());
            let options = matches.and_then(|matches| Overrides::from_arg_matches(&matches));
            options.map_err(|e| e.to_string())
        }
    }
}
