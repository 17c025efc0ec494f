//! `best` and the solver against plain minimax, and what they promise.

use std::collections::HashMap;

use games::score_four::Position;
use rand::{RngExt as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;
use taikyoku_bots::engine::Engine;
use taikyoku_bots::score_four::best::Solver;
use taikyoku_bots::score_four::{EngineOptions, late_position};
use taikyoku_bots::signature;
use taikyoku_bots::spec::Specified as _;

/// The value for the seat to move, from the rules alone.
fn minimax(position: &Position, known: &mut HashMap<Position, i32>) -> i32 {
    if let Some(end) = position.end() {
        return if end.winner.is_some() { -1 } else { 0 };
    }
    if let Some(&value) = known.get(position) {
        return value;
    }
    let mut best = -1;
    for peg in position.legal_pegs() {
        let mut next = *position;
        next.play(peg).expect("a legal peg");
        best = best.max(-minimax(&next, known));
    }
    known.insert(*position, best);
    best
}

#[test]
fn the_solver_agrees_with_minimax() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut solver = Solver::new(12);
    let mut seen = [0; 3];
    for i in 0..400_u32 {
        let position = late_position(4 + (i % 11) as u8, &mut rng);
        let known = &mut HashMap::new();
        let value = minimax(&position, known);
        assert_eq!(solver.value(&position, None), Some(value), "{position}");
        for peg in position.legal_pegs() {
            let mut next = position;
            next.play(peg).expect("a legal peg");
            let expected = -minimax(&next, known);
            assert_eq!(solver.value_of(&position, peg, None), Some(expected));
        }
        seen[(value + 1) as usize] += 1;
    }
    assert!(seen.iter().all(|&n| n > 20), "{seen:?}");
}

#[test]
fn best_keeps_the_value_of_solved_positions() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut solver = Solver::new(14);
    let mut engine = "best:nodes=3000000"
        .parse::<EngineOptions>()
        .expect("engine")
        .build(1)
        .expect("an engine");
    for i in 0..60 {
        let position = late_position(6 + i % 17, &mut rng);
        let value = solver.value(&position, None);
        let peg = engine.choose(&position, None);
        assert!(position.is_legal(peg));
        assert_eq!(
            solver.value_of(&position, peg, None),
            value,
            "{position} {peg}"
        );
    }
}

/// The reasons of a move in a position.
fn reasons(engine: &mut dyn Engine<Position>, position: &Position) -> Value {
    let peg = engine.choose(position, None);
    let reasons = engine.explain().expect("reasons");
    assert_eq!(reasons["peg"], peg.to_string());
    assert!(position.is_legal(peg), "{position} {peg}");
    reasons
}

/// Positions of balanced games with 30 empty squares: their value, and the pegs that keep it.
fn hard_positions() -> impl Iterator<Item = (Position, i64, &'static str)> {
    let lines = include_str!("../../positions/score_four_30.txt").lines();
    lines.map(|line| {
        let mut words = line.split_whitespace();
        let mut word = || words.next().expect("three words");
        let position = word().parse().expect("a position");
        (position, word().parse().expect("a value"), word())
    })
}

#[test]
fn hard_positions_keep_their_value_mostly() {
    let options: EngineOptions = "best:nodes=20000".parse().expect("engine");
    let mut engine = options.build(1).expect("an engine");
    let kept = hard_positions()
        .take(200)
        .filter(|(position, value, kept)| {
            let reasons = reasons(&mut *engine, position);
            let solved = reasons["solved"].as_i64();
            assert!(solved.is_none_or(|solved| solved == *value), "{position}");
            let peg = reasons["peg"].as_str().expect("a peg");
            let keeps = kept.split(',').any(|kept| kept == peg);
            assert!(keeps || solved.is_none(), "{position} {reasons}");
            keeps
        });
    let kept = kept.count();
    assert!(kept > 150, "{kept} of 200");
}

/// The evaluation orders the moves of the solver: with its sign turned around the solver takes 420,000 nodes a position.
#[test]
fn the_solver_searches_likely_moves_first() {
    let (mut positions, mut nodes) = (0, 0);
    for (position, value, _) in hard_positions().take(12) {
        let mut solver = Solver::new(16);
        let found = solver.value(&position, None);
        assert_eq!(found.map(i64::from), Some(value), "{position}");
        positions += 1;
        nodes += solver.nodes();
    }
    assert!(nodes < 120_000 * positions, "{nodes} nodes");
}

/// A position is lost before the end is in sight, or drawn: all of the budget finds the best defence, the draw is kept, and
/// the reasons tell the value.
#[test]
fn known_values_leave_the_best_of_their_moves() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut solver = Solver::new(16);
    let mut engine = "best:nodes=100000"
        .parse::<EngineOptions>()
        .expect("engine")
        .build(1)
        .expect("an engine");
    let (mut defended, mut drawn) = (0, 0);
    while defended < 3 || drawn < 4 {
        let position = late_position(rng.random_range(16..24), &mut rng);
        let value = solver.value(&position, None).expect("no limit");
        if value == 1 || value == -1 && defended >= 3 {
            continue;
        }
        let reasons = reasons(&mut *engine, &position);
        if reasons["solved"].is_null() {
            continue;
        }
        assert_eq!(reasons["solved"], value, "{position}");
        if value == 0 {
            assert_eq!(reasons["score"], 0);
            let peg = reasons["peg"].as_str().and_then(|peg| peg.parse().ok());
            let kept = solver.value_of(&position, peg.expect("a peg"), None);
            assert_eq!(kept, Some(0), "{position} {reasons}");
            drawn += 1;
        } else if reasons["score"]
            .as_i64()
            .is_some_and(|score| score >= -19_930)
        {
            // Not at a known ball.
            let nodes = reasons["nodes"].as_u64();
            assert!(nodes.is_some_and(|nodes| nodes > 50_000), "{reasons}");
            defended += 1;
        }
    }
}

/// Whatever the budget is, a win is played, a line is stopped, and the limits are kept.
#[test]
fn small_budgets_are_used_and_kept() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
    let fork: Position = "b1a2c1b3d2a3d3c4d1a1".parse().expect("moves");
    for nodes in [1, 2, 10, 100, 1000] {
        let options: EngineOptions = format!("best:nodes={nodes}").parse().expect("engine");
        let mut engine = options.build(1).expect("an engine");
        let win = reasons(&mut *engine, &fork);
        assert!(win["score"].as_i64().is_some_and(|score| score > 19_930));
        for empty in [1, 2, 4, 7, 12, 20, 26, 30, 45, 64] {
            let position = late_position(empty, &mut rng);
            let reasons = reasons(&mut *engine, &position);
            let used = reasons["nodes"].as_u64();
            assert!(used.is_some_and(|used| used <= nodes), "{reasons}");
        }
    }
    let mut engine = "best:ms=1"
        .parse::<EngineOptions>()
        .expect("engine")
        .build(1)
        .expect("an engine");
    for empty in [1, 30, 64] {
        let position = late_position(empty, &mut rng);
        assert!(position.is_legal(engine.choose(&position, Some(std::time::Duration::ZERO))));
    }
}

/// Threads share the nodes, and agree on what is won.
#[test]
fn threads_share_the_budget() {
    let mut engine = "best:nodes=300000:threads=3"
        .parse::<EngineOptions>()
        .expect("engine")
        .build(1)
        .expect("an engine");
    for (position, value, kept) in hard_positions().take(8) {
        let reasons = reasons(&mut *engine, &position);
        let nodes = reasons["nodes"].as_u64();
        assert!(nodes.is_some_and(|nodes| nodes <= 300_000), "{reasons}");
        if reasons["solved"] == value {
            let peg = reasons["peg"].as_str().expect("a peg");
            assert!(
                kept.split(',').any(|kept| kept == peg),
                "{position} {reasons}"
            );
        }
    }
    let fork: Position = "b1a2c1b3d2a3d3c4".parse().expect("moves");
    assert_eq!(reasons(&mut *engine, &fork)["peg"], "d1");
}

#[test]
fn nodes_alone_give_the_same_move_whatever_was_before() {
    let options: EngineOptions = "best:nodes=30000".parse().expect("engine");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let early = ["start", "a1b2c3", "a1d1a4d4b2c2b3c3", "a1a1a1a1b2b2"];
    let mut positions: Vec<Position> = early.map(|text| text.parse().expect("moves")).into();
    positions.extend([36, 34, 32, 30].map(|empty| late_position(empty, &mut rng)));
    let mut engine = options.build(2).expect("an engine");
    for position in positions {
        let alone = options.build(1).expect("an engine").choose(&position, None);
        assert_eq!(engine.choose(&position, None), alone, "{position}");
        // Nor does a server's clock make the moves before count.
        let hour = Some(std::time::Duration::from_hours(1));
        assert_eq!(engine.choose(&position, hour), alone, "{position}");
        let reasons = engine.explain().expect("reasons");
        let nodes = reasons["nodes"].as_u64();
        assert!(nodes.is_some_and(|n| n <= 30_000), "{reasons}");
    }
}

/// The signature: a change that should not alter the search must not alter this number.
#[test]
fn best_has_its_signature() {
    assert_eq!(signature::score_four_best(), 3_661_651_823_059_926_033);
}

/// Also where the solver has its turn first, and does not come to an end.
#[test]
fn a_number_of_nodes_is_used_whole() {
    let late: String = "d2a1b1b2c4b1b2b2d4a4d1d3d2c4d2d2a3d1c1d3d3d1c1c1d1d4b1c4a4a4".into();
    for (position, nodes) in [("start", 30_000), (&late, 500_000)] {
        let text = format!("best:nodes={nodes}");
        let mut engine = text
            .parse::<EngineOptions>()
            .expect("engine")
            .build(1)
            .expect("an engine");
        let reasons = reasons(&mut *engine, &position.parse().expect("a position"));
        assert_eq!(reasons["nodes"], nodes, "{position}: {reasons}");
    }
}
