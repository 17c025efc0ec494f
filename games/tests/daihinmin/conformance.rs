//! The suite that every game passes.

use taikyoku_games::conformance::{check_hidden, fresh};
use taikyoku_games::daihinmin::{
    Daihinmin, Dealer, DealerKind, Rules, SEATS, Session, SessionRules,
};
use taikyoku_games::{Game as _, Seat};

#[test]
fn daihinmin_conforms() {
    check_hidden::<Daihinmin>(1_000, fresh);
}

/// The second game of a session, with ranks and so with gifts.
fn ranked(seed: u64) -> (Rules, Daihinmin) {
    let rules = SessionRules {
        exchange: !seed.is_multiple_of(4),
        ..SessionRules::default()
    };
    let mut session = Session::new(rules, Dealer::new(DealerKind::Modern, seed));
    session.deal();
    session.finish([3, 1, 4, 0, 2]);
    let lots = [4, 2, 0, 1, 3];
    (rules.game, Daihinmin::from_deal(&session.deal(), lots))
}

#[test]
fn games_with_gifts_conform() {
    check_hidden::<Daihinmin>(1_000, ranked);
}

#[test]
fn gifts_are_seen_by_two_seats() {
    let (_, mut game) = ranked(1);
    let rich = game.to_move().unwrap();
    let owed = game.public_view().owed;
    assert_eq!(owed[rich.index()], 2);
    assert!(game.play_text("pass").is_err());
    assert!(game.play_text("give S3").is_err());
    let mut gifts = Vec::new();
    game.legal_moves(&mut gifts);
    let held = game.view(rich).view.hand.len();
    assert_eq!(gifts.len() as u32, held * (held - 1) / 2);
    let shown = Seat::all(SEATS).map(|seat| game.shown(gifts[0], seat));
    assert_eq!(shown.filter(|text| text == "give").count(), 3);
    game.play(gifts[0]).unwrap();
    assert!(game.play(gifts[0]).is_err());
    assert_eq!(game.ply(), 1);
}
