//! Engines by name and options, as the command lines and match specifications give them.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use games::GameName;

use super::Engine;
use super::best::Best;
use super::best::Ingredients;
use super::engine::{DefaultEngine, RandomEngine};
use super::inputs::Networks;
use super::monte_carlo::{Budget, MonteCarlo};
use super::policy::PolicyEngine;
use crate::spec::{self, Key, Span, SpecificationError, Specified, Value};

spec::engine_names! {
    /// The engines by name.
    pub enum EngineName {
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

/// An engine and its options.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineOptions {
    /// Which engine.
    pub engine: EngineName,
    /// Playouts per decision.
    pub playouts: u32,
    /// Weight of the newest term in the TD-weighted value of `crow`, in (0, 1].
    pub alpha: f64,
    /// Most time per decision.
    pub time: Option<Duration>,
    /// Threads of the search.
    pub threads: usize,
    /// Networks of `best` and `policy` in place of those built in.
    pub weights: Option<PathBuf>,
    /// Whether `best` has policies of other programs, and learns from finished games how each of the others plays.
    pub learn: bool,
    /// Policies of other programs in place of those built in.
    pub field: Option<PathBuf>,
    /// Ingredients of `best`.
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

/// A file of weights, or of the field, that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct WeightsError {
    path: PathBuf,
    reason: String,
}

impl EngineOptions {
    /// Makes the engine.
    ///
    /// # Errors
    /// When the file of weights or that of the field cannot be read.
    pub fn build(&self, seed: u64) -> Result<Box<dyn Engine>, WeightsError> {
        let budget = Budget {
            playouts: self.playouts.max(1),
            time: self.time,
        };
        Ok(match self.engine {
            EngineName::Random => Box::new(RandomEngine::new(seed)),
            EngineName::Default => Box::new(DefaultEngine),
            EngineName::Mc => Box::new(MonteCarlo::new(budget, 1.0, self.threads, seed)),
            EngineName::Crow => Box::new(MonteCarlo::new(budget, self.alpha, self.threads, seed)),
            EngineName::Policy => Box::new(PolicyEngine::new(self.networks()?)),
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

    fn networks(&self) -> Result<Networks, WeightsError> {
        let path = self.weights.as_deref();
        path.map_or_else(
            || Ok(Networks::built_in()),
            |path| read(path, Networks::read),
        )
    }

    fn field(&self) -> Result<Option<Vec<Networks>>, WeightsError> {
        if !self.learn {
            return Ok(None);
        }
        let path = self.field.as_deref();
        let field = path.map_or_else(
            || Ok(Networks::field()),
            |path| read(path, Networks::read_field),
        )?;
        Ok(Some(field))
    }
}

fn read<T>(
    path: &Path,
    reader: impl FnOnce(&Path) -> Result<T, String>,
) -> Result<T, WeightsError> {
    reader(path).map_err(|reason| WeightsError {
        path: path.to_owned(),
        reason,
    })
}

const SEARCHING: &[EngineName] = &[EngineName::Mc, EngineName::Crow, EngineName::Best];

/// The engine with a mean of its own.
const CROW: &[EngineName] = &[EngineName::Crow];

const NETWORKS: &[EngineName] = &[EngineName::Policy, EngineName::Best];

const BEST: &[EngineName] = &[EngineName::Best];

/// Weights of the network's chances, and inverse temperatures of them. At the most the likeliest move alone counts, so that more
/// would change nothing, until numbers of 32 bits have no room for it.
const WEIGHT: Span = Span::Within(0.0, 1000.0);

impl Specified for EngineOptions {
    type Name = EngineName;
    const GAME: GameName = GameName::Daihinmin;

    const KEYS: &'static [Key<Self>] = &[
        Key::new(
            &["playouts"],
            "playouts a decision; default 2,000, also with ms",
            Value::Whole(1..=u32::MAX as u64, |o, n| o.playouts = n as u32),
        ),
        Key::<Self>::new(
            &["alpha"],
            "weight of the newest term in the value of crow, above 0 and up to 1",
            Value::Number(Span::Above(0.0, 1.0), |o, n| o.alpha = n),
        )
        .of(CROW),
        Key::new(
            &["ms"],
            "most milliseconds a decision",
            Value::Number(Span::MS, |o, n| o.time = Some(Duration::from_secs_f64(n / 1000.0))),
        ),
        Key::threads(SEARCHING, |o| &mut o.threads),
        Key::<Self>::new(
            &["weights"],
            "networks of best and policy in place of those built in",
            Value::File(|o, path| o.weights = Some(path)),
        )
        .of(NETWORKS),
        Key::<Self>::new(
            &["sharpness"],
            "inverse temperature of the policy in the playouts of best",
            Value::Number(WEIGHT, |o, n| o.ingredients.sharpness = n as f32),
        )
        .of(BEST),
        Key::<Self>::new(
            &["sure-win"],
            "whether best looks for a certain win first",
            Value::Switch(|o, is_on| o.ingredients.sure_win = is_on),
        )
        .of(BEST),
        Key::<Self>::new(
            &["endgame"],
            "whether best solves the end between the last two",
            Value::Switch(|o, is_on| o.ingredients.endgame = is_on),
        )
        .of(BEST),
        Key::<Self>::new(
            &["ranks"],
            "whether best values places by the games to come",
            Value::Switch(|o, is_on| o.ingredients.ranks = is_on),
        )
        .of(BEST),
        Key::<Self>::new(
            &["trust"],
            "with learn=off: exponent on the likelihood of the others' moves, 0 to 1; 0 deals unseen cards uniformly",
            // With 1 it is the rule of Bayes: more would count each move more than once.
            Value::Number(Span::SHARE, |o, n| o.ingredients.trust = n as f32),
        )
        .of(BEST),
        Key::<Self>::new(
            &["worlds"],
            "worlds that best infers and keeps from decision to decision, 1 to 1024",
            Value::Whole(1..=1024, |o, n| o.ingredients.worlds = n as usize),
        )
        .of(BEST),
        Key::<Self>::new(
            &["steps"],
            "exchanges of cards proposed to each of these worlds before a decision, 0 to 10,000",
            Value::Whole(0..=10_000, |o, n| o.ingredients.steps = n as usize),
        )
        .of(BEST),
        Key::<Self>::new(
            &["prior"],
            "weight of the network's chances in the choice of the next playout's move, 0 goes without them",
            Value::Number(WEIGHT, |o, n| o.ingredients.prior = f64::from(n as f32)),
        )
        .of(BEST),
        Key::<Self>::new(
            &["pull"],
            "with learn=off: weight of the logarithm of the network's chances beside the values of playouts",
            Value::Number(WEIGHT, |o, n| o.ingredients.pull = n),
        )
        .of(BEST),
        Key::<Self>::new(
            &["horizon"],
            "with learn=off: the engine's own decision at which the value network judges a playout, from 1; 0 plays to the end",
            Value::Whole(0..=u32::MAX as u64, |o, n| o.ingredients.horizon = n as u32),
        )
        .of(BEST),
        Key::<Self>::new(
            &["learn"],
            "whether best has policies of other programs, and learns from finished games how each of the others plays",
            Value::Switch(|o, is_on| o.learn = is_on),
        )
        .of(BEST),
        Key::<Self>::new(
            &["field"],
            "policies of other programs in place of those built in",
            Value::File(|o, path| o.field = Some(path)),
        )
        .of(BEST),
        Key::<Self>::new(
            &["exchange"],
            "whether best chooses gifts by playouts",
            Value::Switch(|o, is_on| o.ingredients.exchange = is_on),
        )
        .of(BEST),
    ];

    fn is_timed(&self) -> bool {
        SEARCHING.contains(&self.engine) && self.time.is_some()
    }

    fn named(engine: EngineName) -> Self {
        Self {
            engine,
            ..Self::default()
        }
    }

    fn check(&self, given: &[&str]) -> Result<(), String> {
        let find = |keys: &[&'static str]| keys.iter().copied().find(|key| given.contains(key));
        if self.learn {
            // What it learns takes their place.
            return match find(&["trust", "pull", "horizon"]) {
                Some(key) => Err(format!("'{key}' needs learn=off")),
                None => Ok(()),
            };
        }
        if find(&["field"]).is_some() {
            return Err("'field' needs learn=on".to_owned());
        }
        match find(&["worlds", "steps"]) {
            Some(key) if self.ingredients.trust <= 0.0 => {
                Err(format!("'{key}' needs trust above 0, or learn=on"))
            }
            _ => Ok(()),
        }
    }
}

/// Reads `NAME[:option=value]...`, for example `crow:playouts=5000` or `best:endgame=off`.
impl FromStr for EngineOptions {
    type Err = SpecificationError;

    fn from_str(text: &str) -> Result<Self, SpecificationError> {
        spec::read(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_and_worlds_have_bounds() {
        let read = |text: &str| text.parse::<EngineOptions>();
        let options = read("best:threads=256:worlds=1024").expect("the most");
        assert_eq!([options.threads, options.ingredients.worlds], [256, 1024]);
        for text in [
            "best:threads=0",
            "best:threads=257",
            "best:worlds=0",
            "best:worlds=1025",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
