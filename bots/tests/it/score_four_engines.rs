//! What the score four engines promise: the same seed gives the same game, every answer is legal, each
//! search has a signature, playouts allocate nothing, and importance is what its formula says.

use std::time::{Duration, Instant};

use games::score_four::{LINES, Position};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_bots::engine::{OpenPosition as _, play_game};
use taikyoku_bots::score_four::playout::{ErdosSelfridge, Importance, Uniform};
use taikyoku_bots::score_four::{EngineOptions, MonteCarloEngine, MonteCarloMethod};
use taikyoku_bots::search::monte_carlo::{Uct, UctPlan};
use taikyoku_bots::search::{Budget, Playout, best_rate};
use taikyoku_bots::spec::Specified as _;

fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

const ENGINES: [&str; 5] = [
    "random",
    "flat:playouts=200",
    "ucb1:playouts=200",
    "uct:playouts=400",
    "uct-es:playouts=400",
];

fn game(a: &str, b: &str, seed: u64) -> String {
    let build = |text: &str| {
        text.parse::<EngineOptions>()
            .expect(text)
            .build(seed)
            .expect("an engine")
    };
    let (a, b) = (build(a), build(b));
    let game = play_game(&mut [a, b], Position::random_opening(2, seed)).expect("legal moves");
    assert!(game.end.end().is_some());
    game.end.to_string()
}

#[test]
fn every_engine_plays_legally_and_the_same_again() {
    for a in ENGINES {
        for b in ["random", "uct:playouts=100"] {
            for seed in 0..3 {
                assert_eq!(game(a, b, seed), game(a, b, seed), "{a} {b}");
                game(b, a, seed);
            }
        }
    }
}

/// The signatures: playouts and rewards of all candidates at a fixed seed and budget. A change that
/// should not alter a search must not alter its number.
#[test]
fn each_search_has_its_signature() {
    fn signature<P: Playout<Position> + Default + Send>(search: MonteCarloMethod) -> u64 {
        let mut engine = MonteCarloEngine::<P>::new("test", search, Budget::playouts(3_000), 1, 42);
        let mut signature = 0_u64;
        for seed in 0..6 {
            for candidate in engine.search(&Position::random_opening(seed as u32, seed), None) {
                let points = (2.0 * candidate.sum).round() as u64;
                signature =
                    signature.wrapping_mul(0x0100_0000_01B3) ^ (points << 20 | candidate.trials);
            }
        }
        signature
    }
    let found = [
        signature::<Uniform>(MonteCarloMethod::Flat),
        signature::<Uniform>(MonteCarloMethod::Ucb1),
        signature::<Uniform>(MonteCarloMethod::Uct(UctPlan::default())),
        signature::<ErdosSelfridge>(MonteCarloMethod::Uct(UctPlan::default())),
    ];
    assert_eq!(
        found,
        [
            4_467_994_190_310_229_906,
            16_833_039_916_899_149_204,
            7_984_921_194_535_745_512,
            8_635_306_302_110_949_432
        ]
    );
}

#[test]
fn budgets_are_kept_by_threads_together_and_by_the_clock() {
    for threads in [1, 2, 3] {
        let budget = Budget::playouts(3_000);
        let uct = MonteCarloMethod::Uct(UctPlan::default());
        let mut engine = MonteCarloEngine::<Uniform>::new("test", uct, budget, threads, 1);
        let candidates = engine.search(&Position::START, None);
        assert_eq!(candidates.iter().map(|c| c.trials).sum::<u64>(), 3_000);
        assert_eq!(candidates.len(), 16);
    }
    let mut engine = "uct:ms=60000".parse::<EngineOptions>().expect("engine");
    engine.playouts = Some(u64::MAX);
    let begin = Instant::now();
    let limit = Duration::from_millis(30);
    engine
        .build(1)
        .expect("an engine")
        .choose(&Position::START, Some(limit));
    let used = begin.elapsed();
    assert!(used >= limit && used < Duration::from_secs(20), "{used:?}");
}

#[test]
fn a_leaf_is_searched_deeper_only_from_the_threshold_on() {
    let size = |threshold: u32, playouts: u64| {
        let plan = UctPlan {
            threshold,
            ..UctPlan::default()
        };
        let mut uct = Uct::new(plan);
        let candidates = uct.search(
            &Position::START,
            &mut Uniform,
            Budget::playouts(playouts),
            &mut rng(1),
        );
        assert!(best_rate(&candidates).is_some());
        uct.size()
    };
    assert_eq!(size(50, 60), 16);
    assert_eq!(size(1_000_000, 5_000), 16);
    assert!(size(50, 16 * 52) > 16);
    assert!(size(1, 5_000) > 10 * size(50, 5_000));
}

#[test]
fn a_tree_of_uct_keeps_to_its_memory_and_goes_on() {
    const MEMORY: usize = 1 << 20;
    let search = |memory, playouts| {
        let plan = UctPlan {
            threshold: 1,
            memory,
            ..UctPlan::default()
        };
        let mut uct = Uct::new(plan);
        let (budget, mut rng) = (Budget::playouts(playouts), rng(1));
        let mut run = || uct.search(&Position::START, &mut Uniform, budget, &mut rng);
        let measured = allocation_counter::measure(|| drop(run()));
        let trials = run().iter().map(|candidate| candidate.trials).sum::<u64>();
        assert_eq!(trials, playouts);
        (uct.size(), measured.bytes_max)
    };
    let (size, _) = search(MEMORY, 20_000);
    let (later, bytes) = search(MEMORY, 80_000);
    // The last expansion may go beyond it.
    assert!(size > 10_000 && later - size <= 16, "{size} {later}");
    // The old arena and the new one, while it grows.
    assert!(bytes < 5 * MEMORY as u64 / 2, "{bytes}");
}

#[test]
fn importance_is_what_its_formula_says() {
    let product = |position: &Position, line: u64, values: [u32; 3]| -> u32 {
        let mut product = 1;
        for square in (0..64).filter(|square| line >> square & 1 == 1) {
            let owner = (0..2).find(|&seat| position.balls(seat) >> square & 1 == 1);
            product *= values[owner.map_or(2, usize::from)];
        }
        product
    };
    for seed in 0..300 {
        let mut random = "random"
            .parse::<EngineOptions>()
            .expect("engine")
            .build(seed)
            .expect("an engine");
        let mut position = Position::START;
        while position.to_move().is_some() {
            let importance = Importance::of(&position);
            let mut best = (0, 0_u64);
            for square in (0..64).filter(|square| position.taken() >> square & 1 == 0) {
                let mut sum = 0;
                for line in LINES.into_iter().filter(|line| line >> square & 1 == 1) {
                    sum += product(&position, line, [2, 0, 1]);
                    sum += product(&position, line, [0, 2, 1]);
                }
                assert_eq!(importance.at(square), sum, "{position} {square}");
                if position.rests() >> square & 1 == 1 && sum >= best.0 {
                    let equal = if sum == best.0 { best.1 } else { 0 };
                    best = (sum, equal | 1 << square);
                }
            }
            assert_eq!(importance.largest(position.rests()), best.1);
            let peg = random.choose(&position, None);
            position.play(peg).expect("a legal peg");
        }
    }
}

#[test]
fn playouts_have_the_known_mean_length_and_allocate_nothing() {
    let mut rng = rng(5);
    let games = 40_000;
    let es = ErdosSelfridge::default();
    let mut sums = [[0.0; 2]; 2];
    let info = allocation_counter::measure(|| {
        for _ in 0..games {
            let results = [
                Uniform::play(&Position::START, &mut rng),
                es.play(&Position::START, &mut rng),
            ];
            for (sum, (reward, balls)) in sums.iter_mut().zip(results) {
                sum[0] += reward;
                sum[1] += f64::from(balls);
            }
        }
    });
    assert_eq!(info.count_total, 0);
    let [uniform, es] = sums.map(|sum| sum.map(|s| s / f64::from(games)));
    // Millions of playouts give .553 and 28.6 balls, .569 and 23.4 balls.
    for (found, known, within) in [
        (uniform[0], 0.553, 0.01),
        (uniform[1], 28.6, 0.2),
        (es[0], 0.569, 0.01),
        (es[1], 23.4, 0.2),
    ] {
        assert!((found - known).abs() < within, "{found} {known}");
    }
}

#[test]
fn playouts_from_anywhere_agree_with_those_of_a_prepared_root() {
    for seed in 0..50 {
        let root = Position::random_opening(4, seed);
        let mut prepared = ErdosSelfridge::default();
        prepared.begin(&root);
        for position in [
            root,
            Position::random_opening(6, seed),
            Position::random_opening(5, seed + 1),
        ] {
            let fresh = ErdosSelfridge::default().play(&position, &mut rng(seed));
            assert_eq!(prepared.play(&position, &mut rng(seed)), fresh);
        }
    }
}

#[test]
fn the_program_takes_a_position_that_begins_with_an_empty_peg() {
    let board = "-/x/-/-/-/-/-/-/-/-/-/-/-/-/-/o";
    for words in [
        ["move", board, "--engine", "uct", "--playouts", "50"],
        ["move", "--engine", "uct", "--playouts", "50", board],
    ] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_score-four"))
            .args(words)
            .output()
            .expect("the program starts");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{errors}");
        let peg = String::from_utf8(output.stdout).expect("text");
        assert!(
            peg.trim().parse::<games::score_four::Peg>().is_ok(),
            "{peg}"
        );
    }
}
