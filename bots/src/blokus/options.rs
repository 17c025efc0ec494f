//! Engines by name and options, and as a line of text.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use games::GameName;
use games::blokus::{Board, Scene};

use super::best::{BestNetworks, BlokusBest, Evaluation, Judge};
use super::depth_first::{Algorithm, DepthFirstEngine};
use super::zero::{BlokusZeroOptions, LazyEngine, Mixture, ZeroEngine};
use super::{GreedyEngine, MctsEngine, RowPlayout};
use crate::engine::{Engine, RandomEngine};
use crate::error::{BuildError, FileError};
use crate::search::Budget;
use crate::search::mcts::{MctsPlan, OpponentModel};
use crate::search::network::{ModelOptions, Models};
use crate::spec::{self, Key, KeyValue, Span, Specified, WithNetwork};

spec::engine_names! {
    /// The engines by name.
    pub enum EngineName of EngineOptions {
        /// Uniformly random legal moves.
        Random = "random",
        /// A random move of the largest piece that fits.
        Greedy = "greedy",
        /// Depth-first search, every seat for itself.
        Maxn = "maxn",
        /// Depth-first search, all against the seat to move.
        Paranoid = "paranoid",
        /// Best-reply search: one opponent answers.
        Brs = "brs",
        /// Monte Carlo tree search, every seat for itself.
        MctsMaxn = "mcts-maxn",
        /// Monte Carlo tree search, all against the seat to move.
        MctsParanoid = "mcts-paranoid",
        /// Monte Carlo tree search, one opponent answers.
        MctsBrs = "mcts-brs",
        /// Tree search guided by a network; needs one, see --model.
        BlokusZero = "blokus-zero",
        /// The strongest engine that needs no network.
        Best = "best",
    }
}

#[derive(Clone, Debug)]
pub struct EngineOptions {
    pub engine: EngineName,
    /// Playouts a move of the Monte Carlo engines, simulations of `blokus-zero`, nodes of the depth-first ones. Without
    /// it and `time`, one second a move.
    pub playouts: Option<u64>,
    pub time: Option<Duration>,
    /// Threads of the Monte Carlo engines and of `blokus-zero`.
    pub threads: usize,
    /// Chance of a uniformly random move where `greedy` and the playouts prefer the largest piece, in
    /// [0, 1]; without it 0 in `greedy` and 0.05 in playouts.
    pub epsilon: Option<f64>,
    /// C of UCB1 in the Monte Carlo tree searches.
    pub exploration: f64,
    pub history: f64,
    /// Share of the evaluation in the values of `best`, in [0, 1]; `None` takes the default of the search.
    pub trust: Option<f64>,
    /// Whether `best` saves a part of its budget in the opening.
    pub saves: bool,
    /// File of the judge of moves of `best`; `None` takes the one that the program is shipped with.
    pub judge: Option<PathBuf>,
    /// File of the evaluation of `best`; `None` takes the one that the program is shipped with.
    pub evaluation: Option<PathBuf>,
    pub zero: BlokusZeroOptions,
    /// Networks that were opened for these options or for those they are a copy of.
    pub models: Models<Scene>,
}

const EPSILON: f64 = 0.05;

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            engine: EngineName::Best,
            playouts: None,
            time: None,
            threads: 1,
            epsilon: None,
            exploration: 0.2,
            history: 5.0,
            trust: None,
            saves: true,
            judge: None,
            evaluation: None,
            zero: BlokusZeroOptions::default(),
            models: Models::default(),
        }
    }
}

impl EngineOptions {
    /// What the search may use for a move: a second without any other limit.
    pub fn budget(&self) -> Budget {
        Budget::of(self.playouts, self.time)
    }

    fn best(&self, seed: u64) -> Result<Box<dyn Engine<Board>>, BuildError> {
        let mut knowledge = BestNetworks::default();
        if let Some(trust) = self.trust {
            knowledge.plan.trust = trust;
        }
        knowledge.plan.saves = self.saves;
        if let Some(path) = &self.judge {
            knowledge.judge = Arc::new(read(path, Judge::from_bytes, "blokus")?);
        }
        if let Some(path) = &self.evaluation {
            let evaluation = read(path, Evaluation::from_bytes, "blokus-evaluation")?;
            knowledge.evaluation = Arc::new(evaluation);
        }
        let engine = BlokusBest::new(&knowledge, self.budget(), self.threads, seed);
        Ok(Box::new(engine))
    }

    fn zero(&self, seed: u64) -> Result<Box<dyn Engine<Board>>, BuildError> {
        let advice = self.zero.advice(self.playouts)?;
        let model = self.models.get(&self.zero.network)?;
        let (zero, budget) = (&self.zero, self.budget());
        if let Some(advice) = advice {
            let engine = LazyEngine::of_model(&model, advice, budget, self.threads, seed)?;
            return Ok(Box::new(engine));
        }
        let engine = ZeroEngine::of_model(&model, zero, budget, self.threads, seed)?;
        Ok(Box::new(engine))
    }

    fn depth_first(&self, algorithm: Algorithm, seed: u64) -> Box<dyn Engine<Board>> {
        Box::new(DepthFirstEngine::new(algorithm, self.budget(), seed))
    }

    fn mcts(&self, model: OpponentModel, seed: u64) -> Box<dyn Engine<Board>> {
        let plan = MctsPlan {
            exploration: self.exploration,
            history: self.history,
            ..MctsPlan::new(model)
        };
        let epsilon = self.epsilon.unwrap_or(EPSILON);
        let (name, budget, threads) = (self.engine.name(), self.budget(), self.threads);
        let playout = RowPlayout::new(epsilon);
        Box::new(MctsEngine::new(name, plan, &playout, budget, threads, seed))
    }
}

/// Reads a file that a command of `taikyoku-lab train` writes.
fn read<T>(
    path: &Path,
    of: impl FnOnce(&[u8]) -> Result<T, String>,
    command: &str,
) -> Result<T, FileError> {
    FileError::read(path, of).map_err(|FileError { path, reason }| {
        let reason = format!("{reason}; `taikyoku-lab train {command}` writes such files");
        FileError { path, reason }
    })
}

const BEST: &[EngineName] = &[EngineName::Best];

const ZERO: &[EngineName] = &[EngineName::BlokusZero];

const fn zero(
    names: &'static [&'static str],
    help: &'static str,
    value: KeyValue<EngineOptions>,
) -> Key<EngineOptions> {
    Key::new(names, help, value).of(ZERO)
}

const fn best(
    names: &'static [&'static str],
    help: &'static str,
    value: KeyValue<EngineOptions>,
) -> Key<EngineOptions> {
    Key::new(names, help, value).of(BEST)
}

/// What of `blokus-zero` only the search has that evaluates every position at once.
fn eager(options: &mut EngineOptions) -> &mut BlokusZeroOptions {
    options.zero.is_eager = true;
    &mut options.zero
}

const MCTS: &[EngineName] = &[
    EngineName::MctsMaxn,
    EngineName::MctsParanoid,
    EngineName::MctsBrs,
];

const THREADED: &[EngineName] = &[
    EngineName::MctsMaxn,
    EngineName::MctsParanoid,
    EngineName::MctsBrs,
    EngineName::BlokusZero,
    EngineName::Best,
];

/// The engines that prefer the largest piece, but for a share of the moves.
const EPSILON_GREEDY: &[EngineName] = &[
    EngineName::Greedy,
    EngineName::MctsMaxn,
    EngineName::MctsParanoid,
    EngineName::MctsBrs,
];

impl Specified for EngineOptions {
    type Name = EngineName;
    type Engine = dyn Engine<Board>;
    const GAME: GameName = GameName::Blokus;
    const ONE_OF: &'static [&'static [&'static str]] = &[&["simulations", "playouts"]];

    const KEYS: &'static [Key<Self>] = &[
        Key::model(ZERO),
        zero(
            &["simulations"],
            "most simulations a move",
            KeyValue::Whole(1..=u64::MAX, |o, n| o.playouts = Some(n)),
        ),
        Key::nn_engine(ZERO),
        Key::precision(ZERO),
        zero(
            &["batch"],
            "positions that a thread has evaluated together",
            KeyValue::Whole(1..=1024, |o, n| eager(o).batch = n as usize),
        ),
        zero(
            &["exploration"],
            "init of PUCT",
            KeyValue::Number(Span::NON_NEGATIVE, |o, n| eager(o).exploration = n),
        ),
        zero(
            &["leaf"],
            "playouts from each evaluated position",
            KeyValue::Whole(0..=Mixture::MOST as u64, |o, n| {
                eager(o).leaf_playouts = n as u32;
            }),
        ),
        zero(
            &["lazy"],
            "visits of a position after which the network is asked, 0 for at once, 6 on time alone",
            KeyValue::Whole(0..=BlokusZeroOptions::MOST_LAZY as u64, |o, n| {
                o.zero.lazy = Some(n as u32);
            }),
        ),
        zero(
            &["weight"],
            "playouts that its answer counts as then",
            KeyValue::Whole(1..=BlokusZeroOptions::MOST_WEIGHT as u64, |o, n| {
                o.zero.weight = Some(n as u32);
            }),
        ),
        Key::new(
            &["playouts", "nodes"],
            "playouts or nodes a move",
            KeyValue::Whole(1..=u64::MAX, |o, n| o.playouts = Some(n)),
        ),
        Key::time(|o| &mut o.time),
        Key::threads(THREADED, |o| &mut o.threads),
        Key::<Self>::new(
            &["epsilon"],
            "chance of a uniformly random move in greedy and in playouts, 0 to 1",
            KeyValue::Number(Span::SHARE, |o, n| o.epsilon = Some(n)),
        )
        .of(EPSILON_GREEDY),
        best(
            &["trust"],
            "share of the evaluation in the value of a position, 0 to 1; the rest comes from playouts",
            KeyValue::Number(Span::SHARE, |o, n| o.trust = Some(n)),
        ),
        best(
            &["saves"],
            "whether the search uses only a part of its playouts or time before ply 24; off for searches to learn from",
            KeyValue::Switch(|o, is_on| o.saves = is_on),
        ),
        best(
            &["judge"],
            "file of the judge of moves, as taikyoku-lab train blokus writes it",
            KeyValue::File(|o, path| o.judge = Some(path)),
        ),
        best(
            &["evaluation"],
            "file of the evaluation, as taikyoku-lab train blokus-evaluation writes it",
            KeyValue::File(|o, path| o.evaluation = Some(path)),
        ),
        Key::<Self>::new(
            &["exploration"],
            "C of UCB1 in the Monte Carlo tree searches",
            KeyValue::Number(Span::NON_NEGATIVE, |o, n| o.exploration = n),
        )
        .of(MCTS),
        Key::<Self>::new(
            &["history"],
            "W of Progressive History in them",
            KeyValue::Number(Span::NON_NEGATIVE, |o, n| o.history = n),
        )
        .of(MCTS),
    ];

    fn build(&self, seed: u64) -> Result<Box<Self::Engine>, BuildError> {
        Ok(match self.engine {
            EngineName::Random => Box::new(RandomEngine::new(seed)),
            EngineName::Greedy => Box::new(GreedyEngine::new(self.epsilon.unwrap_or(0.0), seed)),
            EngineName::Maxn => self.depth_first(Algorithm::Maxn(Box::default()), seed),
            EngineName::Paranoid => self.depth_first(Algorithm::Paranoid(Box::default()), seed),
            EngineName::Brs => self.depth_first(Algorithm::Brs(Box::default()), seed),
            EngineName::MctsMaxn => self.mcts(OpponentModel::Maxn, seed),
            EngineName::MctsParanoid => self.mcts(OpponentModel::Paranoid, seed),
            EngineName::MctsBrs => self.mcts(OpponentModel::Brs, seed),
            EngineName::BlokusZero => self.zero(seed)?,
            EngineName::Best => self.best(seed)?,
        })
    }

    fn is_timed(&self) -> bool {
        let searches = !matches!(self.engine, EngineName::Random | EngineName::Greedy);
        searches && self.budget().time.is_some()
    }
}

impl WithNetwork for EngineOptions {
    fn network(&mut self) -> &mut ModelOptions {
        &mut self.zero.network
    }
}
