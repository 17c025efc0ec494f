//! The policy against the formulas of the paper, written again slowly and from the text alone.

use games::geister::{Colour, Ghost, Move, MoveList, Place, Position, Rules};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_bots::geister::features::{FEATURES, Sight};
use taikyoku_bots::geister::selfplay::random_placement;
use taikyoku_bots::geister::{PAIRS, Pair, Sums, Weights};

/// The 122 features of an after-state as zeros and ones, from the position before and after the move.
fn slow_features(before: &Position, mv: Move) -> Vec<f64> {
    let seat = before.to_move().expect("a game that goes on");
    let other = 1 - seat;
    let mut after = *before;
    let played = after.play(mv).expect("a legal move");
    let mut x = vec![0.0; FEATURES];
    for ghost in Ghost::ALL {
        if let Place::On(square) = after.place(seat, ghost) {
            let plane = match after.colour(seat, ghost) {
                Colour::Blue => 0,
                Colour::Red => 36,
            };
            x[plane + usize::from(square.x() + 6 * square.y())] = 1.0;
        }
        if let Place::On(square) = after.place(other, ghost) {
            x[72 + usize::from((5 - square.x()) + 6 * (5 - square.y()))] = 1.0;
        }
    }
    let counts = [
        (other, Colour::Blue),
        (other, Colour::Red),
        (seat, Colour::Blue),
        (seat, Colour::Red),
    ];
    for (which, (side, colour)) in counts.into_iter().enumerate() {
        let gone = Ghost::ALL
            .into_iter()
            .filter(|&g| {
                before.colour(side, g) == colour && before.place(side, g) == Place::Captured
            })
            .count();
        if gone > 0 {
            x[108 + 3 * which + gone - 1] = 1.0;
        }
    }
    x[120] = f64::from(u8::from(played.captured.is_some()));
    x[121] = f64::from(u8::from(played.escaped));
    x
}

fn slow_preference(theta: &[f64], x: &[f64]) -> f64 {
    let mut h = 0.0;
    for i in 0..FEATURES {
        for j in 0..=i {
            h += theta[i * (i + 1) / 2 + j] * x[i] * x[j];
        }
    }
    h
}

fn random_weights(rng: &mut Xoshiro256PlusPlus, scale: f64) -> Weights {
    let values: Vec<f64> = (0..PAIRS)
        .map(|_| scale * (rng.random::<f64>() - 0.5))
        .collect();
    Weights::from_pairs(&values)
}

fn random_start(rng: &mut Xoshiro256PlusPlus) -> Position {
    let placements = [0; 2].map(|_| random_placement(rng));
    Position::new(placements, Rules::default())
}

/// Random positions until `count` have been looked at, with their legal moves.
fn each_position(count: u32, seed: u64, mut look: impl FnMut(&Position, &MoveList)) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut moves = MoveList::new();
    let mut seen = 0;
    while seen < count {
        let mut position = random_start(&mut rng);
        while position.to_move().is_some() {
            position.legal_moves(&mut moves);
            look(&position, &moves);
            seen += 1;
            let mv = moves[rng.random_range(0..moves.len())];
            position.play(mv).expect("a listed move");
        }
    }
}

fn agrees_with_the_formula(weights: &Weights, theta: &[f64]) {
    each_position(1000, 7, |position, moves| {
        let sight = Sight::of(position, position.to_move().expect("goes on"));
        let view = position.view(position.to_move().expect("goes on"));
        assert_eq!(sight, Sight::of_view(&view));
        let sums = Sums::of(weights, &sight);
        let mut shift = None;
        for &mv in moves {
            let slow = slow_preference(theta, &slow_features(position, mv));
            let sparse = weights.preference(&sight.after_state(mv));
            assert!((slow - sparse).abs() < 1e-6, "{mv}: {slow} {sparse}");
            // The carried sums leave out what is the same for all moves.
            let carried = sums.preference(weights, sight.change(mv));
            let shift = *shift.get_or_insert(slow - carried);
            assert!((slow - carried - shift).abs() < 1e-6, "{mv}");
        }
    });
}

#[test]
fn preferences_agree_with_the_formula() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let weights = random_weights(&mut rng, 2.0);
    agrees_with_the_formula(&weights, &weights.pairs());
}

#[test]
fn preferences_with_the_weights_of_the_author_agree_with_his_formula() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/geister");
    for file in ["theta_1M.npy", "theta_9M.npy"] {
        let path = std::path::Path::new(folder).join(file);
        if !path.exists() {
            eprintln!("skipped: {file} is not beside the repository");
            continue;
        }
        let bytes = std::fs::read(&path).expect("readable");
        let theta: Vec<f64> = bytes[128..]
            .chunks_exact(8)
            .map(|c| f64::from_le_bytes(c.try_into().expect("eight bytes")))
            .collect();
        let weights = Weights::read(&path).expect("weights");
        each_position(1000, 8, |position, moves| {
            let sight = Sight::of(position, position.to_move().expect("goes on"));
            for &mv in moves {
                // The 127 inputs of the author, from the 122 features.
                let x = slow_features(position, mv);
                let mut input = [0.0; 127];
                for square in 0..36 {
                    for plane in 0..3 {
                        input[42 * plane + square] = x[36 * plane + square];
                    }
                }
                for which in 0..4 {
                    for count in 0..3 {
                        input[42 * count + 36 + which] = x[108 + 3 * which + count];
                    }
                }
                (input[40], input[41], input[126]) = (x[120], x[121], 1.0);
                let mut slow = -theta[126 * 127 / 2 + 126];
                for i in 0..127 {
                    for j in 0..=i {
                        slow += theta[i * (i + 1) / 2 + j] * input[i] * input[j];
                    }
                }
                let fast = weights.preference(&sight.after_state(mv));
                assert!((slow - fast).abs() < 1e-6, "{mv}: {slow} {fast}");
            }
        });
        agrees_with_the_formula(&weights, &weights.pairs());
    }
}

#[test]
fn sums_carried_along_a_game_stay_right() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let weights = [0; 2].map(|_| random_weights(&mut rng, 1.0));
    let both = [&weights[0], &weights[1]];
    let mut moves = MoveList::new();
    for _ in 0..300 {
        let mut position = random_start(&mut rng);
        let mut pair = Pair::of(both, &position);
        while let Some(seat) = position.to_move() {
            for s in 0..2_u8 {
                let fresh = Sums::of(both[usize::from(s)], &Sight::of(&position, s));
                assert!(fresh.distance(pair.seat(s)) < 1e-9);
            }
            position.legal_moves(&mut moves);
            let mv = moves[rng.random_range(0..moves.len())];
            let change = Sight::of(&position, seat).change(mv);
            let played = position.play(mv).expect("a listed move");
            if position.end().is_none() {
                pair.follow(both, seat, mv, change, played, &position);
            }
        }
    }
}

#[test]
fn the_layout_of_the_author_reads_back() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let weights = random_weights(&mut rng, 1.0);
    let again = Weights::from_author(&weights.author_layout());
    for (a, b) in weights.pairs().iter().zip(again.pairs()) {
        assert!((a - b).abs() < 1e-12);
    }
}
