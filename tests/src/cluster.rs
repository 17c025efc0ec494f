//! A cluster of machines in virtual time, at the other end of the pipes of a league that plays by workers: machines of unlike
//! speed that vanish and come back. What games come to follows from their deals.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::time::Duration;

use league::journal::{Game, Host, Machine, Played};
use league::schedule::Fixture;
use league::workers::{FromCarrier, Piece, ToCarrier, WorkLine};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, Lines,
};
use tokio::time::{Instant, sleep_until};

#[derive(Clone, Copy, Debug)]
pub struct Cluster {
    pub machines: usize,
    pub tables: usize,
    /// How much slower than the fastest the slowest machine is, in percent.
    pub slower: u32,
    /// Mean time of a game on the fastest.
    pub game: Duration,
    /// What a worker takes before its first game.
    pub start: Duration,
    /// Mean time until a machine vanishes, if any does.
    pub life: Option<Duration>,
    pub notice: Duration,
    /// Time from then on until it is back.
    pub repair: Duration,
    /// Of a hundred pieces so many come twice, or are said to be lost and come after all.
    pub strange: u32,
    /// Machines on which nothing can be played; they say so at once.
    pub sick: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    pub pieces: u64,
    /// Pieces that were lost with their machines.
    pub lost: u64,
    pub fixtures: u64,
    /// Seconds of tables in which fixtures were played whose lines came back.
    pub used: f64,
    /// Seconds of tables of machines that were there.
    pub had: f64,
    /// Bytes to the cluster and from it.
    pub bytes: [u64; 2],
}

/// A game that follows from its fixture.
pub fn game(fixture: &Fixture) -> Game {
    let seats = fixture.seats.len();
    let luck = fixture.deal.seed() as usize >> 7;
    let place = |seat: usize| ((seat + luck) % seats) as u8;
    Game {
        places: (0..seats).map(place).collect(),
        points: (0..seats).map(|seat| f64::from(1 - place(seat))).collect(),
        moves: vec![1; seats],
        used: vec![1; seats],
        slowest: vec![1; seats],
        ..Game::default()
    }
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Over(u64),
    /// A machine vanishes, that is noticed, and it is back.
    Gone(usize),
    Noticed(usize, Vec<u64>),
    Back(usize),
}

struct Running {
    machine: usize,
    ms: u64,
    lines: Vec<WorkLine>,
    fixtures: u64,
}

struct State<W> {
    cluster: Cluster,
    rng: Xoshiro256PlusPlus,
    events: BinaryHeap<Reverse<(Instant, Event)>>,
    there: Vec<Option<Instant>>,
    /// A machine for each table that is free.
    free: Vec<usize>,
    queue: VecDeque<Piece>,
    running: BTreeMap<u64, Running>,
    to: W,
    work: Work,
}

impl Cluster {
    /// Carries until its input ends; gives what was done.
    pub async fn carry(
        self,
        from: impl AsyncRead + Unpin,
        to: impl AsyncWrite + Unpin,
        seed: u64,
    ) -> Work {
        let now = Instant::now();
        let mut state = State {
            cluster: self,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            events: BinaryHeap::new(),
            there: vec![Some(now); self.machines],
            free: Vec::new(),
            queue: VecDeque::new(),
            running: BTreeMap::new(),
            to,
            work: Work::default(),
        };
        for machine in 0..self.machines {
            state.free.extend((0..self.tables).map(|_| machine));
            state.live(machine);
        }
        let mut lines = BufReader::new(from).lines();
        state.slots().await;
        while state.step(&mut lines).await {}
        let end = Instant::now();
        for since in state.there.into_iter().flatten() {
            let had = end.duration_since(since).as_secs_f64();
            state.work.had += had * self.tables as f64;
        }
        state.work
    }

    /// What of the fastest machine's speed this one has.
    fn speed(&self, machine: usize) -> f64 {
        let share = machine as f64 / self.machines.max(1) as f64;
        1.0 - f64::from(self.slower) / 100.0 * share
    }
}

impl<W: AsyncWrite + Unpin> State<W> {
    /// Takes a line or an event; gives whether there is more.
    async fn step<R: AsyncRead + Unpin>(&mut self, lines: &mut Lines<BufReader<R>>) -> bool {
        let next = self.events.peek().map(|Reverse((at, _))| *at);
        let at = next.unwrap_or_else(|| Instant::now() + Duration::from_hours(1));
        tokio::select! {
            biased;
            line = lines.next_line() => {
                let Ok(Some(line)) = line else { return false };
                self.work.bytes[0] += line.len() as u64 + 1;
                let message = serde_json::from_str(&line).expect("a message");
                if let ToCarrier::Piece(piece) = message {
                    self.queue.push_back(piece);
                    self.begin();
                }
            }
            () = sleep_until(at) => {
                if next.is_some() && let Some(Reverse((_, event))) = self.events.pop() {
                    self.happen(event).await;
                }
            }
        }
        true
    }

    fn at(&mut self, after: Duration, event: Event) {
        self.events.push(Reverse((Instant::now() + after, event)));
    }

    fn live(&mut self, machine: usize) {
        if let Some(life) = self.cluster.life {
            // The time to a failure that does not depend on what was before.
            let share: f64 = self.rng.random_range(1e-9..1.0);
            let life = life.mul_f64(-share.ln());
            self.at(life, Event::Gone(machine));
        }
    }

    /// Pieces that wait go to tables that are free.
    fn begin(&mut self) {
        while !self.queue.is_empty()
            && let Some(machine) = self.free.pop()
        {
            let piece = self.queue.pop_front().expect("it is not empty");
            let name = format!("m{machine}");
            let fixtures = piece.sittings.iter().flat_map(|sitting| &sitting.fixtures);
            let mut lines = vec![WorkLine::Joined {
                begun: "2020-01-01T00:00:00Z".to_owned(),
                joined: Machine {
                    name: name.clone(),
                    host: Host {
                        program: "simulated".to_owned(),
                        machine: "simulated".to_owned(),
                    },
                },
            }];
            let mut time = self.cluster.start;
            let is_sick = machine < self.cluster.sick;
            if is_sick {
                let firsts = piece
                    .sittings
                    .iter()
                    .filter_map(|sitting| sitting.fixtures.first());
                lines.extend(firsts.map(|first| WorkLine::Void {
                    key: first.fixture.key,
                    void: "no bot is here".to_owned(),
                    said: String::new(),
                }));
            }
            for one in fixtures.filter(|_| !is_sick) {
                let share = 0.5 + (one.fixture.deal.seed() % 1000) as f64 / 1000.0;
                let took = self
                    .cluster
                    .game
                    .mul_f64(share / self.cluster.speed(machine));
                time += took;
                lines.push(WorkLine::Played(Played {
                    key: one.fixture.key,
                    seats: one.fixture.seats.clone(),
                    ms: took.as_millis() as u64,
                    games: vec![game(&one.fixture)],
                    record: None,
                    host: Some(name.clone()),
                }));
            }
            let running = Running {
                machine,
                ms: time.as_millis() as u64,
                fixtures: if is_sick { 0 } else { lines.len() as u64 - 1 },
                lines,
            };
            self.work.pieces += 1;
            self.at(time, Event::Over(piece.piece));
            self.running.insert(piece.piece, running);
        }
    }

    async fn happen(&mut self, event: Event) {
        match event {
            Event::Over(piece) => {
                // Its machine may have vanished before.
                let Some(running) = self.running.remove(&piece) else {
                    return;
                };
                self.free.push(running.machine);
                self.work.fixtures += running.fixtures;
                let start = self.cluster.start.as_secs_f64();
                self.work.used += running.ms as f64 / 1000.0 - start;
                let (ms, lines) = (running.ms, running.lines);
                if self.rng.random_range(0..100) < self.cluster.strange {
                    if self.rng.random_bool(0.5) {
                        let lost = "it seemed so".to_owned();
                        self.say(FromCarrier::Lost { piece, lost }).await;
                    } else {
                        let lines = lines.clone();
                        self.say(FromCarrier::Over { piece, ms, lines }).await;
                    }
                }
                self.say(FromCarrier::Over { piece, ms, lines }).await;
            }
            Event::Gone(machine) => {
                let (cluster, now) = (self.cluster, Instant::now());
                if let Some(since) = self.there[machine].take() {
                    let had = now.duration_since(since).as_secs_f64();
                    self.work.had += had * cluster.tables as f64;
                }
                self.free.retain(|&free| free != machine);
                let all = self.running.iter();
                let lost = all.filter(|(_, running)| running.machine == machine);
                let lost: Vec<u64> = lost.map(|(&piece, _)| piece).collect();
                for piece in &lost {
                    self.running.remove(piece);
                }
                self.at(cluster.notice, Event::Noticed(machine, lost));
                self.at(cluster.notice + cluster.repair, Event::Back(machine));
            }
            Event::Noticed(machine, pieces) => {
                self.slots().await;
                for piece in pieces {
                    self.work.lost += 1;
                    let lost = format!("machine m{machine} has vanished");
                    self.say(FromCarrier::Lost { piece, lost }).await;
                }
            }
            Event::Back(machine) => {
                self.there[machine] = Some(Instant::now());
                let tables = self.cluster.tables;
                self.free.extend((0..tables).map(|_| machine));
                self.live(machine);
                self.slots().await;
            }
        }
        self.begin();
    }

    async fn slots(&mut self) {
        let there = self.there.iter().flatten().count();
        let slots = there * self.cluster.tables;
        self.say(FromCarrier::Slots { slots }).await;
    }

    async fn say(&mut self, message: FromCarrier) {
        let mut line = serde_json::to_vec(&message).expect("a message");
        line.push(b'\n');
        self.work.bytes[1] += line.len() as u64;
        // The league may have been killed.
        let _ = self.to.write_all(&line).await;
    }
}
