//! Tests of Geister against slow and obvious restatements of its rules.

mod conformance;
mod determinize;
mod notation;
mod oracle;
mod perft;
mod rules;
mod view;

use rand::Rng;
use taikyoku_games::geister::{
    Colour, Direction, Ghost, Move, MoveList, Placement, Position, Rules,
};

use crate::{below, rng};

/// The start of a game with placements drawn at random.
fn drawn(rng: &mut impl Rng, ply_limit: u16) -> Position {
    let placements = [0; 2].map(|_| Placement::ALL[below(rng, Placement::ALL.len())]);
    Position::new(placements, Rules { ply_limit })
}

/// A move drawn at random, twice as often ahead; an escape in one of its two spellings.
fn random_move(position: &Position, rng: &mut impl Rng) -> Move {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let ahead: Vec<Move> = moves
        .iter()
        .copied()
        .filter(|mv| mv.direction == Direction::North)
        .collect();
    let mv = if !ahead.is_empty() && below(rng, 3) == 0 {
        ahead[below(rng, ahead.len())]
    } else {
        moves[below(rng, moves.len())]
    };
    let north = Move {
        direction: Direction::North,
        ..mv
    };
    let mut next = *position;
    let escapes = next.play(mv).is_ok_and(|played| played.escaped);
    if escapes && below(rng, 2) == 0 {
        north
    } else {
        mv
    }
}

/// Ghosts of `seat` that were captured or have escaped, with their colours.
fn shown(position: &Position, seat: u8) -> impl Iterator<Item = (Ghost, Colour)> {
    let position = *position;
    Ghost::ALL
        .into_iter()
        .filter(move |&ghost| position.place(seat, ghost).square().is_none())
        .map(move |ghost| (ghost, position.colour(seat, ghost)))
}

fn placement(text: &str) -> Placement {
    text.parse().unwrap()
}

fn mv(text: &str) -> Move {
    text.parse().unwrap()
}
