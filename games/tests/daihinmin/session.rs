//! Matches: points, seats, ranks and the exchange.

use taikyoku_games::daihinmin::{
    Cards, Chance, Dealer, DealerKind, SEATS, Session, SessionRules, forced_tribute, strongest,
    tribute_order,
};

use super::{random_move, rng};

/// Plays `games` games at random and shows each deal, after the gifts, to `each`, with the places
/// by player that the game before ended with.
fn matches(
    kind: DealerKind,
    rules: SessionRules,
    games: u32,
    seed: u64,
    mut each: impl FnMut(&taikyoku_games::daihinmin::Deal, &[Cards; SEATS], [u8; SEATS]),
) -> Session {
    let mut session = Session::new(rules, Dealer::new(kind, seed));
    let mut rng = rng(seed);
    let mut moves = Vec::new();
    for game in 1..=games {
        let last = session.places();
        let mut deal = session.deal();
        assert_eq!(deal.game, game);
        let after_tribute = deal.hands;
        for seat in 0..SEATS as u8 {
            deal.give(seat, Cards::EMPTY);
        }
        each(&deal, &after_tribute, last);
        let mut position = deal.start();
        assert!(position.hand().contains_all(Cards::DIAMOND_3));
        while !position.table.is_over() {
            if position.table.is_stalled() {
                session.settle_stall(&mut position);
            } else {
                let meld = random_move(&position, &mut moves, &mut rng);
                position.play(meld).unwrap();
            }
        }
        session.finish(position.table.places);
        assert_eq!(session.points().iter().sum::<u32>(), 15 * game);
        let mut places = session.places();
        places.sort_unstable();
        assert_eq!(places, [0, 1, 2, 3, 4]);
    }
    session
}

#[test]
fn points_and_cards_add_up_under_both_dealers() {
    for kind in [DealerKind::Official, DealerKind::Modern] {
        for seed in 0..20 {
            matches(kind, SessionRules::default(), 30, seed, |deal, _, _| {
                let all = deal
                    .hands
                    .iter()
                    .fold(Cards::EMPTY, |all, &hand| all | hand);
                assert_eq!(all, Cards::ALL);
                let dealt = deal.dealt.map(Cards::len);
                assert_eq!(deal.hands.map(Cards::len), dealt, "as many back as given");
                assert!(dealt.iter().all(|&n| n == 10 || n == 11));
                assert_eq!(dealt.iter().sum::<u32>(), 53);
            });
        }
    }
}

#[test]
fn seats_change_before_every_nth_game_only() {
    for (every, games) in [(1, 20), (3, 40), (7, 40), (0, 20)] {
        let rules = SessionRules {
            seat_change: every,
            ..SessionRules::default()
        };
        let mut seats: Vec<[u8; SEATS]> = Vec::new();
        matches(DealerKind::Modern, rules, games, 9, |deal, _, _| {
            let mut sorted = deal.player_at;
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
            seats.push(deal.player_at);
        });
        let changed: Vec<usize> = (1..seats.len())
            .filter(|&i| seats[i] != seats[i - 1])
            .collect();
        let may = |i: usize| every > 0 && i.is_multiple_of(every as usize);
        assert!(
            changed.iter().all(|&i| may(i)),
            "every {every}: {changed:?}"
        );
        let chances = (1..seats.len()).filter(|&i| may(i)).count();
        // A draw gives the same seats again once in 120.
        assert!(changed.len() + 2 >= chances, "every {every}: {changed:?}");
    }
}

#[test]
fn ranks_and_the_exchange_follow_the_last_game_until_the_reset() {
    for (reset, exchange) in [(5, true), (5, false), (100, true), (0, true)] {
        let rules = SessionRules {
            rank_reset: reset,
            exchange,
            ..SessionRules::default()
        };
        matches(
            DealerKind::Official,
            rules,
            23,
            11,
            |deal, tributed, last| {
                let fresh = deal.game == 1 || reset > 0 && (deal.game - 1).is_multiple_of(reset);
                assert_eq!(deal.ranked, !fresh, "game {}", deal.game);
                if fresh {
                    assert_eq!(deal.ranks, [0; SEATS]);
                } else {
                    assert_eq!(deal.ranks, last);
                }
                if fresh || !exchange {
                    assert_eq!(deal.hands, deal.dealt);
                    return;
                }
                for place in [3, 4] {
                    let (n, to) = forced_tribute(place).unwrap();
                    let from = usize::from(deal.seat_of_rank(place));
                    let to = usize::from(deal.seat_of_rank(to));
                    let tribute = strongest(deal.dealt[from], n);
                    assert_eq!(deal.tribute(place), tribute);
                    assert_eq!(tributed[from], deal.dealt[from] - tribute);
                    assert_eq!(tributed[to], deal.dealt[to] | tribute);
                    // No card kept is stronger than one that was given.
                    let least = tribute.iter().map(tribute_order).min().unwrap();
                    assert!(
                        tributed[from]
                            .iter()
                            .all(|card| tribute_order(card) < least)
                    );
                    // A void gift is the strongest cards.
                    let gift = strongest(tributed[to], n);
                    assert_eq!(deal.hands[to], tributed[to] - gift);
                    assert_eq!(deal.hands[from], tributed[from] | gift);
                }
            },
        );
    }
}

#[test]
fn a_session_that_begins_anew_gives_others_the_same_deals() {
    let order = [3, 0, 4, 2, 1];
    let of = |player: u8| order[usize::from(player)];
    for kind in [DealerKind::Official, DealerKind::Modern] {
        let rules = SessionRules::default();
        let mut plain = Session::new(rules, Dealer::new(kind, 5));
        let mut again = matches(kind, rules, 4, 77, |_, _, _| {});
        let points = again.points();
        again.begin_anew(Dealer::new(kind, 5), order);
        for game in 1..=8 {
            let (deal, other) = (plain.deal(), again.deal());
            assert_eq!((deal.game, other.game), (game, game + 4));
            assert_eq!(deal.player_at.map(of), other.player_at);
            assert_eq!((deal.dealt, deal.hands), (other.dealt, other.hands));
            assert_eq!((deal.owes, deal.ranked), (other.owes, other.ranked));
            // Nobody plays on: the places of the rest are drawn.
            let mut stalled = [deal.start(), other.start()];
            plain.settle_stall(&mut stalled[0]);
            again.settle_stall(&mut stalled[1]);
            let [one, two] = stalled.map(|position| position.table.places);
            assert_eq!(one, two, "by seat");
            plain.finish(one);
            again.finish(two);
        }
        for (player, own) in order.into_iter().map(usize::from).enumerate() {
            assert_eq!(again.points()[own] - points[own], plain.points()[player]);
        }
    }
}

#[test]
fn duplicate_deals_do_not_depend_on_how_games_went() {
    let orders = [[0, 1, 2, 3, 4], [2, 3, 4, 0, 1]];
    let mut sessions = orders.map(|order| {
        let dealer = Dealer::new(DealerKind::Official, 1);
        let mut session = Session::new(SessionRules::default(), dealer);
        session.begin_duplicate(Chance::Seed(DealerKind::Modern, 9), order);
        session
    });
    let mut rng = rng(3);
    let mut moves = Vec::new();
    let mut ranks_differ = false;
    for game in 1..=40 {
        let deals = sessions.each_mut().map(Session::deal);
        // By the number that the dealer knows a player by.
        let number = |i: usize, player: u8| orders[i].iter().position(|&p| p == player).unwrap();
        let seats = [0, 1].map(|i| deals[i].player_at.map(|player| number(i, player)));
        assert_eq!(seats[0], seats[1], "game {game}");
        let moved: u32 = (0..SEATS)
            .map(|seat| (deals[0].dealt[seat] - deals[1].dealt[seat]).len())
            .sum();
        assert!(moved <= 3, "game {game}: {moved} cards");
        assert!(deals.iter().all(|deal| {
            deal.dealt
                .iter()
                .all(|hand| (10..=11).contains(&hand.len()))
        }));
        for deal in &deals {
            let first = usize::from(deal.seat_of_rank(0));
            let extra = [0, 1, 2].map(|k| deal.dealt[(first + k) % SEATS].len());
            assert!(!deal.ranked || extra == [11; 3]);
        }
        let by_number = [0, 1].map(|i| orders[i].map(|player| deals[i].ranks[usize::from(player)]));
        ranks_differ |= by_number[0] != by_number[1];
        // One match stalls now and then, and draws lots for it.
        for (i, (session, mut deal)) in sessions.iter_mut().zip(deals).enumerate() {
            for seat in 0..SEATS as u8 {
                deal.give(seat, Cards::EMPTY);
            }
            let mut position = deal.start();
            if i == 0 && game % 3 == 0 {
                session.settle_stall(&mut position);
            }
            while !position.table.is_over() {
                if position.table.is_stalled() {
                    session.settle_stall(&mut position);
                } else {
                    let meld = random_move(&position, &mut moves, &mut rng);
                    position.play(meld).unwrap();
                }
            }
            session.finish(position.table.places);
        }
    }
    assert!(ranks_differ);
}
