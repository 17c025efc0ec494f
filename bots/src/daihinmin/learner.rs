//! Learning the policy network by self-play for points.
//!
//! Proximal policy optimisation (J. Schulman et al., 2017): games are played with the network as it is, each decision is
//! booked with its advantage (J. Schulman et al., "High-dimensional continuous control using generalized advantage
//! estimation", 2016), and the network takes some steps of Adam on them. A second network estimates the value of a decision
//! for its mover. The reward is the value of the place with the ranks to come.

use games::daihinmin::{Cards, Dealer, Position, SEATS, Session, SessionRules, View};
use rand::seq::SliceRandom as _;
use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::Mean;

use super::arena::counts_at_gift;
use super::best::gift_choices;
use super::engine::{lowest_meld, weakest};
use super::network::{Inputs, Network, Networks, UNITS};
use super::playout::{GAMES_TO_COME, place_values};
use super::policy::{Choices, Known, Mover, likeliest, to_log_chances};
use crate::search::{fan_out, split};

/// Games of a session; ranks are carried over within it.
const SESSION: u32 = 10;
const MOMENTS: [f32; 2] = [0.9, 0.999];

/// How the network is learned.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// Sessions of ten games for each round of learning.
    pub sessions: usize,
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

/// A kind of player at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    /// The network that learns.
    Learner,
    /// The network as it was some rounds ago.
    Older,
    /// The rule bot.
    Rule,
}

/// One decision of the learner.
#[derive(Clone, Debug)]
struct Decision {
    inputs: Inputs,
    chosen: usize,
    /// Logarithm of the chance that the move had.
    log_chance: f32,
    value: f32,
    advantage: f32,
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

/// A learner with its networks.
pub struct Learner {
    networks: Networks,
    policy_steps: Adam,
    value_steps: Adam,
    /// The networks as they were some rounds ago.
    older: Networks,
    rng: Xoshiro256PlusPlus,
    /// Games of self-play so far.
    pub games: u64,
}

impl Learner {
    /// A learner that begins with these networks; with small random numbers without any.
    pub fn new(networks: Option<Networks>, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let networks = networks.unwrap_or_else(|| Networks {
            policy: Network::random(&mut rng),
            value: Network::random(&mut rng),
        });
        Learner {
            older: networks.clone(),
            networks,
            policy_steps: Adam::new(),
            value_steps: Adam::new(),
            rng,
            games: 0,
        }
    }

    /// The networks as they are.
    pub fn networks(&self) -> &Networks {
        &self.networks
    }

    /// The older self becomes that of today.
    pub fn renew_older(&mut self) {
        self.older = self.networks.clone();
    }

    /// Plays and learns for a round.
    pub fn round(&mut self, schedule: &Schedule, threads: usize) -> Round {
        let mut rngs = split(&mut self.rng, threads);
        let share = schedule.sessions.div_ceil(threads);
        let this = &*self;
        let found = fan_out(&mut rngs, |_, rng| {
            let mut sitting = Sitting::new(this, schedule.lambda);
            for _ in 0..share {
                let players = opponents(rng);
                sitting.session(players, SESSION, rng);
            }
            sitting.decisions
        });
        self.games += (share * threads) as u64 * u64::from(SESSION);
        let mut decisions: Vec<Decision> = found.into_iter().flatten().collect();
        let round = Round::of(&decisions);
        let squares: f32 = decisions.iter().map(|d| d.advantage * d.advantage).sum();
        let scale = (squares / decisions.len() as f32).sqrt().max(1e-3).recip();
        for _ in 0..schedule.passes {
            decisions.shuffle(&mut self.rng);
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
        self.policy_steps.step(p, &policy, n, schedule.rate);
        self.value_steps.step(v, &value, n, schedule.rate);
    }

    fn gradients(&self, schedule: &Schedule, part: &[Decision], scale: f32) -> (Network, Network) {
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

    /// Mean points a game of the learner at its likeliest moves against `rivals`, over blocks of one session.
    pub fn measure(&self, rivals: [Player; 4], sessions: u64, threads: usize) -> Mean {
        let mut parts: Vec<u64> = (0..threads as u64).collect();
        let found = fan_out(&mut parts, |_, part| {
            let mut means = Vec::new();
            for number in (*part..sessions).step_by(threads) {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x7a69 + number);
                let mut sitting = Sitting::new(self, 1.0);
                sitting.is_greedy = true;
                let mut players = [Player::Learner; SEATS];
                players[1..].copy_from_slice(&rivals);
                players.rotate_right((number % SEATS as u64) as usize);
                sitting.session(players, SESSION, &mut rng);
                means.push(sitting.points / f64::from(SESSION));
            }
            means
        });
        Mean::of(found.into_iter().flatten())
    }
}

/// The players of a session: often only the learner, else others beside it.
fn opponents(rng: &mut Xoshiro256PlusPlus) -> [Player; SEATS] {
    let mut players = [Player::Learner; SEATS];
    if rng.random_range(0..10) < 4 {
        return players;
    }
    for player in &mut players {
        *player = match rng.random_range(0..20) {
            0..11 => Player::Learner,
            11..16 => Player::Older,
            _ => Player::Rule,
        };
    }
    players[rng.random_range(0..SEATS)] = Player::Learner;
    players
}

/// Five players of self-play, and what the learners among them decide.
struct Sitting<'a> {
    learner: &'a Learner,
    lambda: f32,
    values: [f64; SEATS],
    is_greedy: bool,
    /// Points of the learners, in measurements.
    points: f64,
    decisions: Vec<Decision>,
    mover: Mover<'a>,
    older: Mover<'a>,
}

impl<'a> Sitting<'a> {
    fn new(learner: &'a Learner, lambda: f32) -> Self {
        Sitting {
            learner,
            lambda,
            values: place_values(GAMES_TO_COME),
            is_greedy: false,
            points: 0.0,
            decisions: Vec::new(),
            mover: Mover::new(&learner.networks, 1.0),
            older: Mover::new(&learner.older, 1.0),
        }
    }

    fn session(&mut self, players: [Player; SEATS], games: u32, rng: &mut Xoshiro256PlusPlus) {
        let rules = SessionRules {
            rank_reset: 0,
            ..SessionRules::default()
        };
        let mut session = Session::new(rules, Dealer::plain(rng.next_u64()));
        for _ in 0..games {
            self.game(&mut session, players, rng);
        }
    }

    fn game(
        &mut self,
        session: &mut Session,
        players: [Player; SEATS],
        rng: &mut Xoshiro256PlusPlus,
    ) {
        let mut deal = session.deal();
        let players = deal.player_at.map(|p| players[usize::from(p)]);
        let ranks = deal
            .ranked
            .then(|| deal.player_at.map(|p| deal.ranks[usize::from(p)]));
        let begin = self.decisions.len();
        // The seat of each decision that is booked.
        let mut seat_of: Vec<u8> = Vec::new();
        if deal.ranked {
            for place in [0, 1] {
                let seat = deal.seat_of_rank(place);
                let owed = deal.owes[usize::from(seat)];
                let hand = deal.hands[usize::from(seat)];
                let poor = deal.seat_of_rank(4 - place);
                let mut view = View::at_start(&Position::new(deal.hands, deal.rules), seat);
                view.counts = counts_at_gift(&deal, [poor, seat]);
                view.ranks = ranks;
                let known = Known::at_gift(&view);
                let player = players[usize::from(seat)];
                let gift = match player {
                    Player::Rule => weakest(hand, owed),
                    Player::Learner | Player::Older => {
                        let choices = gift_choices(hand, owed);
                        let mover = self.mover(player);
                        mover.gift_chances(&known, &choices);
                        let chosen = self.decide(player, rng);
                        if self.books(player) {
                            seat_of.push(seat);
                        }
                        choices[chosen]
                    }
                };
                deal.give(seat, gift);
            }
        }
        let mut position = deal.start();
        let mut left = position.hands.iter().fold(Cards::EMPTY, |all, &h| all | h);
        let mut counts = position.counts();
        while !position.table.is_over() {
            if position.table.is_stalled() {
                session.settle_stall(&mut position);
                break;
            }
            let seat = position.table.turn;
            let hand = position.hand();
            let known = Known {
                table: position.table,
                hand,
                others: left - hand,
                counts,
                ranks,
            };
            let player = players[usize::from(seat)];
            let meld = if player == Player::Rule {
                lowest_meld(&known.table, hand)
            } else {
                let mover = self.mover(player);
                match mover.consider(&known) {
                    Choices::One(only) => only,
                    Choices::Several => {
                        mover.log_chances(&known);
                        let chosen = self.decide(player, rng);
                        if self.books(player) {
                            seat_of.push(seat);
                        }
                        self.mover(player).moves[chosen]
                    }
                }
            };
            left -= meld.cards();
            counts[usize::from(seat)] -= meld.len();
            position.play_unchecked(meld);
        }
        let places = position.table.places;
        session.finish(places);
        if self.is_greedy {
            for (seat, &player) in players.iter().enumerate() {
                if player == Player::Learner {
                    self.points += 5.0 - f64::from(places[seat]);
                }
            }
            return;
        }
        // Backward: the advantage of a decision sums the errors of the values after it.
        let mut next = places.map(|place| (self.values[usize::from(place)] as f32, 0.0));
        for (decision, &seat) in self.decisions[begin..].iter_mut().zip(&seat_of).rev() {
            let (value, advantage) = next[usize::from(seat)];
            decision.advantage = value - decision.value + self.lambda * advantage;
            next[usize::from(seat)] = (decision.value, decision.advantage);
        }
    }

    fn books(&self, player: Player) -> bool {
        player == Player::Learner && !self.is_greedy
    }

    fn mover(&mut self, player: Player) -> &mut Mover<'a> {
        match player {
            Player::Older => &mut self.older,
            _ => &mut self.mover,
        }
    }

    /// Chooses by the chances that the player's policy has just worked out, and books the decision of a learner.
    fn decide(&mut self, player: Player, rng: &mut Xoshiro256PlusPlus) -> usize {
        let is_greedy = self.is_greedy;
        let judge = &self.learner.networks.value;
        let mover = self.mover(player);
        if is_greedy {
            return likeliest(&mover.logits);
        }
        let mut mark: f32 = rng.random_range(0.0..1.0);
        let mut chosen = likeliest(&mover.logits);
        for (i, l) in mover.logits.iter().enumerate() {
            mark -= l.exp();
            if mark < 0.0 {
                chosen = i;
                break;
            }
        }
        if player == Player::Learner {
            let decision = Decision {
                inputs: mover.inputs.clone(),
                chosen,
                log_chance: mover.logits[chosen],
                value: judge.output(&judge.situation(&mover.inputs)),
                advantage: 0.0,
            };
            self.decisions.push(decision);
        }
        chosen
    }
}

/// Adam (D. P. Kingma and J. Ba, 2015), upward.
struct Adam {
    first: Network,
    second: Network,
    steps: i32,
}

impl Adam {
    fn new() -> Self {
        Adam {
            first: Network::zero(),
            second: Network::zero(),
            steps: 0,
        }
    }

    fn step(&mut self, network: &mut Network, gradient: &Network, scale: f32, rate: f32) {
        self.steps += 1;
        let [one, two] = MOMENTS;
        let rate = rate * (1.0 - two.powi(self.steps)).sqrt() / (1.0 - one.powi(self.steps));
        let rows = network.rows_mut().iter_mut().zip(gradient.rows());
        let moments = self.first.rows_mut().iter_mut().zip(self.second.rows_mut());
        for ((weights, slopes), (first, second)) in rows.zip(moments) {
            for k in 0..UNITS {
                let slope = slopes[k] * scale;
                first[k] += (1.0 - one) * (slope - first[k]);
                second[k] += (1.0 - two) * (slope * slope - second[k]);
                weights[k] += rate * first[k] / (second[k].sqrt() + 1e-7);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From random numbers to a player that is better than the rule bot, in a thousand games.
    #[test]
    fn a_little_learning_beats_the_rule_bot() {
        let schedule = Schedule {
            sessions: 10,
            batch: 256,
            passes: 2,
            rate: 0.003,
            entropy: 0.01,
            lambda: 0.9,
            clip: 0.2,
        };
        let mut learner = Learner::new(None, 3);
        let rivals = [Player::Rule; 4];
        let before = learner.measure(rivals, 40, 1).mean;
        for _ in 0..10 {
            let round = learner.round(&schedule, 1);
            assert!(round.decisions > 1000 && round.entropy > 0.0, "{round:?}");
        }
        assert_eq!(learner.games, 1000);
        let after = learner.measure(rivals, 40, 1).mean;
        assert!(after > before + 0.2 && after > 3.0, "{before} {after}");
    }

    #[test]
    fn two_threads_learn_the_same_twice() {
        let schedule = Schedule {
            sessions: 4,
            batch: 512,
            passes: 1,
            rate: 0.001,
            entropy: 0.01,
            lambda: 0.9,
            clip: 0.2,
        };
        let learned = || {
            let mut learner = Learner::new(Some(Networks::built_in()), 5);
            learner.round(&schedule, 2);
            learner.networks().clone()
        };
        assert_eq!(learned(), learned());
    }
    /// A step makes a move likelier that was better than expected, and a worse one less likely, but never far.
    #[test]
    fn a_step_follows_the_advantage() {
        let schedule = Schedule {
            sessions: 1,
            batch: 1,
            passes: 1,
            rate: 0.001,
            entropy: 0.0,
            lambda: 0.9,
            clip: 0.2,
        };
        let chance = |learner: &Learner, decision: &Decision| {
            let mut logits = Vec::new();
            let policy = &learner.networks.policy;
            policy.logits(&decision.inputs, &mut logits);
            to_log_chances(&mut logits);
            logits[decision.chosen]
        };
        let mut decisions = {
            let learner = Learner::new(Some(Networks::built_in()), 1);
            let mut sitting = Sitting::new(&learner, 0.9);
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
            sitting.session([Player::Learner; SEATS], 5, &mut rng);
            sitting.decisions
        };
        // A move of which the policy is not sure.
        let uncertain = decisions.iter().position(|d| d.log_chance < -0.7);
        let decision = decisions.swap_remove(uncertain.expect("one of a game"));
        for advantage in [0.5, -0.5] {
            let mut learner = Learner::new(Some(Networks::built_in()), 1);
            let decision = Decision {
                advantage,
                ..decision.clone()
            };
            let before = chance(&learner, &decision);
            learner.step(&schedule, std::slice::from_ref(&decision), 1.0, 1);
            let moved = chance(&learner, &decision) - before;
            assert!(moved * advantage > 0.0, "{advantage}: {moved}");
            // The clip: a move that has changed its chance by more than a fifth is left alone.
            let changed = Decision {
                log_chance: chance(&learner, &decision) - advantage,
                ..decision
            };
            let (policy, _) = learner.gradients(&schedule, &[changed], 1.0);
            assert!(
                policy
                    .rows()
                    .iter()
                    .flatten()
                    .all(|&slope| slope.abs() < 1e-9)
            );
        }
    }
}
