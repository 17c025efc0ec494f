//! The strongest engine: flat Monte Carlo on likely worlds, with certain wins and small endings
//! solved first, learned playouts, values that look to the next rank reset, and the exchange
//! chosen by playouts.

use std::time::{Duration, Instant};

use games::daihinmin::{Cards, Exchanged, Meld, Position, SEATS, View};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use super::Engine;
use super::belief::{Belief, WorldOptions};
use super::endgame::{sure_win, winning_move};
use super::engine::weakest;
use super::inputs::Networks;
use super::monte_carlo::{Budget, Candidate, add_up, best_of, explain, root_moves};
use super::playout::{GAMES_TO_COME, WeightedPlayout, place_values};
use super::policy::{Known, Mover, Policies};
use super::rivals::Rivals;
use crate::search::bandit::{Arm, Policy, most_tried, puct};
use crate::search::{fan_out, is_over, split};

/// Inverse temperature of the network's chances as prior if the others have policies of their own: at 1 they are so sure of
/// themselves that the search changes hardly a move.
const KNOWN_PRIOR: f32 = 0.25;

/// The engine `best`.
#[derive(Debug)]
pub struct Best {
    pub(super) budget: Budget,
    /// The time for a decision that the options gave.
    most: Option<Duration>,
    pub(super) with: Ingredients,
    pub(super) networks: Networks,
    threads: usize,
    pub(super) rng: Xoshiro256PlusPlus,
    belief: Belief,
    /// What it knows of the others, if it learns.
    rivals: Option<Rivals>,
    player_at: [u8; SEATS],
    /// The view after the latest move of the game.
    latest: Option<View>,
    pub(super) last: Vec<Candidate>,
    reason: &'static str,
}

impl Best {
    /// The engine with its ingredients and networks. If it is to learn, `field` has the networks of at least one kind of players.
    ///
    /// # Panics
    /// If `field` is empty.
    pub fn new(
        budget: Budget,
        with: Ingredients,
        networks: Networks,
        field: Option<Vec<Networks>>,
        threads: usize,
        seed: u64,
    ) -> Best {
        Best {
            most: budget.time,
            budget,
            with,
            networks,
            threads: threads.max(1),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            belief: Belief::default(),
            rivals: field.map(|field| Rivals::new(field, !seed)),
            player_at: [0, 1, 2, 3, 4],
            latest: None,
            last: Vec::new(),
            reason: "",
        }
    }

    /// The ingredients of the next decision: the policies of the others tell more than the engine's own.
    fn ingredients(&self) -> Ingredients {
        if self.rivals.is_none() {
            return self.with;
        }
        Ingredients {
            trust: 1.0,
            prior_sharpness: KNOWN_PRIOR,
            pull: 0.0,
            // The value network takes the others for players like itself.
            horizon: 0,
            ..self.with
        }
    }

    /// Learns from the game that has ended, if one has.
    fn review(&mut self) {
        let Some(view) = self.latest.take_if(|view| view.table.is_over()) else {
            return;
        };
        if let Some(rivals) = &mut self.rivals {
            rivals.learn(&view, self.player_at, &self.belief);
        }
    }

    /// The chance of each root move under the network, at a temperature.
    fn prior(&self, view: &View, moves: &[Meld], sharpness: f32) -> Vec<f64> {
        let mut mover = Mover::new(&self.networks, 1.0);
        mover.moves.extend_from_slice(moves);
        flattened(mover.log_chances(&Known::of(view)), sharpness)
    }

    fn search(&mut self, view: &View, moves: &[Meld], deadline: Option<Instant>) {
        let with = self.ingredients();
        let prior = self.prior(view, moves, with.prior_sharpness);
        let uniform = (self.budget.playouts as usize / 4).clamp(16, 1024);
        let options = WorldOptions {
            worlds: if with.trust > 0.0 {
                with.worlds
            } else {
                uniform
            },
            steps: with.steps,
            trust: with.trust,
            deadline: deadline.map(|end| {
                let now = Instant::now();
                now + end.saturating_duration_since(now) / 2
            }),
        };
        let policies = policies(self.rivals.as_ref(), &self.networks, view, self.player_at);
        let worlds = self.belief.draw(view, &policies, options, &mut self.rng);
        let job = Job {
            view,
            moves,
            worlds: &worlds,
            values: with.values(view),
            networks: &self.networks,
            policies,
            with,
            prior,
            playouts: self.budget.playouts.div_ceil(self.threads as u32),
            deadline,
        };
        let mut rngs = split(&mut self.rng, self.threads);
        let found = fan_out(&mut rngs, |thread, rng| job.run(thread, rng));
        self.last = add_up(moves, &found);
    }
}

struct Job<'a> {
    view: &'a View,
    moves: &'a [Meld],
    worlds: &'a [Position],
    values: [f64; 5],
    networks: &'a Networks,
    policies: Policies<'a>,
    with: Ingredients,
    prior: Vec<f64>,
    playouts: u32,
    deadline: Option<Instant>,
}

impl Job<'_> {
    fn run(&self, thread: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<Arm> {
        let mut arms = vec![Arm::default(); self.moves.len()];
        let mut used = vec![thread * 17; self.moves.len()];
        let mut playout = WeightedPlayout {
            mover: Mover::new(self.networks, self.with.sharpness),
            policies: self.policies,
            ranks: self.view.ranks,
            values: self.values,
            horizon: self.with.horizon,
        };
        for n in 0..self.playouts {
            if n % 16 == 15 && is_over(self.deadline) {
                break;
            }
            let i = self.with.choose(&arms, &self.prior, f64::from(n), rng);
            // Every move meets the same worlds in the same order, so luck in the deal cancels.
            let mut position = self.worlds[used[i] % self.worlds.len()];
            used[i] += 1;
            arms[i].add(playout.run(&mut position, Some(self.moves[i]), self.view.seat, rng));
        }
        arms
    }
}

impl Engine for Best {
    fn set_time(&mut self, time: Duration) {
        self.budget.time = Some(self.most.map_or(time, |most| most.min(time)));
    }

    fn choose(&mut self, view: &View) -> Meld {
        let deadline = self.budget.time.map(|time| Instant::now() + time);
        let moves = root_moves(view);
        self.last.clear();
        self.reason = "only move";
        if moves.len() == 1 {
            return moves[0];
        }
        if self.with.sure_win
            && let Some(meld) = sure_win(view, deadline)
        {
            self.reason = "certain win";
            return meld;
        }
        if self.with.endgame
            && let Some(meld) = winning_move(view, deadline)
        {
            self.reason = "solved end";
            return meld;
        }
        self.reason = "playouts";
        self.search(view, &moves, deadline);
        best_of(&self.last)
    }

    fn gift(&mut self, view: &View, n: u32) -> Cards {
        self.last.clear();
        self.reason = "gift";
        if !self.with.exchange {
            return weakest(view.hand, n);
        }
        self.choose_gift(view, n)
    }

    fn seated(&mut self, player_at: [u8; SEATS]) {
        self.review();
        self.player_at = player_at;
    }

    fn game_begins(&mut self, view: &View) {
        self.belief.clear();
        self.latest = Some(*view);
    }

    fn observe(&mut self, before: &View, meld: Meld) {
        if self.with.trust > 0.0 || self.rivals.is_some() {
            self.belief.push(before, meld);
            let mut after = *before;
            // A server may have another idea of the game, which then teaches nothing.
            if after.follow(meld).is_err() {
                self.latest = None;
            }
            self.latest = self.latest.map(|_| after);
        }
    }

    fn explain(&self) -> Option<Value> {
        let mut value = explain(&self.last).unwrap_or_else(|| json!({}));
        value["reason"] = json!(self.reason);
        Some(value)
    }
}

impl Best {
    /// Gives the cards after which playouts do best, among those that a sound player might give.
    pub(super) fn choose_gift(&mut self, view: &View, n: u32) -> Cards {
        let choices = gift_choices(view.hand, n);
        let Some(partner) = view.exchanged.partner else {
            return weakest(view.hand, n);
        };
        let with = self.ingredients();
        let values = with.values(view);
        let mut arms = vec![Arm::default(); choices.len()];
        let mut mover = Mover::new(&self.networks, with.sharpness);
        let chances = mover.gift_chances(&Known::at_gift(view), &choices);
        let prior = flattened(chances, with.prior_sharpness);
        let mut playout = WeightedPlayout {
            mover,
            policies: policies(self.rivals.as_ref(), &self.networks, view, self.player_at),
            ranks: view.ranks,
            values,
            horizon: with.horizon,
        };
        let deadline = self.budget.time.map(|time| Instant::now() + time);
        let budget = self.budget.playouts.max(choices.len() as u32 * 8);
        // The view after a gift: the partner holds it and is again as large as before.
        let after: Vec<View> = choices
            .iter()
            .map(|&gift| {
                let mut after = *view;
                after.hand = view.hand - gift;
                after.exchanged = Exchanged {
                    given: gift,
                    ..view.exchanged
                };
                after.counts[usize::from(view.seat)] -= n as u8;
                after.counts[usize::from(partner)] += n as u8;
                after
            })
            .collect();
        for k in 0..budget {
            if k % 16 == 15 && is_over(deadline) {
                break;
            }
            let i = with.choose(&arms, &prior, f64::from(k), &mut self.rng);
            let world = after[i].determinize(&mut self.rng);
            let mut position = Position::new(world.hands, view.table.rules);
            arms[i].add(playout.run(&mut position, None, view.seat, &mut self.rng));
        }
        most_tried(&arms).map_or_else(|| weakest(view.hand, n), |i| choices[i])
    }
}

/// By which networks each seat of a view moves.
fn policies<'a>(
    rivals: Option<&'a Rivals>,
    own: &'a Networks,
    view: &View,
    player_at: [u8; SEATS],
) -> Policies<'a> {
    let of = |rivals: &'a Rivals| rivals.policies(own, view.seat, player_at);
    rivals.map_or([own; SEATS], of)
}

/// Chances from their logarithms, at an inverse temperature.
fn flattened(logs: &[f32], sharpness: f32) -> Vec<f64> {
    let chances = logs.iter().map(|&log| f64::from((sharpness * log).exp()));
    let sum: f64 = chances.clone().sum();
    chances.map(|chance| chance / sum).collect()
}

/// The gifts worth trying: `n` of the cards of the hand that are below the king, the joker, aces
/// and 2s being kept while there are enough others.
pub(crate) fn gift_choices(hand: Cards, n: u32) -> Vec<Cards> {
    let mut pool: Vec<_> = hand.iter().filter(|c| c.column() <= 10).collect();
    if (pool.len() as u32) < n + 1 {
        pool = hand.iter().filter(|c| !c.is_joker()).collect();
    }
    let mut choices = Vec::new();
    for (i, &a) in pool.iter().enumerate() {
        if n == 1 {
            choices.push(Cards::from(a));
        } else {
            choices.extend(
                pool[i + 1..]
                    .iter()
                    .map(|&b| Cards::from(a) | Cards::from(b)),
            );
        }
    }
    if choices.is_empty() {
        choices.push(weakest(hand, n));
    }
    choices
}

/// What the engine is made of; each can be switched off to measure what it gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ingredients {
    /// Inverse temperature of the policy in playouts.
    pub sharpness: f32,
    /// Look for a certain win first.
    pub sure_win: bool,
    /// Solve the end between the last two.
    pub endgame: bool,
    /// Value places by the games to come, where playouts go to the end of the game.
    pub ranks: bool,
    /// Exponent on the likelihood of the others' moves, which are weighed with the exchange of the
    /// other seats; 0 deals unseen cards uniformly. Off by default: matches of an earlier
    /// way to infer hands proved no gain. Counts only for an engine that does not learn.
    pub trust: f32,
    /// Worlds that are inferred, and kept from decision to decision.
    pub worlds: usize,
    /// Exchanges of cards proposed to each of these worlds before a decision.
    pub steps: usize,
    /// Weight of the network's chances in the choice of the next playout's move; 0 is UCB1-tuned without them.
    pub prior: f64,
    /// Inverse temperature of the network's chances in that choice.
    pub prior_sharpness: f32,
    /// Weight of the logarithm of the network's chances beside the values of playouts.
    pub pull: f64,
    /// The engine's own decision at which the value network judges a playout, from 1; 0 plays to the end of the game.
    pub horizon: u32,
    /// Choose gifts by playouts.
    pub exchange: bool,
}

impl Ingredients {
    fn values(&self, view: &View) -> [f64; 5] {
        // The value network judges on a scale of its own.
        place_values(if self.horizon > 0 {
            GAMES_TO_COME
        } else if self.ranks {
            view.games_to_reset.unwrap_or(GAMES_TO_COME)
        } else {
            0
        })
    }

    /// The move or gift of the next playout.
    fn choose(
        &self,
        arms: &[Arm],
        prior: &[f64],
        total: f64,
        rng: &mut Xoshiro256PlusPlus,
    ) -> usize {
        if self.prior > 0.0 {
            puct(arms, prior, self.prior, self.pull)
        } else {
            Policy::Ucb1Tuned.choose(arms, total, rng)
        }
    }
}

impl Default for Ingredients {
    fn default() -> Ingredients {
        Ingredients {
            sharpness: 1.0,
            sure_win: true,
            endgame: true,
            ranks: true,
            trust: 0.0,
            worlds: 200,
            steps: 4,
            prior: 1.0,
            prior_sharpness: 1.0,
            pull: 0.02,
            horizon: 1,
            exchange: true,
        }
    }
}
