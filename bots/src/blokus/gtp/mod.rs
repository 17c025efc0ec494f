//! A GTP engine in Pentobi's dialect: `protocol/GTP.md` specifies its commands.
//!
//! [`Session`] answers commands and knows neither input nor output; [`run`] puts it between two streams.

mod arguments;
mod commands;
mod cpu_time;
mod parameters;
mod position;
mod saving;
mod search;
mod session;

use std::io::{self, ErrorKind, Read, Write};

use protocol::gtp::{Answer, EngineEnd};

pub use cpu_time::cpu_time;
pub use session::Session;

/// Bytes read at once.
const READ_LEN: usize = 1 << 12;

/// Answers commands until `quit` or the end of the input; a reader of the answers that has gone is the end, too.
///
/// # Errors
/// When reading or writing fails otherwise.
pub fn run(mut session: Session, mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    let mut end = EngineEnd::default();
    let mut bytes = [0; READ_LEN];
    let mut is_last = false;
    while !is_last {
        match input.read(&mut bytes) {
            Ok(0) => {
                end.finish();
                is_last = true;
            }
            Ok(n) => end.receive(&bytes[..n]),
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        }
        while let Some(command) = end.next_command() {
            let answer = match command {
                Ok(command) => session.answer(&command),
                Err(fault) => Answer::failure(fault.id, fault.problem.to_string()),
            };
            let written = output
                .write_all(answer.to_text().as_bytes())
                .and_then(|()| output.flush());
            match written {
                Err(e) if e.kind() == ErrorKind::BrokenPipe => return Ok(()),
                other => other?,
            }
            if session.has_quit() {
                return Ok(());
            }
        }
    }
    Ok(())
}
