//! Learning what players do from decisions that they have made, by cross-entropy.

use games::daihinmin::Meld;

use super::information_state::InformationState;
use super::inputs::{DaihinminNetworks, INPUTS};
use super::mover::{Choices, Mover};
use crate::learning::{Adam, Inputs, Network, to_log_chances};

/// What a player decided, and between what moves.
#[derive(Clone, Debug)]
pub struct MoveLesson {
    inputs: Inputs,
    chosen: usize,
}

impl MoveLesson {
    /// The lesson of a decision; `None` if there was nothing to decide, or the policy does not list the move.
    pub fn of(mover: &mut Mover<'_>, known: &InformationState, meld: Meld) -> Option<MoveLesson> {
        if mover.consider(known) != Choices::Several {
            return None;
        }
        let chosen = mover.moves.iter().position(|&m| m == meld)?;
        let mut inputs = Inputs::default();
        inputs.set_melds(known, &mover.moves);
        Some(MoveLesson { inputs, chosen })
    }

    /// The logarithm of the chance that a policy gives to what was chosen, and whether that is its likeliest move. `logs` is memory
    /// for the logarithms of all chances.
    pub fn foresee(&self, policy: &Network<INPUTS>, logs: &mut Vec<f32>) -> (f32, bool) {
        policy.logits(&self.inputs, logs);
        to_log_chances(logs);
        let chosen = logs[self.chosen];
        (chosen, logs.iter().all(|&log| log <= chosen))
    }

    /// Adds to `slopes` how the logarithm of the chance that a policy gives to what was chosen changes with each number;
    /// returns the logarithm.
    pub fn add_slopes(
        &self,
        policy: &Network<INPUTS>,
        slopes: &mut Network<INPUTS>,
        logs: &mut Vec<f32>,
    ) -> f32 {
        let (log, _) = self.foresee(policy, logs);
        for log in logs.iter_mut() {
            *log = -log.exp();
        }
        logs[self.chosen] += 1.0;
        slopes.add_gradient(policy, &self.inputs, logs);
        log
    }
}

#[derive(Debug)]
pub(super) struct Imitator {
    /// The policy learns; the value does not.
    pub(super) networks: DaihinminNetworks,
    gradient: Network<INPUTS>,
    adam: Adam,
    logs: Vec<f32>,
}

impl Imitator {
    pub(super) fn new(networks: DaihinminNetworks) -> Imitator {
        Imitator {
            gradient: Network::zero(),
            adam: Adam::new(networks.policy.numbers().len(), [0.9, 0.999]),
            networks,
            logs: Vec::new(),
        }
    }

    /// Takes a step toward what was chosen in some lessons; `rate` is about how far a number goes at most.
    pub(super) fn learn<'a>(&mut self, lessons: impl Iterator<Item = &'a MoveLesson>, rate: f32) {
        self.gradient.numbers_mut().fill(0.0);
        let mut count = 0;
        for lesson in lessons {
            lesson.add_slopes(&self.networks.policy, &mut self.gradient, &mut self.logs);
            count += 1;
        }
        if count > 0 {
            self.adam.step(
                self.networks.policy.numbers_mut(),
                self.gradient.numbers(),
                1.0 / count as f32,
                rate,
            );
        }
    }

    /// The logarithm of the chance that the policy gives to what was chosen.
    pub(super) fn foresee(&mut self, lesson: &MoveLesson) -> f32 {
        lesson.foresee(&self.networks.policy, &mut self.logs).0
    }
}
