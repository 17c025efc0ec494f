//! The engine: what it was told and asked, and what it answers.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::Duration;

use games::blokus::{Colour, Placement};
use log::{debug, warn};
use protocol::gtp::{Answer, Command, ControllerEnd, Received};
use serde_json::Value;

use super::stray::AnswerFilter;
use crate::bridge::engine::{
    BridgedEngine, BridgedGame, BridgedMove, Clock, EngineChoice, Event, MOST_STRAY, TOLD, Turn,
    wait,
};
use crate::bridge::error::BridgeError;
use crate::bridge::process::Process;

/// Answers to nothing, between two answers to something, above which an engine is ended.
const MOST_UNASKED: u32 = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ColouredPlacement {
    colour: Colour,
    placement: Placement,
}

impl BridgedMove for ColouredPlacement {
    const SEATS: u8 = 4;

    fn read(seat: u8, squares: &str) -> Result<Self, String> {
        let colour = Colour::new(seat).ok_or_else(|| format!("a move of seat {seat}"))?;
        let placement = squares.parse().map_err(|e| format!("{squares}: {e}"))?;
        Ok(Self { colour, placement })
    }

    fn of_view(mv: &Value) -> Result<Self, String> {
        let seat = mv[0].as_u64().and_then(|seat| u8::try_from(seat).ok());
        match (seat, mv[1].as_str()) {
            (Some(seat), Some(squares)) => Self::read(seat, squares),
            _ => Err(format!("the view has {mv} as a move")),
        }
    }
}

#[derive(Debug)]
struct Pending {
    id: u32,
    command: Command,
    turn: Option<Turn>,
}

pub(super) struct GtpEngine {
    process: Process,
    end: ControllerEnd,
    strays: AnswerFilter,
    /// Answers to nothing since the last to something.
    unasked: u32,
    told: u64,
    has_numbers: bool,
    pending: VecDeque<Pending>,
    commands: Vec<String>,
    /// What lies on its board; `None` is its own move that it has not told, or that cannot be read.
    board: Vec<Option<ColouredPlacement>>,
    asked: Option<Turn>,
    limit: Duration,
}

impl GtpEngine {
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
        self.answer(events, name)
    }

    /// Waits until all commands are answered; gives what the last, `name`, has come to.
    fn answer(
        &mut self,
        events: &Receiver<Event>,
        name: &str,
    ) -> Result<Result<String, String>, BridgeError> {
        let limit = self.limit;
        wait(self, events, name, limit, |engine| {
            while let Some((_, answer)) = engine.next_answer()? {
                if engine.pending.is_empty() {
                    return Ok(Some(
                        answer.result().map(str::to_owned).map_err(str::to_owned),
                    ));
                }
            }
            Ok(None)
        })
    }

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
    fn chosen(&mut self, answer: &Answer, command: &Command, turn: Turn) -> EngineChoice {
        debug!("< {answer}");
        // One that comes too late was for another board.
        let unknown = self.board.iter().rposition(Option::is_none);
        let unknown = unknown.filter(|_| Some(turn) == self.asked);
        let text = match answer.result() {
            Ok(text) => text.trim(),
            Err(text) => {
                warn!("the engine on `{command}`: {text}");
                return EngineChoice::Fail;
            }
        };
        let colour = command.arguments.first();
        let colour = colour.and_then(|word| word.parse::<Colour>().ok());
        if let (Some(place), Some(colour), Ok(placement)) = (unknown, colour, text.parse()) {
            self.board[place] = Some(ColouredPlacement { colour, placement });
        }
        if text.eq_ignore_ascii_case("resign") {
            EngineChoice::Resign
        } else {
            EngineChoice::Move(text.to_owned())
        }
    }
}

impl BridgedEngine for GtpEngine {
    const GAME: &'static str = "blokus";
    type Move = ColouredPlacement;
    /// Milliseconds for each move.
    type Setup = Option<u64>;

    fn start(
        words: &[OsString],
        setup: &Option<u64>,
        limit: Duration,
        sender: SyncSender<Event>,
        events: &Receiver<Event>,
    ) -> Result<GtpEngine, BridgeError> {
        let mut engine = GtpEngine {
            process: Process::of(words, sender)?,
            end: ControllerEnd::default(),
            strays: AnswerFilter::default(),
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
        let mut is_new = false;
        if engine.has("set_game") {
            match engine.ask(events, "set_game", &["Blokus"])? {
                Ok(_) => is_new = true,
                Err(text) => warn!("the engine does not know the game Blokus: {text}"),
            }
        }
        if let Some(ms) = *setup {
            engine.set_time(events, ms)?;
        }
        if !is_new {
            engine.clear();
            if let Err(text) = engine.answer(events, "clear_board")? {
                warn!("the engine does not begin a new game: {text}");
            }
        }
        Ok(engine)
    }

    fn name(&mut self, events: &Receiver<Event>) -> Result<(String, String), BridgeError> {
        let mut line = |command: &str| -> Result<String, BridgeError> {
            let text = self.ask(events, command, &[])?.unwrap_or_default();
            Ok(text.lines().next().unwrap_or_default().trim().to_owned())
        };
        Ok((line("name")?, line("version")?))
    }

    fn clear(&mut self) {
        if self.has("clear_board") || !self.has("set_game") {
            self.tell("clear_board", std::iter::empty(), None);
        } else {
            self.tell("set_game", ["Blokus".to_owned()].into_iter(), None);
        }
        self.board.clear();
    }

    fn is_ready(&self) -> bool {
        self.pending.is_empty()
    }

    fn follow(&mut self, game: &BridgedGame<ColouredPlacement>) {
        let moves = &game.moves;
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

    fn choose(&mut self, game: &BridgedGame<ColouredPlacement>, turn: Turn, _: Clock) {
        let colour = game
            .seat
            .and_then(Colour::new)
            .expect("a seat that is asked");
        self.tell("genmove", [number(colour)].into_iter(), Some(turn));
        self.board.push(None);
        self.asked = Some(turn);
    }

    fn receive(&mut self, bytes: &[u8]) {
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

    fn next_choice(&mut self) -> Result<Option<(Turn, EngineChoice)>, BridgeError> {
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

    fn process(&mut self) -> &mut Process {
        &mut self.process
    }

    fn quit(&mut self) {
        self.tell("quit", std::iter::empty(), None);
    }
}

/// A colour as GTP has it, from 1.
fn number(colour: Colour) -> String {
    (colour.seat() + 1).to_string()
}
