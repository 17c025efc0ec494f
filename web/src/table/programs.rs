//! The programs of a table: its server and its bots, which end with it.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use client::SCRIPT;
use games::GameName;
use log::{debug, warn};
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::settings::{BotSpec, Settings};
use crate::thoughts::MOST_LINE;

/// How long a program may take until it listens or sits.
const START_LIMIT: Duration = Duration::from_mins(1);
const LOOK: Duration = Duration::from_millis(5);
/// As long as a match may take where there is no clock: 30 days.
const NO_CLOCK_MS: u64 = 30 * 24 * 60 * 60 * 1000;
const RETRIES: &str = "20";
/// How long the seat of a lost connection is kept.
const RESUME_MS: &str = "60000";
/// The end of the line with which a server says that all of its journal has happened again.
const GOES_ON: &str = "the match goes on where it was left";
/// Last lines of a program that are kept for the report of its failure.
const MOST_LINES: usize = 5;

/// A program of this project, which lies beside the others.
pub(crate) fn program(folder: &Path, name: &str) -> PathBuf {
    folder.join(name)
}

fn command(folder: &Path, name: &str) -> Command {
    let mut command = Command::new(program(folder, name));
    command
        .env("RUST_LOG", "info")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true);
    command
}

pub(super) struct TableServer {
    pub(super) child: Child,
    pub(super) ports: Vec<u16>,
    pub(super) watched: Option<u16>,
    /// The server ends when this is closed, also when this program is killed; its bots end when it does.
    _lifeline: ChildStdin,
    /// Players that it has let in, as far as its log tells.
    entered: watch::Receiver<usize>,
    /// Whether all that has happened before has happened again.
    goes_on: watch::Receiver<bool>,
    /// The result of its match, once it has told that.
    result: watch::Receiver<Option<ServerReport>>,
}

/// What a server tells of a match, as far as a table reads it.
#[derive(Clone, Debug, Default, Deserialize)]
struct ServerReport {
    /// Why the match was not played to its end.
    reason: Option<String>,
    /// What has become of the record where it is not written: `late` or `lost`.
    record: Option<String>,
}

impl ServerReport {
    fn lacks_record(&self) -> bool {
        self.record.is_some()
    }
}

impl TableServer {
    /// Starts it on free ports of this machine.
    pub(super) async fn start(
        folder: &Path,
        settings: &Settings,
        names: &[String],
        record: &Path,
        journal: Option<PathBuf>,
    ) -> io::Result<TableServer> {
        let game = settings.game;
        let clock = settings.clock.unwrap_or_default();
        let mut command = command(folder, "taikyoku");
        command
            .args([
                "serve",
                game.as_str(),
                "--host",
                "127.0.0.1",
                "--once",
                "--json",
            ])
            .args(["--games", &settings.games.to_string()])
            .arg("--records")
            .arg(record)
            .env("TAIKYOKU_END_WITH_INPUT", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(journal) = journal {
            command.env("TAIKYOKU_JOURNAL", journal);
        }
        // Nobody follows a table at the terminal.
        if !settings.has_terminal() {
            command.args(["--watch", "0"]);
        }
        if let Some(seed) = settings.seed.filter(|_| game != GameName::Geister) {
            command.env("TAIKYOKU_SEED", seed.to_string());
        }
        let budget = clock.budget_ms.unwrap_or(0);
        let move_ms = match (clock.move_ms, budget) {
            (Some(ms), _) => ms,
            (None, 0) => NO_CLOCK_MS,
            (None, _) => 0,
        };
        match game.protocol() {
            "uecda" => {
                command.args(["--port", "0"]);
                // No time at all would pass every move.
                if let Some(ms) = clock.move_ms.filter(|ms| *ms > 0) {
                    command.args(["--move-ms", &ms.to_string()]);
                }
                if budget > 0 {
                    command.args(["--game-ms", &budget.to_string()]);
                }
            }
            "gat" => {
                command
                    .args([
                        "--ports",
                        "0,0",
                        "--no-ng-terminate",
                        "--seat-timeout-ms",
                        "0",
                    ])
                    .arg(format!("--names={}", names.join(",")))
                    .args(["--budget-ms", &budget.to_string()])
                    .args(["--move-ms", &move_ms.to_string()]);
            }
            _ => {
                command
                    .args([
                        "--port",
                        "0",
                        "--retries",
                        RETRIES,
                        "--resume-ms",
                        RESUME_MS,
                    ])
                    .args(["--budget-ms", &budget.to_string()])
                    .args(["--move-ms", &move_ms.to_string()]);
                if let Some(ms) = clock.increment_ms.filter(|_| budget > 0) {
                    command.args(["--increment-ms", &ms.to_string()]);
                }
                if settings.has_draws() {
                    command.arg("--draws");
                }
                if !settings.position.is_empty() {
                    command.arg(format!("--position={}", settings.position));
                }
            }
        }
        let mut child = command.spawn()?;
        // Waiting for the child would close it.
        let lifeline = child.stdin.take().expect("a pipe");
        let stderr = child.stderr.take().expect("a pipe");
        let mut lines = BufReader::new(stderr).lines();
        let count = if game == GameName::Geister { 2 } else { 1 };
        let (ports, watched) = timeout(START_LIMIT, listening(&mut lines, count)).await??;
        let stdout = child.stdout.take().expect("a pipe");
        let (results, result) = watch::channel(None);
        tokio::spawn(read_lines(
            stdout,
            move |line| match serde_json::from_slice(line) {
                Ok(told) => drop(results.send_replace(Some(told))),
                Err(e) => warn!("the result of a match cannot be read: {e}"),
            },
        ));
        let (sender, entered) = watch::channel(0);
        let (on, goes_on) = watch::channel(false);
        tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                debug!("server: {line}");
                if line.ends_with(GOES_ON) {
                    on.send_replace(true);
                }
                sender.send_modify(|entered| *entered += usize::from(says_player(&line)));
            }
        });
        Ok(TableServer {
            child,
            ports,
            watched,
            _lifeline: lifeline,
            entered,
            goes_on,
            result,
        })
    }

    /// Waits until it tells that the disk has not taken the record of its match, however long.
    pub(super) fn lacks_record(&self) -> impl Future<Output = ()> + use<> {
        let mut result = self.result.clone();
        async move {
            let lacks =
                |told: &Option<ServerReport>| told.as_ref().is_some_and(ServerReport::lacks_record);
            if result.wait_for(lacks).await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Waits until all that has happened before has happened again, however long.
    pub(super) fn goes_on(&self) -> impl Future<Output = ()> + use<> {
        let mut goes_on = self.goes_on.clone();
        async move {
            if goes_on.wait_for(|on| *on).await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Whether it has ended because it was told to stop.
    pub(super) async fn was_stopped(&mut self) -> bool {
        // What it told may not be read yet.
        let told = self.result.wait_for(Option::is_some).await;
        told.is_ok_and(|told| {
            let reason = told.as_ref().and_then(|told| told.reason.as_deref());
            reason == Some(super::STOPPED)
        })
    }

    /// Whether the match was played to its end, whatever has become of its record.
    pub(super) fn has_played(&self) -> bool {
        let told = self.result.borrow();
        told.as_ref()
            .is_some_and(|told| told.reason.is_none() && told.lacks_record())
    }

    /// Waits until so many players are in, as servers of `UECda` tell.
    pub(super) async fn has_let_in(&mut self, count: usize) -> io::Result<()> {
        let entered = self.entered.wait_for(|entered| *entered >= count);
        match timeout(START_LIMIT, entered).await? {
            Ok(_) => Ok(()),
            Err(_) => Err(io::Error::other("the server has ended")),
        }
    }
}

/// Whether a line of the log tells of a player that was let in.
fn says_player(line: &str) -> bool {
    line.contains("player ") && line.contains(" from ") && line.contains(", version ")
}

/// The ports of a server and its watch port, from the lines that it prints when it listens.
async fn listening(
    lines: &mut Lines<BufReader<ChildStderr>>,
    count: usize,
) -> io::Result<(Vec<u16>, Option<u16>)> {
    let (mut ports, mut watched) = (Vec::new(), None);
    let mut last = VecDeque::new();
    while ports.len() < count {
        let Some(line) = lines.next_line().await? else {
            let said: Vec<String> = last.into();
            return Err(io::Error::other(said.join("; ")));
        };
        let port = |head| line.strip_prefix(head)?.rsplit_once(':')?.1.parse().ok();
        if let Some(port) = port("listening on ") {
            ports.push(port);
            continue;
        }
        if let Some(port) = port("watched on ") {
            watched = Some(port);
            continue;
        }
        last.push_back(line);
        if last.len() > MOST_LINES {
            last.pop_front();
        }
    }
    Ok((ports, watched))
}

pub(super) struct Bot {
    pub(super) child: Child,
    pub(super) name: String,
    /// Reads what it prints, unless that is for a person.
    reader: Option<JoinHandle<()>>,
    /// Whether a person plays in its place, at the terminal.
    pub(super) is_person: bool,
    /// Where the client of the native protocol keeps its token once it sits.
    token_file: Option<PathBuf>,
}

impl Bot {
    /// Starts it at a port of this machine; `hear` gets the lines that it prints.
    pub(super) fn start(
        folder: &Path,
        settings: &Settings,
        spec: &BotSpec,
        name: &str,
        port: u16,
        files: &Path,
        hear: impl FnMut(&[u8]) + Send + 'static,
    ) -> io::Result<Bot> {
        let game = settings.game;
        let mut command = command(folder, game.as_str());
        // The log of a server is read; of the bots the terminal shows the warnings only. This program has looked for ONNX
        // Runtime already, so the bots need not repeat that it is missing.
        command.env("RUST_LOG", "warn,onnxruntime=off");
        if game == GameName::ScoreFour {
            command.arg("play");
        }
        if spec.is_person() {
            // It gives the terminal back by itself when its server has gone.
            command
                .stdin(Stdio::inherit())
                .stdout(Stdio::inherit())
                .kill_on_drop(false);
        } else {
            command.arg("--json").stdout(Stdio::piped());
            if settings.has_terminal() {
                // A bot's log would lie across the screen.
                command.stderr(Stdio::null());
            }
        }
        command
            .args(["--host", "127.0.0.1", "--port", &port.to_string()])
            .args(["--engine", &spec.engine]);
        for (key, value) in &spec.options {
            command.args([&format!("--{key}"), value]);
        }
        if let Some(ms) = spec.move_ms {
            command.args(["--move-ms", &ms.to_string()]);
        }
        if game != GameName::Geister {
            command.args(["--name", name]);
        }
        if game.protocol() != "native" {
            command.args(["--games", &settings.games.to_string()]);
        }
        let token_file = (game.protocol() == "native").then(|| files.join(name));
        if let Some(path) = &token_file {
            command.arg("--token-file").arg(path);
        }
        let script = Bot::script(files, name);
        if script.exists() {
            command.env(SCRIPT, script);
        }
        let mut child = command.spawn()?;
        let stdout = child.stdout.take();
        Ok(Bot {
            child,
            name: name.to_owned(),
            reader: stdout.map(|stdout| tokio::spawn(read_lines(stdout, hear))),
            is_person: spec.is_person(),
            token_file,
        })
    }

    /// The file in the folder of a table that has what a bot does first.
    pub(super) fn script(files: &Path, name: &str) -> PathBuf {
        files.join(format!("{name}.script"))
    }

    /// Waits until it has ended and all that it has printed is read.
    pub(super) async fn ends(&mut self) -> io::Result<()> {
        self.child.wait().await?;
        match &mut self.reader {
            Some(reader) => reader.await.map_err(io::Error::other),
            None => Ok(()),
        }
    }

    /// Waits until it sits, where that can be known.
    pub(super) async fn sits(&mut self) -> io::Result<()> {
        let Some(path) = &self.token_file else {
            return Ok(());
        };
        timeout(START_LIMIT, async {
            while !path.exists() {
                match self.child.try_wait()? {
                    // A short match may be over already, and a person may have left.
                    Some(status) if status.success() => return Ok(()),
                    Some(status) if self.is_person && has_left(status) => return Ok(()),
                    Some(status) => {
                        return Err(io::Error::other(format!("it has ended ({status})")));
                    }
                    None => {}
                }
                sleep(LOOK).await;
            }
            Ok(())
        })
        .await?
    }
}

/// Whether a client has ended as one whose player has left.
fn has_left(status: ExitStatus) -> bool {
    status.code() == Some(i32::from(program::CUT_SHORT))
}

/// Hands over the lines of a program until it ends; those that are too long are passed over.
async fn read_lines(stdout: ChildStdout, mut hear: impl FnMut(&[u8])) {
    let mut reader = BufReader::new(stdout);
    let mut line = Vec::new();
    let mut is_whole = true;
    loop {
        line.clear();
        let mut part = (&mut reader).take(MOST_LINE);
        let read = part.read_until(b'\n', &mut line).await;
        if !read.is_ok_and(|length| length > 0) {
            return;
        }
        let ends = line.ends_with(b"\n");
        if ends && is_whole {
            hear(&line);
        }
        is_whole = ends;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_tells_of_players() {
        let line =
            "[2026-01-01 INFO  taikyoku::clients] player 0: best from 127.0.0.1:5, version 20070";
        assert!(says_player(line));
        assert!(!says_player("player 0: best left before the match"));
    }
}
