//! `best` and the solver against plain minimax, and what they promise.

use std::collections::HashMap;

use games::score_four::Position;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_bots::score_four::best::{Sample, Schedule, SelfPlay, Solver, Trainer};
use taikyoku_bots::score_four::{EngineOptions, late_position};
use taikyoku_bots::signature;

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
        .build(1);
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

#[test]
fn nodes_alone_give_the_same_move_whatever_was_before() {
    let options: EngineOptions = "best:nodes=30000".parse().expect("engine");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let early = ["start", "a1b2c3", "a1d1a4d4b2c2b3c3", "a1a1a1a1b2b2"];
    let mut positions: Vec<Position> = early.map(|text| text.parse().expect("moves")).into();
    positions.extend([36, 34, 32, 30].map(|empty| late_position(empty, &mut rng)));
    let mut engine = options.build(2);
    for position in positions {
        let alone = options.build(1).choose(&position, None);
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

#[test]
fn a_fork_is_found_and_met() {
    // Seat 0 has two of three open lines: a ball on d1 makes two threats at once.
    let position: Position = "b1a2c1b3d2a3d3c4".parse().expect("moves");
    let mut engine = "best:nodes=200000"
        .parse::<EngineOptions>()
        .expect("engine")
        .build(1);
    assert_eq!(engine.choose(&position, None).to_string(), "d1");
    let reasons = engine.explain().expect("reasons");
    assert!(
        reasons["score"]
            .as_i64()
            .is_some_and(|score| score > 19_900),
        "{reasons}"
    );
}

#[test]
fn learning_lowers_the_loss_and_repeats_itself() {
    let mut play = SelfPlay::new(200, 3);
    let mut samples: Vec<Sample> = (0..150).flat_map(|_| play.game()).collect();
    assert!(samples.len() > 800, "{}", samples.len());
    let values = [-1, 1].map(|value| samples.iter().filter(|s| s.value == value).count());
    assert!(values.iter().all(|&n| n > 100), "{values:?}");
    for &sample in &samples {
        assert_eq!(Sample::from_bytes(&sample.to_bytes()), Some(sample));
    }
    let schedule = Schedule {
        epochs: 4,
        batch: 64,
        rate: 0.002,
        seed: 3,
    };
    let learned = |samples: &mut Vec<Sample>| {
        let mut trainer = Trainer::new(5);
        let before = trainer.fit(samples).loss;
        trainer.train(samples, &schedule, |_, _, _| {});
        assert!(trainer.fit(samples).loss < 0.9 * before);
        trainer.to_bytes()
    };
    let again = learned(&mut samples.clone());
    assert!(learned(&mut samples) == again);
}
