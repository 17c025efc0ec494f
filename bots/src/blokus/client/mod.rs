//! The client of the native protocol: an engine or a person, through one match.

mod game;
mod options;
mod tally;

use std::io::{BufRead, Write};

use games::Blokus;

pub use crate::client::OptionsError;
use crate::client::native::PlayError;
use crate::client::{self, native, sitter};
pub(super) use game::picture;
pub use options::Options;
pub use tally::Tally;

/// What a match came to.
pub type Summary = client::Summary<Tally>;

/// Plays one match. A person's lines come from `lines`, which is read on a thread of its own and only
/// then; boards, or with `--json` decisions and results, and the summary go to `out`.
///
/// # Errors
/// Before there is a connection, when the engine cannot be made; when there is no connection or no seat, or the connection
/// is lost for good.
pub fn run(
    options: &Options,
    lines: Box<dyn BufRead + Send>,
    out: &mut dyn Write,
) -> Result<Summary, PlayError> {
    let common = &options.native.common;
    let (engine, seed) = (options.engine()?, common.seed_or_clock());
    let engine = engine.map(|engine| engine.build(seed)).transpose();
    let engine = engine.map_err(PlayError::engine)?;
    let engine = engine.map(|engine| common.supervise(engine));
    let sitter = sitter(engine, lines);
    native::run::<Blokus, _>(&options.native, sitter, out)
}
