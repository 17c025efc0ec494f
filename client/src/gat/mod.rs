//! The client of GAT: one connection a game, as many games as wanted, any player.

mod error;
mod game;
mod tracker;

use std::io::{self, Write};
use std::thread::sleep;
use std::time::{Duration, Instant};

use games::Seat;
use games::geister::{
    Colour, Direction, GameView, Ghost, Move, MoveList, Placement, Rules, Seen, View,
};
use log::{debug, error, info, warn};
use protocol::gat::{Board, BoardError, ClientEnd, Event, MoveAnswer, Outcome};
use protocol::native::{ErrorCode, ServerMessage};
use serde_json::{Value, json};

use super::connect::{RETRY, Waiting, connect, is_passing};
use super::link::{Input, Inputs, Link, Lost};
use super::{
    Act, Asked, Decision, DuelTally, Manners, News, NoConnection, Player, ServerOptions, Sitter,
    Summary, tell_of_silence, write_line,
};
use game::drawing;

pub use error::{GameError, PlayError};
pub use game::{Choice, Geister, Sight};
pub use tracker::{Followed, Reason, Tracker};

const MANNERS: Manners = Manners {
    has_resign: false,
    quit: "leave the game, which loses it",
};

/// Games in a row that may break before the client gives up.
const MOST_BROKEN: u32 = 3;
/// A connection that was open for so long was no attempt that failed: the time for connecting begins
/// anew after it.
const LASTING: Duration = Duration::from_secs(1);
/// How long a server may say nothing before people are told that it is silent: usually it waits for the other player.
const UNTOLD: Duration = Duration::from_secs(10);
/// How long the result may take after a refused move; then the server is one where refusals do not
/// end games, and another move is sent.
const RESULT_WAIT: Duration = Duration::from_millis(300);
const MOST_REFUSALS: u32 = 5;
/// Most legal moves of a turn.
const MOST_MOVES: usize = 32;

/// How to come to a server, and what to take it for.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// Where it is.
    pub server: &'a ServerOptions,
    /// The name that goes with the placement.
    pub name: Option<&'a str>,
    /// The rules that the server is said to have.
    pub rules: Rules,
    /// How long a silence may last; without it for ever.
    pub idle: Option<Duration>,
    /// Whether decisions and results are written.
    pub json: bool,
}

/// Plays a game at each of the ports. What a person sees, or with `json` decisions and results, and the summary go to
/// `out`; the summary comes even when a game could not be played; without `json` it does not if that was the first. A
/// single game without a result is counted in [`Summary::broken`], and the next is played.
///
/// # Errors
/// When there is no connection, or game after game breaks.
pub fn run(
    settings: &Settings<'_>,
    ports: impl Iterator<Item = u16>,
    sitter: Sitter<Geister>,
    out: &mut dyn Write,
) -> Result<Summary<DuelTally>, PlayError> {
    let inputs = Inputs::default();
    let mut player = sitter(inputs.waker(), MANNERS);
    let mut summary = Summary::default();
    let played = play_games(settings, ports, &inputs, &mut *player, &mut summary, out);
    summary.thinking = player.thinking();
    summary.write(settings.json, played.is_err(), out);
    played.map(|()| summary)
}

/// Plays a game at each of the ports. A single game without a result is counted in [`Summary::broken`], and the next is
/// played; a player that leaves ends the run.
///
/// # Errors
/// When there is no connection, or game after game breaks.
fn play_games(
    settings: &Settings<'_>,
    ports: impl Iterator<Item = u16>,
    inputs: &Inputs,
    player: &mut dyn Player<Geister>,
    summary: &mut Summary<DuelTally>,
    out: &mut dyn Write,
) -> Result<(), PlayError> {
    let mut broken = 0;
    for (port, number) in ports.zip(1..) {
        let opened = Connection::open(settings, port, number, inputs, &mut *player, &mut *out);
        let connection = opened.map_err(|source| match number {
            1 => source,
            game => PlayError::Gone {
                game,
                source: Box::new(source),
            },
        })?;
        let mut game = Game {
            number,
            settings,
            connection,
            inputs,
            player: &mut *player,
            summary: &mut *summary,
            out: &mut *out,
            tracker: Tracker::new(Placement::ALL[0], settings.rules),
            name: settings.name,
            due: Due::Nothing,
            enemy: None,
            refused: Vec::new(),
        };
        match game.play() {
            Ok(Some(_)) => broken = 0,
            Ok(None) => {
                summary.leave();
                return Ok(());
            }
            Err(source) => {
                summary.broken += 1;
                broken += 1;
                // A person reads the sentence.
                if !player.wakes() {
                    warn!("game {number}: no result: {source}");
                }
                let sentence = format!("The game has no result: {source}.");
                player.tell(News::Said(&sentence), out);
                if settings.json {
                    let line = json!({ "broken": { "game": number, "error": source.to_string() } });
                    write_line(out, &line);
                }
                if broken == MOST_BROKEN {
                    let game = number;
                    return Err(PlayError::Broken { game, source });
                }
            }
        }
    }
    Ok(())
}

/// A connection on which `SET?` has come.
struct Connection {
    link: Link,
    end: ClientEnd,
    /// How long a silence may last.
    idle: Option<Duration>,
    /// When the last message came or went.
    silent_since: Instant,
}

enum Happened {
    Event(Event),
    Player,
    Nothing,
}

impl Connection {
    /// Connects and waits for `SET?`. Tries again while the port refuses, and when the connection dies
    /// before `SET?`, as it does at servers that close their ports between games.
    ///
    /// # Errors
    /// When the time for it is over, the host is unknown, or the server is silent for too long.
    fn open(
        settings: &Settings<'_>,
        port: u16,
        number: u32,
        inputs: &Inputs,
        player: &mut dyn Player<Geister>,
        out: &mut dyn Write,
    ) -> Result<Self, PlayError> {
        let server = settings.server;
        let (address, limit) = (server.address(port), server.connect_limit());
        let mut deadline = Instant::now() + limit;
        let mut dropped = 0_u32;
        let mut waiting = Waiting::new();
        loop {
            let began = Instant::now();
            let error = match connect(&server.host, port, limit) {
                Ok(stream) => {
                    let mut connection = Self {
                        link: Link::new(stream, number, inputs, player.wakes()),
                        end: ClientEnd::new(),
                        idle: settings.idle,
                        silent_since: Instant::now(),
                    };
                    let mut said = None;
                    let mut tell = || {
                        let sentence = format!(
                            "{address} has not said SET? yet: it waits for the other player, or it is no GAT server"
                        );
                        tell_of_silence(&mut *player, &sentence, &mut *out);
                    };
                    match connection.set_request(inputs, &mut said, &mut tell) {
                        Ok(()) => return Ok(connection),
                        Err(Lost::Silent(limit)) => {
                            return Err(PlayError::Silent { address, limit });
                        }
                        Err(lost) => {
                            let said = said.unwrap_or_else(|| connection.end.unfinished());
                            // A server of GAT may die in the middle of it.
                            if !"SET?\r".starts_with(&said) {
                                let said = said.trim_end().escape_debug().to_string();
                                return Err(PlayError::Foreign { address, said });
                            }
                            debug!("before SET?: {lost}");
                            dropped += 1;
                            None
                        }
                    }
                }
                Err(error) if is_passing(&error) => Some(error),
                Err(source) => return Err(NoConnection { address, source }.into()),
            };
            if began.elapsed() > LASTING {
                deadline = Instant::now() + limit;
            }
            if Instant::now() >= deadline {
                return Err(match error {
                    Some(source) => NoConnection { address, source }.into(),
                    None => PlayError::Dropped { address, dropped },
                });
            }
            waiting.failed(&server.host, port);
            sleep(RETRY);
        }
    }

    /// How long the server may be silent before people are told, in the first game.
    fn until_told(&self) -> Option<Duration> {
        let is_first = self.link.number() == 1;
        Some(UNTOLD).filter(|untold| is_first && self.idle.is_none_or(|idle| idle > *untold))
    }

    /// Waits for `SET?`. The first line of another kind goes to `said`; `tell` is called once after a silence in the first
    /// game.
    fn set_request(
        &mut self,
        inputs: &Inputs,
        said: &mut Option<String>,
        tell: &mut dyn FnMut(),
    ) -> Result<(), Lost> {
        let mut until_told = self.until_told();
        while !self.end.has_begun() {
            match self.next(inputs, until_told, false)? {
                Happened::Event(Event::Odd(line)) => {
                    info!("before SET? the server said `{}`", line.escape_debug());
                    said.get_or_insert(line);
                }
                Happened::Nothing => {
                    until_told = None;
                    tell();
                }
                Happened::Event(_) | Happened::Player => {}
            }
        }
        Ok(())
    }

    /// Sends a message: from now on the server is to answer.
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.silent_since = Instant::now();
        self.link.send(message)
    }

    /// What happens next, in the time `within`. Without it waits as long as a silence of the server may last, and for
    /// ever where `is_awaited` says that the server waits.
    ///
    /// # Errors
    /// When the connection has ended and all that came before was taken.
    fn next(
        &mut self,
        inputs: &Inputs,
        within: Option<Duration>,
        is_awaited: bool,
    ) -> Result<Happened, Lost> {
        let deadline = within.map(|within| Instant::now() + within);
        let idle = self.idle.filter(|_| !is_awaited);
        loop {
            if let Some(event) = self.end.next_event() {
                return Ok(Happened::Event(event));
            }
            let until = deadline.or_else(|| Some(self.silent_since + idle?));
            let left = until.map(|at| at.saturating_duration_since(Instant::now()));
            match self.link.next(inputs, left) {
                Some(Input::Bytes(_, at, bytes)) => {
                    self.silent_since = at;
                    self.end.receive(&bytes);
                }
                Some(Input::Lost(_, lost)) => return Err(lost),
                Some(Input::Player) => return Ok(Happened::Player),
                None => match (deadline, idle) {
                    (None, Some(limit)) => return Err(Lost::Silent(limit)),
                    _ => return Ok(Happened::Nothing),
                },
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Due {
    Nothing,
    Placement,
    Move,
}

struct Game<'a> {
    /// Number of the game, from 1.
    number: u32,
    settings: &'a Settings<'a>,
    connection: Connection,
    inputs: &'a Inputs,
    player: &'a mut dyn Player<Geister>,
    summary: &'a mut Summary<DuelTally>,
    out: &'a mut dyn Write,
    tracker: Tracker,
    /// The name that goes with the placement, until the server refuses it.
    name: Option<&'a str>,
    due: Due,
    /// The enemy's last move, for the log.
    enemy: Option<Followed>,
    /// Moves that the server has refused this turn.
    refused: Vec<Choice>,
}

impl Game<'_> {
    /// Plays to the result; `None` if the player has left.
    ///
    /// # Errors
    /// When there is none.
    fn play(&mut self) -> Result<Option<Outcome>, GameError> {
        let outcome = self.turns();
        self.summary.disagreements += self.tracker.disagreements();
        outcome
    }

    fn turns(&mut self) -> Result<Option<Outcome>, GameError> {
        let mut refusals = 0;
        // How long to wait for the next event.
        let mut within = None;
        self.tell(News::NewGame);
        self.show_begin();
        self.say(&format!("\nGame {}. Type help for help.", self.number));
        self.ask_for_placement();
        while self.obey()? {
            let is_awaited = self.due != Due::Nothing;
            let happened = self.connection.next(self.inputs, within, is_awaited)?;
            if !matches!(happened, Happened::Event(Event::Odd(_)) | Happened::Player) {
                within = None;
            }
            let event = match happened {
                Happened::Event(event) => event,
                Happened::Player => continue,
                Happened::Nothing if self.refused.is_empty() => {
                    let sentence = "no move has come yet: the other player is thinking, or has not come; each player \
                                    connects to a port of its own (--seat)";
                    tell_of_silence(&mut *self.player, sentence, &mut *self.out);
                    continue;
                }
                // No result has followed a refused move.
                Happened::Nothing if self.refused.len() < MOST_MOVES => {
                    self.ask_for_move();
                    continue;
                }
                Happened::Nothing => return Err(GameError::NoMove),
            };
            match event {
                Event::SetAnswer(false) if self.name.take().is_some() => {
                    info!("the server takes no names: placing without");
                    self.say("The server takes no names.");
                    self.ask_for_placement();
                }
                Event::SetAnswer(false) => {
                    warn!("game {}: the server refused the placement", self.number);
                    let refusal = "The server has refused the placement.";
                    self.say(refusal);
                    self.show(|_| ServerMessage::error(ErrorCode::Illegal, refusal));
                    refusals += 1;
                    if refusals == MOST_REFUSALS {
                        return Err(GameError::NoPlacement);
                    }
                    self.ask_for_placement();
                }
                Event::MoveRequested(board) => self.turn(&board),
                Event::MoveAnswer(MoveAnswer::Made(captured)) => {
                    let sent = self.tracker.sent();
                    let made = sent.and_then(|mv| self.tracker.made(mv, captured));
                    if let Some(captured) = captured {
                        self.say(&format!("You have captured a {} ghost.", name_of(captured)));
                    }
                    self.observe(made);
                }
                Event::MoveAnswer(MoveAnswer::Refused) => {
                    warn!("game {}: the server refused the move", self.number);
                    let refusal = "The server has refused the move.";
                    self.say(refusal);
                    self.show(|_| ServerMessage::error(ErrorCode::Illegal, refusal));
                    self.summary.refused += 1;
                    self.refused.extend(self.tracker.sent().map(Choice::Go));
                    self.tracker.refused();
                    within = Some(RESULT_WAIT);
                }
                Event::Ended(outcome, board) => {
                    self.ended(outcome, board);
                    return Ok(Some(outcome));
                }
                Event::SetAnswer(true) => {
                    within = self.connection.until_told();
                    let view = *self.tracker.view();
                    self.show_view(&GameView::Playing(view));
                }
                Event::SetRequested => {}
                Event::Odd(line) => {
                    let line = line.escape_debug();
                    warn!("game {}: the server said `{line}`", self.number);
                    self.summary.odd += 1;
                }
            }
        }
        Ok(None)
    }

    fn tell(&mut self, news: News<'_, Geister>) {
        self.player.tell(news, self.out);
    }

    fn say(&mut self, sentence: &str) {
        self.tell(News::Said(sentence));
    }

    /// Tells a player that shows the table of something.
    fn show(&mut self, message: impl FnOnce(&Self) -> ServerMessage) {
        if self.player.shows() {
            let message = message(self);
            self.player.show(&message);
        }
    }

    /// Shows that the game begins, or which seat is the own one as soon as a board tells: the own player counts as
    /// number 0.
    fn show_begin(&mut self) {
        self.show(|game| ServerMessage::Game {
            event: 0,
            game: game.number,
            players: match game.tracker.seat() {
                Some(1) => vec![1, 0],
                _ => vec![0, 1],
            },
            ply: 0,
        });
    }

    /// Shows what the seat sees; placements are plies.
    fn show_view(&mut self, view: &GameView) {
        self.show(|game| {
            let (seat, ply, to_move) = match view {
                GameView::Placing { to_move, .. } => (0, 0, Some(to_move.number())),
                GameView::Playing(view) => (view.seat(), 2 + u32::from(view.ply()), view.to_move()),
            };
            ServerMessage::View {
                event: 0,
                game: game.number,
                seat,
                ply,
                to_move,
                view: json!(view),
            }
        });
    }

    /// Shows a move and what the seat sees after it.
    fn show_move(&mut self, followed: &Followed) {
        let Followed {
            before,
            mv,
            captured,
        } = *followed;
        self.show(|game| ServerMessage::Moved {
            event: 0,
            game: game.number,
            ply: 2 + u32::from(before.ply()),
            seat: before.to_move().unwrap_or_default(),
            mv: Seen::Moved {
                mv,
                captured,
                revealed: None,
            }
            .to_string(),
            used_ms: 0,
            budget_ms: None,
        });
        let mut after = before;
        after.follow(mv, captured).expect("it was followed before");
        self.show_view(&GameView::Playing(after));
    }

    /// Shows the last board with all colours, and the winner.
    fn show_result(&mut self, outcome: Outcome, board: Option<&Board>, end: &str) {
        let view = *self.tracker.view();
        let revealed = board.and_then(|board| {
            let (seat, ply) = (view.seat(), view.ply());
            let mover = u8::from(ply % 2 == 1);
            View::from_ghosts(seat, board.own, board.enemy, mover, ply, view.rules()).ok()
        });
        if let Some(view) = revealed {
            self.show_view(&GameView::Playing(view));
        }
        self.show(|game| {
            let (own, other) = match outcome {
                Outcome::Won => ((1, 1.0), (2, 0.0)),
                Outcome::Lost => ((2, 0.0), (1, 1.0)),
                Outcome::Draw => ((1, 0.5), (1, 0.5)),
            };
            let by_seat = if view.seat() == 1 {
                [other, own]
            } else {
                [own, other]
            };
            ServerMessage::Result {
                event: 0,
                game: game.number,
                places: by_seat.map(|(place, _)| place).to_vec(),
                scores: by_seat.map(|(_, score)| score).to_vec(),
                end: end.to_owned(),
                by: None,
                ends: Vec::new(),
                game_points: Vec::new(),
                reason: None,
            }
        });
    }

    fn ask_for_placement(&mut self) {
        self.due = Due::Placement;
        let placing = GameView::Placing {
            seat: Seat::default(),
            to_move: Seat::default(),
            own: None,
            rules: self.settings.rules,
        };
        self.show_view(&placing);
        self.tell(News::Seen(&Sight::Placing));
    }

    fn ask_for_move(&mut self) {
        self.due = Due::Move;
        self.say("Your move:");
    }

    fn turn(&mut self, board: &Result<Board, BoardError>) {
        if let Err(error) = board {
            warn!("game {}: the board of MOV?: {error}", self.number);
        }
        let news = self.tracker.requested(board.as_ref().ok());
        if let Some(view) = news.began {
            self.tell(News::Begun(&Sight::Playing(view)));
            self.show_begin();
            self.show_view(&GameView::Playing(view));
        }
        self.observe(news.own);
        if let Some(enemy) = &news.enemy {
            self.say(&enemys(enemy));
        }
        self.observe(news.enemy);
        self.enemy = news.enemy;
        self.refused.clear();
        let sight = self.sight();
        self.tell(News::Seen(&sight));
        self.ask_for_move();
    }

    /// What the player sees once the placement has been sent.
    fn sight(&self) -> Sight {
        Sight::Playing(*self.tracker.view())
    }

    /// Lets the player act; gives whether it stays.
    fn obey(&mut self) -> Result<bool, GameError> {
        loop {
            let sight = match self.due {
                Due::Placement => Sight::Placing,
                Due::Move | Due::Nothing => self.sight(),
            };
            let asked = (self.due != Due::Nothing).then_some(Asked {
                limit: None,
                refused: &self.refused,
            });
            let act = self.player.act(Some(&sight), asked, self.out);
            match (act, self.due) {
                (None, _) => return Ok(true),
                (Some(Act::Leave), _) => return Ok(false),
                (Some(Act::Move(decision)), Due::Placement) => {
                    let Choice::Place(placement) = decision.mv else {
                        unreachable!("a placement was asked for");
                    };
                    self.due = Due::Nothing;
                    self.tracker = Tracker::new(placement, self.settings.rules);
                    let message = self.connection.end.set(placement, self.name)?;
                    self.connection.send(&message)?;
                }
                (Some(Act::Move(Decision { mv, log })), Due::Move) => {
                    let Choice::Go(mv) = mv else {
                        unreachable!("a move was asked for");
                    };
                    self.send_move(mv, log)?;
                }
                (Some(Act::NoMove), Due::Move) => {
                    error!("no legal move is left: sending one that is not, to end the game");
                    let mv = Move {
                        ghost: Ghost::ALL[0],
                        direction: Direction::North,
                    };
                    self.send_move(mv, json!({}))?;
                }
                (Some(Act::Move(_) | Act::NoMove | Act::Resign), _) => {
                    unreachable!("a player moves when it is asked, and cannot resign")
                }
            }
        }
    }

    fn send_move(&mut self, mv: Move, log: Value) -> Result<(), GameError> {
        self.due = Due::Nothing;
        let view = *self.tracker.view();
        let message = self.connection.end.play(mv)?;
        self.connection.send(&message)?;
        self.tracker.sending(mv);
        let enemy = self.enemy.take();
        if self.settings.json {
            let mut moves = MoveList::new();
            view.legal_moves(&mut moves);
            let mut line = log;
            line["move"] = json!(mv.to_string());
            line["legal"] = json!(moves.len());
            line["game"] = json!(self.number);
            line["seat"] = json!(view.seat());
            line["ply"] = json!(view.ply());
            line["board"] = json!(Board::from(&view).to_string());
            line["enemy_move"] = enemy.map_or(Value::Null, |enemy| json!(enemy.mv.to_string()));
            write_line(self.out, &line);
        }
        Ok(())
    }

    fn observe(&mut self, followed: Option<Followed>) {
        if let Some(followed) = followed {
            self.tell(News::Played(&followed));
            self.show_move(&followed);
        }
    }

    fn ended(&mut self, outcome: Outcome, board: Result<Board, BoardError>) {
        let seat = self.tracker.seat();
        let results = self.summary.tally.of(seat.map(Seat::new));
        let (name, sentence) = match outcome {
            Outcome::Won => {
                results.won += 1;
                ("won", "You have won")
            }
            Outcome::Lost => {
                results.lost += 1;
                ("lost", "You have lost")
            }
            Outcome::Draw => {
                results.drawn += 1;
                ("drawn", "A draw")
            }
        };
        let board = board
            .inspect_err(|error| {
                warn!("game {}: the board of the result: {error}", self.number);
            })
            .ok();
        let last = board.as_ref().and_then(|board| self.tracker.ended(board));
        if let Some(last) = &last {
            self.say(&enemys(last));
        }
        self.observe(last);
        // Without a board before the last one nobody has begun this game.
        let shown = seat.and_then(|_| enemy_placement(board.as_ref()?));
        if let Some(enemy) = shown {
            let mut view = *self.tracker.view();
            match view.reveal(enemy) {
                Ok(()) => self.tell(News::Ended(&Sight::Playing(view))),
                Err(error) => warn!("game {}: the colours at its end: {error}", self.number),
            }
        }
        let is_draw = outcome == Outcome::Draw;
        let reason = board
            .as_ref()
            .map(|board| Reason::of(board, is_draw).name());
        let why = reason.unwrap_or("reason not shown");
        self.show_result(outcome, board.as_ref(), why);
        if let Some(board) = &board {
            self.say(drawing(&board.own, &board.enemy).trim_end());
        }
        self.say(&format!("{sentence} ({why})."));
        let plies = seat.map(|_| self.tracker.view().ply());
        info!(
            "game {}: {name}, {why}, {} plies",
            self.number,
            plies.map_or("no own turn, so unknown".to_owned(), |plies| plies
                .to_string()),
        );
        if self.settings.json {
            let enemy = board.as_ref().and_then(enemy_placement);
            let line = json!({ "result": {
                "game": self.number,
                "seat": seat,
                "outcome": name,
                "reason": reason,
                "plies": plies,
                "placement": self.tracker.view().placement().to_string(),
                "enemy_placement": enemy.map(|enemy| enemy.to_string()),
                "board": board.map(|board| board.to_string()),
            }});
            write_line(self.out, &line);
        }
    }
}

const fn name_of(colour: Colour) -> &'static str {
    match colour {
        Colour::Blue => "blue",
        Colour::Red => "red",
    }
}

/// A move of the enemy as the own side sees it.
fn enemys(followed: &Followed) -> String {
    let Followed {
        before,
        mv,
        captured,
    } = followed;
    let direction = match mv.direction.turned() {
        Direction::North => "north, away from you",
        Direction::East => "east",
        Direction::South => "south, towards you",
        Direction::West => "west",
    };
    let ghost = mv.ghost.letter().to_ascii_lowercase();
    let place = before.enemy(mv.ghost).0.square();
    let to = place.and_then(|from| from.step(mv.direction.turned()));
    let taken = Ghost::ALL
        .into_iter()
        .find(|ghost| to.is_some() && before.own(*ghost).0.square() == to);
    match (taken, captured) {
        (Some(taken), Some(colour)) => format!(
            "The enemy's {ghost} goes {direction} and captures your {taken}, which is {}.",
            name_of(*colour)
        ),
        _ if to.is_none() => format!("The enemy's {ghost} escapes."),
        _ => format!("The enemy's {ghost} goes {direction}."),
    }
}

/// The enemy's placement, from a board that shows all colours.
fn enemy_placement(board: &Board) -> Option<Placement> {
    let mut mask = 0;
    for (i, (_, colour)) in board.enemy.iter().enumerate() {
        mask |= u8::from((*colour)? == Colour::Red) << i;
    }
    Placement::new(mask)
}
