//! A league that is played by workers on a cluster in virtual time: machines vanish and come back, pieces are lost and come
//! twice, and the league is killed and taken up again. What it comes to is what the same league comes to on one machine.

use std::sync::Arc;
use std::time::Duration;

use end_to_end::cluster::Cluster;
use league::runner::{self, Outcome};
use league::settings::{Format, Sprt};
use league::table_session::SessionOptions;
use league::workers::Workers;
use program::work::Pipes;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use tokio::time::{Instant, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::league::{Disk, Faults, League, lines};
use super::{MOST, Played, in_virtual_time};

/// Starts after which the league is not killed any more.
const KILLED: u32 = 4;

const MOST_STARTS: u32 = 40;

/// Runs a league on a cluster in virtual time.
pub(super) fn play(mut rng: Xoshiro256PlusPlus) -> Played {
    in_virtual_time(async {
        let began = Instant::now();
        let mut played = Played::default();
        played.worlds.insert("cluster", 1);
        let mut league = League::draw(&mut rng);
        league.settings.deals += 5;
        let machines = rng.random_range(1..6);
        let cluster = Cluster {
            machines,
            tables: rng.random_range(1..4),
            slower: rng.random_range(0..80),
            game: Duration::from_millis(rng.random_range(1..3_000)),
            start: Duration::from_millis(200),
            life: rng.random_bool(0.7).then_some(Duration::from_secs(100)),
            notice: Duration::from_secs(10),
            repair: Duration::from_secs(20),
            strange: rng.random_range(0..30),
            // Machine 0, where others can play.
            sick: usize::from(machines > 1 && rng.random_bool(0.3)),
        };
        let length = Duration::from_millis(rng.random_range(0..10_000));
        for start in 0.. {
            assert!(start < MOST_STARTS, "the league has an end");
            let life = (start < KILLED && rng.random_bool(0.5))
                .then(|| Duration::from_millis(rng.random_range(0..20_000)));
            let outcome = run(&league, cluster, length, rng.random(), life).await;
            match outcome {
                Some(outcome) if outcome.stopped.is_empty() => {
                    assert_eq!(outcome, Outcome::default());
                    break;
                }
                Some(_) => played.fault("cluster: a matchup is given up"),
                None => played.fault("cluster: the league is killed"),
            }
        }
        let journal = league.journal();
        let mut calm = League::of(league.settings.clone());
        let (faults, mut unused) = (Faults::default(), Played::default());
        let outcome = calm.start(&faults, &mut rng, &mut unused).await;
        assert_eq!(outcome, Some(Outcome::default()));
        let results = league.results();
        let counted: u64 = results
            .machines
            .values()
            .map(|machine| machine.fixtures)
            .sum();
        assert_eq!(counted, results.fixtures, "each on a machine");
        assert_eq!(lines(&journal), lines(&calm.journal()));
        played.events = journal.entries.len();
        played.time = began.elapsed();
        played
    })
}

/// Starts the league; gives how it ended, unless it was killed.
async fn run(
    league: &League,
    cluster: Cluster,
    length: Duration,
    seed: u64,
    life: Option<Duration>,
) -> Option<Outcome> {
    let disk = Disk::shared();
    let (results, mut file) = league.open(&disk).expect("a disk without faults");
    let options = SessionOptions::default();
    let say = Arc::new(|_| {});
    let workers = Workers::new(league.settings.clone(), length, options.finish.clone(), say);
    let workers = Arc::new(workers);
    let (here, there) = tokio::io::duplex(1 << 16);
    let (from, to) = tokio::io::split(there);
    let carrier = tokio::spawn(cluster.carry(from, to, seed));
    let _carrier = AbortOnDropHandle::new(carrier);
    let carried = Arc::clone(&workers);
    let (from, to) = tokio::io::split(here);
    let carried = tokio::spawn(async move { carried.carry(Pipes::new(from, to)).await });
    let _carried = AbortOnDropHandle::new(carried);
    let mut told = Vec::new();
    let mut news = |news| told.push(news);
    let run = runner::run(
        &league.settings,
        results,
        &mut file,
        workers,
        &options,
        None,
        &mut news,
    );
    let run = timeout(life.unwrap_or(MOST), run).await;
    assert!(run.is_ok() || life.is_some(), "the league hangs");
    run.ok().map(|run| run.expect("a disk without faults"))
}

/// Number of blocks that the sequential test of a league has counted, and its ratio.
fn counted(league: &League) -> (u64, Option<u64>) {
    let test = league.results().test.expect("a league with a test");
    let sprt = &test.sprt;
    (sprt.blocks(), sprt.ratio().map(f64::to_bits))
}

#[test]
fn a_sequential_test_on_a_cluster_counts_what_it_counts_on_one_machine() {
    in_virtual_time(async {
        let mut verdicts = 0;
        for seed in 0..10 {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut league = League::draw(&mut rng);
            league.settings.deals = 300;
            // The seat decides each game: with duplicate deals all scores are one half.
            league.settings.duplicate = false;
            league.settings.format = Format::RoundRobin;
            league.settings.sprt = Some(Sprt {
                entrant: 0,
                hypotheses: stats::Hypotheses {
                    s0: 0.4,
                    s1: 0.6,
                    alpha: 0.05,
                    beta: 0.05,
                },
            });
            let cluster = Cluster {
                machines: 4,
                tables: 2,
                slower: 50,
                game: Duration::from_millis(300),
                start: Duration::from_millis(200),
                life: Some(Duration::from_secs(100)),
                notice: Duration::from_secs(10),
                repair: Duration::from_secs(20),
                strange: 10,
                sick: 0,
            };
            let length = Duration::from_secs(3);
            // The first start is killed.
            let life = Some(Duration::from_secs(4));
            let first = run(&league, cluster, length, rng.random(), life).await;
            let outcome = match first {
                Some(outcome) => Some(outcome),
                None => run(&league, cluster, length, rng.random(), None).await,
            };
            let mut calm = League::of(league.settings.clone());
            let (faults, mut unused) = (Faults::default(), Played::default());
            let due = calm.start(&faults, &mut rng, &mut unused).await;
            assert_eq!(outcome, due, "seed {seed}");
            let [there, here] = [&league, &calm].map(counted);
            assert_eq!(there, here, "seed {seed}");
            verdicts += u32::from(due.is_some_and(|due| due.verdict.is_some()));
        }
        assert!(verdicts > 5, "{verdicts} verdicts");
    });
}
