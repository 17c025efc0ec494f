//! The tracker where the server does what the tracker does not expect: it takes the server's word and goes on. Messages of
//! any kind are a matter of the fuzz target `uecda`.

use games::daihinmin::{Cards, Meld, View};
use protocol::uecda::{Deal, Field, Hand, Status, Submission};
use taikyoku_client::uecda::{Assumptions, HandTracker};

fn cards(text: &str) -> Cards {
    text.parse().unwrap()
}

fn meld(text: &str) -> Meld {
    text.parse().unwrap()
}

/// Players 0 to 4 in the seats 0 to 4.
const SEATS: [u8; 5] = [0, 1, 2, 3, 4];

fn status(turn: u8, counts: [u8; 5], empty_field: bool) -> Status {
    Status {
        turn,
        empty_field,
        revolution: false,
        lock: false,
        counts,
        player_at: SEATS,
    }
}

fn hand(text: &str, my_turn: bool, status: Status) -> Hand {
    Hand {
        hand: cards(text),
        my_turn,
        status,
    }
}

fn field(text: &str, status: Status) -> Field {
    let meld = meld(text);
    let cards = if meld.is_pass() {
        Submission::Pass
    } else {
        Submission::Meld(meld)
    };
    Field { cards, status }
}

fn deal(text: &str, give: u32, counts: [u8; 5], ranks: Option<[u8; 5]>) -> Deal {
    Deal {
        hand: cards(text),
        give,
        counts,
        ranks,
        player_at: SEATS,
        has_seats: true,
    }
}

/// Player 0 in a first game, player 1 to lead.
fn started() -> HandTracker {
    let mut tracker = HandTracker::new(0, Assumptions::default());
    let counts = [4, 3, 3, 3, 3];
    tracker.deal(&deal("S3S9HTJ3", 0, counts, None));
    assert!(tracker.hand(&hand("S3S9HTJ3", false, status(1, counts, true))));
    tracker
}

fn view(tracker: &HandTracker) -> View {
    *tracker.view().unwrap()
}

#[test]
fn a_refused_move_is_a_pass() {
    let mut tracker = started();
    let counts = [4, 3, 3, 3, 3];
    // Whatever lies on the field: nobody has fewer cards.
    let (before, seen) = tracker
        .field(&field("pass", status(1, counts, true)))
        .unwrap();
    assert_eq!((before.table.turn, seen), (1, Meld::PASS));
    assert!(view(&tracker).table.has_passed(1));
    assert!(!tracker.hand(&hand("S3S9HTJ3", false, status(2, counts, true))));
    assert_eq!(tracker.disagreements(), 0);
}

#[test]
fn an_unexpected_gift_is_learned_from_the_next_hand() {
    let mut tracker = HandTracker::new(0, Assumptions::default());
    let ranks = Some([0, 1, 2, 3, 4]);
    let counts = [11, 11, 11, 10, 10];
    let held = "S4H4D4C4S5H5D5C5S6H6D6H2J3";
    let chosen = tracker.deal(&deal(held, 2, counts, ranks));
    assert_eq!(chosen.counts, [13, 11, 11, 10, 8]);
    assert_eq!(
        (chosen.exchanged.partner, chosen.exchanged.rich),
        (Some(4), true)
    );
    tracker.gave(cards("S4H4"));
    tracker.hand(&hand(
        "S4H4D4C4S5H5D5C5S6H6D6",
        false,
        status(1, counts, true),
    ));
    let exchanged = view(&tracker).exchanged;
    assert_eq!(exchanged.given, cards("H2J3"));
    assert_eq!(view(&tracker).known_hand(4), cards("H2J3"));
    assert_eq!(tracker.disagreements(), 1);
    assert_eq!(view(&tracker).ranks, ranks);
}

#[test]
fn the_poor_learn_what_they_gave_and_got() {
    let mut tracker = HandTracker::new(4, Assumptions::default());
    let counts = [5, 5, 5, 5, 5];
    tracker.deal(&deal("D3S9HAH2J3", 0, counts, Some([0, 1, 2, 3, 4])));
    tracker.hand(&hand("D3S9HAH2C4", false, status(1, counts, true)));
    let exchanged = view(&tracker).exchanged;
    assert_eq!(exchanged.partner, Some(0));
    assert_eq!(
        (exchanged.given, exchanged.received),
        (cards("H2J3"), cards("H2C4"))
    );
    assert_eq!(tracker.disagreements(), 0);
    // Something else than the strongest was taken.
    let mut tracker = HandTracker::new(4, Assumptions::default());
    tracker.deal(&deal("D3S9HAH2J3", 0, counts, Some([0, 1, 2, 3, 4])));
    tracker.hand(&hand("C3S9HAH2J3", false, status(1, counts, true)));
    let exchanged = view(&tracker).exchanged;
    assert_eq!(
        (exchanged.given, exchanged.received),
        (cards("D3"), cards("C3"))
    );
    assert_eq!(tracker.disagreements(), 1);
}

#[test]
fn a_field_left_uncleared_or_cleared_too_soon_is_taken_over() {
    let mut tracker = started();
    let counts = [4, 2, 3, 3, 3];
    tracker.field(&field("H8", status(1, counts, false)));
    assert!(view(&tracker).table.field.is_pass(), "the eight cuts");
    tracker.hand(&hand("S3S9HTJ3", false, status(2, counts, false)));
    assert_eq!(
        (view(&tracker).table.field, view(&tracker).table.turn),
        (meld("H8"), 2)
    );
    assert_eq!(tracker.disagreements(), 1);
    tracker.field(&field("H8", status(2, counts, false)));
    tracker.hand(&hand("S3S9HTJ3", true, status(0, counts, true)));
    let now = view(&tracker);
    assert!(now.table.field.is_pass() && now.table.turn == now.seat);
    assert_eq!(tracker.disagreements(), 2);
    assert_eq!(now.played[1], cards("H8"));
}

#[test]
fn moves_that_the_rules_forbid_are_followed_all_the_same() {
    let mut tracker = started();
    tracker.field(&field("HQ", status(1, [4, 2, 3, 3, 3], false)));
    tracker.hand(&hand("S3S9HTJ3", false, status(2, [4, 2, 3, 3, 3], false)));
    // Too weak, and a card of one's own hand, by a player that was not to move.
    tracker.field(&field("S9", status(3, [4, 2, 3, 2, 3], false)));
    let now = Status {
        revolution: true,
        lock: true,
        ..status(4, [4, 2, 0, 2, 3], false)
    };
    tracker.hand(&hand("S3HTJ3", false, now));
    let now = view(&tracker);
    assert_eq!((now.hand, now.counts), (cards("S3HTJ3"), [4, 2, 0, 2, 3]));
    assert!(now.table.revolution && now.table.lock && !now.table.is_alive(2));
    assert_eq!((now.table.turn, now.table.places[2]), (4, 0));
    assert!(tracker.disagreements() >= 3);
    // A view that has been put right is still one that can be thought about.
    let mut rng = <rand_xoshiro::Xoshiro256PlusPlus as rand::SeedableRng>::seed_from_u64(1);
    let world = now.determinize(&mut rng);
    assert_eq!(world.hands[0], now.hand);
}

#[test]
fn malformed_cards_on_the_field_do_not_stop_the_tracker() {
    let mut tracker = started();
    let cards = Submission::Malformed(protocol::uecda::MalformedTable::NoShape);
    let after = status(1, [4, 0, 3, 3, 3], false);
    assert_eq!(
        tracker
            .field(&Field {
                cards,
                status: after
            })
            .unwrap()
            .1,
        Meld::PASS
    );
    tracker.hand(&hand("S3S9HTJ3", false, status(2, [4, 0, 3, 3, 3], true)));
    assert_eq!(view(&tracker).counts, [4, 0, 3, 3, 3]);
    assert_eq!(tracker.disagreements(), 2);
}

#[test]
fn play_after_twenty_passes_goes_on() {
    let mut tracker = started();
    let counts = [4, 3, 3, 3, 3];
    for i in 0..21_u8 {
        let turn = (1 + i) % 5;
        tracker.field(&field("pass", status(turn, counts, true)));
        tracker.hand(&hand(
            "S3S9HTJ3",
            turn == 4,
            status((turn + 1) % 5, counts, true),
        ));
    }
    assert!(!view(&tracker).table.is_stalled());
    assert_eq!(tracker.place(), None);
}

#[test]
fn the_games_to_the_reset_are_counted() {
    let assumptions = Assumptions {
        rank_reset: 3,
        games: Some(5),
        ..Assumptions::default()
    };
    let mut tracker = HandTracker::new(0, assumptions);
    let ranks = Some([2, 1, 0, 3, 4]);
    let mut seen = Vec::new();
    for ranks in [None, ranks, ranks, None, ranks] {
        let view = tracker.deal(&deal("S3", 0, [1; 5], ranks));
        seen.push(view.games_to_reset);
    }
    assert_eq!(seen, [Some(2), Some(1), Some(0), Some(1), Some(0)]);
    let unknown = Assumptions {
        rank_reset: 0,
        games: None,
        ..assumptions
    };
    let view = HandTracker::new(0, unknown).deal(&deal("S3", 0, [1; 5], None));
    assert_eq!(view.games_to_reset, None);
}
