//! The end of the league: sittings go out in pieces through a carrier, and what comes back goes to the scheduler.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite,
    AsyncWriteExt as _, BufReader,
};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use super::message::{FromCarrier, PieceSitting, ToCarrier};
use super::pieces::{Pieces, Word};
use crate::league::foyer::Say;
use crate::league::journal::Machine;
use crate::league::runner::{Play, Sat};
use crate::league::schedule::LeagueSeed;
use crate::league::settings::Settings;
use crate::league::sitting::{Ended, SittingPlan, Wishes};

/// What a piece takes, unless it is said otherwise: long enough that its way counts for nothing, and short enough that little
/// is lost with a machine.
pub const PIECE: Duration = Duration::from_mins(1);

/// Longest line from a carrier, in bytes.
const LONGEST: u64 = 64 << 20;

/// Lost pieces that are told of one by one.
const MOST_TOLD: u32 = 20;

/// Plays the sittings of a league by workers.
pub struct Workers {
    settings: Settings,
    state: Mutex<State>,
    /// Something may go out.
    work: Notify,
    /// More sittings may be played.
    room: Notify,
    /// The wish to finish, which the end of the carrier is as well.
    finish: CancellationToken,
    say: Say,
}

/// What is known of the workers.
struct State {
    pieces: Pieces,
    /// Where the words of each sitting go.
    sittings: HashMap<u64, mpsc::UnboundedSender<Word>>,
    /// Machines that have played, and those of them that were not told of yet.
    machines: Vec<Machine>,
    joined: Vec<Machine>,
    /// Entrants whose programs are not started.
    out: BTreeSet<usize>,
    /// Pieces that were lost.
    lost: u32,
    /// Whether the carrier has ended.
    is_over: bool,
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
            out: BTreeSet::new(),
            lost: 0,
            is_over: false,
        };
        Workers {
            settings,
            state: Mutex::new(state),
            work: Notify::new(),
            room: Notify::new(),
            finish,
            say,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Speaks with a carrier until it ends; gives why it has. What its pieces have not brought back is left then.
    pub async fn carry(
        &self,
        from: impl AsyncRead + Send + Unpin,
        to: impl AsyncWrite + Send + Unpin,
    ) -> io::Error {
        let ended = tokio::select! {
            ended = self.read(BufReader::new(from)) => ended,
            ended = self.write(to) => ended,
        };
        self.finish.cancel();
        let mut state = self.state();
        state.is_over = true;
        // Their sittings hear that nothing more comes.
        state.sittings.clear();
        ended
    }

    /// Sends pieces; gives why no more can be sent.
    async fn write(&self, mut to: impl AsyncWrite + Unpin) -> io::Error {
        let league = ToCarrier::League {
            // The deals of other fixtures are no worker's business.
            league: Box::new(Settings {
                seed: LeagueSeed::Number(0),
                ..self.settings.clone()
            }),
            draws: self.settings.draws,
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

    /// The next piece.
    fn next(&self) -> Option<ToCarrier> {
        let mut state = self.state();
        let mut piece = state.pieces.next()?;
        for sitting in &mut piece.sittings {
            sitting.out.clone_from(&state.out);
            let players = &sitting.players;
            sitting.out.retain(|entrant| players.contains(entrant));
        }
        Some(ToCarrier::Piece(piece))
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
                    return io::Error::new(io::ErrorKind::InvalidData, text);
                }
                Ok(_) => {}
                Err(e) => return e,
            }
            match serde_json::from_slice(&line) {
                Ok(message) => self.hear(message),
                Err(e) => return io::Error::new(io::ErrorKind::InvalidData, e),
            }
        }
    }

    /// Takes a line of the carrier.
    fn hear(&self, message: FromCarrier) {
        let mut state = self.state();
        let words = match message {
            FromCarrier::Slots { slots } => {
                state.pieces.set_slots(slots);
                Vec::new()
            }
            FromCarrier::Over { piece, ms, lines } => {
                let harvest = state.pieces.over(piece, ms, lines, &self.settings);
                for machine in harvest.machines {
                    if !state.machines.contains(&machine) {
                        state.machines.push(machine.clone());
                        state.joined.push(machine);
                    }
                }
                harvest.words
            }
            FromCarrier::Lost { piece, lost } => {
                state.lost += 1;
                let more = match state.lost {
                    MOST_TOLD => "; of more nothing is said",
                    _ => "",
                };
                if state.lost <= MOST_TOLD {
                    let lost = lost.trim_end();
                    (self.say)(format!(
                        "piece {piece} is lost, and given to another worker: {lost}{more}"
                    ));
                }
                state.pieces.lost(piece, &lost)
            }
        };
        for (number, word) in words {
            let is_end = matches!(word, Word::Ended(..));
            if let Some(sitting) = state.sittings.get(&number) {
                // A sitting that was stopped listens no longer.
                let _ = sitting.send(word);
            }
            if is_end {
                state.sittings.remove(&number);
            }
        }
        drop(state);
        self.work.notify_one();
        self.room.notify_one();
    }

    /// Takes a sitting; gives its number and where its words come, unless the carrier has ended.
    fn add(&self, sitting: PieceSitting) -> Option<(Ticket<'_>, mpsc::UnboundedReceiver<Word>)> {
        let (sender, words) = mpsc::unbounded_channel();
        let mut state = self.state();
        if state.is_over {
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
        self.state().out.clone_from(out);
    }

    async fn play(
        &self,
        plan: SittingPlan,
        (): (),
        wishes: Wishes,
        on_done: &mut (dyn FnMut(crate::league::sitting::Done) + Send),
    ) -> Sat {
        let silent = |ended| Sat {
            ended,
            said: String::new(),
        };
        let sitting = PieceSitting::of(&self.settings, &plan);
        let Some((ticket, mut words)) = self.add(sitting) else {
            return silent(Ended::Whole);
        };
        let mut is_asked = false;
        loop {
            tokio::select! {
                biased;
                word = words.recv() => match word {
                    Some(Word::Done(done)) => on_done(done),
                    Some(Word::Ended(ended, said)) => return Sat { ended, said },
                    // The carrier has ended, and the league with it.
                    None => return silent(Ended::Whole),
                },
                () = wishes.stop.cancelled() => {
                    return silent(Ended::Void("it was stopped".to_owned()));
                }
                () = wishes.finish.cancelled(), if !is_asked => {
                    is_asked = true;
                    if !self.state().pieces.is_out(ticket.number) {
                        return silent(Ended::Whole);
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
