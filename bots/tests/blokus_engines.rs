//! What the Blokus engines promise: the same seed gives the same game, every answer is legal, each search
//! has a signature, budgets are kept, and a warm search allocates nothing for its playouts.

use std::time::{Duration, Instant};

use bots::blokus::arena::{opening, play_game};
use bots::blokus::{Engine, EngineName, EngineOptions};

fn build(text: &str, seed: u64) -> Box<dyn Engine> {
    text.parse::<EngineOptions>().expect(text).build(seed)
}

const ENGINES: [&str; 8] = [
    "random",
    "greedy",
    "maxn:nodes=60",
    "paranoid:nodes=60",
    "brs:nodes=60",
    "mcts-maxn:playouts=30",
    "mcts-paranoid:playouts=30",
    "mcts-brs:playouts=30",
];

fn game(specifications: [&str; 4], seed: u64) -> String {
    let mut engines = specifications.map(|text| build(text, seed));
    let game = play_game(&mut engines, opening(4, seed)).expect("legal moves");
    assert_eq!(game.end.to_move(), None);
    let moves = game.moves.iter().map(|(_, mv)| mv.to_string());
    moves.collect::<Vec<_>>().join(" ")
}

#[test]
fn every_engine_plays_legally_in_every_seat_and_the_same_again() {
    for shift in 0..4 {
        for half in [0, 4] {
            let at = |seat: usize| ENGINES[half + (seat + shift) % 4];
            let seats = [at(0), at(1), at(2), at(3)];
            let seed = shift as u64;
            assert_eq!(game(seats, seed), game(seats, seed), "{seats:?}");
        }
    }
}

#[test]
fn times_are_kept() {
    for name in EngineName::ALL {
        let mut engine = EngineOptions::named(name).build(1);
        for (plies, seed) in [(0, 1), (20, 2), (50, 3)] {
            let begin = Instant::now();
            let limit = Duration::from_millis(40);
            let board = opening(plies, seed);
            let mv = engine.choose(&board, Some(limit));
            assert!(
                board
                    .to_move()
                    .is_none_or(|colour| board.is_legal(colour, mv))
            );
            let used = begin.elapsed();
            assert!(used < Duration::from_secs(2), "{name:?} {used:?}");
        }
    }
}
