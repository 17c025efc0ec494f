//! The learned policy: what the networks say of a decision, and the engine that plays it without search.

use std::sync::Arc;
use std::time::Duration;

use games::geister::{Move, MoveList, Placement, View};
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use super::choice::{Choice, softmax};
use super::engine::Engine;
use super::features::Sight;
use super::inputs::GeisterNetworks;
use super::selfplay::{MOST_MOVES, random_placement};
use crate::learning::Inputs;

/// Room for what the networks are asked, reused from decision to decision.
#[derive(Clone, Debug, Default)]
pub(super) struct NetworkInputs {
    inputs: Inputs,
    logits: Vec<f32>,
}

impl NetworkInputs {
    pub(super) fn take_in(&mut self, sight: &Sight, moves: &MoveList) {
        self.inputs.set_ghosts(sight, moves);
    }

    /// The logit of each move of the decision that was taken in.
    pub(super) fn logits(&mut self, networks: &GeisterNetworks, out: &mut [f64]) {
        networks.policy.logits(&self.inputs, &mut self.logits);
        for (out, &logit) in out.iter_mut().zip(&self.logits) {
            *out = f64::from(logit);
        }
    }

    /// The chance of each move under the policy at a temperature.
    pub(super) fn chances(
        &mut self,
        networks: &GeisterNetworks,
        sight: &Sight,
        moves: &MoveList,
        temperature: f64,
        out: &mut [f64],
    ) {
        self.take_in(sight, moves);
        self.logits(networks, out);
        softmax(out, temperature);
    }

    /// The value for the seat that sees this and is to move, 0 a loss to 1 a win.
    pub(super) fn value(&mut self, networks: &GeisterNetworks, sight: &Sight) -> f64 {
        self.take_in(sight, &MoveList::new());
        let judge = &networks.value;
        f64::from(judge.output(&judge.situation(&self.inputs))).clamp(0.0, 1.0)
    }
}

/// The policy alone: a ghost that can escape does, else the likeliest move, or a draw at a temperature.
pub struct GeisterPolicy {
    networks: Arc<GeisterNetworks>,
    choice: Choice,
    asked: NetworkInputs,
    rng: Xoshiro256PlusPlus,
    last: Option<View>,
}

impl GeisterPolicy {
    pub fn new(networks: Arc<GeisterNetworks>, choice: Choice, seed: u64) -> GeisterPolicy {
        GeisterPolicy {
            networks,
            choice,
            asked: NetworkInputs::default(),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            last: None,
        }
    }
}

impl Engine for GeisterPolicy {
    fn placement(&mut self) -> Placement {
        random_placement(&mut self.rng)
    }

    fn choose(&mut self, view: &View, _limit: Option<Duration>) -> Move {
        self.last = Some(*view);
        if let Some(mv) = view.escape() {
            return mv;
        }
        let mut moves = MoveList::new();
        view.legal_moves(&mut moves);
        let mut values = [0.0; MOST_MOVES];
        let values = &mut values[..moves.len()];
        self.asked.take_in(&Sight::of_view(view), &moves);
        self.asked.logits(&self.networks, values);
        moves[self.choice.choose(values, &mut self.rng)]
    }

    fn explain(&self) -> Option<Value> {
        let view = self.last.as_ref()?;
        if let Some(mv) = view.escape() {
            return Some(json!({
                "engine": "policy",
                "move": mv.to_string(),
                "reason": "escape",
            }));
        }
        let mut moves = MoveList::new();
        view.legal_moves(&mut moves);
        let sight = Sight::of_view(view);
        let (mut asked, mut chances) = (NetworkInputs::default(), [0.0; MOST_MOVES]);
        let chances = &mut chances[..moves.len()];
        asked.chances(&self.networks, &sight, &moves, 1.0, chances);
        Some(json!({
            "engine": "policy",
            "value": asked.value(&self.networks, &sight),
            "moves": moves.iter().zip(chances).map(|(mv, p)| json!({
                "move": mv.to_string(),
                "probability": p,
            })).collect::<Vec<_>>(),
        }))
    }
}
