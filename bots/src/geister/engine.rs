//! What an engine is, a search behind a name that is asked through one seat's view, and the engines without search: random
//! moves, and the policy alone.

use std::sync::Arc;
use std::time::Duration;

use games::geister::{Colour, Move, MoveList, Placement, View};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use super::choice::{Choice, softmax};
use super::features::Sight;
use super::selfplay::{MOST_MOVES, random_placement};
use super::sums::Sums;
use super::weights::Weights;
use crate::engine::RandomEngine;

pub trait Engine: Send {
    /// Which own ghosts are red in the next game.
    fn placement(&mut self) -> Placement;

    /// A game begins; `view` shows the own placement, nobody has moved.
    fn begin(&mut self, _view: &View) {}

    /// The next decision may take this long; limits of the options still end it.
    fn set_time(&mut self, _time: Duration) {}

    /// A move for the seat of the view, which is to move. The caller checks it.
    fn choose(&mut self, view: &View) -> Move;

    /// Somebody moved, in the mover's own words: `before` is this seat's view before the move and
    /// `captured` the colour of the ghost that the move captured. Called for own moves, too.
    fn observe(&mut self, _before: &View, _mv: Move, _captured: Option<Colour>) {}

    /// The game is over, and `view` shows the enemy's colours.
    fn end(&mut self, _view: &View) {}

    /// The reasons for the last choice, for the `--json` log.
    fn explain(&self) -> Option<Value> {
        None
    }
}

impl Engine for RandomEngine {
    fn placement(&mut self) -> Placement {
        random_placement(&mut self.rng)
    }

    fn choose(&mut self, view: &View) -> Move {
        let mut moves = MoveList::new();
        view.legal_moves(&mut moves);
        moves[self.rng.random_range(0..moves.len())]
    }
}

/// The policy of the paper: placements uniform over the 70, the move with the highest preference, or a draw
/// from the softmax.
pub struct PaperEngine {
    weights: Arc<Weights>,
    choice: Choice,
    rng: Xoshiro256PlusPlus,
    last: Vec<(Move, f64)>,
}

impl PaperEngine {
    /// With weights, the way to choose, and a seed.
    pub fn new(weights: Arc<Weights>, choice: Choice, seed: u64) -> Self {
        Self {
            weights,
            choice,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            last: Vec::new(),
        }
    }
}

impl Engine for PaperEngine {
    fn placement(&mut self) -> Placement {
        random_placement(&mut self.rng)
    }

    fn choose(&mut self, view: &View) -> Move {
        let mut moves = MoveList::new();
        view.legal_moves(&mut moves);
        let sight = Sight::of_view(view);
        let sums = Sums::of(&self.weights, &sight);
        let mut values = [0.0; MOST_MOVES];
        sums.preferences(&self.weights, &sight, &moves, &mut values);
        let values = &mut values[..moves.len()];
        self.last.clear();
        self.last
            .extend(moves.iter().copied().zip(values.iter().copied()));
        moves[self.choice.choose(values, &mut self.rng)]
    }

    fn explain(&self) -> Option<Value> {
        let mut probabilities: Vec<f64> = self.last.iter().map(|&(_, h)| h).collect();
        softmax(&mut probabilities, 1.0);
        let moves: Vec<Value> = self
            .last
            .iter()
            .zip(probabilities)
            .map(|(&(mv, h), p)| json!({"move": mv.to_string(), "preference": h, "probability": p}))
            .collect();
        Some(json!({"engine": "paper", "moves": moves}))
    }
}
