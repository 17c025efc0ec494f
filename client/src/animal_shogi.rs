//! The client of `AnimalShogiServer`: one connection a game, as many games as wanted, any player.

use std::io::Write;
use std::time::{Duration, Instant};

use games::dobutsu::{Dobutsu, Move, Rules};
use games::{Game as _, Seat, is_printable};
use log::{info, warn};
use protocol::{Line, LineEnd, LineReader};
use serde_json::json;

use super::connect::connect_until;
use super::link::{Input, Inputs, Link, UNTOLD};
use super::native::{NativeGame as _, NativeSettings};
use super::{
    Action, Decision, DuelCounts, MatchError, MoveRequest, Notification, PersonCommands, Player,
    Sitter, Summary, tell_of_silence, write_line,
};

const PERSON_COMMANDS: PersonCommands = PersonCommands {
    has_resign: true,
    quit: "leave the game, which loses it",
};
/// After so long a silence a blank line keeps the connection alive.
const ALIVE: Duration = Duration::from_secs(25);
/// Most bytes of a login, whose name has 128.
const LOGIN_LIMIT: usize = 134;
/// Longest line of a server in bytes, without its end.
const LINE_LIMIT: usize = 1024;

/// Plays so many games by these rules; the settings have neither TLS nor tokens here. What a person sees, or with `json`
/// decisions and results, and the summary go to `out`.
///
/// # Errors
/// When there is no connection, or it is lost before the end of a game.
pub fn run(
    settings: &NativeSettings<'_>,
    games: u32,
    rules: Rules,
    sitter: Sitter<Dobutsu>,
    out: &mut dyn Write,
) -> Result<Summary<DuelCounts>, MatchError> {
    let server = settings.server;
    let inputs = Inputs::default();
    let mut player = sitter(inputs.waker(), PERSON_COMMANDS);
    let mut summary = Summary::default();
    let mut played = Ok(true);
    for number in 1..=games {
        let deadline = Instant::now() + server.connect_limit();
        let connected = connect_until(&server.host, settings.port, deadline);
        played = connected.map_err(MatchError::from).and_then(|stream| {
            let game = ShogiGame {
                settings,
                number,
                link: Link::new(stream, number, &inputs, player.wakes()),
                inputs: &inputs,
                lines: LineReader::new(LineEnd::Lf, LINE_LIMIT),
                seat: None,
                has_agreed: false,
                has_started: false,
                has_moved: false,
                is_ending: false,
                position: Dobutsu::begin(&rules, 0),
                player: &mut *player,
                summary: &mut summary,
                out: &mut *out,
            };
            game.play()
        });
        if !matches!(played, Ok(true)) {
            break;
        }
    }
    summary.thinking = player.thinking();
    summary.write(settings.json, played.is_err(), out);
    played.map(|_| summary)
}

struct ShogiGame<'a> {
    settings: &'a NativeSettings<'a>,
    number: u32,
    link: Link,
    inputs: &'a Inputs,
    lines: LineReader,
    /// The own seat, once it is told.
    seat: Option<Seat>,
    has_agreed: bool,
    has_started: bool,
    /// Whether a move was sent and is not answered yet.
    has_moved: bool,
    /// Whether the result is all that is still to come.
    is_ending: bool,
    position: Dobutsu,
    player: &'a mut dyn Player<Dobutsu>,
    summary: &'a mut Summary<DuelCounts>,
    out: &'a mut dyn Write,
}

impl ShogiGame<'_> {
    fn send(&mut self, line: &str) -> Result<(), MatchError> {
        let sent = self.link.send(format!("{line}\n").as_bytes());
        sent.map_err(|e| MatchError::Lost(e.to_string()))
    }

    fn say(&mut self, sentence: &str) {
        self.player.tell(Notification::Said(sentence), self.out);
    }

    fn show(&mut self) {
        self.player
            .tell(Notification::Seen(&self.position), self.out);
    }

    /// Plays to the end; gives whether the player stays for another game.
    fn play(mut self) -> Result<bool, MatchError> {
        let name = self.settings.name.chars().filter(|c| is_printable(*c));
        let mut login = format!("LOGIN:{}", name.collect::<String>());
        login.truncate(login.floor_char_boundary(LOGIN_LIMIT));
        self.send(&login)?;
        let mut until_told = (self.number == 1).then_some(UNTOLD);
        loop {
            while let Some(line) = self.lines.next_line() {
                let line = match line {
                    Line::Text(line) => String::from_utf8_lossy(line).trim().to_owned(),
                    Line::TooLong => "an endless line".to_owned(),
                };
                if self.take(&line)? {
                    return Ok(true);
                }
            }
            if !self.obey()? {
                return Ok(false);
            }
            match self.link.next(self.inputs, until_told.or(Some(ALIVE))) {
                Some(Input::Bytes(_, _, bytes)) => {
                    until_told = None;
                    self.lines.push(&bytes);
                }
                Some(Input::Lost(_, lost)) => return Err(MatchError::Lost(lost.to_string())),
                Some(Input::Player) => {}
                None if until_told.is_some() => {
                    until_told = None;
                    let address = self.settings.server.address(self.settings.port);
                    let sentence =
                        format!("{address} has said nothing yet: is it an AnimalShogiServer?");
                    tell_of_silence(self.player, &sentence, self.out);
                }
                None if self.has_started && self.position.to_move().is_none() => {
                    return Err(MatchError::Odd(
                        "by the own rules the game is over, and the server does not end it: it may play by other rules"
                            .to_owned(),
                    ));
                }
                None => self.send("")?,
            }
        }
    }

    /// Takes what the server has said; gives whether the game is over.
    fn take(&mut self, line: &str) -> Result<bool, MatchError> {
        let played = line.strip_suffix(",OK").map(Move::read_animal_shogi);
        match (line, self.seat, played) {
            ("" | "BEGIN Game_Summary", ..) => {}
            ("Your_Turn:+", ..) if !self.has_agreed => self.seat = Some(Seat::new(0)),
            ("Your_Turn:-", ..) if !self.has_agreed => self.seat = Some(Seat::new(1)),
            ("END Game_Summary", Some(seat), _) if !self.has_agreed => {
                self.player.tell(Notification::NewGame, self.out);
                let name = Dobutsu::seat_name(seat);
                self.say(&format!("Game {}. You are the {name} player.", self.number));
                self.has_agreed = true;
                self.send("AGREE")?;
            }
            ("START", ..) if self.has_agreed && !self.has_started => {
                self.has_started = true;
                self.show();
            }
            // The page of the original had the last.
            ("#GAME_OVER" | "#ILLEGAL" | "#ILLEGAL_MOVE", Some(_), _) => self.is_ending = true,
            ("#WIN" | "#LOSE" | "#DRAW", Some(seat), _) if self.is_ending => {
                self.ended(seat, line);
                return Ok(true);
            }
            // The opponent may move before this client has agreed.
            (_, Some(seat), Some(Ok((mover, mv)))) => {
                let played = self.position.play_text(&mv.to_string());
                played.map_err(|e| {
                    MatchError::Odd(format!("{mv}: {e}; the server may play by other rules"))
                })?;
                self.has_moved &= mover != seat.number();
                self.show();
            }
            _ if line.starts_with("LOGIN:") || line.starts_with("Game_ID:") => {}
            _ => {
                warn!("the server said `{}`", line.escape_debug());
                self.summary.odd += 1;
            }
        }
        Ok(false)
    }

    /// Lets the player act; gives whether it stays.
    fn obey(&mut self) -> Result<bool, MatchError> {
        loop {
            let to_move = self.position.to_move();
            let can_move = self.has_started && !self.has_moved && !self.is_ending;
            let seat = self.seat.filter(|seat| can_move && to_move == Some(*seat));
            let asked = seat.map(|_| MoveRequest {
                limit: None,
                refused: &[],
            });
            let view = self.seat.is_some().then_some(&self.position);
            match (self.player.act(view, asked, self.out), seat) {
                (None, _) => return Ok(true),
                (Some(Action::Leave), _) => {
                    self.summary.leave();
                    return Ok(false);
                }
                (Some(Action::Resign), _) => self.send("resign")?,
                (Some(Action::Move(Decision { mv, log: mut line })), Some(seat)) => {
                    self.has_moved = true;
                    self.send(&mv.animal_shogi(seat.number()))?;
                    if self.settings.json {
                        line["move"] = json!(mv.to_string());
                        line["game"] = json!(self.number);
                        line["ply"] = json!(self.position.ply());
                        line["seat"] = json!(seat);
                        line["board"] = json!(self.position.board().to_string());
                        write_line(self.out, &line);
                    }
                }
                (Some(Action::Move(_) | Action::NoMove | Action::Draw(..)), _) => {
                    unreachable!("a player moves when it is asked, and then has a move")
                }
            }
        }
    }

    fn ended(&mut self, seat: Seat, line: &str) {
        let results = self.summary.counts.of(Some(seat));
        let (count, word, sentence) = match line {
            "#WIN" => (&mut results.won, "won", "You have won."),
            "#LOSE" => (&mut results.lost, "lost", "You have lost."),
            _ => (&mut results.drawn, "drawn", "A draw."),
        };
        *count += 1;
        info!(
            "game {}: {word}, {} plies",
            self.number,
            self.position.ply()
        );
        self.say(sentence);
        if self.settings.json {
            let line = json!({ "result": {
                "game": self.number,
                "seat": seat,
                "outcome": word,
                "end": self.position.outcome().and_then(|outcome| outcome.rule),
                "plies": self.position.ply(),
                "board": self.position.board().to_string(),
            }});
            write_line(self.out, &line);
        }
    }
}
