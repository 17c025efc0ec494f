//! Whether a player can compute the deals of a match from its first hand.

use taikyoku_games::DealKey;
use taikyoku_games::daihinmin::{
    Cards, Chance, Deal, Dealer, DealerKind, SEATS, Session, SessionRules,
};

fn session(chance: Chance) -> Session {
    Session::new(SessionRules::default(), Dealer::of(chance))
}

/// What player 0 sees of the first deal: the seats, and its own hand.
fn seen(deal: &Deal) -> ([u8; SEATS], Cards) {
    (deal.player_at, deal.dealt[usize::from(deal.seat_of(0))])
}

/// The dealers with these seeds whose first deal looks as this one does to
/// player 0: the search of a player that tries the seeds one after the other.
fn found(first: &Deal, seeds: impl Iterator<Item = u64>) -> Vec<Chance> {
    let chances = seeds.flat_map(|seed| {
        [
            Chance::Seed(DealerKind::Official, seed),
            Chance::Seed(DealerKind::Modern, seed),
            Chance::Plain(seed),
        ]
    });
    chances
        .filter(|&chance| seen(&session(chance).deal()) == seen(first))
        .collect()
}

/// A window of the seeds: all 2^32 of them cost the official dealer's attacker less than 300 s of one processor.
const WINDOW: std::ops::Range<u64> = 4_000_000_000..4_000_001_500;

#[test]
fn one_hand_betrays_a_seed() {
    for chance in [
        Chance::Seed(DealerKind::Official, 4_000_001_234),
        Chance::Plain(4_000_001_234),
        // A modern dealer with a seed is as weak as its seed.
        Chance::Seed(DealerKind::Modern, 4_000_001_234),
    ] {
        let first = session(chance).deal();
        assert_eq!(found(&first, WINDOW), [chance]);
    }
}

#[test]
fn one_hand_does_not_betray_a_key() {
    let key = DealKey::of_seed(0x5eed).part("not a seed", &[]);
    let first = session(Chance::Key(key)).deal();
    assert_eq!(found(&first, WINDOW), []);
    // Nor do seeds around the numbers in the key.
    let near = key.seed().wrapping_sub(500)..key.seed().wrapping_add(500);
    assert_eq!(found(&first, near), []);
}
