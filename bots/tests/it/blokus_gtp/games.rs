//! Whole games.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::controller::Controller;
use super::rules::{Rules, orientations, squares, text};

/// Plays colours in this order until none has a move; gives the moves.
fn play_out(
    engine: &mut Controller,
    rules: &mut Rules,
    mut next: impl FnMut(usize) -> usize,
) -> Vec<(usize, String)> {
    let mut moves = Vec::new();
    let mut passes = [false; 4];
    while passes.contains(&false) {
        let colour = next(moves.len());
        if passes[colour] {
            // Once out, always out.
            assert_eq!(engine.must(&format!("genmove {}", colour + 1)), "pass");
            continue;
        }
        let mv = engine.must(&format!("genmove {}", colour + 1));
        if mv == "pass" {
            assert_eq!(rules.legal_moves(colour), [""; 0]);
            passes[colour] = true;
            continue;
        }
        rules.play(colour, &squares(&mv));
        assert_eq!(text(&squares(&mv)), mv, "squares are sorted");
        moves.push((colour, mv));
    }
    moves
}

#[test]
fn the_rules_of_the_controller_know_all_pieces() {
    assert_eq!(orientations().len(), 91);
    assert_eq!(Rules::default().legal_moves(2).len(), 58);
}

#[test]
fn a_whole_game_of_four_colours() {
    let mut engine = Controller::start("--engine mcts-maxn --playouts 20 --seed 3");
    let mut rules = Rules::default();
    engine.must("set_game Blokus");
    engine.must("clear_board");
    let mut turn = 3;
    let moves = play_out(&mut engine, &mut rules, |_| {
        turn = (turn + 1) % 4;
        turn
    });
    assert!((48..=84).contains(&moves.len()), "{} moves", moves.len());
    assert_eq!(engine.must("final_score"), rules.scores());
    assert_eq!(engine.rows(), rules.rows());
    assert_eq!(engine.must("g"), "pass");
    assert_eq!(engine.must("quit"), "");
    let (rest, status) = engine.finish();
    assert!(rest.is_empty() && status.success(), "{rest}");
}

#[test]
fn colours_out_of_turn_and_moves_that_are_forbidden() {
    let mut engine = Controller::start("--engine greedy --seed 4");
    let mut rules = Rules::default();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let all: Vec<_> = orientations().into_iter().collect();
    let mut refused = 0;
    for ply in 0..60 {
        let colour = rng.random_range(0..4);
        let moves = rules.legal_moves(colour);
        let mut listed: Vec<String> = engine
            .must(&format!("all_legal {}", colour + 1))
            .lines()
            .map(str::to_owned)
            .collect();
        listed.sort();
        assert_eq!(listed, moves, "ply {ply}");
        // Anything anywhere, which the rules mostly forbid.
        for _ in 0..5 {
            let shape = &all[rng.random_range(0..all.len())];
            let (x, y) = (rng.random_range(0..16), rng.random_range(0..16));
            let squares = shape.iter().map(|s| (s.0 + x, s.1 + y)).collect();
            let answer = engine.ask(&format!("play {} {}", colour + 1, text(&squares)));
            assert_eq!(
                answer.is_ok(),
                rules.is_legal(colour, &squares),
                "{answer:?}"
            );
            match answer {
                Ok(_) => {
                    rules.play(colour, &squares);
                    engine.must("undo");
                    // The controller's board has no undo: play it again.
                    engine.must(&format!("play {} {}", colour + 1, text(&squares)));
                }
                Err(reason) => {
                    assert!(reason.starts_with("illegal move: "), "{reason}");
                    refused += 1;
                }
            }
        }
        if ply % 2 == 0 {
            let mv = engine.must(&format!("genmove {}", colour + 1));
            if mv != "pass" {
                rules.play(colour, &squares(&mv));
            }
        } else if let Some(mv) = rules.legal_moves(colour).first() {
            engine.must(&format!("play {} {}", colour + 1, mv.to_uppercase()));
            rules.play(colour, &squares(mv));
        }
        assert_eq!(engine.rows(), rules.rows());
    }
    assert!(refused > 200, "{refused} refused");
    assert_eq!(engine.must("final_score"), rules.scores());
}

#[test]
fn two_engines_are_told_of_each_others_moves() {
    let mut engines = [
        Controller::start("--engine best --playouts 30 --seed 6"),
        Controller::start("--engine greedy --seed 7"),
    ];
    let mut rules = Rules::default();
    let mut passes = 0;
    let mut colour = 0;
    while passes < 4 {
        let (mine, other) = (colour % 2, 1 - colour % 2);
        let mv = engines[mine].must(&format!("genmove {}", colour + 1));
        if mv == "pass" {
            passes += 1;
        } else {
            passes = 0;
            engines[other].must(&format!("play {} {mv}", colour + 1));
            rules.play(colour, &squares(&mv));
        }
        colour = (colour + 1) % 4;
    }
    for engine in &mut engines {
        assert_eq!(engine.must("final_score"), rules.scores());
        let time: f64 = engine.must("cputime").parse().expect("seconds");
        assert!(time > 0.0);
    }
}

#[test]
fn the_same_seed_plays_the_same_game() {
    let game = |options: &str, before: &str| {
        let mut engine = Controller::start(options);
        engine.must(before);
        let moves: Vec<String> = (0..12).map(|_| engine.must("g")).collect();
        moves
    };
    let options = "--engine mcts-maxn --playouts 30";
    let first = game(&format!("{options} --seed 9"), "clear_board");
    assert_eq!(game(&format!("{options} --seed 9"), "clear_board"), first);
    assert_eq!(
        game(&format!("{options} --seed 1"), "set_random_seed 9"),
        first
    );
    assert_ne!(game(&format!("{options} --seed 1"), "clear_board"), first);
}
