//! What a controller talks with.

use std::io::{self, ErrorKind, Read, Write};

use protocol::gtp::{Answer, Command, EngineEnd};

use super::arguments::Arguments;
use super::commands::find;
use super::state::State;
use crate::BuildError;
use crate::blokus::EngineOptions;

const READ_LEN: usize = 1 << 12;

/// A board and an engine.
///
/// ```
/// use taikyoku_bots::blokus::gtp::GtpSession;
/// use taikyoku_bots::blokus::{EngineName, EngineOptions};
/// use protocol::gtp::Command;
///
/// let mut session = GtpSession::new(EngineOptions::named(EngineName::Greedy), 1)?;
/// let mut ask = |line: &str| {
///     let command = Command::parse(line).unwrap().unwrap();
///     session.answer(&command).to_text()
/// };
/// assert_eq!(ask("play blue A20,a19"), "= \n\n");
/// assert_eq!(ask("7 final_score"), "=7 2 0 0 0\n\n");
/// assert!(ask("play 1 b18").starts_with("= "));
/// assert!(ask("play 1 b18").starts_with("? illegal move"));
/// assert_eq!(ask("boardsize 19"), "? unknown command\n\n");
/// # Ok::<(), taikyoku_bots::BuildError>(())
/// ```
pub struct GtpSession(State);

impl GtpSession {
    /// The empty board.
    pub fn new(options: EngineOptions, seed: u64) -> Result<GtpSession, BuildError> {
        State::new(options, seed).map(GtpSession)
    }

    pub fn answer(&mut self, command: &Command) -> Answer {
        let Some(found) = find(&command.name) else {
            return Answer::failure(command.id, "unknown command");
        };
        let mut words = Arguments::new(&command.arguments, found.usage);
        match (found.carry_out)(&mut self.0, &mut words) {
            Ok(text) => Answer::success(command.id, text),
            Err(text) => Answer::failure(command.id, text),
        }
    }

    pub fn has_quit(&self) -> bool {
        self.0.quit
    }
}

/// Answers commands until `quit` or the end of the input; a reader of the answers that has gone is the end, too.
pub fn run(
    mut session: GtpSession,
    mut input: impl Read,
    mut output: impl Write,
) -> io::Result<()> {
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
