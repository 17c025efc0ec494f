//! The client of the native protocol: an engine or a person, through one match.

mod game;
mod tally;

use std::io::{BufRead, Write};

use log::debug;

use crate::blokus::{EngineName, EngineOptions};
pub use crate::native_client::PlayError;
use crate::native_client::{self, PlayerName};
pub(super) use game::Blokus;
pub use tally::Tally;

/// Options of the client.
pub type Options = native_client::Options<EngineName>;
/// What a match came to.
pub type Summary = native_client::Summary<Tally>;

/// The engine of a command line; `None` for a person.
pub fn engine_options(options: &Options) -> Option<EngineOptions> {
    let PlayerName::Engine(engine) = options.engine else {
        return None;
    };
    Some(EngineOptions {
        playouts: options.playouts,
        time: options.move_time(),
        threads: usize::from(options.threads),
        ..EngineOptions::named(engine)
    })
}

/// Plays one match. A person's lines come from `lines`, which is read on a thread of its own and only
/// then; boards, or with `--json` decisions and results, and the summary go to `out`.
///
/// # Errors
/// When there is no connection or no seat, or the connection is lost for good.
pub fn run(
    options: &Options,
    lines: Box<dyn BufRead + Send>,
    out: &mut dyn Write,
) -> Result<Summary, PlayError> {
    let seed = options.seed_or_clock();
    debug!("seed {seed}");
    let engine = engine_options(options).map(|engine| Box::new(engine.build(seed)));
    native_client::run::<Blokus, _>(options, engine, lines, out)
}
