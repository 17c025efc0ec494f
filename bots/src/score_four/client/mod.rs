//! The client of score four.

mod game;

use std::io::{BufRead, Write};

pub use crate::client::native::PlayError;
use crate::client::{self, DuelTally, Supervised, native, sitter};
use crate::score_four::{EngineName, EngineOptions};
use game::ScoreFour;

/// Options of the client.
pub type Options = native::Options<EngineName>;
/// What a match came to.
pub type Summary = client::Summary<DuelTally>;

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
    let seed = options.common.seed_or_clock();
    let engine = options.common.engine.engine().map(|engine| {
        let engine = EngineOptions {
            playouts: options.playouts,
            time: options.move_time(),
            threads: usize::from(options.threads),
            ..EngineOptions::named(engine)
        };
        Supervised::new(engine.build(seed))
    });
    native::run::<ScoreFour, _>(options, sitter(engine, lines), out)
}
