//! Engines of Dobutsu shogi that speak USI (`protocol/USI.md`), at a table of the native protocol.
//!
//! | part | what it does |
//! |---|---|
//! | `engine` | what the engine was told and asked |
//! | `variants` | the rules of the game for Fairy-Stockfish, with its repetition |

mod engine;
mod variants;

use clap::Args;

use super::client::{Common, run as run_bridge};
use super::error::BridgeError;
use engine::{Setup, UsiEngine};

/// Options of the bridge of an engine that speaks USI.
#[derive(Args, Clone, Debug)]
pub struct UsiBridgeOptions {
    /// Options of every bridge.
    #[command(flatten)]
    pub common: Common,
    /// Milliseconds for each move [default: what the server allows, less 50].
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub move_ms: Option<u64>,
    /// Positions for each move, in the place of a time [default: the time decides].
    #[arg(long, value_name = "N", conflicts_with = "move_ms", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// An option of the engine, such as `Threads=2`; may be given several times.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    pub options: Vec<String>,
}

/// Plays one match with an engine. It gives the reason if the match was over before its last game.
///
/// An engine with the options `VariantPath` and `USI_Variant` or `UCI_Variant`, as Fairy-Stockfish has them, is given
/// the rules of the game by a file of variants: the third occurrence of a position is a draw.
///
/// # Errors
/// When the engine does not start or ends, there is no connection or no seat, or the connection is lost for good.
pub fn run(options: &UsiBridgeOptions) -> Result<Option<String>, BridgeError> {
    let setup = Setup {
        move_ms: options.move_ms,
        nodes: options.nodes,
        options: options.options.clone(),
    };
    run_bridge::<UsiEngine>(&options.common, &setup)
}
