//! Whole tables in virtual time: the shell and the referees of the server, with connections, clients, a disk and a
//! clock that are drawn from a seed, faults included.
//!
//! `TAIKYOKU_SEEDS=FROM..TO` tells which seeds are played. The same seed is the same table: a seed that fails is
//! printed with the command that plays it again.

mod disk;
mod wire;

use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use end_to_end::contest::{Contest, check_record};
use games::{Blokus, ByPlayer, Player, ScoreFour};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::{EndKind, Event, What};
use server::referee::gat::GatReferee;
use server::referee::native::NativeReferee;
use server::referee::uecda::UecdaReferee;
use server::table::Table;
use server::watch::Publisher;
use tokio::sync::mpsc;
use tokio::time::{Instant, advance, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use disk::Book;
use wire::{Trait, Wire, World, lock};

/// Longer than any match takes.
const MOST: Duration = Duration::from_hours(24);

/// What a seed has come to.
#[derive(Debug, Default, PartialEq)]
struct Played {
    tables: BTreeMap<&'static str, u32>,
    faults: BTreeMap<String, u32>,
    events: usize,
    /// Time that the tables took by their own clocks.
    time: Duration,
}

impl Played {
    fn fault(&mut self, name: &str) {
        *self.faults.entry(name.to_owned()).or_default() += 1;
    }

    fn add(&mut self, other: Played) {
        for (name, count) in other.tables {
            *self.tables.entry(name).or_default() += count;
        }
        for (name, count) in other.faults {
            *self.faults.entry(name).or_default() += count;
        }
        self.events += other.events;
        self.time += other.time;
    }
}

/// What is printed of a table that has failed.
struct Story<'a> {
    table: String,
    events: &'a [Event],
}

impl Drop for Story<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("{}", self.table);
            for event in &self.events[self.events.len().saturating_sub(40)..] {
                eprintln!("{event:?}");
            }
        }
    }
}

/// Plays a table in virtual time.
///
/// # Panics
/// When what must hold does not.
fn play<C: Contest>(mut rng: Xoshiro256PlusPlus, name: &'static str) -> Played {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let mut played = Played::default();
        played.tables.insert(name, 1);
        let (referee, header) = C::draw(&mut rng);
        let trouble = rng.random_bool(0.7);
        let traits = ByPlayer::from_fn(C::SEATS, |_| {
            let bad = trouble && rng.random_bool(0.4);
            let kind = Trait::BAD[rng.random_range(0..Trait::BAD.len())];
            if bad { kind } else { Trait::Honest }
        });
        let (sender, returns) = mpsc::channel(8);
        let most_per_request = referee.most_per_request();
        let began = Instant::now();
        let world = Arc::new(Mutex::new(World::<C> {
            answers: ByPlayer::from_fn(C::SEATS, |player| {
                referee.answer(player, rng.random_range(0..1000))
            }),
            traits: traits.clone(),
            last: began,
            gap: Duration::ZERO,
            broken: None,
            faults: Vec::new(),
            returns: Some(sender),
        }));
        let connections = ByPlayer::from_fn(C::SEATS, |player| {
            Some(Wire::new(player, rng.random(), &world))
        });
        let (finish, stop) = (CancellationToken::new(), CancellationToken::new());
        for (token, name) in [(&finish, "finish"), (&stop, "stop")] {
            if rng.random_bool(0.1) {
                played.fault(name);
                let (token, wait) = (
                    token.clone(),
                    Duration::from_millis(rng.random_range(0..5_000)),
                );
                tokio::spawn(async move {
                    sleep(wait).await;
                    token.cancel();
                });
            }
        }
        // A pause of the server costs the time that players have for a whole game.
        let mut pause = Duration::ZERO;
        if header.clocks.game_ms.is_none() && rng.random_bool(0.2) {
            played.fault("pause of the server");
            pause = Duration::from_millis(rng.random_range(1..20_000));
            let wait = Duration::from_millis(rng.random_range(0..5_000));
            tokio::spawn(async move {
                sleep(wait).await;
                advance(pause).await;
            });
        }
        let (mut book, fault) = Book::draw(&mut rng, &header);
        if let Some(fault) = fault {
            played.fault(fault);
        }
        let mut events: Vec<Event> = Vec::new();
        let mut audience = |referee: &C, event: &Event| {
            let mut world = lock(&world);
            world.stir();
            for player in Player::all(C::SEATS) {
                world.answers[player] = referee.answer(player, rng.random_range(0..1000));
            }
            book.event(event);
            events.push(event.clone());
        };
        let table = Table {
            referee,
            connections,
            returns: Some(returns),
            epoch: began,
            names: Vec::new(),
            closing: TaskTracker::new(),
            finish,
            stop: stop.clone(),
            public: Publisher::default(),
        };
        let referee = timeout(MOST, table.play(&mut audience)).await;
        let referee = referee.expect("the table ends");
        if let Some(what) = referee.last_line() {
            audience(&referee, &what.at(0));
        }
        let mut world = lock(&world);
        world.stir();
        for fault in world.faults.drain(..) {
            played.fault(&format!("{fault:?}").to_lowercase());
        }
        let ended = referee.ended();
        let _story = Story {
            table: format!(
                "{name}, clients {traits:?}, {:?}, a pause of {pause:?}, {ended:?}",
                header.clocks
            ),
            events: &events,
        };
        played.events = events.len();
        played.time = began.elapsed();

        assert_eq!(world.broken, None, "what an honest client was told");
        let longest = most_per_request + pause;
        assert!(world.gap <= longest, "nothing happened for {:?}", world.gap);
        check_record(&header, &events, &ended);
        for player in Player::all(C::SEATS) {
            if traits[player] == Trait::Honest {
                let kind = ended.kinds[player.index()];
                assert!(
                    matches!(kind, EndKind::Normal | EndKind::Void),
                    "honest player {player}: {kind:?}"
                );
                let fault = events.iter().find(|event| charges(event, player));
                assert_eq!(fault, None, "honest player {player}");
            }
        }
        book.close(&header);
        played
    })
}

/// Whether an event charges a player with a fault.
fn charges(event: &Event, player: Player) -> bool {
    match &event.what {
        What::Move {
            player: by, fault, ..
        }
        | What::Give {
            from: by, fault, ..
        } => *by == player.number() && fault.is_some(),
        What::Forfeit {
            player: by, kind, ..
        } => *by == player.number() && *kind != EndKind::Void,
        _ => false,
    }
}

fn play_seed(seed: u64) -> Played {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    match rng.random_range(0..8) {
        0..3 => play::<UecdaReferee>(rng, "uecda"),
        3..5 => play::<GatReferee>(rng, "gat"),
        5..7 => play::<NativeReferee<ScoreFour>>(rng, "score-four"),
        _ => play::<NativeReferee<Blokus>>(rng, "blokus"),
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
fn a_seed_is_always_the_same_table() {
    for seed in 0..20 {
        assert_eq!(play_seed(seed), play_seed(seed), "seed {seed}");
    }
}

#[test]
fn tables_stand_whatever_happens() {
    let seeds = std::env::var("TAIKYOKU_SEEDS").unwrap_or_else(|_| "0..400".to_owned());
    let parsed = seeds
        .split_once("..")
        .and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    let seeds: Range<u64> = parsed.expect("TAIKYOKU_SEEDS is FROM..TO");
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
    println!("tables {:?}\nfaults {:?}", all.tables, all.faults);
    if let Some(seed) = failed.iter().min() {
        let next = seed + 1;
        panic!(
            "seed {seed} fails: TAIKYOKU_SEEDS={seed}..{next} cargo test -p end-to-end simulated -- --nocapture"
        );
    }
}
