//! Tests of Daihinmin against slow and obvious restatements of its rules.

mod conformance;
mod determinize;
mod foresight;
mod legal;
mod notation;
mod oracle;
mod perft;
mod session;
mod view;

use rand::Rng;
use taikyoku_games::daihinmin::{
    Cards, Dealer, DealerKind, Meld, Position, Rules, Session, SessionRules,
};

use crate::{below, rng};

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
