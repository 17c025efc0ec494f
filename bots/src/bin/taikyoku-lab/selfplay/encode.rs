//! Positions and targets of games, for what learns.

use std::io::{BufWriter, Write as _, stdout};
use std::path::PathBuf;

use clap::Args;
use taikyoku_bots::self_play::{Archive, Lessons};

use crate::{Failure, Refused};

#[derive(Args)]
pub(crate) struct Options {
    /// The layout: blokus-fast, blokus-paper or score-four.
    layout: String,
    /// Files of games.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// First game, counted from 0 through all files.
    #[arg(long, default_value_t = 0)]
    from_game: usize,
    /// Most games.
    #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
    games: usize,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let lessons = Lessons::of(&options.layout).map_err(Refused::because)?;
    let mut out = BufWriter::with_capacity(1 << 20, stdout().lock());
    let (mut skip, mut left) = (options.from_game, options.games);
    let mut block = Vec::new();
    for path in &options.files {
        let records = Archive::read(path, lessons.layout.game)?;
        let here = records.len();
        for record in records.iter().skip(skip).take(left) {
            block.clear();
            lessons
                .write(record, &mut block)
                .map_err(|error| format!("{}: {error}", path.display()))?;
            out.write_all(&block)?;
        }
        left -= left.min(here.saturating_sub(skip));
        skip = skip.saturating_sub(here);
    }
    out.flush()?;
    Ok(())
}
