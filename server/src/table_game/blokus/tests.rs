use games::Seat;
use games::blokus::Scoring;
use games::blokus::blksgf::Game;
use protocol::native::SERVER_LINE_LIMIT;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use record::EndKind;

fn begun(position: &str) -> Blokus {
    Blokus::begin(&BlokusRules::default(), Some(position)).unwrap()
}

/// A random game to its end; calls `each` before every ply.
fn played(seed: u64, mut each: impl FnMut(&mut Blokus)) -> Blokus {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut game = begun("");
    while game.outcome().is_none() {
        each(&mut game);
        let moves = game.legal_moves();
        if !moves.is_empty() {
            game.play(&moves[rng.random_range(0..moves.len())]).unwrap();
        }
    }
    game
}

#[test]
fn a_view_shows_board_pieces_and_moves() {
    let mut game = begun("");
    assert_eq!(game.legal_moves().len(), 58);
    assert_eq!(
        game.play("B19, a20,b20"),
        Ok("b19,a20,b20".to_owned()),
        "any order and case"
    );
    assert_eq!(game.position(), "b19,a20,b20");
    let view = game.view(0);
    assert_eq!(view["board"][0], "bb..................");
    assert_eq!(view["board"][1], ".b..................");
    assert_eq!(view["board"].as_array().unwrap().len(), 20);
    assert_eq!(view["left"][0].as_array().unwrap().len(), 20);
    assert_eq!(view["left"][1][20], "Z5");
    assert_eq!(view["out"], json!([null, null, null, null]));
    assert_eq!(view["moves"], json!([[0, "b19,a20,b20"]]));
    for (mv, reason) in [
        ("a1", "t20"),
        ("z1", "square"),
        ("t20,s19", "piece"),
        ("", "square"),
        ("t20,t20", "twice"),
    ] {
        let error = game.play(mv).unwrap_err();
        assert!(error.contains(reason), "{mv}: {error}");
    }
    assert_eq!(game.ply(), 1);
}

#[test]
fn a_game_ends_when_nobody_can_move() {
    let game = played(1, |game| {
        for colour in Colour::ALL {
            let out = game.out(colour.seat());
            assert_eq!(out.is_none(), game.board().has_move(colour));
        }
        let bytes = |value: Value| value.to_string().len();
        assert!(bytes(json!(game.legal_moves())) < SERVER_LINE_LIMIT / 2);
        assert!(bytes(game.view(0)) < SERVER_LINE_LIMIT / 8);
    });
    let outcome = game.outcome().unwrap();
    assert_eq!(outcome.rule, Some(NO_MOVES));
    let total: f64 = outcome.points.iter().sum();
    assert!((total - 1.0).abs() < 1e-9);
    let scores = game.scores().map(i32::from);
    assert_eq!(outcome.game_points, scores);
    for seat in Seat::all(SEATS) {
        let won = outcome.places[seat] == 0;
        assert_eq!(won, scores[seat.index()] == *scores.iter().max().unwrap());
        assert_eq!(won, outcome.points[seat] > 0.0);
        assert_eq!(game.out(seat.number()), Some(NO_MOVES));
    }
    assert_eq!(begun(&game.position()), game);
    let by_squares = BlokusRules {
        scoring: Scoring::Squares,
    };
    let squares = Blokus::begin(&by_squares, Some(&game.position())).unwrap();
    let squares_placed = squares.outcome().unwrap().game_points;
    assert!(squares_placed.iter().all(|n| *n > 0));
    let about = Sheet {
        names: &[],
        event: "m",
        game: 1,
        date: "",
        kinds: &[],
    };
    let due = format!("C[Squares: blue {},", squares_placed[Seat::new(0)]);
    assert!(squares.sheet(&about).contains(&due));
    assert!(game.sheet(&about).contains("C[Scores: blue -"));
}

#[test]
fn who_is_withdrawn_is_last_and_the_others_play_on() {
    let game = played(2, |game| match game.ply() {
        10 if !game.is_withdrawn(Colour::ALL[2]) => {
            assert_eq!(game.to_move(), Some(2));
            assert!(game.withdraw(2));
            assert_eq!(game.to_move(), Some(3));
        }
        // Out of turn.
        18 if !game.is_withdrawn(Colour::ALL[0]) => {
            let turn = game.to_move();
            assert_ne!(turn, Some(0));
            assert!(game.withdraw(0));
            assert_eq!(game.to_move(), turn);
        }
        _ => {}
    });
    let outcome = game.outcome().unwrap();
    assert_eq!(
        (outcome.places[Seat::new(0)], outcome.places[Seat::new(2)]),
        (2, 2)
    );
    assert_eq!(
        (outcome.points[Seat::new(0)], outcome.points[Seat::new(2)]),
        (0.0, 0.0)
    );
    assert!(outcome.places[Seat::new(1)] < 2 && outcome.places[Seat::new(3)] < 2);
    assert!((outcome.points[Seat::new(1)] + outcome.points[Seat::new(3)] - 1.0).abs() < 1e-9);
    assert_eq!(outcome.rule, Some(NO_MOVES));
    assert_eq!(game.view(1)["out"][0], "forfeit");
    let text = game.position();
    assert!(text.contains(";-red;") && text.contains(";-blue;"));
    assert_eq!(begun(&text), game);
}

#[test]
fn one_that_is_left_alone_has_won() {
    let mut game = begun("a20;t20;t1;a1");
    for seat in [1, 0] {
        assert!(game.withdraw(seat));
        assert_eq!(game.outcome(), None);
    }
    game.withdraw(3);
    let outcome = game.outcome().unwrap();
    assert_eq!(outcome.places, [1, 1, 0, 1]);
    assert_eq!(outcome.points, [0.0, 0.0, 1.0, 0.0]);
    assert_eq!((outcome.rule, outcome.game_points), (None, [-88; 4].into()));
    assert_eq!(begun(&game.position()), game);
}

#[test]
fn texts_that_are_no_position_are_refused() {
    for text in ["a1", "a20;a20", "-pink", "-blue;-blue", "a20;;t20", "x"] {
        let read = Blokus::begin(&BlokusRules::default(), Some(text));
        assert!(read.is_err(), "{text}");
    }
}

#[test]
fn rules_are_named() {
    let rules = BlokusRules::default();
    let text = serde_json::to_string(&rules).unwrap();
    assert_eq!(text, r#"{"scoring":"advanced"}"#);
    assert_eq!(serde_json::from_str::<BlokusRules>(&text).unwrap(), rules);
    for wrong in [
        "{}",
        r#"{"scoring":"best"}"#,
        r#"{"scoring":"squares","x":1}"#,
    ] {
        assert!(serde_json::from_str::<BlokusRules>(wrong).is_err());
    }
}

#[test]
fn its_blksgf_reads_back() {
    let game = played(3, |game| {
        if game.ply() == 20 && !game.is_withdrawn(Colour::ALL[0]) {
            game.withdraw(0);
        }
    });
    let mut kinds = [EndKind::Normal; 4];
    kinds[0] = EndKind::Timeout;
    let about = Sheet {
        names: &["ana]", "bo\\", "", "dé"],
        event: "match",
        game: 7,
        date: "2026-01-02",
        kinds: &kinds,
    };
    let text = game.sheet(&about);
    let back: Game = text.parse().unwrap();
    assert_eq!(back.players, ["ana]", "bo\\", "", "dé"]);
    assert_eq!(back.moves.len() as u32, game.ply());
    let board = back.board().unwrap();
    for colour in Colour::ALL {
        assert_eq!(board.score(colour), game.board().score(colour));
    }
    assert!(back.comment.contains("blue forfeits: timeout"), "{text}");
    assert!(back.info.contains(&("RO".to_owned(), "7".to_owned())));
}

#[test]
fn games_begin_with_all_seats_in_play() {
    let rules = BlokusRules::default();
    for seed in 0..12 {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let game = Blokus::opening(&rules, 40, &mut rng).unwrap();
        assert_eq!(game.ply(), 40);
        assert!((0..4).all(|seat| game.out(seat).is_none()), "seed {seed}");
    }
}
