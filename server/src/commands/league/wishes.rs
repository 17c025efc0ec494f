//! How a league is told to end: once for the running games to be finished, twice for at once.

use tokio_util::sync::CancellationToken;

use crate::commands::signals::{INTERRUPTED, Signals};
use crate::league::process;
use crate::league::table::Wishes;

/// What signals ask for.
pub(super) struct Asked {
    /// What they ask of the games.
    pub(super) wishes: Wishes,
    /// To be cancelled when nothing is played any more: from then on a signal ends the process.
    pub(super) over: CancellationToken,
}

impl Asked {
    /// Wishes that follow signals, as long as the runtime lives in which it is called. `say` is called with what
    /// happens then.
    pub(super) fn by_signals(say: impl Fn(&str) + Send + 'static) -> Asked {
        let (wishes, over) = (Wishes::default(), CancellationToken::new());
        let (told, is_over) = (wishes.clone(), over.clone());
        let mut signals = Signals::new();
        tokio::spawn(async move {
            for number in 0_u64.. {
                signals.next().await;
                match number {
                    _ if is_over.is_cancelled() => exit(),
                    0 => {
                        say("finishing the running games; Ctrl-C again ends at once");
                        told.finish.cancel();
                    }
                    1 => {
                        say("ending at once");
                        told.stop.cancel();
                    }
                    _ => exit(),
                }
            }
        });
        Asked { wishes, over }
    }
}

/// Ends the process. What was played is in the journal.
fn exit() -> ! {
    process::kill_all();
    std::process::exit(i32::from(INTERRUPTED))
}
