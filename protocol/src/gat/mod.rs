//! The GAT protocol of the Geister tournaments: CR LF lines of ASCII over one connection a game.
//!
//! `protocol/GAT.md` specifies it. [`ServerEnd`] and [`ClientEnd`] are the state machines of the two ends, [`Board`] is the board
//! string, [`GameLog`] the official game log, [`ViewerFrame`] what the official viewer shows.
//!
//! # The official server's habits
//! Clients rely on these, so the server's end keeps them:
//! - every spelling that [`ClientLine`] lists, with `NG ` for all others;
//! - the space in `OK ` and `NG `;
//! - a bad placement, and a second placement or a move out of turn cost an `NG ` and nothing else;
//! - on one's own turn every line but a legal move is a fault, a second placement too.
//!
//! One habit is a matter of choice: [`Names::Refused`] answers `NG ` to `SET:ABCD,NAME:foo`, as the
//! official server does unless told to take names from clients.
//!
//! These are faults of the official servers, and nothing here repeats them:
//! - `SET:AAAA` gives a side one red ghost: repeated letters are refused;
//! - `SET:ABCZ`, `SET:ABC1`, `MOV:,N` and an empty first line hang a game: they are malformed lines;
//! - of two commands in one packet the second waits for the next packet: every line is taken;
//! - a plain `SET:ABCD` where names are expected breaks the connection: it is accepted always;
//! - the answer to an escape repeats the colour of an earlier capture: the answer tells what the
//!   caller gives, which is nothing for an escape.
//!
//! A line above the limit is one malformed line, after which reading goes on.

mod board;
mod client_end;
mod game_log;
mod message;
mod server_end;
mod viewer;

pub use board::{BOARD_LEN, Board, BoardError, enemy_move};
pub use client_end::{ClientEnd, Event, MoveAnswer, NAME_LIMIT, NotDue, SERVER_LINE_LIMIT};
pub use game_log::{GameLog, LogError, LogLine};
pub use message::{ClientLine, Malformed, Outcome, ServerLine, ServerLineError, is_name};
pub use server_end::{CLIENT_LINE_LIMIT, Names, Phase, Request, ServerEnd};
pub use viewer::{EMPTY_FRAME, FrameError, Label, Scoreboard, ViewerBoard, ViewerFrame, WinCounts};
