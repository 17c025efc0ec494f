//! The engine: what it was told and asked, and what it answers.

use std::ffi::OsString;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::Duration;

use games::dobutsu::Move;
use log::{debug, warn};
use protocol::usi::{BestMove, ControllerEnd, Go, Identity, Position, Received};
use serde_json::Value;

use super::variants::{self, Variants};
use crate::bridge::engine::{
    BridgedEngine, BridgedGame, BridgedMove, Clock, EngineChoice, Event, MOST_STRAY, TOLD, Turn,
    wait,
};
use crate::bridge::error::BridgeError;
use crate::bridge::process::Process;

/// What is left of the server's time for the way there and back, in milliseconds.
const MARGIN: u64 = 50;
/// Milliseconds for a move where nobody says how many.
const NO_LIMIT: u64 = 1000;

#[derive(Clone, Debug)]
pub(super) struct Setup {
    pub(super) move_ms: Option<u64>,
    pub(super) nodes: Option<u64>,
    pub(super) options: Vec<String>,
}

pub(super) struct UsiEngine {
    process: Process,
    end: ControllerEnd,
    setup: Setup,
    identity: Identity,
    /// The file of variants that it was told of.
    variants: Option<Variants>,
    thinks: Option<Turn>,
    /// The move that is asked for as soon as it has answered for another.
    next: Option<(Turn, Position, Go)>,
    /// Whether it is still to be told that another game begins.
    is_over: bool,
    /// Lines that were complained about, and bytes of them since its last answer.
    told: u64,
    stray: usize,
    limit: Duration,
}

impl UsiEngine {
    fn write(&self, lines: String) {
        debug!("> {}", lines.trim_end());
        self.process.write(lines);
    }

    fn answer(
        &mut self,
        events: &Receiver<Event>,
        command: &str,
        is_answer: impl Fn(&Received) -> bool,
    ) -> Result<Received, BridgeError> {
        let limit = self.limit;
        wait(self, events, command, limit, |engine| {
            while let Some(received) = engine.end.next_received() {
                if is_answer(&received) {
                    engine.stray = 0;
                    return Ok(Some(received));
                }
                engine.pass_over(received)?;
            }
            Ok(None)
        })
    }

    fn pass_over(&mut self, received: Received) -> Result<(), BridgeError> {
        match received {
            Received::Odd(line) => {
                self.stray += line.len() + 1;
                // Many engines tell their name and author when they start.
                let is_greeting = self.identity == Identity::default();
                self.told += u64::from(!is_greeting);
                if !is_greeting && self.told <= TOLD {
                    warn!("the engine has written what is no answer, such as `{line}`");
                }
                if self.stray > MOST_STRAY {
                    return Err(BridgeError::Babbles(format!("`{line}`")));
                }
            }
            Received::TooLong => {
                return Err(BridgeError::Babbles("a line without an end".to_owned()));
            }
            received => debug!("< {received:?}"),
        }
        Ok(())
    }

    /// Sets the options: the rules of the game first, then those of the command line.
    ///
    /// # Errors
    /// An option of the command line that the engine does not have, or with a value that it does not take.
    fn set_options(&mut self) -> Result<(), BridgeError> {
        let options = self.setup.options.iter();
        let options = options.map(|option| self.identity.setting(option));
        let options: Result<Vec<_>, String> = options.collect();
        let options = options.map_err(BridgeError::Option)?;
        if let Some(option) = variants::option_of(&self.identity).map(str::to_owned) {
            match Variants::write() {
                Ok(file) => {
                    let file = self.variants.insert(file);
                    let path = file.path().to_string_lossy().into_owned();
                    self.set(variants::PATH, Some(&path));
                    self.set(&option, Some(variants::NAME));
                }
                Err(e) => warn!("the engine plays by its own rule of repetition: {e}"),
            }
        }
        for (name, value) in options {
            self.set(&name, value.as_deref());
        }
        Ok(())
    }

    fn set(&self, name: &str, value: Option<&str>) {
        let line = self.end.set_option(name, value);
        self.write(line.expect("the engine has answered all"));
    }

    fn go(&self, clock: Clock) -> Go {
        let Setup { move_ms, nodes, .. } = self.setup;
        if nodes.is_some() {
            return Go {
                nodes,
                ..Go::default()
            };
        }
        let budget = clock.budget.unwrap_or(0);
        let (own, byoyomi) = match (move_ms, clock.left) {
            (Some(ms), _) => (0, ms),
            (None, Some(left)) => {
                let byoyomi = left.saturating_sub(budget).saturating_sub(MARGIN);
                (budget.saturating_sub(MARGIN), byoyomi)
            }
            (None, None) => (0, NO_LIMIT),
        };
        // The opponent's time is not told: it is taken for the own.
        Go {
            btime: Some(own),
            wtime: Some(own),
            byoyomi: Some(byoyomi.max(u64::from(own == 0))),
            ..Go::default()
        }
    }

    /// Tells the engine that a game begins, and waits for its word that it is ready.
    fn begin_game(&mut self) {
        let awaited = "the engine has answered all";
        let lines = self.end.new_game().expect(awaited) + &self.end.is_ready().expect(awaited);
        self.write(lines);
    }

    /// Tells it what waits, another game or the move that is asked for, once the engine owes nothing.
    fn ask(&mut self) {
        if self.end.awaited().is_some() {
            return;
        }
        if std::mem::take(&mut self.is_over) {
            self.begin_game();
        } else if let Some((turn, position, go)) = self.next.take() {
            let lines = self.end.go(&position, &go);
            self.write(lines.expect("the engine has answered all"));
            self.thinks = Some(turn);
        }
    }

    /// Ends a search for a move that nobody waits for.
    fn stop(&mut self) {
        if self.thinks.take().is_some()
            && let Ok(line) = self.end.stop()
        {
            self.write(line);
        }
    }
}

impl BridgedMove for Move {
    const SEATS: u8 = 2;

    fn read(_seat: u8, text: &str) -> Result<Self, String> {
        text.parse().map_err(|e| format!("{text}: {e}"))
    }

    fn of_view(mv: &Value) -> Result<Self, String> {
        Self::read(0, mv.as_str().ok_or("a move that is no text")?)
    }
}

impl BridgedEngine for UsiEngine {
    const GAME: &'static str = "dobutsu";
    type Move = Move;
    type Setup = Setup;

    fn start(
        words: &[OsString],
        setup: &Setup,
        limit: Duration,
        sender: SyncSender<Event>,
        events: &Receiver<Event>,
    ) -> Result<UsiEngine, BridgeError> {
        let mut engine = UsiEngine {
            process: Process::of(words, sender)?,
            end: ControllerEnd::default(),
            setup: setup.clone(),
            identity: Identity::default(),
            variants: None,
            thinks: None,
            next: None,
            is_over: false,
            told: 0,
            stray: 0,
            limit,
        };
        let line = engine.end.usi().expect("the first command");
        engine.write(line);
        let is_identity = |received: &Received| matches!(received, Received::Identity(_));
        if let Received::Identity(identity) = engine.answer(events, "usi", is_identity)? {
            engine.identity = identity;
        }
        engine.set_options()?;
        let line = engine.end.is_ready().expect("the engine has answered all");
        engine.write(line);
        let is_ready = |received: &Received| *received == Received::Ready;
        engine.answer(events, "isready", is_ready)?;
        engine.begin_game();
        engine.answer(events, "isready", is_ready)?;
        Ok(engine)
    }

    fn name(&mut self, _: &Receiver<Event>) -> Result<(String, String), BridgeError> {
        // Its name has the version in it.
        Ok((self.identity.name.clone(), String::new()))
    }

    fn clear(&mut self) {
        self.next = None;
        self.stop();
        self.is_over = true;
        self.ask();
    }

    fn is_ready(&self) -> bool {
        !self.is_over && self.end.awaited().is_none()
    }

    fn follow(&mut self, _: &BridgedGame<Move>) {}

    fn choose(&mut self, game: &BridgedGame<Move>, turn: Turn, clock: Clock) {
        self.stop();
        self.next = Some((turn, Position::after(&game.moves), self.go(clock)));
        self.ask();
    }

    fn receive(&mut self, bytes: &[u8]) {
        self.end.receive(bytes);
    }

    fn next_choice(&mut self) -> Result<Option<(Turn, EngineChoice)>, BridgeError> {
        while let Some(received) = self.end.next_received() {
            let best = match received {
                Received::BestMove(best) => best,
                Received::Ready => {
                    self.stray = 0;
                    self.ask();
                    continue;
                }
                received => {
                    self.pass_over(received)?;
                    continue;
                }
            };
            debug!("< bestmove {best}");
            self.stray = 0;
            let turn = self.thinks.take();
            self.ask();
            let choice = match best {
                BestMove::Move { mv, .. } => EngineChoice::Move(mv),
                BestMove::Resign => EngineChoice::Resign,
                // There is no rule by which it could: the server says so.
                BestMove::Win => EngineChoice::Move("win".to_owned()),
            };
            // That of a search that was stopped is for nobody.
            if let Some(turn) = turn {
                return Ok(Some((turn, choice)));
            }
        }
        Ok(None)
    }

    fn over(&mut self) {
        self.next = None;
        self.stop();
    }

    fn process(&mut self) -> &mut Process {
        &mut self.process
    }

    fn quit(&mut self) {
        let line = self.end.quit();
        self.write(line);
    }
}
