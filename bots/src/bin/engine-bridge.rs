//! Engines that speak on standard input and output, at a table of the native protocol.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use taikyoku_bots::bridge::{gtp, usi};

/// Seats an engine that speaks on its standard input and output at a table of the native protocol.
///
/// The engine's process lives for all games of the match; its standard error is that of the bridge. Its moves are
/// sent as they are, and the server judges them. It gets ready for each game before the clocks run. When it ends, the game in
/// play is lost by the fault `crash`, and the bridge starts it anew for the next game; when it ends in three games in a row, or
/// does not start again, the bridge closes the connection.
///
/// Exit status: 0 the match was played to its end; 1 the engine has ended, be it once, or floods its output; 2 the command line, or
/// an engine that does not start or answer, or does not take an option; 3 no connection or no seat; 4 the match ended early or the connection was lost for good.
#[derive(Parser)]
#[command(
    name = "engine-bridge",
    version = program::version!(),
    after_help = "\
Examples:
  engine-bridge gtp --port 4444 -- pentobi-gtp --quiet --nobook --level 4    Pentobi at a table of Blokus
  engine-bridge gtp --port 4444 --name me --move-ms 1000 -- ./my-engine --gtp
  engine-bridge usi --port 4444 --option Threads=1 -- fairy-stockfish        Fairy-Stockfish at a table of Dobutsu shogi
  engine-bridge usi --port 4444 --nodes 10000 -- dobutsu --usi
What an engine must answer is described in protocol/GTP.md and protocol/USI.md. RUST_LOG=debug shows every command."
)]
struct BridgeArguments {
    #[command(subcommand)]
    protocol: BridgeCommand,
}

#[derive(Subcommand)]
enum BridgeCommand {
    /// An engine of Blokus that speaks GTP in Pentobi's dialect
    Gtp(gtp::GtpBridgeOptions),
    /// An engine of Dobutsu shogi that speaks USI
    Usi(usi::UsiBridgeOptions),
}

fn main() -> ExitCode {
    program::start_log();
    let played = match program::options::<BridgeArguments>().protocol {
        BridgeCommand::Gtp(options) => gtp::run(&options),
        BridgeCommand::Usi(options) => usi::run(&options),
    };
    match played {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(reason)) => {
            let reason = format!("the match ended early: {reason}");
            program::fail("engine-bridge", &reason, program::CUT_SHORT)
        }
        Err(error) => program::fail("engine-bridge", &error, error.exit_code()),
    }
}
