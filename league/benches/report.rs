//! Seconds to report a journal of 200,000 games of Daihinmin with five entrants, everything included: reading, all
//! figures, the terminal's table, the page and both CSV files.
//!
//! `cargo bench -p taikyoku --bench report`

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::Instant;

use games::GameName;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku::journal::{Entry, Game, Head, Played, VERSION};
use taikyoku::result::{Records, Report, Results, csv, page, terminal};
use taikyoku::schedule::{Format, count, matchups};
use taikyoku::settings::{Clocks, Entrant, Settings, Start, plain};

const GAMES: u32 = 200_000;
const SEATS: u32 = 5;
const RUNS: usize = 5;

fn settings(entrants: usize, session: u32) -> Settings {
    let entrant = |i| Entrant::new(format!("bot {i}"), Start::Command(vec!["bot".to_owned()]));
    let matchups = count(Format::RoundRobin, entrants, SEATS as usize) as u32;
    Settings {
        title: "200,000 games".to_owned(),
        deals: GAMES / SEATS / session / matchups,
        session,
        clocks: Clocks {
            move_ms: Some(1000),
            ..Clocks::default()
        },
        margin: 5.0,
        entrants: (0..entrants).map(entrant).collect(),
        ..plain(GameName::Daihinmin)
    }
}

/// A game of entrants whose strength grows with their number.
fn game(seats: &[usize], rng: &mut Xoshiro256PlusPlus) -> Game {
    let mut order: Vec<(f64, usize)> = seats
        .iter()
        .enumerate()
        .map(|(seat, &entrant)| {
            let luck: f64 = rng.random_range(1e-9..1.0);
            (-luck.ln() / (entrant as f64 * 0.2).exp(), seat)
        })
        .collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut places = vec![0; seats.len()];
    for (place, (_, seat)) in (0..).zip(order) {
        places[seat] = place;
    }
    let moves: Vec<u32> = places.iter().map(|_| rng.random_range(8..20)).collect();
    let used: Vec<u64> = moves.iter().map(|&m| u64::from(m) * 13).collect();
    Game {
        points: places.iter().map(|&p| 5.0 - f64::from(p)).collect(),
        places,
        plies: moves.iter().sum(),
        slowest: used.iter().map(|u| u / 4).collect(),
        used,
        moves,
        at: vec![3, 1, 4, 0, 2],
        ..Game::default()
    }
}

fn write(settings: &Settings, path: &Path) -> u64 {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut file = BufWriter::new(File::create(path).expect("a file"));
    let head = Head {
        version: VERSION,
        started: "2026-11-21T10:00:00Z".to_owned(),
        server: "taikyoku".to_owned(),
        machine: None,
        settings: settings.clone(),
    };
    serde_json::to_writer(&mut file, &head).expect("a line");
    let pairs = matchups(settings.format, settings.entrants.len(), SEATS as usize);
    let pairs = pairs.expect("a round robin");
    for fixture in settings.plan().fixtures(&pairs) {
        let games = (0..settings.session).map(|_| game(&fixture.seats, &mut rng));
        let played = Entry::Played(Played {
            key: fixture.key,
            games: games.collect(),
            seats: fixture.seats,
            ms: 40,
            record: None,
            host: None,
        });
        file.write_all(b"\n").expect("a line");
        serde_json::to_writer(&mut file, &played).expect("a line");
    }
    file.write_all(b"\n").expect("a line");
    file.into_inner()
        .expect("a file")
        .metadata()
        .expect("a size")
        .len()
}

/// Seconds of reading, of the figures, the page, the tables and of all.
fn report(journal: &Path, folder: &Path) -> [f64; 5] {
    let start = Instant::now();
    let time = || start.elapsed().as_secs_f64();
    let (results, mut fixtures) = Results::open(journal).expect("a journal");
    let reading = time();
    let report = Report::of(&results);
    let figures = time();
    let text = terminal::text(&report);
    let shown = page(&report, &results, &mut fixtures, &Records::beside(folder));
    std::fs::write(folder.join("report.html"), shown.expect("a page")).expect("a page");
    let page = time();
    csv::write(folder, &report, &results, &mut fixtures).expect("tables");
    let tables = time();
    assert!(text.contains("bot 0"));
    drop((results, report));
    [
        reading,
        figures - reading,
        page - figures,
        tables - page,
        time(),
    ]
}

fn main() {
    // The harness of `cargo test --benches` must not wait for it.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (entrants, session) in [(5, 1), (5, 100), (8, 1)] {
        let settings = settings(entrants, session);
        let journal = folder
            .path()
            .join(format!("journal-{entrants}-{session}.jsonl"));
        let bytes = write(&settings, &journal);
        let mut runs: Vec<[f64; 5]> = (0..RUNS).map(|_| report(&journal, folder.path())).collect();
        runs.sort_by(|a, b| a[4].total_cmp(&b[4]));
        let [reading, figures, page, tables, all] = runs[RUNS / 2];
        println!(
            "{GAMES} games, {entrants} entrants, sessions of {session}: {all:.2} s (reading {} MB {reading:.2}, figures {figures:.2}, page {page:.3}, CSV {tables:.2}; median of {RUNS})",
            bytes / 1_000_000
        );
    }
}
