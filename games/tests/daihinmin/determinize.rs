//! `View::determinize` draws every deal that agrees with the view, each as often as any other.

use std::collections::BTreeMap;

use taikyoku_games::daihinmin::{
    Card, Cards, Exchanged, Position, Rules, SEATS, Table, View, tribute_order,
};

use super::{cards, rng};

/// A view late in a game: what seat 0 holds, what is unseen, and how many cards the others hold.
fn late(hand: &str, unseen: &str, counts: [u8; SEATS], exchanged: Exchanged) -> View {
    let (hand, unseen) = (cards(hand), cards(unseen));
    let mut hands = [Cards::EMPTY; SEATS];
    hands[0] = hand;
    let position = Position {
        table: Table::new(0, Rules::default()),
        hands,
    };
    let mut view = View::at_start(&position, 0);
    view.counts = counts;
    // It does not matter who played the rest.
    view.played[1] = Cards::ALL - hand - unseen;
    view.exchanged = exchanged;
    assert_eq!(view.unseen(), unseen);
    view
}

/// Every deal of the unseen cards that agrees with the view, judged one by one.
fn all_deals(view: &View) -> Vec<[Cards; SEATS]> {
    let unseen: Vec<Card> = view.unseen().iter().collect();
    let mut deals = Vec::new();
    for mut code in 0..4_usize.pow(unseen.len() as u32) {
        let mut hands = [Cards::EMPTY; SEATS];
        hands[0] = view.hand;
        for &card in &unseen {
            hands[1 + code % 4].insert(card);
            code /= 4;
        }
        let fits = (1..SEATS).all(|s| hands[s].len() == u32::from(view.counts[s]));
        if fits && agrees(view, &hands) {
            deals.push(hands);
        }
    }
    deals
}

/// Whether the exchange can have gone as the view saw it.
fn agrees(view: &View, hands: &[Cards; SEATS]) -> bool {
    let exchanged = &view.exchanged;
    let Some(partner) = exchanged.partner else {
        return true;
    };
    let hand = hands[usize::from(partner)];
    let still_there = view.unseen() & exchanged.given;
    if !hand.contains_all(still_there) {
        return false;
    }
    // The poor gave their strongest: what is left of their own is weaker than all of it.
    let own = hand - exchanged.given;
    !exchanged.rich
        || own.iter().all(|card| {
            let weaker = |given| tribute_order(card) < tribute_order(given);
            exchanged.received.iter().all(weaker)
        })
}

/// Draws many deals and compares their frequencies with equal ones by a chi-square test.
fn check_uniform(view: &View, seed: u64) -> usize {
    let deals = all_deals(view);
    let mut counts: BTreeMap<[Cards; SEATS], u32> = deals.iter().map(|&d| (d, 0)).collect();
    let draws = 400 * deals.len() as u32;
    let mut rng = rng(seed);
    for _ in 0..draws {
        let hands = view.determinize(&mut rng).hands;
        let count = counts.get_mut(&hands);
        *count.unwrap_or_else(|| panic!("{hands:?} does not agree with the view")) += 1;
    }
    let expected = f64::from(draws) / deals.len() as f64;
    let chi2: f64 = counts
        .values()
        .map(|&n| (f64::from(n) - expected).powi(2) / expected)
        .sum();
    // Mean df, variance 2 df: five standard deviations above the mean.
    let df = deals.len() as f64 - 1.0;
    let limit = df + 5.0 * (2.0 * df).sqrt();
    assert!(chi2 <= limit, "chi2 {chi2:.1} of {df} degrees of freedom");
    deals.len()
}

#[test]
fn deals_without_an_exchange_are_equally_likely() {
    let none = Exchanged::default();
    let view = late("S3", "S4S5S6S7", [1, 2, 1, 1, 0], none);
    assert_eq!(check_uniform(&view, 1), 12);
    let view = late("S3H3", "S4S5S6S7H4H5J3", [2, 3, 0, 2, 2], none);
    assert_eq!(check_uniform(&view, 2), 210);
    let view = late("S3", "S4S5", [1, 0, 2, 0, 0], none);
    assert_eq!(check_uniform(&view, 3), 1);
}

#[test]
fn cards_given_away_stay_where_they_went() {
    let exchanged = Exchanged {
        partner: Some(2),
        given: cards("S4S5"),
        received: cards("HA"),
        rich: false,
    };
    // S4 has been played since; S5 is still there.
    let view = late("S3", "S5S6S7H4H5", [1, 2, 2, 1, 0], exchanged);
    assert_eq!(view.known_hand(2), cards("S5"));
    assert_eq!(check_uniform(&view, 4), 12);
}

#[test]
fn the_poor_keep_nothing_above_their_tribute() {
    let exchanged = Exchanged {
        partner: Some(4),
        given: cards("S4D2"),
        received: cards("HKHQ"),
        rich: true,
    };
    // D2 was given and is above the tribute; SA and SQ (spades go before hearts) were not.
    let view = late("S3HKHQ", "D2SASQDQS7H4H5", [3, 2, 1, 1, 3], exchanged);
    assert_eq!(view.impossible_for(4), cards("SASQ"));
    // Seat 4 has D2 and two of DQ S7 H4 H5 (6 ways); the four left go 2, 1, 1 (12 ways).
    assert_eq!(check_uniform(&view, 5), 72);
}

#[test]
fn a_contradiction_still_gives_the_right_numbers_of_cards() {
    let exchanged = Exchanged {
        partner: Some(4),
        given: Cards::EMPTY,
        received: cards("S4"),
        rich: true,
    };
    let view = late("S4", "SAHADACA", [1, 1, 1, 1, 1], exchanged);
    let mut rng = rng(6);
    for _ in 0..100 {
        assert_eq!(view.determinize(&mut rng).counts(), view.counts);
    }
}
