//! What a network must be told of a game.

use models::{Encoding, Layout};

use crate::search::{Game, MOST_SEATS};

pub trait Networked: Game<Move: Send> + Send + 'static {
    /// The engine that plays it with a network.
    const ENGINE: &'static str;
    /// The network of the project, from the folder of the repository or of a release.
    const MODEL: &'static str;
    const FORMS: &'static [GameLayout<Self>];

    fn beginning() -> Self;

    /// The seats that cannot win any more without the network's knowing.
    fn barred(&self) -> [bool; MOST_SEATS] {
        [false; MOST_SEATS]
    }
}

/// How positions and moves of a game come into networks of a layout.
#[derive(Debug)]
pub struct GameLayout<G: Game> {
    pub layout: &'static Layout,
    pub pack: fn(&G, &mut [u8]),
    pub logit: fn(&G, G::Move) -> u16,
}

impl<G: Game> GameLayout<G> {
    pub const fn of<E: Encoding<Position = G, Move = G::Move>>() -> Self {
        Self {
            layout: &E::LAYOUT,
            pack: E::pack,
            logit: E::logit,
        }
    }
}
