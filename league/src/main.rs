//! The `taikyoku` program.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use program::Failure;
use server::commands::bot::{self, BotArgs, ClientOptions};
use server::commands::demo::{self, DemoArgs};
use server::commands::log;
use server::commands::serve::{self, ServeArgs};
use server::commands::watch::{self, WatchArgs};
use server::replay::{self, ReplayArgs};
use taikyoku::commands::check::{self, CheckArgs};
use taikyoku::commands::ladder::{self, LadderArgs};
use taikyoku::commands::launch::{self, LaunchArgs};
use taikyoku::commands::league::{self, LeagueArgs};
use taikyoku::commands::new_bot::{self, NewBotArgs};
use taikyoku::commands::report::{self, RecordsArgs};
use taikyoku::commands::verify::{self, VerifyArgs};

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
    Serve(ServeArgs),
    Bot(BotArgs),
    Check(CheckArgs),
    NewBot(NewBotArgs),
    Demo(DemoArgs),
    League(LeagueArgs),
    Ladder(LadderArgs),
    Replay(ReplayArgs),
    Report(RecordsArgs),
    Verify(VerifyArgs),
    Watch(WatchArgs),
    /// Serve a page to play, watch and replay in a browser
    #[command(disable_help_flag = true)]
    Web(ClientOptions),
    /// Play a game in the browser against bots of the project
    #[command(disable_help_flag = true)]
    Play(ClientOptions),
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

/// The exit code of matches; `is_whole` is whether all were played to their ends.
const fn played(is_whole: bool) -> u8 {
    if is_whole { 0 } else { program::INTERRUPTED }
}

fn main() -> ExitCode {
    // Files of the shell that has started this program are no business of the programs that it starts.
    close_fds::set_fds_cloexec(3, &[]);
    let command = program::options::<Arguments>().command;
    let level = match command {
        Command::Serve(_) => "info",
        // The report has the faults of players. It has no clients with a wrong token, whose entrants the league waits for.
        Command::League(_) | Command::Ladder(_) => "error,taikyoku::clients=warn",
        _ => "warn",
    };
    log::start(level);
    let done = match command {
        Command::Serve(args) => serve::run(&args).map(played),
        Command::Bot(args) => Err(bot::run(&args)),
        Command::Lab(args) => Err(bot::lab(&args)),
        Command::Check(args) => check::run(&args).map(|good| u8::from(!good)),
        Command::NewBot(args) => new_bot::run(&args).map(|()| 0),
        Command::Demo(args) => demo::run(&args).map(played),
        Command::League(args) => league::run(&args),
        Command::Ladder(args) => ladder::run(&args).map(|()| 0),
        Command::Launch(args) => match launch::run(&args) {
            Err(e) => Err(Failure::new(NO_PROGRAM, e)),
            Ok(never) => match never {},
        },
        Command::Web(args) => Err(bot::web("web", &args)),
        Command::Play(args) => Err(bot::web("play", &args)),
        Command::Replay(args) => replay::run(&args).map(|()| 0),
        Command::Report(args) => report::run(&args).map(|()| 0),
        Command::Watch(args) => watch::run(&args).map(|()| 0),
        Command::Verify(args) => verify::run(&args).map(|agrees| u8::from(!agrees)),
    };
    let code = done.unwrap_or_else(|failure| {
        log::fail(&failure.to_string());
        failure.code()
    });
    log::end();
    ExitCode::from(code)
}
