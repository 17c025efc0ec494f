//! Proximal policy optimisation (J. Schulman et al., 2017): games are played with the networks as they are, each decision is
//! booked with its advantage (J. Schulman et al., "High-dimensional continuous control using generalized advantage
//! estimation", 2016), and the networks take some steps of Adam on them.

use rand::{Rng, RngExt as _, seq::SliceRandom as _};

use super::Adam;
use super::network::{Inputs, Network, Networks};
use crate::search::fan_out;

const MOMENTS: [f32; 2] = [0.9, 0.999];

/// How the networks are learned.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// Decisions of a step.
    pub batch: usize,
    /// Passes over the decisions of a round.
    pub passes: u32,
    /// Rate of learning.
    pub rate: f32,
    /// Weight of the entropy.
    pub entropy: f32,
    /// Decay of later errors of the value in the advantage.
    pub lambda: f32,
    /// How far the chance of a move may change in a round.
    pub clip: f32,
}

#[derive(Clone, Debug)]
pub(crate) struct Decision {
    pub(crate) inputs: Inputs,
    pub(crate) chosen: usize,
    /// Logarithm of the chance that the move had.
    pub(crate) log_chance: f32,
    pub(crate) value: f32,
    pub(crate) advantage: f32,
}

impl Decision {
    /// Books the choice of a move with its logarithm of chances; the advantage comes at the end of the game.
    pub(crate) fn new<const INPUTS: usize>(
        networks: &Networks<INPUTS>,
        inputs: &Inputs,
        log_chances: &[f32],
        chosen: usize,
    ) -> Self {
        Decision {
            inputs: inputs.clone(),
            chosen,
            log_chance: log_chances[chosen],
            value: networks.value.output(&networks.value.situation(inputs)),
            advantage: 0.0,
        }
    }
}

/// Gives each decision of a game its advantage: it sums the errors of the values after it. `player_of` says whose decision each
/// is, `results` what the game brought each player.
pub(crate) fn follow_advantages<const PLAYERS: usize>(
    decisions: &mut [Decision],
    player_of: &[u8],
    results: [f32; PLAYERS],
    lambda: f32,
) {
    let mut next = results.map(|result| (result, 0.0));
    for (decision, &player) in decisions.iter_mut().zip(player_of).rev() {
        let (value, advantage) = next[usize::from(player)];
        decision.advantage = value - decision.value + lambda * advantage;
        next[usize::from(player)] = (decision.value, decision.advantage);
    }
}

/// What a round of learning saw.
#[derive(Clone, Copy, Debug, Default)]
pub struct Round {
    /// Decisions of the learner.
    pub decisions: usize,
    /// Mean entropy of its policy, in nats.
    pub entropy: f64,
    /// Root of the mean squared error of the value.
    pub error: f64,
}

impl Round {
    fn of(decisions: &[Decision]) -> Round {
        let (mut entropy, mut squares) = (0.0, 0.0);
        for decision in decisions {
            entropy -= f64::from(decision.log_chance);
            squares += f64::from(decision.advantage).powi(2);
        }
        let n = decisions.len().max(1) as f64;
        Round {
            decisions: decisions.len(),
            entropy: entropy / n,
            error: (squares / n).sqrt(),
        }
    }
}

pub(crate) struct Ppo<const INPUTS: usize> {
    pub(crate) networks: Networks<INPUTS>,
    policy_steps: Adam,
    value_steps: Adam,
}

impl<const INPUTS: usize> Ppo<INPUTS> {
    pub(crate) fn new(networks: Networks<INPUTS>) -> Self {
        let steps = |network: &Network<INPUTS>| Adam::new(network.numbers().len(), MOMENTS);
        Ppo {
            policy_steps: steps(&networks.policy),
            value_steps: steps(&networks.value),
            networks,
        }
    }

    pub(crate) fn learn(
        &mut self,
        mut decisions: Vec<Decision>,
        schedule: &Schedule,
        threads: usize,
        rng: &mut impl Rng,
    ) -> Round {
        let round = Round::of(&decisions);
        let scale = (round.error as f32).max(1e-3).recip();
        for _ in 0..schedule.passes {
            decisions.shuffle(rng);
            for batch in decisions.chunks(schedule.batch) {
                self.step(schedule, batch, scale, threads);
            }
        }
        round
    }

    fn step(&mut self, schedule: &Schedule, batch: &[Decision], scale: f32, threads: usize) {
        let this = &*self;
        let mut parts: Vec<&[Decision]> = batch.chunks(batch.len().div_ceil(threads)).collect();
        let found = fan_out(&mut parts, |_, part| this.gradients(schedule, part, scale));
        let mut found = found.into_iter();
        let Some((mut policy, mut value)) = found.next() else {
            return;
        };
        for (p, v) in found {
            policy.add_all(&p);
            value.add_all(&v);
        }
        let n = (batch.len() as f32).recip();
        let Networks {
            policy: p,
            value: v,
        } = &mut self.networks;
        let rate = schedule.rate;
        self.policy_steps
            .step(p.numbers_mut(), policy.numbers(), n, rate);
        self.value_steps
            .step(v.numbers_mut(), value.numbers(), n, rate);
    }

    fn gradients(
        &self,
        schedule: &Schedule,
        part: &[Decision],
        scale: f32,
    ) -> (Network<INPUTS>, Network<INPUTS>) {
        let mut policy = Network::zero();
        let mut value = Network::zero();
        let judge = &self.networks.value;
        let (mut logits, mut slopes) = (Vec::new(), Vec::new());
        for decision in part {
            let inputs = &decision.inputs;
            self.networks.policy.logits(inputs, &mut logits);
            to_log_chances(&mut logits);
            let advantage = decision.advantage * scale;
            let ratio = (logits[decision.chosen] - decision.log_chance).exp();
            let is_clipped = if advantage > 0.0 {
                ratio > 1.0 + schedule.clip
            } else {
                ratio < 1.0 - schedule.clip
            };
            let gain = if is_clipped { 0.0 } else { advantage * ratio };
            let entropy: f32 = -logits.iter().map(|l| l.exp() * l).sum::<f32>();
            slopes.clear();
            slopes.extend(logits.iter().enumerate().map(|(i, l)| {
                let chance = l.exp();
                let chosen = f32::from(u8::from(i == decision.chosen));
                gain * (chosen - chance) - schedule.entropy * chance * (l + entropy)
            }));
            policy.add_gradient(&self.networks.policy, inputs, &slopes);
            let expected = judge.output(&judge.situation(inputs));
            let target = decision.value + decision.advantage;
            value.add_gradient_of_value(judge, inputs, target - expected);
        }
        (policy, value)
    }
}

/// The first of the greatest.
pub(crate) fn likeliest(logits: &[f32]) -> usize {
    let mut best = 0;
    for (i, &logit) in logits.iter().enumerate() {
        if logit > logits[best] {
            best = i;
        }
    }
    best
}

/// Logits to the logarithms of chances.
pub(crate) fn to_log_chances(logits: &mut [f32]) {
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = logits.iter().map(|l| (l - top).exp()).sum();
    let log_sum = top + sum.ln();
    for logit in logits {
        *logit -= log_sum;
    }
}

/// Draws by the logarithms of chances.
pub(crate) fn draw_chance(log_chances: &[f32], rng: &mut impl Rng) -> usize {
    let mut mark: f32 = rng.random_range(0.0..1.0);
    let under = |l: &f32| {
        mark -= l.exp();
        mark < 0.0
    };
    // By rounding the chances may sum up to less than the mark.
    let drawn = log_chances.iter().position(under);
    drawn.unwrap_or_else(|| likeliest(log_chances))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng as _;
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn decision() -> (Networks<9>, Decision) {
        let networks = Networks::random(&mut Xoshiro256PlusPlus::seed_from_u64(1));
        let mut inputs = Inputs::default();
        inputs.push(0);
        inputs.push(1);
        inputs.end_situation();
        for row in [2, 3, 4] {
            inputs.push(row);
            inputs.end_move(0, false);
        }
        let chances = log_chances(&networks, &inputs);
        let decision = Decision::new(&networks, &inputs, &chances, 1);
        (networks, decision)
    }

    fn log_chances(networks: &Networks<9>, inputs: &Inputs) -> Vec<f32> {
        let mut chances = Vec::new();
        networks.policy.logits(inputs, &mut chances);
        to_log_chances(&mut chances);
        chances
    }

    /// A step makes a move likelier that was better than expected, and a worse one less likely, but never far.
    #[test]
    fn a_step_follows_the_advantage() {
        let schedule = Schedule {
            batch: 1,
            passes: 1,
            rate: 0.001,
            entropy: 0.0,
            lambda: 0.9,
            clip: 0.2,
        };
        for advantage in [0.5, -0.5] {
            let (networks, decision) = decision();
            let decision = Decision {
                advantage,
                ..decision
            };
            let mut learner = Ppo::new(networks);
            learner.step(&schedule, std::slice::from_ref(&decision), 1.0, 1);
            let now = log_chances(&learner.networks, &decision.inputs)[decision.chosen];
            let moved = now - decision.log_chance;
            assert!(moved * advantage > 0.0, "{advantage}: {moved}");
            // The clip: a move that has changed its chance by more than a fifth is left alone.
            let changed = Decision {
                log_chance: now - advantage,
                ..decision
            };
            let (policy, _) = learner.gradients(&schedule, &[changed], 1.0);
            assert!(policy.numbers().iter().all(|&slope| slope == 0.0));
        }
    }

    #[test]
    fn advantages_sum_the_errors_of_the_values_after_them() {
        let (_, decision) = decision();
        let with = |value: f32| Decision {
            value,
            ..decision.clone()
        };
        let mut decisions = [with(0.5), with(0.25), with(0.75)];
        follow_advantages(&mut decisions, &[0, 1, 0], [1.0, 0.0], 0.5);
        // The last of player 0: 1 - 0.75. Its first: 0.75 - 0.5, and half of that.
        let advantages = decisions.map(|d| d.advantage);
        for (advantage, expected) in advantages.into_iter().zip([0.375, -0.25, 0.25]) {
            assert!((advantage - expected).abs() < 1e-6, "{advantages:?}");
        }
    }
}
