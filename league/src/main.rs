//! The `taikyoku` program.

use std::fmt::Display;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use server::commands::{
    self, BotArgs, ClientOptions, DemoArgs, DemoFailure, ServeArgs, ServeFailure, WatchArgs,
    WebArgs,
};
use server::replay::{self, ReplayArgs, ReplayFailure};
use taikyoku::commands::{
    CheckArgs, CheckFailure, LaunchArgs, LeagueArgs, LeagueFailure, NewBotArgs, NewBotFailure,
    RecordsArgs, VerifyArgs, VerifyFailure, run,
};

/// Match server, records and house bots for board and card games.
#[derive(Debug, Parser)]
#[command(
    name = "taikyoku",
    version = program::version!(),
    after_help = "\
Exit status: 0 all went as asked; 1 something failed; 2 the command line or a settings file; 3 no connection; 4 a
connection was lost; 130 interrupted. docs/exit_codes.md says what that means for each command."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a match server
    Serve(ServeArgs),
    /// Start one of the project's own bots
    Bot(BotArgs),
    /// Check a bot before a tournament
    Check(CheckArgs),
    /// Write a bot to start from
    NewBot(NewBotArgs),
    /// Watch five house bots play over TCP
    Demo(DemoArgs),
    /// Play a league, or continue one
    League(LeagueArgs),
    /// Look at a record
    Replay(ReplayArgs),
    /// Standings with intervals from records
    Report(RecordsArgs),
    /// Verify the deals and the results of records
    Verify(VerifyArgs),
    /// Watch the tables of a server
    Watch(WatchArgs),
    /// Serve a page to play, watch and replay in a browser
    Web(WebArgs),
    /// Play a game in the browser against bots of the project
    Play(WebArgs),
    /// Run experiments on engines: matches, tables of papers, training
    ///
    /// Everything after the word goes to taikyoku-lab as it is; `taikyoku lab --help` shows its commands.
    #[command(disable_help_flag = true)]
    Lab(ClientOptions),
    /// Become a program with less than this one may
    #[command(hide = true)]
    Launch(LaunchArgs),
}

/// Exit code of a launcher whose program does not start, as shells have it.
const NO_PROGRAM: u8 = 127;

/// The exit code of a command that may fail for its options, which is told here.
fn ended<E: Display>(ended: Result<u8, E>, is_usage: impl Fn(&E) -> bool) -> Result<u8, String> {
    match ended {
        Err(e) if is_usage(&e) => {
            commands::log::fail(&e.to_string());
            Ok(program::USAGE)
        }
        ended => ended.map_err(|e| e.to_string()),
    }
}

fn main() -> ExitCode {
    // Files of the shell that has started this program are no business of the programs that it starts.
    close_fds::set_fds_cloexec(3, &[]);
    let command = program::options::<Arguments>().command;
    let level = match command {
        Command::Serve(_) => "info",
        // The report has the faults of players. It has no clients with a wrong token, whose entrants the league waits for.
        Command::League(_) => "error,taikyoku::clients=warn",
        _ => "warn",
    };
    commands::log::start(level);
    let done = match command {
        Command::Serve(args) => {
            let served = commands::run::serve(&args);
            let served = served.map(|whole| if whole { 0 } else { program::INTERRUPTED });
            ended(served, |e| matches!(e, ServeFailure::Usage(_)))
        }
        Command::Bot(args) => Err(commands::run::bot(&args).to_string()),
        Command::Lab(args) => Err(commands::run::lab(&args).to_string()),
        Command::Check(args) => {
            let checked = run::check(&args);
            ended(checked.map(|good| u8::from(!good)), CheckFailure::is_usage)
        }
        Command::NewBot(args) => {
            let written = run::new_bot(&args);
            ended(written.map(|()| 0), NewBotFailure::is_usage)
        }
        Command::Demo(args) => {
            let played = commands::run::demo(&args);
            let played = played.map(|whole| if whole { 0 } else { program::INTERRUPTED });
            ended(played, DemoFailure::is_usage)
        }
        Command::League(args) => ended(run::league(&args), LeagueFailure::is_usage),
        Command::Launch(args) => match run::launch(&args) {
            Err(e) => {
                commands::log::fail(&e.to_string());
                Ok(NO_PROGRAM)
            }
            Ok(never) => match never {},
        },
        Command::Web(args) => Err(commands::run::web("web", &args).to_string()),
        Command::Play(args) => Err(commands::run::web("play", &args).to_string()),
        Command::Replay(args) => {
            let shown = replay::run(&args);
            ended(shown.map(|()| 0), ReplayFailure::is_usage)
        }
        Command::Report(args) => run::report(&args).map(|()| 0).map_err(|e| e.to_string()),
        Command::Watch(args) => Ok(commands::run::watch(&args).map_or_else(
            |e| {
                commands::log::fail(&e.to_string());
                e.exit_code()
            },
            |()| 0,
        )),
        Command::Verify(args) => {
            let verified = run::verify(&args).map(|agrees| u8::from(!agrees));
            ended(verified, VerifyFailure::is_usage)
        }
    };
    let code = done.map_or_else(
        |e| {
            commands::log::fail(&e);
            ExitCode::FAILURE
        },
        ExitCode::from,
    );
    commands::log::end();
    code
}
