//! The engine: what it was told and asked, and what it answers.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use games::blokus::Colour;
use log::{debug, warn};
use protocol::gtp::{Answer, Command, ControllerEnd, Received};

use super::error::BridgeError;
use super::game::Told;
use super::stray::Strays;
use crate::bridge::process::{Output, Process};
use crate::client::link::Input;

/// How long an engine that has closed its output may take to end.
const END: Duration = Duration::from_millis(200);
/// How long an engine may think about a question of the start until it is said that the bridge waits.
const PATIENCE: Duration = Duration::from_secs(2);
/// Bytes that are no answer, and answers to nothing, between two answers, above which an engine is ended.
const MOST_STRAY: usize = 1 << 20;
const MOST_UNASKED: u32 = 1000;
/// Complaints of each kind that are written out.
const TOLD: u64 = 3;

/// What wakes the bridge.
pub(super) enum Event {
    /// From the server.
    Server(Input),
    /// From the engine.
    Engine(Output),
}

impl From<Output> for Event {
    fn from(output: Output) -> Event {
        Event::Engine(output)
    }
}

/// The move that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) game: u32,
    pub(super) ply: u32,
}

/// What an engine says to a `genmove`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// A move, or whatever it has in the place of one.
    Move(String),
    /// It gives up.
    Resign,
}

/// A command that is not answered.
#[derive(Debug)]
struct Pending {
    id: u32,
    command: Command,
    turn: Option<Turn>,
}

/// The engine in its process.
pub(super) struct Engine {
    process: Process,
    end: ControllerEnd,
    strays: Strays,
    /// Answers to nothing since the last to something.
    unasked: u32,
    /// Those that were complained about.
    told: u64,
    /// Whether it repeats the numbers of commands.
    has_numbers: bool,
    pending: VecDeque<Pending>,
    /// Commands that it has.
    commands: Vec<String>,
    /// What lies on its board; `None` is its own move that it has not told, or that cannot be read.
    board: Vec<Option<Told>>,
    /// The last move that was asked for.
    asked: Option<Turn>,
    /// For each question of the start.
    limit: Duration,
}

impl Engine {
    /// Starts an engine and sets it up for Blokus.
    ///
    /// # Errors
    /// When it does not start, ends, or has not answered within `limit`.
    pub(super) fn start(
        words: &[OsString],
        move_ms: Option<u64>,
        limit: Duration,
        sender: SyncSender<Event>,
        events: &Receiver<Event>,
    ) -> Result<Engine, BridgeError> {
        let (program, arguments) = words.split_first().ok_or(BridgeError::NoEngine)?;
        let process = Process::start(program, arguments, sender).map_err(|source| {
            let program = program.to_string_lossy().into_owned();
            BridgeError::Start { program, source }
        })?;
        let mut engine = Engine {
            process,
            end: ControllerEnd::default(),
            strays: Strays::default(),
            unasked: 0,
            told: 0,
            has_numbers: false,
            pending: VecDeque::new(),
            commands: Vec::new(),
            board: Vec::new(),
            asked: None,
            limit,
        };
        let list = engine.ask(events, "list_commands", &[])?;
        engine.commands = list
            .unwrap_or_default()
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        if engine.has("set_game")
            && let Err(text) = engine.ask(events, "set_game", &["Blokus"])?
        {
            warn!("the engine does not know the game Blokus: {text}");
        }
        if let Some(ms) = move_ms {
            engine.set_time(events, ms)?;
        }
        Ok(engine)
    }

    /// The name that it gives itself; empty if it has none.
    ///
    /// # Errors
    /// When it ends.
    pub(super) fn name(&mut self, events: &Receiver<Event>) -> Result<String, BridgeError> {
        let name = self.ask(events, "name", &[])?.unwrap_or_default();
        Ok(name.lines().next().unwrap_or_default().trim().to_owned())
    }

    /// Tells it the time for a move, in the way that it knows.
    fn set_time(&mut self, events: &Receiver<Event>, ms: u64) -> Result<(), BridgeError> {
        if self.has("param") {
            let list = self.ask(events, "param", &[])?.unwrap_or_default();
            let mut keys = list.lines().map(|line| line.split_whitespace().next());
            if keys.any(|key| key == Some("move_ms"))
                && self
                    .ask(events, "param", &["move_ms", &ms.to_string()])?
                    .is_ok()
            {
                return Ok(());
            }
        }
        if self.has("time_settings") && ms >= 1000 {
            // No main time, and so many seconds for each one move.
            let seconds = (ms / 1000).to_string();
            if self
                .ask(events, "time_settings", &["0", &seconds, "1"])?
                .is_ok()
            {
                return Ok(());
            }
        }
        warn!("the engine knows no time for a move: set it by the engine's own options");
        Ok(())
    }

    fn has(&self, name: &str) -> bool {
        self.commands.iter().any(|command| command == name)
    }

    /// Sends a command and waits for its answer, its text or as an error that of its failure.
    fn ask(
        &mut self,
        events: &Receiver<Event>,
        name: &str,
        arguments: &[&str],
    ) -> Result<Result<String, String>, BridgeError> {
        self.tell(name, arguments.iter().map(|word| (*word).to_owned()), None);
        let began = Instant::now();
        let mut patience = Some(PATIENCE).filter(|patience| *patience < self.limit);
        loop {
            while let Some((_, answer)) = self.next_answer()? {
                if self.pending.is_empty() {
                    return Ok(answer.result().map(str::to_owned).map_err(str::to_owned));
                }
            }
            let left = patience.unwrap_or(self.limit);
            match events.recv_timeout(left.saturating_sub(began.elapsed())) {
                Ok(Event::Engine(Output::Bytes(bytes))) => self.receive(&bytes),
                Ok(Event::Server(_)) => {}
                Ok(Event::Engine(Output::Closed)) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.ended());
                }
                Err(RecvTimeoutError::Timeout) if patience.take().is_some() => {
                    warn!("still waiting for the engine's answer to `{name}`");
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Err(BridgeError::Silent {
                        command: name.to_owned(),
                        seconds: self.limit.as_secs_f64(),
                    });
                }
            }
        }
    }

    /// Sends a command.
    fn tell(&mut self, name: &str, words: impl Iterator<Item = String>, turn: Option<Turn>) {
        let command = Command {
            id: None,
            name: name.to_owned(),
            arguments: words.collect(),
        };
        debug!("> {command}");
        self.process.write(self.end.send(command.clone()));
        let id = self.end.last_id();
        self.pending.push_back(Pending { id, command, turn });
    }

    /// Empties its board.
    pub(super) fn clear(&mut self) {
        if self.has("clear_board") || !self.has("set_game") {
            self.tell("clear_board", std::iter::empty(), None);
        } else {
            self.tell("set_game", ["Blokus".to_owned()].into_iter(), None);
        }
        self.board.clear();
    }

    /// Brings its board to these moves, from the beginning if another move lies there.
    pub(super) fn follow(&mut self, moves: &[Told]) {
        let agrees = self.board.len() <= moves.len()
            && self.board.iter().zip(moves).all(|(a, b)| *a == Some(*b));
        if !agrees {
            self.clear();
        }
        for told in &moves[self.board.len()..] {
            let words = [number(told.colour), told.placement.to_string()];
            self.tell("play", words.into_iter(), None);
            self.board.push(Some(*told));
        }
    }

    /// Asks for a move.
    pub(super) fn choose(&mut self, colour: Colour, turn: Turn) {
        self.tell("genmove", [number(colour)].into_iter(), Some(turn));
        self.board.push(None);
        self.asked = Some(turn);
    }

    /// Takes in bytes. Take all choices after each.
    pub(super) fn receive(&mut self, bytes: &[u8]) {
        let before = self.strays.lines();
        let answers = self.strays.sift(bytes);
        if before < TOLD && before < self.strays.lines() {
            warn!(
                "the engine has written what is no answer to its standard output, such as `{}`",
                self.strays.last()
            );
        }
        self.end.receive(&answers);
    }

    /// The next answer to a `genmove`; failures of others go to the log.
    ///
    /// # Errors
    /// When the engine writes without an end.
    pub(super) fn next_choice(&mut self) -> Result<Option<(Turn, Choice)>, BridgeError> {
        while let Some((Pending { command, turn, .. }, answer)) = self.next_answer()? {
            if let Some(turn) = turn {
                return Ok(Some((turn, self.chosen(&answer, &command, turn))));
            }
            if let Err(text) = answer.result() {
                warn!("the engine on `{command}`: {text}");
            }
        }
        Ok(None)
    }

    /// The next answer, and what it answers. Text that is no answer is passed over: what is asked stays asked.
    ///
    /// # Errors
    /// When the engine writes without an end.
    fn next_answer(&mut self) -> Result<Option<(Pending, Answer)>, BridgeError> {
        while let Some(received) = self.end.next_answer() {
            match received {
                Received::Answer(answer) => {
                    if let Some(pending) = self.answered(&answer) {
                        self.unasked = 0;
                        self.strays.forget_bytes();
                        return Ok(Some((pending, answer)));
                    }
                    self.unasked += 1;
                    if self.told < TOLD {
                        self.told += 1;
                        warn!("the engine answers what was not asked: `{answer}`");
                    }
                    if self.unasked > MOST_UNASKED {
                        return Err(BridgeError::Babbles("answers to nothing".to_owned()));
                    }
                }
                Received::Odd(odd) => warn!("the engine: {odd}"),
                Received::TooLong => {
                    return Err(BridgeError::Babbles("an answer without an end".to_owned()));
                }
            }
        }
        if self.strays.bytes() > MOST_STRAY {
            return Err(BridgeError::Babbles(format!("`{}`", self.strays.last())));
        }
        Ok(None)
    }

    /// The command that was answered: by the number, or the oldest one if the engine repeats none.
    fn answered(&mut self, answer: &Answer) -> Option<Pending> {
        if let Some(id) = answer.id {
            let place = self.pending.iter().position(|p| p.id == id)?;
            self.pending.drain(..place);
            self.has_numbers = true;
        } else if self.has_numbers {
            return None;
        }
        self.pending.pop_front()
    }

    /// What an answer to a `genmove` says; a move lies on the engine's board from now on.
    fn chosen(&mut self, answer: &Answer, command: &Command, turn: Turn) -> Choice {
        debug!("< {answer}");
        // One that comes too late was for another board.
        let unknown = self.board.iter().rposition(Option::is_none);
        let unknown = unknown.filter(|_| Some(turn) == self.asked);
        let text = match answer.result() {
            Ok(text) => text.trim(),
            Err(text) => {
                warn!("the engine on `{command}`: {text}");
                text
            }
        };
        let colour = command.arguments.first();
        let colour = colour.and_then(|word| word.parse::<Colour>().ok());
        let placement = text.parse().ok().filter(|_| answer.result().is_ok());
        if let (Some(place), Some(colour), Some(placement)) = (unknown, colour, placement) {
            self.board[place] = Some(Told { colour, placement });
        }
        if text.eq_ignore_ascii_case("resign") {
            Choice::Resign
        } else {
            Choice::Move(text.to_owned())
        }
    }

    /// Why nothing more comes from it.
    pub(super) fn ended(&mut self) -> BridgeError {
        let how = match self.process.wait(END) {
            Some(status) => status.to_string(),
            None => "it has closed its output and runs on".to_owned(),
        };
        BridgeError::Ended(how)
    }

    /// Tells it to end.
    pub(super) fn quit(&mut self) {
        self.tell("quit", std::iter::empty(), None);
    }
}

/// A colour as GTP has it, from 1.
fn number(colour: Colour) -> String {
    (colour.seat() + 1).to_string()
}
