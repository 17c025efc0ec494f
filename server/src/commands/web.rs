//! `taikyoku web` and `taikyoku play`: start the gateway between browsers and tables.

use clap::Args;
use program::Failure;

use super::bot::{ClientOptions, become_program};

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

/// Replaces this process with the program of the page; returns the error if that fails.
pub fn run(command: &str, args: &WebArgs) -> Failure {
    become_program(PROGRAM, Some(command), &args.client.options)
}
