//! What a controller talks with.

use std::io::{self, ErrorKind, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use clap::ValueEnum as _;
use games::Game as _;
use games::dobutsu::{Dobutsu, Rules};
use log::{debug, warn};
use protocol::usi::{
    BestMove, CheckMate, EngineEnd, EngineOption, Event, Go, Identity, Info, OptionKind, Position,
};

use super::limits::limits;
use super::thinker::{SessionInput, Thinker};
use crate::dobutsu::options::MOST_HASH;
use crate::dobutsu::{DobutsuEngine, EngineName, EngineOptions};
use crate::search::MOST_THREADS;
use crate::spec::Specified as _;

const READ_LEN: usize = 1 << 12;

/// The variant that the engine plays, as controllers of several call it.
const VARIANT: &str = "dobutsu";

/// An engine and its options, as a controller sets them.
pub struct UsiSession {
    options: EngineOptions,
    seed: u64,
    rules: Rules,
}

impl UsiSession {
    /// With the options that the controller finds, whose budget counts for a `go` without limits.
    pub fn new(options: EngineOptions, seed: u64) -> UsiSession {
        UsiSession {
            options,
            seed,
            rules: Rules::default(),
        }
    }

    fn identity(&self) -> Identity {
        let option = |name: &str, kind| EngineOption {
            name: name.to_owned(),
            kind,
        };
        let engines = EngineName::value_variants().iter();
        let table = self.options.table.as_ref();
        let model = self.options.zero.network.model.as_ref();
        Identity {
            name: format!("Taikyoku Dobutsu {}", env!("CARGO_PKG_VERSION")),
            author: "the authors of Taikyoku".to_owned(),
            options: vec![
                option(
                    "USI_Hash",
                    OptionKind::Spin {
                        default: self.options.hash.into(),
                        min: 1,
                        max: MOST_HASH.into(),
                    },
                ),
                option(
                    "Engine",
                    OptionKind::Combo {
                        default: self.options.engine.name().to_owned(),
                        vars: engines.map(|engine| engine.name().to_owned()).collect(),
                    },
                ),
                option(
                    "Table",
                    OptionKind::FileName {
                        default: table.map_or(String::new(), |path| path.display().to_string()),
                    },
                ),
                option(
                    "Model",
                    OptionKind::FileName {
                        default: model.map_or(String::new(), |path| path.display().to_string()),
                    },
                ),
                option(
                    "Threads",
                    OptionKind::Spin {
                        default: self.options.threads as i64,
                        min: 1,
                        max: MOST_THREADS as i64,
                    },
                ),
                option(
                    "Repetition",
                    OptionKind::Spin {
                        default: self.rules.repetition.into(),
                        min: 0,
                        max: u8::MAX.into(),
                    },
                ),
                option(
                    "USI_Variant",
                    OptionKind::Combo {
                        default: VARIANT.to_owned(),
                        vars: vec![VARIANT.to_owned()],
                    },
                ),
            ],
        }
    }

    /// Sets an option; gives whether another engine is due.
    fn set(&mut self, name: &str, value: Option<&str>) -> Result<bool, String> {
        let value = value.unwrap_or_default();
        let wrong = || format!("{name}: `{value}` is no value of it");
        match name.to_ascii_lowercase().as_str() {
            "usi_hash" => {
                let hash: u32 = value.parse().map_err(|_| wrong())?;
                self.options.hash = hash.clamp(1, MOST_HASH);
            }
            "engine" => {
                let engine = EngineName::from_str(value, true);
                self.options.engine = engine.map_err(|_| wrong())?;
            }
            "table" => {
                let is_given = !value.is_empty() && value != "<empty>";
                self.options.table = is_given.then(|| value.into());
            }
            "model" => {
                let is_given = !value.is_empty() && value != "<empty>";
                self.options.zero.network.model = is_given.then(|| value.into());
            }
            "threads" => {
                let threads: usize = value.parse().map_err(|_| wrong())?;
                self.options.threads = threads.clamp(1, MOST_THREADS);
            }
            "repetition" => {
                let repetition = value.parse().map_err(|_| wrong())?;
                // Each position occurs once.
                if repetition == 1 {
                    return Err(wrong());
                }
                self.rules.repetition = repetition;
                return Ok(false);
            }
            // Controllers set it unasked; a ponder search needs no preparation.
            "usi_ponder" => return Ok(false),
            "usi_variant" if value == VARIANT => return Ok(false),
            "usi_variant" => return Err(wrong()),
            _ => return Err(format!("there is no option `{name}`")),
        }
        Ok(true)
    }

    /// What proves wins: the table of the game where the engine has one, else a search that decides nothing by chance.
    fn prover(&self) -> Result<Box<dyn DobutsuEngine>, String> {
        let engine = match self.options.engine {
            engine @ (EngineName::Perfect | EngineName::Best) => engine,
            _ => EngineName::Alphabeta,
        };
        let options = EngineOptions {
            engine,
            blunders: 0.0,
            ..self.options.clone()
        };
        options.build(self.seed).map_err(|e| e.to_string())
    }

    /// The game of a position. One that the own rule of repetition has ended goes on where the controller wants it to.
    fn game(&self, position: &Position) -> Result<Dobutsu, String> {
        let text = position.to_string();
        let game = Dobutsu::read(&self.rules, &text);
        let endless = Rules {
            repetition: 0,
            ..self.rules
        };
        let game = match game {
            Ok(game) if game.to_move().is_some() => game,
            _ => Dobutsu::read(&endless, &text).map_err(|e| e.to_string())?,
        };
        if game.to_move().is_none() {
            return Err("the game is over".to_owned());
        }
        Ok(game)
    }
}

/// Answers a controller until `quit` or the end of its input, whose last search, if it has an end, is answered; a reader
/// of the answers that has gone is the end, too.
pub fn run(
    session: UsiSession,
    input: impl Read + Send + 'static,
    output: impl Write,
) -> io::Result<()> {
    let (sender, inputs) = channel();
    let bytes = sender.clone();
    thread::spawn(move || read(input, &bytes));
    let mut talk = Talk {
        session,
        end: EngineEnd::default(),
        thinker: Thinker::new(sender),
        is_seated: false,
        is_endless: false,
        inputs,
        output,
    };
    match talk.run() {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn read(mut input: impl Read, sender: &Sender<SessionInput>) {
    let mut bytes = [0; READ_LEN];
    loop {
        let read = match input.read(&mut bytes) {
            Ok(0) => SessionInput::Closed(None),
            Ok(n) => SessionInput::Bytes(bytes[..n].to_vec()),
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) => SessionInput::Closed(Some(e)),
        };
        let is_last = matches!(read, SessionInput::Closed(_));
        if sender.send(read).is_err() || is_last {
            return;
        }
    }
}

struct Talk<W> {
    session: UsiSession,
    end: EngineEnd,
    thinker: Thinker,
    /// Whether the thinker has an engine with the options of now.
    is_seated: bool,
    /// Whether nothing but a word of the controller ends the last search.
    is_endless: bool,
    inputs: Receiver<SessionInput>,
    output: W,
}

impl<W: Write> Talk<W> {
    fn run(&mut self) -> io::Result<()> {
        let mut is_closed = false;
        while !is_closed || self.end.is_searching() {
            match self.inputs.recv().expect("the thinker keeps a sender") {
                SessionInput::Bytes(bytes) => self.end.receive(&bytes),
                SessionInput::Closed(Some(error)) => return Err(error),
                SessionInput::Closed(None) => {
                    self.end.finish();
                    is_closed = true;
                }
                SessionInput::Info(info) => {
                    if self.end.is_searching() {
                        let line = self.end.info(info);
                        self.write(&line)?;
                    }
                }
                SessionInput::Found(Some(mv)) => self.answer(&BestMove::of(mv))?,
                SessionInput::Found(None) => self.fail("the engine has failed", false)?,
                SessionInput::Proved(mate) => self.tell_mate(mate)?,
            }
            while let Some(event) = self.end.next_event() {
                if !self.take(event)? {
                    return Ok(());
                }
            }
            if is_closed && self.end.is_endless() {
                self.end.receive(b"stop\n");
                while let Some(event) = self.end.next_event() {
                    self.take(event)?;
                }
            }
        }
        Ok(())
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        let info = Info {
            string: Some(text.to_owned()),
            ..Info::default()
        };
        let line = self.end.info(info);
        self.write(&line)
    }

    fn answer(&mut self, best: &BestMove) -> io::Result<()> {
        match self.end.best_move(best) {
            Ok(Some(line)) => self.write(&line),
            Ok(None) => Ok(()),
            Err(e) => unreachable!("a result belongs to a search: {e}"),
        }
    }

    fn tell_mate(&mut self, mate: CheckMate) -> io::Result<()> {
        let line = self.end.check_mate(mate);
        self.write(&line.expect("a result belongs to a search"))
    }

    /// Answers a search without a result, which is a fault and no resignation.
    fn fail(&mut self, reason: &str, is_mate: bool) -> io::Result<()> {
        warn!("{reason}");
        self.say(reason)?;
        if is_mate {
            self.tell_mate(CheckMate::TimeOut)
        } else {
            self.answer(&BestMove::of("none"))
        }
    }

    /// Does what the controller wants; gives whether it goes on.
    fn take(&mut self, event: Event) -> io::Result<bool> {
        match event {
            Event::Identify => {
                let lines = self.end.identify(&self.session.identity());
                self.write(&lines)?;
            }
            Event::Prepare => {
                if let Err(reason) = self.seat() {
                    self.say(&reason)?;
                }
                let line = self.end.ready();
                self.write(&line)?;
            }
            Event::SetOption { name, value } => match self.session.set(&name, value.as_deref()) {
                Ok(is_other) => self.is_seated &= !is_other,
                Err(reason) => self.say(&reason)?,
            },
            Event::NewGame => self.thinker.forget(),
            Event::Think { position, go } => self.think(position.as_ref(), &go)?,
            // A search that pondered keeps the limits that it has; without any, its result is due.
            Event::PonderHit if !self.is_endless => {}
            Event::PonderHit | Event::Stop => self.thinker.stop(),
            Event::Write(line) => self.write(&line)?,
            Event::GameOver(_) => {}
            Event::Quit => return Ok(false),
            Event::Odd(line) => debug!("passed over: {}", line.escape_debug()),
            Event::TooLong => warn!("a line that is too long is passed over"),
        }
        Ok(true)
    }

    /// Makes the engine, unless it is there already.
    fn seat(&mut self) -> Result<(), String> {
        if !self.is_seated {
            let engine = self.session.options.build(self.session.seed);
            self.thinker.seat(engine.map_err(|e| e.to_string())?);
            self.is_seated = true;
        }
        Ok(())
    }

    fn think(&mut self, position: Option<&Position>, go: &Go) -> io::Result<()> {
        let position = position.ok_or_else(|| "the position could not be read".to_owned());
        let game = position.and_then(|position| self.session.game(position));
        let is_mate = go.mate.is_some();
        let begun = game.and_then(|game| {
            let own = self.session.options.budget();
            let limits = limits(go, game.board().turn(), own);
            self.is_endless = limits.is_endless();
            if is_mate {
                self.thinker.prove(game, limits, self.session.prover()?);
            } else {
                self.seat()?;
                self.thinker.think(game, limits);
            }
            Ok(())
        });
        begun.or_else(|reason: String| self.fail(&reason, is_mate))
    }
}
