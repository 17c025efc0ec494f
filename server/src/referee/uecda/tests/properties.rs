//! What holds for any tables at any time, and for any hidden cards.

use games::daihinmin::{Cards, Position, Rules};
use proptest::prelude::*;
use protocol::uecda::meld_table;

use super::*;

/// A table of any cells, more often than not close to a submission.
fn any_table() -> impl Strategy<Value = CardTable> {
    let cell = (
        0..8_usize,
        0..15_usize,
        prop_oneof![Just(1), Just(1), Just(2), any::<i32>()],
    );
    prop::collection::vec(cell, 0..6).prop_map(|cells| {
        let mut table = CardTable::default();
        for (row, column, value) in cells {
            table.set(row, column, value);
        }
        table
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_tables_at_any_time_do_no_harm(
        seed in any::<u64>(),
        official in any::<bool>(),
        tables in prop::collection::vec((any_table(), 0..4_u8, 0..5_u8), 1..400),
    ) {
        let mut settings = settings(6, seed);
        let move_ms = Some(50);
        settings.clocks = ByPlayer::of(SEATS, Clocks { move_ms, ..Clocks::default() });
        if official {
            settings.compat = Compat::Official;
        }
        let mut bench = Bench::new(settings);
        for (table, what, player) in tables {
            if bench.referee.is_over() {
                break;
            }
            match what {
                0 => bench.send(&table),
                1 => {
                    bench.out.now += 20 * MS;
                    bench.referee.wake(&mut bench.out);
                    bench.collect();
                }
                2 => bench.receive(Player::new(player), &table),
                _ => bench.send(&honest(&bench.referee)),
            }
        }
        while !bench.referee.is_over() {
            let player = bench.referee.awaited().expect("somebody is awaited");
            bench.referee.lose(player, EndKind::Disconnect, "gone", &mut bench.out);
            bench.collect();
        }
        let points: u32 = bench.referee.result().points.iter().sum();
        prop_assert_eq!(points, 15 * bench.referee.result().games);
        prop_assert!(!bench.ends().is_empty());
    }

    /// What is sent to a seat depends on nothing that the seat may not know: with the hidden
    /// cards dealt otherwise among the other seats, the same answers give it the same bytes until
    /// a card tells them apart.
    #[test]
    fn a_seat_learns_nothing_of_hidden_cards(
        seed in any::<u64>(),
        swaps in prop::collection::vec((0..4_usize, 0..4_usize, 0..11_u32, 0..11_u32), 1..12),
        moves in prop::collection::vec(any::<prop::sample::Index>(), 1..80),
        looker in 0..5_u8,
    ) {
        let mut one = Bench::new(settings(1, seed));
        // The other world is made by exchanging cards between the other four seats; who leads
        // is public, so the diamond 3 stays.
        let mut hands = one.referee.position.hands;
        let seat = one.referee.deal.seat_of(looker);
        let others: Vec<usize> = (0..SEATS).filter(|&s| s != usize::from(seat)).collect();
        for (a, b, i, j) in swaps {
            let (a, b) = (others[a], others[b]);
            if a == b {
                continue;
            }
            let x = Cards::from(hands[a].nth(i % hands[a].len()));
            let y = Cards::from(hands[b].nth(j % hands[b].len()));
            if ((x | y) & Cards::DIAMOND_3).is_empty() {
                hands[a] = (hands[a] - x) | y;
                hands[b] = (hands[b] - y) | x;
            }
        }
        let mut two = Bench::new(settings(1, seed));
        two.referee.position = Position::new(hands, Rules::default());
        prop_assert_eq!(one.referee.position.table, two.referee.position.table);
        // Players choose among the moves that both worlds have, the looker among all its own.
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for pick in moves {
            if one.referee.is_over() || two.referee.is_over() {
                break;
            }
            prop_assert_eq!(one.referee.awaited(), two.referee.awaited());
            one.referee.position.legal_moves(&mut a);
            two.referee.position.legal_moves(&mut b);
            a.retain(|meld| b.contains(meld));
            let table = meld_table(a[pick.index(a.len())]);
            one.send(&table);
            two.send(&table);
            let looker = usize::from(looker);
            prop_assert_eq!(&one.sent[looker], &two.sent[looker]);
        }
    }
}
