//! The engine's process.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use super::error::BridgeError;
use crate::options::TOKEN;

/// How long an engine may take to end by itself once its input is closed.
const GRACE: Duration = Duration::from_millis(500);
/// Pause between two looks whether it has ended.
const LOOK: Duration = Duration::from_millis(2);
const READ_LEN: usize = 1 << 12;

pub(super) enum Output {
    Bytes(Vec<u8>),
    /// Its standard output is closed: nothing more will come.
    Closed,
}

/// A running engine. It ends with this: its input is closed, and it is killed if that is not enough. Its process
/// group is that of this program, so that a signal to the group ends both.
pub(super) struct Process {
    child: Child,
    input: Option<Sender<String>>,
}

impl Process {
    /// Starts an engine by its words, the program first.
    ///
    /// # Errors
    /// When there is no program, or it does not start.
    pub(super) fn of<E: From<Output> + Send + 'static>(
        words: &[OsString],
        events: SyncSender<E>,
    ) -> Result<Process, BridgeError> {
        let (program, arguments) = words.split_first().ok_or(BridgeError::NoEngine)?;
        Process::start(program, arguments, events).map_err(|source| {
            let program = program.to_string_lossy().into_owned();
            BridgeError::Start { program, source }
        })
    }

    /// Starts a program; its output goes to `events`, and waits while they are full. Its standard error is that of this program.
    ///
    /// # Errors
    /// Those of the system, such as that there is no such program.
    fn start<E: From<Output> + Send + 'static>(
        program: &OsString,
        arguments: &[OsString],
        events: SyncSender<E>,
    ) -> io::Result<Process> {
        let mut child = Command::new(program)
            .args(arguments)
            .env_remove(TOKEN)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        // An engine that does not read must not stop the bridge.
        let (input, texts) = mpsc::channel::<String>();
        thread::spawn(move || {
            let Some(mut stdin) = stdin else { return };
            for text in texts {
                if stdin.write_all(text.as_bytes()).is_err() {
                    return;
                }
            }
        });
        thread::spawn(move || {
            let Some(mut stdout) = stdout else { return };
            let mut bytes = [0; READ_LEN];
            loop {
                let output = match stdout.read(&mut bytes) {
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                    Ok(0) | Err(_) => Output::Closed,
                    Ok(n) => Output::Bytes(bytes[..n].to_vec()),
                };
                let is_closed = matches!(output, Output::Closed);
                if events.send(output.into()).is_err() || is_closed {
                    return;
                }
            }
        });
        let input = Some(input);
        Ok(Process { child, input })
    }

    /// Writes a text when the engine reads it. A failure shows in its output, which ends.
    pub(super) fn write(&self, text: String) {
        if let Some(input) = &self.input {
            // The thread that writes is gone when nobody reads any more.
            let _ = input.send(text);
        }
    }

    /// How it has ended, or `None` if it has not for so long.
    pub(super) fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if Instant::now() >= deadline {
                return None;
            }
            thread::sleep(LOOK);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        if self.wait(GRACE).is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
