//! Games with their moves, and how they end.

use taikyoku_games::score_four::{Rules, ScoreFour};
use taikyoku_games::{Game as _, Seat};

#[test]
fn a_line_is_told_by_its_squares() {
    let mut game = ScoreFour::read(&Rules {}, "a1a2b1b2c1c2").unwrap();
    assert_eq!(game.legal_texts().len(), 16);
    assert_eq!(game.play_text("D1").unwrap().to_string(), "d1");
    assert_eq!(game.position(), "a1a2b1b2c1c2d1");
    let outcome = game.outcome().unwrap();
    assert_eq!(
        (outcome.places, outcome.rule),
        ([0, 1].into(), Some("line"))
    );
    let line = "a1 level 1, b1 level 1, c1 level 1, d1 level 1";
    assert_eq!(outcome.reason.as_deref(), Some(line));
    let error = game.play_text("a1").unwrap_err();
    assert!(error.to_string().contains("over"));
    assert_eq!(game.legal_texts(), [""; 0]);
}

#[test]
fn a_view_shows_board_and_moves() {
    let game = ScoreFour::read(&Rules {}, "a1 a1,b2").unwrap();
    let view = serde_json::to_value(game.view(Seat::new(1))).unwrap();
    let due = serde_json::json!({"board": "xo/-/-/-/-/x/-/-/-/-/-/-/-/-/-/-", "moves": "a1a1b2"});
    assert_eq!(view, due);
}
