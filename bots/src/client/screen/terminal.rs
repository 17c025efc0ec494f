//! The terminal of this program: taken for a screen, and as it was before on every way out.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal as _, Write as _, stderr, stdout};
use std::process::exit;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::Duration;

use log::LevelFilter;
use ratatui_core::terminal::Terminal;
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::cursor::Show;
use ratatui_crossterm::crossterm::event::{self, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui_crossterm::crossterm::execute;
use ratatui_crossterm::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};

use super::Key;
use crate::client::Waker;

/// Keys that wait for the client, which may be busy with connecting again.
const MOST_KEYS: usize = 64;
const TICK: Duration = Duration::from_millis(500);
/// Exit status after an interrupt, as shells have it.
const INTERRUPTED: i32 = 130;

static IS_TAKEN: AtomicBool = AtomicBool::new(false);
/// The level of the log before.
static LOG_LEVEL: AtomicUsize = AtomicUsize::new(0);

pub(super) fn has_room() -> bool {
    size().is_ok_and(|(columns, rows)| columns > 0 && rows > 0)
}

pub(super) enum Event {
    Key(Key),
    /// The window has another size, or time has passed.
    Redraw,
}

pub(super) type Screen = Terminal<CrosstermBackend<BufWriter<File>>>;

/// The terminal is taken as long as this lives.
pub(super) struct Desk(());

impl Desk {
    /// Gives the terminal back and leaves a text on it.
    pub(super) fn leave(self, text: &str) {
        drop(self);
        // A closed terminal reads nothing.
        let _ = output().and_then(|mut out| out.write_all(text.as_bytes()));
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        restore();
    }
}

/// Takes the terminal. Its keys are read on a thread of its own, which wakes the client with each of them.
///
/// # Errors
/// When it cannot be had.
pub(super) fn take(waker: Waker) -> io::Result<(Screen, Receiver<Event>, Desk)> {
    restore_at_the_end()?;
    let mut out = output()?;
    IS_TAKEN.store(true, Ordering::SeqCst);
    let desk = Desk(());
    // Lines of the log would lie across the drawing.
    if stderr().is_terminal() {
        LOG_LEVEL.store(log::max_level() as usize, Ordering::SeqCst);
        log::set_max_level(LevelFilter::Off);
    }
    enable_raw_mode()?;
    execute!(out, EnterAlternateScreen)?;
    let screen = Terminal::new(CrosstermBackend::new(BufWriter::new(out)))?;
    let (sender, events) = sync_channel(MOST_KEYS);
    thread::spawn(move || {
        read(&sender, &waker);
        // The end of the keys shows by their sender, which must be gone first. The match may be over.
        drop(sender);
        waker.wake();
    });
    Ok((screen, events, desk))
}

/// Standard output once more: the program's own handle may be locked by another thread.
fn output() -> io::Result<File> {
    let handle = std::os::fd::AsFd::as_fd(&stdout()).try_clone_to_owned()?;
    Ok(handle.into())
}

/// Makes the terminal what it was; does nothing when it is.
fn restore() {
    if !IS_TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    // There is nothing more to be done for a terminal that refuses.
    let _ = output().and_then(|mut out| execute!(out, LeaveAlternateScreen, Show));
    let _ = disable_raw_mode();
    let level = LOG_LEVEL.load(Ordering::SeqCst);
    if let Some(level) = LevelFilter::iter().find(|filter| *filter as usize == level)
        && log::max_level() == LevelFilter::Off
    {
        log::set_max_level(level);
    }
}

/// Sees to it that the terminal is given back before a panic is told of, and before a signal ends the program.
fn restore_at_the_end() -> io::Result<()> {
    static HOOK: Once = Once::new();
    let mut is_first = false;
    HOOK.call_once(|| {
        is_first = true;
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            restore();
            before(info);
        }));
    });
    if is_first {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
        thread::spawn(move || {
            for signal in &mut signals {
                restore();
                // It ends the program, as it would have without a handler.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
    }
    Ok(())
}

/// Reads keys until the terminal or the client is gone.
fn read(events: &SyncSender<Event>, waker: &Waker) {
    loop {
        let happened = match event::poll(TICK) {
            Ok(true) => event::read(),
            Ok(false) => Ok(event::Event::FocusGained),
            Err(e) => Err(e),
        };
        let event = match happened {
            Ok(event::Event::Key(key)) if key.kind != KeyEventKind::Release => match key_of(key) {
                Some(key) => Event::Key(key),
                None => continue,
            },
            Ok(_) => Event::Redraw,
            Err(_) => return,
        };
        // A client that is busy misses keys: an interrupt must come through.
        let is_lost = matches!(events.try_send(event), Err(TrySendError::Disconnected(_)));
        if is_lost || !waker.wake() {
            return;
        }
    }
}

/// What a key is here; `None` if nothing. An interrupt ends the program at once.
fn key_of(key: KeyEvent) -> Option<Key> {
    let with_control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        KeyCode::Char('c' | 'C') if with_control => {
            restore();
            exit(INTERRUPTED);
        }
        KeyCode::Char('m' | 'j') if with_control => Key::Enter,
        KeyCode::Char('h') if with_control => Key::Backspace,
        KeyCode::Char(_) if with_control => return None,
        KeyCode::Char(letter) => Key::Char(letter),
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Backspace | KeyCode::Delete => Key::Backspace,
        KeyCode::PageUp => Key::Char('['),
        KeyCode::PageDown => Key::Char(']'),
        KeyCode::F(1) => Key::Char('?'),
        _ => return None,
    })
}
