//! `taikyoku bot`, `lab`, `web` and `play`: start another program, which lies beside this one.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, Subcommand};
use program::Failure;
use record::files::named;

/// Start one of the project's own bots
///
/// Everything after the game's name goes to its client program as it is; `taikyoku bot GAME --help` shows that program's options.
#[derive(Clone, Debug, Args)]
pub struct BotArgs {
    /// The game
    #[command(subcommand)]
    pub game: BotGame,
}

/// Games with a bot.
#[derive(Clone, Debug, Subcommand)]
pub enum BotGame {
    /// A bot for Daihinmin in the UECda protocol
    #[command(disable_help_flag = true, visible_alias = "uecda")]
    Daihinmin(ClientOptions),
    /// A bot for Geister in the GAT protocol
    #[command(disable_help_flag = true, visible_alias = "gat")]
    Geister(ClientOptions),
    /// A bot for 3D four-in-a-row in the native protocol, or a board for a person (--engine human); `move` gives one move
    #[command(disable_help_flag = true)]
    ScoreFour(ClientOptions),
    /// A bot for Blokus in the native protocol
    #[command(disable_help_flag = true)]
    Blokus(ClientOptions),
    /// A bot for Dobutsu shogi in the native protocol, a USI engine (--usi), or a board for a person (--engine human)
    #[command(disable_help_flag = true)]
    Dobutsu(ClientOptions),
}

/// What goes to the other program as it is.
#[derive(Clone, Debug, Args)]
pub struct ClientOptions {
    /// Options of the program
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "OPTION"
    )]
    pub options: Vec<OsString>,
}

/// A program of the project, which lies beside this one.
pub fn beside(name: &str) -> PathBuf {
    let here = std::env::current_exe().unwrap_or_default();
    here.parent().unwrap_or(Path::new(".")).join(name)
}

pub(super) fn program_beside(name: &str) -> Result<PathBuf, Failure> {
    let program = beside(name);
    if program.is_file() {
        Ok(program)
    } else {
        Err(Failure::failed(format_args!(
            "the program {} is not there: build it with `cargo build --release`, or put it beside taikyoku",
            program.display()
        )))
    }
}

/// The commands of `score-four`; the first one is meant where none is named.
const SCORE_FOUR: [&str; 3] = ["play", "move", "help"];

/// Replaces this process with the client program of a game, with its options; returns the error if that fails.
pub fn run(args: &BotArgs) -> Failure {
    let (name, command, options) = match &args.game {
        BotGame::Daihinmin(client) => ("daihinmin", None, &client.options),
        BotGame::Geister(client) => ("geister", None, &client.options),
        BotGame::ScoreFour(client) => {
            let is_named = |word: &OsString| SCORE_FOUR.iter().any(|name| word == name);
            let plays = !client.options.first().is_some_and(is_named);
            let command = plays.then_some(SCORE_FOUR[0]);
            ("score-four", command, &client.options)
        }
        BotGame::Blokus(client) => ("blokus", None, &client.options),
        BotGame::Dobutsu(client) => ("dobutsu", None, &client.options),
    };
    become_program(name, command, options)
}

/// Replaces this process with `taikyoku-lab` and its options; returns the error if that fails.
pub fn lab(args: &ClientOptions) -> Failure {
    become_program("taikyoku-lab", None, &args.options)
}

/// Replaces this process with the program of the page; returns the error if that fails.
pub fn web(command: &str, args: &ClientOptions) -> Failure {
    become_program("taikyoku-web", Some(command), &args.options)
}

/// Replaces this process with a program in the same folder, so that signals reach that program; returns the error if that
/// fails.
fn become_program(name: &str, command: Option<&str>, options: &[OsString]) -> Failure {
    match program_beside(name) {
        Ok(program) => {
            let error = Command::new(&program).args(command).args(options).exec();
            named(&program, &error).into()
        }
        Err(absent) => absent,
    }
}
