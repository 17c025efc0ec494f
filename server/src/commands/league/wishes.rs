//! How a league is told to end: once for the running games to be finished, twice for at once.

use std::future::pending;

use crate::league::table::Wishes;

/// Wishes that follow interrupts from the keyboard and requests of the system to end. `say` is called with what
/// happens then.
pub(super) fn of_signals(say: impl Fn(&str) + Send + 'static) -> Wishes {
    let wishes = Wishes::default();
    let told = wishes.clone();
    // From here on such signals end the process no more.
    let mut signals = Signals::new();
    tokio::spawn(async move {
        signals.next().await;
        say("finishing the running games; Ctrl-C again ends at once");
        told.finish.cancel();
        signals.next().await;
        say("ending at once");
        told.finish.cancel();
        told.stop.cancel();
    });
    wishes
}

#[cfg(unix)]
struct Signals(Vec<tokio::signal::unix::Signal>);

#[cfg(unix)]
impl Signals {
    fn new() -> Signals {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [SignalKind::interrupt(), SignalKind::terminate()];
        Signals(
            kinds
                .into_iter()
                .filter_map(|kind| signal(kind).ok())
                .collect(),
        )
    }

    async fn next(&mut self) {
        let [interrupt, terminate] = &mut self.0[..] else {
            return pending().await;
        };
        tokio::select! {
            Some(()) = interrupt.recv() => {}
            Some(()) = terminate.recv() => {}
            else => pending().await,
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> Signals {
        Signals
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            pending().await
        }
    }
}
