//! Dobutsu shogi.

use games::dobutsu::{Board, Move, PieceKind, SQUARES, Square};

use crate::layout::{Encoding, Layout, set};

/// The layout `dobutsu`: the board as the mover sees it, which plays to the top. Planes 0-4 are the mover's lion,
/// giraffes, elephants, chicks and hens, planes 5-9 those of the other side; the constants are the numbers of giraffes,
/// elephants and chicks in hand, the mover's first.
///
/// A logit is `12 plane + x + 3 y`, y = 0 the bottom row: planes 0-7 are steps by direction, clockwise from forward,
/// and 11 is a step that promotes, at the square of departure; 8-10 are drops of a giraffe, an elephant and a chick.
#[derive(Clone, Copy, Debug)]
pub struct Dobutsu;

/// The plane of logits of a step by three rows of three: up, level, down.
const DIRECTIONS: [u16; 9] = [7, 0, 1, 6, u16::MAX, 2, 5, 4, 3];
const DROPS: u16 = 8;
const PROMOTIONS: u16 = 11;

/// The bit of a square in a plane: rows count from the bottom.
const fn bit(square: Square) -> usize {
    square.x() as usize + 3 * (3 - square.y() as usize)
}

impl Encoding for Dobutsu {
    type Position = Board;
    type Move = Move;

    const LAYOUT: Layout = Layout {
        name: "dobutsu",
        game: "dobutsu",
        version: 1,
        planes: 10,
        constants: &[0.5; 6],
        globals: 0,
        height: 4,
        width: 3,
        policy: 12 * SQUARES,
        seats: 2,
        outcomes: 0,
    };

    fn pack(board: &Board, packed: &mut [u8]) {
        assert_eq!(packed.len(), Self::LAYOUT.bytes(), "a packed position");
        packed.fill(0);
        let sides = [Board::own, Board::enemy].into_iter();
        let masks = sides.flat_map(|side| PieceKind::ALL.map(|kind| side(board, kind)));
        for (plane, mask) in masks.enumerate() {
            let mut rest = mask;
            while rest != 0 {
                let square = Square::from_index(rest.trailing_zeros() as usize);
                set(packed, plane * SQUARES + square.map_or(0, bit));
                rest &= rest - 1;
            }
        }
        let hands = &mut packed[Self::LAYOUT.plane_bytes()..];
        for (i, kind) in PieceKind::HELD.into_iter().enumerate() {
            hands[i] = board.own_hand(kind);
            hands[3 + i] = board.enemy_hand(kind);
        }
    }

    /// Of a move as the mover sees it.
    #[inline]
    fn logit(_: &Board, mv: Move) -> u16 {
        let to = mv.to();
        let (plane, square) = match (mv.from(), mv.dropped()) {
            (Some(from), _) if mv.promotes() => (PROMOTIONS, from),
            (Some(from), _) => {
                let across = 1 + to.x() - from.x();
                let down = 1 + to.y() - from.y();
                (DIRECTIONS[usize::from(across + 3 * down)], from)
            }
            (None, Some(kind)) => (DROPS + kind as u16 - 1, to),
            (None, None) => unreachable!("a move is a step or a drop"),
        };
        plane * SQUARES as u16 + bit(square) as u16
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use games::dobutsu::{MoveList, Position};
    use rand::{RngExt as _, SeedableRng as _};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::testing;

    /// The moves of a random game of at most 60 plies, with the position before each.
    fn random_game(seed: u64) -> Vec<(Position, Move)> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut position = Position::START;
        let mut game = Vec::new();
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        while !legal.is_empty() && game.len() < 60 {
            let mv = legal[rng.random_range(0..legal.len())];
            game.push((position, mv));
            position.play_unchecked(mv);
            position.legal_moves(&mut legal);
        }
        game
    }

    fn framed(position: &Position) -> Vec<Move> {
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        legal.iter().map(|&mv| position.framed(mv)).collect()
    }

    #[test]
    fn planes_are_the_pieces_and_constants_the_hands() {
        let layout = Dobutsu::LAYOUT;
        for (position, _) in (0..50).flat_map(random_game) {
            let board = position.board();
            let mut packed = [0xaa; Dobutsu::LAYOUT.bytes()];
            Dobutsu::pack(board, &mut packed);
            let (mut x, mut g) = ([0.0; 16 * SQUARES], []);
            layout.expand(&packed, &mut x, &mut g);
            for square in Square::ALL {
                let plane = board.piece(square).map(|(kind, own)| {
                    let side = if own { 0 } else { 5 };
                    side + kind as usize
                });
                let row = 3 - usize::from(square.y());
                for other in 0..10 {
                    let bit = x[other * SQUARES + 3 * row + usize::from(square.x())];
                    assert_eq!(bit > 0.5, plane == Some(other));
                }
            }
            for (i, kind) in PieceKind::HELD.into_iter().enumerate() {
                let held = |side: usize| (x[(10 + 3 * side + i) * SQUARES] * 2.0).round() as u8;
                assert_eq!(held(0), board.own_hand(kind));
                assert_eq!(held(1), board.enemy_hand(kind));
            }
        }
    }

    #[test]
    fn moves_have_logits_of_their_own_which_the_mirror_keeps_apart() {
        for (position, _) in (0..50).flat_map(random_game) {
            let board = position.board();
            let moves = framed(&position);
            let logits: HashSet<u16> = moves.iter().map(|&mv| Dobutsu::logit(board, mv)).collect();
            assert_eq!(logits.len(), moves.len());
            assert!(
                logits
                    .iter()
                    .all(|&logit| usize::from(logit) < Dobutsu::LAYOUT.policy)
            );
        }
    }

    #[test]
    fn fixtures() {
        let game = random_game(3);
        let mut entries = Vec::new();
        for (ply, (position, _)) in game.iter().enumerate() {
            let moves = game[..ply].iter().map(|(_, mv)| mv.to_string()).collect();
            entries.push(testing::Entry::of::<Dobutsu>(
                moves,
                position.board(),
                &framed(position),
            ));
        }
        testing::check("dobutsu", &entries);
    }
}
