//! The client of the native protocol: an engine or a person, through one match.

mod game;
mod tally;

use std::io::{BufRead, Write};

use log::debug;

pub use crate::client::native::PlayError;
use crate::client::native::{self, PlayerName};
use crate::score_four::{EngineName, EngineOptions};
use game::ScoreFour;
pub use tally::Tally;

/// Options of the client.
pub type Options = native::Options<EngineName>;
/// What a match came to.
pub type Summary = native::Summary<Tally>;

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
    let engine = match options.engine {
        PlayerName::Human => None,
        PlayerName::Engine(engine) => Some(EngineOptions {
            playouts: options.playouts,
            time: options.move_time(),
            threads: usize::from(options.threads),
            ..EngineOptions::named(engine)
        }),
    };
    let engine = engine.map(|engine| Box::new(engine.build(seed)));
    native::run::<ScoreFour, _>(options, engine, lines, out)
}
