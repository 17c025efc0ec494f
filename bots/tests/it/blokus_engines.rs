//! What the Blokus engines promise: the same seed gives the same game, every answer is legal, each search
//! has a signature, budgets are kept, and a warm search allocates nothing for its playouts.

use std::time::{Duration, Instant};

use games::blokus::{Board, Colour, Placement, Scoring};
use models::NnEngine;
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_bots::blokus::{EngineName, EngineOptions, RowPlayout, win_shares};
use taikyoku_bots::engine::{Engine, OpenPosition as _, play_game};
use taikyoku_bots::search::mcts::{Mcts, MctsPlan, OpponentModel};
use taikyoku_bots::search::{Budget, Game as _, Playout, Stopwatch, most_tried};
use taikyoku_bots::spec::Specified as _;

fn build(text: &str, seed: u64) -> Box<dyn Engine<Board>> {
    let options: EngineOptions = text.parse().expect(text);
    options.build(seed).expect(text)
}

const FIXTURE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../models/fixtures/tiny-fast.onnx"
);

const ENGINES: [&str; 9] = [
    "random",
    "greedy",
    "maxn:nodes=60",
    "paranoid:nodes=60",
    "brs:nodes=60",
    "mcts-maxn:playouts=30",
    "mcts-paranoid:playouts=30",
    "mcts-brs:playouts=30",
    "best:playouts=30",
];

fn game(specifications: [&str; 4], seed: u64) -> Board {
    let mut engines = specifications.map(|text| build(text, seed));
    let game = play_game(&mut engines, Board::random_opening(4, seed)).expect("legal moves");
    assert_eq!(game.end.to_move(), None);
    game.end
}

#[test]
fn every_engine_plays_legally_in_every_seat_and_the_same_again() {
    for shift in 0..4 {
        for first in [0, 5] {
            let at = |seat: usize| ENGINES[first + (seat + shift) % 4];
            let seats = [at(0), at(1), at(2), at(3)];
            let seed = shift as u64;
            assert_eq!(game(seats, seed), game(seats, seed), "{seats:?}");
        }
    }
}

#[test]
fn times_are_kept() {
    for &name in EngineName::ALL {
        // An engine that ignores the limit of the move thinks for a minute.
        let mut options = EngineOptions {
            time: Some(Duration::from_mins(1)),
            ..EngineOptions::named(name)
        };
        options.zero.network.model = Some(FIXTURE.into());
        options.zero.network.nn_engine = NnEngine::Rten;
        let mut engine = options.build(1).expect("an engine");
        for (plies, seed) in [(0, 1), (20, 2), (50, 3)] {
            let limit = Duration::from_millis(40);
            let board = Board::random_opening(plies, seed);
            let used = least_time(3, || {
                let mv = engine.choose(&board, Some(limit));
                assert!(
                    board
                        .to_move()
                        .is_none_or(|colour| board.is_legal(colour, mv))
                );
            });
            assert!(used < Duration::from_millis(500), "{name:?} {used:?}");
        }
    }
}

#[test]
fn threads_share_a_deadline() {
    let board = Board::random_opening(4, 1);
    // An engine that starts after the deadline makes no more playouts than between two looks at the clock.
    let begin = Instant::now()
        .checked_sub(Duration::from_secs(1))
        .expect("a machine that runs for a second");
    let budget = Budget::playouts(u64::MAX).within(Some(Duration::from_millis(100)));
    let mut mcts = Mcts::new(MctsPlan::new(OpponentModel::Maxn));
    let watch = Stopwatch::since(begin, budget);
    mcts.search_on(&board, &mut RowPlayout::new(0.05), watch, &mut rng(1));
    assert!((1..=8).contains(&mcts.playouts()), "{}", mcts.playouts());

    let mut engine = build("mcts-maxn:ms=60000:threads=32", 1);
    let used = least_time(7, || {
        engine.choose(&board, Some(Duration::from_millis(100)));
    });
    assert!(used < Duration::from_millis(200), "{used:?}");
}

/// The least time of so many runs: what other processes take from one of them is no time of the engine.
fn least_time(runs: u32, mut run: impl FnMut()) -> Duration {
    let times = (0..runs).map(|_| {
        let begin = Instant::now();
        run();
        begin.elapsed()
    });
    times.min().expect("a time")
}

fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// The signatures: playouts and rewards of all moves at a fixed seed and budget, or values and nodes. A change
/// that should not alter a search must not alter its number.
#[test]
fn each_search_has_its_signature() {
    let add = |signature: u64, n: u64| signature.wrapping_mul(0x0100_0000_01B3) ^ n;
    let mcts = ["mcts-maxn", "mcts-paranoid", "mcts-brs"].map(|name| {
        let mut signature = 0;
        for seed in 0..3 {
            let mut engine = build(&format!("{name}:playouts=1000"), seed);
            engine.choose(&Board::random_opening(16 * (seed as u32 + 1), seed), None);
            let values = engine.values();
            // Each mean is weighted with that of all moves, which counts as eight playouts.
            let drawn: f64 = values.iter().map(|(.., trials)| (trials + 8) as f64).sum();
            let sum: f64 = values
                .iter()
                .map(|(_, mean, trials)| mean * (trials + 8) as f64)
                .sum();
            let prior = 8.0 * sum / drawn;
            for (mv, mean, trials) in values {
                let thirds = (12.0 * (mean * (trials + 8) as f64 - prior)).round() as u64;
                signature = add(signature, thirds << 32 | trials << 16);
                signature = add(signature, mv.index() as u64);
            }
        }
        signature
    });
    let depth_first = ["maxn:nodes=2000", "paranoid:nodes=2000", "brs:nodes=2000"].map(|text| {
        let mut signature = 0;
        for seed in 0..3 {
            let mut engine = build(text, seed);
            let mv = engine.choose(&Board::random_opening(16 * (seed as u32 + 1), seed), None);
            let reasons = engine.explain().expect("reasons");
            signature = add(signature, mv.index() as u64);
            for key in ["squares", "depth", "nodes"] {
                signature = add(signature, reasons[key].as_u64().expect(key));
            }
        }
        signature
    });
    assert_eq!(
        mcts,
        [
            14_143_208_419_989_954_592,
            4_905_552_548_780_089_376,
            11_730_294_233_233_530_912
        ]
    );
    assert_eq!(
        depth_first,
        [
            3_174_100_607_247_461_524,
            12_264_201_166_763_259_067,
            5_328_862_552_519_102_569
        ]
    );
}

#[test]
fn playouts_are_legal_and_without_chance_of_the_largest_size() {
    let mut moves = Vec::new();
    let mut smaller = 0;
    for seed in 0..40 {
        let start = Board::random_opening(seed as u32, seed);
        let epsilon = if seed % 2 == 0 { 0.0 } else { 0.3 };
        let mut playout = RowPlayout::new(epsilon);
        let rewards = playout.run(&start, &mut rng(seed));
        let mut board = start;
        for &(seat, mv) in playout.line() {
            assert_eq!(board.to_move().map(Colour::seat), Some(seat));
            board.legal_moves_of(Colour::ALL[usize::from(seat)], &mut moves);
            assert!(moves.contains(&mv), "{mv}");
            let largest = moves.iter().map(|mv| mv.size()).max();
            if Some(mv.size()) != largest {
                assert!(epsilon > 0.0, "{mv} of {largest:?}");
                smaller += 1;
            }
            board.play_unchecked(mv);
        }
        assert_eq!(board.to_move(), None);
        let shares = win_shares(&board, Scoring::Advanced);
        let differ = |(a, b): (&f64, &f64)| (a - b).abs() > 1e-9;
        assert!(!rewards.iter().zip(&shares).any(differ), "{rewards:?}");
    }
    assert!(smaller > 100, "{smaller}");
}

#[test]
fn playouts_are_counted_and_their_tree_is_used_again() {
    for (name, reuses) in [
        ("mcts-maxn", true),
        ("mcts-paranoid", true),
        ("mcts-brs", false),
    ] {
        let text = format!("{name}:playouts=2000");
        let mut engine = build(&text, 5);
        let trials = |engine: &dyn Engine<Board>| engine.values().iter().map(|v| v.2).sum::<u64>();
        let mut known = 0;
        for seed in 0..10 {
            let mut board = Board::random_opening(50, seed);
            let Some(seat) = board.to_move() else {
                continue;
            };
            engine.new_game();
            let mv = engine.choose(&board, None);
            let values = engine.values();
            if values.len() < 2 {
                continue;
            }
            assert_eq!(trials(&*engine), 2000, "{name}");
            assert!(values.iter().all(|v| (0.0..=1.0).contains(&v.1)));
            let most = values.iter().map(|v| v.2).max();
            assert!(values.iter().any(|v| v.0 == mv && Some(v.2) == most));
            board.play(mv).expect("legal");
            while board.to_move() != Some(seat) && board.to_move().is_some() {
                let answer = build(&text, 5).choose(&board, None);
                board.play(answer).expect("legal");
            }
            if board.to_move().is_some() {
                engine.choose(&board, None);
                known += u32::from(trials(&*engine) > 2000);
            }
        }
        assert_eq!(known > 0, reuses, "{name}");
    }
}

#[test]
fn moves_between_two_boards_of_a_game_are_told() {
    let mut moves: Vec<Placement> = Vec::new();
    for seed in 0..20 {
        let (earlier, later) = (
            Board::random_opening(20, seed),
            Board::random_opening(24, seed),
        );
        assert!(later.moves_since(&earlier, &mut moves));
        assert_eq!(moves.len(), 4);
        let mut again = earlier;
        for &mv in &moves {
            again.play(mv).expect("legal");
        }
        assert_eq!(again, later);
        assert!(later.moves_since(&later, &mut moves) && moves.is_empty());
        // Not backwards, not from another game, not over two moves of a colour.
        assert!(!earlier.moves_since(&later, &mut moves));
        assert!(!later.moves_since(&Board::random_opening(20, seed + 100), &mut moves));
        assert!(!later.moves_since(&Board::new(), &mut moves));
    }
}

/// What a search of so many playouts allocates once it is warm.
fn allocated(form: OpponentModel, playouts: [u64; 3]) -> [u64; 3] {
    let (mut mcts, mut playout) = (Mcts::new(MctsPlan::new(form)), RowPlayout::new(0.05));
    let board = Board::random_opening(16, 3);
    playouts.map(|playouts| {
        mcts.forget();
        let budget = Budget::playouts(playouts);
        let info = allocation_counter::measure(|| {
            mcts.search(&board, &mut playout, budget, &mut rng(9));
        });
        info.count_total
    })
}

#[test]
fn a_warm_search_allocates_nothing_for_its_playouts() {
    for form in [
        OpponentModel::Maxn,
        OpponentModel::Paranoid,
        OpponentModel::Brs,
    ] {
        let [_, more, less] = allocated(form, [1500, 1500, 300]);
        // What is left is the list of moves that the search hands out.
        assert!(more <= 8, "{form:?} {more}");
        assert_eq!(more, less, "{form:?}");
    }
}

#[test]
fn trees_keep_to_their_memory() {
    let most = |memory: usize| {
        let plan = MctsPlan {
            memory,
            ..MctsPlan::new(OpponentModel::Maxn)
        };
        let mut mcts = Mcts::new(plan);
        let info = allocation_counter::measure(|| {
            let mut board = Board::random_opening(12, 1);
            for seed in 0..3 {
                let (budget, mut playout) = (Budget::playouts(6000), RowPlayout::new(0.05));
                let found = mcts.search(&board, &mut playout, budget, &mut rng(seed));
                assert_eq!(mcts.playouts(), 6000);
                let mv = most_tried(&found).expect("moves").mv;
                board.play(mv).expect("legal");
            }
        });
        info.bytes_max
    };
    let memory = 1 << 20;
    // Beside the trees there are the history, and a list that grows twice for a moment.
    let bound = memory as u64 + (3 << 19);
    let (used, free) = (most(memory), most(400 << 20));
    assert!(used < bound && bound < free, "{used} {bound} {free}");
}

#[test]
fn threads_share_the_playouts() {
    for (playouts, threads) in [(400, 4), (1, 16), (10, 4), (7, 1), (3, 5)] {
        let text = format!("mcts-maxn:playouts={playouts}:threads={threads}");
        let mut engine = build(&text, 1);
        for board in [Board::random_opening(8, 1), Board::random_opening(8, 2)] {
            engine.choose(&board, None);
            let trials: u64 = engine.values().iter().map(|v| v.2).sum();
            assert_eq!(trials, playouts, "{text}");
            let reasons = engine.explain().expect("reasons");
            assert_eq!(reasons["playouts"].as_u64(), Some(playouts), "{text}");
        }
    }
}
