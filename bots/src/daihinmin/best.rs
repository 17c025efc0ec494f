//! The strongest engine: flat Monte Carlo on likely worlds, with certain wins and small endings
//! solved first, learned playouts, values that look to the next rank reset, and the exchange
//! chosen by playouts.

use std::time::{Duration, Instant};

use games::daihinmin::{Cards, Exchanged, Meld, Position, SEATS, View};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use super::belief::{HandBelief, WorldOptions};
use super::endgame::{sure_win, winning_move};
use super::engine::{Engine, gift_choices, weakest};
use super::information_state::InformationState;
use super::inputs::DaihinminNetworks;
use super::monte_carlo::{add_up, chosen, explain, root_moves};
use super::mover::{Mover, Policies};
use super::playout::{GAMES_TO_COME, WeightedPlayout, place_values};
use super::rivals::Rivals;
use crate::search::bandit::{Arm, BanditRule, most_tried, puct};
use crate::search::{Budget, Candidate, fan_out, is_over, split};

/// Inverse temperature of the network's chances as prior if the others have policies of their own: at 1 they are so sure of
/// themselves that the search changes hardly a move.
const KNOWN_PRIOR: f32 = 0.25;
/// Weight of the logarithm of the network's chances beside the values of playouts, if the others have no policies of their own.
const PULL: f64 = 0.02;
/// Worlds that are inferred, and kept from decision to decision.
const WORLDS: usize = 200;
/// Exchanges of cards proposed to each of these worlds before a decision.
const STEPS: usize = 4;

#[derive(Debug)]
pub struct Best {
    pub(super) budget: Budget,
    pub(super) with: Ingredients,
    pub(super) networks: DaihinminNetworks,
    threads: usize,
    pub(super) rng: Xoshiro256PlusPlus,
    belief: HandBelief,
    /// What it knows of the others, if it learns.
    rivals: Option<Rivals>,
    player_at: [u8; SEATS],
    /// The view after the latest move of the game.
    latest: Option<View>,
    pub(super) last: Vec<Candidate<Meld>>,
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
        networks: DaihinminNetworks,
        field: Option<Vec<DaihinminNetworks>>,
        threads: usize,
        seed: u64,
    ) -> Best {
        Best {
            budget,
            with,
            networks,
            threads: threads.max(1),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            belief: HandBelief::default(),
            rivals: field.map(|field| Rivals::new(field, !seed)),
            player_at: [0, 1, 2, 3, 4],
            latest: None,
            last: Vec::new(),
            reason: "",
        }
    }

    /// How the next decision is searched. What is known of the others tells more than the engine's own policy and value, which
    /// take them for players like itself.
    fn guidance(&self, view: &View) -> Guidance {
        let is_learning = self.rivals.is_some();
        Guidance {
            prior_weight: self.with.prior,
            prior_sharpness: if is_learning { KNOWN_PRIOR } else { 1.0 },
            pull: if is_learning { 0.0 } else { PULL },
            values: place_values(if is_learning {
                view.games_to_reset.unwrap_or(GAMES_TO_COME)
            } else {
                GAMES_TO_COME
            }),
            is_cut: !is_learning,
        }
    }

    /// When a decision that begins now is to be over.
    fn deadline(&self, limit: Option<Duration>) -> Option<Instant> {
        let time = self.budget.within(limit).time;
        time.map(|time| Instant::now() + time)
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
        flattened(mover.log_chances(&InformationState::of(view)), sharpness)
    }

    fn search(&mut self, view: &View, moves: &[Meld], deadline: Option<Instant>) {
        let guidance = self.guidance(view);
        let prior = self.prior(view, moves, guidance.prior_sharpness);
        let policies = policies(self.rivals.as_ref(), &self.networks, view, self.player_at);
        let worlds = if self.rivals.is_some() {
            let options = WorldOptions {
                worlds: WORLDS,
                steps: STEPS,
                deadline: deadline.map(|end| {
                    let now = Instant::now();
                    now + end.saturating_duration_since(now) / 2
                }),
            };
            self.belief.draw(view, &policies, options, &mut self.rng)
        } else {
            let count = (self.budget.playouts / 4).clamp(16, 1024);
            (0..count)
                .map(|_| view.determinize(&mut self.rng))
                .collect()
        };
        let job = PlayoutJob {
            view,
            moves,
            worlds: &worlds,
            networks: &self.networks,
            policies,
            sharpness: self.with.sharpness,
            guidance,
            prior,
            playouts: self.budget.playouts.div_ceil(self.threads as u64),
            deadline,
        };
        let mut rngs = split(&mut self.rng, self.threads);
        let found = fan_out(&mut rngs, |thread, rng| job.run(thread, rng));
        self.last = add_up(moves, &found);
    }
}

struct PlayoutJob<'a> {
    view: &'a View,
    moves: &'a [Meld],
    worlds: &'a [Position],
    networks: &'a DaihinminNetworks,
    policies: Policies<'a>,
    sharpness: f32,
    guidance: Guidance,
    prior: Vec<f64>,
    playouts: u64,
    deadline: Option<Instant>,
}

impl PlayoutJob<'_> {
    fn run(&self, thread: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<Arm> {
        let mut arms = vec![Arm::default(); self.moves.len()];
        let mut used = vec![thread * 17; self.moves.len()];
        let mut playout = WeightedPlayout {
            mover: Mover::new(self.networks, self.sharpness),
            policies: self.policies,
            ranks: self.view.ranks,
            values: self.guidance.values,
            is_cut: self.guidance.is_cut,
        };
        for n in 0..self.playouts {
            if n % 16 == 15 && is_over(self.deadline) {
                break;
            }
            let i = self.guidance.choose(&arms, &self.prior, n as f64);
            // Every move meets the same worlds in the same order, so luck in the deal cancels.
            let mut position = self.worlds[used[i] % self.worlds.len()];
            used[i] += 1;
            arms[i].add(playout.run(&mut position, Some(self.moves[i]), self.view.seat, rng));
        }
        arms
    }
}

impl Engine for Best {
    fn choose(&mut self, view: &View, limit: Option<Duration>) -> Meld {
        let deadline = self.deadline(limit);
        let moves = root_moves(view);
        self.last.clear();
        self.reason = "only move";
        if moves.len() == 1 {
            return moves[0];
        }
        if let Some(meld) = sure_win(view, deadline) {
            self.reason = "certain win";
            return meld;
        }
        if let Some(meld) = winning_move(view, deadline) {
            self.reason = "solved end";
            return meld;
        }
        self.reason = "playouts";
        self.search(view, &moves, deadline);
        chosen(&self.last)
    }

    fn gift(&mut self, view: &View, n: u32, limit: Option<Duration>) -> Cards {
        self.last.clear();
        self.reason = "gift";
        self.choose_gift(view, n, limit)
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
        if self.rivals.is_some() {
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
    pub(super) fn choose_gift(&mut self, view: &View, n: u32, limit: Option<Duration>) -> Cards {
        let choices = gift_choices(view.hand, n);
        let Some(partner) = view.exchanged.partner else {
            return weakest(view.hand, n);
        };
        let guidance = self.guidance(view);
        let mut arms = vec![Arm::default(); choices.len()];
        let mut mover = Mover::new(&self.networks, self.with.sharpness);
        let chances = mover.gift_chances(&InformationState::at_gift(view), &choices);
        let prior = flattened(chances, guidance.prior_sharpness);
        let mut playout = WeightedPlayout {
            mover,
            policies: policies(self.rivals.as_ref(), &self.networks, view, self.player_at),
            ranks: view.ranks,
            values: guidance.values,
            is_cut: guidance.is_cut,
        };
        let deadline = self.deadline(limit);
        let budget = self.budget.playouts.max(choices.len() as u64 * 8);
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
            let i = guidance.choose(&arms, &prior, k as f64);
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
    own: &'a DaihinminNetworks,
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

#[derive(Clone, Copy, Debug)]
struct Guidance {
    /// Weight of the network's chances in the choice of the next playout's move; 0 is UCB1-tuned without them.
    prior_weight: f64,
    /// Inverse temperature of the network's chances in that choice.
    prior_sharpness: f32,
    /// Weight of the logarithm of the network's chances beside the values of playouts.
    pull: f64,
    values: [f64; SEATS],
    /// Whether a playout ends at the engine's next decision, where the value network judges.
    is_cut: bool,
}

impl Guidance {
    /// The move or gift of the next playout.
    fn choose(&self, arms: &[Arm], prior: &[f64], total: f64) -> usize {
        if self.prior_weight > 0.0 {
            puct(arms, prior, self.prior_weight, self.pull)
        } else {
            BanditRule::Ucb1Tuned.choose(arms, total)
        }
    }
}

/// What may be set of the search, beside its budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ingredients {
    /// Inverse temperature of the policy in playouts.
    pub sharpness: f32,
    /// Weight of the network's chances in the choice of the next playout's move; 0 is UCB1-tuned without them.
    pub prior: f64,
}

impl Default for Ingredients {
    fn default() -> Ingredients {
        Ingredients {
            sharpness: 1.0,
            prior: 1.0,
        }
    }
}
