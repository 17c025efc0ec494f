//! A view knows nothing that its seat may not know.

use taikyoku_games::daihinmin::{
    Cards, Deal, Dealer, DealerKind, Exchanged, Meld, Rules, SEATS, Session, SessionRules, View,
};

use super::{dealt, random_move, rng};

/// What a seat saw of the exchange of a deal, from the hands before and after.
fn exchanged(deal: &Deal, gifts: &[(u8, Cards)], seat: u8) -> Exchanged {
    let Some(&place) = deal
        .ranks
        .get(usize::from(deal.player_at[usize::from(seat)]))
    else {
        return Exchanged::default();
    };
    if !deal.ranked || place == 2 {
        return Exchanged::default();
    }
    let rich = place < 2;
    let (rich_place, poor_place) = if place == 0 || place == 4 {
        (0, 4)
    } else {
        (1, 3)
    };
    let tribute = deal.tribute(poor_place);
    let gift = gifts
        .iter()
        .find(|(place, _)| *place == rich_place)
        .unwrap()
        .1;
    Exchanged {
        partner: Some(deal.seat_of_rank(4 - place)),
        given: if rich { gift } else { tribute },
        received: if rich { tribute } else { gift },
        rich,
    }
}

#[test]
fn the_truth_is_always_among_the_deals_that_a_view_allows() {
    let mut moves = Vec::new();
    let mut rng = rng(22);
    for seed in 0..60 {
        let rules = SessionRules::default();
        let mut session = Session::new(rules, Dealer::new(DealerKind::Modern, seed));
        for _ in 0..6 {
            let mut deal = session.deal();
            let is_ranked = deal.ranked;
            let gifts: Vec<(u8, Cards)> = [0, 1]
                .into_iter()
                .filter(|_| is_ranked)
                .map(|place| {
                    let seat = deal.seat_of_rank(place);
                    // The cards in the middle of the hand, so that gifts are not always extreme.
                    let hand = deal.hands[usize::from(seat)];
                    let n = deal.owes[usize::from(seat)];
                    let gift = hand.iter().skip(3).take(n as usize).collect();
                    (place, deal.give(seat, gift))
                })
                .collect();
            let mut position = deal.start();
            let mut views: [View; SEATS] = std::array::from_fn(|seat| {
                let mut view = View::at_start(&position, seat as u8);
                view.exchanged = exchanged(&deal, &gifts, seat as u8);
                view
            });
            while !position.table.is_over() && !position.table.is_stalled() {
                for view in &views {
                    for other in 0..SEATS as u8 {
                        let hand = position.hands[usize::from(other)];
                        assert!(hand.contains_all(view.known_hand(other)));
                        assert!((hand & view.impossible_for(other)).is_empty());
                    }
                    let guess = view.determinize(&mut rng);
                    assert_eq!(guess.counts(), position.counts());
                    assert_eq!(guess.table, position.table);
                    let own = usize::from(view.seat);
                    assert_eq!(guess.hands[own], position.hands[own]);
                    let all = guess.hands.iter().fold(view.played_by_all(), |a, &h| a | h);
                    assert_eq!(all, Cards::ALL);
                    for other in 0..SEATS as u8 {
                        let hand = guess.hands[usize::from(other)];
                        assert!(hand.contains_all(view.known_hand(other)));
                        assert!((hand & view.impossible_for(other)).is_empty());
                    }
                }
                let meld = random_move(&position, &mut moves, &mut rng);
                position.play(meld).unwrap();
                for view in &mut views {
                    view.follow(meld).unwrap();
                }
            }
            if position.table.is_stalled() {
                session.settle_stall(&mut position);
            }
            session.finish(position.table.places);
        }
    }
}

#[test]
fn a_view_refuses_moves_that_cannot_have_been_made() {
    let start = dealt(5, Rules::default());
    for seat in 0..SEATS as u8 {
        let view = View::at_start(&start, seat);
        for card in Cards::ALL.iter().filter(|c| !c.is_joker()) {
            let meld = Meld::single(card.column(), card.row());
            let mine = view.hand.contains(card);
            let my_turn = start.table.turn == seat;
            let mut copy = view;
            assert_eq!(copy.follow(meld).is_ok(), mine == my_turn, "{meld}");
            if mine != my_turn {
                assert_eq!(copy, view);
            }
        }
    }
}
