//! `taikyoku web` and `taikyoku play`: start the gateway between browsers and tables.

use std::process::ExitStatus;

use clap::Args;

use super::bot::{BotFailure, ClientOptions, become_program};

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

/// Runs the page's program with this command until it ends; gives its exit status.
///
/// # Errors
/// When it cannot be started.
pub fn run(command: &str, args: &WebArgs) -> Result<ExitStatus, BotFailure> {
    become_program(PROGRAM, Some(command), &args.client.options)
}
