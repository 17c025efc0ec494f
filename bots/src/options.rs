//! Options that the command lines of the clients share.

use std::io::BufRead;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use client::native::NativeSettings;
use client::{MatchError, Person, Repeated, ServerOptions, Sitter, TlsOptions};
use models::{NnEngine, Precision};

use crate::search::network::ModelOptions;
use crate::spec::{self, Specified};
use crate::supervised::{EngineGame, Supervised};
use crate::{GameClock, Level};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayerName<E> {
    Human,
    Engine(E),
    Level(Level),
}

fn value_of(level: Level) -> PossibleValue {
    let value = PossibleValue::new(level.name());
    match Level::ALL {
        [first, ..] if level == first => {
            value.help("The level for beginners; each level sets its own playouts")
        }
        [.., last] if level == last => value.help("The strongest level"),
        _ => value,
    }
}

/// The bounds of a type that names the engines of a game.
pub trait EngineNames: ValueEnum + Clone + Send + Sync + 'static {}

impl<E: ValueEnum + Clone + Send + Sync + 'static> EngineNames for E {}

impl<E: EngineNames> PlayerName<E> {
    /// The parser of command lines: `human`, or the name of an engine or a level.
    fn parser() -> impl TypedValueParser<Value = PlayerName<E>> {
        let human = PossibleValue::new("human").help("A person: draws the board and reads moves");
        Self::parser_with(Some(human))
    }

    /// The parser of command lines where no person can play: the name of an engine or a level.
    pub fn engine_parser() -> impl TypedValueParser<Value = PlayerName<E>> {
        Self::parser_with(None)
    }

    fn parser_with(
        human: Option<PossibleValue>,
    ) -> impl TypedValueParser<Value = PlayerName<E>> + use<E> {
        let names = E::value_variants()
            .iter()
            .rev()
            .filter_map(ValueEnum::to_possible_value)
            .chain(Level::ALL.into_iter().map(value_of))
            .chain(human);
        PossibleValuesParser::new(names).map(|name| {
            let engine = E::from_str(&name, false).ok().map(PlayerName::Engine);
            let level = || Level::named(&name).map(PlayerName::Level);
            // Any other name is `human`, as no other is let through.
            engine.or_else(level).unwrap_or(PlayerName::Human)
        })
    }

    /// The engine with the defaults, or as its level plays; `None` for a person.
    pub fn options<O: Specified<Name = E>>(&self) -> Option<O>
    where
        E: Copy,
    {
        match self {
            PlayerName::Human => None,
            PlayerName::Engine(engine) => Some(O::from(*engine)),
            PlayerName::Level(level) => Some(spec::of_level(*level)),
        }
    }

    /// Whether it is a level, which sets its own playouts.
    pub const fn is_level(&self) -> bool {
        matches!(self, PlayerName::Level(_))
    }

    pub fn name(&self) -> String {
        let engine = match self {
            PlayerName::Human => None,
            PlayerName::Engine(engine) => engine.to_possible_value(),
            PlayerName::Level(level) => return level.name().to_owned(),
        };
        engine.map_or("human".to_owned(), |value| value.get_name().to_owned())
    }
}

/// An option of a command line that only some players read: the engines that have the key in their specification.
pub(crate) struct Restricted {
    option: &'static str,
    key: &'static str,
    /// Whether the option is on the command line.
    is_given: bool,
    /// Whether the levels of these engines read it, too.
    has_levels: bool,
    /// What follows the sentence that refuses the option, such as what to use instead; may be empty.
    more: &'static str,
}

impl Restricted {
    /// An option of some engines and their levels.
    pub(crate) const fn new(option: &'static str, key: &'static str, is_given: bool) -> Self {
        Self {
            option,
            key,
            is_given,
            has_levels: true,
            more: "",
        }
    }

    /// The same, with more after the sentence that refuses it.
    pub(crate) const fn saying(self, more: &'static str) -> Self {
        Self { more, ..self }
    }

    const fn threads(count: usize) -> Self {
        let threads = Self::new("--threads", "threads", count > 1);
        threads.saying("; other engines play with one thread")
    }

    /// An option of engines that learn from game to game.
    pub(crate) const fn learning(option: &'static str, key: &'static str, is_given: bool) -> Self {
        Self {
            has_levels: false,
            ..Self::new(option, key, is_given).saying("; levels do not learn")
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{option} {reason}")]
pub struct OptionsError {
    option: &'static str,
    /// Why it would have no effect, and what to do.
    reason: String,
}

impl OptionsError {
    pub(crate) fn new(option: &'static str, reason: impl Into<String>) -> Self {
        Self {
            option,
            reason: reason.into(),
        }
    }
}

/// Options of the client of a game with these engines.
#[derive(Args, Clone, Debug)]
pub struct CommonOptions<E: EngineNames> {
    /// Where the server is.
    #[command(flatten)]
    pub server: ServerOptions,
    /// The engine or person that plays.
    #[arg(short, long, default_value = "best", value_parser = PlayerName::<E>::parser())]
    pub engine: PlayerName<E>,
    /// Seed. With the same seed, one thread and no limit of time, the same positions get the same moves. The variable
    /// keeps it out of the list of processes, which every user of the machine may read [default: drawn from the clock].
    #[arg(
        long,
        value_name = "SEED",
        env = "TAIKYOKU_SEED",
        hide_env_values = true
    )]
    pub seed: Option<u64>,
    /// Threads of the search, of engines that search with more than one.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: u16,
    /// Write a line of JSON for each decision, with the board, the time and the engine's reasons (schema:
    /// docs/schema/reasons.json), for each result where the protocol tells it, and for the summary (schema:
    /// docs/schema/bot.json).
    #[arg(long)]
    pub json: bool,
}

impl<E: EngineNames> CommonOptions<E> {
    /// The engine with the defaults, or as its level plays; `None` for a person.
    ///
    /// Budgets such as --playouts, --simulations and --move-ms are not among the restricted options: scripts give one budget to
    /// all players, and those without a search need none.
    ///
    /// # Errors
    /// The first option that is given and that the player does not read.
    pub(crate) fn checked<O: Specified<Name = E>>(
        &self,
        restricted: &[Restricted],
    ) -> Result<Option<O>, OptionsError>
    where
        E: Copy + PartialEq,
    {
        let engine = match self.engine {
            PlayerName::Human => None,
            PlayerName::Engine(engine) => Some(engine),
            PlayerName::Level(level) => Some(spec::engine_of_level::<O>(level)),
        };
        let threads = Restricted::threads(self.threads.into());
        let restricted = restricted.iter().chain([&threads]);
        for option in restricted.filter(|option| option.is_given) {
            let engines = spec::engines_with::<O>(option.key);
            let reads = engine.is_some_and(|engine| engines.contains(&engine));
            if reads && (option.has_levels || !self.engine.is_level()) {
                continue;
            }
            let player = match (self.engine, engine) {
                (PlayerName::Level(level), Some(engine)) => {
                    format!("{} ({})", level.name(), spec::names::<O>(&[engine]))
                }
                _ => self.engine.name(),
            };
            let engines = spec::names::<O>(&engines);
            let reason = format!("is for --engine {engines}, not for {player}{}", option.more);
            return Err(OptionsError::new(option.option, reason));
        }
        Ok(self.engine.options())
    }

    /// The engine as a player. Its reasons are computed only if they are written.
    pub(crate) fn supervise<G: EngineGame>(
        &self,
        engine: &impl Specified<Engine = G::Engine>,
        seed: u64,
        clock: Option<GameClock>,
    ) -> Result<Supervised<G>, MatchError> {
        let engine = engine.build(seed).map_err(MatchError::player)?;
        let player = Supervised::new(engine).with_reasons(self.json);
        Ok(player.with_clock(clock))
    }

    /// The engine sits down, or without one a person. Only then are the person's lines read, on a thread of its own.
    pub(crate) fn sitter<G: EngineGame>(
        &self,
        engine: Result<Option<impl Specified<Engine = G::Engine>>, OptionsError>,
        clock: Option<GameClock>,
        lines: Box<dyn BufRead + Send>,
    ) -> Result<Sitter<G>, MatchError> {
        let engine = engine.map_err(MatchError::player)?;
        let seed = self.seed_or_clock();
        let player = engine.map(|engine| self.supervise::<G>(&engine, seed, clock));
        let player = player.transpose()?;
        Ok(Box::new(move |waker, manners| match player {
            Some(player) => Box::new(Repeated::of_environment(player)),
            None => Box::new(Person::new(lines, waker, manners)),
        }))
    }

    /// The given seed, or one made from the clock and the number of the process.
    pub fn seed_or_clock(&self) -> u64 {
        let seed = self.seed.unwrap_or_else(|| {
            // A time before 1970 counts as the beginning of 1970.
            let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
            since.as_nanos() as u64 ^ u64::from(std::process::id()).rotate_left(32)
        });
        log::debug!("seed {seed}");
        seed
    }
}

pub(crate) const TOKEN: &str = "TAIKYOKU_TOKEN";

/// Options of the client of an open game with these engines.
#[derive(Args, Clone, Debug)]
#[group(id = "NativeOptions")]
pub struct NativeOptions<E: EngineNames> {
    /// Those that all clients have.
    #[command(flatten)]
    pub common: CommonOptions<E>,
    /// TCP port of the server.
    #[arg(short, long, default_value_t = 4444, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: u16,
    /// Whom to trust where TLS is spoken.
    #[command(flatten)]
    pub tls: TlsOptions,
    /// Playouts of the Monte Carlo engines for each move, nodes of the others that search [default: as many as the time
    /// allows; without --move-ms the Monte Carlo engines of 3D four-in-a-row make 50,000].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub playouts: Option<u64>,
    /// Most milliseconds for each move; never more than the server leaves [default: 1000, and no limit with playouts or a
    /// level].
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub move_ms: Option<u64>,
    /// Name at the table [default: that of the engine].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Token of the seat of an earlier run, to which the program comes back. It is secret: the variable or --token-file
    /// keeps it out of the list of processes, which every user of the machine may read.
    #[arg(
        long,
        value_name = "TOKEN",
        env = TOKEN,
        hide_env_values = true
    )]
    pub token: Option<String>,
    /// File that keeps the token during the match, and that only its owner may read: a program that was killed and is
    /// started again comes back to its seat.
    #[arg(long, value_name = "FILE", conflicts_with = "token")]
    pub token_file: Option<PathBuf>,
}

impl<E: EngineNames> NativeOptions<E> {
    pub fn name(&self) -> String {
        let name = self.name.clone();
        name.unwrap_or_else(|| self.common.engine.name())
    }

    /// Whether the token is on the command line. The variable may have been set for another match.
    pub(crate) fn has_token_on_line(&self) -> bool {
        self.token.is_some() && self.token != std::env::var(TOKEN).ok()
    }

    pub fn move_time(&self) -> Option<Duration> {
        self.move_ms.map(Duration::from_millis)
    }

    /// How to come to the server, and how to play there.
    pub fn settings(&self) -> Result<NativeSettings<'_>, MatchError> {
        Ok(NativeSettings {
            server: &self.common.server,
            port: self.port,
            trust: self.tls.trust().map_err(MatchError::Trust)?,
            name: self.name(),
            token: self.token.as_deref(),
            token_file: self.token_file.as_deref(),
            json: self.common.json,
        })
    }
}

/// Options of the engine that a network guides.
#[derive(Args, Clone, Debug)]
pub struct NetworkOptions {
    /// Network of the engine that needs one, an .onnx file; where ONNX Runtime runs it, the faster NAME.int8.onnx beside
    /// NAME.onnx is taken [default: the project's, in a folder above this program or the current one, or among the
    /// installed data].
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// What runs the network [default: auto].
    #[arg(long, value_name = "ENGINE")]
    pub nn_engine: Option<NnEngine>,
    /// Which of NAME.onnx and NAME.int8.onnx it is [default: auto].
    #[arg(long, value_name = "PRECISION")]
    pub precision: Option<Precision>,
    /// Positions that each thread has evaluated together; more than 1 is seldom faster without a GPU [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub batch: Option<u16>,
}

impl NetworkOptions {
    /// These options with others that only some players read.
    pub(crate) fn restricted<const N: usize>(&self, others: [Restricted; N]) -> Vec<Restricted> {
        let own = [
            Restricted::new("--model", "model", self.model.is_some()),
            Restricted::new("--nn-engine", "nn", self.nn_engine.is_some()),
            Restricted::new("--precision", "precision", self.precision.is_some()),
            Restricted::new("--batch", "batch", self.batch.is_some()),
        ];
        own.into_iter().chain(others).collect()
    }

    pub(crate) fn network(&self) -> ModelOptions {
        ModelOptions {
            model: self.model.clone(),
            nn_engine: self.nn_engine.unwrap_or_default(),
            precision: self.precision.unwrap_or_default(),
        }
    }
}

/// The options of a client on a command line.
#[cfg(test)]
pub(crate) fn options_of<A: Args>(line: &str) -> Result<A, clap::Error> {
    let command = clap::Command::new("x")
        .disable_help_flag(true)
        .no_binary_name(true);
    let matches = A::augment_args(command).try_get_matches_from(line.split_whitespace())?;
    A::from_arg_matches(&matches)
}

/// Fails unless the help of an option names this default. It names it itself: the option has no value until it is given.
#[cfg(test)]
pub(crate) fn check_default<A: Args>(id: &str, default: &str) {
    let command = A::augment_args(clap::Command::new("x").disable_help_flag(true));
    let mut options = command.get_arguments();
    let option = options.find(|option| option.get_id() == id).expect(id);
    let help = option.get_help().expect("a help").to_string();
    let (_, named) = help.rsplit_once("[default: ").expect(&help);
    assert_eq!(named.split([',', ']']).next(), Some(default), "{id}");
}
