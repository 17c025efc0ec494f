//! What holds for any hidden cards. Any tables at any time are a matter of the fuzz target `uecda_referee`.

use games::daihinmin::{Cards, Position, Rules};
use proptest::prelude::*;
use protocol::uecda::meld_table;

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

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
