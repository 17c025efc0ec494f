//! Running a server and players against it.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use record::{EndKind, Record, RecordReader, Replayed, What, replay};
use tempfile::TempDir;

use crate::patience::{Playing, outcome, sit, wait_for};
use crate::programs;
use crate::uecda::{Outcome, Player};

/// A running `taikyoku serve` in a folder of its own.
#[derive(Debug)]
pub struct Server {
    child: Child,
    output: Option<JoinHandle<()>>,
    printed: Arc<Mutex<String>>,
    /// The port it listens on, or the first of them.
    pub port: u16,
    pub ports: Vec<u16>,
    /// Its port of watchers, if it has one.
    pub watch: Option<u16>,
    pub folder: TempDir,
}

impl Server {
    /// Starts `taikyoku serve` with the words of a line, on free ports; it writes records.
    pub fn serve(line: &str) -> Server {
        Server::run(Command::new(programs::taikyoku()), line)
    }

    /// The same of a server that may open so many files only.
    pub fn with_files(files: u32, line: &str) -> Server {
        let mut shell = Command::new("sh");
        let script = format!("ulimit -n {files} && exec \"$0\" \"$@\"");
        shell.args(["-c", &script]).arg(programs::taikyoku());
        Server::run(shell, line)
    }

    /// The same of a server that another command starts, such as one with variables.
    pub fn run(mut command: Command, line: &str) -> Server {
        let (contest, options) = line.split_once(' ').unwrap_or((line, ""));
        let options: Vec<&str> = options.split_whitespace().collect();
        let folder = tempfile::tempdir().expect("a folder");
        let ports = match contest {
            "geister" => ["--ports", "0,0"],
            _ => ["--port", "0"],
        };
        command.args(["serve", contest]).args(ports);
        // The players of the tests take line by line, from both seats, unless a test says otherwise.
        let has = |words: &[&str]| options.iter().any(|option| words.contains(option));
        if contest == "geister" && !has(&["--wait", "--wait-ms"]) {
            command.args(["--wait-ms", "0"]);
        }
        if contest == "geister" && !has(&["--swap", "--no-swap", "--strict"]) {
            command.arg("--swap");
        }
        let mut child = command
            .args(["--records", "records"])
            .args(&options)
            .current_dir(folder.path())
            .env("RUST_LOG", "error")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let stdout = child.stdout.take().expect("a pipe");
        let printed = Arc::<Mutex<String>>::default();
        let heard = Arc::clone(&printed);
        let output = thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
                *heard += &(line + "\n");
            }
        });
        let others = options.iter().filter(|option| **option == "--animal-shogi");
        let count = ports[1].split(',').count() + others.count();
        let (ports, watch) = ports_of(&mut child, count);
        Server {
            child,
            output: Some(output),
            printed,
            port: ports[0],
            ports,
            watch,
            folder,
        }
    }

    /// Plays five players, who come in the order given, each only when the one before him has been
    /// let in.
    pub fn play(&self, players: &[Player]) -> Vec<Outcome> {
        sit_at(self.port, players)
            .into_iter()
            .map(outcome)
            .collect()
    }

    /// Waits for the server to end; gives its exit status and standard output.
    pub fn finish(mut self) -> Finished {
        self.end()
    }

    /// As [`Server::finish`], once; its folder stays as long as this lives.
    pub fn end(&mut self) -> Finished {
        let status = wait_for("the end of the server", || {
            self.child.try_wait().expect("a child")
        });
        let output = self.output.take().expect("once");
        output.join().expect("output");
        Finished {
            status,
            output: self.printed(),
            records: self.records(),
        }
    }

    /// What it has printed to standard output so far.
    pub fn printed(&self) -> String {
        let printed = self.printed.lock();
        printed.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The records so far, the oldest first.
    pub fn records(&self) -> Vec<Record> {
        let mut records: Vec<Record> = self
            .record_files()
            .iter()
            .map(|path| Record::open(path).expect("a record"))
            .collect();
        records.sort_by(|a, b| a.header.id.cmp(&b.header.id));
        records
    }

    /// Files of the records so far.
    pub fn record_files(&self) -> Vec<PathBuf> {
        let Ok(files) = fs::read_dir(self.folder.path().join("records")) else {
            return Vec::new();
        };
        let mut files: Vec<PathBuf> = files.flatten().map(|entry| entry.path()).collect();
        files.sort();
        files
    }

    pub fn replay_all(&self) -> Vec<Replayed> {
        let files = self.record_files();
        let again = files
            .iter()
            .map(|path| replay(RecordReader::open(path).expect("a record")).expect("a replay"));
        again.collect()
    }

    /// Names of the first player in the records that have their result, in order of the files.
    pub fn closed(&self) -> Vec<String> {
        let closed = |path: &PathBuf| {
            let text = fs::read_to_string(path).ok()?;
            let header = text.lines().next()?;
            let header: serde_json::Value = serde_json::from_str(header).ok()?;
            let name = header["players"][0]["name"].as_str()?.to_owned();
            text.contains("\"event\":\"result\"").then_some(name)
        };
        self.record_files().iter().filter_map(closed).collect()
    }

    /// Waits until `count` records have their result.
    pub fn wait_for_results(&self, count: usize) {
        wait_for("the end of the match", || {
            (self.closed().len() >= count).then_some(())
        });
    }

    /// Memory of the server's process in kilobytes, where the system says.
    pub fn resident_kb(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        line.split_ascii_whitespace().nth(1)?.parse().ok()
    }

    /// Sends the server a signal, by its name.
    pub fn signal(&self, name: &str) {
        signal(&self.child, name);
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_none()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[derive(Debug)]
pub struct Finished {
    pub status: ExitStatus,
    pub output: String,
    pub records: Vec<Record>,
}

impl Finished {
    /// In no match was a player refused a move, or did it forfeit one.
    pub fn assert_faultless(&self) {
        assert!(!self.records.is_empty(), "no record");
        for event in self.records.iter().flat_map(|record| &record.events) {
            match &event.what {
                What::Refused { .. } | What::Forfeit { .. } => panic!("{event:?}"),
                What::End { kinds, .. } | What::Result { kinds, .. } => {
                    let is_normal = |kind: &EndKind| *kind == EndKind::Normal;
                    assert!(kinds.iter().all(is_normal), "{event:?}");
                }
                _ => {}
            }
        }
    }

    /// The JSON of the last line of the output.
    pub fn json(&self) -> serde_json::Value {
        let last = self.output.lines().last().unwrap_or_default();
        serde_json::from_str(last).unwrap_or_else(|e| panic!("{e}: {last}"))
    }
}

/// Lines of the record that give a reason: the player, the kind if it lost by it, the reason.
pub fn reasons(record: &Record) -> Vec<(u8, Option<EndKind>, String)> {
    let events = record.events.iter();
    events
        .filter_map(|event| match &event.what {
            What::Refused { player, reason, .. } => Some((*player, None, reason.clone())),
            What::Forfeit {
                player,
                kind,
                reason,
            } => Some((*player, Some(*kind), reason.clone())),
            _ => None,
        })
        .collect()
}

/// Sends a program a signal, by its name.
pub fn signal(program: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{name}"), &program.id().to_string()])
        .status();
    assert!(sent.expect("a signal").success(), "{name}");
}

/// Lets players come to a port in the order given, each only when the one before it has been let in: player
/// numbers go by order of arrival. Comes back when the last has been.
pub fn sit_at(port: u16, players: &[Player]) -> Vec<Playing<Outcome>> {
    let players = players.iter().cloned();
    players
        .map(|player| sit(move |seated| player.play(port, seated)))
        .collect()
}

/// The ports of a server, of which there are `count`, read from the lines that it prints when it listens.
/// What it prints to standard error behind them becomes output of the test.
pub fn listening(server: &mut Child, count: usize) -> Vec<u16> {
    ports_of(server, count).0
}

/// As [`listening`], with the port of watchers if the server has one.
pub fn ports_of(server: &mut Child, count: usize) -> (Vec<u16>, Option<u16>) {
    let port = |address: &str| {
        let address: SocketAddr = address.parse().expect("an address");
        address.port()
    };
    let mut lines = BufReader::new(server.stderr.take().expect("a pipe")).lines();
    let (mut ports, mut watch) = (Vec::new(), None);
    while ports.len() < count {
        let line = lines.next().expect("the server listens").expect("text");
        if let Some(address) = line.strip_prefix("listening on ") {
            ports.push(port(address));
        } else if let Some(address) = line.strip_prefix("watched on ") {
            watch = Some(port(address));
        } else {
            eprintln!("{line}");
        }
    }
    thread::spawn(move || lines.map_while(Result::ok).for_each(|l| eprintln!("{l}")));
    (ports, watch)
}
