//! Whole tables in virtual time: the shell and the referees of the server, with connections, clients, a disk and a
//! clock that are drawn from a seed, faults included.
//!
//! `TAIKYOKU_SEEDS=FROM..TO` tells which seeds are played. The same seed is the same table: a seed that fails is
//! printed with the command that plays it again.

mod wire;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use end_to_end::contest::{Contest, check_record};
use games::{Blokus, ByPlayer, Player, ScoreFour};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::files::keep;
use record::{EndKind, Event, RecordReader, RecordWriter, What, replay};
use server::referee::gat::GatReferee;
use server::referee::native::NativeReferee;
use server::referee::uecda::UecdaReferee;
use server::table::Table;
use tokio::sync::mpsc;
use tokio::time::{Instant, advance, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

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

/// A disk that may fill up, write less than it is given, and fail once.
#[derive(Clone, Default)]
struct Disk {
    bytes: Arc<Mutex<Vec<u8>>>,
    /// Bytes that it takes.
    room: Option<usize>,
    /// Most bytes of a write.
    most: Option<usize>,
    /// A write that fails, counted from the first.
    fails: Option<u32>,
    writes: u32,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writes += 1;
        if self.fails == Some(self.writes) {
            return Err(io::Error::other("the disk failed"));
        }
        let mut written = self.bytes.lock().expect("one at a time");
        let room = self.room.map_or(usize::MAX, |room| room - written.len());
        if room == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let n = bytes.len().min(room).min(self.most.unwrap_or(usize::MAX));
        written.extend_from_slice(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Disk {
    fn draw(rng: &mut Xoshiro256PlusPlus, played: &mut Played) -> Disk {
        let mut disk = Disk::default();
        match rng.random_range(0..10) {
            0 => disk.room = Some(rng.random_range(0..20_000)),
            1 => disk.most = Some(rng.random_range(1..500)),
            2 => disk.fails = Some(rng.random_range(1..10)),
            _ => return disk,
        }
        played.fault(match disk {
            Disk { room: Some(_), .. } => "disk full",
            Disk { most: Some(_), .. } => "short writes",
            _ => "a write fails",
        });
        disk
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
        let disk = Disk::draw(&mut rng, &mut played);
        let mut writer = RecordWriter::new(disk.clone(), &header).ok();
        let mut events: Vec<Event> = Vec::new();
        let mut audience = |referee: &C, event: &Event| {
            let mut world = lock(&world);
            world.stir();
            for player in Player::all(C::SEATS) {
                world.answers[player] = referee.answer(player, rng.random_range(0..1000));
            }
            keep(&mut writer, "record", |writer| writer.event(event));
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
        drop(writer);
        check_disk(&disk, &header, played)
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

/// What the disk holds is a record as far as it goes.
fn check_disk(disk: &Disk, header: &record::Header, played: Played) -> Played {
    let bytes = disk.bytes.lock().expect("one at a time");
    let is_whole = disk.room.is_none() && disk.fails.is_none();
    if bytes.contains(&b'\n') {
        let reader = RecordReader::new(&bytes[..], "disk").expect("the header is whole");
        assert_eq!(reader.header(), header);
        let replayed = replay(reader).unwrap_or_else(|e| panic!("{e}"));
        assert!(replayed.closed || !is_whole, "{replayed:?}");
    } else {
        assert!(!is_whole, "nothing was written");
    }
    played
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
