//! The client of GAT: one connection a game, as many games as wanted, any player.

mod connection;
mod frames;
mod game;
mod tracker;

use std::io::Write;
use std::time::Duration;

use games::Seat;
use games::geister::{Direction, GameView, Ghost, Move, MoveList, Placement, Rules};
use log::{error, info, warn};
use protocol::gat::{Board, BoardError, Event, MoveAnswer, Outcome};
use protocol::native::ErrorCode;
use serde_json::{Value, json};

use super::error::{GameError, MOST_BROKEN, MOST_MOVES, MOST_REFUSALS};
use super::link::Inputs;
use super::{
    Action, Decision, DuelCounts, MatchError, MoveRequest, Notification, PersonCommands, Player,
    ServerOptions, Sitter, Summary, TableEvent, tell_of_silence, write_line,
};
use connection::{GameConnection, Happened};
use frames::{SeatFrames, revealed};
use game::{drawing, enemy_placement, enemys, name_of};

pub use game::{Geister, GeisterChoice, GeisterSight};
pub use tracker::{BoardTracker, Followed, Reason};

const PERSON_COMMANDS: PersonCommands = PersonCommands {
    has_resign: false,
    quit: "leave the game, which loses it",
};

/// How long the result may take after a refused move; then the server is one where refusals do not
/// end games, and another move is sent.
const RESULT_WAIT: Duration = Duration::from_millis(300);

/// How to come to a server, and what to take it for.
#[derive(Clone, Copy, Debug)]
pub struct GatSettings<'a> {
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
    settings: &GatSettings<'_>,
    ports: impl Iterator<Item = u16>,
    sitter: Sitter<Geister>,
    out: &mut dyn Write,
) -> Result<Summary<DuelCounts>, MatchError> {
    let inputs = Inputs::default();
    let mut player = sitter(inputs.waker(), PERSON_COMMANDS);
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
    settings: &GatSettings<'_>,
    ports: impl Iterator<Item = u16>,
    inputs: &Inputs,
    player: &mut dyn Player<Geister>,
    summary: &mut Summary<DuelCounts>,
    out: &mut dyn Write,
) -> Result<(), MatchError> {
    let mut broken = 0;
    for (port, number) in ports.zip(1..) {
        let opened = GameConnection::open(settings, port, number, inputs, &mut *player, &mut *out);
        let connection = opened.map_err(|source| match number {
            1 => source,
            game => MatchError::Gone {
                game,
                source: Box::new(source),
            },
        })?;
        let mut game = GatGame {
            number,
            settings,
            connection,
            inputs,
            player: &mut *player,
            summary: &mut *summary,
            out: &mut *out,
            tracker: BoardTracker::new(Placement::ALL[0], settings.rules),
            name: settings.name,
            due: Pending::Nothing,
            enemy: None,
            refused: Vec::new(),
            frames: SeatFrames::new(number),
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
                player.tell(Notification::Said(&sentence), out);
                if settings.json {
                    let line = json!({ "broken": { "game": number, "error": source.to_string() } });
                    write_line(out, &line);
                }
                if broken == MOST_BROKEN {
                    let game = number;
                    return Err(MatchError::Broken { game, source });
                }
            }
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq)]
enum Pending {
    Nothing,
    Placement,
    Move,
}

struct GatGame<'a> {
    /// Number of the game, from 1.
    number: u32,
    settings: &'a GatSettings<'a>,
    connection: GameConnection,
    inputs: &'a Inputs,
    player: &'a mut dyn Player<Geister>,
    summary: &'a mut Summary<DuelCounts>,
    out: &'a mut dyn Write,
    tracker: BoardTracker,
    /// The name that goes with the placement, until the server refuses it.
    name: Option<&'a str>,
    due: Pending,
    /// The enemy's last move, for the log.
    enemy: Option<Followed>,
    /// Moves that the server has refused this turn.
    refused: Vec<GeisterChoice>,
    frames: SeatFrames,
}

impl GatGame<'_> {
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
        self.tell(Notification::NewGame);
        self.say(&format!("\nGame {}. Type help for help.", self.number));
        self.ask_for_placement();
        while self.obey()? {
            let is_awaited = self.due != Pending::Nothing;
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
                    self.say_refusal("The server has refused the placement.");
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
                    self.say_refusal("The server has refused the move.");
                    self.summary.refused += 1;
                    self.refused
                        .extend(self.tracker.sent().map(GeisterChoice::Go));
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
                    self.show(|frames| frames.view(&GameView::Playing(view)));
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

    fn tell(&mut self, news: Notification<'_, Geister>) {
        self.player.tell(news, self.out);
    }

    fn say(&mut self, sentence: &str) {
        self.tell(Notification::Said(sentence));
    }

    fn say_refusal(&mut self, sentence: &str) {
        self.say(sentence);
        self.show(|_| TableEvent::Error(ErrorCode::Illegal, sentence.to_owned()));
    }

    /// Passes an event to the player, if it shows the table.
    fn show(&mut self, event: impl FnOnce(&mut SeatFrames) -> TableEvent) {
        if self.player.shows() {
            let event = event(&mut self.frames);
            self.player.show(event);
        }
    }

    fn ask_for_placement(&mut self) {
        self.due = Pending::Placement;
        let placing = GameView::Placing {
            seat: Seat::default(),
            to_move: Seat::default(),
            own: None,
            rules: self.settings.rules,
        };
        self.show(|frames| frames.view(&placing));
        self.tell(Notification::Seen(&GeisterSight::Placing));
    }

    fn ask_for_move(&mut self) {
        self.due = Pending::Move;
        self.say("Your move:");
    }

    fn turn(&mut self, board: &Result<Board, BoardError>) {
        if let Err(error) = board {
            warn!("game {}: the board of MOV?: {error}", self.number);
        }
        let news = self.tracker.requested(board.as_ref().ok());
        if let Some(view) = news.began {
            self.tell(Notification::Begun(&GeisterSight::Playing(view)));
            self.show(|frames| frames.view(&GameView::Playing(view)));
        }
        self.observe(news.own);
        if let Some(enemy) = &news.enemy {
            self.say(&enemys(enemy));
        }
        self.observe(news.enemy);
        self.enemy = news.enemy;
        self.refused.clear();
        let sight = self.sight();
        self.tell(Notification::Seen(&sight));
        self.ask_for_move();
    }

    /// What the player sees once the placement has been sent.
    fn sight(&self) -> GeisterSight {
        GeisterSight::Playing(*self.tracker.view())
    }

    /// Lets the player act; gives whether it stays.
    fn obey(&mut self) -> Result<bool, GameError> {
        loop {
            let sight = match self.due {
                Pending::Placement => GeisterSight::Placing,
                Pending::Move | Pending::Nothing => self.sight(),
            };
            let asked = (self.due != Pending::Nothing).then_some(MoveRequest {
                limit: None,
                refused: &self.refused,
            });
            let act = self.player.act(Some(&sight), asked, self.out);
            match (act, self.due) {
                (None, _) => return Ok(true),
                (Some(Action::Leave), _) => return Ok(false),
                (Some(Action::Move(decision)), Pending::Placement) => {
                    let GeisterChoice::Place(placement) = decision.mv else {
                        unreachable!("a placement was asked for");
                    };
                    self.due = Pending::Nothing;
                    self.tracker = BoardTracker::new(placement, self.settings.rules);
                    let message = self.connection.end.set(placement, self.name)?;
                    self.connection.send(&message)?;
                }
                (Some(Action::Move(Decision { mv, log })), Pending::Move) => {
                    let GeisterChoice::Go(mv) = mv else {
                        unreachable!("a move was asked for");
                    };
                    self.send_move(mv, log)?;
                }
                (Some(Action::NoMove), Pending::Move) => {
                    error!("no legal move is left: sending one that is not, to end the game");
                    let mv = Move {
                        ghost: Ghost::ALL[0],
                        direction: Direction::North,
                    };
                    self.send_move(mv, json!({}))?;
                }
                (Some(Action::Move(_) | Action::NoMove | Action::Resign | Action::Draw(..)), _) => {
                    unreachable!("a player moves when it is asked, and cannot resign")
                }
            }
        }
    }

    fn send_move(&mut self, mv: Move, log: Value) -> Result<(), GameError> {
        self.due = Pending::Nothing;
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
            self.tell(Notification::Played(&followed));
            self.show(|frames| frames.after(&followed));
        }
    }

    fn ended(&mut self, outcome: Outcome, board: Result<Board, BoardError>) {
        let seat = self.tracker.seat();
        let results = self.summary.counts.of(seat.map(Seat::new));
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
                Ok(()) => self.tell(Notification::Ended(&GeisterSight::Playing(view))),
                Err(error) => warn!("game {}: the colours at its end: {error}", self.number),
            }
        }
        let is_draw = outcome == Outcome::Draw;
        let reason = board
            .as_ref()
            .map(|board| Reason::of(board, is_draw).name());
        let why = reason.unwrap_or("reason not shown");
        let view = *self.tracker.view();
        if let Some(revealed) = board.as_ref().and_then(|board| revealed(&view, board)) {
            self.show(|frames| frames.view(&GameView::Playing(revealed)));
        }
        self.show(|frames| frames.result(view.seat(), outcome, why));
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
