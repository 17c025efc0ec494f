//! One move in one position.

use std::time::Duration;

use clap::Args;
use games::score_four::Position;
use serde_json::json;
use taikyoku_bots::score_four::{EngineName, EngineOptions};

use super::Failure;

#[derive(Args)]
pub(crate) struct Options {
    /// `start`, the pegs played such as a1b2a1, or the board form.
    #[arg(allow_hyphen_values = true)]
    position: String,
    /// Engine.
    #[arg(long, value_enum, default_value_t = EngineName::Best)]
    engine: EngineName,
    /// Playouts of the Monte Carlo engines, nodes of `best`.
    #[arg(long)]
    playouts: Option<u64>,
    /// Most milliseconds.
    #[arg(long)]
    move_ms: Option<u64>,
    /// Threads of the Monte Carlo engines.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Seed: with playouts and one thread the same seed gives the same peg.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the peg and the engine's reasons as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let position: Position = options.position.parse()?;
    if position.to_move().is_none() {
        return Err("the game is over".into());
    }
    let mut engine = EngineOptions {
        playouts: options.playouts,
        time: options.move_ms.map(Duration::from_millis),
        threads: usize::from(options.threads),
        ..EngineOptions::named(options.engine)
    }
    .build(options.seed);
    let peg = engine.choose(&position, None);
    if options.json {
        let reasons = engine.explain();
        println!(
            "{}",
            json!({"position": position.to_string(), "peg": peg.to_string(), "reasons": reasons})
        );
    } else {
        println!("{peg}");
    }
    Ok(())
}
