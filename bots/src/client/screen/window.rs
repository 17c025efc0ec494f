//! The whole screen of a person at a table.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::mpsc::{Receiver, TryRecvError};

use games::{Printable, is_printable};
use protocol::native::ServerMessage;
use ratatui_core::backend::Backend;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::terminal::Terminal;
use ratatui_core::text::Line;
use serde_json::json;

use super::table::clock;
use super::terminal::{Desk, Event};
use super::{Key, Picture, Pressed, ScreenGame, Table};
use crate::client::native::WAITING;
use crate::client::person::Done;
use crate::client::{Act, Asked, Decision, Manners, News, Player};

/// Lines of the log that are kept.
const MOST_LINES: usize = 500;
const MOST_TYPED: usize = 200;
/// Lines of the log that stay on the terminal when the match is over.
const LAST_LINES: usize = 12;
/// A column beside the board that is narrower goes below it.
const NARROWEST: u16 = 22;

/// A person at a screen: a player that draws what it is told, and acts by keys.
pub(super) struct Window<G: ScreenGame, B: Backend> {
    terminal: Terminal<B>,
    events: Receiver<Event>,
    /// The terminal of the program; `None` in tests.
    desk: Option<Desk>,
    manners: Manners,
    table: Table,
    view: Option<G::View>,
    /// What is picked, while a move is due.
    pick: Option<G::Pick>,
    /// Which of the legal moves the tabulator has come to, if it was pressed.
    tab: Option<usize>,
    typed: String,
    /// A line that waits for the own turn.
    waiting: Option<String>,
    /// What the last key came to.
    message: String,
    log: VecDeque<String>,
    /// Lines that lie over the game until a key is pressed.
    overlay: Vec<String>,
    /// The end of the last game, until a key is pressed.
    held: Option<(G::View, Table)>,
    plays: bool,
    left: bool,
}

impl<G: ScreenGame, B: Backend> Window<G, B> {
    pub(super) fn new(
        terminal: Terminal<B>,
        events: Receiver<Event>,
        manners: Manners,
        desk: Option<Desk>,
    ) -> Window<G, B> {
        Window {
            terminal,
            events,
            desk,
            manners,
            table: Table::default(),
            view: None,
            pick: None,
            tab: None,
            typed: String::new(),
            waiting: None,
            message: String::new(),
            log: VecDeque::new(),
            overlay: Vec::new(),
            held: None,
            plays: false,
            left: false,
        }
    }

    #[cfg(test)]
    pub(super) fn terminal(&self) -> &Terminal<B> {
        &self.terminal
    }

    /// Writes a text into the log.
    fn note(&mut self, text: &str) {
        for line in text.lines() {
            if self.log.len() == MOST_LINES {
                self.log.pop_front();
            }
            self.log.push_back(Printable(line).to_string());
        }
    }

    /// Shows a text: one line below the board, more over it.
    fn say(&mut self, text: &str) {
        if text.contains('\n') || text.len() > usize::from(self.size().width) {
            self.overlay = text
                .lines()
                .map(|line| Printable(line).to_string())
                .collect();
        } else {
            self.message = Printable(text).to_string();
        }
    }

    fn size(&self) -> Rect {
        let size = self.terminal.size().unwrap_or_default();
        Rect::new(0, 0, size.width, size.height)
    }

    fn press(&mut self, key: Key, asked: Option<&Asked<'_, G>>) -> Option<Act<G::Move>> {
        self.message.clear();
        if self.held.take().is_some() || !std::mem::take(&mut self.overlay).is_empty() {
            return None;
        }
        match key {
            Key::Enter if !self.typed.is_empty() => {
                let line = std::mem::take(&mut self.typed);
                return self.enter(&line, asked);
            }
            Key::Char(letter) if !self.typed.is_empty() => self.type_letter(letter),
            Key::Backspace => drop(self.typed.pop()),
            Key::Escape if !self.typed.is_empty() => self.typed.clear(),
            Key::Escape if self.waiting.take().is_some() => {}
            Key::Char('?') => return self.enter("help", asked),
            Key::Tab | Key::BackTab => self.next_move(key == Key::Tab),
            key => match (&self.view, &mut self.pick) {
                (Some(view), Some(pick)) => match G::press(view, pick, key) {
                    Pressed::Move(mv) => return self.make(mv, asked),
                    Pressed::Say(text) => self.message = text,
                    Pressed::Picked => {}
                    Pressed::Nothing => self.begin_typing(key),
                },
                _ => self.begin_typing(key),
            },
        }
        None
    }

    fn begin_typing(&mut self, key: Key) {
        match key {
            Key::Char(letter) if letter != ' ' => self.type_letter(letter),
            Key::Enter => "It is not your turn yet.".clone_into(&mut self.message),
            _ => {}
        }
    }

    fn type_letter(&mut self, letter: char) {
        if self.typed.len() < MOST_TYPED && is_printable(letter) {
            self.typed.push(letter);
        }
    }

    /// Picks the next legal move, or the one before.
    fn next_move(&mut self, forward: bool) {
        let (Some(view), Some(pick)) = (&self.view, &mut self.pick) else {
            return;
        };
        let moves = G::near(view, pick);
        let count = moves.len();
        let at = match (self.tab, forward) {
            (Some(at), true) if at + 1 < count => at + 1,
            (_, true) => 0,
            (Some(at), false) if (1..=count).contains(&at) => at - 1,
            (_, false) => count.saturating_sub(1),
        };
        self.tab = Some(at);
        if let Some(mv) = moves.get(at) {
            *pick = G::aim(view, *mv);
            self.message = format!("Enter plays {mv} ({} of {count}).", at + 1);
        }
    }

    fn enter(&mut self, line: &str, asked: Option<&Asked<'_, G>>) -> Option<Act<G::Move>> {
        let view = self.view.as_ref();
        let done = self
            .manners
            .done::<G>(line, self.plays, view, asked.is_some());
        match done {
            None => {
                self.waiting = Some(line.to_owned());
                let text = format!("{line} waits for your turn; Escape takes it back.");
                self.message = Printable(text).to_string();
                None
            }
            Some(Done::Say(text)) => {
                self.say(&text);
                None
            }
            Some(Done::Act(Act::Move(decision))) => self.make(decision.mv, asked),
            Some(Done::Act(act)) => Some(act),
        }
    }

    /// Makes a move, unless the server has refused it.
    fn make(&mut self, mv: G::Move, asked: Option<&Asked<'_, G>>) -> Option<Act<G::Move>> {
        if asked?.refused.contains(&mv) {
            "The server has refused this move.".clone_into(&mut self.message);
            return None;
        }
        let text = mv.to_string();
        self.note(&match text.as_str() {
            "pass" => "You pass.".to_owned(),
            text => format!("You play {text}."),
        });
        Some(Act::Move(Decision { mv, log: json!({}) }))
    }

    /// Draws everything anew; what has not changed is not sent to the terminal.
    fn draw(&mut self) {
        let Window {
            terminal,
            table,
            view,
            pick,
            typed,
            message,
            log,
            overlay,
            held,
            ..
        } = self;
        let shown = match held {
            Some((view, table)) => Some(G::paint(view, None, table)),
            None => view
                .as_ref()
                .map(|view| G::paint(view, pick.as_ref(), table)),
        };
        let page = Page {
            header: format!(
                " {}  {}  {}",
                G::TITLE,
                held.as_ref().map_or(&*table, |(_, table)| table).game(),
                match (&held, &pick) {
                    (Some(_), _) => "This game is over".to_owned(),
                    (None, Some(_)) => "Your turn".to_owned(),
                    (None, None) => table.to_move.map_or(String::new(), |seat| {
                        format!("{} to move", table.name(seat))
                    }),
                }
            ),
            clock: table.left().filter(|_| pick.is_some()).map(clock),
            shown,
            log,
            overlay,
            message: match (&view, &pick, &held) {
                (Some(view), Some(_), None) if message.is_empty() => G::keys(view),
                _ => message,
            },
            keys: match (typed.is_empty(), &pick) {
                _ if held.is_some() => "A key goes on to the next game".to_owned(),
                (false, _) => format!("> {typed}_"),
                (true, Some(_)) => "Tab goes through the moves; or type one; ? is help".to_owned(),
                (true, None) => "? is help; Ctrl-C ends the program".to_owned(),
            },
        };
        // A terminal that is gone shows by the end of its keys.
        let _ = terminal.draw(|frame| page.draw(frame.area(), frame.buffer_mut()));
    }

    /// What stays on the terminal when the match is over.
    fn last_words(&self) -> String {
        let mut text = String::new();
        if let Some(view) = &self.view {
            let Picture { board, beside } = G::paint(view, None, &self.table);
            for line in board.iter().chain(&beside) {
                text += line.to_string().trim_end();
                text.push('\n');
            }
        }
        for line in self
            .log
            .iter()
            .skip(self.log.len().saturating_sub(LAST_LINES))
        {
            text += line;
            text.push('\n');
        }
        text
    }
}

impl<G: ScreenGame, B: Backend> Drop for Window<G, B> {
    fn drop(&mut self) {
        if let Some(desk) = self.desk.take() {
            desk.leave(&self.last_words());
        }
    }
}

impl<G: ScreenGame, B: Backend> Player<G> for Window<G, B> {
    fn tell(&mut self, news: News<'_, G>, _out: &mut dyn Write) {
        match news {
            News::NewGame => {
                self.plays = true;
                // What was typed was meant for the game before.
                self.waiting = None;
            }
            News::Seen(view) => self.view = Some(view.clone()),
            // A question for lines: here the header asks.
            News::Said(text) if text.ends_with(':') => {}
            News::Said(text) => self.note(text.trim_start()),
            News::Rules(_) | News::Begun(_) | News::Played(_) | News::Ended(_) => {}
        }
        self.draw();
    }

    fn act(
        &mut self,
        view: Option<&G::View>,
        asked: Option<Asked<'_, G>>,
        _out: &mut dyn Write,
    ) -> Option<Act<G::Move>> {
        self.view = view.cloned();
        self.pick = match (view, &asked) {
            (Some(view), Some(_)) => self.pick.take().or_else(|| {
                self.tab = None;
                Some(G::start(view))
            }),
            _ => None,
        };
        let mut act = None;
        if asked.is_some()
            && let Some(line) = self.waiting.take()
        {
            self.message.clear();
            act = self.enter(&line, asked.as_ref());
        }
        while act.is_none() && !self.left {
            match self.events.try_recv() {
                Ok(Event::Key(key)) => act = self.press(key, asked.as_ref()),
                Ok(Event::Redraw) => {}
                Err(TryRecvError::Disconnected) if asked.is_some() => act = Some(Act::Leave),
                Err(_) => break,
            }
        }
        self.left |= matches!(act, Some(Act::Leave));
        if act.is_some() {
            self.pick = None;
        }
        self.draw();
        act
    }

    fn wakes(&self) -> bool {
        true
    }

    fn shows(&self) -> bool {
        true
    }

    fn show(&mut self, message: &ServerMessage) {
        if self.table.is_left_by(message)
            && let Some(view) = self.view.take()
        {
            self.held = Some((view, self.table.clone()));
        }
        if matches!(message, ServerMessage::Match { .. }) {
            self.log.retain(|line| !line.starts_with(WAITING));
        }
        self.table.take(message);
        self.draw();
    }
}

struct Page<'a> {
    header: String,
    clock: Option<String>,
    shown: Option<Picture>,
    log: &'a VecDeque<String>,
    overlay: &'a [String],
    message: &'a str,
    keys: String,
}

impl Page<'_> {
    fn draw(self, area: Rect, buffer: &mut Buffer) {
        let style = Style::new().add_modifier(Modifier::REVERSED);
        let mut put = |x: u16, y: u16, line: &Line<'_>| {
            if x < area.width && y < area.height {
                buffer.set_line(x, y, line, area.width - x);
            }
        };
        let width = usize::from(area.width);
        let mut header = self.header;
        if let Some(clock) = self.clock {
            let room = width.saturating_sub(header.chars().count() + 1);
            header = format!("{header}{clock:>room$} ");
        }
        put(0, 0, &Line::styled(format!("{header:<width$}"), style));
        let bottom = area.height.saturating_sub(2);
        if !self.overlay.is_empty() {
            for (y, line) in (2..bottom).zip(wrapped(self.overlay, width.saturating_sub(2))) {
                put(1, y, &Line::raw(line));
            }
            let keys = Line::styled("A key goes back to the game.", Color::DarkGray);
            return put(1, bottom + 1, &keys);
        }
        let Picture { board, beside } = self.shown.unwrap_or(Picture {
            board: Vec::new(),
            beside: Vec::new(),
        });
        let across = board.iter().map(|line| line.width() as u16).max();
        let across = across.unwrap_or_default();
        let is_small = across + 1 > area.width || board.len() > usize::from(bottom.max(1) - 1);
        let is_beside = area.width.saturating_sub(across) >= NARROWEST;
        let below = if is_beside { 1 } else { 2 + board.len() as u16 };
        let left = if is_beside && across > 0 {
            across + 3
        } else {
            1
        };
        for (y, line) in (1..bottom).zip(&board) {
            put(1, y, line);
        }
        for (y, line) in (below..bottom).zip(&beside) {
            put(left, y, line);
        }
        let gap = u16::from(!beside.is_empty());
        let top = below + beside.len() as u16 + gap;
        let room = usize::from(bottom.saturating_sub(top));
        let lines = wrapped(self.log, width.saturating_sub(usize::from(left)));
        let first = lines.len().saturating_sub(room);
        for (y, line) in (top..bottom).zip(&lines[first..]) {
            put(left, y, &Line::styled(&**line, Color::Gray));
        }
        if is_small {
            put(
                1,
                0,
                &Line::styled("The window is too small for all of the board.", style),
            );
        }
        put(1, bottom, &Line::styled(self.message, Color::LightYellow));
        put(1, bottom + 1, &Line::styled(self.keys, Color::DarkGray));
    }
}

/// Lines that are broken between words at a width, or within a word that is longer.
fn wrapped<'a>(lines: impl IntoIterator<Item = &'a String>, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut out = Vec::new();
    for line in lines {
        let mut rest = &line[..];
        while Line::raw(rest).width() > width {
            let mut cut = rest.len();
            while Line::raw(&rest[..cut]).width() > width {
                cut = rest.floor_char_boundary(cut - 1);
            }
            // A letter that is wider than all there is stands all the same.
            let cut = cut.max(rest.ceil_char_boundary(1));
            let (head, tail) = match rest[..cut].rfind(' ').filter(|at| *at > 0) {
                Some(at) => (&rest[..at], &rest[at + 1..]),
                None => rest.split_at(cut),
            };
            out.push(head.to_owned());
            rest = tail;
        }
        if !rest.is_empty() || line.is_empty() {
            out.push(rest.to_owned());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use games::ScoreFour;
    use games::score_four::Position;

    use super::super::testing::Sitting;
    use super::*;

    #[test]
    fn lines_are_typed_and_looked_up() {
        let mut sitting = Sitting::<ScoreFour>::new(&["ana", "bo"], 0);
        let position = Position::from_moves("a1a1a1a1").expect("a position");
        let made = sitting.type_line(&position, "a1");
        assert!(made.is_none());
        assert!(sitting.text().contains("a1: the peg is full"));
        assert!(sitting.type_line(&position, "moves").is_none());
        assert!(sitting.text().contains("b1 c1 d1 a2"));
        assert!(sitting.press(&position, true, &[Key::Char('?')]).is_none());
        let help = sitting.text();
        assert!(help.contains("drop a ball on the peg") && help.contains("give this game up"));
        // The first key goes back to the game, and does nothing else.
        let keys = [Key::Enter, Key::Char('c'), Key::Char('9'), Key::Backspace];
        assert!(sitting.press(&position, true, &keys).is_none());
        assert!(sitting.text().contains("> c_"));
        let made = sitting.press(&position, true, &[Key::Char('4'), Key::Enter]);
        assert!(matches!(made, Some(Act::Move(decision)) if decision.mv.to_string() == "c4"));
        assert!(sitting.text().contains("You play c4."));
        let made = sitting.type_line(&position, "resign");
        assert!(matches!(made, Some(Act::Resign)));
        let made = sitting.type_line(&position, "quit");
        assert!(matches!(made, Some(Act::Leave)));
    }

    #[test]
    fn nothing_is_made_out_of_turn() {
        let mut sitting = Sitting::<ScoreFour>::new(&["ana", "bo"], 0);
        let position = Position::START;
        let keys = [
            Key::Enter,
            Key::Tab,
            Key::Char('b'),
            Key::Char('2'),
            Key::Enter,
        ];
        assert!(sitting.press(&position, false, &keys).is_none());
        let text = sitting.text();
        assert!(text.contains("b2 waits for your turn"), "{text}");
        let keys = [Key::Escape, Key::Char('c'), Key::Char('3'), Key::Enter];
        assert!(sitting.press(&position, false, &keys).is_none());
        let made = sitting.press(&position, true, &[]);
        assert!(matches!(made, Some(Act::Move(decision)) if decision.mv.to_string() == "c3"));
    }

    #[test]
    fn the_end_of_a_game_stays_until_a_key() {
        let mut sitting = Sitting::<ScoreFour>::new(&["ana", "bo\u{1b}[31m"], 0);
        let won = Position::from_moves("a1b1a1b1a1b1a1").expect("a position");
        assert!(sitting.press(&won, false, &[]).is_none());
        sitting.said("\nYou have won (line).");
        sitting.said("Your move (x):");
        sitting.begin(2, 2, 0);
        assert!(sitting.press(&Position::START, true, &[]).is_none());
        let text = sitting.text();
        assert!(
            text.contains("*X*") && text.contains("A key goes on to the next game"),
            "{text}"
        );
        assert!(text.contains("You have won (line).") && !text.contains("Your move (x)"));
        assert!(!text.contains('\u{1b}'));
        assert!(
            sitting
                .press(&Position::START, true, &[Key::Enter])
                .is_none()
        );
        assert!(!sitting.text().contains("*X*"));
    }

    #[test]
    fn a_move_that_waits_is_not_played_in_the_next_game() {
        let mut sitting = Sitting::<ScoreFour>::new(&["ana", "bo"], 0);
        let keys = [Key::Char('c'), Key::Char('3'), Key::Enter];
        assert!(sitting.press(&Position::START, false, &keys).is_none());
        assert!(sitting.text().contains("c3 waits for your turn"));
        sitting.begin(2, 2, 0);
        assert!(sitting.press(&Position::START, true, &[]).is_none());
    }

    #[test]
    fn lines_are_broken_between_words() {
        let lines = [
            "one two three".to_owned(),
            "fourfivesix".to_owned(),
            "ねこ".to_owned(),
        ];
        let due = ["one", "two", "three", "fourf", "ivesi", "x", "ねこ"];
        assert_eq!(wrapped(&lines, 5), due);
        assert_eq!(wrapped(&lines[2..], 1), ["ね", "こ"]);
    }
}
