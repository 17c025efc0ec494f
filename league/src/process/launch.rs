//! Starting a program.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf, absolute};
use std::process::Stdio;

use games::daihinmin::SessionRules;
use tokio::process::Command;

use super::confinement::{WITHIN, lacks_processors};
use super::mounts::looked_up;
use super::{Confinement, InnerPort, LaunchFailure, Mounts, Process, control_group};
use crate::settings::{Entrant, Limits, Rules, Settings, Start, fill_in, has};
use server::commands::bot::beside;

/// The variable that tells a bot of the project its seed. Anybody on the machine can read a command line.
const SEED: &str = "TAIKYOKU_SEED";

#[derive(Clone)]
pub struct Launch {
    entrant: String,
    words: Words,
    directory: PathBuf,
    environment: BTreeMap<String, String>,
    cpus: Vec<usize>,
    stderr: usize,
    limits: Limits,
    folder_mib: Option<u64>,
    mounts: Option<Mounts>,
    port: u16,
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
            return Err(LaunchFailure {
                entrant: entrant.name.clone(),
                reason: "its command is empty: give the program and its options".to_owned(),
                hint: "",
                error: None,
            });
        }
        let mut environment = entrant.environment.clone();
        if matches!(entrant.start, Start::House { .. }) {
            environment.insert(SEED.to_owned(), seed.to_string());
        }
        Ok(Launch {
            entrant: entrant.name.clone(),
            words,
            directory: match &entrant.directory {
                Some(own) => settings.run.folder.join(own),
                None => settings.run.folder.clone(),
            },
            environment,
            cpus: entrant.cpus.clone(),
            stderr: entrant.stderr_kib as usize * 1024,
            limits: entrant.limits,
            // The folder of the league's file is not its own.
            folder_mib: entrant.directory.as_ref().and(entrant.limits.folder_mib),
            mounts: entrant.mounts.clone(),
            port: address.port(),
        })
    }

    #[expect(clippy::missing_panics_doc, reason = "every word can be quoted")]
    pub fn command_line(&self) -> String {
        let (program, arguments) = match &self.words {
            Words::Ours(program, arguments) => (*program, &arguments[..]),
            Words::Theirs(words) => (&words[0][..], &words[1..]),
        };
        let words = std::iter::once(program).chain(arguments.iter().map(String::as_str));
        let quoter = shlex::Quoter::new().allow_nul(true);
        let line = quoter
            .join(words)
            .expect("NUL is the only byte that is not quoted");
        match (&self.words, self.environment.get(SEED)) {
            (Words::Ours(..), Some(seed)) => format!("{SEED}={seed} {line}"),
            _ => line,
        }
    }

    /// Has a program of the project read its words without playing. Gives what it says if it refuses one of them, such
    /// as the name of an engine.
    pub fn refusal(&self) -> Option<String> {
        let Words::Ours(name, arguments) = &self.words else {
            return None;
        };
        // Behind "--" are the words of an engine, which must not be started.
        let own = arguments.iter().take_while(|word| *word != "--");
        let mut command = std::process::Command::new(beside(name));
        command.args(own).arg("--help").stdin(Stdio::null());
        // One that is not there is an error when it is started.
        let read = command.output().ok()?;
        let text = String::from_utf8_lossy(&read.stderr);
        // Without the usage, as the user wrote a file; and without the engine human, which a league does not have.
        let text = text.trim_start_matches("error: ").lines();
        let text =
            text.take_while(|line| !line.starts_with("Usage: ") && !line.starts_with("For "));
        let text: Vec<&str> = text
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        let text = text.join("; ").replace(", human]", "]");
        (!read.status.success()).then_some(text)
    }

    /// The same of an engine behind the bridge, which is started, told its options and ended, without a game. The bridge ends
    /// with 2 if the engine does not start, does not answer, or does not take an option.
    #[must_use]
    pub fn checking(mut self) -> Launch {
        if let Words::Ours("engine-bridge", words) = &mut self.words {
            words.insert(1, "--check".to_owned());
        }
        self
    }

    /// The name of the program, if it is one of the project.
    pub const fn house(&self) -> Option<&'static str> {
        match &self.words {
            Words::Ours(name, _) => Some(name),
            Words::Theirs(_) => None,
        }
    }

    /// What a program of the project says of its version; `None` for other programs, and for one that does not start.
    pub fn version(&self) -> Option<String> {
        let mut command = std::process::Command::new(beside(self.house()?));
        command.arg("--version").stdin(Stdio::null());
        let text = command.output().ok()?;
        let text = String::from_utf8_lossy(&text.stdout).trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// Starts it, in a process group of its own, without standard input and output. Must be called within a tokio
    /// runtime, on a thread that lives as long as the program: programs in the sandbox end with it.
    pub fn start(&self) -> Result<Process, LaunchFailure> {
        let mut directory = absolute(self.directory.join("."))
            .ok()
            .filter(|folder| folder.is_dir())
            .ok_or_else(|| {
                let folder = self.directory.display();
                self.refused(format!(
                    "there is no folder {folder} to run in: make it, or name another as `directory`"
                ))
            })?;
        if let Some(mounts) = &self.mounts {
            directory.clone_from(&mounts.folder);
        }
        let (program, arguments) = match &self.words {
            Words::Ours(name, arguments) => (beside(name), &arguments[..]),
            Words::Theirs(words) => (theirs(&words[0], &directory), &words[1..]),
        };
        if matches!(self.words, Words::Ours(..)) && !program.is_file() {
            return Err(self.refused(format!(
                "the program {} is not there: build it with `cargo build --release`, or put it beside taikyoku",
                program.display()
            )));
        }
        if let Some(reason) = lacks_processors(&self.cpus) {
            let cpus = &self.cpus;
            return Err(self.refused(format!(
                "cannot be kept to the processors {cpus:?} (`cpus`): {reason}"
            )));
        }
        let failure = |error| self.failure(&program, &directory, error);
        let before = self.before(&program);
        // Otherwise it would only be known when it is confined.
        if !before.is_empty() && looked_up(&program, &directory, &self.environment).is_empty() {
            return Err(failure(io::ErrorKind::NotFound.into()));
        }
        let before = before.iter().map(OsString::as_os_str);
        let mut words = before.chain([program.as_os_str()]);
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        let mut port = None;
        command.stdin(Stdio::null());
        if let Some(mounts) = &self.mounts {
            let (own, stdin) = InnerPort::new().map_err(failure)?;
            port = Some(own);
            command.stdin(stdin).env_clear();
            let kept = ["PATH", "LANG"].into_iter().chain(control_group::VARIABLES);
            command.envs(kept.filter_map(|name| Some((name, std::env::var_os(name)?))));
            command
                .env("HOME", mounts.home())
                .env("TMPDIR", mounts.home());
        }
        // The variables of an entrant, such as the search paths of programs and libraries, apply inside the sandbox and not to
        // the programs that set it up.
        let prefix = self.mounts.as_ref().map_or("", |_| WITHIN);
        let variables = self.environment.iter();
        command
            .args(arguments)
            .envs(variables.map(|(name, value)| (format!("{prefix}{name}"), value)))
            // bwrap itself starts where no entrant can have put another program of its name.
            .current_dir(match &self.mounts {
                Some(_) => PathBuf::from("/"),
                None => self.directory.join("."),
            })
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let child = command.spawn().map_err(failure)?;
        let mut process = Process::new(child, port, self.stderr);
        if let Some(most) = self.folder_mib {
            process.watch(directory, most);
        }
        Ok(process)
    }

    /// The words before those of the program that confine it; none if nothing does.
    fn before(&self, program: &Path) -> Vec<OsString> {
        let mut limits = Confinement {
            limits: Limits {
                folder_mib: None,
                ..self.limits
            },
            cpus: self.cpus.clone(),
            ..Confinement::default()
        };
        // bubblewrap, and the first process in the sandbox.
        let more = self.mounts.as_ref().map_or(0, |_| 2);
        let mut words = control_group::words(&self.limits, more);
        if !words.is_empty() {
            limits.limits.memory_mib = None;
            limits.limits.processes = None;
        }
        let Some(mounts) = &self.mounts else {
            words.extend(limits.words());
            return words;
        };
        let filter = Confinement {
            filter: true,
            cpus: std::mem::take(&mut limits.cpus),
            ..Confinement::default()
        };
        let port = Confinement {
            port: Some(self.port),
            ..Confinement::default()
        };
        let own = matches!(self.words, Words::Ours(..)).then(|| program.to_owned());
        let programs: Vec<PathBuf> = own.into_iter().chain([beside("taikyoku")]).collect();
        words.extend(filter.words());
        words.extend(mounts.words(&programs));
        words.extend(port.words());
        words.extend(limits.words());
        words
    }

    fn refused(&self, reason: String) -> LaunchFailure {
        LaunchFailure {
            entrant: self.entrant.clone(),
            reason,
            hint: "",
            error: None,
        }
    }

    fn failure(&self, path: &Path, directory: &Path, error: io::Error) -> LaunchFailure {
        let program = path.display();
        let is_path = path.components().count() > 1;
        match error.kind() {
            io::ErrorKind::NotFound if is_path && !path.is_file() => LaunchFailure {
                hint: ": paths begin at the folder in which it runs, which is that of the league's file unless \
                       `directory` names another",
                ..self.refused(format!("there is no program {program}"))
            },
            io::ErrorKind::NotFound => {
                let remedy = if is_path {
                    " that could run it: the first line of the script names one that is not there"
                        .to_owned()
                } else if directory.join(path).is_file() {
                    format!(
                        ", for a bare name is looked for in the folders of PATH: write `./{program}`"
                    )
                } else {
                    " in the folders of PATH: give its path, such as `./mybot`".to_owned()
                };
                self.refused(format!("there is no program {program}{remedy}"))
            }
            kind if kind == io::ErrorKind::PermissionDenied || is_no_program(&error) => {
                self.refused(format!(
                    "{program} cannot be executed: it needs the permission to (`chmod +x`), and a script a first line \
                     such as `#!/bin/sh`"
                ))
            }
            _ => LaunchFailure {
                reason: format!("{program} does not start: {error}"),
                error: Some(error),
                ..self.refused(String::new())
            },
        }
    }
}

impl std::fmt::Debug for Launch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Launch")
            .field("entrant", &self.entrant)
            .field("words", &self.words)
            .field("directory", &self.directory)
            .finish_non_exhaustive()
    }
}

/// A bare name is looked for in PATH; a path begins at the folder in which the program runs, on every system.
fn theirs(word: &str, directory: &Path) -> PathBuf {
    if word.contains('/') {
        directory.join(word)
    } else {
        PathBuf::from(word)
    }
}

fn is_no_program(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error())
}

/// What a program is told about the seat that it has.
#[derive(Clone, Debug)]
pub(super) struct Seat {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) games: u32,
    pub(super) seed: u64,
}

/// A command: a program of the project that lies beside this one, or any other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Words {
    Ours(&'static str, Vec<String>),
    Theirs(Vec<String>),
}

impl Words {
    pub(super) fn of(settings: &Settings, entrant: &Entrant, seat: &Seat) -> Words {
        match &entrant.start {
            Start::House { engine, options } => house(settings, entrant, seat, engine, options),
            Start::Command(words) => Words::Theirs(filled(settings, entrant, seat, words)),
            Start::Gtp(words) => {
                let mut all = bridged("gtp", entrant, seat);
                if let Some(ms) = settings.clocks_of(entrant).move_ms {
                    all.push(format!("--move-ms={}", ms.max(1)));
                }
                all.push("--".to_owned());
                all.extend(filled(settings, entrant, seat, words));
                Words::Ours("engine-bridge", all)
            }
            // The server tells the bridge the time of each move.
            Start::Usi { command, options } => {
                let mut all = bridged("usi", entrant, seat);
                all.extend(options.iter().map(|option| format!("--option={option}")));
                all.push("--".to_owned());
                all.extend(filled(settings, entrant, seat, command));
                Words::Ours("engine-bridge", all)
            }
            // Nothing is started.
            Start::Remote => Words::Theirs(Vec::new()),
        }
    }
}

/// What the bridge of an engine is told, up to the options of the protocol.
fn bridged(protocol: &str, entrant: &Entrant, seat: &Seat) -> Vec<String> {
    let port = seat.port.to_string();
    let own = [protocol, "--host", &seat.host, "--port", &port];
    let mut all: Vec<String> = own.map(String::from).to_vec();
    // In one word, for a name may begin with a hyphen.
    all.push(format!("--name={}", entrant.name));
    all
}

fn filled(settings: &Settings, entrant: &Entrant, seat: &Seat, words: &[String]) -> Vec<String> {
    let clocks = settings.clocks_of(entrant);
    let limit = clocks.move_ms.or(clocks.game_ms);
    let values = [
        ("host", seat.host.clone()),
        ("port", seat.port.to_string()),
        ("games", seat.games.to_string()),
        ("seed", seat.seed.to_string()),
        ("move-ms", limit.unwrap_or(0).to_string()),
        // The last, for it may have braces in it.
        ("name", entrant.name.clone()),
    ];
    words.iter().map(|word| fill_in(word, &values)).collect()
}

fn house(
    settings: &Settings,
    entrant: &Entrant,
    seat: &Seat,
    engine: &str,
    options: &[String],
) -> Words {
    let mut all = match settings.rules {
        Rules::ScoreFour(_) => vec!["play".to_owned()],
        Rules::Daihinmin(_) | Rules::Geister(_) | Rules::Blokus(_) | Rules::Dobutsu(_) => {
            Vec::new()
        }
    };
    let mut add = |option: &str, value: String| {
        if option == "--name" {
            // In one word, for a name may begin with a hyphen.
            all.push(format!("{option}={value}"));
        } else {
            all.extend([option.to_owned(), value]);
        }
    };
    add("--host", seat.host.clone());
    add("--port", seat.port.to_string());
    add("--engine", engine.to_owned());
    match &settings.rules {
        Rules::Daihinmin(rules) => {
            add("--name", entrant.name.clone());
            add("--games", seat.games.to_string());
            add(
                "--rank-reset",
                rank_reset(rules, settings.session).to_string(),
            );
            let off = switched_off(rules);
            if !off.is_empty() {
                add("--off", off);
            }
        }
        Rules::Geister(rules) => {
            add("--name", gat_name(&entrant.name));
            add("--games", seat.games.to_string());
            add("--ply-limit", rules.ply_limit.to_string());
            // The protocol tells no limits. The file may say another, or simulations: beside them the option would make the bot's
            // moves depend on time.
            if let Some(ms) = settings.clocks_of(entrant).move_ms
                && !has(options, "--move-ms", None)
                && !has(options, "--simulations", None)
            {
                add("--move-ms", ms.to_string());
            }
        }
        Rules::Blokus(_) | Rules::ScoreFour(_) | Rules::Dobutsu(_) => {
            add("--name", entrant.name.clone());
        }
    }
    all.extend(options.iter().map(String::clone));
    // The program of a game has its name.
    Words::Ours(settings.game().as_str(), all)
}

/// Ranks last from one game to the next within a session only.
fn rank_reset(rules: &SessionRules, session: u32) -> u32 {
    match rules.rank_reset {
        0 => session,
        reset => reset.min(session),
    }
}

fn switched_off(rules: &SessionRules) -> String {
    let rules = [
        (rules.game.revolution, "revolution"),
        (rules.game.lock, "lock"),
        (rules.game.sequences, "sequences"),
        (rules.game.eight_cut, "eight-cut"),
    ];
    let off = rules.iter().filter(|(on, _)| !on).map(|(_, name)| *name);
    off.collect::<Vec<_>>().join(",")
}

/// Names in GAT have ASCII letters, digits and `_` only.
fn gat_name(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    name.chars().map(letter).take(64).collect()
}
