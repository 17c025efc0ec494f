//! Sittings of matches on other machines: a program that carries them in pieces to workers, and brings the games back.
//!
//! The lines are those of `taikyoku league --workers`, so the same carriers serve leagues and matches.

use std::collections::{HashMap, VecDeque};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Failure, Played, Results};

/// Longest line of a carrier, in bytes.
const LONGEST: u64 = 64 << 20;

/// Most sittings and most games of a piece, and most pieces that are out at the same time. The line of so many games is
/// shorter than `LONGEST`.
const MOST_SITTINGS: usize = 10_000;
const MOST_GAMES: usize = 40_000;
const MOST_SLOTS: usize = 100_000;

/// Losses after which a sitting becomes a piece of its own, and losses after which the match is given up.
const ALONE: u32 = 2;
const LOSSES: u32 = 5;

/// Weight of a new piece in the running mean of the time of a sitting.
const WEIGHT: f64 = 0.2;

/// Most moves of a seat and longest time of one, in seconds: sums of them do not overflow.
const MOST_MOVES: u32 = 100_000;
const MOST_SECONDS: u64 = 30 * 24 * 3600;

/// Time for the carrier to end after its standard input is closed.
const LEAVE: Duration = Duration::from_secs(10);

/// A line to the carrier, which passes it on to workers as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ToCarrier {
    /// The first line: what a worker must agree with.
    Lab {
        /// Version of the program that drives.
        lab: String,
        /// Its working folder, from which the files in specifications of engines are found.
        folder: String,
    },
    /// Work for one worker.
    Piece(Piece),
}

/// Work for one worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    /// Its number, which no other piece of the same run has.
    pub piece: u64,
    /// The words after `taikyoku-lab` that say what is played.
    pub words: Vec<String>,
    /// The numbers of its sittings, through all blocks.
    pub sittings: Vec<u64>,
}

/// A line that a worker writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum WorkLine {
    /// A sitting was played.
    Played {
        /// Its number.
        sitting: u64,
        /// Its games.
        games: Vec<Played>,
    },
    /// A sitting came to nothing.
    Void {
        /// Its number.
        sitting: u64,
        /// Why.
        void: String,
    },
    /// Another line: it does not count.
    Odd(Value),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum FromCarrier {
    /// How many pieces it takes at the same time from now on.
    Slots { slots: usize },
    /// A piece is over: milliseconds of its worker, and what the worker has written.
    Over {
        piece: u64,
        ms: u64,
        lines: Vec<WorkLine>,
    },
    /// A piece is lost: its machine has vanished, or its worker has failed.
    Lost { piece: u64, lost: String },
}

/// A carrier that runs. It is asked to end, and then ended, when this is dropped.
#[derive(Debug)]
pub struct Carrier {
    child: Child,
    to: Option<ChildStdin>,
    from: Receiver<io::Result<FromCarrier>>,
    length: Duration,
    /// Most pieces that are out at the same time.
    slots: usize,
    /// Mean time of a sitting, milliseconds, once one is known.
    pace: Option<f64>,
    /// Most games of a sitting so far.
    games: usize,
    next_piece: u64,
}

impl Carrier {
    /// Starts a carrier of workers that have this version; pieces take about `length`.
    ///
    /// # Errors
    /// The command cannot be read or started.
    pub fn start(command: &str, version: &str, length: Duration) -> Result<Carrier, Failure> {
        let failure = |reason: &str| format!("--workers {command}: {reason}");
        let words = shlex::split(command).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| failure("this is no command"))?;
        let mut started = Command::new(&words[0]);
        started
            .args(&words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        // Ctrl-C is for the driver alone.
        std::os::unix::process::CommandExt::process_group(&mut started, 0);
        let mut child = started.spawn().map_err(|e| failure(&e.to_string()))?;
        let (to, from) = (child.stdin.take(), child.stdout.take());
        let from = from.ok_or_else(|| failure("it has no standard output"))?;
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || read(from, &sender));
        let mut carrier = Carrier {
            child,
            to,
            from: lines,
            length,
            slots: 0,
            pace: None,
            games: 1,
            next_piece: 0,
        };
        let folder = std::env::current_dir()?;
        let folder = folder
            .to_str()
            .ok_or("the name of this folder is no text")?;
        carrier.write(&ToCarrier::Lab {
            lab: version.to_owned(),
            folder: folder.to_owned(),
        })?;
        Ok(carrier)
    }

    /// Plays the sittings that the results lack. Each counts once, whatever comes twice or late.
    ///
    /// # Errors
    /// The carrier has ended, or a sitting, which is a `unit`, came to nothing or was lost five times.
    pub(super) fn play(
        &mut self,
        words: &[String],
        unit: &str,
        results: &mut Results,
        watch: &dyn Fn(&Results),
    ) -> Result<(), Failure> {
        let mut waiting: VecDeque<u64> = results.missing().collect();
        let mut left = waiting.len();
        let mut losses: HashMap<u64, u32> = HashMap::new();
        let mut out: HashMap<u64, Vec<u64>> = HashMap::new();
        while left > 0 {
            while out.len() < self.slots && !waiting.is_empty() {
                let sittings = self.next(&mut waiting, &losses);
                let piece = self.next_piece;
                self.next_piece += 1;
                self.write(&ToCarrier::Piece(Piece {
                    piece,
                    words: words.to_owned(),
                    sittings: sittings.clone(),
                }))?;
                out.insert(piece, sittings);
            }
            let (piece, ms, lines, mut why) = match self.hear()? {
                FromCarrier::Slots { slots } => {
                    self.slots = slots.min(MOST_SLOTS);
                    continue;
                }
                FromCarrier::Over { piece, ms, lines } => {
                    let why = "its worker has said nothing of it".to_owned();
                    (piece, ms, lines, why)
                }
                FromCarrier::Lost { piece, lost } => (piece, 0, Vec::new(), lost),
            };
            // One that was lost before, or belongs to another match.
            let Some(mut sittings) = out.remove(&piece) else {
                continue;
            };
            let whole = sittings.len();
            for line in lines {
                match line {
                    WorkLine::Played { sitting, games } if results.fit(&games) => {
                        let Some(at) = sittings.iter().position(|&own| own == sitting) else {
                            continue;
                        };
                        sittings.remove(at);
                        left -= 1;
                        self.games = self.games.max(games.len());
                        results.add(sitting, games);
                        watch(results);
                    }
                    WorkLine::Played { sitting, .. } => {
                        why = format!("{unit} {sitting}: no such games are of this match");
                    }
                    WorkLine::Void { sitting, void } => why = format!("{unit} {sitting}: {void}"),
                    WorkLine::Odd(_) => {}
                }
            }
            if sittings.is_empty() {
                let pace = ms as f64 / whole.max(1) as f64;
                let mean = |old: f64| old + WEIGHT * (pace - old);
                self.pace = Some(self.pace.map_or(pace, mean));
            }
            // The fault may be that of one machine.
            for &sitting in sittings.iter().rev() {
                let losses = losses.entry(sitting).or_default();
                *losses += 1;
                if *losses >= LOSSES {
                    return Err(why.into());
                }
                waiting.push_front(sitting);
            }
        }
        Ok(())
    }

    /// The sittings of the next piece. Towards the end pieces are smaller, so that all slots end at about the same time.
    fn next(&self, waiting: &mut VecDeque<u64>, losses: &HashMap<u64, u32>) -> Vec<u64> {
        let length = self.length.as_millis() as f64;
        let fit = self.pace.map_or(1.0, |pace| length / pace.max(1.0));
        let usual = (fit as usize).clamp(1, MOST_SITTINGS);
        let usual = usual.min(MOST_GAMES / self.games).max(1);
        let most = usual.min(waiting.len().div_ceil(self.slots.max(1)));
        let mut sittings = Vec::new();
        while sittings.len() < most
            && let Some(&sitting) = waiting.front()
        {
            let is_alone = losses.get(&sitting).is_some_and(|&losses| losses >= ALONE);
            if is_alone && !sittings.is_empty() {
                break;
            }
            waiting.pop_front();
            sittings.push(sitting);
            if is_alone {
                break;
            }
        }
        sittings
    }

    fn write(&mut self, line: &ToCarrier) -> Result<(), Failure> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        let written = self.to.as_mut().map(|to| to.write_all(&bytes));
        match written {
            Some(Err(e)) => Err(self.gone(&e)),
            _ => Ok(()),
        }
    }

    fn hear(&mut self) -> Result<FromCarrier, Failure> {
        let over = || Err(io::ErrorKind::UnexpectedEof.into());
        let heard = self.from.recv().unwrap_or_else(|_| over());
        heard.map_err(|e| self.gone(&e))
    }

    /// The error of a carrier that is no more.
    fn gone(&mut self, reason: &io::Error) -> Failure {
        self.leave();
        let status = match self.child.try_wait() {
            Ok(Some(status)) => status.to_string(),
            _ => "it has not ended".to_owned(),
        };
        format!("the carrier of the workers is gone ({status}; {reason})").into()
    }

    /// Closes its standard input, which asks it to end, and waits for the end of its output, but no longer than `LEAVE`.
    fn leave(&mut self) {
        self.to = None;
        let asked = Instant::now();
        loop {
            match self
                .from
                .recv_timeout(LEAVE.saturating_sub(asked.elapsed()))
            {
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return,
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        // What has closed its output ends.
        let _ = self.child.wait();
    }
}

impl Drop for Carrier {
    fn drop(&mut self) {
        self.leave();
        // Nothing to do for one that has ended.
        if let Ok(None) = self.child.try_wait() {
            // What it has started is in its process group.
            if let Ok(id) = i32::try_from(self.child.id())
                && let Some(group) = rustix::process::Pid::from_raw(id)
            {
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            }
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// Reads the lines of a carrier to their end.
fn read(from: ChildStdout, sender: &Sender<io::Result<FromCarrier>>) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    loop {
        line.clear();
        let heard = match (&mut from).take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) if line.last() != Some(&b'\n') => {
                let text = format!("a line is torn, or longer than {LONGEST} bytes");
                Err(io::Error::new(io::ErrorKind::InvalidData, text))
            }
            Ok(_) => serde_json::from_slice(&line).map_err(io::Error::from),
            Err(e) => Err(e),
        };
        let is_over = heard.is_err();
        if sender.send(heard).is_err() || is_over {
            return;
        }
    }
}

/// Whether the games of a sitting can be those of a match of so many entrants with so many seats, if they are known.
pub(super) fn fit(games: &[Played], entrants: usize, seats: Option<usize>) -> bool {
    let Some(first) = games.first() else {
        return false;
    };
    let seats = seats.unwrap_or(first.usage.len());
    games.iter().all(|game| {
        let Played {
            outcome,
            usage,
            plies,
            // Any number may be a hash.
            end: _,
        } = game;
        let longest = Duration::from_secs(MOST_SECONDS);
        (1..=8).contains(&seats)
            && *plies <= MOST_MOVES
            && [outcome.entrants.len(), outcome.places.len()] == [seats; 2]
            && [outcome.points.len(), usage.len()] == [seats; 2]
            && outcome.entrants.iter().all(|&entrant| entrant < entrants)
            && outcome
                .places
                .iter()
                .all(|&place| usize::from(place) < seats)
            && outcome.points.iter().all(|points| points.abs() <= 1e9)
            && usage.iter().all(|usage| {
                usage.moves <= MOST_MOVES
                    && usage.time.max(usage.longest) <= longest
                    && usage.work <= 1 << 53
                    && usage.depth.abs() <= 1e9
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_games_of_a_piece_fit_in_a_line() {
        let minute = Duration::from_mins(1);
        let mut carrier = Carrier::start("cat", "0.1.0", minute).expect("a program");
        (carrier.slots, carrier.pace) = (1, Some(1.0));
        let mut waiting = (0..100_000).collect();
        let losses = HashMap::from([(13_000, ALONE)]);
        let mut next = || carrier.next(&mut waiting, &losses).len();
        assert_eq!(next(), MOST_SITTINGS);
        carrier.games = 20;
        let mut next = || carrier.next(&mut waiting, &losses).len();
        assert_eq!([next(), next(), next(), next()], [2000, 1000, 1, 2000]);
        carrier.games = MOST_GAMES + 1;
        assert_eq!(carrier.next(&mut waiting, &losses).len(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_carrier_that_goes_on_talking_is_ended_with_what_it_has_started() {
        let folder = tempfile::tempdir().expect("a folder");
        let pid = folder.path().join("pid");
        let script = format!(
            "sleep 1000 & echo $! > {0}.new; mv {0}.new {0}; while :; do echo '{{\"slots\":1}}'; sleep 0.1; done",
            pid.display()
        );
        let command = shlex::try_join(["sh", "-c", &script]).expect("words");
        let carrier = Carrier::start(&command, "0.1.0", Duration::from_mins(1));
        let carrier = carrier.expect("a program");
        let began = Instant::now();
        while !pid.exists() {
            assert!(began.elapsed() < Duration::from_mins(1));
            std::thread::sleep(Duration::from_millis(10));
        }
        let started = std::fs::read_to_string(pid).expect("a number");
        let left = Instant::now();
        drop(carrier);
        assert!(left.elapsed() < 2 * LEAVE, "{:?}", left.elapsed());
        let line = || std::fs::read(format!("/proc/{}/cmdline", started.trim()));
        let killed = Instant::now();
        while line().is_ok_and(|line| !line.is_empty()) {
            assert!(killed.elapsed() < Duration::from_secs(5), "it runs on");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
