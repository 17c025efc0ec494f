//! The ports at which clients of other protocols come.

use std::fmt;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::task::Poll;

use tokio_util::task::TaskTracker;

use crate::lobby::listener::Listener;
use crate::table::interpreter::AnimalShogi;
use crate::table::permits::Permits;
use crate::table::socket::Socket;

pub(crate) type MakeInterpreter = Box<dyn Fn() -> AnimalShogi + Send + Sync>;

/// A port and what is spoken at it.
pub(super) struct OtherDoor {
    pub(super) door: Listener,
    pub(super) interpreter: MakeInterpreter,
}

impl fmt::Debug for OtherDoor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OtherDoor")
            .field("door", &self.door)
            .finish_non_exhaustive()
    }
}

/// The next client at one of these doors that there is a place for; never without doors. Nothing is lost when this is
/// given up before it is ready.
pub(super) async fn admit(
    doors: &[OtherDoor],
    permits: &Permits,
    closing: &TaskTracker,
) -> (Socket, SocketAddr, AnimalShogi) {
    let mut admitted: Vec<_> = doors
        .iter()
        .map(|other| Box::pin(other.door.admit(permits, b"", closing)))
        .collect();
    poll_fn(|cx| {
        for (one, other) in admitted.iter_mut().zip(doors) {
            if let Poll::Ready((socket, from)) = one.as_mut().poll(cx) {
                return Poll::Ready((socket, from, (other.interpreter)()));
            }
        }
        Poll::Pending
    })
    .await
}
