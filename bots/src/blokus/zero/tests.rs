//! The engine with evaluators that stand for networks.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use games::blokus::{Board, Colour, Placement, Scene};
use models::NetworkError;
use serde_json::json;

use super::{BlokusZeroOptions, ZeroEngine, ZeroSettings};
use crate::blokus::engine::NONE;
use crate::engine::Engine;
use crate::engine::OpenPosition as _;
use crate::search::network::LeafEvaluator;
use crate::search::{Budget, Rewards};

/// Likes large pieces, and thinks that who has placed most will win.
#[derive(Clone, Default)]
struct Opinion {
    answers: Vec<(Vec<f32>, Rewards)>,
    /// What an evaluation takes: of each position, or of the batch as on a GPU.
    time: Duration,
    is_flat: bool,
    /// Evaluations until it fails, and whether it then panics.
    left: Option<u32>,
    panics: bool,
    /// Positions of each batch, and when its evaluation began.
    batches: Vec<usize>,
    begun: Vec<Instant>,
}

impl LeafEvaluator for Opinion {
    type Position = Scene;

    fn clear(&mut self) {
        self.answers.clear();
    }

    fn add(&mut self, scene: &Scene, moves: &[Placement]) {
        let liking = |mv: &Placement| {
            // Something that tells all moves apart, too.
            f32::from(mv.size()) + (mv.index() as u32).wrapping_mul(0x9e37_79b9) as f32 / 4e9
        };
        let placed = Colour::ALL.map(|colour| f64::from(scene.board().squares(colour)) + 1.0);
        let sum: f64 = placed.iter().sum();
        self.answers.push((
            moves.iter().map(liking).collect(),
            placed.map(|placed| placed / sum),
        ));
    }

    fn evaluate(&mut self) -> Result<(), NetworkError> {
        let count = self.answers.len();
        self.batches.push(count);
        let now = Instant::now();
        self.begun.push(now);
        let until = now + self.time * if self.is_flat { 1 } else { count as u32 };
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        match &mut self.left {
            Some(0) if self.panics => panic!("an evaluator that is tested"),
            Some(0) => Err(NetworkError::Positions {
                path: PathBuf::from("broken"),
                positions: count,
                found: 0,
                expected: 1,
            }),
            left => {
                *left = left.map(|left| left - 1);
                Ok(())
            }
        }
    }

    fn answer(&mut self, number: usize, logits: &mut Vec<f32>) -> Rewards {
        logits.clone_from(&self.answers[number].0);
        self.answers[number].1
    }
}

fn settings(batch: usize) -> ZeroSettings {
    ZeroSettings {
        plan: BlokusZeroOptions::default().plan(),
        batch,
        score_share: 0.5,
        about: json!({"model": "opinion"}),
    }
}

fn engine(settings: ZeroSettings, threads: usize, budget: Budget) -> ZeroEngine<Opinion> {
    let evaluators = vec![Opinion::default(); threads];
    ZeroEngine::new(evaluators, settings, budget, 1).unwrap()
}

fn batches(engine: &ZeroEngine<Opinion>) -> impl Iterator<Item = usize> {
    let workers = engine.guided.workers.iter();
    workers.flat_map(|worker| worker.evaluator.batches.iter().copied())
}

fn visits(engine: &dyn Engine<Board>) -> u64 {
    engine.values().iter().map(|&(_, _, visits)| visits).sum()
}

/// A game of one engine for all seats, from a random opening.
fn moves_of_a_game(engine: &mut dyn Engine<Board>, seed: u64) -> Vec<Placement> {
    engine.new_game();
    let mut board = Board::random_opening(4, seed);
    let mut moves = Vec::new();
    while board.to_move().is_some() {
        let mv = engine.choose(&board, None);
        board.play(mv).expect("a legal move");
        moves.push(mv);
    }
    moves
}

#[test]
fn one_thread_plays_the_same_games_again_and_batches_play_too() {
    for batch in [1, 4] {
        let budget = Budget::playouts(24);
        let mut first = engine(settings(batch), 1, budget);
        let game = moves_of_a_game(&mut first, 2);
        // The memory of an engine that has played other games changes nothing.
        moves_of_a_game(&mut first, 3);
        assert_eq!(game, moves_of_a_game(&mut first, 2));
        let mut second = engine(settings(batch), 1, budget);
        assert_eq!(game, moves_of_a_game(&mut second, 2));
        let largest = batches(&second).max();
        assert!(
            largest <= Some(batch) && largest > Some(batch / 2),
            "{largest:?}"
        );
    }
}

#[test]
fn simulations_are_counted_whatever_the_threads_and_batches() {
    for (threads, batch, simulations) in [(1, 1, 50), (1, 8, 50), (3, 1, 50), (2, 4, 51), (4, 4, 1)]
    {
        let budget = Budget::playouts(simulations);
        let mut engine = engine(settings(batch), threads, budget);
        engine.choose(&Board::random_opening(10, 1), None);
        assert_eq!(visits(&engine), simulations, "{threads} {batch}");
        let reasons = engine.explain().unwrap();
        assert_eq!(reasons["simulations"], simulations);
        assert_eq!(reasons["evaluations"], simulations + 1);
        assert_eq!(reasons["model"], "opinion");
        let sum: f64 = (0..4)
            .map(|seat| reasons["values"][seat].as_f64().unwrap())
            .sum();
        assert!((sum - 1.0).abs() < 1e-6, "{reasons}");
    }
}

#[test]
fn the_tree_is_used_again_in_the_same_game_only() {
    let mut engine = engine(settings(1), 1, Budget::playouts(200));
    let mut board = Board::random_opening(4, 1);
    let colour = board.to_move();
    for _ in 0..4 {
        let mv = engine.choose(&board, None);
        board.play(mv).unwrap();
    }
    assert_eq!(board.to_move(), colour);
    engine.choose(&board, None);
    // All four colours were asked: the tree goes on with what the last of them knew.
    assert!(visits(&engine) > 200, "{}", visits(&engine));
    // It knew the moves of the opening, of which the paper's layout shows seven.
    assert_eq!(engine.scene.past().iter().flatten().count(), 7);
    engine.choose(&Board::random_opening(9, 5), None);
    assert_eq!(visits(&engine), 200);
    engine.new_game();
    engine.choose(&board, None);
    assert_eq!(visits(&engine), 200);
}

#[test]
fn a_colour_that_was_withdrawn_is_left_out() {
    let mut engine = engine(settings(1), 1, Budget::playouts(50));
    let mut board = Board::random_opening(4, 1);
    engine.choose(&board, None);
    let mover = board.to_move().unwrap();
    board.withdraw(mover.next());
    let mv = engine.choose(&board, None);
    assert!(board.is_legal(mover, mv));
    assert_eq!(engine.scene.board(), &board);
    assert_eq!(engine.scene.past().iter().flatten().count(), 4);
}

/// However busy the machine is: a thread that looks at the clock in time may be held up before its evaluation begins,
/// but it never begins another.
#[test]
fn no_thread_begins_more_than_one_evaluation_after_its_time() {
    for (threads, batch) in [(1, 1), (1, 4), (2, 1)] {
        let slow = Opinion {
            time: Duration::from_millis(8),
            ..Opinion::default()
        };
        let budget = Budget::playouts(u64::MAX).within(Some(Duration::from_mins(1)));
        let mut engine = ZeroEngine::new(vec![slow; threads], settings(batch), budget, 1).unwrap();
        let limit = Duration::from_millis(60);
        // Where the machine is too busy for one evaluation within the limit, it has none: there are enough searches with some.
        let (mut searches, mut seed) = (0, 0);
        while searches < 5 {
            engine.new_game();
            for worker in &mut engine.guided.workers {
                worker.evaluator.begun.clear();
            }
            let board = Board::random_opening(12, seed);
            seed += 1;
            let mv = engine.choose(&board, Some(limit));
            assert!(board.is_legal(board.to_move().unwrap(), mv));
            searches += u32::from(visits(&engine) > 0);
            let workers = engine.guided.workers.iter();
            let begun = workers.map(|worker| &worker.evaluator.begun);
            // The engine's clock has started before its first evaluation.
            let first = begun.clone().flatten().min().copied();
            let late = |&&begun: &&Instant| first.is_some_and(|first| begun > first + limit);
            for begun in begun {
                assert!(begun.iter().filter(late).count() <= 1, "{begun:?}");
            }
        }
    }
}

#[test]
fn without_time_for_one_evaluation_a_likely_move_is_played_at_once() {
    let slow = Opinion {
        time: Duration::from_millis(20),
        is_flat: true,
        ..Opinion::default()
    };
    let mut engine = ZeroEngine::new(vec![slow], settings(8), Budget::playouts(24), 1).unwrap();
    let tried_out = batches(&engine).count();
    let board = Board::random_opening(12, 1);
    let mover = board.to_move().unwrap();
    for _ in 0..3 {
        let mv = engine.choose(&board, Some(Duration::from_millis(4)));
        assert!(board.is_legal(mover, mv));
        assert_eq!(engine.explain().unwrap()["no_time"], true);
        assert!(engine.values().is_empty());
    }
    assert_eq!(batches(&engine).count(), tried_out);
    // What the tree knows needs no time; and batches do not make one evaluation seem quick.
    engine.choose(&board, None);
    engine.choose(&board, Some(Duration::from_millis(4)));
    assert_eq!(engine.explain().unwrap()["no_time"], json!(null));
    engine.new_game();
    engine.choose(&board, Some(Duration::from_millis(4)));
    assert_eq!(engine.explain().unwrap()["no_time"], true);
}

#[test]
fn a_decided_search_on_time_ends_early() {
    let budget = Budget::playouts(400).within(Some(Duration::from_mins(10)));
    let mut on_time = engine(settings(1), 1, budget);
    let mut in_full = engine(settings(1), 1, Budget::playouts(400));
    let mut fewer = 0;
    for seed in 0..6 {
        let board = Board::random_opening(40, seed);
        on_time.new_game();
        in_full.new_game();
        assert_eq!(on_time.choose(&board, None), in_full.choose(&board, None));
        fewer += u32::from(visits(&on_time) < visits(&in_full));
    }
    assert!(fewer > 0);
}

#[test]
fn nothing_is_evaluated_where_there_is_no_choice() {
    let mut engine = engine(settings(1), 1, Budget::playouts(30));
    let (mut only, mut exact) = (0, 0);
    for seed in 0..12 {
        let mut board = Board::random_opening(48, seed);
        let mut legal = Vec::new();
        while let Some(mover) = board.to_move() {
            board.legal_moves(&mut legal);
            let before = batches(&engine).count();
            let mv = engine.choose(&board, None);
            let reasons = engine.explain().unwrap();
            let is_free = reasons["only"] == true || reasons["exact"] == true;
            assert_eq!(reasons["only"] == true, legal.len() == 1);
            assert!(batches(&engine).count() == before || !is_free);
            only += u32::from(reasons["only"] == true);
            exact += u32::from(reasons["exact"] == true);
            if reasons["exact"] == true {
                let mut others = Colour::ALL.into_iter().filter(|&other| other != mover);
                assert!(!others.any(|other| board.has_move(other)));
            }
            board.play(mv).expect("legal");
        }
        engine.new_game();
    }
    assert!(only > 0 && exact > 0, "{only} {exact}");
    assert_eq!(engine.choose(&Board::random_opening(100, 1), None), NONE);
    assert_eq!(engine.explain(), None);
}

#[test]
fn an_evaluator_that_fails_ends_the_search_with_what_is_known() {
    for threads in [1, 2] {
        let broken = |left| Opinion {
            left: Some(left),
            ..Opinion::default()
        };
        let new = |left| {
            let evaluators = vec![broken(left); threads];
            ZeroEngine::new(evaluators, settings(1), Budget::playouts(1000), 1)
        };
        assert!(new(0).is_err());
        let board = Board::new();
        // Two are for the trial at the beginning.
        let mut engine = new(40).unwrap();
        let mv = engine.choose(&board, None);
        assert!(board.is_legal(Colour::BLUE, mv));
        assert!(visits(&engine) < 1000);
        // A caller that checks moves sees that there is none.
        assert_eq!(new(2).unwrap().choose(&board, None), NONE);
    }
}

/// No thread waits for what one that has panicked was to evaluate, not even for the root.
#[test]
fn an_evaluator_that_panics_ends_the_search() {
    for left in [0, 5] {
        let evaluator = Opinion {
            // Two are for the trial at the beginning.
            left: Some(2 + left),
            panics: true,
            ..Opinion::default()
        };
        let evaluators = vec![evaluator; 3];
        let budget = Budget::playouts(1000);
        let mut engine = ZeroEngine::new(evaluators, settings(1), budget, 1).unwrap();
        let search = std::panic::AssertUnwindSafe(|| engine.choose(&Board::new(), None));
        assert!(std::panic::catch_unwind(search).is_err());
    }
}

#[test]
fn a_warm_search_allocates_nothing_for_its_simulations() {
    let allocated = |engine: &mut ZeroEngine<Frugal>, simulations: u64| {
        engine.budget = Budget::playouts(simulations);
        engine.new_game();
        let board = Board::random_opening(16, 3);
        let info = allocation_counter::measure(|| {
            engine.choose(&board, None);
        });
        info.count_total
    };
    let evaluators = vec![Frugal::default()];
    let mut engine = ZeroEngine::new(evaluators, settings(4), Budget::playouts(1), 1).unwrap();
    allocated(&mut engine, 900);
    let (more, less) = (allocated(&mut engine, 800), allocated(&mut engine, 100));
    // What is left is the list of moves that the search hands out.
    assert!(more <= 4, "{more}");
    assert_eq!(more, less);
}

/// Has no opinion and uses its memory again.
#[derive(Default)]
struct Frugal(Vec<usize>);

impl LeafEvaluator for Frugal {
    type Position = Scene;

    fn clear(&mut self) {
        self.0.clear();
    }

    fn add(&mut self, _: &Scene, moves: &[Placement]) {
        self.0.push(moves.len());
    }

    fn evaluate(&mut self) -> Result<(), NetworkError> {
        Ok(())
    }

    fn answer(&mut self, number: usize, logits: &mut Vec<f32>) -> Rewards {
        logits.clear();
        logits.resize(self.0[number], 0.0);
        [0.25; 4]
    }
}
