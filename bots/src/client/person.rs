//! A person at a terminal.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::BufRead;
use std::sync::mpsc::Sender;
use std::thread;

use protocol::native::{ClientMessage, ServerMessage};

use super::native::Game;
use super::native::Input;
use super::native::track::Track;
use super::summary::{GameEnd, Outcome};

/// What every game has.
const HELP: &str = "  board    draw the board again
  legal    the legal moves
  resign   give this game up
  quit     leave the match, which ends it for all; so does the end of the input on your turn
You may type a move before it is your turn.";

/// Lines that wait; more are dropped.
const MOST_LINES: usize = 1000;

/// Reads lines on a thread of its own.
pub(super) fn read_lines(lines: Box<dyn BufRead + Send>, inputs: Sender<Input>) {
    thread::spawn(move || {
        for line in lines.lines().map_while(Result::ok) {
            if inputs.send(Input::Line(line)).is_err() {
                return;
            }
        }
        // The match may be over.
        let _ = inputs.send(Input::EndOfLines);
    });
}

/// What a line comes to.
pub(super) enum Command<M> {
    /// Text for the person.
    Say(String),
    /// The move that is asked for.
    Play(M),
    /// Another message for the server.
    Send(ClientMessage),
}

/// Lines of a person that wait, and the names at the table.
#[derive(Debug, Default)]
pub(super) struct Person {
    lines: VecDeque<String>,
    ended: bool,
    left: bool,
    names: Vec<String>,
    /// The player in each seat.
    players: Vec<u8>,
    games: u32,
}

impl Person {
    /// Takes a line; `None` is the end of all.
    pub(super) fn line(&mut self, line: Option<String>) {
        match line {
            None => self.ended = true,
            Some(line) if self.lines.len() < MOST_LINES => self.lines.push_back(line),
            Some(_) => {}
        }
    }

    /// What to do now. A move waits for the own turn; everything else is done when it comes up.
    pub(super) fn next_command<G: Game>(
        &mut self,
        track: &Track<G>,
        is_asked: bool,
    ) -> Option<Command<G::Move>> {
        let Some(line) = self.lines.front() else {
            if self.ended && is_asked && !self.left {
                self.left = true;
                return Some(Command::Send(ClientMessage::Leave));
            }
            return None;
        };
        let word = line.trim().to_lowercase();
        let say = |text: String| Some(Command::Say(text));
        let command = match word.as_str() {
            "" if is_asked => say(format!("Your move? {}, or help.", G::EXAMPLE)),
            "" => say("It is not your turn yet.".to_owned()),
            "help" | "?" | "h" => say(format!("{}\n{HELP}", G::HELP)),
            "board" => say(G::draw(&track.position).trim_end().to_owned()),
            "legal" => {
                let moves = G::legal_moves(&track.position);
                let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
                say(moves.join(" "))
            }
            // There is nothing to give up before the first game: it keeps its place in the queue.
            "resign" if track.game == 0 => return None,
            "resign" => Some(Command::Send(ClientMessage::Resign)),
            "quit" | "exit" | "q" => {
                self.left = true;
                Some(Command::Send(ClientMessage::Leave))
            }
            text => match G::check_notation(text) {
                Err(e) => say(format!("{e}; help lists what else there is")),
                // It keeps its place in the queue.
                Ok(()) if !is_asked => return None,
                Ok(()) => match G::read_move(&track.position, text) {
                    Err(e) => say(e),
                    Ok(mv) => Some(Command::Play(mv)),
                },
            },
        };
        self.lines.pop_front();
        command
    }

    fn name(&self, player: u8) -> String {
        let name = self.names.get(usize::from(player)).map(String::as_str);
        // Names come from outside: keep control letters off the terminal.
        name.unwrap_or_default()
            .chars()
            .filter(|c| !c.is_control())
            .collect()
    }

    /// What a message says, for people; empty if nothing.
    pub(super) fn news<G: Game>(&mut self, message: &ServerMessage, track: &Track<G>) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = match message {
            ServerMessage::Welcome {
                token,
                resumed: false,
                ..
            } => {
                let others = if G::SEATS == 2 {
                    "other player"
                } else {
                    "others"
                };
                writeln!(
                    text,
                    "You have a seat. Waiting for the {others}. If you are cut off: --token {token}"
                )
            }
            ServerMessage::Welcome { .. } => writeln!(text, "You are back."),
            ServerMessage::Match {
                players,
                games,
                clocks,
                ..
            } => {
                self.names.clone_from(players);
                self.games = *games;
                let ms = |ms: Option<u64>| ms.map_or("no".to_owned(), |ms| seconds(ms) + " s");
                writeln!(
                    text,
                    "{}: {games} games; {} budget, {} a move. Type help for help.",
                    (0..players.len() as u8)
                        .map(|p| self.name(p))
                        .collect::<Vec<_>>()
                        .join(" against "),
                    ms(clocks.budget_ms),
                    ms(clocks.move_ms),
                )
            }
            ServerMessage::Game { game, players, .. } => {
                self.players.clone_from(players);
                let seats: Vec<String> = (0..G::SEATS)
                    .zip(players)
                    .map(|(seat, player)| {
                        format!("{} is {}", self.name(*player), G::seat_name(seat))
                    })
                    .collect();
                let (games, seats) = (self.games, seats.join(", "));
                writeln!(text, "\nGame {game} of {games}: {seats}.")
            }
            ServerMessage::Request { left_ms, .. } => {
                let seat = G::seat_name(track.seat);
                let left = left_ms.map_or(String::new(), |ms| format!(", {} s left", seconds(ms)));
                writeln!(text, "Your move ({seat}{left}):")
            }
            ServerMessage::Moved { mv, seat, .. } if *seat != track.seat => {
                let player = self.players.get(usize::from(*seat)).copied();
                writeln!(
                    text,
                    "{} plays {mv}.",
                    self.name(player.unwrap_or_default())
                )
            }
            ServerMessage::Presence { player, here, .. } => {
                let what = if *here {
                    "is back"
                } else {
                    "has lost the connection"
                };
                writeln!(text, "{} {what}.", self.name(*player))
            }
            ServerMessage::Out { seat, end, .. } if *seat != track.seat => {
                writeln!(text, "{} is out ({end}).", G::seat_name(*seat))
            }
            ServerMessage::Out { end, .. } => writeln!(text, "You are out ({end})."),
            ServerMessage::Result {
                places,
                end,
                reason,
                ..
            } => {
                let end_of_game = GameEnd {
                    places,
                    scores: &[],
                    game_points: &[],
                };
                let place = places.get(usize::from(track.seat)).copied();
                let what = match end_of_game.outcome(track.seat) {
                    None => "The game does not count".to_owned(),
                    Some(Outcome::Won) => "You have won".to_owned(),
                    Some(Outcome::Shared) if G::SEATS == 2 => "A draw".to_owned(),
                    Some(Outcome::Shared) => "You share the win".to_owned(),
                    Some(Outcome::Lost) if G::SEATS == 2 => "You have lost".to_owned(),
                    Some(Outcome::Lost) => {
                        format!("Your place is {}", place.unwrap_or(G::SEATS))
                    }
                };
                let reason = reason
                    .as_ref()
                    .map_or(String::new(), |reason| format!(": {reason}"));
                writeln!(text, "{what} ({end}{reason}).")
            }
            ServerMessage::Over { scores, reason, .. } => {
                let scores: Vec<String> = (0..)
                    .zip(scores)
                    .map(|(p, score)| format!("{} {score}", self.name(p)))
                    .collect();
                let reason = reason
                    .as_ref()
                    .map_or(String::new(), |reason| format!(" ({reason})"));
                writeln!(text, "The match is over{reason}: {}.", scores.join(", "))
            }
            ServerMessage::Error { message, code, .. } => {
                writeln!(text, "The server says: {message} ({}).", code.as_str())
            }
            _ => Ok(()),
        };
        // What comes from outside may hold anything.
        text.retain(|c| c == '\n' || !c.is_control());
        text
    }
}

fn seconds(ms: u64) -> String {
    format!("{:.1}", ms as f64 / 1000.0)
}
