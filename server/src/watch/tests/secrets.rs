//! Canaries: nothing that is hidden in a game that is not over gets to watchers.

use games::Geister;
use games::daihinmin::{Card, Cards, Chance, Dealer, Session, SessionRules};
use games::geister::{Colour, Ghost, Placement, Position, Rules};
use proptest::prelude::*;
use serde_json::json;

use super::*;

/// What watchers are told of these events of one match.
fn told(header: &Header, events: &[Event]) -> String {
    let mut stage = Stage::new(1000);
    let mut public = stage.watching.table(header);
    for event in events {
        public.event(event);
    }
    stage.take();
    let started = stage.lines();
    // A late watcher is told no more.
    let late = stage.tables.present(1, true);
    let late: String = late.iter().map(WatchMessage::to_line).collect();
    // The time of the start is that of the header.
    (started + &late).replace(&header.started, "")
}

/// Geister up to a ply that is not the last, as events and as a position.
fn geister(placements: [Placement; 2], rules: Rules, moves: &[String], first: usize) -> Vec<Event> {
    let mut events = vec![begin(1, &Seating::identity(2)).at(0)];
    for seat in [first, 1 - first] {
        let setup = What::Setup {
            player: seat as u8,
            setup: placements[seat].to_string(),
            name: None,
        };
        events.push(setup.at(0));
    }
    let mut position = Position::new(placements, rules);
    for mv in moves {
        let player = position.to_move().expect("a game that goes on");
        events.push(moved(Player::new(player), mv));
        position.play(mv.parse().unwrap()).unwrap();
    }
    events
}

/// Another placement of a seat that agrees with all that was captured.
fn other_colours(position: &Position, seat: u8, pick: prop::sample::Index) -> Placement {
    let agrees = |placement: &Placement| {
        let known = Ghost::ALL
            .into_iter()
            .filter(|&g| position.place(seat, g).square().is_none());
        known
            .into_iter()
            .all(|g| placement.colour(g) == position.colour(seat, g))
    };
    let all: Vec<Placement> = Placement::ALL.into_iter().filter(agrees).collect();
    all[pick.index(all.len())]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn colours_of_geister_that_differ_give_the_same_bytes(
        seed: u64, plies in 0_usize..120, first in 0_usize..2, picks: [prop::sample::Index; 2]
    ) {
        let rules = Rules::default();
        let header = header(GameName::Geister, "gat", 2, 1).with_rules(&json!({"ply-limit": 200}));
        let mut rng = rng(seed);
        let mut game = Geister::begin(&rules, 0);
        let mut moves = Vec::new();
        while game.ply() < plies as u32 + 2 {
            let mv = random_move(&game, &mut rng);
            let mut next = game.clone();
            next.play(mv).unwrap();
            if next.to_move().is_none() {
                break;
            }
            if game.ply() >= 2 {
                moves.push(mv.to_string());
            }
            game = next;
        }
        let position = *game.state().unwrap();
        let own = [0, 1].map(|seat| position.placement(seat));
        let others = [0, 1].map(|seat| other_colours(&position, seat, picks[usize::from(seat)]));
        let one = told(&header, &geister(own, rules, &moves, first));
        let two = told(&header, &geister(others, rules, &moves, first));
        prop_assert_eq!(&one, &two);
        // Before the first capture no colour is there at all.
        let none_taken = [0, 1].map(|seat| position.captured(seat, Colour::Red) + position.captured(seat, Colour::Blue)) == [0, 0];
        prop_assert!(!none_taken || !one.contains('R'), "{}", one);
    }

    #[test]
    fn hands_of_daihinmin_that_differ_give_the_same_bytes(
        seed: u64, plies in 0_usize..60, pick: prop::sample::Index, gifts: [prop::sample::Index; 2]
    ) {
        let rules = SessionRules::default();
        let header = header(GameName::Daihinmin, "uecda", 5, 2).with_rules(&rules);
        let mut session = Session::new(rules, Dealer::of(Chance::Plain(seed)));
        session.deal();
        session.finish([3, 1, 4, 0, 2]);
        // A game with ranks, whose exchange is hidden.
        let mut deal = session.deal();
        let mut events = vec![What::begin(&deal).at(0)];
        events.extend(What::tributes(&deal).into_iter().map(|what| what.at(0)));
        let player_at = deal.player_at;
        let player = |seat: u8| player_at[usize::from(seat)];
        let (mut given, mut position) = (Vec::new(), None);
        for (place, gift) in [0_u8, 1].into_iter().zip(gifts) {
            let (rich, poor) = (deal.seat_of_rank(place), deal.seat_of_rank(4 - place));
            let (from, to) = (player(rich), player(poor));
            let hand: Vec<Card> = deal.hands[usize::from(rich)].iter().collect();
            let at = gift.index(hand.len() - 1);
            let cards: Cards = hand[at..=at + 1 - usize::from(place)].iter().copied().collect();
            let cards = deal.give(rich, cards);
            given.push((events.len(), rich, poor));
            events.push(What::give(from, to, cards).at(0));
            position = Some(deal.start());
        }
        let mut position = position.expect("two gifts");
        let leader = position.table.turn;
        let mut rng = rng(seed);
        let mut moves = Vec::new();
        for _ in 0..plies {
            position.legal_moves(&mut moves);
            let meld = moves[rng.random_range(0..moves.len())];
            let before = position;
            position.play(meld).unwrap();
            if position.table.is_over() || position.table.is_stalled() {
                position = before;
                break;
            }
            events.push(moved(Player::new(player(before.table.turn)), meld));
        }
        // Two seats that took no part in an exchange, or all together: cards that nobody has seen are exchanged
        // between the middle seat and another one, but for those that decide who leads or what was tribute.
        let middle = deal.seat_of_rank(2);
        let (one, two) = (usize::from(middle), usize::from(deal.seat_of_rank(0)));
        let hidden = |seat: usize| -> Vec<Card> {
            let kept = position.hands[seat] & deal.dealt[seat];
            kept.iter().filter(|card| card.to_string() != "D3").collect()
        };
        let (mine, theirs) = (hidden(one), hidden(two));
        prop_assume!(!mine.is_empty() && !theirs.is_empty());
        let (a, b) = (mine[pick.index(mine.len())], theirs[pick.index(theirs.len())]);
        let mut changed = events.clone();
        if let What::Begin { hands, .. } = &mut changed[0].what {
            for hand in hands {
                let cards: Cards = hand.parse().unwrap();
                let swapped: Cards = cards.iter().map(|card| match card {
                    card if card == a => b,
                    card if card == b => a,
                    card => card,
                }).collect();
                *hand = swapped.to_string();
            }
        }
        prop_assert_ne!(&changed, &events);
        prop_assert_eq!(told(&header, &events), told(&header, &changed));
        // Nor do gifts show.
        let mut other = events.clone();
        for (at, rich, poor) in given {
            if leader == rich || leader == poor {
                continue;
            }
            let last = position.hands;
            let What::Give { cards, .. } = &mut other[at].what else { unreachable!() };
            let gift: Cards = cards.parse().unwrap();
            // The rich seat keeps a card of its gift and gives another that it has never laid down.
            let still: Vec<Card> = last[usize::from(rich)].iter().filter(|card| card.to_string() != "D3").collect();
            let first = gift.iter().next().unwrap();
            if let (Some(&instead), true) = (still.first(), last[usize::from(poor)].contains(first)) {
                let swapped: Cards = gift.iter().map(|card| if card == first { instead } else { card }).collect();
                *cards = swapped.to_string();
            }
        }
        prop_assert_eq!(told(&header, &events), told(&header, &other));
    }
}
