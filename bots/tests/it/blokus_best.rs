//! What the strongest Blokus engine promises: the same seed gives the same game, its search has a signature,
//! budgets are kept, playouts allocate nothing, and a colour that is alone places the most it can.

use std::time::{Duration, Instant};

use games::blokus::{Board, Colour};
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_bots::blokus::{EngineOptions, RowPlayout};
use taikyoku_bots::engine::{Engine, OpenPosition as _};
use taikyoku_bots::signature;
use taikyoku_bots::spec::Specified as _;

fn build(text: &str, seed: u64) -> Box<dyn Engine<Board>> {
    let options: EngineOptions = text.parse().expect(text);
    options.build(seed).expect(text)
}

#[test]
fn the_search_has_a_signature() {
    assert_eq!(signature::blokus_best(), [742_028, 986_045, 944_048]);
}

#[test]
fn time_is_kept_and_threads_share_the_playouts() {
    let mut engine = build("best:ms=60", 3);
    let begin = Instant::now();
    engine.choose(&Board::random_opening(8, 3), None);
    assert!(begin.elapsed() < Duration::from_secs(20));
    let mut engine = build("best:ms=60000", 3);
    let begin = Instant::now();
    engine.choose(
        &Board::random_opening(8, 3),
        Some(Duration::from_millis(60)),
    );
    assert!(begin.elapsed() < Duration::from_secs(20));
    let mut engine = build("best:ms=60000:threads=3", 3);
    let begin = Instant::now();
    engine.choose(
        &Board::random_opening(8, 3),
        Some(Duration::from_millis(60)),
    );
    assert!(begin.elapsed() < Duration::from_secs(20));
    // The second search does not go on from the first.
    let mut engine = build("best:playouts=200:threads=2", 3);
    for _ in 0..2 {
        engine.choose(&Board::random_opening(8, 3), None);
        let visits: u64 = engine.values().iter().map(|&(_, _, visits)| visits).sum();
        assert!((128..=200).contains(&visits), "{visits}");
    }
}

#[test]
fn a_warm_search_allocates_nothing_for_its_playouts() {
    let board = Board::random_opening(8, 4);
    let measure = |playouts: u64| {
        let mut engine = build(&format!("best:playouts={playouts}"), 4);
        // The trees of two searches from one position need not be of one size.
        (0..4).for_each(|_| _ = engine.choose(&board, None));
        let info = allocation_counter::measure(|| _ = engine.choose(&board, None));
        info.count_total
    };
    let (few, many) = (measure(300), measure(1500));
    assert!(few < 40 && many < 40, "{few} and {many} allocations");
}

#[test]
fn a_colour_that_is_alone_places_at_least_what_playouts_do() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut found = 0;
    for seed in 0..200 {
        let mut board = Board::random_opening(1, seed);
        let mut greedy = build("greedy", seed);
        let is_alone = |board: &Board, mover: Colour| {
            let mut others = Colour::ALL.into_iter().filter(|&other| other != mover);
            !others.any(|other| board.has_move(other))
        };
        while board
            .to_move()
            .is_some_and(|mover| !is_alone(&board, mover))
        {
            board
                .play(greedy.choose(&board, None))
                .expect("a legal move");
        }
        let Some(mover) = board.to_move() else {
            continue;
        };
        found += 1;
        let mut playout = RowPlayout::new(0.5);
        let scores = (0..50).map(|_| playout.scores(&board, &mut rng)[mover.index()]);
        let score = scores.max().unwrap_or_default();
        let mut engine = build("best:playouts=20000", seed);
        while board.to_move().is_some() {
            let mv = engine.choose(&board, None);
            board.play(mv).expect("a legal move");
        }
        assert!(board.score(mover) >= score, "game {seed}");
        if found == 10 {
            return;
        }
    }
    panic!("only {found} games");
}
