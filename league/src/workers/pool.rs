//! The workers of a league: sittings go out in pieces through a carrier, and what comes back goes to the scheduler.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite,
    AsyncWriteExt as _, BufReader,
};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use super::bounds::{LONGEST, piece_of, plain, skip_line};
use super::message::{FromCarrier, PieceSitting, ToCarrier};
use super::pieces::{Pieces, Word};
use crate::journal::Machine;
use crate::remote::{Readiness, Say};
use crate::result::number::counted;
use crate::runner::{Play, SessionReport};
use crate::schedule::LeagueSeed;
use crate::settings::Settings;
use crate::table_session::{SessionEnd, SessionOptions, SessionPlan};
use server::table::files::write_whole;

/// Default length of a piece: long enough to make its transport negligible, short enough that a lost machine loses little.
pub const PIECE: Duration = Duration::from_mins(1);

/// Number of failures (lost pieces, or pieces with unreadable lines) that the log names one by one.
const MOST_TOLD: u32 = 20;

/// Number of machines that the log names.
const MOST_MACHINES: usize = 10_000;

/// Plays the sittings of a league by workers.
pub struct Workers {
    settings: Settings,
    /// The programs of the project that workers must have, by name, with their versions.
    programs: BTreeMap<String, String>,
    state: Mutex<State>,
    /// Wakes the sender: a piece may be ready.
    work: Notify,
    room: Notify,
    /// Held by the sitting whose record is written.
    writing: tokio::sync::Mutex<()>,
    /// Cancelled by the wish to finish, and by the end of the carrier.
    finish: CancellationToken,
    say: Say,
}

struct State {
    pieces: Pieces,
    sittings: HashMap<u64, mpsc::UnboundedSender<Word>>,
    /// Machines that have played, and those among them that the journal does not name yet.
    machines: Vec<Machine>,
    joined: Vec<Machine>,
    /// Number of lost pieces and of pieces with unreadable lines.
    lost: u32,
    odd: u32,
    /// Why the carrier has ended, once it has.
    over: Option<String>,
}

/// What is read of a line of the carrier that cannot be read as a whole.
#[derive(Deserialize)]
struct OfPiece {
    piece: u64,
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
            sittings: HashMap::new(),
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

    /// The same, where each worker must have these programs of the project, by name, in these versions.
    #[must_use]
    pub fn with_programs(self, programs: BTreeMap<String, String>) -> Workers {
        Workers { programs, ..self }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why the carrier has ended, if it has.
    pub fn over(&self) -> Option<String> {
        self.state().over.clone()
    }

    /// Exchanges lines with a carrier until it ends. Fixtures of pieces that are still out stay unplayed.
    pub async fn carry(
        &self,
        from: impl AsyncRead + Send + Unpin,
        to: impl AsyncWrite + Send + Unpin,
    ) {
        let ended = tokio::select! {
            ended = self.read(BufReader::new(from)) => ended,
            ended = self.write(to) => ended,
        };
        let mut state = self.state();
        state.over = Some(ended.to_string());
        // Closing the channels tells the sittings that no result follows.
        state.sittings.clear();
        drop(state);
        // A caller that sees the cancellation finds the reason in `over`.
        self.finish.cancel();
    }

    /// Sends pieces; gives why no more can be sent.
    async fn write(&self, mut to: impl AsyncWrite + Unpin) -> io::Error {
        let league = ToCarrier::League {
            // A worker must not learn the deals of other fixtures.
            league: Box::new(Settings {
                seed: LeagueSeed::Number(0),
                ..self.settings.clone()
            }),
            programs: self.programs.clone(),
        };
        let mut next = Some(league);
        loop {
            while let Some(message) = next {
                let written = async {
                    let mut line = serde_json::to_vec(&message)?;
                    line.push(b'\n');
                    to.write_all(&line).await?;
                    to.flush().await
                };
                if let Err(e) = written.await {
                    return e;
                }
                next = self.next();
            }
            self.work.notified().await;
            next = self.next();
        }
    }

    /// The next piece; `None` after the wish to finish.
    fn next(&self) -> Option<ToCarrier> {
        if self.finish.is_cancelled() {
            return None;
        }
        let mut state = self.state();
        let piece = state.pieces.next();
        let empty = state.pieces.empty();
        state.tell(empty);
        piece.map(ToCarrier::Piece)
    }

    /// Reads what comes back; gives why no more does.
    async fn read(&self, mut from: impl AsyncBufRead + Unpin) -> io::Error {
        let mut line = Vec::new();
        loop {
            line.clear();
            let mut bounded = (&mut from).take(LONGEST);
            match bounded.read_until(b'\n', &mut line).await {
                Ok(0) => return io::ErrorKind::UnexpectedEof.into(),
                Ok(_) if line.last() != Some(&b'\n') => {
                    let text = format!("a line is torn, or longer than {LONGEST} bytes");
                    let text = io::Error::new(io::ErrorKind::InvalidData, text);
                    match (piece_of(&line), skip_line(&mut from).await) {
                        // A piece of fewer sittings has a shorter one.
                        (Some(piece), Ok(true)) => {
                            let lost = format!("its line is longer than {LONGEST} bytes");
                            self.hear(FromCarrier::Lost { piece, lost });
                            continue;
                        }
                        (_, Err(e)) => return e,
                        _ => return text,
                    }
                }
                Ok(_) => {}
                Err(e) => return e,
            }
            match serde_json::from_slice(&line) {
                Ok(message) => self.hear(message),
                // The fault may be that of one worker; another one can play the piece.
                Err(e) => match serde_json::from_slice(&line) {
                    Ok(OfPiece { piece }) => self.hear(FromCarrier::Lost {
                        piece,
                        lost: format!("what came of it cannot be read: {e}"),
                    }),
                    Err(_) => return io::Error::new(io::ErrorKind::InvalidData, e),
                },
            }
        }
    }

    fn hear(&self, message: FromCarrier) {
        let mut state = self.state();
        let words = match message {
            FromCarrier::Slots { slots } => {
                state.pieces.set_slots(slots);
                Vec::new()
            }
            FromCarrier::Over { piece, ms, lines } => {
                let harvest = state.pieces.over(piece, ms, lines, &self.settings);
                if let Some(machine) = harvest.machine
                    && state.machines.len() < MOST_MACHINES
                    && !state.machines.contains(&machine)
                {
                    state.machines.push(machine.clone());
                    state.joined.push(machine);
                }
                if harvest.odd > 0 {
                    state.odd += 1;
                    if let Some(more) = more(state.odd) {
                        let lines = counted(harvest.odd as u64, "line");
                        (self.say)(format!(
                            "piece {piece} has {lines} that no fixture of it can have; they do not count{more}"
                        ));
                    }
                }
                harvest.words
            }
            FromCarrier::Lost { piece, lost } => {
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
        state.tell(words);
        drop(state);
        self.work.notify_one();
        self.room.notify_one();
    }

    /// Takes a sitting; gives its number and where its words come, unless the carrier has ended.
    fn add(&self, sitting: PieceSitting) -> Option<(Ticket<'_>, mpsc::UnboundedReceiver<Word>)> {
        let (sender, words) = mpsc::unbounded_channel();
        let mut state = self.state();
        if state.over.is_some() {
            return None;
        }
        let number = state.pieces.add(sitting);
        state.sittings.insert(number, sender);
        drop(state);
        self.work.notify_one();
        let workers = self;
        Some((Ticket { workers, number }, words))
    }
}

impl State {
    fn tell(&mut self, words: Vec<(u64, Word)>) {
        for (number, word) in words {
            let is_end = matches!(word, Word::Ended(..));
            if let Some(sitting) = self.sittings.get(&number) {
                // A stopped sitting has dropped its receiver.
                let _ = sitting.send(word);
            }
            if is_end {
                self.sittings.remove(&number);
            }
        }
    }
}

/// The end of a log line: empty, a note after the last line that is logged, `None` for later ones.
const fn more(number: u32) -> Option<&'static str> {
    match number {
        ..MOST_TOLD => Some(""),
        MOST_TOLD => Some("; of more nothing is said"),
        _ => None,
    }
}

/// A sitting that is not over. Dropped, it is forgotten.
struct Ticket<'a> {
    workers: &'a Workers,
    number: u64,
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let mut state = self.workers.state();
        state.pieces.forget(self.number);
        state.sittings.remove(&self.number);
    }
}

impl Play for Workers {
    type Guests = ();

    fn call(&self, plan: &SessionPlan, _: &BTreeSet<usize>) -> Readiness<()> {
        // All entrants of this sitting are left out: no program would start.
        if self.state().pieces.is_empty(&plan.players) {
            Readiness::Lost
        } else {
            Readiness::Ready(())
        }
    }

    fn tables(&self) -> Option<usize> {
        Some(self.state().pieces.wanted())
    }

    fn joined(&self) -> Vec<Machine> {
        std::mem::take(&mut self.state().joined)
    }

    async fn arrival(&self) {
        self.room.notified().await;
    }

    fn leave_out(&self, out: &BTreeSet<usize>) {
        self.state().pieces.leave_out(out);
        self.work.notify_one();
    }

    async fn play(
        &self,
        plan: SessionPlan,
        (): (),
        options: SessionOptions,
        on_done: &mut (dyn FnMut(crate::table_session::FixtureResult) + Send),
    ) -> SessionReport {
        let silent = |ended| SessionReport {
            ended,
            said: String::new(),
            missed: None,
        };
        let sitting = PieceSitting::of(&self.settings, &plan);
        let Some((ticket, mut words)) = self.add(sitting) else {
            return silent(SessionEnd::Whole);
        };
        let mut is_asked = false;
        let folder = plan.record.as_deref().and_then(Path::parent);
        // Names of records here, by those on the worker's machine.
        let mut names = HashMap::new();
        loop {
            tokio::select! {
                biased;
                word = words.recv() => match word {
                    Some(Word::Record(name, text)) => {
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
                                return silent(SessionEnd::Void(why));
                            }
                        }
                    }
                    Some(Word::Done(mut done)) => {
                        if let Some(record) = &mut done.record
                            && let Some(own) = names.get(&record.file)
                        {
                            record.file.clone_from(own);
                        }
                        on_done(done);
                    }
                    Some(Word::Ended(ended, said)) => return SessionReport { ended, said, missed: None },
                    // The carrier has ended, and the league with it.
                    None => return silent(SessionEnd::Whole),
                },
                () = options.stop.cancelled() => {
                    return silent(SessionEnd::Void("it was stopped".to_owned()));
                }
                () = options.finish.cancelled(), if !is_asked => {
                    is_asked = true;
                    if !self.state().pieces.finish(ticket.number) {
                        return silent(SessionEnd::Whole);
                    }
                }
            }
        }
    }
}

impl std::fmt::Debug for Workers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workers").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

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
        serde_json::from_str::<OfPiece>(&line).unwrap().piece
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
            carrying.carry(from, to).await;
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
        // A line that is too long loses its piece alone, and after two losses its sitting is a piece of its own.
        to.write_all(b"{\"piece\": 2, \"ms\":1,\"lines\":[\"")
            .await
            .unwrap();
        let long = vec![b'x'; 1 << 20];
        for _ in 0..=LONGEST >> 20 {
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
    async fn a_sitting_that_nobody_plays_is_lost_and_one_in_wait_is_called_anew() {
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
        workers.hear(FromCarrier::Slots { slots: 1 });
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
            assert_eq!(workers.next(), None);
        };
        let (sat, ()) = tokio::join!(playing, leaving);
        assert_eq!(sat.ended, SessionEnd::Absent);
    }
}
