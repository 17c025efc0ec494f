//! One game on one connection.

use std::io::Write;
use std::time::Duration;

use games::geister::{Color, Move, Placement};
use log::{info, warn};
use protocol::gat::{Board, BoardError, Event, MoveAnswer, NotDue, Outcome};
use serde_json::{Value, json};

use crate::geister::client::{
    Connection, Followed, Lost, Options, Player, Reason, Summary, Tracker, write_line,
};
use crate::geister::selfplay::MOST_MOVES;

/// How long the result may take after a refused move; then the server is one where refusals do not
/// end games, and another move is sent.
const RESULT_WAIT: Duration = Duration::from_millis(300);
/// Placements that a server may refuse.
const MOST_REFUSALS: u32 = 5;

/// Why a game has no result.
#[derive(Debug, thiserror::Error)]
pub enum GameError {
    /// The connection ended first.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// The server accepts no placement.
    #[error("the server has refused {MOST_REFUSALS} placements")]
    NoPlacement,
    /// The server accepts no move.
    #[error("the server has refused {MOST_MOVES} moves of one turn")]
    NoMove,
    /// The server and this client disagree on what is due.
    #[error(transparent)]
    NotDue(#[from] NotDue),
}

/// A game in progress.
pub(crate) struct Game<'a> {
    /// Number of the game, from 1.
    pub(crate) number: u32,
    pub(crate) options: &'a Options,
    pub(crate) connection: Connection,
    pub(crate) player: &'a mut Player,
    pub(crate) summary: &'a mut Summary,
    pub(crate) out: &'a mut dyn Write,
    pub(crate) tracker: Tracker,
    /// Moves that the server has refused this turn.
    pub(crate) refused: Vec<Move>,
}

impl Game<'_> {
    /// Plays to the result.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn play(&mut self) -> Result<Outcome, GameError> {
        let outcome = self.turns();
        self.summary.disagreements += self.tracker.disagreements();
        outcome
    }

    fn turns(&mut self) -> Result<Outcome, GameError> {
        let mut name = self.options.name.as_deref();
        let mut refusals = 0;
        self.place(name)?;
        // How long to wait for the next event.
        let mut within = None;
        loop {
            let event = self.connection.event(within)?;
            if !matches!(event, Some(Event::Odd(_))) {
                within = None;
            }
            match event {
                Some(Event::SetAnswer(false)) if name.take().is_some() => {
                    info!("the server takes no names: placing without");
                    self.place(None)?;
                }
                Some(Event::SetAnswer(false)) => {
                    warn!("game {}: the server refused the placement", self.number);
                    refusals += 1;
                    if refusals == MOST_REFUSALS {
                        return Err(GameError::NoPlacement);
                    }
                    self.place(None)?;
                }
                Some(Event::MoveRequested(board)) => self.turn(&board)?,
                Some(Event::MoveAnswer(MoveAnswer::Made(captured))) => {
                    let sent = self.tracker.sent();
                    let made = sent.and_then(|mv| self.tracker.made(mv, captured));
                    self.observe(made);
                }
                Some(Event::MoveAnswer(MoveAnswer::Refused)) => {
                    warn!("game {}: the server refused the move", self.number);
                    self.summary.refused += 1;
                    self.refused.extend(self.tracker.sent());
                    self.tracker.refused();
                    within = Some(RESULT_WAIT);
                }
                Some(Event::Ended(outcome, board)) => {
                    self.ended(outcome, board);
                    return Ok(outcome);
                }
                Some(Event::SetRequested | Event::SetAnswer(true)) => {}
                Some(Event::Odd(line)) => {
                    let line = line.escape_debug();
                    warn!("game {}: the server said `{line}`", self.number);
                    self.summary.odd += 1;
                }
                // No result has followed a refused move.
                None if self.refused.len() < MOST_MOVES => self.decide(None)?,
                None => return Err(GameError::NoMove),
            }
        }
    }

    fn place(&mut self, name: Option<&str>) -> Result<(), GameError> {
        let placement = self.player.placement();
        self.tracker = Tracker::new(placement, self.options.rules());
        let message = self.connection.end.set(placement, name)?;
        Ok(self.connection.send(&message)?)
    }

    fn turn(&mut self, board: &Result<Board, BoardError>) -> Result<(), GameError> {
        if let Err(error) = board {
            warn!("game {}: the board of MOV?: {error}", self.number);
        }
        let news = self.tracker.requested(board.as_ref().ok());
        if let Some(view) = news.began {
            self.player.begin(&view);
        }
        self.observe(news.own);
        self.observe(news.enemy);
        self.refused.clear();
        self.decide(news.enemy)
    }

    fn decide(&mut self, enemy: Option<Followed>) -> Result<(), GameError> {
        let view = *self.tracker.view();
        let decision = self.player.choose(&view, &self.refused);
        let message = self.connection.end.play(decision.mv)?;
        self.connection.send(&message)?;
        self.tracker.sending(decision.mv);
        if self.options.json {
            let mut line = decision.log;
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
            self.player.observe(&followed);
        }
    }

    fn ended(&mut self, outcome: Outcome, board: Result<Board, BoardError>) {
        let seat = self.tracker.seat();
        self.summary.add(seat, outcome);
        let board = board.inspect_err(|error| {
            warn!("game {}: the board of the result: {error}", self.number);
        });
        let last = board
            .as_ref()
            .ok()
            .and_then(|board| self.tracker.ended(board));
        self.observe(last);
        let (name, draw) = match outcome {
            Outcome::Won => ("won", false),
            Outcome::Lost => ("lost", false),
            Outcome::Draw => ("draw", true),
        };
        let reason = board
            .as_ref()
            .ok()
            .map(|board| Reason::of(board, draw).name());
        let plies = seat.map(|_| self.tracker.view().ply());
        info!(
            "game {}: {name}, {}, {} plies",
            self.number,
            reason.unwrap_or("reason not shown"),
            plies.unwrap_or(0)
        );
        if self.options.json {
            let enemy = board.as_ref().ok().and_then(enemy_placement);
            let line = json!({ "result": {
                "game": self.number,
                "seat": seat,
                "outcome": name,
                "reason": reason,
                "plies": plies,
                "placement": self.tracker.view().placement().to_string(),
                "enemy_placement": enemy.map(|enemy| enemy.to_string()),
                "board": board.ok().map(|board| board.to_string()),
            }});
            write_line(self.out, &line);
        }
    }
}

/// The enemy's placement, from a board that shows all colours.
fn enemy_placement(board: &Board) -> Option<Placement> {
    let mut mask = 0;
    for (i, (_, color)) in board.enemy.iter().enumerate() {
        mask |= u8::from((*color)? == Color::Red) << i;
    }
    Placement::new(mask)
}
