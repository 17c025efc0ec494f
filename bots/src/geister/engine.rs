//! What an engine is, a search behind a name that is asked through one seat's view, and the engines without search: random
//! moves, and the policy alone.

use std::sync::Arc;
use std::time::{Duration, Instant};

use games::geister::{Colour, Move, MoveList, Placement, Position, Rules, View};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use super::choice::{Choice, softmax};
use super::features::Sight;
use super::selfplay::{MOST_MOVES, random_placement};
use super::sums::Sums;
use super::weights::Weights;
use crate::engine::{PlayedGame, RandomEngine};
use crate::search::Usage;

pub trait Engine: Send {
    /// Which own ghosts are red in the next game.
    fn placement(&mut self) -> Placement;

    /// A game begins; `view` shows the own placement, nobody has moved.
    fn begin(&mut self, _view: &View) {}

    /// A move for the seat of the view, which is to move, within the engine's own budget and, where one is given, `limit`,
    /// whichever is less. The caller checks it.
    fn choose(&mut self, view: &View, limit: Option<Duration>) -> Move;

    /// Somebody moved, in the mover's own words: `before` is this seat's view before the move and
    /// `captured` the colour of the ghost that the move captured. Called for own moves, too.
    fn observe(&mut self, _before: &View, _mv: Move, _captured: Option<Colour>) {}

    /// The game is over, and `view` shows the enemy's colours.
    fn end(&mut self, _view: &View) {}

    fn explain(&self) -> Option<Value> {
        None
    }
}

impl Engine for RandomEngine {
    fn placement(&mut self) -> Placement {
        random_placement(&mut self.rng)
    }

    fn choose(&mut self, view: &View, _limit: Option<Duration>) -> Move {
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

    fn choose(&mut self, view: &View, _limit: Option<Duration>) -> Move {
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

/// Plays one game between the engines of seats 0 and 1 inside one process.
///
/// # Errors
/// The seat that chose an illegal move, and the move.
pub fn play_game(
    [first, second]: [&mut dyn Engine; 2],
    rules: Rules,
) -> Result<PlayedGame<Position, 2>, (u8, Move)> {
    let mut usage = [Usage::default(); 2];
    let placements = [first.placement(), second.placement()];
    let mut position = Position::new(placements, rules);
    first.begin(&position.view(0));
    second.begin(&position.view(1));
    while let Some(seat) = position.to_move() {
        let views = [position.view(0), position.view(1)];
        let begin = Instant::now();
        let mv = if seat == 0 {
            first.choose(&views[0], None)
        } else {
            second.choose(&views[1], None)
        };
        usage[usize::from(seat)].add_move(begin.elapsed(), None);
        let played = position.play(mv).map_err(|_| (seat, mv))?;
        let captured = played.captured.map(|(_, colour)| colour);
        first.observe(&views[0], mv, captured);
        second.observe(&views[1], mv, captured);
    }
    first.end(&position.final_view(0));
    second.end(&position.final_view(1));
    Ok(PlayedGame {
        end: position,
        usage,
    })
}
