//! Games of Geister to learn from: of the networks against themselves for wins, against engines that stay as they are, or both.
//! Games against one engine alone make a best response to it.

use bots::BuildError;
use bots::geister::features::Sight;
use bots::geister::selfplay::{MOST_MOVES, random_placement};
use bots::geister::{Choice, Engine, EngineOptions, GeisterNetworks, INPUTS, Sums, Weights};
use bots::learning::{Inputs, likeliest, to_log_chances};
use bots::search::fan_out;
use bots::spec::Specified as _;
use games::geister::{MoveList, Position, Rules};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::Mean;

use super::policy::{Decision, Decisions, Players, SelfPlayGames, draw_chance};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    Learner,
    /// The networks as they were some rounds ago.
    Older,
    Pairs,
    /// An engine that does not learn, by its number.
    Engine(usize),
}

pub struct Geister {
    pairs: Weights,
    /// Engines that the networks play against, with their names.
    engines: Vec<(String, EngineOptions)>,
    share: f64,
}

impl Geister {
    /// Plays this share of the games, 0 to 1, against these engines, which have names, as often against each of them.
    pub fn new(engines: &[(String, EngineOptions)], share: f64) -> Result<Self, BuildError> {
        for (_, engine) in engines {
            engine.build(0)?;
        }
        Ok(Geister {
            pairs: Weights::strongest(),
            engines: engines.to_vec(),
            share,
        })
    }

    fn engine(&self, number: usize, seed: u64) -> Box<dyn Engine> {
        let engine = self.engines[number].1.build(seed);
        engine.expect("it was made when the training began")
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

    /// Score of the learner at its likeliest moves, over pairs of games with the seats exchanged. The games of a pair have the same
    /// placements, but for those that an engine chooses. The older networks and the policy of pairs play their likeliest moves as
    /// well; an engine begins each game anew, with the seed of the pair.
    ///
    /// # Panics
    /// If there is no engine of the number of `other`.
    pub fn score(
        &self,
        players: Players<'_, INPUTS>,
        other: Player,
        pairs: u64,
        threads: usize,
    ) -> Mean {
        let mut parts: Vec<u64> = (0..threads as u64).collect();
        let found = fan_out(&mut parts, |_, part| {
            let mut table = GeisterTable::new(self, players, *part);
            table.is_greedy = true;
            let mut means = Vec::new();
            for number in (*part..pairs).step_by(threads) {
                let seed = 0x7a69 + number;
                let score = [0, 1].map(|learner| {
                    if let Player::Engine(number) = other {
                        table.engines[number] = self.engine(number, seed);
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
}

impl SelfPlayGames<INPUTS> for Geister {
    const SESSION: u32 = 1;

    fn play(
        &self,
        players: Players<'_, INPUTS>,
        sessions: usize,
        lambda: f32,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Vec<Decision> {
        let mut table = GeisterTable::new(self, players, rng.random());
        for _ in 0..sessions {
            let results = table.game(self.players(rng), rng);
            table.decisions.end_game(results, lambda);
        }
        table.decisions.into_list()
    }

    fn measure(&self, players: Players<'_, INPUTS>, threads: usize) -> String {
        let engines = self.engines.iter().enumerate();
        let engines = engines.map(|(number, (name, _))| (Player::Engine(number), name.as_str()));
        let mut others: Vec<_> = engines.collect();
        if others.is_empty() {
            others.push((Player::Pairs, "policy.npy"));
        }
        let scores = others.into_iter().map(|(player, name)| {
            let score = self.score(players, player, 500, threads);
            let (mean, half_width) = (score.mean, score.half_width());
            format!("{mean:.3} \u{b1} {half_width:.3} against `{name}`")
        });
        format!("scores {}", scores.collect::<Vec<_>>().join(", "))
    }
}

/// Two players, and what the learners among them decide.
struct GeisterTable<'a> {
    pairs: &'a Weights,
    players: Players<'a, INPUTS>,
    engines: Vec<Box<dyn Engine>>,
    is_greedy: bool,
    decisions: Decisions,
    moves: MoveList,
    inputs: Inputs,
    logits: Vec<f32>,
}

impl<'a> GeisterTable<'a> {
    fn new(geister: &'a Geister, players: Players<'a, INPUTS>, seed: u64) -> Self {
        let engines = 0..geister.engines.len();
        GeisterTable {
            pairs: &geister.pairs,
            players,
            engines: engines.map(|number| geister.engine(number, seed)).collect(),
            is_greedy: false,
            decisions: Decisions::default(),
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
        while let Some(seat) = position.to_move() {
            if let Some(mv) = position.escape() {
                position.play_unchecked(mv);
                break;
            }
            let player = players[usize::from(seat)];
            let seen = engine.map(|(seat, number)| (number, position.view(seat as u8)));
            let mv = if let (Player::Engine(number), Some((_, view))) = (player, &seen) {
                self.engines[number].choose(view, None)
            } else {
                position.legal_moves(&mut self.moves);
                let sight = Sight::of(&position, seat);
                let chosen = self.decide(player, seat, &sight, rng);
                self.moves[chosen]
            };
            let played = position.play_unchecked(mv);
            if let Some((number, view)) = &seen {
                let captured = played.captured.map(|(_, colour)| colour);
                self.engines[*number].observe(view, mv, captured);
            }
        }
        match position.end().and_then(|end| end.winner) {
            Some(winner) => [0, 1].map(|seat| f32::from(u8::from(seat == winner))),
            None => [0.5; 2],
        }
    }

    /// Chooses among the legal moves, and books the decision of a learner.
    fn decide(
        &mut self,
        player: Player,
        seat: u8,
        sight: &Sight,
        rng: &mut Xoshiro256PlusPlus,
    ) -> usize {
        let networks: &GeisterNetworks = match player {
            Player::Pairs => return self.decide_by_pairs(sight, rng),
            Player::Engine(_) => unreachable!("an engine sees a view"),
            Player::Older => self.players.older,
            Player::Learner => self.players.learner,
        };
        self.inputs.set_ghosts(sight, &self.moves);
        networks.policy.logits(&self.inputs, &mut self.logits);
        if self.is_greedy {
            return likeliest(&self.logits);
        }
        to_log_chances(&mut self.logits);
        let chosen = draw_chance(&self.logits, rng);
        if player == Player::Learner {
            self.decisions
                .book(networks, &self.inputs, &self.logits, chosen, seat);
        }
        chosen
    }

    fn decide_by_pairs(&self, sight: &Sight, rng: &mut Xoshiro256PlusPlus) -> usize {
        let sums = Sums::of(self.pairs, sight);
        let mut values = [0.0; MOST_MOVES];
        sums.preferences(self.pairs, sight, &self.moves, &mut values);
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
    use crate::training::{Learner, Rounds};

    const ROUNDS: Rounds = Rounds {
        batch: 256,
        passes: 2,
        rate: 0.002,
        entropy: 0.01,
        lambda: 0.9,
    };

    fn against(engines: &[&str], share: f64) -> Result<Geister, BuildError> {
        let named = |&text: &&str| (text.to_owned(), text.parse().expect("an engine"));
        let engines: Vec<_> = engines.iter().map(named).collect();
        Geister::new(&engines, share)
    }

    fn score(
        learner: &Learner<Geister, INPUTS>,
        other: Player,
        pairs: u64,
        threads: usize,
    ) -> Mean {
        learner
            .play()
            .score(learner.players(), other, pairs, threads)
    }

    /// Some rounds make the networks better than they were.
    #[test]
    fn a_little_learning_beats_the_networks_as_they_were() {
        let mut learner = Learner::new(against(&[], 0.0).expect("no engine"), None, 3);
        for _ in 0..10 {
            let round = learner.round(50, &ROUNDS, 1);
            assert!(round.decisions > 1000 && round.entropy > 0.0, "{round:?}");
        }
        assert_eq!(learner.games(), 500);
        let score = score(&learner, Player::Older, 100, 1);
        assert!(score.low > 0.5, "{score:?}");
    }

    /// The learner plays one seat of each game; an engine that tells nothing of its colours stays as it is.
    #[test]
    fn a_response_learns_from_games_against_its_engine_only() {
        let random = against(&["random"], 1.0).expect("an engine");
        let mut learner = Learner::new(random, None, 3);
        let before = score(&learner, Player::Engine(0), 50, 1);
        let mut decisions = 0;
        for _ in 0..10 {
            decisions += learner.round(50, &ROUNDS, 1).decisions;
        }
        assert!(decisions > 2000, "{decisions}");
        let score = score(&learner, Player::Engine(0), 50, 1);
        assert!(score.low > before.mean, "{before:?} {score:?}");
        assert!(against(&["best:weights=/nowhere/networks.i16"], 1.0).is_err());
    }

    /// Half of the games are against the engines, as many against each; in the others the learner meets itself and the others.
    #[test]
    fn a_share_of_the_games_is_against_each_engine() {
        let geister = against(&["random", "paper"], 0.5).expect("engines");
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let mut games = [0; 3];
        for _ in 0..4000 {
            let players = geister.players(&mut rng);
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
        let mut scores = Vec::new();
        for (engines, [random, paper]) in
            [(["random", "paper"], [0, 1]), (["paper", "random"], [1, 0])]
        {
            let learner = Learner::new(against(&engines, 0.5).expect("engines"), None, 3);
            for threads in [1, 2] {
                let score = |engine| score(&learner, Player::Engine(engine), 40, threads).mean;
                scores.push([score(random), score(paper)]);
            }
        }
        let [random, paper] = scores[0];
        assert!(random > 0.4 && paper < 0.3, "{random} {paper}");
        let is_first = |score: &[f64; 2]| (0..2).all(|i| (score[i] - scores[0][i]).abs() < 1e-9);
        assert!(scores.iter().all(is_first), "{scores:?}");
    }
}
