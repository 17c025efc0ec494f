//! Signals that ask the program to end.

use std::future::pending;
use std::io;

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::printer;

/// Exit code of what was interrupted, as shells have it.
pub const INTERRUPTED: u8 = 130;

/// Name of the variable with which a program asks that this one ends when its standard input does: the system closes the
/// pipe of a program that is killed, which can say nothing more.
const BY_INPUT: &str = "TAIKYOKU_END_WITH_INPUT";

/// Cancels `stop` at the first signal, or when the standard input ends where that is asked for, and ends the process at
/// the second signal.
///
/// Must be called within a tokio runtime.
pub(super) fn stop_when_asked(stop: &CancellationToken) {
    let stop = stop.clone();
    let mut signals = Signals::listen();
    let (ended, end_of_input) = oneshot::channel();
    let follows = std::env::var_os(BY_INPUT).is_some();
    if follows {
        // Reads cannot be called off, and nobody waits for this thread.
        std::thread::spawn(move || {
            let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
            let _ = ended.send(());
        });
    }
    tokio::spawn(async move {
        tokio::select! {
            () = signals.next() => {}
            _ = end_of_input, if follows => {}
        }
        log::info!("interrupted: if a game is in progress, it is void");
        stop.cancel();
        signals.next().await;
        printer::flush();
        std::process::exit(i32::from(INTERRUPTED));
    });
}

/// Interrupts from the keyboard, requests of the system to end and terminals that close. From the first look on they
/// end the process no more.
pub struct Signals(Vec<tokio::signal::unix::Signal>);

impl Signals {
    /// Must be called within a tokio runtime. A signal that the system does not let us hear of ends the process as
    /// ever.
    pub fn listen() -> Signals {
        use tokio::signal::unix::{SignalKind, signal};
        let mut kinds = vec![SignalKind::interrupt(), SignalKind::terminate()];
        // A program that was started with `nohup` outlives its terminal.
        let status = std::fs::read_to_string("/proc/self/status");
        if status.is_ok_and(|status| !ignores_hangup(&status)) {
            kinds.push(SignalKind::hangup());
        }
        Signals(
            kinds
                .into_iter()
                .filter_map(|kind| signal(kind).ok())
                .collect(),
        )
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        if self.0.is_empty() {
            pending::<()>().await;
        }
        std::future::poll_fn(|cx| {
            let mut any = self.0.iter_mut();
            if any.any(|signal| signal.poll_recv(cx).is_ready()) {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
    }
}

/// Whether a process with this status (as in `/proc/PID/status`) ignores that its terminal closes: bit 0 of a mask of
/// signals.
fn ignores_hangup(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::ignores_hangup;

    #[test]
    fn programs_under_nohup_are_known() {
        let status = |mask: &str| format!("Name:\ttaikyoku\nSigIgn:\t{mask}\nSigCgt:\tffffffff\n");
        assert!(ignores_hangup(&status("0000000000001001")));
        assert!(!ignores_hangup(&status("0000000000001002")));
        assert!(!ignores_hangup("Name:\ttaikyoku\n"));
    }
}
