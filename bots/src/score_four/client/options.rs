//! The command line of the client.

use std::time::{Duration, SystemTime};

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use crate::score_four::{EngineName, EngineOptions};

/// Who plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayerName {
    /// A person at the terminal.
    Human,
    /// An engine.
    Engine(EngineName),
}

impl ValueEnum for PlayerName {
    fn value_variants<'a>() -> &'a [PlayerName] {
        use EngineName::{Best, Flat, Random, Ucb1, Uct, UctEs};
        use PlayerName::{Engine, Human};
        &[
            Engine(Best),
            Engine(Flat),
            Engine(Ucb1),
            Engine(Uct),
            Engine(UctEs),
            Engine(Random),
            Human,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            PlayerName::Human => {
                Some(PossibleValue::new("human").help("A person: draws the board and reads pegs"))
            }
            PlayerName::Engine(engine) => engine.to_possible_value(),
        }
    }
}

/// Options of the client.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Host of the server.
    #[arg(long, default_value = "localhost", value_name = "HOST")]
    pub host: String,
    /// TCP port of the server.
    #[arg(short, long, default_value_t = 4444, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: u16,
    /// Who plays.
    #[arg(short, long, value_enum, default_value = "best")]
    pub engine: PlayerName,
    /// Playouts of the Monte Carlo engines for each move, nodes of best.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub playouts: Option<u64>,
    /// Most milliseconds for each move; never more than the server leaves.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub move_ms: Option<u64>,
    /// Threads of the Monte Carlo engines.
    #[arg(long, default_value_t = 1, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: u16,
    /// Seed. With the same seed, one thread and playouts in place of time, the same positions get the
    /// same pegs. Drawn from the clock unless given.
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Name at the table [default: that of the engine].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Token of a seat that an earlier run of this program had: comes back to it.
    #[arg(long, value_name = "TOKEN")]
    pub token: Option<String>,
    /// Write a line of JSON for each decision, with the board, the time and the engine's reasons, for
    /// each result, and for the summary.
    #[arg(long)]
    pub json: bool,
    /// Seconds to go on trying while the port refuses, and to come back when the connection is lost.
    #[arg(long, default_value_t = 10.0, value_parser = seconds, value_name = "SECONDS")]
    pub connect_timeout: f64,
}

impl Options {
    /// The engine; `None` for a person.
    pub fn engine_options(&self) -> Option<EngineOptions> {
        let PlayerName::Engine(engine) = self.engine else {
            return None;
        };
        Some(EngineOptions {
            playouts: self.playouts,
            time: self.move_ms.map(Duration::from_millis),
            threads: usize::from(self.threads),
            ..EngineOptions::named(engine)
        })
    }

    /// The name at the table.
    pub fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| match self.engine {
            PlayerName::Human => "human".to_owned(),
            PlayerName::Engine(engine) => engine.name().to_owned(),
        })
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
