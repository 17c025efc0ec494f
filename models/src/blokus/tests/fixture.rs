//! The fixtures: positions and what they are packed into. `TAIKYOKU_WRITE_FIXTURES=1 cargo test -p taikyoku-models` writes them
//! anew, after a change that is meant.

use games::blokus::{Placement, Scene};

use super::{random_game, scenes};
use crate::blokus::{Fast, Paper};
use crate::{Encoding, fixture};

fn entries<E>(seed: u64) -> Vec<fixture::Entry>
where
    E: Encoding<Position = Scene, Move = Placement>,
{
    let game = random_game(seed);
    let every = scenes(&game).enumerate().filter(|(ply, _)| ply % 7 == 3);
    every
        .map(|(ply, scene)| {
            let mut legal = Vec::new();
            scene.board().legal_moves(&mut legal);
            let moves = game[..ply].iter().map(ToString::to_string).collect();
            fixture::Entry::of::<E>(moves, &scene, &legal)
        })
        .collect()
}

#[test]
fn fixtures_of_the_fast_layout() {
    let games = [entries::<Fast>(10), entries::<Fast>(11)];
    fixture::check("blokus-fast", &games.concat());
}

#[test]
fn fixtures_of_the_papers_layout() {
    fixture::check("blokus-paper", &entries::<Paper>(12));
}
