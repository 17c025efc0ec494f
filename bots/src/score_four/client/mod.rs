//! The client of the native protocol: an engine or a person, through one match.

mod connection;
mod human;
mod options;
mod player;
mod summary;
mod track;

use std::io::{self, BufRead, Write};
use std::sync::mpsc;
use std::time::Duration;

use log::{debug, info, warn};
use protocol::native::{ClientMessage, ErrorCode, Received, ServerMessage};
use serde_json::{Value, json};

use connection::{Connection, Input};
use human::{Command, Person};
pub use options::{Options, PlayerName};
use player::Player;
pub use summary::Summary;
use track::Track;

/// Why a match was not played to its end.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// No connection.
    #[error("cannot connect to {address}: {source}. Is the server running, and is the port right?")]
    Connect {
        /// Host and port.
        address: String,
        /// What went wrong.
        source: io::Error,
    },
    /// The server does not want this client.
    #[error("the server refused: {message} ({})", code.as_str())]
    Refused {
        /// The code.
        code: ErrorCode,
        /// The server's sentence.
        message: String,
    },
    /// The connection was lost and did not come back.
    #[error("the connection was lost, and no other came: {0}")]
    Lost(String),
    /// What the server says cannot be followed.
    #[error("this server cannot be followed: {0}")]
    Odd(String),
}

impl PlayError {
    /// The exit status of a program that ends with this: 3 no connection or no seat, 4 the match has
    /// no end. (2 is a wrong command line.)
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Connect { .. } | Self::Refused { .. } => 3,
            Self::Lost(_) | Self::Odd(_) => 4,
        }
    }
}

/// Plays one match. A person's lines come from `lines`, which is read on a thread of its own and only
/// then; boards, or with `--json` decisions and results, and the summary go to `out`.
///
/// # Errors
/// When there is no connection or no seat, or the connection is lost for good.
pub fn run(
    options: &Options,
    lines: Box<dyn BufRead + Send>,
    out: &mut dyn Write,
) -> Result<Summary, PlayError> {
    let (sender, inputs) = mpsc::channel();
    let seed = options.seed_or_clock();
    debug!("seed {seed}");
    let player = options
        .engine_options()
        .map(|engine| Player::new(engine.build(seed)));
    let person = player.is_none().then(Person::default);
    if person.is_some() {
        human::read_lines(lines, sender.clone());
    }
    let mut client = Client {
        options,
        connection: Connection::open(options, sender)?,
        inputs,
        player,
        person,
        track: Track::default(),
        summary: Summary::default(),
        asked: None,
        astray: false,
        leaving: false,
        out,
    };
    let played = client.play();
    let Client {
        mut summary,
        player,
        out,
        ..
    } = client;
    if let Some(player) = player {
        summary.decisions = player.decisions;
        summary.time = player.time;
        summary.longest = player.longest;
        summary.corrected = player.corrected;
    }
    if options.json {
        write_line(out, &json!({ "summary": summary.to_json() }));
    } else {
        let _ = writeln!(out, "{summary}");
    }
    played.map(|()| summary)
}

/// A request for a move that is not answered.
#[derive(Clone, Copy, Debug)]
struct Asked {
    game: u32,
    ply: u32,
    left: Option<Duration>,
}

struct Client<'a> {
    options: &'a Options,
    connection: Connection,
    inputs: mpsc::Receiver<Input>,
    player: Option<Player>,
    person: Option<Person>,
    track: Track,
    summary: Summary,
    asked: Option<Asked>,
    /// Whether the view was asked for because something did not fit the position.
    astray: bool,
    /// Whether the person has left the match: then a closed connection is the end.
    leaving: bool,
    out: &'a mut dyn Write,
}

impl Client<'_> {
    fn play(&mut self) -> Result<(), PlayError> {
        loop {
            let Ok(input) = self.inputs.recv() else {
                return Err(PlayError::Lost("nothing is read any more".to_owned()));
            };
            match input {
                Input::Bytes(connection, bytes) => {
                    if !self.connection.take(connection, &bytes) {
                        continue;
                    }
                    while let Some(received) = self.connection.end.next_message() {
                        if self.receive(received)? {
                            return Ok(());
                        }
                    }
                }
                Input::Lost(connection, reason) => {
                    if connection == self.connection.number() {
                        if self.leaving {
                            return Ok(());
                        }
                        self.lost(&reason)?;
                    }
                }
                Input::Line(line) => self.line(Some(line)),
                Input::EndOfLines => self.line(None),
            }
            self.obey();
        }
    }

    fn lost(&mut self, reason: &str) -> Result<(), PlayError> {
        info!("{reason}; connecting again");
        self.note(format_args!("{reason}; connecting again"));
        self.asked = None;
        self.summary.reconnected += 1;
        self.connection.reopen(self.options, reason)
    }

    /// Takes a message; gives whether the match is over.
    fn receive(&mut self, received: Received) -> Result<bool, PlayError> {
        let message = match received {
            Received::Message(message) => message,
            Received::Unknown(kind) => {
                debug!("a message of type {kind} is passed over");
                return Ok(false);
            }
            Received::Odd(e) => {
                warn!("the server: {e}");
                self.summary.odd += 1;
                return Ok(false);
            }
            Received::TooLong => return Err(PlayError::Odd("it sends endless lines".to_owned())),
        };
        if let Some(person) = &mut self.person {
            let text = person.news(&message, &self.track);
            let _ = write!(self.out, "{text}").and_then(|()| self.out.flush());
        }
        match message {
            ServerMessage::Welcome {
                resumed, player, ..
            } => {
                self.track.player = player;
                self.connection.welcomed(resumed);
            }
            ServerMessage::Match { .. } => self.track.match_began(),
            ServerMessage::Game { game, players, .. } => self.track.begin(game, &players),
            ServerMessage::View {
                game, seat, view, ..
            } => {
                self.track.view(game, seat, &view).map_err(PlayError::Odd)?;
                self.show_board();
                self.answer();
                // A request that does not fit even now is none: it was late.
                if std::mem::take(&mut self.astray) && self.player.is_some() {
                    self.asked = None;
                }
            }
            ServerMessage::Request {
                game, ply, left_ms, ..
            } => {
                let left = left_ms.map(Duration::from_millis);
                self.asked = Some(Asked { game, ply, left });
                self.answer();
            }
            ServerMessage::Moved {
                game,
                ply,
                mv,
                seat,
                ..
            } => {
                if !self.track.moved(game, ply, &mv) {
                    self.go_astray();
                } else if self.person.is_some() && (seat != self.track.seat || self.is_over()) {
                    self.show_board();
                }
            }
            ServerMessage::Result {
                game,
                places,
                end,
                by,
                ..
            } => {
                self.asked = None;
                self.result(game, &places, &end, by);
            }
            ServerMessage::Over { reason, .. } => {
                self.summary.reason = reason;
                return Ok(true);
            }
            ServerMessage::Error { code, message, .. } => return self.error(code, message),
            ServerMessage::Out { .. }
            | ServerMessage::Presence { .. }
            | ServerMessage::Legal { .. } => {}
        }
        Ok(false)
    }

    fn is_over(&self) -> bool {
        self.track.position.to_move().is_none()
    }

    fn error(&mut self, code: ErrorCode, message: String) -> Result<bool, PlayError> {
        use ErrorCode::{Full, Game, Hello, Rate, Replaced, Stopped, Token, Version};
        warn!("the server: {message} ({})", code.as_str());
        match code {
            // The seat of one that waits for others is not kept.
            Token if !self.track.has_match => {
                self.connection.forget_token(self.options);
                self.lost("the seat was not kept")?;
            }
            Version | Game | Full | Hello | Token | Replaced | Stopped => {
                return Err(PlayError::Refused { code, message });
            }
            Rate | ErrorCode::Illegal => self.summary.refused += 1,
            _ => {}
        }
        Ok(false)
    }

    /// Answers a request: an engine at once, a person with its next line.
    fn answer(&mut self) {
        let (Some(asked), Some(player)) = (self.asked, &mut self.player) else {
            return;
        };
        let now = (self.track.game, u32::from(self.track.position.ply()));
        let is_turn = self.track.position.to_move() == Some(self.track.seat);
        if now != (asked.game, asked.ply) || !is_turn {
            self.go_astray();
            return;
        }
        self.asked = None;
        let position = self.track.position;
        let decision = player.choose(&position, asked.left.map(time_to_use));
        let mv = decision.peg.to_string();
        self.connection.send(&ClientMessage::Move {
            game: Some(asked.game),
            ply: Some(asked.ply),
            mv,
        });
        if self.options.json {
            let mut line = decision.log;
            line["game"] = json!(asked.game);
            line["ply"] = json!(asked.ply);
            line["seat"] = json!(self.track.seat);
            line["board"] = json!(position.to_string());
            write_line(self.out, &line);
        }
    }

    /// The server's moves do not fit the board: the view will tell.
    fn go_astray(&mut self) {
        if !std::mem::replace(&mut self.astray, true) {
            self.summary.disagreements += 1;
            self.connection.send(&ClientMessage::View);
        }
    }

    /// A person's line, or the end of all.
    fn line(&mut self, line: Option<String>) {
        if let Some(person) = &mut self.person {
            person.line(line);
        }
    }

    /// Does what a person's lines ask for.
    fn obey(&mut self) {
        while let Some(person) = &mut self.person {
            let Some(command) = person.next_command(&self.track, self.asked.is_some()) else {
                return;
            };
            match command {
                Command::Say(text) => {
                    let _ = writeln!(self.out, "{text}").and_then(|()| self.out.flush());
                }
                Command::Send(message) => {
                    match message {
                        ClientMessage::Move { .. } => self.asked = None,
                        ClientMessage::Leave => self.leaving = true,
                        _ => {}
                    }
                    self.connection.send(&message);
                }
            }
        }
    }

    /// Draws the board for a person.
    fn show_board(&mut self) {
        if self.person.is_some() {
            let _ = write!(self.out, "{:#}", self.track.position).and_then(|()| self.out.flush());
        }
    }

    fn note(&mut self, text: std::fmt::Arguments<'_>) {
        if self.person.is_some() {
            let _ = writeln!(self.out, "{text}");
        }
    }

    fn result(&mut self, game: u32, places: &[u8], end: &str, by: Option<u8>) {
        let seat = self.track.seat;
        let outcome = self.summary.add(seat, places);
        info!(
            "game {game}: {outcome}, {end}, {} plies",
            self.track.position.ply()
        );
        if self.options.json {
            let line = json!({ "result": {
                "game": game,
                "seat": seat,
                "outcome": outcome,
                "end": end,
                "by": by,
                "plies": self.track.position.ply(),
                "board": self.track.position.to_string(),
            }});
            write_line(self.out, &line);
        }
    }
}

/// What an engine may use of the time that is left: some of it goes with the message, and on a busy machine
/// with waiting for the processor.
fn time_to_use(left: Duration) -> Duration {
    let reserve = (left / 10)
        .max(Duration::from_millis(30))
        .min(Duration::from_millis(500))
        .min(left / 2);
    left.saturating_sub(reserve).max(Duration::from_millis(1))
}

/// A line of JSON; a closed pipe does not stop the game.
fn write_line(out: &mut dyn Write, line: &Value) {
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
