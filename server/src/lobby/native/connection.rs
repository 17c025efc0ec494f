//! The connection of a player at a table of the native protocol, whatever protocol it speaks itself.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use protocol::native::{
    ClientMessage, ErrorCode, Fault, Hello, LINE_COST, PER_SECOND, RateLimit, ServerEnd,
    ServerMessage, VERSION,
};
use tokio::time::{Instant, Sleep, sleep};

use crate::lobby::CLIENTS;
use crate::table::interpreter::{ALIVE, ALIVE_AFTER, AnimalShogi, CLIENT, NAME_WAIT};
use crate::table::link::{ConnectionError, Link, Writes};
use crate::table::socket::Socket;
use crate::table::{Connection, Refusal};

/// Bytes taken from a client at once.
const READ_SIZE: usize = 2048;

#[derive(Debug)]
pub struct NativeConnection {
    link: Link,
    end: End,
    /// The zero of the clock of the rate.
    epoch: Instant,
}

#[derive(Debug)]
enum End {
    Native(ServerEnd),
    Other(Box<Other>),
}

#[derive(Debug)]
struct Other {
    interpreter: AnimalShogi,
    /// A client above the rate waits: protocols that are polled have no word for it.
    rate: RateLimit,
    pause: Option<Pin<Box<Sleep>>>,
    /// Until it is told that the connection is alive.
    alive: Pin<Box<Sleep>>,
    /// Whether the referee knows that it has left: it cannot come back.
    has_left: bool,
}

impl Other {
    fn said(&mut self) {
        self.alive.as_mut().reset(Instant::now() + ALIVE_AFTER);
    }
}

impl NativeConnection {
    pub(super) fn new(stream: impl Into<Socket>, epoch: Instant) -> NativeConnection {
        NativeConnection {
            link: Link::new(stream, Writes::All),
            end: End::Native(ServerEnd::default()),
            epoch,
        }
    }

    fn other(
        stream: impl Into<Socket>,
        interpreter: AnimalShogi,
        epoch: Instant,
    ) -> NativeConnection {
        let other = Other {
            alive: Box::pin(sleep(ALIVE_AFTER)),
            interpreter,
            rate: RateLimit::default(),
            pause: None,
            has_left: false,
        };
        NativeConnection {
            link: Link::new(stream, Writes::OneMessage),
            end: End::Other(Box::new(other)),
            epoch,
        }
    }

    /// Whether it speaks another protocol: it plays one game, and cannot come back.
    pub(super) const fn is_other(&self) -> bool {
        matches!(self.end, End::Other(_))
    }

    /// The name that a client of another protocol has told.
    pub(super) fn name(&self) -> Option<&str> {
        match &self.end {
            End::Native(_) => None,
            End::Other(other) => other.interpreter.name(),
        }
    }

    /// Sends a message, or keeps it until the client reads.
    pub fn tell(&mut self, message: &ServerMessage) {
        self.push(message);
        self.send();
    }

    /// Adds a line of another kind to those that wait.
    pub(crate) fn push_line(&mut self, line: &[u8]) {
        self.link.push(line);
    }

    /// Bytes that wait for the client to read.
    pub(crate) fn waiting(&self) -> usize {
        self.link.waiting()
    }

    /// Sends such a line, or keeps it until the client reads.
    pub(crate) fn tell_line(&mut self, line: &[u8]) {
        self.push_line(line);
        self.send();
    }

    pub(crate) fn next_message(&mut self) -> Option<Result<ClientMessage, Fault>> {
        let NativeConnection { link, end, epoch } = self;
        match end {
            End::Native(end) => end.next_message(epoch.elapsed()),
            End::Other(other) => {
                let mut has_said = false;
                let message = other.interpreter.next_message(&mut |bytes| {
                    link.push(bytes);
                    has_said = true;
                });
                if has_said {
                    other.said();
                }
                message
            }
        }
    }

    /// Reads what there is, at least a byte, and goes on sending what waits. Messages are then
    /// taken with [`NativeConnection::next_message`].
    pub(crate) fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ConnectionError>> {
        let _ = self.poll_flush(cx);
        if let End::Other(other) = &mut self.end
            && let Some(pause) = &mut other.pause
        {
            ready!(pause.as_mut().poll(cx));
            other.pause = None;
        }
        let mut space = [0; READ_SIZE];
        let n = ready!(self.link.poll_read(cx, &mut space))?;
        let (bytes, now) = (&space[..n], self.epoch.elapsed());
        match &mut self.end {
            End::Native(end) => end.receive(bytes, now),
            End::Other(other) => {
                let lines = bytes.split(|byte| *byte == b'\n').count() - 1;
                let cost = n.max(lines * LINE_COST);
                if !other.rate.spend(cost, now) {
                    let seconds = cost as f64 / PER_SECOND as f64;
                    other.pause = Some(Box::pin(sleep(Duration::from_secs_f64(seconds))));
                }
                other.interpreter.receive(bytes);
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Sends the client the reason for its rejection, and closes its connection.
    pub async fn turn_away(self, code: ErrorCode, message: &str) {
        self.turn_away_with(&ServerMessage::error(code, message))
            .await;
    }

    /// Sends the error of a client that gets no seat, and closes.
    pub(super) async fn turn_away_with(mut self, error: &ServerMessage) {
        if let ServerMessage::Error { message, .. } = error {
            log::info!(target: CLIENTS, "a client is turned away: {message}");
        }
        self.tell(error);
        self.close(false).await;
    }
}

/// Greets a client of another protocol, unless the greeting is called off: it is there, and may have told its name.
pub(super) async fn greet_other(
    stream: impl Into<Socket>,
    interpreter: AnimalShogi,
    epoch: Instant,
    called_off: impl Future<Output = ()>,
) -> Option<(NativeConnection, Hello)> {
    let mut guest = NativeConnection::other(stream, interpreter, epoch);
    let named = async {
        loop {
            while guest.next_message().is_some() {}
            if let Some(name) = guest.name() {
                return Some(name.to_owned());
            }
            if poll_fn(|cx| guest.poll_read(cx)).await.is_err() {
                return None;
            }
        }
    };
    let name = tokio::select! {
        biased;
        name = named => name?,
        () = called_off => return None,
        () = sleep(NAME_WAIT) => String::new(),
    };
    let hello = Hello {
        versions: vec![VERSION],
        name,
        client: Some(CLIENT.to_owned()),
        ..Hello::default()
    };
    Some((guest, hello))
}

impl Connection for NativeConnection {
    type In = Result<ClientMessage, Fault>;
    type Out = ServerMessage;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Self::In, ConnectionError>> {
        loop {
            if let Some(message) = self.next_message() {
                return Poll::Ready(Ok(message));
            }
            let Err(error) = ready!(self.poll_read(cx)) else {
                continue;
            };
            return Poll::Ready(match &mut self.end {
                // Nobody waits for one that cannot come back.
                End::Other(other) if !other.has_left => {
                    other.has_left = true;
                    log::info!(target: CLIENTS, "a player is gone: {error}");
                    Ok(Ok(ClientMessage::Leave))
                }
                _ => Err(error),
            });
        }
    }

    fn push(&mut self, message: &ServerMessage) {
        let link = &mut self.link;
        match &mut self.end {
            End::Native(end) => link.push(end.send(message).as_bytes()),
            End::Other(other) => {
                if let ServerMessage::Request { .. } = message {
                    other.rate.asked();
                }
                let mut has_said = false;
                other.interpreter.tell(message, &mut |bytes| {
                    link.push(bytes);
                    has_said = true;
                });
                if has_said {
                    other.said();
                }
            }
        }
    }

    fn send(&mut self) {
        self.link.send();
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let End::Other(other) = &mut self.end
            && other.alive.as_mut().poll(cx).is_ready()
        {
            self.link.push(ALIVE);
            other.said();
            // The next time wakes the task as well.
            let _ = other.alive.as_mut().poll(cx);
        }
        self.link.poll_flush(cx)
    }

    async fn close(self, second: bool) {
        self.link.close(second).await;
    }

    async fn refuse(self, why: Refusal) {
        let (code, message) = match why {
            Refusal::GivenUp => (
                ErrorCode::Token,
                "the seat was given up: its player left, or was away too long",
            ),
            Refusal::Replaced => (
                ErrorCode::Replaced,
                "the seat was taken over with its token",
            ),
            Refusal::Over => (ErrorCode::Token, "the match is over"),
        };
        self.turn_away(code, message).await;
    }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read as _, Write as _};
    use std::net::TcpStream;

    use tokio::net::TcpListener;

    use super::*;
    use games::dobutsu::Variant;
    use tokio::time::timeout;

    async fn guest() -> (NativeConnection, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        client.set_nonblocking(true).unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let interpreter = AnimalShogi::new("20180910".to_owned(), Variant::default());
        (
            NativeConnection::other(stream, interpreter, Instant::now()),
            client,
        )
    }

    fn read(client: &mut TcpStream) -> String {
        let mut bytes = [0; 64];
        match client.read(&mut bytes) {
            Ok(n) => String::from_utf8_lossy(&bytes[..n]).into_owned(),
            Err(e) => {
                assert_eq!(e.kind(), ErrorKind::WouldBlock);
                String::new()
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn silence_is_broken_again_and_again() {
        let (mut guest, mut client) = guest().await;
        let mut said = String::new();
        let heard = poll_fn(|cx| {
            let _ = guest.poll_flush(cx);
            said += &read(&mut client);
            if said.len() < 3 {
                Poll::Pending
            } else {
                Poll::Ready(())
            }
        });
        timeout(4 * ALIVE_AFTER, heard).await.unwrap();
        assert_eq!(said, "\n\n\n");
    }

    #[tokio::test]
    async fn who_leaves_has_left_for_good() {
        let (mut guest, mut client) = guest().await;
        client.write_all(b"AGREE\n").unwrap();
        drop(client);
        let next = poll_fn(|cx| guest.poll_next(cx)).await;
        assert_eq!(next.unwrap(), Ok(ClientMessage::Leave));
        assert!(poll_fn(|cx| guest.poll_next(cx)).await.is_err());
    }
}
