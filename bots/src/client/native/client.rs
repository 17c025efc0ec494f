//! One match.

use std::io::{BufRead, Write};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use log::{debug, info, warn};
use protocol::native::{ClientMessage, Clocks, ErrorCode, Received, ServerMessage};
use serde_json::{Value, json};

use super::clock::TimeLeft;
use super::connection::{Connection, Destination, Input};
use super::seat_token::TokenFile;
use super::track::Track;
use super::turn::{Asked, Refused, Sent};
use super::{Game, PlayError, Summary};
use crate::client::options::{EngineNames, Options};
use crate::client::person::{Command, Person, read_lines};
use crate::client::player::Player;
use crate::client::summary::GameEnd;

/// Plays one match with this engine, or without one as a person. A person's lines come from `lines`, which
/// is read on a thread of its own and only then; boards, or with `--json` decisions and results, and the
/// summary go to `out`.
///
/// # Errors
/// When there is no connection or no seat, or the connection is lost for good.
pub fn run<G: Game, E: EngineNames>(
    options: &Options<E>,
    engine: Option<Box<G::Engine>>,
    lines: Box<dyn BufRead + Send>,
    out: &mut dyn Write,
) -> Result<Summary<G::Tally>, PlayError> {
    let (sender, inputs) = mpsc::channel();
    let token_file = TokenFile::new(options.token_file.as_deref());
    let token = match &options.token {
        Some(token) => Some(token.clone()),
        None => token_file.read()?,
    };
    let player = engine.map(Player::new);
    let person = player.is_none().then(Person::default);
    if person.is_some() {
        read_lines(lines, sender.clone());
    }
    let destination = Destination {
        host: options.host.clone(),
        port: options.port,
        limit: options.connect_limit(),
        name: options.name(),
        game: G::NAME,
    };
    let mut client = Client::<G> {
        json: options.json,
        token_file,
        connection: Connection::open(destination, token.as_deref(), sender)?,
        inputs,
        arrived: Instant::now(),
        player,
        person,
        track: Track::default(),
        clocks: Clocks::default(),
        summary: Summary::default(),
        asked: None,
        sent: None,
        refused: Refused::default(),
        astray: false,
        leaving: false,
        resigned: None,
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

/// The client in a match.
pub(super) struct Client<'a, G: Game> {
    pub(super) json: bool,
    token_file: TokenFile,
    pub(super) connection: Connection,
    inputs: mpsc::Receiver<Input>,
    /// When the last bytes arrived.
    arrived: Instant,
    pub(super) player: Option<Player<G>>,
    person: Option<Person>,
    pub(super) track: Track<G>,
    clocks: Clocks,
    pub(super) summary: Summary<G::Tally>,
    pub(super) asked: Option<Asked>,
    pub(super) sent: Option<Sent<G::Move>>,
    pub(super) refused: Refused,
    /// Whether the view was asked for because something did not fit the position, or a move was refused.
    pub(super) astray: bool,
    /// Whether the person has left the match: then a closed connection is the end.
    leaving: bool,
    /// The game that the person has given up last: requests in it have crossed that on the way.
    resigned: Option<u32>,
    pub(super) out: &'a mut dyn Write,
}

impl<G: Game> Client<'_, G> {
    fn play(&mut self) -> Result<(), PlayError> {
        loop {
            let Ok(input) = self.inputs.recv() else {
                return Err(PlayError::Lost("nothing is read any more".to_owned()));
            };
            match input {
                Input::Bytes(connection, arrived, bytes) => {
                    if !self.connection.take(connection, &bytes) {
                        continue;
                    }
                    self.arrived = arrived;
                    while let Some(received) = self.connection.end.next_message() {
                        if self.receive(received)? {
                            self.token_file.forget();
                            return Ok(());
                        }
                    }
                }
                Input::Lost(connection, reason) => {
                    if connection == self.connection.number() {
                        if self.leaving {
                            self.token_file.forget();
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
        self.connection.reopen(reason)
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
                resumed,
                player,
                token,
                ..
            } => {
                self.track.player = player;
                self.connection.welcomed(resumed);
                self.token_file.keep(&token);
            }
            ServerMessage::Match { clocks, rules, .. } => {
                let is_first = !std::mem::replace(&mut self.track.has_match, true);
                if let (true, true, Some(warning)) =
                    (is_first, self.player.is_some(), G::warning(&rules))
                {
                    warn!("{warning}");
                }
                self.clocks = clocks;
            }
            ServerMessage::Game {
                game, players, ply, ..
            } => {
                self.track.begin(game, &players, ply);
                if let Some(player) = &mut self.player {
                    player.new_game();
                }
            }
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
            ServerMessage::Request { game, .. } if Some(game) == self.resigned => {}
            ServerMessage::Request {
                game,
                ply,
                left_ms,
                budget_ms,
            } => {
                let ms = |ms: Option<u64>| Duration::from_millis(ms.unwrap_or_default());
                let left = left_ms.map(|left| TimeLeft {
                    all: Duration::from_millis(left),
                    budget: ms(budget_ms),
                    increment: ms(self.clocks.increment_ms),
                });
                // The clock has been running while it waited for the end of a decision.
                let since = self.arrived;
                self.asked = Some(Asked {
                    game,
                    ply,
                    left,
                    since,
                });
                self.answer();
            }
            ServerMessage::Moved {
                game,
                ply,
                mv,
                seat,
                ..
            } => {
                if !self.track.moved(game, ply, seat, &mv) {
                    self.go_astray();
                } else if self.person.is_some() && (seat != self.track.seat || self.is_over()) {
                    self.show_board();
                }
            }
            ServerMessage::Out {
                game, seat, end, ..
            } => self.track.out(game, seat, &end),
            ServerMessage::Result { .. } => self.result(&message),
            ServerMessage::Over { reason, .. } => {
                self.summary.reason = reason;
                return Ok(true);
            }
            ServerMessage::Error { code, message, .. } => return self.error(code, message),
            // Presence, legal moves, and messages of later versions.
            _ => {}
        }
        Ok(false)
    }

    fn is_over(&self) -> bool {
        G::to_move(&self.track.position).is_none()
    }

    fn error(&mut self, code: ErrorCode, message: String) -> Result<bool, PlayError> {
        use ErrorCode::{Full, Game, Hello, Illegal, Rate, Replaced, Stopped, Token, Version};
        warn!("the server: {message} ({})", code.as_str());
        match code {
            // The seat of one that waits for others is not kept.
            Token if !self.track.has_match => {
                self.connection.forget_token();
                self.lost("the seat was not kept")?;
            }
            Version | Game | Full | Hello | Token | Replaced | Stopped => {
                return Err(PlayError::Refused { code, message });
            }
            Illegal => {
                self.summary.refused += 1;
                self.try_again();
            }
            Rate => self.summary.refused += 1,
            _ => {}
        }
        Ok(false)
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
                Command::Play(mv) => {
                    if let Some(asked) = self.asked.take() {
                        self.send_move(asked, mv);
                    }
                }
                Command::Send(message) => {
                    self.leaving |= matches!(message, ClientMessage::Leave);
                    if message == ClientMessage::Resign {
                        // Nothing is asked any more: the end of the lines is no reason to leave the match.
                        self.asked = None;
                        self.resigned = Some(self.track.game);
                    }
                    self.connection.send(&message);
                }
            }
        }
    }

    /// Draws the board for a person.
    fn show_board(&mut self) {
        if self.person.is_some() {
            let board = G::draw(&self.track.position);
            let _ = write!(self.out, "{board}").and_then(|()| self.out.flush());
        }
    }

    fn note(&mut self, text: std::fmt::Arguments<'_>) {
        if self.person.is_some() {
            let _ = writeln!(self.out, "{text}");
        }
    }

    fn result(&mut self, message: &ServerMessage) {
        let ServerMessage::Result {
            game,
            places,
            scores,
            game_points,
            end,
            by,
            ends,
            ..
        } = message
        else {
            return;
        };
        self.asked = None;
        let seat = self.track.seat;
        let outcome = self.summary.add(
            seat,
            &GameEnd {
                places,
                scores,
                game_points,
            },
        );
        let plies = self.track.ply();
        info!("game {game}: {outcome}, {end}, {plies} plies");
        if self.json {
            let mut line = json!({
                "game": game,
                "seat": seat,
                "outcome": outcome,
                "places": places,
                "end": end,
                "by": by,
                "plies": plies,
                "board": G::log(&self.track.position),
            });
            if !ends.is_empty() {
                line["ends"] = json!(ends);
            }
            if !game_points.is_empty() {
                line["game_points"] = json!(game_points);
            }
            write_line(self.out, &json!({ "result": line }));
        }
    }
}

/// A line of JSON; a closed pipe does not stop the game.
pub(super) fn write_line(out: &mut dyn Write, line: &Value) {
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
