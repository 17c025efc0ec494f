//! A thousand connections at once, one in twenty of which misbehaves, to one server of each contest:
//! `cargo bench -p end-to-end --bench load [-- CONTEST...]`. `TAIKYOKU_LOAD_SECONDS` is the time for each contest
//! (default 600), the contests are `uecda`, `geister` and `score-four` (default all). With `TAIKYOKU_LOAD_PAUSE_MS` each
//! client waits so long before it comes again (default 0): the load of a long run on a machine that does other work, too.
//!
//! No player that does nothing wrong may lose a game by the clock or the connection, the one with the
//! most games has at most half as many again as the one with the fewest, and memory stays flat.

use std::env;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use end_to_end::native::{Act, Client, Random};
use end_to_end::run::Server;
use end_to_end::{gat, uecda};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

const CONNECTIONS: usize = 1000;

const FAULTY: usize = 20;

/// Clients wait up to so long before they come again. Those of a match end together: without it the same five would
/// sit together for ever, four of them beside the same slow one.
const MOMENT: Duration = Duration::from_millis(200);

/// What the clients do while a server is under load.
#[derive(Default)]
struct Load {
    games: Vec<AtomicU32>,
    /// What went wrong for clients that did nothing wrong.
    wrong: Mutex<Vec<String>>,
    is_over: AtomicBool,
    pause: Duration,
}

/// What one client does again and again: plays, and gives the games that it has ended, and what went wrong.
type Play = fn(client: usize, round: u64, ports: &[u16]) -> (u32, Option<String>);

impl Load {
    /// Goes on until the time is over. A client that fails then has lost its server.
    fn keep_playing(&self, client: usize, ports: &[u16], play: Play) {
        let mut moments = Xoshiro256PlusPlus::seed_from_u64(client as u64);
        // Clients with a pause do not come all at once.
        thread::sleep(self.pause * client as u32 / CONNECTIONS as u32);
        for round in 0.. {
            let played = catch_unwind(|| play(client, round, ports));
            if self.is_over.load(Ordering::Relaxed) {
                return;
            }
            let (games, wrong) = played.unwrap_or((0, Some("a panic".to_owned())));
            self.games[client].fetch_add(games, Ordering::Relaxed);
            if let Some(wrong) = wrong
                && !is_faulty(client)
            {
                let mut all = self.wrong.lock().expect("no panic while it is held");
                all.push(format!("client {client}: {wrong}"));
            }
            thread::sleep(self.pause + MOMENT.mul_f64(moments.random::<f64>()));
        }
    }
}

/// Faults are spread over all clients: ports go by the number of a client, too.
fn is_faulty(client: usize) -> bool {
    client % FAULTY == client / FAULTY % FAULTY
}

/// Which of so many faults a client has.
fn fault<T: Copy>(client: usize, faults: &[T]) -> Option<T> {
    is_faulty(client).then(|| faults[client / FAULTY % faults.len()])
}

/// Runs the clients against a server if this contest is asked for, and prints what came of it.
fn load(contest: &str, options: &str, play: Play) {
    let asked: Vec<String> = env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if !asked.is_empty() && !asked.iter().any(|asked| asked == contest) {
        return;
    }
    let number = |name, usual| env::var(name).map_or(usual, |s| s.parse().expect("a number"));
    let seconds = number("TAIKYOKU_LOAD_SECONDS", 600);
    let pause = Duration::from_millis(number("TAIKYOKU_LOAD_PAUSE_MS", 0));
    let server = Server::serve(&format!("{contest} {options}"));
    let load = Arc::new(Load {
        games: (0..CONNECTIONS).map(|_| AtomicU32::new(0)).collect(),
        pause,
        ..Load::default()
    });
    let began = Instant::now();
    let clients: Vec<_> = (0..CONNECTIONS)
        .map(|client| {
            let (load, ports) = (Arc::clone(&load), server.ports.clone());
            let thread = thread::Builder::new().stack_size(256 << 10);
            let playing = thread.spawn(move || load.keep_playing(client, &ports, play));
            playing.expect("a thread")
        })
        .collect();
    let mut memory = Vec::new();
    for part in 1..=10 {
        let at = Duration::from_secs(seconds) * part / 10;
        thread::sleep(at.saturating_sub(began.elapsed()));
        memory.push(server.resident_kb().unwrap_or_default());
    }
    load.is_over.store(true, Ordering::Relaxed);
    drop(server);
    for client in clients {
        client.join().expect("panics are caught");
    }
    let honest = (0..CONNECTIONS).filter(|&client| !is_faulty(client));
    let games: Vec<u32> = honest
        .map(|i| load.games[i].load(Ordering::Relaxed))
        .collect();
    let (fewest, most) = (games.iter().min(), games.iter().max());
    let (fewest, most) = (fewest.expect("clients"), most.expect("clients"));
    println!(
        "{contest}: {CONNECTIONS} connections, {seconds} s, {} games of honest players, {fewest} to {most} each, \
         {memory:?} kB",
        games.iter().sum::<u32>()
    );
    let wrong = load.wrong.lock().expect("no panic while it is held");
    assert!(
        wrong.is_empty(),
        "{} went wrong, at first {}",
        wrong.len(),
        wrong[0]
    );
    assert!(most * 2 <= fewest * 3, "unfair");
    assert!(memory[9] < memory[4] + 4_000, "memory grows");
}

fn play_uecda(client: usize, _round: u64, ports: &[u16]) -> (u32, Option<String>) {
    use uecda::{Fault, Phase, Player, Script};
    const FAULTS: [(Phase, Fault); 5] = [
        (Phase::Turn, Fault::Leave),
        (Phase::Turn, Fault::Fragments),
        (Phase::Turn, Fault::Half),
        (Phase::Ended, Fault::Reset),
        (Phase::Turn, Fault::Reset),
    ];
    let mut player = Player::honest(&format!("p{client}"));
    player.script = fault(client, &FAULTS).map(|(phase, fault)| Script::first(phase, fault));
    let (seated, _wait) = mpsc::channel();
    match player.play(ports[0], seated) {
        Ok(outcome) => (
            outcome.games,
            (!outcome.finished).then(|| format!("{outcome:?}")),
        ),
        Err(e) => (0, Some(e.to_string())),
    }
}

fn play_gat(client: usize, round: u64, ports: &[u16]) -> (u32, Option<String>) {
    use gat::{Fault, Phase, Player, Script};
    const FAULTS: [(Phase, Fault); 4] = [
        (Phase::Turn, Fault::Leave),
        (Phase::Turn, Fault::Fragments),
        (Phase::Turn, Fault::Half),
        (Phase::Waiting, Fault::Reset),
    ];
    let mut player = Player::honest(round * CONNECTIONS as u64 + client as u64);
    player.script = fault(client, &FAULTS).map(|(phase, fault)| Script::first(phase, fault));
    let (seated, _wait) = mpsc::channel();
    match player.play(ports[client % 2], &seated) {
        Ok(outcome) if outcome.result.is_some() => (1, None),
        Ok(outcome) => (0, Some(format!("no result: {:?}", outcome.error))),
        Err(e) => (0, Some(e.to_string())),
    }
}

fn play_native(client: usize, round: u64, ports: &[u16]) -> (u32, Option<String>) {
    const ACTS: [Act; 4] = [Act::Illegal, Act::Garbage, Act::Resign, Act::Leave];
    let name = format!("p{client}");
    let mut player = Random::new(&name, round * CONNECTIONS as u64 + client as u64);
    if let Some(act) = fault(client, &ACTS) {
        player = player.acts(1, 1, act);
    }
    let heard = player.play(Client::seated(ports[0], &name));
    let wrong = heard
        .over
        .is_none()
        .then(|| format!("no end: {:?}", heard.errors));
    (heard.games, wrong)
}

fn main() {
    // A silent player holds its four opponents for each of its turns: matches are short, or the draw decides.
    let uecda = "--games 2 --tables 500 --move-ms 1000";
    load("uecda", uecda, play_uecda);
    // Time for a move: what a busy machine needs, and what a silent player costs.
    let gat = "--games 1000000 --tables 500 --queue 1000 --move-ms 5000";
    load("geister", gat, play_gat);
    load(
        "score-four",
        "--games 2 --tables 500 --move-ms 5000",
        play_native,
    );
}
