//! Tables of a league over real sockets, with players that play well and players that do not.

mod gat;
mod native;
mod uecda;

use std::net::SocketAddr;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use end_to_end::patience::{listener, wait_for};
use league::schedule::Fixture;
use league::settings::Settings;
use league::table_session::{FixtureResult, SessionEnd, SessionOptions, SessionPlan, TableSession};
use record::{EndKind, Event, Record, What};

/// The settings of a league of these entrants; `rules` as the journal writes them.
fn settings(rules: &serde_json::Value, session: u32, entrants: usize) -> Settings {
    let entrant = |number: usize| {
        serde_json::json!({
            "name": format!("entrant {number}"),
            "start": { "command": ["none"] },
            "stderr-kib": 64,
        })
    };
    let entrants: Vec<_> = (0..entrants).map(entrant).collect();
    serde_json::from_value(serde_json::json!({
        "title": "test",
        "rules": rules,
        "seed": 7,
        "format": "round-robin",
        "deals": 2,
        "duplicate": true,
        "session": session,
        "process": "fixture",
        "random-plies": 0,
        "clocks": { "start-ms": 20_000, "move-ms": null, "game-ms": null, "increment-ms": null },
        "anchor": 0,
        "margin": 20.0,
        "records": true,
        "entrants": entrants,
    }))
    .unwrap()
}

/// All rotations of so many deals of the first matchup.
fn fixtures(settings: &Settings, deals: u32) -> Vec<Fixture> {
    let matchup: Vec<usize> = (0..settings.seats())
        .map(|e| e % settings.entrants.len())
        .collect();
    let plan = settings.plan();
    (0..deals)
        .flat_map(|deal| plan.block(0, &matchup, deal))
        .collect()
}

struct Played {
    ended: SessionEnd,
    done: Vec<FixtureResult>,
    record: Vec<Event>,
    plan: SessionPlan,
    folder: tempfile::TempDir,
}

impl Played {
    /// The first games' beginnings.
    fn begins(&self) -> Vec<(Vec<u8>, Vec<String>, bool)> {
        let begin = |event: &Event| match &event.what {
            What::Begin {
                seats,
                hands,
                ranks,
                ..
            } => Some((seats.clone(), hands.clone(), ranks.is_some())),
            _ => None,
        };
        self.record.iter().filter_map(begin).collect()
    }

    fn kinds(&self, entrant: usize) -> Vec<EndKind> {
        let of = |done: &FixtureResult| {
            let own = self
                .seating(done.number)
                .iter()
                .position(|&e| e == entrant)
                .unwrap();
            done.games
                .iter()
                .map(|game| game.kind(own))
                .collect::<Vec<_>>()
        };
        self.done.iter().flat_map(of).collect()
    }

    /// Asserts that the times and sums of all games agree.
    fn assert_sums(&self) {
        let played = self.done.iter().enumerate();
        for (number, done) in played {
            assert_eq!(done.number, number);
            let seats = self.seating(number).len();
            for game in &done.games {
                assert_eq!(game.moves.iter().sum::<u32>(), game.plies);
                let times = game.slowest.iter().zip(&game.used);
                assert!(times.clone().all(|(slowest, used)| slowest <= used));
                assert!(game.used.iter().sum::<u64>() <= done.ms + 1);
                assert!(game.kinds.is_empty() || game.kinds.len() == seats);
                for list in [
                    game.places.len(),
                    game.points.len(),
                    game.moves.len(),
                    times.len(),
                ] {
                    assert_eq!(list, seats);
                }
            }
        }
    }

    /// The player in each seat of a fixture, of players in the order of the entrants.
    fn seating(&self, fixture: usize) -> &[usize] {
        &self.plan.fixtures[fixture].seats
    }
}

/// Plays a sitting; `start` starts the players, `meanwhile` is called for each fixture that is over.
fn play<T: Send + 'static>(
    settings: &Settings,
    fixtures: Vec<Fixture>,
    start: impl FnOnce(&[SocketAddr]) -> Vec<JoinHandle<T>>,
    mut meanwhile: impl FnMut(&FixtureResult, &SessionOptions) + Send,
) -> (Played, Vec<T>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sitting.jsonl");
    let plan = SessionPlan {
        players: (0..settings.seats())
            .map(|p| p % settings.entrants.len())
            .collect(),
        fixtures,
        record: Some(path.clone()),
        seeds: Vec::new(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let sitting = runtime
        .block_on(TableSession::open(settings, plan.clone()))
        .unwrap();
    let addresses = sitting.addresses().to_vec();
    let listeners: Vec<_> = addresses.iter().map(|&it| listener(it)).collect();
    let is_told = cfg!(target_os = "linux");
    assert!(listeners.iter().all(|it| it.is_some() == is_told));
    let players = start(&addresses);
    let options = SessionOptions::default();
    let mut done = Vec::new();
    let mut on_done = |one: FixtureResult| {
        meanwhile(&one, &options);
        done.push(one);
    };
    let ended = runtime.block_on(async {
        let limit = Duration::from_mins(1);
        tokio::time::timeout(limit, sitting.play(&options, &mut on_done))
            .await
            .expect("the sitting ends")
    });
    let outcomes = players
        .into_iter()
        .map(|player| player.join().unwrap())
        .collect();
    for (address, own) in addresses.into_iter().zip(listeners) {
        wait_for("the port is closed", || {
            (own.is_none() || listener(address) != own).then_some(())
        });
    }
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(!text.contains("seed"), "no seed in {text}");
    assert!(!text.contains("\"key\""), "no key in {text}");
    let record = if path.exists() {
        let read = Record::read(std::io::Cursor::new(text.into_bytes()), "record");
        read.unwrap().events
    } else {
        Vec::new()
    };
    (
        Played {
            ended,
            done,
            record,
            plan,
            folder,
        },
        outcomes,
    )
}

fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    thread::spawn(work)
}
