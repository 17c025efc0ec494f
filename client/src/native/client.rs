//! One match.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use games::{OfferStep, Player as PlayerNumber, Seat};
use log::{debug, info, warn};
use protocol::native::{ClientMessage, Clocks, ErrorCode, Received, ServerMessage};
use protocol::tls::Trust;
use record::{Frame, GameResult, Out};
use serde_json::json;

use super::clock::TimeLeft;
use super::connection::{Connection, Destination};
use super::seat_token::TokenFile;
use super::sentences::Sentences;
use super::track::Track;
use super::{GameEnd, NativeCounts as _, NativeGame};
use crate::link::{Input, Inputs, UNTOLD};
use crate::{
    Action, MatchError, MoveRequest, Notification, PersonCommands, Player, ServerOptions, Sitter,
    Summary, TableEvent, tell_of_silence, write_line,
};

const PERSON_COMMANDS: PersonCommands = PersonCommands {
    has_resign: true,
    quit: "leave the match, which ends it for all",
};

/// How to come to a server, and how to play there.
#[derive(Clone, Debug)]
pub struct NativeSettings<'a> {
    /// Where it is.
    pub server: &'a ServerOptions,
    /// Its TCP port.
    pub port: u16,
    /// Whom to trust in TLS; `None` for plain text.
    pub trust: Option<Trust>,
    /// Name at the table.
    pub name: String,
    /// Token of the seat of an earlier run.
    pub token: Option<&'a str>,
    /// File that keeps the token during the match.
    pub token_file: Option<&'a Path>,
    /// Whether decisions and results are written.
    pub json: bool,
}

/// Plays one match. What a person sees, or with `json` decisions and results, and the summary go to `out`.
///
/// # Errors
/// When there is no connection or no seat, or the connection is lost for good.
pub fn run<G: NativeGame>(
    settings: &NativeSettings<'_>,
    sitter: Sitter<G>,
    out: &mut dyn Write,
) -> Result<Summary<G::Counts>, MatchError> {
    let inputs = Inputs::default();
    let token_file = TokenFile::new(settings.token_file);
    let token = match settings.token {
        Some(token) => Some(token.to_owned()),
        None => token_file.read()?,
    };
    let destination = Destination {
        host: settings.server.host.clone(),
        port: settings.port,
        trust: settings.trust.clone(),
        limit: settings.server.connect_limit(),
        name: settings.name.clone(),
        client: own_client::<G>(),
        game: G::NAME.as_str(),
    };
    let connection = Connection::open(destination, token.as_deref(), inputs.sender())?;
    let json = settings.json;
    let (summary, played) = play(connection, inputs, token_file, json, sitter, out);
    summary.write(json, played.is_err(), out);
    played.map(|()| summary)
}

/// What a client of a game calls itself.
fn own_client<G: NativeGame>() -> String {
    format!(
        "taikyoku {} {}",
        G::NAME.as_str(),
        env!("CARGO_PKG_VERSION")
    )
}

/// Plays the match of a connection to its end.
fn play<G: NativeGame>(
    connection: Connection,
    inputs: Inputs,
    token_file: TokenFile,
    json: bool,
    sitter: Sitter<G>,
    out: &mut dyn Write,
) -> (Summary<G::Counts>, Result<(), MatchError>) {
    let player = sitter(inputs.waker(), PERSON_COMMANDS);
    let mut client = Client::<G> {
        json,
        sentences: Sentences::new(token_file.is_there()),
        token_file,
        connection,
        inputs,
        arrived: Instant::now(),
        player,
        track: Track::default(),
        clocks: Clocks::default(),
        summary: Summary::default(),
        asked: None,
        sent: None,
        refused: Refused::default(),
        astray: false,
        leaving: false,
        resigned: None,
        frame: Frame::begin(0, Vec::new()),
        out,
    };
    let played = client.play();
    let Client {
        mut summary,
        player,
        ..
    } = client;
    summary.thinking = player.thinking();
    (summary, played)
}

/// A request for a move that is not answered.
#[derive(Clone, Copy, Debug)]
struct Request {
    game: u32,
    ply: u32,
    left: Option<TimeLeft>,
    since: Instant,
}

/// Moves that the server refused, of one request.
struct Refused<M> {
    at: (u32, u32),
    moves: Vec<M>,
}

impl<M> Default for Refused<M> {
    fn default() -> Refused<M> {
        Refused {
            at: (0, 0),
            moves: Vec::new(),
        }
    }
}

impl<M> Refused<M> {
    fn add(&mut self, request: Request, mv: M) {
        if self.at != (request.game, request.ply) {
            self.at = (request.game, request.ply);
            self.moves.clear();
        }
        self.moves.push(mv);
    }

    fn of(&self, request: Request) -> &[M] {
        if self.at == (request.game, request.ply) {
            &self.moves
        } else {
            &[]
        }
    }
}

struct Client<'a, G: NativeGame> {
    json: bool,
    token_file: TokenFile,
    connection: Connection,
    inputs: Inputs,
    arrived: Instant,
    player: Box<dyn Player<G>>,
    sentences: Sentences,
    track: Track<G>,
    clocks: Clocks,
    summary: Summary<G::Counts>,
    asked: Option<Request>,
    /// The last move sent, and the request for it.
    sent: Option<(Request, G::Move)>,
    refused: Refused<G::Move>,
    /// Whether the view was asked for because something did not fit the position, or a move was refused.
    astray: bool,
    /// Whether the player has left the match: then a closed connection is the end.
    leaving: bool,
    /// The game that the player has given up last: requests in it have crossed that on the way.
    resigned: Option<u32>,
    frame: Frame,
    out: &'a mut dyn Write,
}

impl<G: NativeGame> Client<'_, G> {
    fn play(&mut self) -> Result<(), MatchError> {
        let mut until_told = Some(UNTOLD);
        loop {
            let untold = until_told.filter(|_| !self.connection.speaks());
            let input = match untold {
                Some(untold) => self.inputs.next_within(untold),
                None => Some(self.inputs.next()),
            };
            let Some(input) = input else {
                until_told = None;
                let address = self.connection.address();
                let sentence = format!(
                    "{address} has said nothing yet: it waits for other players, or is no server of the native protocol"
                );
                tell_of_silence(&mut *self.player, &sentence, self.out);
                continue;
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
                        self.obey();
                    }
                }
                Input::Lost(connection, reason) => {
                    if connection == self.connection.number() {
                        if self.leaving {
                            self.summary.leave();
                            self.token_file.forget();
                            return Ok(());
                        }
                        self.lost(&reason.to_string())?;
                    }
                }
                Input::Player => self.obey(),
            }
        }
    }

    fn lost(&mut self, reason: &str) -> Result<(), MatchError> {
        info!("{reason}; connecting again");
        self.tell(Notification::Said(&format!("{reason}; connecting again")));
        self.asked = None;
        self.summary.reconnected += 1;
        self.connection.reopen(reason)
    }

    fn tell(&mut self, news: Notification<'_, G>) {
        self.player.tell(news, self.out);
    }

    fn show(&mut self) {
        let board = self.track.position.board();
        self.player.tell(Notification::Seen(board), self.out);
    }

    /// Shows a player the content of a message, apart from the position.
    fn show_message(&mut self, message: &ServerMessage) {
        if !self.player.shows() {
            return;
        }
        self.player.show(match message.clone() {
            ServerMessage::Welcome { player, .. } => TableEvent::Seated(player),
            ServerMessage::Match {
                players,
                games,
                rules,
                clocks,
                draws,
            } => TableEvent::Match {
                players,
                games,
                rules,
                clocks,
                draws,
            },
            ServerMessage::Request { left_ms, .. } => TableEvent::Request(left_ms),
            ServerMessage::Presence { player, here, .. } => TableEvent::Presence(player, here),
            ServerMessage::Draw { seat, act, .. } => TableEvent::Draw(Seat::new(seat), act),
            ServerMessage::Result {
                game,
                places,
                scores,
                end,
                by,
                ends,
                game_points,
                reason,
                ..
            } => TableEvent::Result(GameResult {
                by: by.map(Seat::new),
                ends,
                game_points,
                reason,
                ..GameResult::new(game, places, scores, &end)
            }),
            ServerMessage::Over { scores, reason, .. } => TableEvent::Over { scores, reason },
            ServerMessage::Error { code, message, .. } => TableEvent::Error(code, message),
            _ => return,
        });
    }

    fn begin_frame(&mut self, game: u32, players: Vec<PlayerNumber>) {
        self.frame = Frame::begin(game, players);
        let budget = self.clocks.budget_ms.filter(|ms| *ms > 0);
        self.frame.clocks = budget.map(|_| vec![budget; self.frame.players.len()]);
    }

    /// Shows a player what the seat sees now.
    fn show_frame(&mut self) {
        if self.player.shows() {
            let Track { position, seat, .. } = &self.track;
            let view = json!(position.view(*seat));
            self.frame.show(position.ply(), position.to_move(), view);
            self.player.show(TableEvent::Frame(self.frame.clone()));
        }
        self.frame.outs.clear();
    }

    /// Takes a message; gives whether the match is over.
    fn receive(&mut self, received: Received) -> Result<bool, MatchError> {
        let message = match received {
            Received::Message(message) => {
                self.connection.hears();
                message
            }
            Received::Unknown(kind) => {
                self.connection.hears();
                debug!("a message of type {kind} is passed over");
                return Ok(false);
            }
            Received::Odd(e) if !self.connection.speaks() => {
                return Err(self.connection.ended(e.to_string()));
            }
            Received::Odd(e) => {
                warn!("the server: {e}");
                self.summary.odd += 1;
                return Ok(false);
            }
            Received::TooLong if !self.connection.speaks() => {
                return Err(self.connection.ended("it sends endless lines".to_owned()));
            }
            Received::TooLong => return Err(MatchError::Odd("it sends endless lines".to_owned())),
        };
        if let Some(sentence) = self.sentences.sentence(&message, &self.track) {
            self.tell(Notification::Said(&sentence));
        }
        self.show_message(&message);
        match message {
            ServerMessage::Welcome {
                resumed,
                player,
                token,
                ..
            } => {
                self.track.player = PlayerNumber::new(player);
                self.connection.welcomed(resumed);
                self.token_file.keep(&token);
            }
            ServerMessage::Match { clocks, rules, .. } => {
                if !std::mem::replace(&mut self.track.has_match, true) {
                    self.tell(Notification::Rules(&rules));
                    // Rules of later versions do not stop the client: engines warn of those that they do not know.
                    match serde_json::from_value(rules) {
                        Ok(rules) => self.track.rules = rules,
                        Err(e) => debug!("the rules are taken for the usual ones: {e}"),
                    }
                }
                self.clocks = clocks;
            }
            ServerMessage::Game {
                game, players, ply, ..
            } => {
                self.track.begin(game, &players, ply);
                let players = players.into_iter().map(PlayerNumber::new);
                self.begin_frame(game, players.collect());
                self.tell(Notification::NewGame);
            }
            ServerMessage::View {
                game, seat, view, ..
            } => {
                self.track
                    .view(game, seat, &view)
                    .map_err(MatchError::Odd)?;
                // The message that the game begins may be too old to be sent again.
                if self.frame.game != game {
                    self.begin_frame(game, self.frame.players.clone());
                }
                self.show();
                self.show_frame();
                if !std::mem::take(&mut self.astray) {
                    self.check_request();
                } else if self.asked.is_some_and(|request| !self.fits(request)) {
                    // A request that does not fit even now is none: it was late.
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
                // The clock has been running while the request waited for the end of a decision.
                self.asked = Some(Request {
                    game,
                    ply,
                    left,
                    since: self.arrived,
                });
                self.check_request();
            }
            ServerMessage::Moved {
                game,
                ply,
                mv,
                seat,
                used_ms,
                budget_ms,
                ..
            } => {
                let seat = Seat::new(seat);
                let before = self.track.ply();
                if !self.track.moved(game, ply, seat, &mv) {
                    self.go_astray();
                } else if seat != self.track.seat || self.track.position.to_move().is_none() {
                    self.show();
                }
                if self.track.ply() != before {
                    self.frame.play(self.track.ply(), seat, mv, Some(used_ms));
                    let clocks = self.frame.clocks.as_mut();
                    if let Some(clock) = clocks.and_then(|clocks| clocks.get_mut(seat.index())) {
                        *clock = budget_ms;
                    }
                    self.show_frame();
                }
            }
            ServerMessage::Out {
                game,
                seat,
                end,
                reason,
                ..
            } => {
                let seat = Seat::new(seat);
                self.track.out(game, seat, &end);
                self.frame.outs.push(Out { seat, end, reason });
                self.show_frame();
            }
            // Only a player that shows the table can ask a person.
            ServerMessage::Draw {
                game,
                seat,
                act: OfferStep::Offer,
                ..
            } if Seat::new(seat) != self.track.seat && !self.player.shows() => {
                let (game, act) = (Some(game), OfferStep::Decline);
                self.connection.send(&ClientMessage::Draw { game, act });
            }
            ServerMessage::Result { .. } => self.result(&message),
            ServerMessage::Over { reason, .. } => {
                self.summary.reason = reason;
                if self.leaving && self.summary.reason.is_none() {
                    self.summary.leave();
                }
                return Ok(true);
            }
            ServerMessage::Error { code, message, .. } => self.error(code, message)?,
            // Presence, legal moves, and messages of later versions.
            _ => {}
        }
        Ok(false)
    }

    fn error(&mut self, code: ErrorCode, message: String) -> Result<(), MatchError> {
        use ErrorCode::{Full, Game, Hello, Illegal, Rate, Replaced, Stopped, Token, Version};
        // The seat of one that waits for others is not kept, and a file may have the token of a seat that is gone. A token
        // of the command line is wrong for good.
        let is_of_seat = self.connection.has_own_token()
            || (self.connection.has_token() && self.token_file.is_there());
        let is_seat_gone = code == Token && !self.track.has_match && is_of_seat;
        let refuses = [Version, Game, Full, Hello, Token, Replaced, Stopped];
        if refuses.contains(&code) && !is_seat_gone {
            return Err(MatchError::Refused { code, message });
        }
        warn!("the server: {message} ({})", code.as_str());
        match code {
            Token => {
                self.connection.forget_token();
                self.lost("the seat was not kept")?;
            }
            Illegal => {
                self.summary.refused += 1;
                // The server may have granted a retry: another move will do, for the position of the server's view.
                if let Some((request, mv)) = self.sent.take() {
                    self.asked = Some(request);
                    self.refused.add(request, mv);
                    self.ask_for_view();
                }
            }
            Rate => self.summary.refused += 1,
            _ => {}
        }
        Ok(())
    }

    /// Whether a request is for the move that is due in the position.
    fn fits(&self, request: Request) -> bool {
        self.track.is_asked(request.game, request.ply)
    }

    /// Asks for the view where the request does not fit the position.
    fn check_request(&mut self) {
        if self.asked.is_some_and(|request| !self.fits(request)) {
            self.go_astray();
        }
    }

    fn obey(&mut self) {
        loop {
            // What does not fit waits for the view.
            let due = self
                .asked
                .filter(|request| !self.astray && self.fits(*request));
            if let Some(request) = due
                && let Some(mv) = self.sent_before(request)
            {
                self.send_move(request, mv);
                continue;
            }
            let position = &self.track.position;
            let asked = due.map(|request| MoveRequest {
                limit: request.left.map(|left| {
                    let moves = position.moves_left(self.track.seat);
                    let limit = left.to_use(moves).saturating_sub(request.since.elapsed());
                    limit.max(Duration::from_millis(1))
                }),
                refused: self.refused.of(request),
            });
            let view = (self.track.game > 0).then_some(position.board());
            match (self.player.act(view, asked, self.out), due) {
                (None, _) => return,
                (Some(Action::Move(decision)), Some(request)) => {
                    let board = G::log(self.track.position.board());
                    self.send_move(request, decision.mv);
                    if self.json {
                        let mut line = decision.log;
                        line["move"] = json!(decision.mv.to_string());
                        line["game"] = json!(request.game);
                        line["ply"] = json!(request.ply);
                        line["seat"] = json!(self.track.seat);
                        line["board"] = board;
                        write_line(self.out, &line);
                    }
                }
                // All that is legal was refused.
                (Some(Action::NoMove), Some(_)) => self.asked = None,
                (Some(Action::Move(_) | Action::NoMove), None) => debug!("a move that is not due"),
                (Some(Action::Resign), _) => {
                    // Nothing is asked any more: the end of a person's lines is no reason to leave the match.
                    self.asked = None;
                    self.resigned = Some(self.track.game);
                    self.connection.send(&ClientMessage::Resign);
                }
                (Some(Action::Draw(game, act)), _) => {
                    self.connection.send(&ClientMessage::Draw { game, act });
                }
                (Some(Action::Leave), _) => {
                    self.leaving = true;
                    self.connection.send(&ClientMessage::Leave);
                }
            }
        }
    }

    /// The answer to the same request, whose connection was lost on the way.
    fn sent_before(&self, request: Request) -> Option<G::Move> {
        let (sent, mv) = self.sent.as_ref()?;
        let is_same = (sent.game, sent.ply) == (request.game, request.ply);
        (is_same && G::check(self.track.position.board(), *mv).is_ok()).then_some(*mv)
    }

    fn send_move(&mut self, request: Request, mv: G::Move) {
        self.asked = None;
        self.connection.send(&ClientMessage::Move {
            game: Some(request.game),
            ply: Some(request.ply),
            mv: mv.to_string(),
        });
        self.sent = Some((request, mv));
    }

    /// The server's moves do not fit the board: the view will tell.
    fn go_astray(&mut self) {
        if self.ask_for_view() {
            self.summary.disagreements += 1;
        }
    }

    /// Asks for the view, unless it is on the way; gives whether it was not.
    fn ask_for_view(&mut self) -> bool {
        let is_first = !std::mem::replace(&mut self.astray, true);
        if is_first {
            self.connection.send(&ClientMessage::View);
        }
        is_first
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
        let end_of_game = GameEnd {
            places,
            scores,
            game_points,
        };
        let outcome = if end_of_game.outcome(seat).is_none() {
            self.summary.void += 1;
            "void"
        } else {
            self.summary.counts.add(seat, &end_of_game)
        };
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
                "board": G::log(self.track.position.board()),
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
