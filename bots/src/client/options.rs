//! The command line of the client.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

/// Who plays: a person or one of the game's engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayerName<E> {
    /// A person at the terminal.
    Human,
    /// An engine.
    Engine(E),
}

/// What names of engines are.
pub trait EngineNames: ValueEnum + Clone + Send + Sync + 'static {}

impl<E: ValueEnum + Clone + Send + Sync + 'static> EngineNames for E {}

impl<E: EngineNames> PlayerName<E> {
    /// The parser of command lines: `human` or the name of an engine.
    fn parser() -> impl TypedValueParser<Value = PlayerName<E>> {
        let human = PossibleValue::new("human").help("A person: draws the board and reads moves");
        let names = E::value_variants()
            .iter()
            .rev()
            .filter_map(ValueEnum::to_possible_value)
            .chain([human]);
        PossibleValuesParser::new(names).map(|name| {
            // Any name but that of an engine is `human`, as no other is let through.
            E::from_str(&name, false).map_or(PlayerName::Human, PlayerName::Engine)
        })
    }

    /// Its name on command lines.
    fn name(&self) -> String {
        let engine = match self {
            PlayerName::Human => None,
            PlayerName::Engine(engine) => engine.to_possible_value(),
        };
        engine.map_or("human".to_owned(), |value| value.get_name().to_owned())
    }
}

/// Options of the client of a game with these engines.
#[derive(Args, Clone, Debug)]
pub struct Options<E: EngineNames> {
    /// Host of the server.
    #[arg(long, default_value = "localhost", value_name = "HOST")]
    pub host: String,
    /// TCP port of the server.
    #[arg(short, long, default_value_t = 4444, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: u16,
    /// Who plays.
    #[arg(short, long, default_value = "best", value_parser = PlayerName::<E>::parser())]
    pub engine: PlayerName<E>,
    /// Playouts of the Monte Carlo engines for each move, nodes of the others that search.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub playouts: Option<u64>,
    /// Most milliseconds for each move; never more than the server leaves.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub move_ms: Option<u64>,
    /// Threads of the Monte Carlo engines and of blokus-zero.
    #[arg(long, default_value_t = 1, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: u16,
    /// Seed. With the same seed, one thread and playouts in place of time, the same positions get the
    /// same moves. Drawn from the clock unless given.
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Name at the table [default: that of the engine].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Token of a seat that an earlier run of this program had: comes back to it.
    #[arg(long, value_name = "TOKEN")]
    pub token: Option<String>,
    /// File that keeps the token while the match goes on, for its owner's eyes only: comes back to its seat if an
    /// earlier run of this program was killed.
    #[arg(long, value_name = "FILE", conflicts_with = "token")]
    pub token_file: Option<PathBuf>,
    /// Write a line of JSON for each decision, with the board, the time and the engine's reasons, for
    /// each result, and for the summary.
    #[arg(long)]
    pub json: bool,
    /// Seconds to go on trying while the port refuses, and to come back when the connection is lost.
    #[arg(long, default_value_t = 10.0, value_parser = seconds, value_name = "SECONDS")]
    pub connect_timeout: f64,
}

impl<E: EngineNames> Options<E> {
    /// The name at the table.
    pub fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.engine.name())
    }

    /// Most time for a move.
    pub fn move_time(&self) -> Option<Duration> {
        self.move_ms.map(Duration::from_millis)
    }

    /// How long to go on connecting.
    pub fn connect_limit(&self) -> Duration {
        Duration::from_secs_f64(self.connect_timeout)
    }

    /// The seed given, or one from the clock and the process.
    pub fn seed_or_clock(&self) -> u64 {
        self.seed.unwrap_or_else(|| {
            let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or(Duration::ZERO);
            since.as_nanos() as u64 ^ u64::from(std::process::id()).rotate_left(32)
        })
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=1e6).contains(&value) => Ok(value),
        _ => Err("a number of seconds from 0 to 1000000 is wanted".to_owned()),
    }
}
