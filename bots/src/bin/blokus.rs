//! Blokus on the command line: a match on a server, or a GTP engine.

use std::fmt::Display;
use std::io::{Write, stdin, stdout};
use std::process::ExitCode;

use ::client::run_program;
use clap::{Args, Parser};
use taikyoku_bots::Level;
use taikyoku_bots::blokus::client::{self, BlokusOptions};
use taikyoku_bots::blokus::gtp::{self, GtpSession};
use taikyoku_bots::options::PlayerName;

/// Blokus for four players: plays a match on a server in the native protocol, as an engine or as a person, or
/// answers GTP commands.
///
/// blokus-zero needs a network, an .onnx file: --model, or models/blokus/blokus-zero.onnx in a folder above or among the
/// installed data. ONNX Runtime runs it 2 to 3 times faster than what is built in; models/fetch-onnxruntime fetches it.
///
/// The engines play for the advanced score. On a server whose scoring is `squares` they play on, with a warning.
///
/// Exit status: 0 the match was played to its end, or GTP's `quit`; 1 reading or writing failed; 2 the
/// command line or a file of it, such as a network; 3 no connection or no seat; 4 the match ended early or the connection was
/// lost for good.
#[derive(Parser)]
#[command(
    name = "blokus",
    version = program::version!(),
    after_help = "\
Examples:
  blokus --host game.example --engine best --move-ms 1000            a match on a server
  blokus --port 4444 --engine mcts-maxn --playouts 800 --seed 7 --json
                                                                     the same moves every time, and a log
  blokus --engine blokus-zero --move-ms 1000                         a network guides the search
  blokus --engine blokus-zero --model FILE.onnx --simulations 800    another network, by simulations
  blokus --token-file seat.token --engine greedy                     comes back to its seat if it is killed
  blokus --engine human --name ana                                   a person at the terminal
  blokus --gtp --engine best --move-ms 1000                          a GTP engine on stdin and stdout
  printf 'genmove 1\\nshowboard\\n' | blokus --gtp --engine greedy     one move, and the board
docs/blokus.md describes the rules, bots/README.md the engines; protocol/NATIVE.md and protocol/GTP.md specify the
protocols."
)]
struct BlokusArguments {
    /// Answer GTP commands of stdin on stdout in place of playing on a server.
    #[arg(long, conflicts_with_all = ["host", "port", "tls", "tls_ca", "name", "token", "token_file", "connect_timeout", "json"])]
    gtp: bool,
    #[command(flatten)]
    options: BlokusOptions,
    #[command(flatten)]
    pentobi: Pentobi,
}

/// Options with which controllers start Pentobi, so that this program takes its place.
#[derive(Args)]
#[group(id = "PentobiOptions")]
struct Pentobi {
    /// With --gtp: the same as --engine level-N, a level of this program and not of Pentobi [default: that of --engine]
    #[arg(long, value_name = "N", requires = "gtp", conflicts_with = "engine", value_parser = clap::value_parser!(u8).range(1..=9))]
    level: Option<u8>,
    /// With --gtp: write no warnings to standard error.
    #[arg(long, requires = "gtp")]
    quiet: bool,
    /// With --gtp: the game; there is no other.
    #[arg(long, requires = "gtp", value_name = "GAME", value_parser = ["classic"])]
    game: Option<String>,
    /// There is no opening book.
    #[arg(long, requires = "gtp", hide = true)]
    nobook: bool,
    /// No engine resigns.
    #[arg(long, requires = "gtp", hide = true)]
    noresign: bool,
}

fn main() -> ExitCode {
    let BlokusArguments {
        gtp,
        mut options,
        pentobi,
    } = program::options::<BlokusArguments>();
    program::start_log();
    if pentobi.quiet {
        log::set_max_level(log::LevelFilter::Off);
    }
    if let Some(level) = pentobi.level.and_then(Level::new) {
        options.native.common.engine = PlayerName::Level(level);
    }
    if gtp {
        engine(&options)
    } else {
        play(&options)
    }
}

fn engine(options: &BlokusOptions) -> ExitCode {
    let engine = match options.engine() {
        Ok(Some(engine)) => engine,
        Ok(None) => return refuse(&"--gtp needs an engine, not human"),
        Err(error) => return refuse(&error),
    };
    let session = match GtpSession::new(engine, options.native.common.seed_or_clock()) {
        Ok(session) => session,
        Err(error) => return refuse(&error),
    };
    match gtp::run(session, stdin().lock(), stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => program::fail("blokus", &error, program::FAILED),
    }
}

/// The command line is wrong, or a file of it.
fn refuse(reason: &dyn Display) -> ExitCode {
    program::fail("blokus", reason, program::USAGE)
}

fn play(options: &BlokusOptions) -> ExitCode {
    let run = |lines, out: &mut dyn Write| client::run(options, lines, out);
    run_program("blokus", run)
}
