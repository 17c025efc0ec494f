//! The generator against the oracle.

use std::collections::BTreeSet;

use rand::Rng;
use taikyoku_games::Cases;
use taikyoku_games::daihinmin::{
    Cards, Meld, Rules, Table, is_legal, legal_moves, legal_moves_no_waste,
};

use super::oracle::{
    Analysis, Field, Key, Submission, all_melds, all_submissions, allowed, beats, key_of,
};
use super::{below, dealt, random_move, rng};

/// All melds of the game with their keys, to judge many positions quickly.
struct Catalogue(Vec<(Cards, Key, Analysis, Submission)>);

impl Catalogue {
    fn new() -> Catalogue {
        let melds = all_melds().into_iter();
        Catalogue(
            melds
                .map(|(submission, analysis)| {
                    let key = submission.key();
                    (Cards::from_bits(key.0), key, analysis, submission)
                })
                .collect(),
        )
    }

    fn legal(&self, hand: Cards, field: &Field) -> BTreeSet<Key> {
        let held = self
            .0
            .iter()
            .filter(|(cards, ..)| hand.contains_all(*cards));
        held.filter(|(_, _, analysis, _)| beats(analysis, field))
            .map(|(_, key, ..)| *key)
            .collect()
    }
}

/// Compares the generators with the oracle in one position.
fn compare(catalogue: &Catalogue, table: &Table, hand: Cards, moves: &mut Vec<Meld>) {
    let expected = catalogue.legal(hand, &Field::of(table));
    legal_moves(table, hand, moves);
    assert_eq!(moves.first(), Some(&Meld::PASS));
    let found: BTreeSet<Key> = moves[1..].iter().map(|&meld| key_of(meld)).collect();
    assert_eq!(
        found.len(),
        moves.len() - 1,
        "a move twice: {hand} {table:?}"
    );
    if found != expected {
        let more: Vec<_> = found.difference(&expected).collect();
        let less: Vec<_> = expected.difference(&found).collect();
        panic!("hand {hand} on {table:?}: too many {more:?}, missing {less:?}");
    }
    let frugal: Vec<Meld> = moves
        .iter()
        .copied()
        .filter(|m| !m.wastes_joker(hand))
        .collect();
    let all = moves.clone();
    legal_moves_no_waste(table, hand, moves);
    assert_eq!(*moves, frugal, "{hand} {table:?}");
    for &meld in &all {
        assert_eq!(is_legal(table, hand, meld), Ok(()), "{hand} {meld}");
    }
}

#[test]
fn the_catalogue_has_every_submission_of_small_hands() {
    let catalogue = Catalogue::new();
    let mut rng = rng(1);
    for round in 0..400 {
        let size = 1 + below(&mut rng, 7);
        let mut hand = Cards::EMPTY;
        // Cards near each other, so that there is something to find.
        let base = below(&mut rng, 40) as u32;
        while hand.len() < size as u32 {
            let near = Cards::ALL.nth((base + below(&mut rng, 13) as u32).min(51));
            hand.insert(near);
        }
        if round % 2 == 0 {
            hand |= Cards::JOKER;
        }
        let field = Field {
            last: None,
            lock: false,
            revolution: false,
            sequences: round % 8 != 7,
        };
        let mut found = BTreeSet::new();
        all_submissions(hand, |submission| {
            if allowed(submission, hand, &field) {
                found.insert(submission.key());
            }
        });
        assert_eq!(catalogue.legal(hand, &field), found, "{hand}");
    }
}

#[test]
fn random_games_agree_with_the_oracle() {
    let catalogue = Catalogue::new();
    let mut moves = Vec::new();
    let cases = Cases::new(300_000).left();
    let mut rng = rng(cases.start);
    let mut positions = cases.start;
    let mut seed = cases.start;
    while positions < cases.end {
        seed += 1;
        let rules = match seed % 10 {
            0 => Rules {
                sequences: false,
                ..Rules::default()
            },
            1 => Rules {
                lock: false,
                ..Rules::default()
            },
            2 => Rules {
                eight_cut: false,
                ..Rules::default()
            },
            3 => Rules {
                revolution: false,
                ..Rules::default()
            },
            _ => Rules::default(),
        };
        let mut position = dealt(seed, rules);
        while !position.table.is_over() && !position.table.is_stalled() {
            compare(&catalogue, &position.table, position.hand(), &mut moves);
            let meld = random_move(&position, &mut moves, &mut rng);
            position.play(meld).unwrap();
            positions += 1;
        }
    }
}

#[test]
fn random_fields_agree_with_the_oracle() {
    let catalogue = Catalogue::new();
    let all = every_meld(&catalogue);
    let mut moves = Vec::new();
    let cases = Cases::new(300_000);
    let mut rng = rng(!cases.left().start);
    for _ in cases {
        let mut table = Table::new(0, Rules::default());
        let meld = all[below(&mut rng, all.len())];
        table.lay(meld, false);
        table.advance();
        table.lock =
            !table.field.is_pass() && !meld.is_lone_joker() && rng.next_u32().is_multiple_of(2);
        table.revolution = rng.next_u32().is_multiple_of(2);
        let mut hand = Cards::from_bits(rng.next_u64() & rng.next_u64()) - meld.cards();
        if !meld.cards().has_joker() && rng.next_u32().is_multiple_of(2) {
            hand |= Cards::JOKER;
        }
        compare(&catalogue, &table, hand, &mut moves);
    }
}

/// Every meld of the game as the crate has them, out of hands that hold the whole deck.
fn every_meld(catalogue: &Catalogue) -> Vec<Meld> {
    let mut moves = Vec::new();
    legal_moves(&Table::new(0, Rules::default()), Cards::ALL, &mut moves);
    assert_eq!(moves.len(), catalogue.0.len() + 1);
    moves.split_off(1)
}

#[test]
fn what_is_not_listed_is_not_legal() {
    let catalogue = Catalogue::new();
    let all = every_meld(&catalogue);
    let mut moves = Vec::new();
    let mut rng = rng(4);
    for seed in 0..60 {
        let mut position = dealt(1000 + seed, Rules::default());
        while !position.table.is_over() && !position.table.is_stalled() {
            position.legal_moves(&mut moves);
            let listed: BTreeSet<Key> = moves.iter().map(|&m| key_of(m)).collect();
            for &meld in &all {
                let legal = is_legal(&position.table, position.hand(), meld).is_ok();
                assert_eq!(legal, listed.contains(&key_of(meld)), "{meld} {position:?}");
                if !legal {
                    let before = position;
                    assert!(position.play(meld).is_err());
                    assert_eq!(position, before);
                }
            }
            let meld = random_move(&position, &mut moves, &mut rng);
            position.play(meld).unwrap();
        }
    }
}
