//! A view follows a game move by move, is built anew from its ghosts, and refuses what cannot be.

use taikyoku_games::Cases;
use taikyoku_games::geister::{
    Colour, Contradiction, Ghost, IllegalMove, Place, Position, Rules, Square, View,
};

use super::{drawn, mv, placement, random_move, rng};

fn rebuilt(view: &View) -> Result<View, Contradiction> {
    let own = Ghost::ALL.map(|ghost| view.own(ghost));
    let enemy = Ghost::ALL.map(|ghost| view.enemy(ghost));
    let mover = view.to_move().unwrap();
    View::from_ghosts(view.seat(), own, enemy, mover, view.ply(), view.rules())
}

#[test]
fn a_view_that_follows_is_the_view_of_the_position() {
    let cases = Cases::new(1_500);
    let mut rng = rng(cases.left().start);
    for game in cases {
        let limit = if game % 2 == 0 { 200 } else { 300 };
        let mut position = drawn(&mut rng, limit);
        let mut views =
            [0, 1].map(|seat| View::start(seat, position.placement(seat), position.rules()));
        while let Some(mover) = position.to_move() {
            let mv = random_move(&position, &mut rng);
            let played = position.play(mv).unwrap();
            for view in &mut views {
                // What the seat is not told it must find out itself; what it knows it may be told.
                let told = if view.seat() == mover || game % 3 == 0 {
                    played.captured.map(|(_, colour)| colour)
                } else {
                    None
                };
                view.follow(mv, told).unwrap();
                let seat = view.seat();
                if position.end().is_some() {
                    assert_eq!(view.end(), position.end());
                    view.reveal(position.placement(1 - seat)).unwrap();
                    assert_eq!(*view, position.final_view(seat));
                } else {
                    assert_eq!(rebuilt(view).as_ref(), Ok(&*view));
                    let truth = view.with(position.placement(1 - seat));
                    assert_eq!(truth, Some(position));
                }
                assert_eq!(*view, position.view(seat));
            }
        }
    }
}

fn start() -> View {
    View::start(0, placement("ABCD"), Rules::default())
}

/// A takes an enemy ghost with the fourth move of seat 0.
fn before_capture() -> View {
    let mut view = start();
    for text in ["A,N", "H,E", "A,N", "H,W"] {
        view.follow(mv(text), None).unwrap();
    }
    view
}

#[test]
fn what_cannot_have_happened_is_refused_and_changes_nothing() {
    let taking = mv("A,N");
    let cases = [
        (start(), mv("E,N"), None, true),
        (start(), mv("F,S"), None, true),
        (start(), taking, Some(Colour::Blue), false),
        (before_capture(), taking, None, false),
    ];
    for (view, mv, told, illegal) in cases {
        let mut after = view;
        let error = after.follow(mv, told).unwrap_err();
        assert_eq!(after, view);
        match error {
            Contradiction::Illegal(reason) => {
                assert!(illegal, "{reason}");
                assert!(matches!(
                    reason,
                    IllegalMove::OwnGhost(_) | IllegalMove::OffBoard(_)
                ));
            }
            Contradiction::Capture(of) => assert!(!illegal && of == mv),
            Contradiction::Board(_) => panic!("{error}"),
        }
    }
    for colour in [Colour::Blue, Colour::Red] {
        let mut view = before_capture();
        view.follow(taking, Some(colour)).unwrap();
        // d stands where A arrives: (1, 1).
        let ghost = Ghost::from_letter('D').unwrap();
        assert_eq!(view.enemy(ghost), (Place::Captured, Some(colour)));
        assert_eq!(view.enemy_captured(colour), 1);
        assert_eq!(view.placements().count(), 35);
    }
}

#[test]
fn the_colour_of_an_own_ghost_is_not_taken_from_others() {
    let position = Position::new(["ABCD", "ABCD"].map(placement), Rules::default());
    let mut view = position.view(1);
    for text in ["A,N", "H,E", "A,N", "H,W"] {
        view.follow(mv(text), None).unwrap();
    }
    let before = view;
    // d is red.
    let wrong = view.follow(mv("A,N"), Some(Colour::Blue));
    assert_eq!(wrong, Err(Contradiction::Capture(mv("A,N"))));
    assert_eq!(view, before);
    view.follow(mv("A,N"), None).unwrap();
    assert_eq!(view.own_captured(Colour::Red), 1);
}

#[test]
fn an_enemy_that_has_escaped_was_blue() {
    let position = Position::new(["ABCE", "ABCD"].map(placement), Rules::default());
    let mut view = position.view(1);
    for text in super::rules::TO_THE_CORNER.split_whitespace() {
        view.follow(mv(text), None).unwrap();
    }
    let ghost = Ghost::from_letter('D').unwrap();
    assert_eq!(view.enemy(ghost).1, None);
    view.follow(mv("D,N"), None).unwrap();
    assert_eq!(view.enemy(ghost), (Place::Escaped, Some(Colour::Blue)));
    assert_eq!(view.to_move(), None);
    assert!(view.placements().all(|p| !p.is_red(ghost)));
    assert!(view.reveal(placement("ABCD")).is_err());
    assert!(view.reveal(placement("ABCE")).is_ok());
}

#[test]
fn boards_that_cannot_be_are_refused() {
    let view = start();
    let own = Ghost::ALL.map(|ghost| view.own(ghost));
    let enemy = Ghost::ALL.map(|ghost| view.enemy(ghost));
    let built = |own, enemy| View::from_ghosts(0, own, enemy, 0, 0, Rules::default());
    assert_eq!(built(own, enemy), Ok(view));

    let mut five_red = own;
    five_red[7].1 = Colour::Red;
    let mut on_own = own;
    on_own[0].0 = on_own[1].0;
    let mut on_enemy = own;
    on_enemy[0].0 = enemy[0].0;
    let mut red_escaped = own;
    red_escaped[0].0 = Place::Escaped;
    for own in [five_red, on_own, on_enemy, red_escaped] {
        assert!(matches!(built(own, enemy), Err(Contradiction::Board(_))));
    }
    let mut hidden = enemy;
    hidden[0].0 = Place::Captured;
    let mut five_blue = enemy;
    for ghost in &mut five_blue[..5] {
        ghost.1 = Some(Colour::Blue);
    }
    let mut two = enemy;
    two[0].0 = Place::On(Square::FAR_LEFT);
    two[1].0 = Place::On(Square::FAR_LEFT);
    let mut red_escaped = enemy;
    red_escaped[0] = (Place::Escaped, Some(Colour::Red));
    for enemy in [hidden, five_blue, two, red_escaped] {
        assert!(matches!(built(own, enemy), Err(Contradiction::Board(_))));
    }
}

#[test]
fn drawings_show_what_is_known() {
    let position = Position::new(["ABCE", "EFGH"].map(placement), Rules::default());
    let hidden = ". u u u u .\n. u u u u .\n. . . . . .\n. . . . . .\n. R R R B .\n. R B B B .\n";
    assert_eq!(position.view(0).to_string(), hidden);
    let all = ". r r r r .\n. b b b b .\n. . . . . .\n. . . . . .\n. R R R B .\n. R B B B .\n";
    assert_eq!(position.to_string(), all);
    assert_eq!(position.final_view(0).to_string(), all);
    let other = ". u u u u .\n. u u u u .\n. . . . . .\n. . . . . .\n. B B B B .\n. R R R R .\n";
    assert_eq!(position.view(1).to_string(), other);
}
