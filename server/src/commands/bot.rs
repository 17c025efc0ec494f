//! `taikyoku bot`: starts the client program of a game.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};

use clap::{Args, Subcommand};

use crate::league::process;

/// Starts one of the project's own bots. Everything after the game's name goes to its client
/// program as it is; `taikyoku bot GAME --help` shows that program's options.
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
    /// A bot for 3D four-in-a-row in the native protocol, or a board for a person (--engine human)
    #[command(disable_help_flag = true)]
    ScoreFour(ClientOptions),
    /// A bot for Blokus in the native protocol
    #[command(disable_help_flag = true)]
    Blokus(ClientOptions),
    /// A bot for Dobutsu shogi in the native protocol, a USI engine (--usi), or a board for a person (--engine human)
    #[command(disable_help_flag = true)]
    Dobutsu(ClientOptions),
}

/// What goes to the client program as it is.
#[derive(Clone, Debug, Args)]
pub struct ClientOptions {
    /// Options of the client program
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "OPTION"
    )]
    pub options: Vec<OsString>,
}

/// Why a bot does not start.
#[derive(Debug, thiserror::Error)]
pub enum BotFailure {
    /// The client program is not there.
    #[error(
        "the client program {} is not there: build it with `cargo build --release`, or put it beside taikyoku",
        .0.display()
    )]
    Absent(PathBuf),
    /// It cannot be started.
    #[error("{}: {error}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// The client program of a game, which lies beside this program.
///
/// # Errors
/// When it is not there.
pub(super) fn client_program(name: &str) -> Result<PathBuf, BotFailure> {
    let program = process::beside(name);
    if program.is_file() {
        Ok(program)
    } else {
        Err(BotFailure::Absent(program))
    }
}

/// Runs the client program with its options until it ends; gives its exit status. Standard input
/// and output are those of this program.
///
/// # Errors
/// When it cannot be started.
pub fn run(args: &BotArgs) -> Result<ExitStatus, BotFailure> {
    let (name, command, options) = match &args.game {
        BotGame::Daihinmin(client) => ("daihinmin", None, &client.options),
        BotGame::Geister(client) => ("geister", None, &client.options),
        BotGame::ScoreFour(client) => ("score-four", Some("play"), &client.options),
        BotGame::Blokus(client) => ("blokus", None, &client.options),
        BotGame::Dobutsu(client) => ("dobutsu", None, &client.options),
    };
    let program = client_program(name)?;
    Command::new(&program)
        .args(command)
        .args(options)
        .status()
        .map_err(|error| BotFailure::Start { program, error })
}
