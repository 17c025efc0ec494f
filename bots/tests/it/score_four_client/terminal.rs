//! A program at a terminal, which is a pseudo-terminal here.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use protocol::native::ServerMessage;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use super::server::open;
use super::{over, result};
use crate::native_server::Script;

/// Longest wait for what is due on the screen.
const PATIENCE: Duration = Duration::from_mins(1);
const ENTER: &[u8] = b"\r";
const RIGHT: &[u8] = b"\x1b[C";
const INTERRUPT: &[u8] = b"\x03";
const LEAVE_SCREEN: &str = "\x1b[?1049l";

/// The other side of a terminal that a program runs in.
struct Terminal {
    keyboard: File,
    /// The program's side, kept open to look at its settings.
    side: File,
    shown: Receiver<Vec<u8>>,
    text: String,
    program: Child,
}

impl Terminal {
    /// Starts the client of 3D four-in-a-row for a person at a terminal of the usual size.
    fn start(port: u16, more: &[&str]) -> Terminal {
        Terminal::of_size([24, 80], port, more)
    }

    /// The same with a number of rows and columns.
    fn of_size([ws_row, ws_col]: [u16; 2], port: u16, more: &[&str]) -> Terminal {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).expect("a terminal of one's own");
        unlockpt(&master).expect("a terminal that opens");
        let name = ptsname(&master, Vec::new()).expect("a name");
        let path = std::ffi::OsStr::from_bytes(name.as_bytes()).to_owned();
        let side = OpenOptions::new().read(true).write(true).open(path);
        let side = side.expect("the program's side");
        let size = Winsize {
            ws_row,
            ws_col,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&side, size).expect("a size");
        let handle = || OwnedFd::from(side.try_clone().expect("a handle"));
        let program = Command::new(env!("CARGO_BIN_EXE_score-four"))
            .args(["play", "--host", "127.0.0.1", "--engine", "human"])
            .args(["--port", &port.to_string()])
            .args(more)
            .env("TERM", "xterm-256color")
            .env_remove("NO_COLOR")
            .stdin(handle())
            .stdout(handle())
            .stderr(handle())
            .spawn()
            .expect("the program");
        let keyboard = File::from(master);
        let mut screen = keyboard.try_clone().expect("a handle");
        let (sender, shown) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = screen.read(&mut bytes) {
                if sender.send(bytes[..n].to_vec()).is_err() {
                    break;
                }
            }
        });
        Terminal {
            keyboard,
            side,
            shown,
            text: String::new(),
            program,
        }
    }

    /// Waits until something is shown; on a screen a word, as blanks are not sent again.
    fn wait_for(&mut self, due: &str) {
        while !self.text.contains(due) {
            let bytes = self.shown.recv_timeout(PATIENCE);
            let bytes = bytes.unwrap_or_else(|e| panic!("{due} is not shown ({e}): {}", self.text));
            self.text += &String::from_utf8_lossy(&bytes);
        }
    }

    fn press(&mut self, keys: &[u8]) {
        self.keyboard.write_all(keys).expect("a keyboard");
    }

    /// Waits for the end of the program; gives its exit status. The terminal must be as it was.
    fn end(mut self) -> Option<i32> {
        self.wait_for(LEAVE_SCREEN);
        let status = self.program.wait().expect("an end");
        let modes = tcgetattr(&self.side).expect("settings").local_modes;
        assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG));
        status.code()
    }
}

#[test]
fn a_person_plays_at_a_screen() {
    let mut script = Script::start(|server| {
        open(server, 0, "");
        server.ask(1, 0);
        assert_eq!(server.hear_move(), (Some(0), "c2".to_owned()));
        server.moved(2, 0, 0, "c2");
        server.moved(3, 1, 1, "c2");
        server.ask(1, 2);
        assert_eq!(server.hear_move(), (Some(2), "d4".to_owned()));
        server.tell(&[result(&[1, 2], "line"), over()]);
    });
    let mut terminal = Terminal::start(script.port, &[]);
    terminal.wait_for("Arrows,");
    terminal.press(&[RIGHT, ENTER].concat());
    terminal.wait_for("c2.");
    terminal.press(b"d4\r");
    // What is left on the terminal when the screen is gone.
    terminal.wait_for("You have won (line).\r\n");
    assert_eq!(terminal.end(), Some(0));
    script.finish();
}

#[test]
fn a_terminal_without_a_size_has_lines_in_place_of_a_screen() {
    let mut script = Script::start(|server| {
        open(server, 0, "");
        server.ask(1, 0);
        assert_eq!(server.hear_move(), (Some(0), "d4".to_owned()));
        server.tell(&[result(&[1, 2], "line"), over()]);
    });
    let mut terminal = Terminal::of_size([0, 0], script.port, &[]);
    terminal.press(b"d4\r");
    terminal.wait_for("1 won");
    assert!(!terminal.text.contains('\u{1b}'), "{}", terminal.text);
    let status = terminal.program.wait().expect("an end");
    assert_eq!(status.code(), Some(0));
    script.finish();
}

#[test]
fn the_terminal_is_as_before_after_an_interrupt_and_a_lost_connection() {
    let mut script = Script::start(|server| {
        open(server, 0, "");
        server.ask(1, 0);
        // Until the client is gone.
        server.hears_nothing();
    });
    let mut terminal = Terminal::start(script.port, &[]);
    terminal.wait_for("Arrows,");
    terminal.press(INTERRUPT);
    assert_eq!(terminal.end(), Some(130));
    script.finish();

    let script = Script::start(|server| {
        open(server, 0, "");
        server.tell(&[ServerMessage::error(
            protocol::native::ErrorCode::Stopped,
            "the server ends",
        )]);
    });
    let terminal = Terminal::start(script.port, &[]);
    assert_eq!(terminal.end(), Some(3));
}

#[test]
fn lines_are_for_those_that_ask_for_them() {
    let mut script = Script::start(|server| {
        open(server, 0, "");
        server.ask(1, 0);
        assert_eq!(server.hear_move(), (Some(0), "c2".to_owned()));
        server.tell(&[result(&[1, 2], "line"), over()]);
    });
    let mut terminal = Terminal::start(script.port, &["--plain"]);
    terminal.wait_for("Your move (x, 5.0 s left):");
    terminal.press(b"c2\n");
    terminal.wait_for("The match is over");
    assert!(!terminal.text.contains('\u{1b}'), "{}", terminal.text);
    assert!(terminal.program.wait().expect("an end").success());
    script.finish();
}
