//! The client of `AnimalShogiServer`: one connection a game, as many games as wanted, any player.

use std::io::Write;
use std::time::{Duration, Instant};

use games::dobutsu::{Dobutsu, Move, Rules};
use games::{Game as _, Seat};
use log::{debug, info, warn};
use protocol::animal_shogi::{ClientEnd, Event, Move as Line, Outcome, Side};
use serde_json::json;

use super::connect::connect_until;
use super::link::{Input, Inputs, Link, UNTOLD};
use super::native::{NativeGame as _, PlayError};
use super::{
    Act, Asked, Decision, DuelTally, Manners, News, Player, ServerOptions, Sitter, Summary,
    tell_of_silence, write_line,
};

const MANNERS: Manners = Manners {
    has_resign: true,
    quit: "leave the game, which loses it",
};
/// After so long a silence a blank line keeps the connection alive.
const ALIVE: Duration = Duration::from_secs(25);

/// How to come to a server, and what to take it for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings<'a> {
    pub(crate) server: &'a ServerOptions,
    pub(crate) port: u16,
    /// Name to log in with.
    pub(crate) name: &'a str,
    pub(crate) games: u32,
    pub(crate) rules: Rules,
    pub(crate) json: bool,
}

/// Plays the games. What a person sees, or with `json` decisions and results, and the summary go to `out`.
///
/// # Errors
/// When there is no connection, or it is lost before the end of a game.
pub(crate) fn run(
    settings: &Settings<'_>,
    sitter: Sitter<Dobutsu>,
    out: &mut dyn Write,
) -> Result<Summary<DuelTally>, PlayError> {
    let inputs = Inputs::new();
    let mut player = sitter(inputs.waker(), MANNERS);
    let mut summary = Summary::default();
    let mut played = Ok(true);
    for number in 1..=settings.games {
        played = Game::open(settings, number, &inputs, &mut *player, &mut summary, out)
            .and_then(|mut game| game.play());
        if !matches!(played, Ok(true)) {
            break;
        }
    }
    summary.thinking = player.thinking();
    summary.write(settings.json, played.is_err(), out);
    played.map(|_| summary)
}

struct Game<'a> {
    settings: &'a Settings<'a>,
    /// From 1.
    number: u32,
    link: Link,
    inputs: &'a Inputs,
    end: ClientEnd,
    position: Dobutsu,
    player: &'a mut dyn Player<Dobutsu>,
    summary: &'a mut Summary<DuelTally>,
    out: &'a mut dyn Write,
}

const fn seat_of(side: Side) -> Seat {
    match side {
        Side::First => Seat::new(0),
        Side::Second => Seat::new(1),
    }
}

impl<'a> Game<'a> {
    /// Connects and logs in.
    fn open(
        settings: &'a Settings<'a>,
        number: u32,
        inputs: &'a Inputs,
        player: &'a mut dyn Player<Dobutsu>,
        summary: &'a mut Summary<DuelTally>,
        out: &'a mut dyn Write,
    ) -> Result<Game<'a>, PlayError> {
        let server = settings.server;
        let deadline = Instant::now() + server.connect_limit();
        let stream = connect_until(&server.host, settings.port, deadline)?;
        let mut game = Game {
            settings,
            number,
            link: Link::new(stream, number, inputs, player.wakes()),
            inputs,
            end: ClientEnd::default(),
            position: Dobutsu::begin(&settings.rules, 0),
            player,
            summary,
            out,
        };
        let login = game.end.login(settings.name);
        game.send(&login)?;
        Ok(game)
    }

    fn send(&mut self, line: &str) -> Result<(), PlayError> {
        let sent = self.link.send(line.as_bytes());
        sent.map_err(|e| PlayError::Lost(e.to_string()))
    }

    fn say(&mut self, sentence: &str) {
        self.player.tell(News::Said(sentence), self.out);
    }

    fn show(&mut self) {
        self.player.tell(News::Seen(&self.position), self.out);
    }

    /// Plays to the end; gives whether the player stays for another game.
    fn play(&mut self) -> Result<bool, PlayError> {
        let mut until_told = (self.number == 1).then_some(UNTOLD);
        loop {
            while let Some(event) = self.end.next_event() {
                if self.take(event)? {
                    return Ok(true);
                }
            }
            if !self.obey()? {
                return Ok(false);
            }
            match self.link.next(self.inputs, until_told.or(Some(ALIVE))) {
                Some(Input::Bytes(_, _, bytes)) => {
                    until_told = None;
                    self.end.receive(&bytes);
                }
                Some(Input::Lost(_, lost)) => return Err(PlayError::Lost(lost.to_string())),
                Some(Input::Player) => {}
                None if until_told.is_some() => {
                    until_told = None;
                    let address = self.settings.server.address(self.settings.port);
                    let sentence =
                        format!("{address} has said nothing yet: is it an AnimalShogiServer?");
                    tell_of_silence(self.player, &sentence, self.out);
                }
                None if self.end.is_to_move() && self.position.to_move().is_none() => {
                    return Err(PlayError::Odd(
                        "by the own rules the game is over, and the server waits for a move: it may play by other rules"
                            .to_owned(),
                    ));
                }
                None => {
                    let line = self.end.alive();
                    self.send(&line)?;
                }
            }
        }
    }

    /// Takes what the server has said; gives whether the game is over.
    fn take(&mut self, event: Event) -> Result<bool, PlayError> {
        match event {
            Event::LoggedIn(name) => debug!("logged in as {}", name.escape_debug()),
            Event::Summary { id, side } => {
                self.player.tell(News::NewGame, self.out);
                let seat = Dobutsu::seat_name(seat_of(side));
                self.say(&format!("Game {id}. You are the {seat} player."));
                let line = self.end.agree();
                self.send(&line.expect("a summary is to be agreed to"))?;
            }
            Event::Started => self.show(),
            Event::Played(mv) => {
                let played = self.position.play_text(&mv.usi());
                played.map_err(|e| {
                    PlayError::Odd(format!("{mv}: {e}; the server may play by other rules"))
                })?;
                self.show();
            }
            Event::Ended(_, outcome) => {
                self.ended(outcome);
                return Ok(true);
            }
            Event::Alive => {}
            Event::Odd(line) => {
                warn!("the server said `{}`", line.escape_debug());
                self.summary.odd += 1;
            }
        }
        Ok(false)
    }

    /// Lets the player act; gives whether it stays.
    fn obey(&mut self) -> Result<bool, PlayError> {
        loop {
            let is_due = self.end.is_to_move() && self.position.to_move().is_some();
            let asked = is_due.then_some(Asked {
                limit: None,
                refused: &[],
            });
            let view = self.end.side().is_some().then_some(&self.position);
            match self.player.act(view, asked, self.out) {
                None => return Ok(true),
                Some(Act::Leave) => {
                    self.summary.leave();
                    return Ok(false);
                }
                Some(Act::Resign) => {
                    let line = self.end.resign();
                    self.send(&line)?;
                }
                Some(Act::Move(decision)) if is_due => self.send_move(decision)?,
                Some(Act::Move(_) | Act::NoMove) => {
                    unreachable!("a player moves when it is asked, and then has a move")
                }
            }
        }
    }

    fn send_move(&mut self, Decision { mv, log }: Decision<Move>) -> Result<(), PlayError> {
        let side = self.end.side().expect("a game has sides");
        let line = Line::from_usi(side, &mv.to_string()).expect("a move is one of USI");
        let line = self.end.play(line).expect("it is this side's turn");
        self.send(&line)?;
        if self.settings.json {
            let mut line = log;
            line["move"] = json!(mv.to_string());
            line["game"] = json!(self.number);
            line["ply"] = json!(self.position.ply());
            line["seat"] = json!(seat_of(side));
            line["board"] = json!(self.position.board().to_string());
            write_line(self.out, &line);
        }
        Ok(())
    }

    fn ended(&mut self, outcome: Outcome) {
        let seat = self.end.side().map(seat_of);
        let results = self.summary.tally.of(seat);
        let (word, sentence) = match outcome {
            Outcome::Win => {
                results.won += 1;
                ("won", "You have won.")
            }
            Outcome::Lose => {
                results.lost += 1;
                ("lost", "You have lost.")
            }
            Outcome::Draw => {
                results.drawn += 1;
                ("drawn", "A draw.")
            }
        };
        let rule = self.position.outcome().and_then(|outcome| outcome.rule);
        let plies = self.position.ply();
        info!("game {}: {word}, {plies} plies", self.number);
        self.say(sentence);
        if self.settings.json {
            let line = json!({ "result": {
                "game": self.number,
                "seat": seat,
                "outcome": word,
                "end": rule,
                "plies": plies,
                "board": self.position.board().to_string(),
            }});
            write_line(self.out, &line);
        }
    }
}
