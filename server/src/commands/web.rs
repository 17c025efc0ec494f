//! `taikyoku web` and `taikyoku play`: start the gateway between browsers and tables.

use std::process::{Command, ExitStatus};

use clap::Args;

use super::bot::{BotFailure, ClientOptions, client_program};

/// The program of the page.
const PROGRAM: &str = "taikyoku-web";

/// Serves a page to play, watch and replay in a browser. All options go to `taikyoku-web` as they are; `--help`
/// shows them.
#[derive(Clone, Debug, Args)]
#[command(disable_help_flag = true)]
pub struct WebArgs {
    /// What goes to the program
    #[command(flatten)]
    pub client: ClientOptions,
}

/// Runs the page's program with this command until it ends; gives its exit status. An interrupt reaches both.
///
/// # Errors
/// When it cannot be started.
pub fn run(command: &str, args: &WebArgs) -> Result<ExitStatus, BotFailure> {
    let program = client_program(PROGRAM)?;
    let mut line = Command::new(&program);
    line.arg(command).args(&args.client.options);
    let start = |error| BotFailure::Start { program, error };
    // This process becomes the program where the system allows it: a signal to it then ends the gateway.
    #[cfg(unix)]
    return Err(start(std::os::unix::process::CommandExt::exec(&mut line)));
    #[cfg(not(unix))]
    line.status().map_err(start)
}
