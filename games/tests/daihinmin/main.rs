//! Tests of Daihinmin against slow and obvious restatements of its rules.

mod conformance;
mod determinize;
mod foresight;
mod legal;
mod notation;
mod oracle;
mod perft;
#[path = "../perft/mod.rs"]
mod perft_file;
mod session;
mod view;

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_games::daihinmin::{
    Cards, Dealer, DealerKind, Meld, Position, Rules, Session, SessionRules,
};

fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// A number in 0..n.
fn below(rng: &mut impl Rng, n: usize) -> usize {
    (rng.next_u64() % n as u64) as usize
}

/// The start of a game with freshly dealt hands.
fn dealt(seed: u64, rules: Rules) -> Position {
    let rules = SessionRules {
        game: rules,
        ..SessionRules::default()
    };
    Session::new(rules, Dealer::new(DealerKind::Modern, seed))
        .deal()
        .start()
}

/// A move drawn at random; a pass only now and then, so that games move on.
fn random_move(position: &Position, moves: &mut Vec<Meld>, rng: &mut impl Rng) -> Meld {
    position.legal_moves(moves);
    if moves.len() > 1 && below(rng, 4) > 0 {
        moves[1 + below(rng, moves.len() - 1)]
    } else {
        moves[below(rng, moves.len())]
    }
}

fn cards(text: &str) -> Cards {
    text.parse().unwrap()
}
