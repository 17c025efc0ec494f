//! Engines by name and options, as the command lines and match specifications give them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use log::info;

use super::engine::RandomEngine;
use super::{AlphaBetaEngine, Engine, PerfectEngine, Table, TableError, default_folder};
use crate::client::spec::{self, Key, SpecificationError, Specified, Value};
use crate::search::Budget;

/// Which engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum EngineName {
    /// Uniformly random legal moves.
    Random,
    /// Alpha-beta, without the table.
    Alphabeta,
    /// Best play, by the table of `dobutsu-solve`.
    Perfect,
    /// `perfect` where its table is there, `alphabeta` otherwise.
    Best,
}

impl EngineName {
    /// Its name on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Alphabeta => "alphabeta",
            Self::Perfect => "perfect",
            Self::Best => "best",
        }
    }
}

/// An engine and its options.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// Which engine.
    pub engine: EngineName,
    /// Nodes a move of `alphabeta`; without them and `time`, one second.
    pub nodes: Option<u64>,
    /// Most time a move.
    pub time: Option<Duration>,
    /// Megabytes of the transposition table of `alphabeta`, at least 1.
    pub hash: u32,
    /// The folder of the table of `perfect`; without it that of `dobutsu-solve`.
    pub table: Option<PathBuf>,
    /// The table, once it was opened for these options or for those they are a copy of.
    pub opened: Opened,
}

/// A table that was opened, by its folder.
#[derive(Clone, Default)]
pub struct Opened(Arc<Mutex<BTreeMap<PathBuf, Arc<Table>>>>);

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Opened")
    }
}

impl Opened {
    fn get(&self, folder: PathBuf) -> Result<Arc<Table>, TableError> {
        let mut opened = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = opened.get(&folder) {
            return Ok(Arc::clone(table));
        }
        let table = Arc::new(Table::open(&folder)?);
        opened.insert(folder, Arc::clone(&table));
        Ok(table)
    }
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            engine: EngineName::Best,
            nodes: None,
            time: None,
            hash: AlphaBetaEngine::HASH,
            table: None,
            opened: Opened::default(),
        }
    }
}

impl EngineOptions {
    /// An engine with the defaults.
    pub fn named(engine: EngineName) -> Self {
        Self {
            engine,
            ..Self::default()
        }
    }

    /// What a search may use for a move: a second without any other limit.
    pub fn budget(&self) -> Budget {
        let unlimited = self.nodes.is_none() && self.time.is_none();
        Budget {
            playouts: self.nodes.unwrap_or(u64::MAX),
            time: self.time.or(unlimited.then_some(Duration::from_secs(1))),
        }
    }

    /// Makes the engine.
    ///
    /// # Errors
    /// The table of `perfect` is not there or is damaged. Other engines do not fail.
    pub fn build(&self, seed: u64) -> Result<Box<dyn Engine>, TableError> {
        let budget = self.budget();
        let alpha_beta = || Box::new(AlphaBetaEngine::new(budget, self.hash));
        Ok(match self.engine {
            EngineName::Random => Box::new(RandomEngine::new(seed)),
            EngineName::Alphabeta => alpha_beta(),
            EngineName::Perfect => Box::new(PerfectEngine::new(self.open()?, budget)),
            EngineName::Best => match self.open() {
                Ok(table) => Box::new(PerfectEngine::new(table, budget)),
                Err(reason) => {
                    info!("alphabeta plays: {reason}");
                    alpha_beta()
                }
            },
        })
    }

    fn open(&self) -> Result<Arc<Table>, TableError> {
        let folder = self.table.clone().map_or_else(default_folder, Ok)?;
        self.opened.get(folder)
    }
}

impl Specified for EngineOptions {
    type Name = EngineName;

    const KEYS: &'static [Key<Self>] = &[
        Key::new(
            &["nodes", "playouts"],
            "positions a move of alphabeta",
            Value::Number(|o, n| o.nodes = Some(n as u64)),
        ),
        Key::new(
            &["ms"],
            "most milliseconds a move",
            Value::Number(|o, n| o.time = Some(Duration::from_secs_f64(n.min(1e9) / 1000.0))),
        ),
        Key::new(
            &["hash"],
            "megabytes of the transposition table of alphabeta",
            Value::Number(|o, n| o.hash = (n as u32).clamp(1, MOST_HASH)),
        ),
        Key::new(
            &["table"],
            "folder of the table of perfect",
            Value::File(|o, path| o.table = Some(path)),
        ),
    ];

    fn named(engine: EngineName) -> Self {
        Self::named(engine)
    }
}

/// Most megabytes of a transposition table.
pub(super) const MOST_HASH: u32 = 1 << 16;

/// Reads `NAME[:option=value]...`, for example `alphabeta:nodes=10000` or `perfect:table=DIR`.
impl FromStr for EngineOptions {
    type Err = SpecificationError;

    fn from_str(text: &str) -> Result<Self, SpecificationError> {
        spec::read(text)
    }
}
