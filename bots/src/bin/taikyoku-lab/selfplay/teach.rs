//! Games of a classical engine.

use std::path::PathBuf;
use std::sync::Mutex;

use clap::Args;
use taikyoku_bots::arena::spread;
use taikyoku_bots::blokus::EngineOptions;
use taikyoku_bots::self_play::{Archive, Teacher};

use super::progress::Progress;
use crate::{Failure, Refused};

#[derive(Args)]
pub(crate) struct Options {
    /// File to add the games to.
    #[arg(long)]
    out: PathBuf,
    /// Games that the file is to hold, counted from --first-game.
    #[arg(long)]
    games: u64,
    /// Number of the first game.
    #[arg(long, default_value_t = 0)]
    first_game: u64,
    /// The engine in all seats: NAME[:option=value]..., as `match blokus` has it.
    #[arg(long, default_value = "best:playouts=400")]
    engine: EngineOptions,
    /// Most random plies at the start of a game.
    #[arg(long, default_value_t = 8)]
    random_plies: u32,
    /// Plies up to which moves are drawn by their visits.
    #[arg(long, default_value_t = 20)]
    drawn_plies: u16,
    /// Games at the same time.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Seed of all games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Progress as lines of JSON on stderr.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let teacher = Teacher {
        engine: options.engine.clone(),
        random_plies: options.random_plies,
        drawn_plies: options.drawn_plies,
        seed: options.seed,
    };
    // One that cannot be made leaves no file behind.
    drop(
        options
            .engine
            .build(options.seed)
            .map_err(Refused::because)?,
    );
    let archive = Archive::open(&options.out, "blokus")?;
    let all = options.first_game..options.first_game.saturating_add(options.games);
    let missing: Vec<u64> = all.filter(|&id| !archive.contains(id)).collect();
    let count = missing.len() as u64;
    let out = Mutex::new((archive, Progress::new(count, options.json)));
    spread(
        "game",
        count,
        options.threads,
        || (),
        |(), number| {
            let record = teacher.play(missing[number as usize])?;
            let mut out = out
                .lock()
                .expect("nothing panics while it holds the archive");
            let (archive, progress) = &mut *out;
            archive.add(&record)?;
            progress.game(record.plies.len());
            Ok(())
        },
    )?;
    let out = out
        .lock()
        .expect("nothing panics while it holds the archive");
    out.1.end();
    Ok(())
}
