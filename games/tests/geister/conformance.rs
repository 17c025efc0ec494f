//! The suite that every game passes.

use taikyoku_games::conformance::check_hidden;
use taikyoku_games::geister::{Geister, Rules};
use taikyoku_games::{Game as _, Seat};

#[test]
fn geister_conforms() {
    check_hidden::<Geister>(1_000, |seed| {
        let ply_limit = if seed.is_multiple_of(2) { 200 } else { 300 };
        let rules = Rules { ply_limit };
        (rules, Geister::begin(&rules, seed))
    });
}

#[test]
fn texts_that_are_no_position_are_refused() {
    let ghosts = "14R24R34R44R15B25B35B45B41R31R21R11R40B30B20B10B";
    let read = |text: &str| Geister::read(&Rules::default(), text);
    assert_eq!(read(&format!("{ghosts} 0")).unwrap().ply(), 2);
    for wrong in [
        "ABC".to_owned(),
        ghosts.to_owned(),
        format!("{ghosts} x"),
        format!("{} 0", &ghosts[3..]),
        format!("{} 0", ghosts.replace("14R", "14B")),
        format!("{} 0", ghosts.replace("14R", "15R")),
        format!("{} 0", ghosts.replace("14R", "88R")),
        format!("{} 0", ghosts.replace("10B", "é0")),
    ] {
        assert!(read(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_placement_is_seen_by_its_seat_only() {
    let mut game = Geister::begin(&Rules::default(), 0);
    let turn = "ABCD".parse().unwrap();
    assert_eq!(game.shown(turn, Seat::new(0)), "ABCD");
    assert_eq!(game.shown(turn, Seat::new(1)), "placed");
    assert!(game.play_text("A,N").is_err());
    game.play(turn).unwrap();
    let view = serde_json::to_value(game.view(Seat::new(1))).unwrap();
    assert_eq!(
        view,
        serde_json::json!({"seat": 1, "to-move": 1, "own": null})
    );
    game.play_text("EFGH").unwrap();
    assert!(game.play(turn).is_err());
    let view = serde_json::to_value(game.view(Seat::new(1))).unwrap();
    assert_eq!(
        (&view["own"][4], &view["enemy"][0]),
        (&"15R".into(), &"41u".into())
    );
}
