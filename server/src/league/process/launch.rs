//! Starting a program.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::{MAIN_SEPARATOR, Path, PathBuf, absolute};
use std::process::Stdio;

use tokio::process::{Child, Command};

use super::words::{Seat, Words};
use super::{LaunchFailure, Process, affinity};
use crate::league::settings::Settings;

/// How the program of a player is started.
#[derive(Clone)]
pub struct Launch {
    entrant: String,
    words: Words,
    directory: PathBuf,
    environment: BTreeMap<String, String>,
    cpus: Vec<usize>,
    stderr: usize,
}

impl Launch {
    /// The program of entrant `entrant` that connects to `address` and plays `games` games. `seed` is that of the
    /// program itself: no deal follows from it.
    ///
    /// # Errors
    /// An entrant whose command has no words.
    pub fn of(
        settings: &Settings,
        entrant: usize,
        address: SocketAddr,
        games: u32,
        seed: u64,
    ) -> Result<Launch, LaunchFailure> {
        let entrant = &settings.entrants[entrant];
        let seat = Seat {
            host: address.ip().to_string(),
            port: address.port(),
            games,
            seed,
        };
        let words = Words::of(settings, entrant, &seat);
        if matches!(&words, Words::Theirs(words) if words.is_empty()) {
            let entrant = entrant.name.clone();
            return Err(LaunchFailure::NoWords { entrant });
        }
        Ok(Launch {
            entrant: entrant.name.clone(),
            words,
            directory: match &entrant.directory {
                Some(own) => settings.folder.join(own),
                None => settings.folder.clone(),
            },
            environment: entrant.environment.clone(),
            cpus: entrant.cpus.clone(),
            stderr: entrant.stderr_kib as usize * 1024,
        })
    }

    /// The command line, for people.
    pub fn command_line(&self) -> String {
        let (program, arguments) = match &self.words {
            Words::Ours(program, arguments) => (*program, &arguments[..]),
            Words::Theirs(words) => (&words[0][..], &words[1..]),
        };
        let shown = |word: &str| {
            if word.is_empty() || word.contains([' ', '"', '\'', '\\', '$', '*', ';', '&', '|']) {
                format!("'{}'", word.replace('\'', r"'\''"))
            } else {
                word.to_owned()
            }
        };
        let words = std::iter::once(program).chain(arguments.iter().map(String::as_str));
        words.map(shown).collect::<Vec<_>>().join(" ")
    }

    /// Starts it, in a process group of its own, without standard input and output. Must be called within a tokio
    /// runtime.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(&self) -> Result<Process, LaunchFailure> {
        let directory = if self.directory.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &self.directory
        };
        let entrant = || self.entrant.clone();
        let directory = absolute(directory)
            .ok()
            .filter(|folder| folder.is_dir())
            .ok_or_else(|| LaunchFailure::NoDirectory {
                entrant: entrant(),
                directory: directory.to_owned(),
            })?;
        let (program, arguments) = match &self.words {
            Words::Ours(name, arguments) => (beside(name), &arguments[..]),
            Words::Theirs(words) => (theirs(&words[0], &directory), &words[1..]),
        };
        if matches!(self.words, Words::Ours(..)) && !program.is_file() {
            let entrant = entrant();
            return Err(LaunchFailure::NoClient { entrant, program });
        }
        let mut command = Command::new(&program);
        command
            .args(arguments)
            .envs(&self.environment)
            .current_dir(directory)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let child = self.spawn(&mut command, &program)?;
        Ok(Process::new(child, self.stderr))
    }

    fn spawn(&self, command: &mut Command, program: &Path) -> Result<Child, LaunchFailure> {
        let spawned = if self.cpus.is_empty() {
            command.spawn()
        } else {
            affinity::spawn_on(&self.cpus, command).map_err(|error| LaunchFailure::Cpus {
                entrant: self.entrant.clone(),
                cpus: self.cpus.clone(),
                error,
            })?
        };
        spawned.map_err(|error| self.failure(program, error))
    }

    fn failure(&self, path: &Path, error: io::Error) -> LaunchFailure {
        let entrant = self.entrant.clone();
        let program = path.display().to_string();
        match error.kind() {
            io::ErrorKind::NotFound => LaunchFailure::NoProgram {
                entrant,
                remedy: if path.is_file() {
                    " that could run it: the first line of the script names one that is not there"
                } else if path.components().count() > 1 {
                    ": paths begin at the folder in which it runs, which is that of the league's file unless \
                     `directory` names another"
                } else {
                    " in the folders of PATH: give its path, such as `./mybot`"
                },
                program,
            },
            io::ErrorKind::PermissionDenied => LaunchFailure::NotExecutable { entrant, program },
            _ if is_no_program(&error) => LaunchFailure::NotExecutable { entrant, program },
            _ => LaunchFailure::Start {
                entrant,
                program,
                error,
            },
        }
    }
}

impl std::fmt::Debug for Launch {
    /// The environment may be secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Launch")
            .field("entrant", &self.entrant)
            .field("words", &self.words)
            .field("directory", &self.directory)
            .finish_non_exhaustive()
    }
}

/// A program of the project, which lies beside this one.
fn beside(name: &str) -> PathBuf {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let here = std::env::current_exe().unwrap_or_default();
    here.parent().unwrap_or(Path::new(".")).join(file)
}

/// A bare name is looked for in PATH; a path begins at the folder in which the program runs, on every system.
fn theirs(word: &str, directory: &Path) -> PathBuf {
    if word.contains(['/', MAIN_SEPARATOR]) {
        directory.join(word)
    } else {
        PathBuf::from(word)
    }
}

#[cfg(unix)]
fn is_no_program(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error())
}

#[cfg(not(unix))]
fn is_no_program(_: &io::Error) -> bool {
    false
}
