//! The program that carries pieces to workers.

use std::collections::VecDeque;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::Pipes;

/// Longest line of its standard error, in bytes; a longer one is passed on in parts.
const LONGEST: u64 = 4 << 10;

/// Number of its last lines that are kept.
const LAST: usize = 5;

/// Time for it to end after its standard input is closed.
const LEAVE: Duration = Duration::from_secs(10);

/// Time for the rest of its standard error to arrive.
const LATE: Duration = Duration::from_secs(1);

/// A carrier that runs, in a process group of its own: Ctrl-C is for the driver alone.
#[derive(Debug)]
pub struct Transport {
    child: Child,
    group: Option<Pid>,
    stderr: JoinHandle<Vec<String>>,
}

impl Transport {
    /// Starts the carrier of this command line, within a tokio runtime. `say` gets each line of its standard error.
    ///
    /// # Errors
    /// Why it does not start.
    pub fn start(
        command: &str,
        say: impl Fn(String) + Send + 'static,
    ) -> Result<(Transport, Pipes<ChildStdout, ChildStdin>), String> {
        let failure = |reason: &str| format!("--workers {command}: {reason}");
        let words = shlex::split(command).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| failure("this is no command"))?;
        let mut carrier = Command::new(&words[0]);
        carrier
            .args(&words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let mut child = carrier.spawn().map_err(|e| failure(&e.to_string()))?;
        let pipes = (child.stdout.take(), child.stdin.take(), child.stderr.take());
        let (Some(from), Some(to), Some(stderr)) = pipes else {
            return Err(failure("it has no pipes"));
        };
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        let transport = Transport {
            child,
            group: id.and_then(Pid::from_raw),
            stderr: tokio::spawn(pass_on(stderr, say)),
        };
        Ok((transport, Pipes::new(from, to)))
    }

    /// Waits until it has ended, which it does once its pipes are closed, but not for long; then ends it with all that it has
    /// started. Returns a sentence that says how it has ended, as the exchange of lines did for this `reason`, and the last
    /// lines of its standard error.
    pub async fn end(mut self, reason: &str) -> (String, Vec<String>) {
        let status = match timeout(LEAVE, self.child.wait()).await {
            Ok(Ok(status)) => status.to_string(),
            _ => "it has not ended".to_owned(),
        };
        if let Some(group) = self.group {
            // The workers that it has started are in its process group; there may be none.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let lines = timeout(LATE, self.stderr).await;
        let text = format!("the carrier of the workers is gone ({status}; {reason})");
        (text, lines.ok().and_then(Result::ok).unwrap_or_default())
    }
}

/// Passes on this standard error to its end; returns its last lines.
async fn pass_on(from: impl AsyncRead + Unpin, say: impl Fn(String)) -> Vec<String> {
    let (mut from, mut line) = (BufReader::new(from), Vec::new());
    let mut last = VecDeque::new();
    loop {
        line.clear();
        let read = (&mut from).take(LONGEST).read_until(b'\n', &mut line).await;
        if !matches!(read, Ok(1..)) {
            return last.into();
        }
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        if last.len() == LAST {
            last.pop_front();
        }
        last.push_back(text.clone());
        say(text);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn what_a_carrier_says_is_passed_on_whatever_it_is() {
        let (sender, lines) = mpsc::channel();
        let long = "x".repeat(LONGEST as usize);
        let text = [b"a\xff\n".as_slice(), long.as_bytes(), b"\nb\nc\nd\ne"].concat();
        let last = pass_on(&text[..], move |line| _ = sender.send(line)).await;
        let lines: Vec<String> = lines.iter().collect();
        assert_eq!(lines[..2], ["a\u{fffd}", &long]);
        assert_eq!(
            (last.len(), &last[..]),
            (LAST, &lines[lines.len() - LAST..])
        );
        assert_eq!(last[LAST - 1], "e");
    }
}
