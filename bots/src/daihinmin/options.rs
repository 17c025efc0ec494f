//! Engines by name and options, as the command lines and match specifications give them.

use std::path::PathBuf;
use std::time::Duration;

use games::GameName;

use super::best::{Best, Ingredients};
use super::engine::{DefaultEngine, Engine};
use super::inputs::DaihinminNetworks;
use super::monte_carlo::MonteCarlo;
use super::mover::DaihinminPolicy;

use crate::engine::RandomEngine;
use crate::search::Budget;
use crate::spec::{self, Key, KeyValue, Span, Specified};
use crate::{BuildError, FileError};

spec::engine_names! {
    /// The engines by name.
    pub enum EngineName of EngineOptions {
        /// Uniformly random legal moves.
        Random = "random",
        /// The lowest legal meld; a plain rule bot.
        Default = "default",
        /// Flat Monte Carlo with UCB1-tuned and uniformly random playouts.
        Mc = "mc",
        /// Flat Monte Carlo with the TD-weighted value (the bot Crow).
        Crow = "crow",
        /// The policy network alone, without search.
        Policy = "policy",
        /// The strongest engine of the project.
        Best = "best",
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct EngineOptions {
    pub engine: EngineName,
    pub playouts: u32,
    /// Weight of the newest term in the TD-weighted value of `crow`, in (0, 1].
    pub alpha: f64,
    pub time: Option<Duration>,
    pub threads: usize,
    pub weights: Option<PathBuf>,
    /// Whether `best` has policies of other programs, and learns from finished games how each of the others plays.
    pub learn: bool,
    /// Policies of other programs in place of those built in.
    pub field: Option<PathBuf>,
    pub ingredients: Ingredients,
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions {
            engine: EngineName::Best,
            playouts: 2000,
            alpha: 0.9,
            time: None,
            threads: 1,
            weights: None,
            learn: true,
            field: None,
            ingredients: Ingredients::default(),
        }
    }
}

impl EngineOptions {
    fn networks(&self) -> Result<DaihinminNetworks, FileError> {
        let path = self.weights.as_deref();
        path.map_or_else(
            || Ok(DaihinminNetworks::built_in()),
            |path| FileError::read(path, DaihinminNetworks::from_bytes),
        )
    }

    fn field(&self) -> Result<Option<Vec<DaihinminNetworks>>, FileError> {
        if !self.learn {
            return Ok(None);
        }
        let path = self.field.as_deref();
        let field = path.map_or_else(
            || Ok(DaihinminNetworks::field()),
            |path| FileError::read(path, DaihinminNetworks::field_of),
        )?;
        Ok(Some(field))
    }
}

const SEARCHING: &[EngineName] = &[EngineName::Mc, EngineName::Crow, EngineName::Best];

const CROW: &[EngineName] = &[EngineName::Crow];

const NETWORKS: &[EngineName] = &[EngineName::Policy, EngineName::Best];

const BEST: &[EngineName] = &[EngineName::Best];

/// Weights of the network's chances, and inverse temperatures of them. At the most the likeliest move alone counts, so that more
/// would change nothing, until numbers of 32 bits have no room for it.
const WEIGHT: Span = Span::Within(0.0, 1000.0);

impl Specified for EngineOptions {
    type Name = EngineName;
    type Engine = dyn Engine;
    const GAME: GameName = GameName::Daihinmin;

    const KEYS: &'static [Key<Self>] = &[
        Key::new(
            &["playouts"],
            "playouts a decision; default 2,000, also with ms",
            KeyValue::Whole(1..=u32::MAX as u64, |o, n| o.playouts = n as u32),
        ),
        Key::<Self>::new(
            &["alpha"],
            "weight of the newest term in the value of crow, above 0 and up to 1",
            KeyValue::Number(Span::Above(0.0, 1.0), |o, n| o.alpha = n),
        )
        .of(CROW),
        Key::time(|o| &mut o.time),
        Key::threads(SEARCHING, |o| &mut o.threads),
        Key::<Self>::new(
            &["weights"],
            "networks of best and policy in place of those built in",
            KeyValue::File(|o, path| o.weights = Some(path)),
        )
        .of(NETWORKS),
        Key::<Self>::new(
            &["sharpness"],
            "inverse temperature of the policy in the playouts of best",
            KeyValue::Number(WEIGHT, |o, n| o.ingredients.sharpness = n as f32),
        )
        .of(BEST),
        Key::<Self>::new(
            &["prior"],
            "weight of the network's chances in the choice of the next playout's move, 0 goes without them",
            KeyValue::Number(WEIGHT, |o, n| o.ingredients.prior = f64::from(n as f32)),
        )
        .of(BEST),
        Key::<Self>::new(
            &["learn"],
            "whether best has policies of other programs, and learns from finished games how each of the others plays",
            KeyValue::Switch(|o, is_on| o.learn = is_on),
        )
        .of(BEST),
        Key::<Self>::new(
            &["field"],
            "policies of other programs in place of those built in",
            KeyValue::File(|o, path| o.field = Some(path)),
        )
        .of(BEST),
    ];

    fn build(&self, seed: u64) -> Result<Box<Self::Engine>, BuildError> {
        let budget = Budget {
            playouts: self.playouts.max(1).into(),
            time: self.time,
        };
        Ok(match self.engine {
            EngineName::Random => Box::new(RandomEngine::new(seed)),
            EngineName::Default => Box::new(DefaultEngine),
            EngineName::Mc => Box::new(MonteCarlo::new(budget, 1.0, self.threads, seed)),
            EngineName::Crow => Box::new(MonteCarlo::new(budget, self.alpha, self.threads, seed)),
            EngineName::Policy => Box::new(DaihinminPolicy::new(self.networks()?)),
            EngineName::Best => Box::new(Best::new(
                budget,
                self.ingredients,
                self.networks()?,
                self.field()?,
                self.threads,
                seed,
            )),
        })
    }

    fn is_timed(&self) -> bool {
        SEARCHING.contains(&self.engine) && self.time.is_some()
    }

    fn check(&self, given: &[&str]) -> Result<(), String> {
        if !self.learn && given.contains(&"field") {
            return Err("'field' needs learn=on".to_owned());
        }
        Ok(())
    }
}
