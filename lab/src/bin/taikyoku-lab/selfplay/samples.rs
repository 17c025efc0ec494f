//! What is in files of games, for what learns.

use std::io::{BufWriter, Write as _, stdout};
use std::path::PathBuf;

use clap::Args;
use indicatif::ProgressBar;
use models::{Network, NnEngine};
use taikyoku_lab::self_play::{Archive, Lessons};

use crate::{Failure, Refused};

#[derive(Args)]
pub(crate) struct EncodeOptions {
    /// The layout: blokus-fast, blokus-paper, score-four or dobutsu.
    layout: String,
    /// Files of games.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// First game, counted from 0 through all files.
    #[arg(long, value_name = "N", default_value_t = 0)]
    from_game: usize,
    /// Most games [default: all].
    #[arg(long, value_name = "N", default_value_t = usize::MAX, hide_default_value = true)]
    games: usize,
}

pub(crate) fn encode(options: &EncodeOptions) -> Result<(), Failure> {
    let lessons = Lessons::of(&options.layout).map_err(Refused::because)?;
    let mut out = BufWriter::with_capacity(1 << 20, stdout().lock());
    let (mut skip, mut left) = (options.from_game, options.games);
    let mut block = Vec::new();
    let bar = ProgressBar::new(0);
    for path in &options.files {
        let records = Archive::read(path, lessons.layout.game)?;
        let here = records.len();
        let taken = left.min(here.saturating_sub(skip));
        bar.inc_length(taken as u64);
        for record in records.iter().skip(skip).take(taken) {
            bar.inc(1);
            block.clear();
            lessons
                .write(record, &mut block)
                .map_err(|error| format!("{}: {error}", path.display()))?;
            out.write_all(&block)?;
        }
        left -= taken;
        skip = skip.saturating_sub(here);
    }
    bar.finish_and_clear();
    out.flush()?;
    Ok(())
}

#[derive(Args)]
pub(crate) struct EvaluateOptions {
    /// The network.
    model: PathBuf,
    /// Files of games.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The layout: blokus-fast, blokus-paper, score-four or dobutsu.
    #[arg(long, value_name = "NAME", default_value = "blokus-fast")]
    layout: String,
    /// What runs it.
    #[arg(long, value_name = "ENGINE", value_enum, default_value_t)]
    nn_engine: NnEngine,
    /// Most games of each file [default: all].
    #[arg(long, value_name = "N", default_value_t = usize::MAX, hide_default_value = true)]
    games: usize,
}

pub(crate) fn evaluate(options: &EvaluateOptions) -> Result<(), Failure> {
    let lessons = Lessons::of(&options.layout).map_err(Refused::because)?;
    let layout = lessons.layout;
    let mut network =
        Network::open(&options.model, layout, options.nn_engine).map_err(Refused::because)?;
    let mut out = BufWriter::new(stdout().lock());
    let mut block = Vec::new();
    let bar = ProgressBar::new(0);
    for path in &options.files {
        let records = Archive::read(path, layout.game)?;
        bar.inc_length(records.len().min(options.games) as u64);
        for record in records.iter().take(options.games) {
            bar.inc(1);
            block.clear();
            lessons.write(record, &mut block)?;
            let lesson = Block::of(&block, layout.bytes());
            out.write_all(&(lesson.ends.len() as u32).to_le_bytes())?;
            out.write_all(&(lesson.moves.len() as u32).to_le_bytes())?;
            let (mut logits, mut values, mut scores) = (Vec::new(), Vec::new(), Vec::new());
            let mut first = 0;
            for (packed, &end) in lesson.packed.chunks_exact(layout.bytes()).zip(&lesson.ends) {
                let outputs = network.evaluate(packed, 1)?;
                let moves = &lesson.moves[first..end];
                logits.extend(moves.iter().map(|&mv| outputs.policy[usize::from(mv)]));
                values.extend_from_slice(outputs.value);
                match outputs.score {
                    Some(score) => scores.extend_from_slice(score),
                    None => scores.resize(values.len(), f32::NAN),
                }
                first = end;
            }
            for number in [logits, values, scores].concat() {
                out.write_all(&number.to_le_bytes())?;
            }
        }
    }
    bar.finish_and_clear();
    out.flush()?;
    Ok(())
}

/// The parts of a sample block that are evaluated.
struct Block<'a> {
    packed: &'a [u8],
    moves: Vec<u16>,
    ends: Vec<usize>,
}

impl<'a> Block<'a> {
    fn of(block: &'a [u8], bytes: usize) -> Self {
        let word = |at: usize| {
            let bytes = block[at..].first_chunk().copied().unwrap_or_default();
            u32::from_le_bytes(bytes) as usize
        };
        let (n, m) = (word(4), word(8));
        let (packed, rest) = block[40..].split_at(n * bytes);
        let moves = &rest[(4 - n * bytes % 4) % 4..];
        let arrays = 40 + (n * bytes).next_multiple_of(4);
        let ends = arrays + 2 * (m * 2).next_multiple_of(4);
        Self {
            packed,
            moves: moves.as_chunks().0[..m]
                .iter()
                .map(|pair| u16::from_le_bytes(*pair))
                .collect(),
            ends: (0..n).map(|i| word(ends + 4 * i)).collect(),
        }
    }
}
