//! Screens without a terminal, for the tests of the games.

use std::collections::HashSet;
use std::fmt::Debug;
use std::fs;
use std::hash::Hash;
use std::io::sink;
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};

use protocol::native::ServerMessage;
use ratatui_core::backend::TestBackend;
use ratatui_core::buffer::Cell;
use ratatui_core::terminal::Terminal;

use super::terminal::Event;
use super::window::Window;
use super::{Key, Pressed, ScreenGame};
use crate::client::{Act, Asked, Manners, News, Player};

const KEYS: [Key; 13] = [
    Key::Up,
    Key::Down,
    Key::Left,
    Key::Right,
    Key::Enter,
    Key::Escape,
    Key::Char(' '),
    Key::Char('/'),
    Key::Char('['),
    Key::Char(']'),
    Key::Char('p'),
    Key::Backspace,
    Key::Char('z'),
];

/// A person at a screen of 80 columns and 24 rows, where nothing was drawn yet.
pub(crate) struct Sitting<G: ScreenGame> {
    window: Window<G, TestBackend>,
    keys: SyncSender<Event>,
}

impl<G: ScreenGame> Sitting<G> {
    /// Sits down at a table of these players, by seat, in a seat.
    pub(crate) fn new(names: &[&str], seat: u8) -> Sitting<G> {
        let terminal = Terminal::new(TestBackend::new(80, 24)).expect("a terminal");
        let (keys, events) = sync_channel(1000);
        let manners = Manners {
            has_resign: true,
            quit: "leave",
        };
        let mut sitting = Sitting {
            window: Window::new(terminal, events, manners, None),
            keys,
        };
        sitting.show(&ServerMessage::Match {
            players: names.iter().map(ToString::to_string).collect(),
            games: 2,
            rules: serde_json::Value::Null,
            clocks: protocol::native::Clocks::default(),
        });
        sitting.begin(1, names.len() as u8, seat);
        sitting
    }

    pub(crate) fn begin(&mut self, game: u32, players: u8, seat: u8) {
        self.show(&ServerMessage::Game {
            event: 0,
            game,
            players: (0..players).collect(),
            ply: 0,
        });
        Player::<G>::tell(&mut self.window, News::NewGame, &mut sink());
        self.show(&ServerMessage::View {
            event: 0,
            game,
            seat,
            ply: 0,
            to_move: Some(seat),
            view: serde_json::Value::Null,
        });
    }

    fn show(&mut self, message: &ServerMessage) {
        Player::<G>::show(&mut self.window, message);
    }

    pub(crate) fn moved(&mut self, seat: u8, mv: &str) {
        self.show(&ServerMessage::Moved {
            event: 0,
            game: 1,
            ply: 0,
            seat,
            mv: mv.to_owned(),
            used_ms: 0,
            budget_ms: None,
        });
    }

    pub(crate) fn said(&mut self, text: &str) {
        self.window.tell(News::Said(text), &mut sink());
    }

    /// Presses keys while the seat is asked for a move, if it is; gives what they come to.
    pub(crate) fn press(
        &mut self,
        view: &G::View,
        is_asked: bool,
        keys: &[Key],
    ) -> Option<Act<G::Move>> {
        let mut done = None;
        for key in std::iter::once(None).chain(keys.iter().map(Some)) {
            if let Some(key) = key {
                let sent = self.keys.try_send(Event::Key(*key));
                assert!(sent.is_ok(), "there is room for the keys");
            }
            let asked = is_asked.then_some(Asked {
                limit: None,
                refused: &[],
            });
            done = done.or(self.window.act(Some(view), asked, &mut sink()));
        }
        done
    }

    pub(crate) fn type_line(&mut self, view: &G::View, line: &str) -> Option<Act<G::Move>> {
        let keys: Vec<Key> = line.chars().map(Key::Char).chain([Key::Enter]).collect();
        self.press(view, true, &keys)
    }

    /// What stands on the screen, lines with their ends.
    pub(crate) fn text(&self) -> String {
        let buffer = self.window.terminal().backend().buffer();
        let width = usize::from(buffer.area.width);
        let rows = buffer.content.chunks(width).map(|row| {
            let row: String = row.iter().map(Cell::symbol).collect();
            row.trim_end().to_owned() + "\n"
        });
        rows.collect()
    }
}

/// The screen is that of a file of `tests/screens`; `UPDATE_GOLDEN=1` writes it anew.
pub(crate) fn assert_screen(text: &str, name: &str) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/screens");
    let path = Path::new(folder).join(format!("{name}.txt"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, text).expect("a screen that can be written");
    }
    let due = fs::read_to_string(&path).expect("a screen");
    assert!(text == due, "{name} is now\n{text}");
}

/// Every legal move can be typed, and made by the tabulator; gives the legal moves.
pub(crate) fn assert_typed_and_tabbed<G: ScreenGame>(view: &G::View) -> Vec<G::Move>
where
    G::Move: Debug,
{
    let moves = G::legal_moves(view);
    for mv in &moves {
        assert!(
            G::read_move(view, &mv.to_string().to_lowercase()) == Ok(*mv),
            "{mv} is typed"
        );
        let mut pick = G::aim(view, *mv);
        if !G::near(view, &pick).contains(mv) {
            continue;
        }
        let pressed = G::press(view, &mut pick, Key::Enter);
        assert!(pressed == Pressed::Move(*mv), "{mv} comes to {pressed:?}");
    }
    moves
}

/// The legal moves are those that keys make from the start, whatever they are.
pub(crate) fn assert_reached<G: ScreenGame>(view: &G::View)
where
    G::Move: Debug,
    G::Pick: Eq + Hash,
{
    let mut found = Vec::new();
    let mut seen = HashSet::from([G::start(view)]);
    let mut open = vec![G::start(view)];
    while let Some(pick) = open.pop() {
        for key in KEYS {
            let mut pick = pick.clone();
            match G::press(view, &mut pick, key) {
                Pressed::Move(mv) if !found.contains(&mv) => {
                    assert!(G::is_legal(view, mv), "{mv} is not legal");
                    found.push(mv);
                }
                _ => {}
            }
            if seen.insert(pick.clone()) {
                open.push(pick);
            }
        }
    }
    for mv in assert_typed_and_tabbed::<G>(view) {
        assert!(found.contains(&mv), "{mv} is made by no keys");
    }
}
