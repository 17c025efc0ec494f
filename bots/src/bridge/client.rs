//! The match.

use std::ffi::OsString;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::Duration;

use clap::Args;
use client::MatchError;
use client::native::{Connection, Destination};
use client::{Input, ServerOptions, TlsOptions};
use log::{debug, info, warn};
use protocol::native::{ClientMessage, ErrorCode, Received, ServerMessage};

use super::engine::{BridgedEngine, BridgedGame, Clock, EngineChoice, Event, Turn};
use super::error::BridgeError;
use super::process::Output;
use crate::options::TOKEN;

/// Longest text of an engine that is sent as a move, in characters. No move of Blokus is as long as this.
const LONGEST: usize = 400;

/// Events that may wait, each of them a few KiB.
const EVENTS: usize = 16;

/// Games in a row in which an engine may end: then it is not started anew.
const MOST_ENDS: u32 = 3;

/// Options of every bridge.
#[derive(Args, Clone, Debug)]
pub struct Common {
    /// Where the server is.
    #[command(flatten)]
    pub server: ServerOptions,
    /// TCP port of the server.
    #[arg(short, long, default_value_t = 4444, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: u16,
    /// Whom to trust where TLS is spoken.
    #[command(flatten)]
    pub tls: TlsOptions,
    /// Name at the table [default: what the engine calls itself].
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub name: Option<String>,
    /// Token of an entrant, or of the seat of an earlier run. It is secret: the variable keeps it out of the list of processes.
    /// The engine does not see it.
    #[arg(long, value_name = "TOKEN", env = TOKEN, hide_env_values = true)]
    pub token: Option<String>,
    /// Seconds for each answer of the engine at its start.
    #[arg(long, default_value_t = 60, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub start_timeout: u64,
    /// Start the engine, tell it its options, and end, without a table. The exit status is 0 if it has taken them.
    #[arg(long)]
    pub check: bool,
    /// The engine's program and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

impl Common {
    fn start_limit(&self) -> Duration {
        Duration::from_secs(self.start_timeout)
    }
}

enum Step {
    On,
    /// It is over; the reason if that was before its last game.
    Over(Option<String>),
}

pub(super) fn run<E: BridgedEngine>(
    options: &Common,
    setup: &E::Setup,
) -> Result<Option<String>, BridgeError> {
    let (sender, events) = mpsc::sync_channel(EVENTS);
    let starter = Starter {
        options,
        setup,
        events: sender.clone(),
    };
    let (mut engine, (own, number)) = starter.start::<E>()?;
    if options.check {
        engine.quit();
        return Ok(None);
    }
    let own_client = format!(
        "engine-bridge {}: {own} {number}",
        env!("CARGO_PKG_VERSION")
    );
    let destination = Destination {
        host: options.server.host.clone(),
        port: options.port,
        trust: options.tls.trust().map_err(MatchError::Trust)?,
        limit: options.server.connect_limit(),
        name: options.name.clone().unwrap_or(own),
        client: own_client.trim_end_matches([':', ' ']).to_owned(),
        game: E::GAME,
    };
    let (inputs, from_server) = mpsc::channel();
    thread::spawn(move || {
        for input in from_server {
            if sender.send(Event::Server(input)).is_err() {
                return;
            }
        }
    });
    let mut bridge = Bridge {
        connection: Connection::open(destination, options.token.as_deref(), inputs)?,
        starter,
        engine,
        ends: Ends::default(),
        given_up: 0,
        is_clear: true,
        next: 1,
        is_unready: false,
        game: BridgedGame::begin(0),
        has_match: false,
        asked: None,
        clock: Clock::default(),
        thinks: None,
        sent: None,
        astray: false,
    };
    let played = bridge.play(&events);
    let Bridge {
        connection,
        mut engine,
        ends,
        ..
    } = bridge;
    // The server hears of the end before the engine is waited for.
    drop(connection);
    engine.quit();
    match (played, ends.last) {
        (Ok(None), Some(how)) => Err(BridgeError::Restarted(ends.all, how)),
        (played, _) => played,
    }
}

struct Starter<'a, S> {
    options: &'a Common,
    setup: &'a S,
    events: SyncSender<Event>,
}

impl<S> Starter<'_, S> {
    fn start<E: BridgedEngine<Setup = S>>(&self) -> Result<(E, (String, String)), BridgeError> {
        // An engine that writes faster than it is read waits.
        let (sender, answers) = mpsc::sync_channel(EVENTS);
        let Starter { options, setup, .. } = self;
        let limit = options.start_limit();
        let mut engine = E::start(&options.command, setup, limit, sender, &answers)?;
        let name = engine.name(&answers)?;
        let events = self.events.clone();
        thread::spawn(move || {
            for event in answers {
                if events.send(event).is_err() {
                    return;
                }
            }
        });
        Ok((engine, name))
    }
}

/// How often the engine has ended by itself.
#[derive(Default)]
struct Ends {
    all: u32,
    /// In games in a row, the one in play included.
    in_a_row: u32,
    last: Option<String>,
}

struct Bridge<'a, E: BridgedEngine> {
    connection: Connection,
    starter: Starter<'a, E::Setup>,
    engine: E,
    ends: Ends,
    game: BridgedGame<E::Move>,
    /// The game in which the engine has ended or failed: it is told no more of it.
    given_up: u32,
    /// Whether the engine knows nothing of an earlier game, or was told to forget it.
    is_clear: bool,
    /// The game that the engine gets ready for or plays, and whether the server is still to be told that it is ready.
    next: u32,
    is_unready: bool,
    has_match: bool,
    asked: Option<Turn>,
    clock: Clock,
    thinks: Option<Turn>,
    sent: Option<(Turn, String)>,
    /// Whether the view was asked for because a request did not fit.
    astray: bool,
}

impl<E: BridgedEngine> Bridge<'_, E> {
    fn play(&mut self, events: &Receiver<Event>) -> Result<Option<String>, BridgeError> {
        loop {
            match events.recv() {
                Ok(Event::Server(Input::Bytes(connection, _, bytes))) => {
                    if !self.connection.take(connection, &bytes) {
                        continue;
                    }
                    while let Some(received) = self.connection.end.next_message() {
                        if let Step::Over(reason) = self.receive(received)? {
                            return Ok(reason);
                        }
                    }
                }
                Ok(Event::Server(Input::Lost(connection, reason))) => {
                    if connection == self.connection.number() {
                        self.lost(&reason.to_string())?;
                    }
                }
                Ok(Event::Server(Input::Player)) => {}
                Ok(Event::Engine(Output::Bytes(bytes))) => {
                    self.engine.receive(&bytes);
                    while let Some((turn, choice)) = self.engine.next_choice()? {
                        self.chosen(turn, choice);
                    }
                    self.tell_ready();
                }
                Ok(Event::Engine(Output::Closed)) => self.start_anew()?,
                Err(_) => return Err(self.engine.ended()),
            }
        }
    }

    /// The engine has ended: the game in play is lost, and a new process plays the next.
    fn start_anew(&mut self) -> Result<(), BridgeError> {
        let error = self.engine.ended();
        self.give_up();
        self.ends.in_a_row += 1;
        if self.ends.in_a_row >= MOST_ENDS {
            return Err(error);
        }
        warn!("{error}; the bridge starts it anew");
        if let BridgeError::Ended(how) = error {
            self.ends.last = Some(how);
            self.ends.all += 1;
        }
        (self.asked, self.thinks, self.sent) = (None, None, None);
        (self.engine, _) = self.starter.start()?;
        self.is_clear = true;
        self.tell_ready();
        Ok(())
    }

    /// Gives up the game in play, in which the engine has ended or failed.
    fn give_up(&mut self) {
        let game = self.game.number;
        if game == 0 {
            return;
        }
        if self.given_up != game {
            self.given_up = game;
            warn!("the bridge gives up game {game}");
        }
        self.connection.send(&ClientMessage::Crash { game });
    }

    fn clear(&mut self) {
        if !std::mem::replace(&mut self.is_clear, true) {
            self.engine.clear();
        }
    }

    /// Says that the engine is ready for the next game, once it is.
    fn tell_ready(&mut self) {
        if self.is_unready && self.engine.is_ready() {
            self.is_unready = false;
            self.connection
                .send(&ClientMessage::Ready { game: self.next });
        }
    }

    fn follow(&mut self) {
        self.is_clear = false;
        self.engine.follow(&self.game);
    }

    /// Whether the engine is told of the game in play.
    fn follows(&self) -> bool {
        self.game.number != self.given_up
    }

    fn lost(&mut self, reason: &str) -> Result<(), MatchError> {
        info!("{reason}; connecting again");
        self.asked = None;
        self.astray = false;
        self.connection.reopen(reason)
    }

    fn receive(&mut self, received: Received) -> Result<Step, MatchError> {
        let message = match received {
            Received::Message(message) => message,
            Received::Unknown(kind) => {
                debug!("a message of type {kind} is passed over");
                return Ok(Step::On);
            }
            Received::Odd(e) => {
                warn!("the server: {e}");
                return Ok(Step::On);
            }
            Received::TooLong => return Err(MatchError::Odd("it sends endless lines".to_owned())),
        };
        match message {
            ServerMessage::Welcome { resumed, .. } => self.connection.welcomed(resumed),
            ServerMessage::Match { .. } => {
                self.has_match = true;
                // The server waits for those that have said so before. The word may have been lost with a connection.
                self.is_unready = true;
                self.tell_ready();
            }
            ServerMessage::Game { game, .. } => {
                self.game = BridgedGame::begin(game);
                self.asked = None;
                self.sent = None;
                self.clear();
            }
            ServerMessage::View {
                game, seat, view, ..
            } => {
                self.game.view(game, seat, &view).map_err(MatchError::Odd)?;
                self.astray = false;
                if self.follows() {
                    self.follow();
                    self.answer();
                }
            }
            ServerMessage::Moved {
                game,
                ply,
                seat,
                mv,
                ..
            } => {
                let moved = self.game.moved(game, ply, seat, &mv);
                moved.map_err(MatchError::Odd)?;
                // The moves before those that are told again have not come yet.
                if self.game.seat.is_some() && self.follows() {
                    self.follow();
                }
            }
            ServerMessage::Request {
                game,
                ply,
                left_ms,
                budget_ms,
            } => {
                self.clock = Clock {
                    left: left_ms,
                    budget: budget_ms,
                };
                if game == self.given_up {
                    // The message may be lost with the connection.
                    self.give_up();
                } else {
                    self.asked = Some(Turn { game, ply });
                    self.answer();
                }
            }
            ServerMessage::Out {
                game, seat, end, ..
            } if game == self.game.number && self.game.seat == Some(seat) => {
                info!("game {game}: out by {end}");
                self.asked = None;
            }
            ServerMessage::Result { game, end, .. } => {
                info!("game {game}: {end}");
                if game != self.given_up {
                    self.ends.in_a_row = 0;
                }
                self.asked = None;
                self.engine.over();
                self.clear();
                self.game = BridgedGame::begin(0);
                (self.next, self.is_unready) = (game + 1, true);
                self.tell_ready();
            }
            ServerMessage::Over { reason, .. } => return Ok(Step::Over(reason)),
            ServerMessage::Error { code, message, .. } => self.error(code, message)?,
            // Presence, legal moves, and messages of later versions.
            _ => {}
        }
        Ok(Step::On)
    }

    fn error(&mut self, code: ErrorCode, message: String) -> Result<(), MatchError> {
        use ErrorCode::{
            Full, Game, Hello, Illegal, Malformed, Replaced, Stopped, Token, TooDeep, TooLong,
            Version,
        };
        warn!("the server: {message} ({})", code.as_str());
        match code {
            // The seat of one that waits for others is not kept.
            Token if !self.has_match => {
                self.connection.forget_token();
                self.lost("the seat was not kept")
            }
            Version | Game | Full | Hello | Token | Replaced | Stopped => {
                Err(MatchError::Refused { code, message })
            }
            Illegal | Malformed | TooLong | TooDeep => {
                // The server may have granted a retry; if not, it says next that the seat is out.
                if let Some((turn, _)) = self.sent.take() {
                    self.asked = Some(turn);
                    self.follow();
                    self.answer();
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Asks the engine for the move that the server asks for.
    fn answer(&mut self) {
        let Some(turn) = self.asked else { return };
        let fits = (turn.game, turn.ply) == (self.game.number, self.game.ply());
        if !fits || self.game.seat.is_none() {
            if !std::mem::replace(&mut self.astray, true) {
                self.connection.send(&ClientMessage::View);
            }
            return;
        }
        if self.thinks == Some(turn) {
            return;
        }
        // The same request again: its answer was lost with the connection.
        if let Some((sent, mv)) = &self.sent
            && *sent == turn
        {
            let mv = mv.clone();
            self.send(turn, mv);
            return;
        }
        self.follow();
        self.engine.choose(&self.game, turn, self.clock);
        self.thinks = Some(turn);
    }

    fn chosen(&mut self, turn: Turn, choice: EngineChoice) {
        if self.thinks == Some(turn) {
            self.thinks = None;
        }
        if self.asked != Some(turn) {
            debug!("the engine has chosen too late");
            return;
        }
        self.asked = None;
        match choice {
            EngineChoice::Move(mv) => self.send(turn, mv.chars().take(LONGEST).collect()),
            EngineChoice::Resign => self.connection.send(&ClientMessage::Resign),
            EngineChoice::Fail => self.give_up(),
        }
    }

    fn send(&mut self, turn: Turn, mv: String) {
        self.connection.send(&ClientMessage::Move {
            game: Some(turn.game),
            ply: Some(turn.ply),
            mv: mv.clone(),
        });
        self.sent = Some((turn, mv));
    }
}
