//! Leagues as programs: started, killed, interrupted, and read from their journals.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use server::league::journal::{Entry, Journal, Played};
use server::league::schedule::Key;
use tempfile::TempDir;

use crate::programs;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_mins(4);

/// A league's file in a folder of its own.
#[derive(Debug)]
pub struct League {
    /// The folder.
    pub folder: TempDir,
}

impl League {
    /// Writes the file.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn new(text: &str) -> League {
        let folder = tempfile::tempdir().expect("a folder");
        let league = League { folder };
        league.rewrite(text);
        league
    }

    /// Writes the file anew.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn rewrite(&self, text: &str) {
        fs::write(self.folder.path().join("it.toml"), text).expect("a file");
    }

    /// The folder of a run.
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

    /// Plays to the end.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn play(&self, out: &str) -> Output {
        self.command(out).output().expect("the league starts")
    }

    /// Starts it.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start(&self, out: &str) -> Child {
        self.command(out)
            .stdout(Stdio::null())
            .spawn()
            .expect("the league starts")
    }

    /// Another subcommand on the folder of a run; gives its standard output.
    ///
    /// # Panics
    /// When it fails.
    pub fn ask(&self, subcommand: &str, out: &str) -> serde_json::Value {
        let output = Command::new(programs::taikyoku())
            .args(["league", subcommand, out, "--json"])
            .current_dir(self.folder.path())
            .output()
            .expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{errors}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
    }

    /// Fixtures in the journal of a run, whatever the last line is like; 0 without a journal.
    pub fn played(&self, out: &str) -> usize {
        let text = fs::read_to_string(self.out(out).join("journal.jsonl")).unwrap_or_default();
        text.lines()
            .filter(|line| line.contains("\"games\""))
            .count()
    }

    /// Waits until so many fixtures are played, or the program has ended.
    ///
    /// # Panics
    /// When it takes too long.
    pub fn wait_for(&self, out: &str, fixtures: usize, child: &mut Child) {
        let began = Instant::now();
        while self.played(out) < fixtures && child.try_wait().expect("a child").is_none() {
            assert!(began.elapsed() < PATIENCE, "{} played", self.played(out));
            sleep(Duration::from_millis(5));
        }
    }

    /// The journal of a run.
    ///
    /// # Panics
    /// When it cannot be read.
    pub fn journal(&self, out: &str) -> Journal {
        Journal::read(&self.out(out).join("journal.jsonl")).unwrap_or_else(|e| panic!("{e}"))
    }

    /// The fixtures that were played, by key.
    ///
    /// # Panics
    /// When one was played twice.
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
}

/// Sends a signal, such as `INT`.
///
/// # Panics
/// When there is no shell.
pub fn signal(child: &Child, name: &str) {
    let line = format!("kill -{name} {}", child.id());
    let status = Command::new("sh").args(["-c", &line]).status();
    assert!(status.expect("a shell").success(), "{line}");
}

/// What was played without the times that it took.
pub fn timeless(played: &Played) -> Played {
    let mut same = played.clone();
    same.ms = 0;
    for game in &mut same.games {
        game.used.fill(0);
        game.slowest.fill(0);
    }
    same
}
