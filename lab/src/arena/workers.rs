//! Sittings of matches on other machines, by the carriers that serve leagues too (`program::work`).

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use program::work::{Driver, Loss, Piece, Pipes, Queue, Reply, Transport};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;

use super::{Failure, Played, Results};

/// Approximate bytes of a game in the line of a piece.
const GAME_BYTES: usize = 400;

/// What a worker must agree with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabContest {
    pub lab: String,
    /// Its working folder, from which the files in specifications of engines are found.
    pub folder: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sittings {
    /// The words after `taikyoku-lab` that say what is played.
    pub words: Vec<String>,
    /// The numbers of its sittings, through all blocks.
    pub sittings: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum WorkLine {
    Played {
        sitting: u64,
        games: Vec<Played>,
    },
    /// A sitting came to nothing.
    Void {
        sitting: u64,
        void: String,
    },
    /// Another line: it does not count.
    Odd(Value),
}

#[derive(Debug)]
pub struct Workers {
    runtime: Runtime,
    carrier: Option<(Transport, Pipes<ChildStdout, ChildStdin>)>,
    contest: LabContest,
    queue: Queue<u64>,
}

struct MatchInPlay<'a> {
    contest: &'a LabContest,
    words: &'a [String],
    unit: &'a str,
    state: Mutex<State<'a>>,
    woken: Notify,
    over: Notify,
}

struct State<'a> {
    queue: &'a mut Queue<u64>,
    results: &'a mut Results,
    watch: &'a (dyn Fn(&Results) + Sync),
    left: usize,
    /// Why one of them cannot be played.
    failure: Option<String>,
}

impl Driver for MatchInPlay<'_> {
    type Contest = LabContest;
    type Work = Sittings;
    type Line = WorkLine;

    fn contest(&self) -> LabContest {
        self.contest.clone()
    }

    fn next(&self) -> Option<Piece<Sittings>> {
        let mut state = self.state();
        let queue = &mut *state.queue;
        let (piece, jobs) = queue.next(|_, _| true)?;
        let sittings = jobs.iter().filter_map(|&job| queue.job(job).copied());
        let work = Sittings {
            words: self.words.to_owned(),
            sittings: sittings.collect(),
        };
        Some(Piece { piece, work })
    }

    fn woken(&self) -> impl Future<Output = ()> + Send {
        self.woken.notified()
    }

    fn take(&self, reply: Reply<WorkLine>) {
        let mut state = self.state();
        match reply {
            Reply::Slots { slots } => state.queue.set_slots(slots),
            Reply::Over { piece, ms, lines } => state.over(piece, ms, lines, self.unit),
            Reply::Lost { piece, lost } => {
                let jobs = state.queue.take_back(piece);
                state.lose(&jobs.unwrap_or_default(), lost);
            }
        }
        if state.left == 0 || state.failure.is_some() {
            self.over.notify_one();
        } else {
            self.woken.notify_one();
        }
    }
}

impl<'a> MatchInPlay<'a> {
    fn state(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State<'_> {
    /// Takes back a piece. Each sitting counts once, also when results come twice or late.
    fn over(&mut self, piece: u64, ms: u64, lines: Vec<WorkLine>, unit: &str) {
        let jobs = self.queue.take_back(piece).unwrap_or_default();
        let numbered = jobs.iter();
        let mut numbered: HashMap<u64, u64> = numbered
            .filter_map(|&job| Some((*self.queue.job(job)?, job)))
            .collect();
        let mut why = "its worker has said nothing of it".to_owned();
        let mut done = 0;
        for line in lines {
            match line {
                WorkLine::Played { sitting, games } if self.results.fit(&games) => {
                    let Some(job) = numbered.remove(&sitting) else {
                        continue;
                    };
                    self.queue.remove(job);
                    self.queue.note_size(games.len() * GAME_BYTES);
                    done += 1;
                    self.results.add(sitting, games);
                    (self.watch)(self.results);
                }
                WorkLine::Played { sitting, .. } => {
                    why = format!("{unit} {sitting}: no such games are of this match");
                }
                WorkLine::Void { sitting, void } => why = format!("{unit} {sitting}: {void}"),
                WorkLine::Odd(_) => {}
            }
        }
        self.left -= done;
        self.queue.note_done("", done, ms);
        // The fault may be that of one machine.
        self.lose(&jobs, why);
    }

    fn lose(&mut self, jobs: &[u64], why: String) {
        let mut losses = jobs.iter().rev().map(|&job| self.queue.lose(job));
        if losses.any(|loss| loss == Loss::GivenUp) {
            self.failure = Some(why);
        }
    }
}

impl Workers {
    /// Starts the carrier of workers that have this version; pieces take about `length`.
    pub fn start(command: &str, version: &str, length: Duration) -> Result<Workers, Failure> {
        let folder = std::env::current_dir()?;
        let folder = folder
            .to_str()
            .ok_or("the name of this folder is no text")?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let start = async { Transport::start(command, |line| eprintln!("{line}")) };
        let carrier = runtime.block_on(start)?;
        Ok(Workers {
            runtime,
            carrier: Some(carrier),
            contest: LabContest {
                lab: version.to_owned(),
                folder: folder.to_owned(),
            },
            queue: Queue::new(length),
        })
    }

    /// Plays the sittings that the results lack.
    ///
    /// # Errors
    /// The carrier has ended, or a sitting, which is a `unit`, came to nothing or was lost five times.
    pub(super) fn play(
        &mut self,
        words: &[String],
        unit: &str,
        results: &mut Results,
        watch: &(dyn Fn(&Results) + Sync),
    ) -> Result<(), Failure> {
        let missing: Vec<u64> = results.missing().collect();
        let (left, queue) = (missing.len(), &mut self.queue);
        if left == 0 {
            return Ok(());
        }
        let Some((_, pipes)) = &mut self.carrier else {
            return Err("the carrier of the workers is gone".into());
        };
        for sitting in missing {
            queue.add(sitting);
        }
        let state = State {
            queue,
            results,
            watch,
            left,
            failure: None,
        };
        let driver = MatchInPlay {
            contest: &self.contest,
            words,
            unit,
            state: Mutex::new(state),
            woken: Notify::new(),
            over: Notify::new(),
        };
        let ended = self.runtime.block_on(async {
            tokio::select! {
                biased;
                () = driver.over.notified() => None,
                ended = pipes.exchange(&driver) => Some(ended.to_string()),
            }
        });
        let (failure, left) = {
            let mut state = driver.state();
            (state.failure.take(), state.left)
        };
        drop(driver);
        match (failure, ended) {
            (Some(failure), _) => Err(failure.into()),
            // A carrier that ends after the last sitting has done its work.
            (None, Some(reason)) if left > 0 => Err(self.end(&reason).into()),
            (None, _) => Ok(()),
        }
    }

    fn end(&mut self, reason: &str) -> String {
        let Some((transport, pipes)) = self.carrier.take() else {
            return reason.to_owned();
        };
        drop(pipes);
        self.runtime.block_on(transport.end(reason)).0
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.end("");
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_carrier_that_goes_on_talking_is_ended_with_what_it_has_started() {
        let folder = tempfile::tempdir().expect("a folder");
        let pid = folder.path().join("pid");
        let script = format!(
            "sleep 1000 & echo $! > {0}.new; mv {0}.new {0}; while :; do echo '{{\"slots\":1}}'; sleep 0.1; done",
            pid.display()
        );
        let command = shlex::try_join(["sh", "-c", &script]).expect("words");
        let workers = Workers::start(&command, "0.1.0", Duration::from_mins(1));
        let workers = workers.expect("a program");
        let began = Instant::now();
        while !pid.exists() {
            assert!(began.elapsed() < Duration::from_mins(1));
            std::thread::sleep(Duration::from_millis(10));
        }
        let started = std::fs::read_to_string(pid).expect("a number");
        let left = Instant::now();
        drop(workers);
        let most = Duration::from_secs(20);
        assert!(left.elapsed() < most, "{:?}", left.elapsed());
        let line = || std::fs::read(format!("/proc/{}/cmdline", started.trim()));
        let killed = Instant::now();
        while line().is_ok_and(|line| !line.is_empty()) {
            assert!(killed.elapsed() < Duration::from_secs(5), "it runs on");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
