//! Clients of the native protocol until their seat is known.

use std::future::poll_fn;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use protocol::native::{ClientMessage, ErrorCode, Fault, Hello, ServerEnd, ServerMessage, VERSION};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::lobby::link::{Link, Trouble, Writes};

/// How long the hello of a client is waited for.
const HELLO_WAIT: Duration = Duration::from_secs(10);

/// Bytes taken from a client at once.
const READ_SIZE: usize = 2048;

/// A connection that speaks the native protocol.
#[derive(Debug)]
pub(crate) struct Guest {
    link: Link,
    end: ServerEnd,
    /// The zero of the clock of the rate.
    epoch: Instant,
}

impl Guest {
    fn new(stream: TcpStream, epoch: Instant) -> Guest {
        Guest {
            link: Link::new(stream, Writes::All),
            end: ServerEnd::default(),
            epoch,
        }
    }

    /// Sends messages with one write.
    pub(crate) fn send<'a>(&mut self, messages: impl IntoIterator<Item = &'a ServerMessage>) {
        let lines: String = messages.into_iter().map(|m| self.end.send(m)).collect();
        if !lines.is_empty() {
            self.link.send([lines]);
        }
    }

    /// The next message that was read already.
    pub(crate) fn next_message(&mut self) -> Option<Result<ClientMessage, Fault>> {
        self.end.next_message(self.epoch.elapsed())
    }

    /// Reads what there is, at least a byte, and goes on sending what waits. Messages are then
    /// taken with [`Guest::next_message`].
    pub(crate) fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Trouble>> {
        let _ = self.link.poll_flush(cx);
        let mut space = [0; READ_SIZE];
        let n = ready!(self.link.poll_read(cx, &mut space))?;
        self.end.receive(&space[..n], self.epoch.elapsed());
        Poll::Ready(Ok(()))
    }

    /// Sends what waits and closes.
    pub(crate) async fn close(self) {
        self.link.close().await;
    }

    /// Sends an error and closes.
    pub(crate) async fn refuse(mut self, code: ErrorCode, message: &str) {
        self.send([&ServerMessage::error(code, message)]);
        self.close().await;
    }
}

/// Waits for a hello that fits; `None` when there is none, after telling the client why.
pub(crate) async fn greet(stream: TcpStream, game: &str, epoch: Instant) -> Option<(Guest, Hello)> {
    let mut guest = Guest::new(stream, epoch);
    let first = tokio::time::timeout(HELLO_WAIT, async {
        loop {
            if let Some(message) = guest.next_message() {
                return Some(message);
            }
            if poll_fn(|cx| guest.poll_read(cx)).await.is_err() {
                return None;
            }
        }
    });
    let hello = match first.await {
        Ok(Some(Ok(ClientMessage::Hello(hello)))) => hello,
        Ok(Some(Ok(_))) => {
            guest
                .refuse(ErrorCode::Hello, "the first message must be a hello")
                .await;
            return None;
        }
        Ok(Some(Err(fault))) => {
            guest.refuse(fault.code, &fault.message).await;
            return None;
        }
        Ok(None) => return None,
        Err(_) => {
            guest
                .refuse(ErrorCode::Hello, "no hello has come in time")
                .await;
            return None;
        }
    };
    if !hello.versions.contains(&VERSION) {
        let error = ServerMessage::Error {
            code: ErrorCode::Version,
            message: format!("version {VERSION} of the protocol is spoken here"),
            versions: Some(vec![VERSION]),
        };
        guest.send([&error]);
        guest.close().await;
        return None;
    }
    if hello.game.as_ref().is_some_and(|wanted| wanted != game) {
        guest
            .refuse(ErrorCode::Game, &format!("the game here is {game}"))
            .await;
        return None;
    }
    Some((guest, hello))
}
