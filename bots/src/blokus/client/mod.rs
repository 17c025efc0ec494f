//! The client of the native protocol: an engine or a person, through one match.

mod game;
mod options;
mod screen;
mod tally;

use std::io::{BufRead, Write};

use games::Blokus;

use crate::blokus::BuildError;
pub use crate::client::OptionsError;
pub use crate::client::native::PlayError;
use crate::client::{self, native, sitter};
pub(super) use game::picture;
pub use options::Options;
pub use tally::Tally;

/// What a match came to.
pub type Summary = client::Summary<Tally>;

/// Why a match was not played to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An option that would have no effect.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// The engine cannot be made.
    #[error(transparent)]
    Engine(#[from] BuildError),
    /// It began.
    #[error(transparent)]
    Play(#[from] PlayError),
}

impl RunError {
    /// The exit status of a program that ends with this: 2 the command line or a file of it, 3 no connection or no seat,
    /// 4 the match has no end.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Options(_) | Self::Engine(_) => program::USAGE,
            Self::Play(error) => error.exit_code(),
        }
    }
}

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
) -> Result<Summary, RunError> {
    let seed = options.native.common.seed_or_clock();
    let engine = match options.engine()? {
        Some(engine) => Some(options.native.common.supervise(engine.build(seed)?)),
        None => None,
    };
    let sitter = sitter(engine, lines, options.native.common.screen);
    Ok(native::run::<Blokus, _>(&options.native, sitter, out)?)
}
