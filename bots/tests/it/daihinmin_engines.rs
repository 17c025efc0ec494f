//! What the Daihinmin engines promise: the same seed gives the same game, alpha 1 is plain Monte
//! Carlo, every answer is legal, and a search has a signature.

use games::daihinmin::{Dealer, Position, Session, SessionRules, View, is_legal};
use taikyoku_bots::daihinmin::{Engine, EngineOptions, MonteCarlo};
use taikyoku_bots::search::Budget;
use taikyoku_bots::signature;
use taikyoku_bots::spec::Specified as _;

fn starts(n: usize) -> Vec<Position> {
    let mut session = Session::new(SessionRules::default(), Dealer::plain(11));
    (0..n)
        .map(|_| {
            let position = session.deal().start();
            session.finish([0, 1, 2, 3, 4]);
            position
        })
        .collect()
}

/// Plays a game in which all seats ask `engines`, and gives its moves.
fn game(start: Position, engines: &mut [Box<dyn Engine>]) -> Vec<String> {
    let mut position = start;
    let mut views: Vec<View> = (0..5).map(|seat| View::at_start(&position, seat)).collect();
    for (engine, view) in engines.iter_mut().zip(&views) {
        engine.game_begins(view);
    }
    let mut moves = Vec::new();
    while !position.table.is_over() {
        let seat = usize::from(position.table.turn);
        let meld = engines[seat].choose(&views[seat], None);
        assert_eq!(
            is_legal(&position.table, position.hand(), meld),
            Ok(()),
            "{meld}"
        );
        for (engine, view) in engines.iter_mut().zip(&mut views) {
            engine.observe(view, meld);
            view.follow(meld).expect("a legal move can be followed");
        }
        position.play_unchecked(meld);
        for (seat, view) in views.iter().enumerate() {
            assert_eq!(view.table, position.table);
            assert_eq!(view.hand, position.hands[seat]);
            assert_eq!(view.counts, position.counts());
        }
        moves.push(meld.to_string());
    }
    moves
}

fn table_of(specification: &str) -> Vec<Box<dyn Engine>> {
    let options: EngineOptions = specification.parse().expect("specification");
    (0..5)
        .map(|seed| options.build(seed).expect("engine"))
        .collect()
}

#[test]
fn crow_with_alpha_1_is_mc_move_for_move() {
    for start in starts(6) {
        let mc = game(start, &mut table_of("mc:playouts=300"));
        let crow = game(start, &mut table_of("crow:playouts=300:alpha=1"));
        assert_eq!(mc, crow);
    }
}

#[test]
fn every_engine_plays_legally_and_the_same_again() {
    for engine in [
        "random",
        "default",
        "mc:playouts=60",
        "crow:playouts=60",
        "policy",
        "best:playouts=40",
        "best:playouts=40:prior=0",
        "best:playouts=40:learn=off",
        "best:playouts=40:learn=off:prior=0",
    ] {
        for start in starts(3) {
            let once = game(start, &mut table_of(engine));
            assert_eq!(once, game(start, &mut table_of(engine)), "{engine}");
        }
    }
}

/// A server may ask for more cards than a sound player would give.
#[test]
fn odd_hands_are_given_from_as_well() {
    for engine in [
        "random",
        "default",
        "mc",
        "policy",
        "best:playouts=20",
        "best:playouts=20:learn=off",
    ] {
        let mut engine = engine.parse::<EngineOptions>().unwrap().build(1).unwrap();
        for hand in ["JK", "JKS2", "S2H2", "S3JK"] {
            let hand: games::daihinmin::Cards = hand.parse().unwrap();
            let mut view = View::at_start(&starts(1)[0], 0);
            view.counts[0] = hand.len() as u8;
            view.hand = hand;
            view.ranks = Some([0, 1, 2, 3, 4]);
            view.exchanged.partner = Some(4);
            let gift = engine.gift(&view, hand.len().min(2), None);
            assert!(hand.contains_all(gift) && gift.len() == hand.len().min(2));
        }
    }
}

#[test]
fn threads_share_the_budget_and_answer_legally() {
    for engine in [
        "crow:playouts=100:threads=2",
        "best:playouts=60:threads=2",
        "best:playouts=60:threads=2:learn=off",
    ] {
        game(starts(1)[0], &mut table_of(engine));
    }
    let start = starts(1)[0];
    let view = View::at_start(&start, start.table.turn);
    let mut crow = MonteCarlo::new(Budget::playouts(1000), 0.9, 2, 1);
    let trials: u64 = crow.search(&view, None).iter().map(|c| c.trials).sum();
    assert_eq!(trials, 1000);
}

/// The signature: rewards and trials of the first decisions at a fixed seed and budget. A change
/// that should not alter the search must not alter this number.
#[test]
fn the_search_has_its_signature() {
    assert_eq!(signature::crow(), 16_163_761_561_964_005_692);
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let damaged = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(damaged.path(), "no policies").expect("written");
    let damaged = format!("best:field={}", damaged.path().display());
    for (text, part) in [
        (&*damaged, "11 bytes are not 1 to 16 policies"),
        ("best:weights=no-such-file", "no-such-file"),
        ("best:field=no-such-file", "no-such-file"),
    ] {
        let options: EngineOptions = text.parse().expect("specification");
        let built = options.build(0);
        assert!(built.is_err_and(|e| e.to_string().contains(part)), "{text}");
    }
}
