//! The eight symmetries.

use taikyoku_games::score_four::{LINES, Peg, Symmetry};

use super::random_game;

#[test]
fn squares_go_where_their_pegs_go() {
    for symmetry in Symmetry::ALL {
        for peg in Peg::ALL {
            for level in 0..4 {
                let there = symmetry.peg(peg).square(level).unwrap();
                assert_eq!(symmetry.squares(peg.square(level).unwrap()), there);
            }
            assert_eq!(symmetry.inverse().peg(symmetry.peg(peg)), peg);
        }
        for line in LINES {
            assert!(LINES.contains(&symmetry.squares(line)));
        }
    }
    for (i, a) in Symmetry::ALL.into_iter().enumerate() {
        for b in &Symmetry::ALL[..i] {
            assert!(Peg::ALL.iter().any(|&peg| a.peg(peg) != b.peg(peg)));
        }
    }
}

#[test]
fn a_transformed_game_is_the_game_of_transformed_moves() {
    for seed in 0..100 {
        for symmetry in Symmetry::ALL {
            let mut other = taikyoku_games::score_four::Position::START;
            for (position, peg) in random_game(seed) {
                assert_eq!(position.transformed(symmetry), other);
                if let Some(peg) = peg {
                    other.play(symmetry.peg(peg)).unwrap();
                }
            }
        }
    }
}
