//! Ladders whose tables are played by a closure, in virtual time.

use std::collections::{BTreeSet, HashSet};
use std::env;
use std::net::SocketAddr;
use std::sync::Mutex;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use record::watch::League;
use serde_json::Value;
use tokio::runtime::Builder;
use tokio::time::sleep;

use super::*;
use crate::journal::Game;
use crate::remote::EntrantConnections;
use crate::runner::{Play, SessionReport};
use crate::settings::Entrant;
use crate::table_session::FixtureResult;
use crate::testing::settings;
use record::EndKind;

/// The state outside of a ladder's process: the hours of the entrants, and the games that were played.
#[derive(Debug)]
struct World {
    rng: Mutex<StdRng>,
    /// Seconds of an entrant's day during which it is there, by entrant: from, for.
    hours: Vec<(i64, i64)>,
    start: Timestamp,
    /// All deals that were dealt, as their keys are secret until then.
    deals: Mutex<HashSet<String>>,
    /// Fixtures that were told as played.
    told: Mutex<u64>,
}

/// A life of the ladder's process.
struct Mock {
    world: Arc<World>,
    began: Timestamp,
    at: Instant,
    known: Mutex<usize>,
    playing: Mutex<BTreeSet<usize>>,
    /// When each has left a table, and how often.
    left: Mutex<BTreeMap<usize, (Instant, u32)>>,
}

const HOUSE: usize = 2;

impl Mock {
    fn new(world: &Arc<World>, began: Timestamp) -> Arc<Mock> {
        Arc::new(Mock {
            world: Arc::clone(world),
            began,
            at: Instant::now(),
            known: Mutex::default(),
            playing: Mutex::default(),
            left: Mutex::default(),
        })
    }

    fn now(&self) -> Timestamp {
        self.began + self.at.elapsed()
    }

    /// The strength of an entrant, as a natural logarithm: the house has two of the lowest.
    fn strength(&self, entrant: usize) -> f64 {
        4.0 * entrant as f64 / self.world.hours.len() as f64
    }
}

impl Play for Mock {
    type Guests = EntrantConnections;

    async fn arrival(&self) {
        sleep(Duration::from_secs(7)).await;
    }

    async fn play(
        &self,
        plan: SessionPlan,
        _: EntrantConnections,
        _: SessionOptions,
        on_done: &mut (dyn FnMut(FixtureResult) + Send),
    ) -> SessionReport {
        let draw = |from: u64, to: u64| self.world.rng.lock().unwrap().random_range(from..to);
        let mut ended = SessionEnd::Whole;
        let deal = plan.fixtures[0].deal.to_string();
        assert!(self.world.deals.lock().unwrap().insert(deal), "dealt twice");
        for (number, fixture) in plan.fixtures.iter().enumerate() {
            sleep(Duration::from_secs(draw(20, 200))).await;
            let [a, b] = [fixture.seats[0], fixture.seats[1]];
            let chance = 1.0 / (1.0 + (self.strength(b) - self.strength(a)).exp());
            let luck = draw(0, 1000);
            let has_left = luck % 50 == 0;
            let wins = (luck as f64) < 1000.0 * chance;
            let places = if wins { vec![0, 1] } else { vec![1, 0] };
            let mut kinds = Vec::new();
            if has_left {
                kinds = places
                    .iter()
                    .map(|&place| [EndKind::Normal, EndKind::Disconnect][usize::from(place)])
                    .collect();
            }
            *self.world.told.lock().unwrap() += 1;
            on_done(FixtureResult {
                number,
                ms: 1,
                games: vec![Game {
                    points: places.iter().map(|&place| f64::from(1 - place)).collect(),
                    places,
                    kinds,
                    moves: vec![1; 2],
                    used: vec![1; 2],
                    slowest: vec![1; 2],
                    ..Game::default()
                }],
                record: None,
                host: None,
            });
            if has_left {
                let quitter = fixture.seats[usize::from(wins)];
                let mut left = self.left.lock().unwrap();
                let count = left.get(&quitter).map_or(0, |&(_, count)| count);
                left.insert(quitter, (Instant::now(), count + 1));
                ended = SessionEnd::Gone;
                break;
            }
        }
        let mut playing = self.playing.lock().unwrap();
        plan.players
            .iter()
            .for_each(|player| _ = playing.remove(player));
        ended.into()
    }
}

impl TableHost for Mock {
    fn address_of(&self, _: usize) -> Option<SocketAddr> {
        None
    }

    fn free(&self) -> Vec<usize> {
        let second = (self.now().as_second() - self.world.start.as_second()) % 86_400;
        let is_there = |&entrant: &usize| {
            let (from, length) = self.world.hours[entrant];
            (second - from).rem_euclid(86_400) < length
        };
        let playing = self.playing.lock().unwrap();
        let known = HOUSE..*self.known.lock().unwrap();
        known
            .filter(is_there)
            .filter(|entrant| !playing.contains(entrant))
            .collect()
    }

    async fn synced(&self) {}

    fn guest(&self, _: usize) -> Option<lobby::Guest> {
        None
    }

    fn tell(&self, _: League) {}

    fn take(&self, players: &[usize]) -> EntrantConnections {
        for &player in players.iter().filter(|&&player| player >= HOUSE) {
            assert!(self.playing.lock().unwrap().insert(player), "at two tables");
            if let Some((at, count)) = self.left.lock().unwrap().get(&player) {
                // A new day forgives, which these minutes do not reach twice.
                let least = Duration::from_secs(60 << (count - 1).min(1));
                let has_waited = at.elapsed() >= least || date_of(self.now()) > date_of(self.began);
                assert!(has_waited, "{player} has left {count} tables");
            }
        }
        players.iter().map(|_| None).collect()
    }

    async fn admit(&self, first: usize, entrants: &[Entrant]) -> io::Result<()> {
        *self.known.lock().unwrap() = first + entrants.len();
        Ok(())
    }
}

fn ladder_settings(half_life_days: u32) -> Settings {
    let mut settings = settings();
    settings.run.at_once = 50;
    settings.run.ladder = Some(LadderRules {
        half_life_days,
        ..LadderRules::default()
    });
    settings_of(settings)
}

/// Plays for so many days, with crashes, and checks what is left.
fn simulate(seed: u64, hours: u64, entrants: usize) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut rng = StdRng::seed_from_u64(seed);
    let there = (0..HOUSE + entrants)
        .map(|_| {
            (
                rng.random_range(0..86_400),
                rng.random_range(10_000..60_000),
            )
        })
        .collect();
    let start: Timestamp = "2026-03-01T20:00:00Z".parse().unwrap();
    let world = Arc::new(World {
        rng: Mutex::new(StdRng::seed_from_u64(seed + 1)),
        hours: there,
        start,
        deals: Mutex::default(),
        told: Mutex::default(),
    });
    let settings = ladder_settings((seed % 2) as u32);
    let register = |number: usize| {
        let name = format!("e{number}");
        Roster::register(folder, &settings, &name, start.to_string()).unwrap();
    };
    (0..entrants / 2).for_each(register);
    let end = start + Duration::from_hours(hours);
    let mut now = start;
    let mut registered = entrants / 2;
    while now < end {
        // It is killed at any time, or ends at the end.
        let life = Duration::from_secs(rng.random_range(600..10_000));
        let until = (now + life).min(end);
        let runtime = Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        now = runtime.block_on(async {
            let mock = Mock::new(&world, now);
            let clock: Clock = Arc::new({
                let mock = Arc::clone(&mock);
                move || mock.now()
            });
            let say: Say = Arc::new(|_| ());
            let ladder = Ladder::open(settings.clone(), folder, Arc::clone(&mock), clock, say);
            let ladder = ladder.await.unwrap();
            let options = SessionOptions::default();
            let mut playing = std::pin::pin!(ladder.run(&options));
            let left = Duration::try_from(until - mock.now()).unwrap_or_default();
            tokio::select! {
                () = &mut playing => unreachable!("nobody ends it"),
                () = sleep(left) => {}
            }
            if until == end {
                options.finish.cancel();
                playing.await;
            }
            mock.now()
        });
        // All that runs is gone at once.
        drop(runtime);
        if registered < entrants && now < end {
            register(registered);
            registered += 1;
        }
    }
    let (days, fixtures) = verify(folder).unwrap();
    assert!(days as u64 > hours / 24, "{days}");
    let told = *world.told.lock().unwrap();
    // What was told just before a crash may not have been written.
    assert!(
        fixtures as u64 <= told && fixtures as u64 * 10 >= told * 9,
        "{fixtures} of {told}"
    );
    let status: LadderStatus =
        serde_json::from_str(&std::fs::read_to_string(folder.join(STATUS)).unwrap()).unwrap();
    let fresh = table_of(settings, folder, now).unwrap();
    assert_eq!(status.rows, fresh);
    for row in &fresh {
        check_page(folder, row, days);
    }
    let ranked: Vec<&LadderRow> = fresh.iter().filter(|row| row.rank.is_some()).collect();
    assert!(ranked.len() > entrants / 3, "{fresh:?}");
    // The later an entrant was registered, the stronger it is.
    let mean = |rows: &[&LadderRow]| {
        let numbers: f64 = rows.iter().map(|row| row.number as f64).sum();
        numbers / rows.len() as f64
    };
    let (upper, lower) = ranked.split_at(ranked.len() / 2);
    assert!(mean(upper) > mean(lower), "{fresh:?}");
}

/// The page of an entrant says what its row says, a day after the other.
fn check_page(folder: &Path, row: &LadderRow, days: usize) {
    let path = folder.join(format!("entrants/{}.json", row.number));
    let page: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(
        serde_json::from_value::<LadderRow>(page.clone()).unwrap(),
        *row
    );
    let all = |key: &str| page[key].as_array().unwrap().clone();
    let games = all("opponents")
        .into_iter()
        .map(|one| one["games"].as_u64().unwrap());
    assert_eq!(games.sum::<u64>(), row.games, "{page}");
    let history = all("history");
    assert!(
        history.len() <= days && history.len() >= days.min(1),
        "{page}"
    );
    assert!(history.windows(2).all(|two| {
        two[0]["day"].as_str() < two[1]["day"].as_str()
            && two[0]["games"].as_u64() <= two[1]["games"].as_u64()
    }));
    assert_eq!(history.last().unwrap()["games"], row.games);
    let last = all("last");
    assert_eq!(last.len() as u64, row.games.min(20));
    let name = Value::from(row.name.as_str());
    assert!(
        last.iter()
            .all(|game| game["seats"].as_array().unwrap().contains(&name))
    );
}

#[test]
fn each_game_of_a_week_counts_once_whenever_the_ladder_is_killed() {
    let seeds = env::var("TAIKYOKU_SEEDS").ok();
    let (hours, entrants) = if seeds.is_some() {
        (7 * 24, 200)
    } else {
        (8, 16)
    };
    for seed in 0..seeds.map_or(2, |seeds| seeds.parse().unwrap()) {
        simulate(seed, hours, entrants);
    }
}
