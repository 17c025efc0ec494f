//! Engines by name and options, as the command lines and match specifications give them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use games::GameName;
use log::{Level, log};

use super::engine::Blundering;
use super::{
    AlphaBetaEngine, AlphaZeroEngine, AlphaZeroOptions, DobutsuEngine, Exploration, Line,
    PerfectEngine, Table, TableError, default_folder,
};
use crate::BuildError;
use crate::engine::RandomEngine;
use crate::search::Budget;
use crate::search::network::{ModelError, ModelOptions, Models, Opened};
use crate::spec::{self, Key, KeyValue, Span, Specified, WithNetwork};

spec::engine_names! {
    /// The engines by name.
    pub enum EngineName of EngineOptions {
        /// Uniformly random legal moves.
        Random = "random",
        /// Alpha-beta, without the table.
        Alphabeta = "alphabeta",
        /// Tree search guided by a network; needs one, see --model.
        Alphazero = "alphazero",
        /// Best play, by the table of `dobutsu-solve`.
        Perfect = "perfect",
        /// `perfect` where its table is there; `alphabeta` where it is missing and no folder is given.
        Best = "best",
    }
}

#[derive(Clone, Debug)]
pub struct EngineOptions {
    pub engine: EngineName,
    /// Nodes a move of `alphabeta`, simulations of `alphazero`; without them and `time`, one second.
    pub nodes: Option<u64>,
    pub time: Option<Duration>,
    /// Megabytes of the transposition table of `alphabeta`, at least 1.
    pub hash: u32,
    /// The folder of the table of `perfect`; without it that of `dobutsu-solve`.
    pub table: Option<PathBuf>,
    /// Share of moves that are drawn uniformly in place of the engine's, in [0, 1].
    pub blunders: f64,
    pub threads: usize,
    pub zero: AlphaZeroOptions,
    /// Networks that were opened for these options or for those they are a copy of.
    pub models: Models<Line>,
    /// The table, once it was opened for these options or for those they are a copy of.
    pub opened: Opened<PathBuf, Table>,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            engine: EngineName::Best,
            nodes: None,
            time: None,
            hash: AlphaBetaEngine::HASH,
            table: None,
            blunders: 0.0,
            threads: 1,
            zero: AlphaZeroOptions::default(),
            models: Models::default(),
            opened: Opened::default(),
        }
    }
}

impl EngineOptions {
    /// What a search may use for a move: a second without any other limit.
    pub fn budget(&self) -> Budget {
        Budget::of(self.nodes, self.time)
    }

    fn sound(&self, seed: u64) -> Result<Box<dyn DobutsuEngine>, BuildError> {
        let budget = self.budget();
        let alpha_beta = || Box::new(AlphaBetaEngine::new(budget, self.hash));
        Ok(match self.engine {
            EngineName::Random => Box::new(RandomEngine::new(seed)),
            EngineName::Alphabeta => alpha_beta(),
            EngineName::Alphazero => Box::new(self.alpha_zero(seed)?),
            EngineName::Perfect => Box::new(PerfectEngine::new(self.table()?, budget, self.hash)),
            EngineName::Best => match self.table() {
                Ok(table) => Box::new(PerfectEngine::new(table, budget, self.hash)),
                Err(reason) if self.table.is_some() => return Err(reason.into()),
                Err(reason) => {
                    let is_usual =
                        matches!(reason, TableError::Absent { .. } | TableError::NoFolder);
                    let level = if is_usual { Level::Info } else { Level::Warn };
                    log!(level, "alphabeta plays: {reason}");
                    alpha_beta()
                }
            },
        })
    }

    /// Makes `alphazero`, whatever the name.
    pub fn alpha_zero(&self, seed: u64) -> Result<AlphaZeroEngine, ModelError> {
        let model = self.models.get(&self.zero.network)?;
        AlphaZeroEngine::new(&model, &self.zero, self.budget(), self.threads, seed)
    }

    /// The table of `perfect`, which is opened once for these options and their copies.
    pub fn table(&self) -> Result<Arc<Table>, TableError> {
        let folder = self.table.clone().map_or_else(default_folder, Ok)?;
        self.opened.get_or(folder, |folder| Table::open(&folder))
    }
}

const ALPHAZERO: &[EngineName] = &[EngineName::Alphazero];

const fn zero(
    names: &'static [&'static str],
    help: &'static str,
    value: KeyValue<EngineOptions>,
) -> Key<EngineOptions> {
    Key::new(names, help, value).of(ALPHAZERO)
}

/// The engines that search with a transposition table, if only where a table of the game ends.
const ALPHABETA: &[EngineName] = &[EngineName::Alphabeta, EngineName::Perfect, EngineName::Best];

/// The engines with the table of the game.
const TABLE: &[EngineName] = &[EngineName::Perfect, EngineName::Best];

impl Specified for EngineOptions {
    type Name = EngineName;
    type Engine = dyn DobutsuEngine;
    const GAME: GameName = GameName::Dobutsu;
    const ONE_OF: &'static [&'static [&'static str]] = &[&["c", "log"]];

    const KEYS: &'static [Key<Self>] = &[
        Key::new(
            &["nodes", "playouts", "simulations"],
            "positions a move of alphabeta, simulations of alphazero",
            KeyValue::Whole(1..=u64::MAX, |o, n| o.nodes = Some(n)),
        ),
        Key::time(|o| &mut o.time),
        Key::<Self>::new(
            &["hash"],
            "megabytes of the transposition table of alphabeta, which also plays where the table of perfect ends",
            KeyValue::Whole(1..=MOST_HASH as u64, |o, n| o.hash = n as u32),
        )
        .of(ALPHABETA),
        Key::new(
            &["blunders"],
            "share of moves that are drawn uniformly in place of the engine's, 0 to 1",
            KeyValue::Number(Span::SHARE, |o, n| o.blunders = n),
        ),
        Key::<Self>::new(
            &["table"],
            "folder of the table of perfect, which best then needs, too",
            KeyValue::File(|o, path| o.table = Some(path)),
        )
        .of(TABLE),
        Key::model(ALPHAZERO),
        Key::nn_engine(ALPHAZERO),
        Key::precision(ALPHAZERO),
        Key::threads(ALPHAZERO, |o| &mut o.threads),
        zero(
            &["batch"],
            "positions that a thread has evaluated together",
            KeyValue::Whole(1..=1024, |o, n| o.zero.batch = n as usize),
        ),
        zero(
            &["c"],
            "C of PUCT",
            KeyValue::Number(Span::NON_NEGATIVE, |o, n| o.zero.exploration = Exploration::Constant(n)),
        ),
        zero(
            &["log"],
            "whether C is that of AlphaZero, which grows with the visits",
            KeyValue::Switch(|o, is_on| {
                o.zero.exploration = if is_on {
                    Exploration::Log
                } else {
                    AlphaZeroOptions::default().exploration
                };
            }),
        ),
        zero(
            &["mate"],
            "plies of the wins that are looked for before the search",
            KeyValue::Whole(0..=AlphaZeroOptions::MOST_MATE as u64, |o, n| o.zero.mate = n as u32),
        ),
    ];

    fn build(&self, seed: u64) -> Result<Box<Self::Engine>, BuildError> {
        let engine = self.sound(seed)?;
        if self.blunders > 0.0 {
            return Ok(Box::new(Blundering::new(engine, self.blunders, seed)));
        }
        Ok(engine)
    }

    fn is_timed(&self) -> bool {
        // `best` is a search where it has no table.
        let searches = !matches!(self.engine, EngineName::Random | EngineName::Perfect);
        searches && self.budget().time.is_some()
    }
}

impl WithNetwork for EngineOptions {
    fn network(&mut self) -> &mut ModelOptions {
        &mut self.zero.network
    }
}

pub(super) const MOST_HASH: u32 = 1 << 16;
