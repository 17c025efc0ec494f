//! Whole games, with a board beside the engine's.

use games::blokus::{Board, Colour, Placement};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::controller::Controller;

fn genmove(engine: &mut Controller, colour: Colour) -> String {
    engine.must(&format!("genmove {}", colour.seat() + 1))
}

fn play(engine: &mut Controller, colour: Colour, mv: &str) -> Result<String, String> {
    engine.ask(&format!("play {} {mv}", colour.seat() + 1))
}

/// Plays the move of a colour on the board; asserts that a pass has no alternative.
fn follow(board: &mut Board, colour: Colour, mv: &str) {
    if mv == "pass" {
        assert!(!board.has_move(colour));
        return;
    }
    let placement: Placement = mv.parse().expect(mv);
    assert_eq!(placement.to_string(), mv, "squares are sorted");
    board.place(colour, placement).expect(mv);
}

fn scores(board: &Board) -> String {
    let scores = Colour::ALL.map(|colour| board.gtp_score(colour).to_string());
    scores.join(" ")
}

/// The rows as the engine draws them.
fn rows(board: &Board) -> Vec<String> {
    let picture = board.to_string();
    let rows = picture.lines().take(20);
    let signs = |row: &str| row.replace('B', "X").replace('Y', "O");
    rows.map(|row| signs(row).replace('R', "#").replace('G', "@"))
        .collect()
}

#[test]
fn a_whole_game_of_four_colours() {
    let mut engine = Controller::start("--engine mcts-maxn --playouts 20 --seed 3");
    let mut board = Board::new();
    engine.must("set_game Blokus");
    engine.must("clear_board");
    while Colour::ALL.iter().any(|&colour| board.has_move(colour)) {
        for colour in Colour::ALL {
            let mv = genmove(&mut engine, colour);
            follow(&mut board, colour, &mv);
        }
    }
    assert_eq!(engine.must("final_score"), scores(&board));
    assert_eq!(engine.rows(), rows(&board));
    assert_eq!(engine.must("g"), "pass");
    assert_eq!(engine.must("quit"), "");
    let (rest, status) = engine.finish();
    assert!(rest.is_empty() && status.success(), "{rest}");
}

#[test]
fn colours_out_of_turn_and_moves_that_are_forbidden() {
    let mut engine = Controller::start("--engine greedy --seed 4");
    let mut board = Board::new();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let all: Vec<Placement> = Placement::all().collect();
    let (mut moves, mut refused) = (Vec::new(), 0);
    for ply in 0..60 {
        let colour = Colour::ALL[rng.random_range(0..4)];
        board.legal_moves_of(colour, &mut moves);
        let listed = engine.must(&format!("all_legal {}", colour.seat() + 1));
        assert!(listed.lines().eq(moves.iter().map(Placement::to_string)));
        // Anything anywhere, which the rules mostly forbid.
        for _ in 0..5 {
            let mv = all[rng.random_range(0..all.len())];
            let answer = play(&mut engine, colour, &mv.to_string());
            assert_eq!(answer.is_ok(), board.is_legal(colour, mv), "{answer:?}");
            match answer {
                Ok(_) => drop(engine.must("undo")),
                Err(reason) => {
                    assert!(reason.starts_with("illegal move: "), "{reason}");
                    refused += 1;
                }
            }
        }
        if ply % 2 == 0 {
            let mv = genmove(&mut engine, colour);
            follow(&mut board, colour, &mv);
        } else if let Some(mv) = moves.first() {
            let upper = mv.to_string().to_uppercase();
            play(&mut engine, colour, &upper).expect("a legal move");
            board.place(colour, *mv).expect("a legal move");
        }
        assert_eq!(engine.rows(), rows(&board));
    }
    assert!(refused > 200, "{refused} refused");
    assert_eq!(engine.must("final_score"), scores(&board));
}

#[test]
fn two_engines_are_told_of_each_others_moves() {
    let mut engines = [
        Controller::start("--engine best --playouts 30 --seed 6"),
        Controller::start("--engine greedy --seed 7"),
    ];
    let mut board = Board::new();
    while let Some(colour) = board.to_move() {
        let [one, two] = &mut engines;
        let (mine, other) = if colour.seat() % 2 == 0 {
            (one, two)
        } else {
            (two, one)
        };
        let mv = genmove(mine, colour);
        play(other, colour, &mv).expect("a legal move");
        follow(&mut board, colour, &mv);
    }
    for engine in &mut engines {
        assert_eq!(engine.must("final_score"), scores(&board));
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
