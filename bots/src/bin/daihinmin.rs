//! The stand-alone Daihinmin client.

use std::io::{BufReader, Write as _, stdin, stdout};
use std::process::ExitCode;

use clap::Parser;
use client::Summary;
use program::PrintableWriter;
use taikyoku_bots::daihinmin::client::{DaihinminOptions, run};

/// Play Daihinmin on a UECda server.
///
/// Connects as one of the five players, an engine or a person, plays the match to its end and prints the result.
/// It speaks with the official C server, the Java server, and `taikyoku serve uecda`.
#[derive(Parser)]
#[command(
    name = "daihinmin",
    version = program::version!(),
    disable_help_flag = true,
    after_help = "\
Examples:
  daihinmin                                   the strongest engine against localhost:42485
  daihinmin -h game.example -p 42485 -n me    an entrant's start at a tournament
  daihinmin --engine crow --playouts 5000     the bot Crow, thinking longer
  daihinmin --game-ms 1000 --threads 4        at most a second a game, on four cores
  daihinmin --engine human                    a person at the terminal; help says what may be typed
  daihinmin --seed 7 --json > match.jsonl     repeatable, with the reasons for every move
Exit status: 0 the match was played to its end; 2 the command line, or the file of --weights; 3 no
connection or no seat; 4 the match ended early, or the connection was lost.
The environment variable RUST_LOG (error, warn, info, debug) sets how much is logged to standard
error; the default is warn."
)]
struct DaihinminArguments {
    #[command(flatten)]
    options: DaihinminOptions,
}

fn main() -> ExitCode {
    program::start_log();
    let options = program::options::<DaihinminArguments>().options;
    let mut out = PrintableWriter(stdout().lock());
    let result = run(&options, Box::new(BufReader::new(stdin())), &mut out);
    let _ = out.flush();
    match result {
        Ok(matches) if matches.iter().all(Summary::is_whole) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(program::CUT_SHORT),
        Err(error) => program::fail("daihinmin", &error, error.exit_code()),
    }
}
