//! The client side of a seat at a server, for every game and for engines and people alike.
//!
//! | part | what it does |
//! |---|---|
//! | `connect`, `tls`, `stream`, `link` | connects, in plain text or TLS, and reads what comes |
//! | `options`, [`spec`] | command lines; engines as a line of text |
//! | [`ClientGame`] | rules, texts and engines of a game; open games have it by [`native::NativeGame`] |
//! | [`Player`] | is asked for moves and told of events: [`Supervised`], an engine, or a person |
//! | [`Summary`] | what the games came to |
//! | `animal_shogi`, [`uecda`], [`gat`], [`native`] | the loop of each protocol, for any player |

pub(crate) mod animal_shogi;
mod connect;
mod game;
pub mod gat;
pub(crate) mod link;
pub mod native;
mod options;
mod person;
mod player;
pub mod spec;
mod stream;
mod summary;
mod tls;
pub mod uecda;

use std::io::{BufRead, Write};

use serde_json::Value;

pub use game::ClientGame;
pub use link::{Lost, Waker};
pub use options::{CommonOptions, EngineNames, PlayerName, ServerOptions, seconds};
pub use person::{Manners, Person};
pub use player::{Act, Asked, Decision, News, Player, Supervised, Thinking};
pub use summary::{DuelTally, Results, Summary, Tally};
pub use tls::TlsOptions;
pub(crate) use tls::Trust;

/// Writes a line of JSON. A closed pipe does not stop the game.
pub(crate) fn write_line(out: &mut dyn Write, line: &Value) {
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Makes the player of a client.
pub type Sitter<G> = Box<dyn FnOnce(Waker, Manners) -> Box<dyn Player<G>>>;

/// An engine sits down, or without one a person. Only then are the person's lines read, on a thread of its own.
pub fn sitter<G: ClientGame>(
    engine: Option<Supervised<G>>,
    lines: Box<dyn BufRead + Send>,
) -> Sitter<G> {
    Box::new(move |waker, manners| match engine {
        Some(engine) => Box::new(engine),
        None => Box::new(Person::new(lines, waker, manners)),
    })
}
