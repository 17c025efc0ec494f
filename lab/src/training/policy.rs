//! Proximal policy optimisation (J. Schulman et al., 2017): games are played with the networks as they are, each decision is
//! booked with its advantage (J. Schulman et al., "High-dimensional continuous control using generalized advantage
//! estimation", 2016), and the networks take some steps of Adam on them.

use bots::learning::{Inputs, Networks, likeliest, to_log_chances};
use bots::search::{fan_out, split};
use rand::{Rng, RngExt as _, SeedableRng as _, seq::SliceRandom as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Model, Trainer};

/// How far the chance of a move may change in a round.
const CLIP: f32 = 0.2;

#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    pub batch: usize,
    pub passes: u32,
    pub rate: f32,
    pub entropy: f32,
    /// Decay of later errors of the value in the advantage.
    pub lambda: f32,
}

#[derive(Clone, Debug)]
pub struct Decision {
    inputs: Inputs,
    chosen: usize,
    /// Logarithm of the chance that the move had.
    log_chance: f32,
    value: f32,
    advantage: f32,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Round {
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

/// The networks of policy and value, and how their steps follow decisions.
#[derive(Debug)]
struct Actor<const INPUTS: usize> {
    networks: Networks<INPUTS>,
    entropy: f32,
    /// Scale of the advantages.
    scale: f32,
}

impl<const INPUTS: usize> Model for Actor<INPUTS> {
    type Lesson = Decision;

    fn zero(&self) -> Self {
        Actor {
            networks: Networks::zero(),
            ..*self
        }
    }

    fn parts(&mut self) -> Vec<&mut [f32]> {
        let Networks { policy, value } = &mut self.networks;
        vec![policy.numbers_mut(), value.numbers_mut()]
    }

    fn add_slopes(&self, decision: &Decision, slopes: &mut Self) -> f64 {
        let Networks { policy, value } = &self.networks;
        let inputs = &decision.inputs;
        let mut logits = Vec::new();
        policy.logits(inputs, &mut logits);
        to_log_chances(&mut logits);
        let advantage = decision.advantage * self.scale;
        let ratio = (logits[decision.chosen] - decision.log_chance).exp();
        let is_clipped = if advantage > 0.0 {
            ratio > 1.0 + CLIP
        } else {
            ratio < 1.0 - CLIP
        };
        let gain = if is_clipped { 0.0 } else { advantage * ratio };
        let entropy: f32 = -logits.iter().map(|l| l.exp() * l).sum::<f32>();
        for (i, log) in logits.iter_mut().enumerate() {
            let chance = log.exp();
            let chosen = f32::from(u8::from(i == decision.chosen));
            *log = gain * (chosen - chance) - self.entropy * chance * (*log + entropy);
        }
        slopes.networks.policy.add_gradient(policy, inputs, &logits);
        let error = decision.value + decision.advantage - value.output(&value.situation(inputs));
        let judge = &mut slopes.networks.value;
        judge.add_gradient_of_value(value, inputs, error);
        f64::from(error * error)
    }
}

/// The networks that play: those that learn, and those of some rounds ago.
#[derive(Clone, Copy, Debug)]
pub struct Players<'a, const INPUTS: usize> {
    pub learner: &'a Networks<INPUTS>,
    /// The networks as they were some rounds ago.
    pub older: &'a Networks<INPUTS>,
}

pub trait SelfPlayGames<const INPUTS: usize>: Sync {
    const SESSION: u32;

    /// Plays so many sessions; gives the decisions of the learner with their advantages.
    fn play(
        &self,
        players: Players<'_, INPUTS>,
        sessions: usize,
        lambda: f32,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Vec<Decision>;

    /// Plays against known opponents; says how that went.
    fn measure(&self, players: Players<'_, INPUTS>, threads: usize) -> String;
}

#[derive(Debug)]
pub struct Learner<G, const INPUTS: usize> {
    play: G,
    trainer: Trainer<Actor<INPUTS>>,
    older: Networks<INPUTS>,
    rng: Xoshiro256PlusPlus,
    games: u64,
}

impl<G: SelfPlayGames<INPUTS>, const INPUTS: usize> Learner<G, INPUTS> {
    /// A learner that begins with these networks; with small random numbers without any.
    pub fn new(play: G, networks: Option<Networks<INPUTS>>, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let networks = networks.unwrap_or_else(|| Networks::random(&mut rng));
        Learner {
            play,
            older: networks.clone(),
            trainer: Trainer::new(Actor {
                networks,
                entropy: 0.0,
                scale: 1.0,
            }),
            rng,
            games: 0,
        }
    }

    pub fn games(&self) -> u64 {
        self.games
    }

    pub fn networks(&self) -> &Networks<INPUTS> {
        &self.trainer.model.networks
    }

    pub fn players(&self) -> Players<'_, INPUTS> {
        Players {
            learner: self.networks(),
            older: &self.older,
        }
    }

    pub fn play(&self) -> &G {
        &self.play
    }

    /// The older self becomes that of today.
    pub fn renew_older(&mut self) {
        self.older = self.networks().clone();
    }

    /// Plays so many games, and learns from them.
    pub fn round(&mut self, games: usize, rounds: &Rounds, threads: usize) -> Round {
        let mut rngs = split(&mut self.rng, threads);
        let share = games.div_ceil(G::SESSION as usize * threads);
        let (play, players) = (&self.play, self.players());
        let found = fan_out(&mut rngs, |_, rng| {
            play.play(players, share, rounds.lambda, rng)
        });
        self.games += (share * threads) as u64 * u64::from(G::SESSION);
        let mut decisions: Vec<_> = found.into_iter().flatten().collect();
        let round = Round::of(&decisions);
        self.trainer.model.scale = (round.error as f32).max(1e-3).recip();
        self.trainer.model.entropy = rounds.entropy;
        for _ in 0..rounds.passes {
            decisions.shuffle(&mut self.rng);
            for batch in decisions.chunks(rounds.batch) {
                self.trainer.step(batch, rounds.rate, threads);
            }
        }
        round
    }

    /// Plays against known opponents; says how that went.
    pub fn measure(&self, threads: usize) -> String {
        self.play.measure(self.players(), threads)
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Decisions {
    all: Vec<Decision>,
    /// The seat of each decision of the game in play.
    seat_of: Vec<u8>,
}

impl Decisions {
    /// Books the choice of a move with the logarithms of the chances; the advantage comes at the end of the game.
    pub(super) fn book<const INPUTS: usize>(
        &mut self,
        networks: &Networks<INPUTS>,
        inputs: &Inputs,
        log_chances: &[f32],
        chosen: usize,
        seat: u8,
    ) {
        self.seat_of.push(seat);
        self.all.push(Decision {
            inputs: inputs.clone(),
            chosen,
            log_chance: log_chances[chosen],
            value: networks.value.output(&networks.value.situation(inputs)),
            advantage: 0.0,
        });
    }

    /// Gives each decision of the game its advantage: it sums the errors of the values after it. `results` says what the game
    /// brought each seat.
    pub(super) fn end_game<const SEATS: usize>(&mut self, results: [f32; SEATS], lambda: f32) {
        let begin = self.all.len() - self.seat_of.len();
        let mut next = results.map(|result| (result, 0.0));
        let decisions = self.all[begin..].iter_mut().zip(self.seat_of.drain(..));
        for (decision, seat) in decisions.rev() {
            let (value, advantage) = next[usize::from(seat)];
            decision.advantage = value - decision.value + lambda * advantage;
            next[usize::from(seat)] = (decision.value, decision.advantage);
        }
    }

    pub(super) fn into_list(self) -> Vec<Decision> {
        self.all
    }
}

/// Draws by the logarithms of chances.
pub(super) fn draw_chance(log_chances: &[f32], rng: &mut impl Rng) -> usize {
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

    fn networks() -> Networks<9> {
        Networks::random(&mut Xoshiro256PlusPlus::seed_from_u64(1))
    }

    fn inputs() -> Inputs {
        let mut inputs = Inputs::default();
        inputs.push(0);
        inputs.push(1);
        inputs.end_situation();
        for row in [2, 3, 4] {
            inputs.push(row);
            inputs.end_move(0, false);
        }
        inputs
    }

    fn log_chances(networks: &Networks<9>) -> Vec<f32> {
        let mut chances = Vec::new();
        networks.policy.logits(&inputs(), &mut chances);
        to_log_chances(&mut chances);
        chances
    }

    fn decisions(seats: &[u8]) -> Decisions {
        let mut decisions = Decisions::default();
        let networks = networks();
        for &seat in seats {
            decisions.book(&networks, &inputs(), &log_chances(&networks), 1, seat);
        }
        decisions
    }

    /// A step makes a move likelier that was better than expected, and a worse one less likely, but never far.
    #[test]
    fn a_step_follows_the_advantage() {
        for advantage in [0.5, -0.5] {
            let decision = Decision {
                advantage,
                ..decisions(&[0]).all.remove(0)
            };
            let mut trainer = Trainer::new(Actor {
                networks: networks(),
                entropy: 0.0,
                scale: 1.0,
            });
            trainer.step(std::slice::from_ref(&decision), 0.001, 1);
            let now = log_chances(&trainer.model.networks)[decision.chosen];
            let moved = now - decision.log_chance;
            assert!(moved * advantage > 0.0, "{advantage}: {moved}");
            // The clip: a move that has changed its chance by more than a fifth is left alone.
            let changed = Decision {
                log_chance: now - advantage,
                ..decision
            };
            let mut slopes = trainer.model.zero();
            trainer.model.add_slopes(&changed, &mut slopes);
            assert!(slopes.parts()[0].iter().all(|&slope| slope == 0.0));
        }
    }

    #[test]
    fn advantages_sum_the_errors_of_the_values_after_them() {
        let mut decisions = decisions(&[0, 1, 0]);
        for (decision, value) in decisions.all.iter_mut().zip([0.5, 0.25, 0.75]) {
            decision.value = value;
        }
        decisions.end_game([1.0, 0.0], 0.5);
        // The last of seat 0: 1 - 0.75. Its first: 0.75 - 0.5, and half of that.
        let advantages = decisions.into_list().into_iter().map(|d| d.advantage);
        for (advantage, expected) in advantages.zip([0.375, -0.25, 0.25]) {
            assert!(
                (advantage - expected).abs() < 1e-6,
                "{advantage} {expected}"
            );
        }
    }
}
