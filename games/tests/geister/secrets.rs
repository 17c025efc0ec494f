//! A seat learns nothing of the colours that it has not been shown: with them permuted, it sees the
//! same at each ply.

use proptest::prelude::*;
use taikyoku_games::geister::{Move, Placement, Position, View};

use super::{drawn, random_move, rng};

/// A random game up to `plies`, or to its last move but one.
fn history(seed: u64, plies: usize) -> (Position, Vec<Move>, Position) {
    let mut rng = rng(seed);
    let start = drawn(&mut rng, 300);
    let (mut position, mut moves) = (start, Vec::new());
    while moves.len() < plies {
        let mv = random_move(&position, &mut rng);
        let mut next = position;
        next.play(mv).unwrap();
        if next.end().is_some() {
            break;
        }
        position = next;
        moves.push(mv);
    }
    (start, moves, position)
}

fn views(start: Position, seat: u8, moves: &[Move]) -> Vec<View> {
    let mut position = start;
    let mut views = vec![position.view(seat)];
    for &mv in moves {
        position.play(mv).unwrap();
        views.push(position.view(seat));
    }
    views
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn permuted_colours_give_the_same_views(
        seed: u64, plies in 0_usize..300, seat in 0_u8..2, pick: prop::sample::Index
    ) {
        let (start, moves, last) = history(seed, plies);
        // Any placement that agrees with the captures seen; nobody has escaped.
        let possible: Vec<Placement> = last.view(seat).placements().collect();
        let mut placements = [start.placement(0), start.placement(1)];
        placements[usize::from(1 - seat)] = possible[pick.index(possible.len())];
        let other = Position::new(placements, start.rules());

        let (one, two) = (views(start, seat, &moves), views(other, seat, &moves));
        prop_assert_eq!(&one, &two);
        for (a, b) in one.iter().zip(&two) {
            prop_assert_eq!(format!("{a:?} {a}"), format!("{b:?} {b}"));
        }
    }

    #[test]
    fn colours_that_were_shown_make_a_difference(seed: u64, seat in 0_u8..2) {
        let (start, moves, last) = history(seed, 300);
        let view = last.view(seat);
        for p in Placement::ALL {
            if view.allows(p) {
                continue;
            }
            let mut placements = [start.placement(0), start.placement(1)];
            placements[usize::from(1 - seat)] = p;
            let mut position = Position::new(placements, start.rules());
            let mut same = true;
            for &mv in &moves {
                same &= position.play(mv).is_ok();
            }
            prop_assert!(!same || position.view(seat) != view);
        }
    }
}
