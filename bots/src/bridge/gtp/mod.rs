//! Blokus engines that speak GTP in Pentobi's dialect (`protocol/GTP.md`), at a table of the native protocol.
//!
//! | part | what it does |
//! |---|---|
//! | `engine` | what the engine was told and asked |
//! | `stray` | what an engine writes that is no answer |

mod engine;
mod stray;

use clap::Args;

use super::client::{Common, run as run_bridge};
use super::error::BridgeError;
use engine::GtpEngine;

/// Options of the bridge of an engine that speaks GTP.
#[derive(Args, Clone, Debug)]
pub struct GtpBridgeOptions {
    /// Options of every bridge.
    #[command(flatten)]
    pub common: Common,
    /// Milliseconds for each move, told to the engine: by its parameter `move_ms`, or by `time_settings` in whole
    /// seconds, at least one. An engine that has neither, such as Pentobi, is told nothing: its own options and level
    /// decide [default: it is told nothing].
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub move_ms: Option<u64>,
}

/// Plays one match with an engine. It gives the reason if the match was over before its last game. The engine is
/// started before the bridge connects, and has ended when this returns.
///
/// # Errors
/// When the engine does not start or ends, there is no connection or no seat, or the connection is lost for good.
pub fn run(options: &GtpBridgeOptions) -> Result<Option<String>, BridgeError> {
    run_bridge::<GtpEngine>(&options.common, &options.move_ms)
}
