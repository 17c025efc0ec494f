//! Every meld and every hand reads back from what it prints.

use proptest::prelude::*;
use taikyoku_games::daihinmin::{Cards, Meld, Rules, Table, legal_moves};
use taikyoku_games::{Daihinmin, Game as _};

#[test]
fn every_meld_reads_back() {
    let mut moves = Vec::new();
    legal_moves(&Table::new(0, Rules::default()), Cards::ALL, &mut moves);
    assert!(moves.len() > 2_000);
    for meld in moves {
        let text = meld.to_string();
        assert_eq!(text.parse::<Meld>(), Ok(meld), "{text}");
        assert_eq!(text.parse::<Meld>().unwrap().to_string(), text);
    }
}

proptest! {
    #[test]
    fn every_hand_reads_back(bits: u64) {
        let hand = Cards::from_bits(bits);
        prop_assert_eq!(hand.to_string().parse::<Cards>(), Ok(hand));
    }
}

#[test]
fn the_seat_to_move_has_cards_and_is_in_the_game() {
    let rules = Rules::default();
    let text = Daihinmin::begin(&rules, 1).position();
    assert!(Daihinmin::read(&rules, &text).is_ok(), "{text}");
    let words: Vec<&str> = text.split(' ').collect();
    let turn: usize = words[6].parse().unwrap();
    let with = |index: usize, word: &str| {
        let mut words = words.clone();
        words[index] = word;
        words.join(" ")
    };
    let alive = (0x1f & !(1 << turn)).to_string();
    let mut hands: Vec<&str> = words[0].split('/').collect();
    let empty = Cards::EMPTY.to_string();
    hands[turn] = &empty;
    for wrong in [with(8, &alive), with(0, &hands.join("/"))] {
        let error = Daihinmin::read(&rules, &wrong).unwrap_err();
        assert!(error.to_string().contains("the seat to move"), "{error}");
    }
    // A position at the end of a game has no seat to move.
    let over = with(8, "0");
    assert!(Daihinmin::read(&rules, &over).is_ok(), "{over}");
}
