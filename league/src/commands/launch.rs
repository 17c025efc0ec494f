//! `taikyoku launch`: how a league starts a program that is confined.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io;

use clap::Args;

use crate::process::Confinement;

/// Confines this process, and becomes the program.
#[derive(Clone, Debug, Args)]
pub struct LaunchArgs {
    /// What it may use and reach
    #[command(flatten)]
    pub confinement: Confinement,
    /// The program and its arguments
    #[arg(last = true, required = true)]
    pub program: Vec<OsString>,
}

/// Becomes the program; returns only with what is against it.
pub fn run(args: &LaunchArgs) -> io::Result<Infallible> {
    let named = |e: io::Error| {
        let program = args.program.first().map(|word| word.to_string_lossy());
        io::Error::new(e.kind(), format!("{}: {e}", program.unwrap_or_default()))
    };
    args.confinement.exec(&args.program).map_err(named)
}
