//! Clients of game servers: connections, a client for each protocol, and a player who types at a terminal.
//!
//! A client of a protocol ([`native`], [`uecda`], [`gat`], [`animal_shogi`]) connects, follows the game, and lets its
//! [`Player`] act after everything that happens. A player is anything that chooses: a [`Person`] who types lines, a
//! browser, or an engine, which is another crate's. A [`ClientGame`] is what all of them need to know of a game: its moves, its
//! notation and its drawing. An open game has it by [`native::NativeGame`].
//!
//! Nothing here searches, serves, or judges a move beyond what the rules of `games` say. A server is never trusted:
//! what does not fit the game as it is followed is counted in the [`Summary`], and a line that means nothing is passed
//! over. Clients block, each on threads of its own; there is no async.
//!
//! Begin reading at [`Player`], then at the loop of the native client, `native/client.rs`. Connections, in plain text and
//! in TLS, are in `connect`, `tls`, `stream` and `link`.

pub mod animal_shogi;
mod connect;
mod error;
mod game;
pub mod gat;
mod link;
pub mod native;
mod person;
mod player;
mod repeated;
mod stream;
mod summary;
mod tls;
pub mod uecda;

use std::io::{BufRead, BufReader, Write, stdin, stdout};
use std::process::ExitCode;

use games::{Printable, count_of_games};
use program::PrintableWriter;
use serde_json::Value;

pub use connect::{NoConnection, ServerOptions, seconds};
pub use error::{GameError, MatchError};
pub use game::ClientGame;
pub use link::{Input, Inputs, Lost, Waker};
pub use person::{Person, PersonCommands};
pub(crate) use player::tell_of_silence;
pub use player::{Action, Decision, MoveRequest, Notification, Player, TableEvent, Thinking};
pub use repeated::{LATE, LEAVE, RESIGN, Repeated, SCRIPT, draw_line};
pub use stream::Stream;
pub use summary::{Counts, DuelCounts, Results, Summary};
pub use tls::TlsOptions;

/// Writes a line of JSON. A closed pipe does not stop the game.
pub(crate) fn write_line(out: &mut dyn Write, line: &Value) {
    let _ = writeln!(out, "{}", Printable(line)).and_then(|()| out.flush());
}

/// Runs the client of a program on standard input and output. Returns the exit status: 0 for a match that was played to
/// its end, 4 for one that ended early or has games without a result, else that of the error, which is printed.
pub fn run_program<T>(
    name: &str,
    run: impl FnOnce(Box<dyn BufRead + Send>, &mut dyn Write) -> Result<Summary<T>, MatchError>,
) -> ExitCode {
    let mut out = PrintableWriter(stdout().lock());
    let result = run(Box::new(BufReader::new(stdin())), &mut out);
    let _ = out.flush();
    match result {
        Ok(summary) if summary.is_whole() => ExitCode::SUCCESS,
        Ok(summary) if summary.broken > 0 => {
            let broken = count_of_games(summary.broken);
            let reason = format!("{broken} without a result");
            program::fail(name, &reason, program::CUT_SHORT)
        }
        Ok(_) => ExitCode::from(program::CUT_SHORT),
        Err(error) => program::fail(name, &error, error.exit_code()),
    }
}

/// Makes the player of a client.
pub type Sitter<G> = Box<dyn FnOnce(Waker, PersonCommands) -> Box<dyn Player<G>>>;
