//! Leagues as programs: started, killed, interrupted, and read from their journals.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use league::journal::{Entry, Journal, Played};
use league::schedule::Key;
use record::EndKind;
use tempfile::TempDir;

use crate::patience::{PATIENCE, wait_for};
use crate::programs::{self, Ended};

/// Sections of entrants with these names that play at random.
pub fn random_bots<N: Display>(names: impl IntoIterator<Item = N>) -> String {
    let section = |name| format!("[[entrants]]\nname = \"{name}\"\nengine = \"random\"\n");
    names.into_iter().map(section).collect()
}

/// A league's file in a folder of its own.
#[derive(Debug)]
pub struct League {
    pub folder: TempDir,
}

impl League {
    /// A league with a fixed seed, unless the text says otherwise: no test depends on luck.
    pub fn new(text: &str) -> League {
        let seed = if text.is_empty() || text.contains("seed") {
            ""
        } else if text.starts_with('\n') {
            "seed = 1"
        } else {
            "seed = 1\n"
        };
        let league = League {
            folder: tempfile::tempdir().expect("a folder"),
        };
        league.rewrite(&format!("{seed}{text}"));
        league
    }

    pub fn rewrite(&self, text: &str) {
        fs::write(self.folder.path().join("it.toml"), text).expect("a file");
    }

    pub fn out(&self, out: &str) -> PathBuf {
        self.folder.path().join(out)
    }

    /// `taikyoku league` on the file, into the folder `out`.
    pub fn command(&self, out: &str) -> Command {
        let mut command = Command::new(programs::taikyoku());
        command
            .args(["league", "it.toml", "--out", out, "--json"])
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn play(&self, out: &str) -> Ended {
        programs::ended(&mut self.command(out))
    }

    /// The same with more options.
    pub fn play_with(&self, out: &str, options: &[&str]) -> Ended {
        programs::ended(self.command(out).args(options))
    }

    pub fn start(&self, out: &str) -> Child {
        let mut command = self.command(out);
        let command = command.stdout(Stdio::null());
        command.spawn().expect("the league starts")
    }

    /// Kills a league that runs when so many fixtures are played.
    pub fn kill_after(&self, out: &str, fixtures: usize, mut child: Child) {
        self.wait_for(out, fixtures, &mut child);
        child.kill().expect("a child");
        child.wait().expect("a child");
    }

    /// Starts it, and listens to what it says.
    pub fn run(&self, out: &str) -> Running {
        self.run_with(out, &[])
    }

    /// The same with more options; what it writes to standard output is lost.
    pub fn run_with(&self, out: &str, options: &[&str]) -> Running {
        let mut command = self.command(out);
        command.args(options);
        League::heard(command)
    }

    /// The same under a limit that a shell sets first, such as `ulimit -n 256`.
    pub fn run_under(&self, limit: &str, out: &str) -> Running {
        let command = self.command(out);
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("{limit} && exec \"$0\" \"$@\"")])
            .arg(command.get_program())
            .args(command.get_args())
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stderr(Stdio::piped());
        League::heard(shell)
    }

    fn heard(mut command: Command) -> Running {
        let command = command.stdout(Stdio::null());
        let mut child = command.spawn().expect("the league starts");
        let stderr = child.stderr.take().expect("its standard error");
        let said = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&said);
        let listening = thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
                *heard += &(line + "\n");
            }
        });
        Running {
            child,
            said,
            listening: Some(listening),
        }
    }

    /// Plays to the end, asserts this exit status, and gives the standard error.
    pub fn ends(&self, out: &str, status: i32) -> String {
        let Ended { code, err, .. } = self.play(out);
        assert_eq!(code, Some(status), "{err}");
        err
    }

    /// `taikyoku league` with these words in the folder of the file.
    pub fn output(&self, words: &[&str]) -> Ended {
        let mut command = Command::new(programs::taikyoku());
        command.arg("league").args(words);
        programs::ended(command.current_dir(self.folder.path()))
    }

    /// The same; gives its exit status and its standard error.
    pub fn told(&self, words: &[&str]) -> (Option<i32>, String) {
        let Ended { code, err, .. } = self.output(words);
        (code, err)
    }

    /// The same; gives its exit status and the JSON that it prints.
    pub fn json(&self, words: &[&str]) -> (Option<i32>, serde_json::Value) {
        let ended = self.output(&[words, &["--json"]].concat());
        let value = serde_json::from_str(&ended.out);
        let value = value.unwrap_or_else(|e| panic!("{e}: {ended:?}"));
        (ended.code, value)
    }

    /// Another subcommand on the folder of a run; gives its standard output.
    pub fn ask(&self, subcommand: &str, out: &str) -> serde_json::Value {
        let (status, value) = self.json(&[subcommand, out]);
        assert_eq!(status, Some(0), "{value}");
        value
    }

    /// Fixtures in the journal of a run, whatever the last line is like; 0 without a journal.
    pub fn played(&self, out: &str) -> usize {
        let text = fs::read_to_string(self.out(out).join("journal.jsonl")).unwrap_or_default();
        text.lines()
            .filter(|line| line.contains("\"games\""))
            .count()
    }

    /// Waits until so many fixtures are played, or the program has ended.
    pub fn wait_for(&self, out: &str, fixtures: usize, child: &mut Child) {
        let began = Instant::now();
        while self.played(out) < fixtures && child.try_wait().expect("a child").is_none() {
            assert!(began.elapsed() < PATIENCE, "{} played", self.played(out));
            sleep(Duration::from_millis(5));
        }
    }

    pub fn journal(&self, out: &str) -> Journal {
        Journal::read(&self.out(out).join("journal.jsonl")).unwrap_or_else(|e| panic!("{e}"))
    }

    /// The fixtures that were played, by key.
    pub fn fixtures(&self, out: &str) -> BTreeMap<Key, Played> {
        let mut fixtures = BTreeMap::new();
        for entry in self.journal(out).entries {
            if let Entry::Played(played) = entry {
                let before = fixtures.insert(played.key, played);
                assert_eq!(before, None, "played twice");
            }
        }
        fixtures
    }

    /// How the games of an entrant have ended, in the order of their keys.
    pub fn kinds(&self, out: &str, entrant: usize) -> Vec<EndKind> {
        let mut kinds = Vec::new();
        for played in self.fixtures(out).values() {
            let seats = played.seats.iter().enumerate();
            for (seat, _) in seats.filter(|&(_, &own)| own == entrant) {
                kinds.extend(played.games.iter().map(|game| game.kind(seat)));
            }
        }
        kinds
    }

    /// The fixtures that were played without what differs by machine, see [`timeless`].
    pub fn timeless(&self, out: &str) -> BTreeMap<Key, Played> {
        let fixtures = self.fixtures(out).into_iter();
        fixtures
            .map(|(key, played)| (key, timeless(&played)))
            .collect()
    }
}

/// A league that runs, and what it says.
#[derive(Debug)]
pub struct Running {
    pub child: Child,
    said: Arc<Mutex<String>>,
    listening: Option<JoinHandle<()>>,
}

impl Running {
    /// What it has said so far.
    pub fn said(&self) -> String {
        self.said
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Waits until it has said something.
    pub fn wait_said(&self, text: &str) {
        wait_for(text, || self.said().contains(text).then_some(()));
    }

    /// The port that a remote entrant connects to.
    pub fn port(&self, name: &str) -> u16 {
        let begin = format!("{name} connects to ");
        wait_for(&begin, || {
            let said = self.said();
            let address = said.lines().find_map(|line| line.strip_prefix(&begin))?;
            let address: SocketAddr = address.parse().expect("an address");
            Some(address.port())
        })
    }

    /// Waits for its end; gives the exit status and what it has said.
    pub fn end(mut self) -> (Option<i32>, String) {
        let began = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status;
            }
            if began.elapsed() > PATIENCE {
                let _ = self.child.kill();
                panic!("no end: {}", self.said());
            }
            sleep(Duration::from_millis(5));
        };
        if let Some(listening) = self.listening.take() {
            listening.join().expect("a listener");
        }
        (status.code(), self.said())
    }
}

impl Drop for Running {
    /// A test that fails leaves none behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What was played without the times that it took, the name of its record and that of its machine.
pub fn timeless(played: &Played) -> Played {
    let mut same = played.clone();
    same.ms = 0;
    same.record = None;
    same.host = None;
    for game in &mut same.games {
        game.used.fill(0);
        game.slowest.fill(0);
    }
    same
}
