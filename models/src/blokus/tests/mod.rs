//! The layouts against the rules, told in another way, and against the fixtures that the training program checks too.

mod fast;
mod fixture;
mod paper;

use games::blokus::{Placement, Scene};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A game of random moves, large pieces preferred in every other game so that boards fill up.
fn random_game(seed: u64) -> Vec<Placement> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut scene = Scene::new();
    let (mut game, mut legal) = (Vec::new(), Vec::new());
    loop {
        scene.board().legal_moves(&mut legal);
        if legal.is_empty() {
            return game;
        }
        // Moves come in the order of their sizes.
        let from = if seed.is_multiple_of(2) {
            legal.len() * 3 / 4
        } else {
            0
        };
        let mv = legal[rng.random_range(from..legal.len())];
        game.push(mv);
        scene.play_unchecked(mv);
    }
}

/// The scenes of a game, but for the last, whose game is over.
fn scenes(game: &[Placement]) -> impl Iterator<Item = Scene> {
    game.iter().scan(Scene::new(), |scene, &mv| {
        let before = *scene;
        scene.play_unchecked(mv);
        Some(before)
    })
}
