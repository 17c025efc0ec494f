//! A person at a terminal.

use std::io::{BufRead, Write};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread;

use games::Printable;
use serde_json::json;

use super::player::{Action, Decision, MoveRequest, Notification, Player};
use super::{ClientGame, Waker};

const MOST_LINES: usize = 1000;
/// Columns of a terminal that lists of moves fill.
const PAGE_WIDTH: usize = 79;
const COLUMN_GAP: usize = 3;

/// What a person can do at servers of a protocol.
#[derive(Clone, Copy, Debug)]
pub struct PersonCommands {
    /// Whether a game can be given up.
    pub has_resign: bool,
    /// What leaving does.
    pub quit: &'static str,
}

impl PersonCommands {
    fn help<G: ClientGame>(self) -> String {
        let resign = if self.has_resign {
            "  resign   give this game up\n"
        } else {
            ""
        };
        format!(
            "{}
  board    draw the board again
  moves    your legal moves with numbers, on your turn; legal means the same
  7        make the legal move of this number
{resign}  quit     {}; so does the end of the input on your turn
You may type a move before it is your turn.",
            G::HELP,
            self.quit
        )
    }

    /// What a line comes to; `None` leaves it for later. `plays` says whether a game has begun.
    fn done<G: ClientGame>(
        self,
        line: &str,
        plays: bool,
        view: Option<&G::View>,
        is_asked: bool,
    ) -> Option<Done<G::Move>> {
        let word = line.trim().to_lowercase();
        let say = |text: String| Some(Done::Say(text));
        match (word.as_str(), view) {
            ("help" | "?" | "h", _) => say(self.help::<G>()),
            ("quit" | "exit" | "q", _) => Some(Done::Action(Action::Leave)),
            ("resign", _) if self.has_resign => {
                // There is nothing to give up before the first game.
                plays.then_some(Done::Action(Action::Resign))
            }
            ("", Some(view)) if is_asked => {
                say(format!("Your move? {}, or help.", G::example(view)))
            }
            ("", _) => say("It is not your turn yet.".to_owned()),
            ("board", Some(view)) => say(G::draw(view).trim_end().to_owned()),
            // Before the own turn these would be the moves of another seat.
            ("legal" | "moves", Some(_)) if !is_asked => None,
            ("legal" | "moves", Some(view)) => {
                let moves = G::legal_moves(view);
                let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
                say(numbered(&moves))
            }
            ("board" | "legal" | "moves", None) => say("No game has begun yet.".to_owned()),
            (text, view) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                let moves = G::legal_moves(view.filter(|_| is_asked)?);
                let number: Option<usize> = text.parse().ok();
                match number.and_then(|number| moves.get(number.checked_sub(1)?)) {
                    Some(mv) => Some(Done::Action(Action::Move(Decision {
                        mv: *mv,
                        log: json!({}),
                    }))),
                    None => say(format!(
                        "The legal moves have the numbers 1 to {}.",
                        moves.len()
                    )),
                }
            }
            (text, view) => {
                let is_move = G::check_notation(text);
                let read = view.filter(|_| is_asked).map(|v| G::read_move(v, text));
                match (is_move, read) {
                    (_, Some(Ok(mv))) => {
                        Some(Done::Action(Action::Move(Decision { mv, log: json!({}) })))
                    }
                    (Ok(()), Some(Err(e))) => say(e),
                    // What is asked for now may be something else than a move.
                    (Err(_), Some(Err(e))) | (Err(e), None) => {
                        say(format!("{e}; help lists what else there is"))
                    }
                    (Ok(()), None) => None,
                }
            }
        }
    }
}

/// Moves with their numbers, in columns.
fn numbered(moves: &[String]) -> String {
    let digits = moves.len().to_string().len();
    let longest = moves.iter().map(|mv| mv.chars().count()).max();
    let width = longest.unwrap_or_default();
    let columns = (PAGE_WIDTH / (digits + 1 + width + COLUMN_GAP)).max(1);
    let cells = (1..).zip(moves);
    let cells: Vec<String> = cells
        .map(|(number, mv)| format!("{number:>digits$} {mv:<width$}"))
        .collect();
    let gap = " ".repeat(COLUMN_GAP);
    let rows = cells.chunks(columns);
    let rows: Vec<String> = rows
        .map(|row| row.join(&gap).trim_end().to_owned())
        .collect();
    rows.join("\n")
}

/// A person: reads lines, and draws what the seat sees.
pub struct Person {
    lines: Receiver<String>,
    /// The line that is not done yet.
    line: Option<String>,
    manners: PersonCommands,
    left: bool,
    plays: bool,
}

impl Person {
    /// Reads lines on a thread of its own, and wakes the client with each and with their end.
    pub fn new(
        mut lines: Box<dyn BufRead + Send>,
        waker: Waker,
        manners: PersonCommands,
    ) -> Person {
        let (sender, receiver) = sync_channel(MOST_LINES);
        thread::spawn(move || {
            while let Some(line) = next_line(&mut lines) {
                if sender.send(line).is_err() || !waker.wake() {
                    return;
                }
            }
            // The end of the lines shows by their sender, which must be gone first. The match may be over.
            drop(sender);
            waker.wake();
        });
        Person {
            lines: receiver,
            line: None,
            manners,
            left: false,
            plays: false,
        }
    }
}

/// The next line without its end; what is no UTF-8 in it is replaced, and comes to an unknown move.
fn next_line(lines: &mut dyn BufRead) -> Option<String> {
    let mut line = Vec::new();
    let length = lines.read_until(b'\n', &mut line).ok()?;
    let line = String::from_utf8_lossy(&line);
    (length > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
}

enum Done<M> {
    Say(String),
    Action(Action<M>),
}

impl<G: ClientGame> Player<G> for Person {
    fn tell(&mut self, news: Notification<'_, G>, out: &mut dyn Write) {
        // A closed terminal shows by the end of the lines.
        let _ = match news {
            Notification::NewGame => {
                self.plays = true;
                Ok(())
            }
            Notification::Seen(view) => write!(out, "{}", G::draw(view)),
            Notification::Said(text) => writeln!(out, "{:#}", Printable(text)),
            Notification::Rules(_)
            | Notification::Begun(_)
            | Notification::Played(_)
            | Notification::Ended(_) => Ok(()),
        }
        .and_then(|()| out.flush());
    }

    /// A move waits for the own turn; everything else is done when it comes up.
    fn act(
        &mut self,
        view: Option<&G::View>,
        asked: Option<MoveRequest<'_, G>>,
        out: &mut dyn Write,
    ) -> Option<Action<G::Move>> {
        while !self.left {
            let line = match self.line.take() {
                Some(line) => line,
                None => match self.lines.try_recv() {
                    Ok(line) => line,
                    Err(TryRecvError::Empty) => return None,
                    Err(TryRecvError::Disconnected) => {
                        self.left = asked.is_some();
                        return self.left.then_some(Action::Leave);
                    }
                },
            };
            match self
                .manners
                .done::<G>(&line, self.plays, view, asked.is_some())
            {
                None => {
                    self.line = Some(line);
                    return None;
                }
                Some(Done::Say(text)) => {
                    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
                }
                Some(Done::Action(act)) => {
                    self.left = matches!(act, Action::Leave);
                    return Some(act);
                }
            }
        }
        None
    }

    fn wakes(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_text_is_not_the_end_of_the_lines() {
        let mut lines: &[u8] = b"a\xe91\r\n\nb1";
        let read: Vec<String> = std::iter::from_fn(|| next_line(&mut lines)).collect();
        assert_eq!(read, ["a\u{fffd}1", "", "b1"]);
    }

    #[test]
    fn moves_are_listed_in_columns_that_fit_a_terminal() {
        let moves: Vec<String> = (0..30).map(|i| format!("mv{i}")).collect();
        let text = numbered(&moves);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.iter().all(|line| line.len() <= PAGE_WIDTH), "{text}");
        assert!(lines[0].starts_with(" 1 mv0     2 mv1 "), "{text}");
        assert!(lines.len() == 5 && lines[4].ends_with("30 mv29"), "{text}");
        assert_eq!(numbered(&[]), "");
        let long = "x".repeat(100);
        assert_eq!(numbered(&[long.clone(), long]).lines().count(), 2);
    }
}
