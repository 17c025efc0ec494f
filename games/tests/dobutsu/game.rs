//! Games with their moves, and how they end.

use taikyoku_games::dobutsu::Rules;
use taikyoku_games::{Dobutsu, Game as _, Seat};

const ROUND: [&str; 4] = ["1d1c", "3a3b", "1c1d", "3b3a"];

fn played(rules: Rules, rounds: usize) -> Dobutsu {
    let mut game = Dobutsu::begin(&rules, 0);
    for mv in ROUND.iter().cycle().take(4 * rounds) {
        if game.to_move().is_some() {
            game.play_text(mv).unwrap();
        }
    }
    game
}

#[test]
fn the_third_occurrence_is_a_draw_and_the_second_one_by_option() {
    for (repetition, plies) in [(3, 8), (2, 4), (4, 12), (0, 40)] {
        let rules = Rules {
            repetition,
            ..Rules::default()
        };
        let mut game = played(rules, 10);
        assert_eq!(game.ply(), plies, "{repetition}");
        let rule = game.outcome().and_then(|outcome| outcome.rule);
        if repetition == 0 {
            assert_eq!(rule, None);
            continue;
        }
        assert_eq!(rule, Some("repetition"));
        assert_eq!(game.outcome().unwrap().points, [0.5, 0.5]);
        assert_eq!(game.occurrences(), usize::from(repetition));
        assert_eq!(game.legal_texts(), [""; 0]);
        let before = game.clone();
        assert!(
            game.play_text("1d1c")
                .unwrap_err()
                .to_string()
                .contains("over")
        );
        assert_eq!(game, before);
        assert_eq!(Dobutsu::read(&rules, &game.position()), Ok(game));
    }
}

#[test]
fn a_game_without_repetition_and_limit_ends_as_a_draw() {
    for ply_limit in [0, 1_000_000] {
        let rules = Rules {
            repetition: 0,
            ply_limit,
            ..Rules::default()
        };
        let game = played(rules, 1_000);
        let outcome = game.outcome().expect("an end");
        assert_eq!(game.ply(), Dobutsu::MOST_PLIES);
        assert_eq!(outcome.rule, Some("ply-limit"));
        assert_eq!(outcome.points, [0.5, 0.5]);
        assert_eq!(Dobutsu::read(&rules, &game.position()), Ok(game));
    }
}

#[test]
fn a_catch_is_told() {
    let rules = Rules::default();
    let game = Dobutsu::read(&rules, "2c2b 3a3b 2b2a+").unwrap();
    let outcome = game.outcome().unwrap();
    assert_eq!(
        (outcome.places, outcome.rule),
        ([0, 1].into(), Some("catch"))
    );
    assert_eq!(game.to_move(), None);
    assert_eq!(game.past().len(), 3);
    assert_eq!(game.board().to_string(), "1+Ce/g2/3/ELG w C 1");
    let read = game.board().to_string().parse();
    assert_eq!(read, Ok(*game.board()));
}

#[test]
fn texts_of_usi_are_read() {
    let rules = Rules::default();
    let game = Dobutsu::read(&rules, "startpos moves 2c2b 1a2b").unwrap();
    assert_eq!(game.position(), "2c2b 1a2b");
    assert_eq!(Dobutsu::read(&rules, "startpos").unwrap().position(), "");
    let text = "sfen 1l1/3/3/1L1 w Gec 1 moves C*2b 2d2c";
    assert_eq!(Dobutsu::read(&rules, text).unwrap().position(), text);
    let bare = "sfen 1l1/3/3/1L1 w Gec 1";
    assert_eq!(Dobutsu::read(&rules, bare).unwrap().position(), bare);
    for wrong in [
        "endpos",
        "gle moves 2c2b",
        "sfen moves",
        "2c2b 2c2b",
        "startpos moves 9z",
    ] {
        assert!(Dobutsu::read(&rules, wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_view_shows_board_and_moves() {
    let game = Dobutsu::read(&Rules::default(), "2c2b 1a2b").unwrap();
    let view = serde_json::to_value(game.view(Seat::new(1))).unwrap();
    let due = serde_json::json!({
        "board": "gl1/1e1/3/ELG b Cc 1",
        "moves": ["2c2b", "1a2b"],
        "position": "2c2b 1a2b",
    });
    assert_eq!(view, due);
    let rules = serde_json::to_value(Rules::default()).unwrap();
    let due = serde_json::json!({
        "repetition": 3, "ply-limit": 0, "any-try": false, "free-promotion": false,
    });
    assert_eq!(rules, due);
    let second: Rules = serde_json::from_str(r#"{"repetition": 2}"#).unwrap();
    assert_eq!(second.repetition, 2);
}
