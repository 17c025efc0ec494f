use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

#[test]
fn round_robins_seat_every_choice() {
    let pairs = matchups(Format::RoundRobin, 4, 2);
    let due = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    assert_eq!(pairs, due.map(|pair| pair.to_vec()));
    assert_eq!(matchups(Format::RoundRobin, 6, 5).len(), 6);
    // Four kinds of bots for five seats: each sits twice in turn.
    let filled = matchups(Format::RoundRobin, 4, 5);
    assert_eq!(filled.len(), 4);
    assert_eq!(filled[1], [0, 1, 1, 2, 3]);
    assert_eq!(matchups(Format::RoundRobin, 1, 4), [[0; 4]]);
}

#[test]
fn gauntlets_have_the_challenger_once() {
    for (format, count) in [
        (Format::Gauntlet { challenger: 2 }, 10),
        (Format::Copies { challenger: 2 }, 5),
    ] {
        let all = matchups(format, 6, 4);
        assert_eq!(all.len(), count);
        for matchup in all {
            assert_eq!(
                matchup.iter().filter(|&&e| e == 2).count(),
                1,
                "{matchup:?}"
            );
        }
    }
}

fn plan(seats: usize, duplicate: bool) -> Plan {
    Plan {
        entrants: 5,
        seats,
        deals: 6,
        duplicate,
        seed: 9,
    }
}

#[test]
fn every_entrant_has_every_seat_of_a_deal() {
    for seats in 2..=5 {
        let plan = plan(seats, true);
        let all = matchups(Format::RoundRobin, 5, seats);
        let fixtures: Vec<Fixture> = plan.fixtures(&all).collect();
        assert_eq!(fixtures.len(), all.len() * 6 * seats);
        let keys: HashSet<Key> = fixtures.iter().map(|f| f.key).collect();
        assert_eq!(keys.len(), fixtures.len());
        for block in fixtures.chunks(seats) {
            assert!(block.iter().all(|f| f.deal == block[0].deal));
            for seat in 0..seats {
                let mut had: Vec<usize> = block.iter().map(|f| f.seats[seat]).collect();
                had.sort_unstable();
                assert_eq!(had, all[block[0].key.matchup as usize]);
            }
        }
        let deals: HashSet<u64> = fixtures.iter().map(|f| f.deal).collect();
        assert_eq!(
            deals.len(),
            fixtures.len() / seats,
            "deals differ between blocks"
        );
    }
    // With more than two seats the circular order changes between deals.
    let plan = plan(5, true);
    let all = [vec![0, 1, 2, 3, 4]];
    let orders = plan.fixtures(&all).filter(|f| f.key.rotation == 0);
    let orders: HashSet<Vec<usize>> = orders
        .map(|f| {
            let zero = f.seats.iter().position(|&e| e == 0).unwrap();
            [&f.seats[zero..], &f.seats[..zero]].concat()
        })
        .collect();
    assert!(orders.len() >= 4, "{orders:?}");
}

#[test]
fn without_duplicates_every_game_has_its_deal() {
    let plan = plan(4, false);
    let fixtures: Vec<Fixture> = plan.fixtures(&[vec![0, 1, 2, 3]]).collect();
    let deals: HashSet<u64> = fixtures.iter().map(|f| f.deal).collect();
    assert_eq!((deals.len(), fixtures.len()), (24, 24));
}

proptest! {
    #[test]
    fn a_schedule_is_a_function_of_its_seed(seed: u64, other: u64) {
        let of = |seed| {
            let plan = Plan { seed, ..plan(3, true) };
            let all: Vec<Fixture> = plan.fixtures(&[vec![0, 1, 2]]).collect();
            all
        };
        prop_assert_eq!(of(seed), of(seed));
        if seed != other {
            prop_assert_ne!(of(seed), of(other));
        }
    }

    #[test]
    fn keys_read_back(matchup: u32, deal: u32, rotation: u8) {
        let key = Key { matchup, deal, rotation };
        prop_assert_eq!(key.to_string().parse(), Ok(key));
        let json = serde_json::to_string(&key).unwrap();
        prop_assert_eq!(serde_json::from_str::<Key>(&json).unwrap(), key);
    }

    #[test]
    fn what_is_no_key_is_refused(text in "[0-9.+ ]{0,12}") {
        if let Ok(key) = text.parse::<Key>() {
            prop_assert_eq!(key.to_string(), text);
        }
    }

    #[test]
    fn swiss_rounds_seat_everyone_once(
        seats in 2_usize..=5,
        scores in prop::collection::vec(0.0..1.0_f64, 5..20),
        byes in prop::collection::vec(0_u32..3, 20),
    ) {
        let round = pairings(seats, &scores, |_, _| 0, &byes);
        let mut all: Vec<usize> = round.matchups.concat();
        all.extend(&round.byes);
        all.sort_unstable();
        prop_assert_eq!(all, (0..scores.len()).collect::<Vec<_>>());
        prop_assert!(round.matchups.iter().all(|table| table.len() == seats));
        prop_assert_eq!(round.byes.len(), scores.len() % seats);
    }
}

#[test]
fn swiss_pairs_neighbours_that_have_not_met() {
    let scores = [0.9, 0.8, 0.7, 0.1];
    let first = pairings(2, &scores, |_, _| 0, &[0; 4]);
    assert_eq!(first.matchups, [[0, 1], [2, 3]]);
    let met = |a: usize, b: usize| u32::from([(0, 1), (2, 3)].contains(&(a.min(b), a.max(b))));
    let second = pairings(2, &scores, met, &[0; 4]);
    assert_eq!(second.matchups, [[0, 2], [1, 3]]);
    // The last sits out, but not twice before the others have.
    let odd = pairings(2, &scores[..3], |_, _| 0, &[0, 0, 1]);
    assert_eq!((odd.byes, odd.matchups), (vec![1], vec![vec![0, 2]]));
}

#[test]
fn matchups_are_counted_without_making_them() {
    for seats in 2..=5 {
        for entrants in 1..=9 {
            for format in [
                Format::RoundRobin,
                Format::Gauntlet { challenger: 0 },
                Format::Copies { challenger: 0 },
            ] {
                let made = matchups(format, entrants, seats).len();
                assert_eq!(
                    count(format, entrants, seats),
                    made as u128,
                    "{format:?} {entrants} {seats}"
                );
            }
        }
    }
    assert_eq!(count(Format::RoundRobin, 300, 5), 19_582_837_560);
}
