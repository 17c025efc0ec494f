//! A league on a thousand simulated machines that fail: what of their time is used, and what the one machine that drives them
//! must do. The scheduler, the pieces, the lines and the journal are the real ones; the clock of the machines is virtual.
//!
//! `cargo bench -p end-to-end --bench cluster -- [MACHINES [TABLES [GAME_MS [MINUTES]]]]`; `1000 1 1000 30` if nothing is said.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant as Clock};

use end_to_end::cluster::Cluster;
use league::journal::{FILE_NAME, Head, Journal, JournalFile, VERSION};
use league::result::Results;
use league::runner;
use league::settings::{self, Settings};
use league::table_session::SessionOptions;
use league::workers::{PIECE, Workers};
use program::work::Pipes;
use tokio::time::Instant;

fn main() {
    let words = std::env::args().skip(1).filter(|word| word != "--bench");
    let numbers: Vec<u64> = words.map(|word| word.parse().expect("a number")).collect();
    let number = |place: usize, or: u64| numbers.get(place).copied().unwrap_or(or);
    let (machines, tables) = (number(0, 1000), number(1, 1));
    let (game, minutes) = (number(2, 1000), number(3, 30));
    let cluster = Cluster {
        machines: machines as usize,
        tables: tables as usize,
        slower: 50,
        game: Duration::from_millis(game),
        start: Duration::from_millis(300),
        life: Some(Duration::from_hours(10)),
        notice: Duration::from_secs(30),
        repair: Duration::from_mins(10),
        strange: 0,
        sick: 0,
    };
    // The mean machine has three quarters of the speed of the fastest.
    let games = machines * tables * minutes * 60_000 * 3 / 4 / game;
    let settings = settings((games / 2) as u32);
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    };
    let path = folder.expect("a folder").keep().join(FILE_NAME);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    let clock = Clock::now();
    let (took, work) = runtime.block_on(async {
        let head = Head {
            version: VERSION,
            started: "2020-01-01T00:00:00Z".to_owned(),
            server: "simulated".to_owned(),
            machine: None,
            settings: settings.clone(),
        };
        let mut file = JournalFile::create(&path, &head).expect("a journal");
        let options = SessionOptions::default();
        let say = Arc::new(|_| {});
        let workers = Workers::new(settings.clone(), PIECE, options.finish.clone(), say);
        let workers = Arc::new(workers);
        let (here, there) = tokio::io::duplex(1 << 20);
        let (from, to) = tokio::io::split(there);
        let carrier = tokio::spawn(cluster.carry(from, to, 1));
        let carried = Arc::clone(&workers);
        let (from, to) = tokio::io::split(here);
        let carried = tokio::spawn(async move { carried.carry(Pipes::new(from, to)).await });
        let mut silent = |_| {};
        let began = Instant::now();
        let run = runner::run(
            &settings,
            Results::new(head),
            &mut file,
            workers,
            &options,
            None,
            &mut silent,
        );
        let outcome = run.await.expect("a disk");
        assert!(
            outcome.stopped.is_empty() && !outcome.interrupted,
            "{outcome:?}"
        );
        let took = began.elapsed();
        carried.abort();
        // Its pipe is closed with the task.
        let _ = carried.await;
        (took, carrier.await.expect("a carrier"))
    });
    let real = clock.elapsed().as_secs_f64();
    let journal = Journal::read(&path).expect("a journal");
    let played = journal.played().count();
    assert_eq!(played, 2 * (games / 2) as usize, "each game once");
    let bytes = std::fs::metadata(&path).expect("a journal").len();
    let each = |bytes: u64| bytes as f64 / played as f64;
    println!(
        "{machines} machines of {tables} tables, {played} games of {game} ms on the fastest, the slowest has half its speed"
    );
    println!(
        "{:.1} min of their time; {} pieces, {} lost with their machines; {} fixtures came back",
        took.as_secs_f64() / 60.0,
        work.pieces,
        work.lost,
        work.fixtures
    );
    println!(
        "efficiency {:.3}: what of the time of the machines' tables was play whose lines came back",
        work.used / work.had
    );
    println!(
        "driver and cluster on one core: {real:.1} s, {:.0} games/s, {:.1} us a game; {:.3} of the time that the machines take",
        played as f64 / real,
        1e6 * real / played as f64,
        real / took.as_secs_f64()
    );
    println!(
        "a game: {:.0} bytes to the workers, {:.0} from them, {:.0} in the journal",
        each(work.bytes[0]),
        each(work.bytes[1]),
        each(bytes)
    );
    if let Some(folder) = path.parent() {
        std::fs::remove_dir_all(folder).expect("its own folder");
    }
}

fn settings(deals: u32) -> Settings {
    let entrant = |n: u8| {
        format!("[[entrants]]\nname = \"e{n}\"\ncommand = [\"true\", \"{{host}}\", \"{{port}}\"]\n")
    };
    let text = format!(
        "game = \"score-four\"\nseed = 1\ndeals = {deals}\n{}{}",
        entrant(0),
        entrant(1)
    );
    settings::parse(&text, "league.toml").expect("settings")
}
