//! Games of a classical engine.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

use clap::Args;
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
    let mut archive = Archive::open(&options.out, "blokus")?;
    let all = options.first_game..options.first_game.saturating_add(options.games);
    let missing: Vec<u64> = all.filter(|&id| !archive.contains(id)).collect();
    let mut progress = Progress::new(missing.len() as u64, options.json);
    let next = AtomicU64::new(0);
    let (sender, receiver) = mpsc::sync_channel(64);
    std::thread::scope(|scope| -> Result<(), Failure> {
        for _ in 0..options.threads.max(1) {
            let (sender, teacher, missing, next) = (sender.clone(), &teacher, &missing, &next);
            scope.spawn(move || {
                while let Some(&id) = missing.get(next.fetch_add(1, Ordering::Relaxed) as usize) {
                    if sender.send(teacher.play(id)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for record in receiver {
            let record = record?;
            archive.add(&record)?;
            progress.game(record.plies.len());
        }
        Ok(())
    })?;
    progress.end();
    Ok(())
}
