//! The clients that wait at one port for their game.

use std::collections::VecDeque;
use std::future::poll_fn;

use protocol::gat::Names;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::referee::gat::Entrant;
use crate::seat::Link;

/// A client that has been greeted.
#[derive(Debug)]
pub(super) struct Guest {
    pub(super) link: Link,
    pub(super) entrant: Entrant,
}

impl Guest {
    /// Greets a client.
    pub(super) fn greet(stream: TcpStream, names: Names) -> Guest {
        let mut link = Link::new(stream);
        let entrant = Entrant::new(names);
        link.send_message(&entrant.greet());
        Guest { link, entrant }
    }
}

/// A guest that waits, in a task of its own: it may set up meanwhile, and it may leave.
#[derive(Debug)]
struct Waiting {
    call: CancellationToken,
    task: JoinHandle<Option<Guest>>,
}

/// Guests in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: VecDeque<Waiting>,
}

impl Queue {
    /// How many wait and have not left.
    pub(super) fn len(&mut self) -> usize {
        self.waiting.retain(|one| !one.task.is_finished());
        self.waiting.len()
    }

    /// Adds a guest at the end; `epoch` is the zero of the lobby's clock.
    pub(super) fn push_back(&mut self, guest: Guest, epoch: Instant) {
        self.waiting.push_back(wait(guest, epoch));
    }

    /// Puts a guest back that was called for nothing.
    pub(super) fn push_front(&mut self, guest: Guest, epoch: Instant) {
        self.waiting.push_front(wait(guest, epoch));
    }

    /// The guest that has waited longest and is still there.
    pub(super) async fn pop(&mut self) -> Option<Guest> {
        while let Some(Waiting { call, task }) = self.waiting.pop_front() {
            call.cancel();
            if let Ok(Some(guest)) = task.await {
                return Some(guest);
            }
        }
        None
    }
}

fn wait(mut guest: Guest, epoch: Instant) -> Waiting {
    let call = CancellationToken::new();
    let called = call.clone();
    let task = tokio::spawn(async move {
        let mut space = [0; 512];
        loop {
            let read = poll_fn(|cx| {
                let _ = guest.link.poll_flush(cx);
                guest.link.poll_read(cx, &mut space)
            });
            let read = tokio::select! {
                biased;
                read = read => read,
                () = called.cancelled() => return Some(guest),
            };
            match read {
                Ok(n) => {
                    let Guest { link, entrant } = &mut guest;
                    let mut send = |answer: bytes::Bytes| link.send_message(&answer);
                    entrant.receive(&space[..n], epoch.elapsed(), &mut send);
                }
                Err(trouble) => {
                    log::info!("a client left before its game: {trouble}");
                    return None;
                }
            }
        }
    });
    Waiting { call, task }
}
