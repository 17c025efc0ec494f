//! One game over sockets: the shell around the referee.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use games::geister::SEATS;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::lobby::link::{Link, Trouble};
use crate::referee::gat::{Outbox, Referee};
use record::{EndKind, Event};

/// Bytes taken from a player at once.
const READ_SIZE: usize = 512;

/// How long the strict mode leaves it to a client to close first.
const PATIENCE: Duration = Duration::from_secs(10);

/// What wakes the table.
enum Step {
    Sent(usize, Result<usize, Trouble>),
    TimeUp,
    Stopped,
}

/// The table of one game.
pub(crate) struct Table {
    pub(crate) referee: Referee,
    /// By seat; `None` once it is closed.
    pub(crate) links: [Option<Link>; SEATS],
    /// The zero of the clock.
    pub(crate) epoch: Instant,
    /// Whether it is left to the clients to close first.
    pub(crate) patient: bool,
    /// Where closing connections go on.
    pub(crate) closing: TaskTracker,
    /// Makes the game in play void.
    pub(crate) stop: CancellationToken,
}

impl Table {
    /// Plays the game to its end; gives the referee and the events of the game.
    pub(crate) async fn play(mut self) -> (Referee, Vec<Event>) {
        let mut out = Outbox::new();
        let mut events = Vec::new();
        let mut space = [0; READ_SIZE];
        // The seat that is listened to first: the other of the one that spoke last, so that one
        // that never stops talking does not silence the other.
        let mut first = 0;
        self.referee.start(self.epoch.elapsed(), &mut out);
        loop {
            self.deliver(&mut out);
            events.append(&mut out.events);
            if self.referee.is_over() {
                return (self.referee, events);
            }
            let step = self.next_step(first, &mut space).await;
            let now = self.epoch.elapsed();
            match step {
                Step::Sent(seat, Ok(n)) => {
                    first = 1 - seat;
                    self.referee.receive(seat as u8, &space[..n], now, &mut out);
                }
                Step::Sent(seat, Err(trouble)) => {
                    self.links[seat] = None;
                    self.referee
                        .lose(seat as u8, &trouble.to_string(), now, &mut out);
                }
                Step::TimeUp => self.referee.wake(now, &mut out),
                Step::Stopped => self.referee.stop(now, &mut out),
            }
        }
    }

    /// Sends messages, a write each, and closes.
    fn deliver(&mut self, out: &mut Outbox) {
        for (seat, message) in out.messages.drain(..) {
            if let Some(link) = &mut self.links[usize::from(seat)] {
                link.send([message]);
            }
        }
        // The official server closes first after a time-out.
        let timeout = |kind: &EndKind| *kind == EndKind::Timeout;
        let result = self.referee.result();
        let patient = self.patient && !result.is_some_and(|r| r.kinds.iter().any(timeout));
        for (close, link) in out.close.iter_mut().zip(&mut self.links) {
            if std::mem::take(close)
                && let Some(link) = link.take()
            {
                if patient {
                    self.closing.spawn(link.close_after_client(PATIENCE));
                } else {
                    self.closing.spawn(link.close());
                }
            }
        }
    }

    /// Waits for a player's bytes, a time or the stop, and meanwhile goes on sending to those that
    /// read slowly. What has come counts before the time that is up: a move that lies in the
    /// socket is not late because the server is.
    async fn next_step(&mut self, first: usize, space: &mut [u8]) -> Step {
        let deadline = self.referee.next_deadline();
        let links = &mut self.links;
        let sent = poll_fn(|cx| {
            for link in links.iter_mut().flatten() {
                let _ = link.poll_flush(cx);
            }
            for seat in [first, 1 - first] {
                if let Some(link) = &mut links[seat]
                    && let Poll::Ready(read) = link.poll_read(cx, space)
                {
                    return Poll::Ready((seat, read));
                }
            }
            Poll::Pending
        });
        let at = deadline.and_then(|at| self.epoch.checked_add(at));
        let time_up = async {
            match at {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Step::Stopped,
            (seat, read) = sent => Step::Sent(seat, read),
            () = time_up => Step::TimeUp,
        }
    }
}
