//! The client side of a seat at a server, for every game and for engines and people alike.
//!
//! | part | what it does |
//! |---|---|
//! | `connect`, `tls`, `stream`, `link` | connects, in plain text or TLS, and reads what comes |
//! | `options` | command lines |
//! | [`ClientGame`] | rules, texts and engines of a game; open games have it by [`native::NativeGame`] |
//! | [`Player`] | is asked for moves and told of events: [`Supervised`], an engine, or a person |
//! | [`GameClock`] | spreads the time of a game over an engine's decisions |
//! | [`Summary`] | what the games came to |
//! | `animal_shogi`, [`uecda`], [`gat`], [`native`] | the loop of each protocol, for any player |

pub(crate) mod animal_shogi;
mod clock;
mod connect;
mod game;
pub mod gat;
pub(crate) mod link;
pub mod native;
mod options;
mod person;
mod player;
mod stream;
mod summary;
mod tls;
pub mod uecda;

use std::fmt::Display;
use std::io::{BufRead, BufReader, Write, stdin, stdout};
use std::process::ExitCode;

use games::{Printable, count_of_games};
use program::PrintableWriter;
use serde_json::Value;

pub use crate::{Level, spec};
pub use clock::GameClock;
pub use connect::NoConnection;
pub use game::ClientGame;
pub use link::{Lost, Waker};
pub(crate) use options::Restricted;
pub use options::{CommonOptions, EngineNames, OptionsError, PlayerName, ServerOptions, seconds};
#[cfg(test)]
pub(crate) use options::{check_default, options_of};
pub use person::{Manners, Person};
pub(crate) use player::tell_of_silence;
pub use player::{Act, Asked, Decision, News, Player, Supervised, Thinking};
pub use stream::Stream;
pub use summary::{DuelTally, Results, Summary, Tally};
pub use tls::TlsOptions;

/// Writes a line of JSON. A closed pipe does not stop the game.
pub(crate) fn write_line(out: &mut dyn Write, line: &Value) {
    let _ = writeln!(out, "{}", Printable(line)).and_then(|()| out.flush());
}

/// Runs the client of a program on standard input and output. Returns the exit status: 0 for a match that was played to
/// its end, 4 for one that ended early or has games without a result, else what `status` says of an error, which is printed.
pub fn run_program<T, E: Display>(
    name: &str,
    run: impl FnOnce(Box<dyn BufRead + Send>, &mut dyn Write) -> Result<Summary<T>, E>,
    status: impl FnOnce(&E) -> u8,
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
        Err(error) => program::fail(name, &error, status(&error)),
    }
}

/// Makes the player of a client.
pub type Sitter<G> = Box<dyn FnOnce(Waker, Manners) -> Box<dyn Player<G>>>;

/// An engine sits down, or without one a person. Only then are the person's lines read, on a thread of its own.
pub(crate) fn sitter<G: ClientGame>(
    engine: Option<Supervised<G>>,
    lines: Box<dyn BufRead + Send>,
) -> Sitter<G> {
    Box::new(move |waker, manners| match engine {
        Some(engine) => Box::new(engine),
        None => Box::new(Person::new(lines, waker, manners)),
    })
}
