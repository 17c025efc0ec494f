//! A client of a simulated server, and what it does wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use server::table::Pipe;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::pipe::{End, Open, Served};

/// How long a client stays whose machine has gone without a word, or that waits for nothing.
const STAYS: Duration = Duration::from_secs(100);

/// How long a match goes on without a word, whoever is awaited.
const LONGEST: Duration = Duration::from_secs(20);

/// How soon a client hears something that has said who it is.
const GREETED: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Habit {
    /// All that it should, in pieces of any size.
    Honest,
    /// It leaves before its match has begun.
    Quits,
    Mute,
    /// It says the half of who it is, and nothing more.
    Torn,
    /// It says who it is in bytes of any kind.
    Garbled,
    /// Its connection is closed at some answer, in the middle of it.
    Cut,
    Reset,
    /// From some answer on it neither reads nor writes, and its connection stays.
    Stuck,
    /// From some answer on it says nothing more, and reads on.
    Silent,
    /// Some of its answers come late, or after their time.
    Slow,
    /// Bytes of any kind come before some answers.
    Noisy,
    /// A bit of some answers is another.
    Wrong,
    /// Some answers come twice.
    Double,
    /// It closes its connection at some answer and comes back to its seat.
    Back,
}

impl Habit {
    pub(super) const BAD: [Habit; 13] = [
        Habit::Quits,
        Habit::Mute,
        Habit::Torn,
        Habit::Garbled,
        Habit::Cut,
        Habit::Reset,
        Habit::Stuck,
        Habit::Silent,
        Habit::Slow,
        Habit::Noisy,
        Habit::Wrong,
        Habit::Double,
        Habit::Back,
    ];
}

#[derive(Debug, Default)]
pub(super) struct Hall {
    pub(super) doors: Vec<mpsc::UnboundedSender<Box<dyn Pipe>>>,
    pub(super) open: Open,
    /// Honest ones that have a seat, since when, and no match yet.
    pub(super) waiting: BTreeMap<String, Instant>,
    pub(super) begun: BTreeSet<String>,
    /// Those that have left before their match, and when.
    pub(super) left: BTreeMap<String, Instant>,
    pub(super) honest: BTreeSet<String>,
    /// What an honest one must not be told.
    pub(super) broken: Option<String>,
    pub(super) faults: Vec<Habit>,
    pub(super) heard: usize,
    pub(super) stop: CancellationToken,
}

pub(super) type Shared = Arc<Mutex<Hall>>;

pub(super) fn lock(hall: &Shared) -> MutexGuard<'_, Hall> {
    hall.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
pub(super) struct Gone;

pub(super) struct Visitor {
    pub(super) name: String,
    pub(super) habit: Habit,
    pub(super) rng: Xoshiro256PlusPlus,
    hall: Shared,
    address: SocketAddr,
    port: usize,
    end: Option<End>,
    read: Vec<u8>,
    calm: u32,
    has_said: bool,
    has_begun: bool,
}

impl Visitor {
    /// Comes to a port; `None` once the server is over.
    pub(super) fn come(
        name: String,
        habit: Habit,
        (address, port): (IpAddr, usize),
        mut rng: Xoshiro256PlusPlus,
        hall: &Shared,
    ) -> Option<Visitor> {
        let mut visitor = Visitor {
            name,
            habit,
            hall: hall.clone(),
            address: SocketAddr::new(address, 1),
            port,
            end: None,
            read: Vec::new(),
            calm: rng.random_range(1..30),
            rng,
            has_said: false,
            has_begun: false,
        };
        if habit == Habit::Honest {
            lock(hall).honest.insert(visitor.name.clone());
        }
        visitor.connect().then_some(visitor)
    }

    pub(super) fn connect(&mut self) -> bool {
        let [own, other] = End::both();
        let hall = lock(&self.hall);
        let served = Served::new(other, self.address, &hall.open);
        let Some(door) = hall.doors.get(self.port) else {
            return false;
        };
        let is_there = door.send(Box::new(served)).is_ok();
        drop(hall);
        self.read.clear();
        self.end = Some(own);
        is_there
    }

    pub(super) fn leave(&mut self) {
        self.end = None;
    }

    /// Says that the server did what it must not, if this client was honest.
    pub(super) fn complain(&self, why: &str) {
        if matches!(self.habit, Habit::Honest | Habit::Back) {
            let mut hall = lock(&self.hall);
            let text = format!("{} {:?}: {why}", self.name, self.habit);
            hall.broken.get_or_insert(text);
        }
    }

    pub(super) fn note(&self) {
        lock(&self.hall).faults.push(self.habit);
    }

    /// Whether it is time for its fault, now and then.
    pub(super) fn is_due(&mut self) -> bool {
        self.calm -= 1;
        let is_due = self.calm == 0;
        if is_due {
            self.calm = self.rng.random_range(5..30);
        }
        is_due
    }

    pub(super) async fn say(&mut self, bytes: &[u8]) -> Result<(), Gone> {
        sleep(Duration::from_millis(self.rng.random_range(0..30))).await;
        let is_first = !std::mem::replace(&mut self.has_said, true);
        let half = &bytes[..self.rng.random_range(0..bytes.len())];
        let habit = self.habit;
        match habit {
            Habit::Mute if is_first => return self.stay(true).await,
            Habit::Torn if is_first => {
                self.write(half).await?;
                return self.stay(true).await;
            }
            Habit::Garbled if is_first => {
                self.note();
                return self.write_noise().await;
            }
            _ if is_first => {}
            Habit::Cut | Habit::Reset | Habit::Stuck if self.is_due() => {
                self.write(half).await?;
                match habit {
                    Habit::Stuck => return self.stay(false).await,
                    Habit::Reset => self.end.take().into_iter().for_each(End::reset),
                    _ => self.end = None,
                }
                self.note();
                return Err(Gone);
            }
            Habit::Silent if self.is_due() => return self.stay(true).await,
            Habit::Slow if self.is_due() => {
                self.note();
                sleep(Duration::from_millis(self.rng.random_range(30..4_000))).await;
            }
            Habit::Noisy if self.is_due() => {
                self.note();
                self.write_noise().await?;
            }
            Habit::Wrong if self.is_due() => {
                self.note();
                let mut bytes = bytes.to_vec();
                let which = self.rng.random_range(0..bytes.len());
                bytes[which] ^= 1 << self.rng.random_range(0..8);
                return self.write(&bytes).await;
            }
            Habit::Double if self.is_due() => {
                self.note();
                self.write(bytes).await?;
            }
            _ => {}
        }
        if self.rng.random_bool(0.2) {
            self.write(half).await?;
            sleep(Duration::from_millis(self.rng.random_range(0..5))).await;
            return self.write(&bytes[half.len()..]).await;
        }
        self.write(bytes).await
    }

    async fn write_noise(&mut self) -> Result<(), Gone> {
        let mut noise = vec![0; self.rng.random_range(1..600)];
        self.rng.fill(&mut noise[..]);
        self.write(&noise).await
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), Gone> {
        let end = self.end.as_mut().ok_or(Gone)?;
        end.write(bytes).await.map_err(|_| Gone)
    }

    /// Says nothing more, until the server closes if it is to be heard.
    async fn stay(&mut self, listens: bool) -> Result<(), Gone> {
        self.note();
        let until = Instant::now() + STAYS;
        while listens && self.hear(until).await.is_ok() {}
        if !listens {
            sleep(STAYS).await;
        }
        Err(Gone)
    }

    async fn hear(&mut self, until: Instant) -> Result<(), Gone> {
        let mut space = [0; 1024];
        let end = self.end.as_mut().ok_or(Gone)?;
        let read = tokio::time::timeout_at(until, end.read(&mut space)).await;
        let Ok(Ok(n @ 1..)) = read else {
            return Err(Gone);
        };
        self.read.extend_from_slice(&space[..n]);
        Ok(())
    }

    /// Takes the next message, whose length this knows once all of it is there.
    async fn take(&mut self, whole: impl Fn(&[u8]) -> Option<usize>) -> Result<Vec<u8>, Gone> {
        loop {
            if let Some(n) = whole(&self.read) {
                lock(&self.hall).heard += 1;
                return Ok(self.read.drain(..n).collect());
            }
            // A client without an answer has been forgotten after the longer time.
            let until = Instant::now() + if self.has_begun { LONGEST } else { STAYS };
            let heard = self.hear(until).await;
            if heard.is_err() && Instant::now() >= until && !self.is_stopped() {
                self.complain("its match stands still");
            }
            heard?;
        }
    }

    pub(super) async fn exact(&mut self, n: usize) -> Result<Vec<u8>, Gone> {
        self.take(|read| (read.len() >= n).then_some(n)).await
    }

    /// The next line, without its end.
    pub(super) async fn line(&mut self) -> Result<String, Gone> {
        let end = |read: &[u8]| read.iter().position(|&byte| byte == b'\n');
        let line = self.take(|read| end(read).map(|at| at + 1)).await?;
        Ok(String::from_utf8_lossy(&line)
            .trim_end_matches(['\n', '\r'])
            .to_owned())
    }

    /// The answer to who it is, which comes soon.
    pub(super) async fn greeting<T>(
        &mut self,
        hears: impl AsyncFnOnce(&mut Visitor) -> Result<T, Gone>,
    ) -> Result<T, Gone> {
        let heard = timeout(GREETED, hears(self)).await;
        heard.unwrap_or_else(|_| {
            if !self.is_stopped() {
                self.complain("nobody greets it");
            }
            Err(Gone)
        })
    }

    /// It has a seat: it may leave again.
    pub(super) async fn seated(&mut self) -> Result<(), Gone> {
        if self.habit == Habit::Honest {
            let name = self.name.clone();
            lock(&self.hall).waiting.insert(name, Instant::now());
        }
        if self.habit == Habit::Quits {
            let patience = Duration::from_millis(self.rng.random_range(0..4_000));
            let heard = timeout(patience, self.hear(Instant::now() + STAYS)).await;
            if heard.is_err() {
                self.note();
                self.end = None;
                let name = self.name.clone();
                lock(&self.hall).left.insert(name, Instant::now());
                return Err(Gone);
            }
        }
        Ok(())
    }

    pub(super) fn begins(&mut self) {
        self.has_begun = true;
        let mut hall = lock(&self.hall);
        if hall.waiting.remove(&self.name).is_some() {
            hall.begun.insert(self.name.clone());
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        lock(&self.hall).stop.is_cancelled()
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        lock(&self.hall).waiting.remove(&self.name);
    }
}
