//! What the enemy's colours may be, by the likelihood that policies give its moves.
//!
//! The enemy plays like one of several policies, and which one is as unknown as its placement: every policy with every
//! placement starts with a weight, the same for all in the first game. After each of its moves each weight is multiplied by
//! the probability that this policy, with those colours, chooses that move. Most weights soon become negligible. Such a
//! weight is updated later, and only if the others fall so far that it may matter.

use std::sync::Arc;

use games::geister::{Move, MoveList, Placement, Position, View};
use rand::{Rng, RngExt as _};

use super::choice::softmax;
use super::features::Sight;
use super::inputs::GeisterNetworks;
use super::policy::NetworkInputs;
use super::selfplay::MOST_MOVES;
use super::sums::Sums;
use super::weights::Weights;

/// Share of moves that the enemy is taken to draw uniformly, unless options set another. At 1 nothing is inferred.
pub const BLUNDERS: f64 = 0.1;

/// The policies that an enemy may have, each at its own temperature and at a lower one.
pub struct EnemyModels {
    pub networks: Arc<GeisterNetworks>,
    /// Those of best responses to the shipped ones, whatever `networks` are.
    pub responses: [Arc<GeisterNetworks>; Self::NETWORKS - 1],
    /// Policies of pairs of features.
    pub pairs: [Weights; Self::PAIRS],
    /// Another one, which learns from the opponent's games.
    pub learned: Weights,
}

impl EnemyModels {
    /// Temperatures of each policy: one player draws among its moves, another plays the move that it likes best.
    const TEMPERATURES: [f64; 2] = [1.0, 0.3];
    /// Temperature at which the learned policy begins as that of the paper: unlike the others, it is sure of nothing.
    const BROAD: f64 = 3.0;
    /// The first policies are networks.
    const NETWORKS: usize = 6;
    /// Policies of pairs of features that do not learn.
    const PAIRS: usize = 2;
    /// All policies; the last one learns.
    const POLICIES: usize = Self::NETWORKS + Self::PAIRS + 1;
    pub(super) const ALL: [bool; Self::POLICIES] = [true; Self::POLICIES];
    pub(super) const COUNT: usize = Self::POLICIES * Self::TEMPERATURES.len();

    pub fn new(networks: Arc<GeisterNetworks>) -> Self {
        Self {
            networks,
            responses: GeisterNetworks::responses(),
            pairs: [Weights::strongest(), Weights::paper()],
            learned: Weights::paper().scaled(1.0 / Self::BROAD),
        }
    }

    /// The preference of a policy for each move; `asked` has taken in the decision for the networks.
    fn preferences(
        &self,
        policy: usize,
        asked: &mut NetworkInputs,
        sight: &Sight,
        moves: &MoveList,
        out: &mut [f64],
    ) {
        if policy < Self::NETWORKS {
            let networks = policy
                .checked_sub(1)
                .map_or(&self.networks, |n| &self.responses[n]);
            asked.logits(networks, out);
            return;
        }
        let pairs = self.pairs.get(policy - Self::NETWORKS);
        let pairs = pairs.unwrap_or(&self.learned);
        let sums = Sums::of(pairs, sight);
        sums.preferences(pairs, sight, moves, out);
    }

    /// The probability of each move under a policy at its temperature.
    pub(super) fn chances(
        &self,
        model: usize,
        asked: &mut NetworkInputs,
        sight: &Sight,
        moves: &MoveList,
        out: &mut [f64],
    ) {
        let count = Self::TEMPERATURES.len();
        let policy = model / count;
        if policy < Self::NETWORKS {
            asked.take_in(sight, moves);
        }
        self.preferences(policy, asked, sight, moves, out);
        softmax(out, Self::TEMPERATURES[model % count]);
    }

    /// The probability of a move of the seat to move under each of the `wanted` policies at each of its temperatures; 0 for an
    /// illegal move. What is given for the other policies means nothing.
    pub(super) fn likelihoods(
        &self,
        asked: &mut NetworkInputs,
        position: &Position,
        mv: Move,
        blunders: f64,
        wanted: [bool; Self::POLICIES],
    ) -> [f64; Self::COUNT] {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let chosen = moves.iter().position(|&m| m == mv);
        let (Some(seat), Some(chosen)) = (position.to_move(), chosen) else {
            return [0.0; Self::COUNT];
        };
        let uniform = blunders / moves.len() as f64;
        let of = |chance: f64| chance * (1.0 - blunders) + uniform;
        // A player that can win at once does, whatever the policy says.
        if let Some(escape) = position.escape() {
            return [of(f64::from(u8::from(mv == escape))); Self::COUNT];
        }
        let sight = Sight::of(position, seat);
        if wanted[..Self::NETWORKS].contains(&true) {
            asked.take_in(&sight, &moves);
        }
        let mut likelihoods = [0.0; Self::COUNT];
        let of_policy = likelihoods.chunks_exact_mut(Self::TEMPERATURES.len());
        for (policy, likelihoods) in of_policy.enumerate().filter(|&(p, _)| wanted[p]) {
            let mut preferences = [0.0; MOST_MOVES];
            let preferences = &mut preferences[..moves.len()];
            self.preferences(policy, asked, &sight, &moves, preferences);
            for (likelihood, temperature) in likelihoods.iter_mut().zip(Self::TEMPERATURES) {
                let mut chances = [0.0; MOST_MOVES];
                let chances = &mut chances[..moves.len()];
                chances.copy_from_slice(preferences);
                softmax(chances, temperature);
                *likelihood = of(chances[chosen]);
            }
        }
        likelihoods
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    pub models: [f64; EnemyModels::COUNT],
    /// Of the placements, in the order of [`Placement::ALL`].
    pub placements: [f64; Placement::ALL.len()],
}

impl Default for Prior {
    fn default() -> Self {
        Self {
            models: [1.0; EnemyModels::COUNT],
            placements: [1.0; Placement::ALL.len()],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Enemy {
    pub placement: Placement,
    pub model: usize,
    pub chance: f64,
}

/// Weights of the enemy's 70 placements under each policy that it may have.
#[derive(Clone, Debug, PartialEq)]
pub struct Belief {
    blunders: f64,
    prior: Prior,
    /// After a move the highest is 1. A weight that has not taken in all moves is an upper bound.
    weights: [[f64; Placement::ALL.len()]; EnemyModels::COUNT],
    /// The enemy's moves, each with the view before it.
    moves: Vec<(View, Move)>,
    /// How many of the moves the weights of each placement and policy have taken in.
    taken: [[usize; EnemyModels::POLICIES]; Placement::ALL.len()],
}

impl Belief {
    /// Weights up to this share of the highest one do not take in moves yet.
    const NEGLIGIBLE: f64 = 1e-9;

    pub fn new(blunders: f64, prior: Prior) -> Self {
        let weights = |model: f64| prior.placements.map(|placement| model * placement);
        Self {
            blunders,
            prior,
            weights: prior.models.map(weights),
            moves: Vec::new(),
            taken: [[0; EnemyModels::POLICIES]; Placement::ALL.len()],
        }
    }

    /// Takes in a move of the enemy; `before` is the view before it.
    pub fn observe(&mut self, models: &EnemyModels, before: &View, mv: Move) {
        self.moves.push((*before, mv));
        // A capture rules placements out, so that others may matter.
        for (number, placement) in Placement::ALL.into_iter().enumerate() {
            if !before.allows(placement) {
                self.weights.iter_mut().for_each(|w| w[number] = 0.0);
            }
        }
        let mut asked = NetworkInputs::default();
        loop {
            let highest = self.weights.iter().flatten().fold(0.0, |h, &w| w.max(h));
            if highest <= 0.0 {
                *self = Self::new(self.blunders, self.prior);
                return;
            }
            self.weights
                .iter_mut()
                .flatten()
                .for_each(|w| *w /= highest);
            let mut is_done = true;
            for number in 0..Placement::ALL.len() {
                is_done &= !self.catch_up(models, number, &mut asked);
            }
            if is_done {
                return;
            }
        }
    }

    /// Takes in a placement's waiting moves until its weights are negligible or exact; returns whether there were any.
    fn catch_up(&mut self, models: &EnemyModels, number: usize, asked: &mut NetworkInputs) -> bool {
        let mut waited = false;
        while let Some((next, wanted)) = self.waiting(number) {
            waited = true;
            let (before, mv) = &self.moves[next];
            let position = before.with(Placement::ALL[number]);
            let likelihoods = position.map_or([0.0; EnemyModels::COUNT], |position| {
                models.likelihoods(asked, &position, *mv, self.blunders, wanted)
            });
            let of_policy = likelihoods.chunks_exact(EnemyModels::TEMPERATURES.len());
            let of_policy = of_policy.zip(
                self.weights
                    .chunks_exact_mut(EnemyModels::TEMPERATURES.len()),
            );
            for (policy, (likelihoods, weights)) in of_policy.enumerate() {
                if wanted[policy] {
                    self.taken[number][policy] = next + 1;
                    for (weights, likelihood) in weights.iter_mut().zip(likelihoods) {
                        weights[number] *= likelihood;
                    }
                }
            }
        }
        waited
    }

    /// The first waiting move of a placement, and the policies that wait for it, of those that are not negligible.
    fn waiting(&self, number: usize) -> Option<(usize, [bool; EnemyModels::POLICIES])> {
        let mut matters = self
            .weights
            .chunks_exact(EnemyModels::TEMPERATURES.len())
            .map(|weights| {
                let mut weights = weights.iter();
                weights.any(|weights| weights[number] > Self::NEGLIGIBLE)
            });
        let taken = self.taken[number].map(|taken| matters.next().and_then(|m| m.then_some(taken)));
        let next = taken.into_iter().flatten().min()?;
        (next < self.moves.len()).then(|| (next, taken.map(|taken| taken == Some(next))))
    }

    /// The enemies that the view allows; their probabilities add up to 1.
    pub fn enemies(&self, view: &View) -> Vec<Enemy> {
        let mut enemies = Vec::new();
        for (n, placement) in Placement::ALL.into_iter().enumerate() {
            if view.allows(placement) {
                let weights = self.weights.iter().map(|weights| weights[n]);
                enemies.extend(weights.enumerate().map(|(model, chance)| Enemy {
                    placement,
                    model,
                    chance,
                }));
            }
        }
        let sum: f64 = enemies.iter().map(|enemy| enemy.chance).sum();
        let count = enemies.len() as f64;
        for enemy in &mut enemies {
            enemy.chance = if sum > 0.0 {
                enemy.chance / sum
            } else {
                1.0 / count
            };
        }
        enemies
    }

    /// The probability that each of the enemy's ghosts A..H is red.
    pub fn red(&self, view: &View) -> [f64; 8] {
        let mut red = [0.0; 8];
        for enemy in self.enemies(view) {
            for (bit, red) in red.iter_mut().enumerate() {
                *red += enemy.chance * f64::from(enemy.placement.mask() >> bit & 1);
            }
        }
        red
    }
}

/// Draws from placements whose probabilities are added up in order.
#[inline]
pub(super) fn draw_cumulative(cumulative: &[f64], rng: &mut impl Rng) -> usize {
    let at = rng.random::<f64>() * cumulative.last().copied().unwrap_or(0.0);
    cumulative
        .partition_point(|&c| c <= at)
        .min(cumulative.len().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use games::geister::Rules;
    use rand::SeedableRng as _;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::geister::selfplay::random_placement;

    /// The oracle of the likelihood of a move: the chances of all moves, one policy and temperature at a time.
    #[test]
    fn likelihoods_are_the_chances_of_each_model() {
        let models = EnemyModels::new(GeisterNetworks::built_in().into());
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
        let (mut asked, mut moves) = (NetworkInputs::default(), MoveList::new());
        let mut compared = 0;
        for _ in 0..10 {
            let placements = [0; 2].map(|_| random_placement(&mut rng));
            let mut position = Position::new(placements, Rules::default());
            while let Some(seat) = position.to_move()
                && position.ply() < 30
            {
                position.legal_moves(&mut moves);
                let i = rng.random_range(0..moves.len());
                if position.escape().is_none() {
                    let sight = Sight::of(&position, seat);
                    let found =
                        models.likelihoods(&mut asked, &position, moves[i], 0.0, EnemyModels::ALL);
                    for (model, likelihood) in found.into_iter().enumerate() {
                        let mut chances = [0.0; MOST_MOVES];
                        let chances = &mut chances[..moves.len()];
                        models.chances(model, &mut asked, &sight, &moves, chances);
                        assert!((likelihood - chances[i]).abs() < 1e-9, "model {model}");
                        compared += 1;
                    }
                }
                position.play_unchecked(moves[i]);
            }
        }
        assert!(compared > 100 * EnemyModels::COUNT, "{compared}");
    }

    /// The chances of the enemies that a view allows, when all are asked about all moves.
    fn exact(
        models: &EnemyModels,
        blunders: f64,
        prior: &Prior,
        moves: &[(View, Move)],
        view: &View,
    ) -> Vec<f64> {
        let mut asked = NetworkInputs::default();
        let mut chances = Vec::new();
        let placements = Placement::ALL.into_iter().zip(prior.placements);
        for (placement, weight) in placements.filter(|&(placement, _)| view.allows(placement)) {
            let mut weights = prior.models.map(|model| model * weight);
            for (before, mv) in moves {
                let position = before.with(placement).expect("the later view allows it");
                let likelihoods =
                    models.likelihoods(&mut asked, &position, *mv, blunders, EnemyModels::ALL);
                weights
                    .iter_mut()
                    .zip(likelihoods)
                    .for_each(|(w, likelihood)| *w *= likelihood);
            }
            chances.extend(weights);
        }
        let sum: f64 = chances.iter().sum();
        chances.iter().map(|chance| chance / sum).collect()
    }

    /// Pairs of a placement and a policy that are possible, and for which moves wait.
    fn waiting(belief: &Belief) -> usize {
        let mut waiting = 0;
        for (number, taken) in belief.taken.iter().enumerate() {
            let of_policy = belief.weights.chunks_exact(EnemyModels::TEMPERATURES.len());
            let possible = of_policy.map(|weights| weights.iter().any(|w| w[number] > 0.0));
            waiting += possible
                .zip(taken)
                .filter(|&(p, &t)| p && t < belief.moves.len())
                .count();
        }
        waiting
    }

    /// Where the belief is sure of the opposite of the enemy's colours, each capture contradicts it.
    #[test]
    fn moves_that_wait_do_not_change_the_belief() {
        let models = EnemyModels::new(GeisterNetworks::built_in().into());
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
        let mut moves = MoveList::new();
        let (mut waited, mut surprises) = (0, 0);
        let sides = [Placement::ALL[0], Placement::ALL[Placement::ALL.len() - 1]];
        let contrary = Prior {
            placements: Placement::ALL.map(|p| if p == sides[1] { 1.0 } else { 1e-12 }),
            ..Prior::default()
        };
        for (prior, blunders) in [(Prior::default(), 0.1), (contrary, 0.1), (contrary, 0.0)] {
            for _ in 0..6 {
                let mut placements = [0; 2].map(|_| random_placement(&mut rng));
                if prior == contrary {
                    placements[1] = sides[0];
                }
                let mut position = Position::new(placements, Rules::default());
                let mut belief = Belief::new(blunders, prior);
                let mut seen = Vec::new();
                while let Some(seat) = position.to_move()
                    && position.ply() < 60
                {
                    let before = position.view(0);
                    if seat == 0 {
                        waited += waiting(&belief);
                        let due = exact(&models, blunders, &prior, &seen, &before);
                        let found = belief.enemies(&before);
                        assert_eq!(found.len(), due.len());
                        for (found, due) in found.iter().zip(due) {
                            assert!((found.chance - due).abs() < 1e-6, "{found:?} {due}");
                        }
                    }
                    position.legal_moves(&mut moves);
                    let drawn = moves[rng.random_range(0..moves.len())];
                    let takes = |&mv: &Move| position.clone().play_unchecked(mv).captured.is_some();
                    let capture = moves.iter().copied().find(takes);
                    let mv = position.escape().or(capture).unwrap_or(drawn);
                    if seat == 1 {
                        let placements = Placement::ALL.into_iter().enumerate();
                        let mut gone = placements.filter(|&(_, p)| !before.allows(p));
                        let is_sure = |n: usize| belief.weights.iter().any(|w| w[n] >= 1.0);
                        surprises += u32::from(gone.any(|(n, _)| is_sure(n)));
                        belief.observe(&models, &before, mv);
                        seen.push((before, mv));
                    }
                    position.play_unchecked(mv);
                }
            }
        }
        assert!(waited > 10_000 && surprises > 0, "{waited} {surprises}");
    }
}
