//! Score four on the command line: a seat on a server, and one move.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use ::client::run_program;
use clap::{Args, Parser, Subcommand};
use games::score_four::Position;
use serde_json::json;
use taikyoku_bots::options::PlayerName;
use taikyoku_bots::score_four::client::{self, ScoreFourOptions};
use taikyoku_bots::score_four::{EngineName, EngineOptions};
use taikyoku_bots::spec::Specified as _;

/// 3D four-in-a-row: a seat on a server, or one move. Matches and experiments: `taikyoku-lab`.
#[derive(Parser)]
#[command(
    name = "score-four",
    version = program::version!(),
    after_help = "\
Examples:
  score-four play --host game.example --engine best --move-ms 900   a match on a server
  score-four play --engine human --name ana                         the same for a person
  score-four move a1b2c3 --engine best --move-ms 1000               a peg for the seat to move
Exit status: 0 the match was played to its end, or the peg is printed; 2 the command line; 3 no connection
or no seat; 4 the match ended early or the connection was lost for good."
)]
struct ScoreFourArguments {
    #[command(subcommand)]
    command: ScoreFourCommand,
}

#[derive(Subcommand)]
enum ScoreFourCommand {
    /// Play a match on a server in the native protocol, as an engine or as a person.
    Play(Box<ScoreFourOptions>),
    /// Print the peg that an engine plays in a position.
    Move(MoveOptions),
}

fn main() -> ExitCode {
    program::start_log();
    match program::options::<ScoreFourArguments>().command {
        ScoreFourCommand::Play(options) => play(&options),
        ScoreFourCommand::Move(options) => choose(&options),
    }
}

fn play(options: &ScoreFourOptions) -> ExitCode {
    let run = |lines, out: &mut dyn Write| client::run(options, lines, out);
    run_program("score-four", run)
}

#[derive(Args)]
struct MoveOptions {
    /// `start`, the pegs played such as a1b2a1, or the board form.
    #[arg(allow_hyphen_values = true)]
    position: Position,
    /// Engine or level.
    #[arg(long, default_value = "best", value_parser = PlayerName::<EngineName>::engine_parser())]
    engine: PlayerName<EngineName>,
    /// Playouts of the Monte Carlo engines, nodes of `best` [default: as many as the time allows; without --move-ms the
    /// Monte Carlo engines make 50,000].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    playouts: Option<u64>,
    /// Most milliseconds [default: 1000 for `best`, and no limit with playouts or for other engines].
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    move_ms: Option<u64>,
    /// Threads of the search, which share the playouts or nodes. With more than one, `best` solves on one of them and
    /// searches on the others.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Seed: with playouts and one thread the same seed gives the same peg.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Print the peg and the engine's reasons as JSON (schema: docs/schema/move.json).
    #[arg(long)]
    json: bool,
}

fn choose(options: &MoveOptions) -> ExitCode {
    let position = &options.position;
    if position.to_move().is_none() {
        return program::fail("score-four", &"the game is over", program::USAGE);
    }
    let base: EngineOptions = options
        .engine
        .options()
        .expect("the parser takes no person");
    let mut engine = EngineOptions {
        playouts: options.playouts.or(base.playouts),
        time: options.move_ms.map(Duration::from_millis),
        threads: usize::from(options.threads),
        ..base
    }
    .build(options.seed)
    .expect("these engines need no files");
    let peg = engine.choose(position, None);
    if options.json {
        let reasons = engine.explain();
        let line =
            json!({"position": position.to_string(), "peg": peg.to_string(), "reasons": reasons});
        program::write_out(format_args!("{line}\n"));
    } else {
        program::write_out(format_args!("{peg}\n"));
    }
    ExitCode::SUCCESS
}
