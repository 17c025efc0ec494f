//! Games with their rules, their texts and their files.

use rand::RngExt as _;
use serde_json::{Value, json};
use taikyoku_games::blokus::{Blokus, Colour, Rules, SEATS, Scoring, blksgf};
use taikyoku_games::{Game as _, Seat, Sheet};

use super::rng;

/// The longest line that the native protocol lets a server send.
const LINE: usize = 64 * 1024;

fn begun(position: &str) -> Blokus {
    Blokus::read(&Rules::default(), position).unwrap()
}

fn view(game: &Blokus) -> Value {
    serde_json::to_value(game.view(Seat::new(0))).unwrap()
}

/// A random game to its end; calls `each` before every ply.
fn played(seed: u64, mut each: impl FnMut(&mut Blokus)) -> Blokus {
    let mut rng = rng(seed);
    let mut game = begun("");
    while game.outcome().is_none() {
        each(&mut game);
        let moves = game.legal_texts();
        if !moves.is_empty() {
            game.play_text(&moves[rng.random_range(0..moves.len())])
                .unwrap();
        }
    }
    game
}

#[test]
fn a_view_shows_board_pieces_and_moves() {
    let mut game = begun("");
    assert_eq!(game.legal_texts().len(), 58);
    assert_eq!(
        game.play_text("B19, a20,b20").unwrap().to_string(),
        "b19,a20,b20",
        "any order and case"
    );
    assert_eq!(game.position(), "b19,a20,b20");
    let view = view(&game);
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
        let error = game.play_text(mv).unwrap_err().to_string();
        assert!(error.contains(reason), "{mv}: {error}");
    }
    assert_eq!(game.ply(), 1);
}

#[test]
fn a_game_ends_when_nobody_can_move() {
    let game = played(1, |game| {
        for colour in Colour::ALL {
            let out = game.out(colour.at());
            assert_eq!(out.is_none(), game.board().has_move(colour));
        }
        // Half and an eighth of the longest line that the native protocol lets a server send.
        let bytes = |value: Value| value.to_string().len();
        assert!(bytes(json!(game.legal_texts())) < LINE / 2);
        assert!(bytes(view(game)) < LINE / 8);
    });
    let outcome = game.outcome().unwrap();
    assert_eq!(outcome.rule, Some("no-moves"));
    let total: f64 = outcome.points.iter().sum();
    assert!((total - 1.0).abs() < 1e-9);
    let scores = game.scores().map(i32::from);
    assert_eq!(outcome.game_points, scores);
    for seat in Seat::all(SEATS) {
        let won = outcome.places[seat] == 0;
        assert_eq!(won, scores[seat.index()] == *scores.iter().max().unwrap());
        assert_eq!(won, outcome.points[seat] > 0.0);
        assert_eq!(game.out(seat), Some("no-moves"));
    }
    assert_eq!(begun(&game.position()), game);
    let by_squares = Rules {
        scoring: Scoring::Squares,
    };
    let squares = Blokus::read(&by_squares, &game.position()).unwrap();
    let squares_placed = squares.outcome().unwrap().game_points;
    assert!(squares_placed.iter().all(|n| *n > 0));
    let about = Sheet {
        names: &[],
        event: "m",
        game: 1,
        date: "",
        faults: &[],
    };
    let due = format!("C[Squares: blue {},", squares_placed[Seat::new(0)]);
    assert!(squares.sheet(&about).contains(&due));
    assert!(game.sheet(&about).contains("C[Scores: blue -"));
}

#[test]
fn who_is_withdrawn_is_last_and_the_others_play_on() {
    let game = played(2, |game| match game.ply() {
        10 if !game.is_withdrawn(Colour::ALL[2]) => {
            assert_eq!(game.to_move(), Some(Seat::new(2)));
            assert!(game.withdraw(Seat::new(2)));
            assert_eq!(game.to_move(), Some(Seat::new(3)));
        }
        // Out of turn.
        18 if !game.is_withdrawn(Colour::ALL[0]) => {
            let turn = game.to_move();
            assert_ne!(turn, Some(Seat::new(0)));
            assert!(game.withdraw(Seat::new(0)));
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
    assert_eq!(outcome.rule, Some("no-moves"));
    assert_eq!(view(&game)["out"][0], "forfeit");
    let text = game.position();
    assert!(text.contains(";-red;") && text.contains(";-blue;"));
    assert_eq!(begun(&text), game);
}

#[test]
fn one_that_is_left_alone_has_won() {
    let mut game = begun("a20;t20;t1;a1");
    for seat in [1, 0] {
        assert!(game.withdraw(Seat::new(seat)));
        assert_eq!(game.outcome(), None);
    }
    game.withdraw(Seat::new(3));
    let outcome = game.outcome().unwrap();
    assert_eq!(outcome.places, [1, 1, 0, 1]);
    assert_eq!(outcome.points, [0.0, 0.0, 1.0, 0.0]);
    assert_eq!((outcome.rule, outcome.game_points), (None, [-88; 4].into()));
    assert_eq!(begun(&game.position()), game);
}

#[test]
fn texts_that_are_no_position_are_refused() {
    for text in ["a1", "a20;a20", "-pink", "-blue;-blue", "a20;;t20", "x"] {
        let read = Blokus::read(&Rules::default(), text);
        assert!(read.is_err(), "{text}");
    }
}

#[test]
fn rules_are_named() {
    let rules = Rules::default();
    let text = serde_json::to_string(&rules).unwrap();
    assert_eq!(text, r#"{"scoring":"advanced"}"#);
    assert_eq!(serde_json::from_str::<Rules>(&text).unwrap(), rules);
    for wrong in [
        "{}",
        r#"{"scoring":"best"}"#,
        r#"{"scoring":"squares","x":1}"#,
    ] {
        assert!(serde_json::from_str::<Rules>(wrong).is_err());
    }
}

#[test]
fn its_blksgf_reads_back() {
    let game = played(3, |game| {
        if game.ply() == 20 && !game.is_withdrawn(Colour::ALL[0]) {
            game.withdraw(Seat::new(0));
        }
    });
    let about = Sheet {
        names: &["ana]", "bo\\", "", "dé"],
        event: "match",
        game: 7,
        date: "2026-01-02",
        faults: &[Some("timeout"), None, None, None],
    };
    let text = game.sheet(&about);
    let back: blksgf::Game = text.parse().unwrap();
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
    let rules = Rules::default();
    for seed in 0..12 {
        let game = Blokus::opening(&rules, 40, &mut rng(seed)).unwrap();
        assert_eq!(game.ply(), 40);
        assert!(
            Seat::all(SEATS).all(|seat| game.out(seat).is_none()),
            "seed {seed}"
        );
    }
}
