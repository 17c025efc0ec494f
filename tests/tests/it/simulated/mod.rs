//! Servers and leagues in virtual time: the server's own lobbies, tables, referees and journals, with connections, clients and
//! disks that are drawn from a seed, faults included. Referees alone, with any bytes at any time, are fuzz targets.
//!
//! `TAIKYOKU_SEEDS=FROM..TO` tells which seeds are played; otherwise they are [`Cases`]. The same seed is the same world: a seed that fails is
//! printed with the command that plays it again.

mod cluster;
mod disk;
mod habits;
mod league;
mod lobby;
mod pipe;
mod visitor;

use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

use games::{Blokus, Cases, Dobutsu, ScoreFour};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

const MOST: Duration = Duration::from_hours(24);

#[derive(Debug, Default, PartialEq)]
struct Played {
    worlds: BTreeMap<&'static str, u32>,
    faults: BTreeMap<String, u32>,
    events: usize,
    /// Time that it took by its own clock.
    time: Duration,
}

impl Played {
    fn fault(&mut self, name: &str) {
        *self.faults.entry(name.to_owned()).or_default() += 1;
    }

    fn add(&mut self, other: Played) {
        for (name, count) in other.worlds {
            *self.worlds.entry(name).or_default() += count;
        }
        for (name, count) in other.faults {
            *self.faults.entry(name).or_default() += count;
        }
        self.events += other.events;
        self.time += other.time;
    }
}

/// Runs this in a runtime whose clock goes on when nothing else does.
fn in_virtual_time<T>(world: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    runtime.expect("a runtime").block_on(world)
}

fn play_seed(seed: u64) -> Played {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    match rng.random_range(0..14) {
        0..3 => lobby::play(rng, &lobby::Uecda),
        3..6 => lobby::play(rng, &lobby::Gat),
        6..8 => lobby::play(rng, &lobby::Native::<ScoreFour>::new("score-four server")),
        8 => lobby::play(rng, &lobby::Native::<Dobutsu>::new("dobutsu server")),
        9 => lobby::play(rng, &lobby::Native::<Blokus>::new("blokus server")),
        10 => disk::play(rng),
        11 => cluster::play(rng),
        _ => league::play(rng),
    }
}

/// Plays every other seed, or every third one, and so on; the first that fails.
fn play_seeds(seeds: Range<u64>, step: usize) -> (Played, Option<u64>) {
    let mut all = Played::default();
    for seed in seeds.step_by(step) {
        match catch_unwind(AssertUnwindSafe(|| play_seed(seed))) {
            Ok(played) => all.add(played),
            Err(_) => return (all, Some(seed)),
        }
    }
    (all, None)
}

#[test]
fn a_seed_is_always_the_same_world() {
    for seed in Cases::new(40) {
        assert_eq!(play_seed(seed), play_seed(seed), "seed {seed}");
    }
}

#[test]
fn tables_servers_and_leagues_stand_whatever_happens() {
    let parsed = |seeds: String| {
        let (from, to) = seeds.split_once("..")?;
        Some(from.parse().ok()?..to.parse().ok()?)
    };
    let seeds: Range<u64> = match std::env::var("TAIKYOKU_SEEDS") {
        Ok(seeds) => parsed(seeds).expect("TAIKYOKU_SEEDS is FROM..TO"),
        Err(_) => Cases::new(400).left(),
    };
    let began = std::time::Instant::now();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (mut all, mut failed) = (Played::default(), Vec::new());
    thread::scope(|scope| {
        let play = |i: usize| {
            let seeds = seeds.start + i as u64..seeds.end;
            scope.spawn(move || play_seeds(seeds, threads))
        };
        let running: Vec<_> = (0..threads).map(play).collect();
        for thread in running {
            let (played, seed) = thread.join().expect("panics are caught");
            all.add(played);
            failed.extend(seed);
        }
    });
    println!(
        "{} events in {:?} of virtual time, {:?} of real time",
        all.events,
        all.time,
        began.elapsed()
    );
    println!("worlds {:?}\nfaults {:?}", all.worlds, all.faults);
    if let Some(seed) = failed.iter().min() {
        let next = seed + 1;
        panic!(
            "seed {seed} fails: TAIKYOKU_SEEDS={seed}..{next} cargo test -p end-to-end simulated -- --nocapture"
        );
    }
}
