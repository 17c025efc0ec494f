//! What a network says of the positions of games, so that other programs can be compared with it.

use std::io::{BufWriter, Write as _, stdout};
use std::path::PathBuf;

use clap::Args;
use models::{Network, NnEngine};
use taikyoku_bots::self_play::{Archive, Lessons};

use crate::{Failure, Refused};

#[derive(Args)]
pub(crate) struct Options {
    /// The network.
    model: PathBuf,
    /// Files of games.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The layout: blokus-fast, blokus-paper or score-four.
    #[arg(long, default_value = "blokus-fast")]
    layout: String,
    /// What runs it.
    #[arg(long, value_enum, default_value_t)]
    nn_engine: NnEngine,
    /// Most games of each file.
    #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
    games: usize,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let lessons = Lessons::of(&options.layout).map_err(Refused::because)?;
    let layout = lessons.layout;
    let mut network =
        Network::open(&options.model, layout, options.nn_engine).map_err(Refused::because)?;
    let mut out = BufWriter::new(stdout().lock());
    let mut block = Vec::new();
    for path in &options.files {
        for record in Archive::read(path, layout.game)?.iter().take(options.games) {
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
