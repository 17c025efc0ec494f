//! Playing on a server.

use std::io::{BufReader, Write as _, stdin, stdout};
use std::process::ExitCode;

use taikyoku_bots::score_four::client::{self, Options};

/// Plays a match; gives the exit status.
pub(crate) fn run(options: &Options) -> ExitCode {
    let mut out = stdout().lock();
    let result = client::run(options, Box::new(BufReader::new(stdin())), &mut out);
    let _ = out.flush();
    match result {
        Ok(summary) if summary.reason.is_none() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(4),
        Err(error) => {
            eprintln!("score-four: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
