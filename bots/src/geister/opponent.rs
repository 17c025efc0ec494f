//! What finished games have shown of an opponent: how it moves and where its colours are.
//!
//! At the end of a game all colours are known, so each decision of the enemy shows which of its moves it prefers with which
//! colours. After each game a policy of pairs of features learns from these decisions, by gradient ascent on the logarithm of
//! the probability that it gives to the moves made, and each policy that the enemy may have is rated by how well it has
//! predicted them.

use games::geister::{GHOSTS, Ghost, Move, MoveList, Placement, Position, View};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::belief::{EnemyModels, Prior};
use super::features::Sight;
use super::policy::NetworkInputs;
use super::reinforce::reinforce;

/// Step size of the weights, of the preferences at a temperature of 1.
const STEP: f64 = 0.005;
/// Times that the decisions of a new game are learned when it ends.
const PASSES: usize = 3;
/// Decisions of earlier games that are learned again after each game; with those of the new one they take a few milliseconds.
const REPLAYED: usize = 500;
/// Most decisions that are kept, those of about a thousand games; a new one then takes the place of one drawn at random.
const MOST_DECISIONS: usize = 30_000;
/// How much of the rating of a policy is left after another game: an opponent may change, and the learned policy does.
const KEPT: f64 = 0.9;
/// Share of the prior that all policies have alike, whatever their ratings.
const SHARED: f64 = 0.05;
/// Least probability of a move in a rating, which a policy without errors would take to be impossible.
const LEAST: f64 = 1e-9;
/// Games in which each ghost is taken to have been red before the first one, and as many in which it was blue.
const UNSEEN: f64 = 4.0;

/// An opponent, as far as its games have shown it.
#[derive(Clone, Debug)]
pub(super) struct Opponent {
    /// The decisions of the game in play: what this seat saw before them, and the moves.
    game: Vec<(View, Move)>,
    /// Decisions of finished games: the position, and the number of the move in the list of legal ones.
    decisions: Vec<(Position, u8)>,
    games: u32,
    /// In how many of them each of the enemy's ghosts was red.
    reds: [u32; GHOSTS],
    /// Logarithm of the likelihood of the policies in past games, of which older ones count less.
    ratings: [f64; EnemyModels::COUNT],
    rng: Xoshiro256PlusPlus,
}

impl Opponent {
    /// An opponent of whom nothing is known; the seed chooses what is learned again.
    pub(super) fn new(seed: u64) -> Self {
        Self {
            game: Vec::new(),
            decisions: Vec::new(),
            games: 0,
            reds: [0; GHOSTS],
            ratings: [0.0; EnemyModels::COUNT],
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// A game begins; one that has not come to an end is forgotten.
    pub(super) fn begin(&mut self) {
        self.game.clear();
    }

    /// Takes in a move of the enemy; `before` is the view before it.
    pub(super) fn observe(&mut self, before: &View, mv: Move) {
        self.game.push((*before, mv));
    }

    /// The game is over and was one with these colours: rates the policies by its moves, and lets the last one learn them.
    pub(super) fn reveal(&mut self, models: &mut EnemyModels, blunders: f64, enemy: Placement) {
        self.games += 1;
        for ghost in Ghost::ALL {
            self.reds[ghost.index()] += u32::from(enemy.is_red(ghost));
        }
        let played = self.decisions_of_game(enemy);
        self.rate(models, blunders, &played);
        let mut moves = MoveList::new();
        for (position, chosen) in self.lessons(&played) {
            position.legal_moves(&mut moves);
            let sight = sight(&position);
            reinforce(&mut models.learned, &sight, &moves, chosen.into(), STEP);
        }
        for decision in played {
            if self.decisions.len() < MOST_DECISIONS {
                self.decisions.push(decision);
            } else {
                let old = self.rng.random_range(0..MOST_DECISIONS);
                self.decisions[old] = decision;
            }
        }
    }

    /// What is learned after a game with these decisions, in an order drawn at random.
    fn lessons(&mut self, played: &[(Position, u8)]) -> Vec<(Position, u8)> {
        let mut lessons = played.repeat(PASSES);
        if !self.decisions.is_empty() {
            for _ in 0..REPLAYED {
                lessons.push(self.decisions[self.rng.random_range(0..self.decisions.len())]);
            }
        }
        for last in (1..lessons.len()).rev() {
            lessons.swap(last, self.rng.random_range(0..=last));
        }
        lessons
    }

    /// The enemies that there may be at the beginning of the next game.
    pub(super) fn prior(&self) -> Prior {
        if self.games == 0 {
            return Prior::default();
        }
        let highest = self.ratings.iter().copied().fold(f64::MIN, f64::max);
        let models = self.ratings.map(|rating| (rating - highest).exp());
        let sum: f64 = models.iter().sum();
        let alike = SHARED / EnemyModels::COUNT as f64;
        // The chances that the ghosts are red, as if they were independent of each other.
        let all = f64::from(self.games) + 2.0 * UNSEEN;
        let odds = self.reds.map(|red| {
            let red = (f64::from(red) + UNSEEN) / all;
            red / (1.0 - red)
        });
        Prior {
            models: models.map(|model| model / sum * (1.0 - SHARED) + alike),
            placements: Placement::ALL.map(|placement| {
                let red = Ghost::ALL.into_iter().filter(|&g| placement.is_red(g));
                red.map(|ghost| odds[ghost.index()]).product()
            }),
        }
    }

    /// The decisions of the game in play with these colours. Where a ghost could escape, or there was only one move, there
    /// was no choice.
    fn decisions_of_game(&mut self, enemy: Placement) -> Vec<(Position, u8)> {
        let mut moves = MoveList::new();
        let decisions = self.game.drain(..).filter_map(|(view, mv)| {
            let position = view.with(enemy)?;
            position.legal_moves(&mut moves);
            let chosen = moves.iter().position(|&other| other == mv)?;
            let is_choice = moves.len() > 1 && position.escape().is_none();
            is_choice.then_some((position, chosen as u8))
        });
        decisions.collect()
    }

    fn rate(&mut self, models: &EnemyModels, blunders: f64, played: &[(Position, u8)]) {
        let (mut asked, mut moves) = (NetworkInputs::default(), MoveList::new());
        self.ratings = self.ratings.map(|rating| rating * KEPT);
        for (position, chosen) in played {
            position.legal_moves(&mut moves);
            let mv = moves[usize::from(*chosen)];
            let likelihoods =
                models.likelihoods(&mut asked, position, mv, blunders, EnemyModels::ALL);
            for (rating, likelihood) in self.ratings.iter_mut().zip(likelihoods) {
                *rating += likelihood.max(LEAST).ln();
            }
        }
    }
}

/// What the enemy sees at one of its decisions.
fn sight(position: &Position) -> Sight {
    let seat = position.to_move().expect("a decision has a mover");
    Sight::of(position, seat)
}

#[cfg(test)]
mod tests {
    use super::super::belief::BLUNDERS;
    use std::sync::Arc;

    use games::geister::Rules;

    use super::*;
    use crate::geister::choice::Choice;
    use crate::geister::inputs::GeisterNetworks;
    use crate::geister::selfplay::{Room, random_placement};
    use crate::geister::weights::Weights;

    /// An enemy in seat 1 that goes the opposite way to the paper's policy and always makes A to D red.
    struct Contrary {
        weights: [Weights; 2],
        room: Room,
        rng: Xoshiro256PlusPlus,
    }

    impl Contrary {
        fn new() -> Self {
            let weights = [Weights::paper(), Weights::paper().scaled(-1.0)];
            Self {
                room: Room::new([&weights[0], &weights[1]]),
                weights,
                rng: Xoshiro256PlusPlus::seed_from_u64(7),
            }
        }

        /// Plays a game to its end before the opponent; gives the position there.
        fn play(&mut self, opponent: &mut Opponent) -> Position {
            let placements = [random_placement(&mut self.rng), Placement::ALL[0]];
            opponent.begin();
            let mut moves = MoveList::new();
            self.room.play(
                [&self.weights[0], &self.weights[1]],
                [Choice::Softmax(1.0), Choice::Greedy],
                Position::new(placements, Rules::default()),
                &mut self.rng,
                |position, chosen| {
                    if position.to_move() == Some(1) {
                        position.legal_moves(&mut moves);
                        opponent.observe(&position.view(0), moves[chosen]);
                    }
                },
            )
        }
    }

    fn models() -> EnemyModels {
        EnemyModels::new(Arc::new(GeisterNetworks::built_in()))
    }

    fn learned(games: u32) -> (Opponent, EnemyModels) {
        let (mut enemy, mut opponent, mut models) = (Contrary::new(), Opponent::new(3), models());
        for _ in 0..games {
            enemy.play(&mut opponent);
            opponent.reveal(&mut models, BLUNDERS, Placement::ALL[0]);
        }
        (opponent, models)
    }

    /// Mean logarithm of the probability that the learned policy gives to the moves of new games.
    fn foresight(models: &EnemyModels) -> f64 {
        let (mut enemy, mut opponent) = (Contrary::new(), Opponent::new(4));
        enemy.rng = Xoshiro256PlusPlus::seed_from_u64(8);
        let (mut sum, mut count) = (0.0, 0);
        for _ in 0..10 {
            opponent.ratings = [0.0; EnemyModels::COUNT];
            enemy.play(&mut opponent);
            let played = opponent.decisions_of_game(Placement::ALL[0]);
            opponent.rate(models, BLUNDERS, &played);
            sum += opponent.ratings[EnemyModels::COUNT - 2];
            count += played.len();
        }
        sum / count as f64
    }

    #[test]
    fn an_enemy_gets_more_predictable_from_game_to_game() {
        let found = [0, 5, 40].map(|games| foresight(&learned(games).1));
        assert!(found[1] > found[0] + 0.3, "{found:?}");
        assert!(found[2] > found[1] + 0.2, "{found:?}");
    }

    #[test]
    fn a_new_game_begins_with_what_past_ones_have_shown() {
        assert_eq!(learned(0).0.prior(), Prior::default());
        let prior = learned(20).0.prior();
        let sum: f64 = prior.models.iter().sum();
        let learned: f64 = prior.models[EnemyModels::COUNT - 2..].iter().sum();
        assert!((sum - 1.0).abs() < 1e-9 && learned > 0.9, "{prior:?}");
        let alike = SHARED / EnemyModels::COUNT as f64;
        assert!(prior.models.iter().all(|&model| model >= alike));
        // A to D were red in every game.
        assert!(
            prior.placements[1..]
                .iter()
                .all(|&p| p < prior.placements[0] / 10.0)
        );
    }

    #[test]
    fn the_seed_settles_what_is_learned() {
        let [one, other] = [(); 2].map(|()| learned(4));
        assert_eq!(one.1.learned, other.1.learned);
        assert_eq!(one.0.prior(), other.0.prior());
    }

    #[test]
    fn a_game_without_an_end_teaches_nothing() {
        let (mut enemy, mut opponent, mut models) = (Contrary::new(), Opponent::new(3), models());
        let before = models.learned.clone();
        enemy.play(&mut opponent);
        opponent.begin();
        opponent.reveal(&mut models, BLUNDERS, Placement::ALL[0]);
        assert_eq!(models.learned, before);
    }
}
