//! Engines by name and options, as the command lines and match specifications give them.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use games::GameName;

use super::belief::BLUNDERS;
use super::best::GeisterBest;
use super::choice::Choice;
use super::engine::PaperEngine;
use super::inputs::GeisterNetworks;
use super::policy::GeisterPolicy;
use super::search::SearchPlan;
use super::{Engine, Weights};
use crate::engine::RandomEngine;
use crate::spec::{self, Key, KeyValue, Span, Specified};
use crate::{BuildError, FileError};

spec::engine_names! {
    /// The engines by name.
    pub enum EngineName of EngineOptions {
        /// Uniformly random legal moves.
        Random = "random",
        /// The policy of the paper alone.
        Paper = "paper",
        /// The policy of `best` alone.
        Policy = "policy",
        /// The strongest engine of the project.
        Best = "best",
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct EngineOptions {
    pub engine: EngineName,
    /// Weights of `paper`, or networks of `policy` and `best`, in place of those built in.
    pub weights: Option<PathBuf>,
    /// Temperature of `paper` and `policy`: 0 plays the move with the highest preference.
    pub temperature: f64,
    pub plan: SearchPlan,
    /// Most simulations of a move, in place of those of the plan; `None` leaves them to the plan, and where that has a
    /// time, to the time alone.
    pub simulations: Option<u32>,
    /// Share of moves that `best` takes the enemy to draw uniformly, 0 to 1. At 1 it infers nothing.
    pub blunders: f64,
    /// Whether `best` learns from finished games how its opponent plays.
    pub learns: bool,
    pub threads: usize,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            engine: EngineName::Best,
            weights: None,
            temperature: 0.0,
            plan: SearchPlan::default(),
            simulations: None,
            blunders: BLUNDERS,
            learns: true,
            threads: 1,
        }
    }
}

impl EngineOptions {
    /// The search, with as many simulations as it may make.
    pub const fn search(&self) -> SearchPlan {
        let simulations = match (self.simulations, self.plan.time) {
            (Some(simulations), _) => simulations,
            (None, Some(_)) => u32::MAX,
            (None, None) => self.plan.simulations,
        };
        SearchPlan {
            simulations,
            ..self.plan
        }
    }

    fn networks(&self) -> Result<Arc<GeisterNetworks>, FileError> {
        static BUILT_IN: LazyLock<Arc<GeisterNetworks>> =
            LazyLock::new(|| Arc::new(GeisterNetworks::built_in()));
        let Some(path) = &self.weights else {
            return Ok(Arc::clone(&BUILT_IN));
        };
        FileError::read(path, GeisterNetworks::from_bytes).map(Arc::new)
    }
}

const LEARNED: &[EngineName] = &[EngineName::Paper, EngineName::Policy, EngineName::Best];

const SOFTMAX: &[EngineName] = &[EngineName::Paper, EngineName::Policy];

const BEST: &[EngineName] = &[EngineName::Best];

impl Specified for EngineOptions {
    type Name = EngineName;
    type Engine = dyn Engine;
    const GAME: GameName = GameName::Geister;

    const KEYS: &'static [Key<Self>] = &[
        Key::<Self>::new(
            &["weights"],
            "weights of paper, a .npy file, or networks of policy and best, an .i16 file",
            KeyValue::File(|o, path| o.weights = Some(path)),
        )
        .of(LEARNED),
        Key::<Self>::new(
            &["temperature"],
            "temperature of the softmax of paper and policy, 0 for the highest preference",
            KeyValue::Number(Span::NON_NEGATIVE, |o, n| o.temperature = n),
        )
        .of(SOFTMAX),
        Key::new(
            &["simulations", "playouts"],
            "most simulations a move",
            KeyValue::Whole(1..=u32::MAX as u64, |o, n| o.simulations = Some(n as u32)),
        ),
        Key::time(|o| &mut o.plan.time),
        Key::threads(BEST, |o| &mut o.threads),
        Key::<Self>::new(
            &["draw"],
            "what best takes a draw and a return to an earlier board to be worth, from 0 (a loss) to 1 (a win)",
            KeyValue::Number(Span::SHARE, |o, n| o.plan.draw = n),
        )
        .of(BEST),
        Key::<Self>::new(
            &["blunders"],
            "share of moves that the enemy is taken to draw uniformly, 0 to 1",
            KeyValue::Number(Span::SHARE, |o, n| o.blunders = n),
        )
        .of(BEST),
        Key::<Self>::new(
            &["learn"],
            "whether best learns from finished games how its opponent plays",
            KeyValue::Switch(|o, is_on| o.learns = is_on),
        )
        .of(BEST),
    ];

    fn build(&self, seed: u64) -> Result<Box<Self::Engine>, BuildError> {
        let choice = Choice::with_temperature(self.temperature);
        Ok(match self.engine {
            EngineName::Random => Box::new(RandomEngine::new(seed)),
            EngineName::Paper => {
                let weights = match &self.weights {
                    Some(path) => Weights::read(path)?,
                    None => Weights::paper(),
                };
                Box::new(PaperEngine::new(weights.into(), choice, seed))
            }
            EngineName::Policy => Box::new(GeisterPolicy::new(self.networks()?, choice, seed)),
            EngineName::Best => Box::new(GeisterBest::new(
                self.networks()?,
                self.search(),
                self.blunders,
                self.learns,
                self.threads,
                seed,
            )),
        })
    }

    fn is_timed(&self) -> bool {
        self.engine == EngineName::Best && self.plan.time.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn simulations(text: &str) -> u32 {
        let options: EngineOptions = text.parse().unwrap();
        options.search().simulations
    }

    #[test]
    fn time_alone_has_no_limit_of_simulations() {
        assert_eq!(simulations("best"), SearchPlan::default().simulations);
        assert_eq!(simulations("best:ms=100"), u32::MAX);
        for text in [
            "best:ms=100:simulations=20000",
            "best:simulations=20000:ms=100",
        ] {
            assert_eq!(simulations(text), 20_000, "{text}");
        }
    }
}
