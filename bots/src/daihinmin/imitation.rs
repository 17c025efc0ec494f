//! Learning what players do from decisions that they have made, by cross-entropy.

use games::daihinmin::Meld;

use super::information_state::InformationState;
use super::inputs::{INPUTS, Networks};
use super::mover::{Choices, Mover};
use crate::learning::{Adam, Inputs, Network, to_log_chances};

/// What a player decided, and between what moves.
#[derive(Clone, Debug)]
pub(super) struct MoveLesson {
    inputs: Inputs,
    chosen: usize,
}

impl MoveLesson {
    /// The lesson of a decision; `None` if there was nothing to decide, or the policy does not list the move.
    pub(super) fn of(
        mover: &mut Mover<'_>,
        known: &InformationState,
        meld: Meld,
    ) -> Option<MoveLesson> {
        if mover.consider(known) != Choices::Several {
            return None;
        }
        let chosen = mover.moves.iter().position(|&m| m == meld)?;
        let mut inputs = Inputs::default();
        inputs.set_melds(known, &mover.moves);
        Some(MoveLesson { inputs, chosen })
    }
}

#[derive(Debug)]
pub(super) struct Imitator {
    /// The policy learns; the value does not.
    pub(super) networks: Networks,
    gradient: Network<INPUTS>,
    adam: Adam,
    logits: Vec<f32>,
}

impl Imitator {
    pub(super) fn new(networks: Networks) -> Imitator {
        Imitator {
            gradient: Network::zero(),
            adam: Adam::new(networks.policy.numbers().len(), [0.9, 0.999]),
            networks,
            logits: Vec::new(),
        }
    }

    /// Takes a step toward what was chosen in some lessons; `rate` is about how far a number goes at most.
    pub(super) fn learn<'a>(&mut self, lessons: impl Iterator<Item = &'a MoveLesson>, rate: f32) {
        self.gradient.numbers_mut().fill(0.0);
        let mut count = 0;
        for lesson in lessons {
            self.foresee(lesson);
            // The slope of the logarithm of the chosen move's chance.
            self.logits.iter_mut().for_each(|log| *log = -log.exp());
            self.logits[lesson.chosen] += 1.0;
            self.gradient
                .add_gradient(&self.networks.policy, &lesson.inputs, &self.logits);
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

    /// The logarithm of the chance that the policy gives to what was chosen, and whether that is its likeliest move.
    pub(super) fn foresee(&mut self, lesson: &MoveLesson) -> (f32, bool) {
        self.networks
            .policy
            .logits(&lesson.inputs, &mut self.logits);
        to_log_chances(&mut self.logits);
        let chosen = self.logits[lesson.chosen];
        (chosen, self.logits.iter().all(|&log| log <= chosen))
    }
}
