//! The workers of a league: sessions go out in pieces through a carrier, and what comes back goes to the scheduler.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use program::work::{Driver, Piece, Pipes, Reply};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use super::message::{LeagueContest, SessionJob, SessionJobs, WorkLine, plain};
use super::pieces::{Pieces, Update};
use crate::journal::Machine;
use crate::remote::{Readiness, Say};
use crate::runner::{Play, SessionReport};
use crate::schedule::LeagueSeed;
use crate::settings::Settings;
use crate::table_session::{FixtureResult, SessionEnd, SessionOptions, SessionPlan};
use server::number::counted;
use server::table::files::write_whole;

/// Default length of a piece: long enough to make its transport negligible, short enough that a lost machine loses little.
pub const PIECE: Duration = Duration::from_mins(1);

/// Number of failures (lost pieces, or pieces with unreadable lines) that the log names one by one.
const MOST_NAMED: u32 = 20;

/// Number of machines that the log names.
const MOST_MACHINES: usize = 10_000;

pub struct Workers {
    settings: Settings,
    /// The programs of the project that workers must have, by name, with their versions.
    pub(crate) programs: BTreeMap<String, String>,
    state: Mutex<State>,
    /// Wakes the sender: a piece may be ready.
    work: Notify,
    room: Notify,
    /// Held by the session whose record is written.
    writing: tokio::sync::Mutex<()>,
    /// Cancelled by the wish to finish, and by the end of the carrier.
    finish: CancellationToken,
    say: Say,
}

struct State {
    pieces: Pieces,
    sessions: HashMap<u64, mpsc::UnboundedSender<Update>>,
    /// Machines that have played, and those among them that the journal does not name yet.
    machines: Vec<Machine>,
    joined: Vec<Machine>,
    /// Number of lost pieces and of pieces with unreadable lines.
    lost: u32,
    odd: u32,
    /// Why the carrier has ended, once it has.
    over: Option<String>,
}

impl Workers {
    /// Workers of a league, whose pieces take about so long. `finish` is cancelled when their carrier ends.
    pub fn new(
        settings: Settings,
        length: Duration,
        finish: CancellationToken,
        say: Say,
    ) -> Workers {
        let state = State {
            pieces: Pieces::new(length),
            sessions: HashMap::new(),
            machines: Vec::new(),
            joined: Vec::new(),
            lost: 0,
            odd: 0,
            over: None,
        };
        Workers {
            settings,
            programs: BTreeMap::new(),
            state: Mutex::new(state),
            work: Notify::new(),
            room: Notify::new(),
            writing: tokio::sync::Mutex::new(()),
            finish,
            say,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn over(&self) -> Option<String> {
        self.state().over.clone()
    }

    /// Exchanges lines with a carrier until it ends. Fixtures of pieces that are still out stay unplayed.
    pub async fn carry(
        &self,
        mut pipes: Pipes<impl AsyncRead + Send + Unpin, impl AsyncWrite + Send + Unpin>,
    ) {
        let ended = pipes.exchange(self).await;
        let mut state = self.state();
        state.over = Some(ended.to_string());
        // Closing the channels tells the sessions that no result follows.
        state.sessions.clear();
        drop(state);
        // A caller that sees the cancellation finds the reason in `over`.
        self.finish.cancel();
    }

    /// Takes a session; gives its number and where its updates come, unless the carrier has ended.
    fn add(&self, job: SessionJob) -> Option<(Ticket<'_>, mpsc::UnboundedReceiver<Update>)> {
        let (sender, updates) = mpsc::unbounded_channel();
        let mut state = self.state();
        if state.over.is_some() {
            return None;
        }
        let number = state.pieces.queue.add(job);
        state.sessions.insert(number, sender);
        drop(state);
        self.work.notify_one();
        let workers = self;
        Some((Ticket { workers, number }, updates))
    }
}

impl Driver for Workers {
    type Contest = LeagueContest;
    type Work = SessionJobs;
    type Line = WorkLine;

    fn contest(&self) -> LeagueContest {
        LeagueContest {
            // A worker must not learn the deals of other fixtures.
            league: Box::new(Settings {
                seed: LeagueSeed::Number(0),
                ..self.settings.clone()
            }),
            programs: self.programs.clone(),
        }
    }

    /// The next piece; `None` after the wish to finish.
    fn next(&self) -> Option<Piece<SessionJobs>> {
        if self.finish.is_cancelled() {
            return None;
        }
        let mut state = self.state();
        let (piece, ended) = state.pieces.next();
        state.update(ended);
        piece
    }

    fn woken(&self) -> impl Future<Output = ()> + Send {
        self.work.notified()
    }

    fn take(&self, reply: Reply<WorkLine>) {
        let mut state = self.state();
        let updates = match reply {
            Reply::Slots { slots } => {
                state.pieces.queue.set_slots(slots);
                Vec::new()
            }
            Reply::Over { piece, ms, lines } => {
                let result = state.pieces.over(piece, ms, lines, &self.settings);
                if let Some(machine) = result.machine
                    && state.machines.len() < MOST_MACHINES
                    && !state.machines.contains(&machine)
                {
                    state.machines.push(machine.clone());
                    state.joined.push(machine);
                }
                if result.odd > 0 {
                    state.odd += 1;
                    if let Some(more) = more(state.odd) {
                        let lines = counted(result.odd as u64, "line");
                        (self.say)(format!(
                            "piece {piece} has {lines} that no fixture of it can have; they do not count{more}"
                        ));
                    }
                }
                result.updates
            }
            Reply::Lost { piece, lost } => {
                state.lost += 1;
                if let Some(more) = more(state.lost) {
                    let lost = plain(&lost);
                    (self.say)(format!(
                        "piece {piece} is lost, and given to another worker: {lost}{more}"
                    ));
                }
                state.pieces.lost(piece, &lost)
            }
        };
        state.update(updates);
        drop(state);
        self.work.notify_one();
        self.room.notify_one();
    }
}

impl State {
    fn update(&mut self, updates: Vec<(u64, Update)>) {
        for (number, update) in updates {
            let is_end = matches!(update, Update::Ended(..));
            if let Some(session) = self.sessions.get(&number) {
                // A stopped session has dropped its receiver.
                let _ = session.send(update);
            }
            if is_end {
                self.sessions.remove(&number);
            }
        }
    }
}

/// The end of a log line: empty, a note after the last line that is logged, `None` for later ones.
const fn more(number: u32) -> Option<&'static str> {
    match number {
        ..MOST_NAMED => Some(""),
        MOST_NAMED => Some("; of more nothing is said"),
        _ => None,
    }
}

/// A session that is not over. Dropping this removes it.
struct Ticket<'a> {
    workers: &'a Workers,
    number: u64,
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let mut state = self.workers.state();
        state.pieces.queue.remove(self.number);
        state.sessions.remove(&self.number);
    }
}

impl Play for Workers {
    type Guests = ();

    fn call(&self, plan: &SessionPlan, _: &BTreeSet<usize>) -> Readiness<()> {
        // All entrants of this session are excluded: no program would start.
        if self.state().pieces.is_empty(&plan.players) {
            Readiness::Lost
        } else {
            Readiness::Ready(())
        }
    }

    fn tables(&self) -> Option<usize> {
        Some(self.state().pieces.queue.wanted())
    }

    fn joined(&self) -> Vec<Machine> {
        std::mem::take(&mut self.state().joined)
    }

    async fn arrival(&self) {
        self.room.notified().await;
    }

    fn leave_out(&self, out: &BTreeSet<usize>) {
        self.state().pieces.exclude(out);
        self.work.notify_one();
    }

    async fn play(
        &self,
        plan: SessionPlan,
        (): (),
        options: SessionOptions,
        on_done: &mut (dyn FnMut(FixtureResult) + Send),
    ) -> SessionReport {
        let job = SessionJob::of(&self.settings, &plan);
        let Some((ticket, mut updates)) = self.add(job) else {
            return SessionEnd::Whole.into();
        };
        let mut is_asked = false;
        let folder = plan.record.as_deref().and_then(Path::parent);
        // Names of records here, by those on the worker's machine.
        let mut names = HashMap::new();
        loop {
            tokio::select! {
                biased;
                update = updates.recv() => match update {
                    Some(Update::Record(name, text)) => {
                        let written = async {
                            let folder = folder.ok_or("no folder")?;
                            let _turn = self.writing.lock().await;
                            write_whole(folder, &name, &text).await
                        };
                        let written = tokio::select! {
                            written = written => written,
                            () = options.stop.cancelled() => Err("it was stopped".to_owned()),
                        };
                        match written {
                            Ok(own) => _ = names.insert(name, own),
                            Err(why) => {
                                let why = format!("its record {name} is lost: {why}");
                                return SessionEnd::Void(why).into();
                            }
                        }
                    }
                    Some(Update::Done(mut done)) => {
                        if let Some(record) = &mut done.record
                            && let Some(own) = names.get(&record.file)
                        {
                            record.file.clone_from(own);
                        }
                        on_done(done);
                    }
                    Some(Update::Ended(ended, said)) => return SessionReport { said, ..ended.into() },
                    // The carrier has ended, and the league with it.
                    None => return SessionEnd::Whole.into(),
                },
                () = options.stop.cancelled() => {
                    return SessionEnd::stopped().into();
                }
                () = options.finish.cancelled(), if !is_asked => {
                    is_asked = true;
                    if !self.state().pieces.queue.finish(ticket.number) {
                        return SessionEnd::Whole.into();
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use program::work::LONGEST_LINE;
    use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

    use super::*;
    use crate::testing::settings;

    fn plan(settings: &Settings) -> SessionPlan {
        SessionPlan {
            fixtures: settings.plan().block(0, &[0, 1], 0),
            players: vec![0, 1],
            record: None,
            seeds: Vec::new(),
        }
    }

    async fn piece(from: &mut (impl AsyncBufRead + Unpin)) -> u64 {
        let mut line = String::new();
        from.read_line(&mut line).await.unwrap();
        let piece: Piece<SessionJobs> = serde_json::from_str(&line).unwrap();
        piece.piece
    }

    #[tokio::test]
    async fn odd_lines_of_a_worker_end_no_league_and_those_of_a_carrier_do() {
        let settings = settings();
        let finish = CancellationToken::new();
        let told = Arc::new(Mutex::new(Vec::new()));
        let all = Arc::clone(&told);
        let say: Say = Arc::new(move |text| {
            all.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(text);
        });
        let workers = Workers::new(settings.clone(), PIECE, finish.clone(), say);
        let workers = Arc::new(workers);
        let (here, there) = tokio::io::duplex(1 << 16);
        let carrying = Arc::clone(&workers);
        let carrying = tokio::spawn(async move {
            let (from, to) = tokio::io::split(here);
            carrying.carry(Pipes::new(from, to)).await;
        });
        let playing = (Arc::clone(&workers), plan(&settings));
        let playing = tokio::spawn(async move {
            let (workers, plan) = playing;
            workers
                .play(plan, (), SessionOptions::default(), &mut |_| {})
                .await
        });
        let (from, mut to) = tokio::io::split(there);
        let mut from = BufReader::new(from);
        from.read_line(&mut String::new()).await.unwrap();
        to.write_all(b"{\"slots\":1}\n").await.unwrap();
        for (number, lines) in ["[7]", "[1e999]"].into_iter().enumerate() {
            assert_eq!(piece(&mut from).await, number as u64);
            let line = format!("{{\"piece\":{number},\"ms\":1,\"lines\":{lines}}}\n");
            to.write_all(line.as_bytes()).await.unwrap();
        }
        assert_eq!(piece(&mut from).await, 2);
        // A line that is too long loses its piece alone, and after two losses its session is a piece of its own.
        to.write_all(b"{\"piece\": 2, \"ms\":1,\"lines\":[\"")
            .await
            .unwrap();
        let long = vec![b'x'; 1 << 20];
        for _ in 0..=LONGEST_LINE >> 20 {
            to.write_all(&long).await.unwrap();
        }
        to.write_all(b"\"]}\n").await.unwrap();
        assert_eq!(piece(&mut from).await, 3);
        assert_eq!(workers.over(), None);
        to.write_all(b"oh\n").await.unwrap();
        finish.cancelled().await;
        assert!(workers.over().is_some());
        carrying.await.unwrap();
        assert_eq!(playing.await.unwrap().ended, SessionEnd::Whole);
        let told = told.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(told[0].starts_with("piece 0 has 1 line"), "{told:?}");
        assert!(told[1].contains("cannot be read"), "{told:?}");
        assert!(told[2].contains("its line is longer"), "{told:?}");
    }

    #[tokio::test]
    async fn a_session_that_nobody_plays_is_lost_and_one_that_waits_is_called_again() {
        let settings = settings();
        let workers = Workers::new(
            settings.clone(),
            PIECE,
            CancellationToken::new(),
            Arc::new(|_| {}),
        );
        let plan = plan(&settings);
        assert!(matches!(
            workers.call(&plan, &BTreeSet::new()),
            Readiness::Ready(())
        ));
        workers.take(Reply::Slots { slots: 1 });
        let mut on_done = |_| {};
        let playing = workers.play(plan.clone(), (), SessionOptions::default(), &mut on_done);
        let leaving = async {
            workers.leave_out(&BTreeSet::from([0]));
            assert!(matches!(
                workers.call(&plan, &BTreeSet::new()),
                Readiness::Ready(())
            ));
            workers.leave_out(&BTreeSet::from([0, 1]));
            assert!(matches!(
                workers.call(&plan, &BTreeSet::new()),
                Readiness::Lost
            ));
            assert_eq!(Driver::next(&workers), None);
        };
        let (played, ()) = tokio::join!(playing, leaving);
        assert_eq!(played.ended, SessionEnd::Absent);
    }
}
