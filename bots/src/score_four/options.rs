//! Engines by name and options, as the command lines and match specifications give them.

use std::time::Duration;

use games::GameName;
use games::score_four::Position;

use super::best::ScoreFourBest;
use super::monte_carlo::{MonteCarloEngine, MonteCarloMethod};
use super::playout::{ErdosSelfridge, Uniform};
use crate::BuildError;
use crate::engine::{Engine, RandomEngine};
use crate::search::Budget;
use crate::search::monte_carlo::UctPlan;
use crate::spec::{self, Key, KeyValue, Span, Specified};

spec::engine_names! {
    /// The engines by name.
    pub enum EngineName of EngineOptions {
        /// Uniformly random legal moves.
        Random = "random",
        /// Flat Monte Carlo.
        Flat = "flat",
        /// Monte Carlo with UCB1 at the root.
        Ucb1 = "ucb1",
        /// UCT with uniformly random playouts.
        Uct = "uct",
        /// UCT with playouts that prefer important squares (Erdős and Selfridge).
        UctEs = "uct-es",
        /// The strongest engine of the project.
        Best = "best",
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EngineOptions {
    pub engine: EngineName,
    /// Playouts a move of the Monte Carlo engines, nodes a move of `best`; without it and `time`, 50,000
    /// playouts or one second.
    pub playouts: Option<u64>,
    pub time: Option<Duration>,
    pub plan: UctPlan,
    /// Threads of the search. `best` solves the end on one of them while the others search, and shares its nodes among them.
    pub threads: usize,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            engine: EngineName::Best,
            playouts: None,
            time: None,
            plan: UctPlan::default(),
            threads: 1,
        }
    }
}

impl EngineOptions {
    /// What `best` may use: a second without any other limit.
    fn best_budget(&self) -> Budget {
        Budget::of(self.playouts, self.time)
    }
}

const UCT: &[EngineName] = &[EngineName::Uct, EngineName::UctEs];

const SEARCHING: &[EngineName] = &[
    EngineName::Flat,
    EngineName::Ucb1,
    EngineName::Uct,
    EngineName::UctEs,
    EngineName::Best,
];

impl Specified for EngineOptions {
    type Name = EngineName;
    type Engine = dyn Engine<Position>;
    const GAME: GameName = GameName::ScoreFour;

    const KEYS: &'static [Key<Self>] = &[
        Key::new(
            &["playouts", "nodes"],
            "playouts a move, nodes of best",
            KeyValue::Whole(1..=u64::MAX, |o, n| o.playouts = Some(n)),
        ),
        Key::time(|o| &mut o.time),
        Key::<Self>::new(
            &["exploration"],
            "C of UCB1 in the tree of uct and uct-es",
            KeyValue::Number(Span::NON_NEGATIVE, |o, n| o.plan.exploration = n),
        )
        .of(UCT),
        Key::threads(SEARCHING, |o| &mut o.threads),
    ];

    fn build(&self, seed: u64) -> Result<Box<Self::Engine>, BuildError> {
        let unlimited = if self.time.is_some() {
            u64::MAX
        } else {
            50_000
        };
        let budget = Budget {
            playouts: self.playouts.unwrap_or(unlimited),
            time: self.time,
        };
        let name = self.engine.name();
        let uniform = |search| -> Box<Self::Engine> {
            Box::new(MonteCarloEngine::<Uniform>::new(
                name,
                search,
                budget,
                self.threads,
                seed,
            ))
        };
        Ok(match self.engine {
            EngineName::Random => Box::new(RandomEngine::new(seed)),
            EngineName::Flat => uniform(MonteCarloMethod::Flat),
            EngineName::Ucb1 => uniform(MonteCarloMethod::Ucb1),
            EngineName::Uct => uniform(MonteCarloMethod::Uct(self.plan)),
            EngineName::Best => Box::new(ScoreFourBest::new(self.best_budget(), self.threads)),
            EngineName::UctEs => Box::new(MonteCarloEngine::<ErdosSelfridge>::new(
                name,
                MonteCarloMethod::Uct(self.plan),
                budget,
                self.threads,
                seed,
            )),
        })
    }

    fn is_timed(&self) -> bool {
        match self.engine {
            EngineName::Random => false,
            EngineName::Best => self.best_budget().time.is_some(),
            _ => self.time.is_some(),
        }
    }
}
