//! Learning the networks by self-play for wins, by games against engines that stay as they are, or by both. Games against one
//! engine alone make a best response to it.

use games::geister::{MoveList, Position, Rules};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::Mean;

use super::choice::Choice;
use super::engine::Engine;
use super::features::Sight;
use super::inputs::{INPUTS, Networks};
use super::selfplay::{MOST_MOVES, random_placement};
use super::sums::Sums;
use super::weights::Weights;
use super::{EngineOptions, PreparedEngine, WeightsError};
use crate::learning::{
    Decision, Inputs, Ppo, Round, Schedule, draw_chance, follow_advantages, likeliest,
    to_log_chances,
};
use crate::search::{fan_out, split};

/// Who plays a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    /// The networks that learn.
    Learner,
    /// The networks as they were some rounds ago.
    Older,
    /// The policy of pairs of features.
    Pairs,
    /// An engine that does not learn, by its number.
    Engine(usize),
}

/// A learner with its networks.
pub struct Learner {
    ppo: Ppo<INPUTS>,
    /// The networks as they were some rounds ago.
    older: Networks,
    pairs: Weights,
    /// Engines that it plays against, with their names.
    engines: Vec<(String, PreparedEngine)>,
    share: f64,
    rng: Xoshiro256PlusPlus,
    /// Games so far.
    pub games: u64,
}

impl Learner {
    /// A learner that begins with these networks; with small random numbers without any.
    pub fn new(networks: Option<Networks>, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let networks = networks.unwrap_or_else(|| Networks::random(&mut rng));
        Learner {
            older: networks.clone(),
            ppo: Ppo::new(networks),
            pairs: Weights::strongest(),
            engines: Vec::new(),
            share: 0.0,
            rng,
            games: 0,
        }
    }

    /// Plays this share of the games, 0 to 1, against these engines from now on, as often against each of them. Their names are
    /// for [`Self::engines`].
    ///
    /// # Errors
    /// When the weights of an engine cannot be read.
    pub fn play_against(
        &mut self,
        engines: &[(String, EngineOptions)],
        share: f64,
    ) -> Result<(), WeightsError> {
        let prepare =
            |(name, engine): &(String, EngineOptions)| Ok((name.clone(), engine.prepare()?));
        self.engines = engines.iter().map(prepare).collect::<Result<_, _>>()?;
        self.share = share;
        Ok(())
    }

    /// The names of the engines that it plays against, by number.
    pub fn engines(&self) -> impl Iterator<Item = &str> {
        self.engines.iter().map(|(name, _)| name.as_str())
    }

    /// The networks as they are.
    pub fn networks(&self) -> &Networks {
        &self.ppo.networks
    }

    /// The older self becomes that of today.
    pub fn renew_older(&mut self) {
        self.older = self.ppo.networks.clone();
    }

    /// Plays so many games, and learns from them.
    pub fn round(&mut self, games: usize, schedule: &Schedule, threads: usize) -> Round {
        let mut rngs = split(&mut self.rng, threads);
        let share = games.div_ceil(threads);
        let this = &*self;
        let found = fan_out(&mut rngs, |_, rng| {
            let mut table = Table::new(this, schedule.lambda, rng.random());
            for _ in 0..share {
                table.game(this.players(rng), rng);
            }
            table.decisions
        });
        self.games += (share * threads) as u64;
        let decisions = found.into_iter().flatten().collect();
        self.ppo.learn(decisions, schedule, threads, &mut self.rng)
    }

    /// Score of the learner at its likeliest moves, over pairs of games with the seats exchanged. The games of a pair have the same
    /// placements, but for those that an engine chooses. The older networks and the policy of pairs play their likeliest moves as
    /// well; an engine begins each game anew, with the seed of the pair.
    ///
    /// # Panics
    /// If there is no engine of the number of `other`.
    pub fn measure(&self, other: Player, pairs: u64, threads: usize) -> Mean {
        let mut parts: Vec<u64> = (0..threads as u64).collect();
        let found = fan_out(&mut parts, |_, part| {
            let mut table = Table::new(self, 1.0, *part);
            table.is_greedy = true;
            let mut means = Vec::new();
            for number in (*part..pairs).step_by(threads) {
                let seed = 0x7a69 + number;
                let score = [0, 1].map(|learner| {
                    if let Player::Engine(number) = other {
                        table.engines[number] = self.engines[number].1.build(seed);
                    }
                    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
                    let mut players = [other; 2];
                    players[learner] = Player::Learner;
                    f64::from(table.game(players, &mut rng)[learner])
                });
                means.push(f64::midpoint(score[0], score[1]));
            }
            means
        });
        Mean::of(found.into_iter().flatten(), [0.0, 1.0])
    }

    /// Draws the players of a game to learn from: the learner and an engine for the share of the engines; else mostly the learner
    /// alone, sometimes with its older self or the policy of pairs on one side.
    fn players(&self, rng: &mut Xoshiro256PlusPlus) -> [Player; 2] {
        let other = if !self.engines.is_empty() && rng.random::<f64>() < self.share {
            Player::Engine(rng.random_range(0..self.engines.len()))
        } else {
            match rng.random_range(0..20) {
                0..12 => Player::Learner,
                12..17 => Player::Older,
                _ => Player::Pairs,
            }
        };
        let mut players = [Player::Learner; 2];
        players[rng.random_range(0..2)] = other;
        players
    }
}

/// Two players of self-play, and what the learners among them decide.
struct Table<'a> {
    learner: &'a Learner,
    engines: Vec<Box<dyn Engine>>,
    lambda: f32,
    is_greedy: bool,
    decisions: Vec<Decision>,
    moves: MoveList,
    inputs: Inputs,
    logits: Vec<f32>,
}

impl<'a> Table<'a> {
    fn new(learner: &'a Learner, lambda: f32, seed: u64) -> Self {
        let engines = learner.engines.iter();
        Table {
            learner,
            engines: engines.map(|(_, engine)| engine.build(seed)).collect(),
            lambda,
            is_greedy: false,
            decisions: Vec::new(),
            moves: MoveList::new(),
            inputs: Inputs::default(),
            logits: Vec::new(),
        }
    }

    /// Plays a game; gives the result of each seat, 0 to 1.
    fn game(&mut self, players: [Player; 2], rng: &mut Xoshiro256PlusPlus) -> [f32; 2] {
        let engine = (0..2).find_map(|seat| match players[seat] {
            Player::Engine(number) => Some((seat, number)),
            _ => None,
        });
        let mut placements = [0; 2].map(|_| random_placement(rng));
        if let Some((seat, number)) = engine {
            placements[seat] = self.engines[number].placement();
        }
        let mut position = Position::new(placements, Rules::default());
        if let Some((seat, number)) = engine {
            self.engines[number].begin(&position.view(seat as u8));
        }
        let begin = self.decisions.len();
        let mut seat_of = Vec::new();
        while let Some(seat) = position.to_move() {
            if let Some(mv) = position.escape() {
                position.play_unchecked(mv);
                break;
            }
            let player = players[usize::from(seat)];
            let seen = engine.map(|(seat, number)| (number, position.view(seat as u8)));
            let mv = if let (Player::Engine(number), Some((_, view))) = (player, &seen) {
                self.engines[number].choose(view)
            } else {
                position.legal_moves(&mut self.moves);
                let sight = Sight::of(&position, seat);
                if player == Player::Learner && !self.is_greedy {
                    seat_of.push(seat);
                }
                let chosen = self.decide(player, &sight, rng);
                self.moves[chosen]
            };
            let played = position.play_unchecked(mv);
            if let Some((number, view)) = &seen {
                let captured = played.captured.map(|(_, colour)| colour);
                self.engines[*number].observe(view, mv, captured);
            }
        }
        let results = match position.end().and_then(|end| end.winner) {
            Some(winner) => [0, 1].map(|seat| f32::from(u8::from(seat == winner))),
            None => [0.5; 2],
        };
        follow_advantages(&mut self.decisions[begin..], &seat_of, results, self.lambda);
        results
    }

    /// Chooses among the legal moves, and books the decision of a learner.
    fn decide(&mut self, player: Player, sight: &Sight, rng: &mut Xoshiro256PlusPlus) -> usize {
        let networks = match player {
            Player::Pairs => return self.decide_by_pairs(sight, rng),
            Player::Engine(_) => unreachable!("an engine sees a view"),
            Player::Older => &self.learner.older,
            Player::Learner => &self.learner.ppo.networks,
        };
        self.inputs.set_ghosts(sight, &self.moves);
        networks.policy.logits(&self.inputs, &mut self.logits);
        if self.is_greedy {
            return likeliest(&self.logits);
        }
        to_log_chances(&mut self.logits);
        let chosen = draw_chance(&self.logits, rng);
        if player == Player::Learner {
            let decision = Decision::new(networks, &self.inputs, &self.logits, chosen);
            self.decisions.push(decision);
        }
        chosen
    }

    fn decide_by_pairs(&self, sight: &Sight, rng: &mut Xoshiro256PlusPlus) -> usize {
        let pairs = &self.learner.pairs;
        let sums = Sums::of(pairs, sight);
        let mut values = [0.0; MOST_MOVES];
        sums.preferences(pairs, sight, &self.moves, &mut values);
        let choice = if self.is_greedy {
            Choice::Greedy
        } else {
            Choice::Softmax(1.0)
        };
        choice.choose(&mut values[..self.moves.len()], rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEDULE: Schedule = Schedule {
        batch: 256,
        passes: 2,
        rate: 0.002,
        entropy: 0.01,
        lambda: 0.9,
        clip: 0.2,
    };

    /// Some rounds make the networks better than they were.
    #[test]
    fn a_little_learning_beats_the_networks_as_they_were() {
        let mut learner = Learner::new(None, 3);
        for _ in 0..10 {
            let round = learner.round(50, &SCHEDULE, 1);
            assert!(round.decisions > 1000 && round.entropy > 0.0, "{round:?}");
        }
        assert_eq!(learner.games, 500);
        let score = learner.measure(Player::Older, 100, 1);
        assert!(score.low > 0.5, "{score:?}");
    }

    fn named(engines: &[&str]) -> Vec<(String, EngineOptions)> {
        let named = |&text: &&str| (text.to_owned(), text.parse().expect("an engine"));
        engines.iter().map(named).collect()
    }

    /// The learner plays one seat of each game; an engine that tells nothing of its colours stays as it is.
    #[test]
    fn a_response_learns_from_games_against_its_engine_only() {
        let mut learner = Learner::new(None, 3);
        let random = named(&["random"]);
        learner.play_against(&random, 1.0).expect("an engine");
        let before = learner.measure(Player::Engine(0), 50, 1);
        let mut decisions = 0;
        for _ in 0..10 {
            decisions += learner.round(50, &SCHEDULE, 1).decisions;
        }
        assert!(decisions > 2000, "{decisions}");
        let score = learner.measure(Player::Engine(0), 50, 1);
        assert!(score.low > before.mean, "{before:?} {score:?}");
        let missing = named(&["best:weights=/nowhere/networks.i16"]);
        assert!(learner.play_against(&missing, 1.0).is_err());
    }

    /// Half of the games are against the engines, as many against each; in the others the learner meets itself and the others.
    #[test]
    fn a_share_of_the_games_is_against_each_engine() {
        let mut learner = Learner::new(None, 3);
        let engines = named(&["random", "paper"]);
        learner.play_against(&engines, 0.5).expect("engines");
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let mut games = [0; 3];
        for _ in 0..4000 {
            let players = learner.players(&mut rng);
            assert!(players.contains(&Player::Learner), "{players:?}");
            let engine = players.iter().find_map(|player| match player {
                Player::Engine(number) => Some(*number),
                _ => None,
            });
            games[engine.unwrap_or(2)] += 1;
        }
        let [random, paper, others] = games;
        assert!(
            random > 900 && paper > 900 && others > 1850 && others < 2150,
            "{games:?}"
        );
    }

    /// Networks that know nothing are as good as `random` and lose to `paper`, whichever of the two stands first and however many
    /// threads play.
    #[test]
    fn each_engine_plays_its_own_games() {
        let mut learner = Learner::new(None, 3);
        let mut scores = Vec::new();
        for (engines, [random, paper]) in
            [(["random", "paper"], [0, 1]), (["paper", "random"], [1, 0])]
        {
            learner
                .play_against(&named(&engines), 0.5)
                .expect("engines");
            assert!(learner.engines().eq(engines));
            for threads in [1, 2] {
                let score = |engine| learner.measure(Player::Engine(engine), 40, threads).mean;
                scores.push([score(random), score(paper)]);
            }
        }
        let [random, paper] = scores[0];
        assert!(random > 0.4 && paper < 0.3, "{random} {paper}");
        let is_first = |score: &[f64; 2]| (0..2).all(|i| (score[i] - scores[0][i]).abs() < 1e-9);
        assert!(scores.iter().all(is_first), "{scores:?}");
    }
}
