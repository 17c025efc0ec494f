//! The connection of a player at a table of the native protocol, whatever protocol it speaks itself.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use protocol::native::{
    ClientMessage, ErrorCode, Fault, Hello, LINE_COST, PER_SECOND, RateLimit, ServerEnd,
    ServerMessage, VERSION,
};
use tokio::time::{Instant, Sleep, sleep, timeout};

use crate::lobby::CLIENTS;
use crate::table::interpreter::Interpreter;
use crate::table::link::{Link, Trouble, Writes};
use crate::table::socket::Socket;
use crate::table::{Connection, Refusal};

/// Bytes taken from a client at once.
const READ_SIZE: usize = 2048;

#[derive(Debug)]
pub(crate) struct Guest {
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
    interpreter: Box<dyn Interpreter>,
    /// A client above the rate waits: protocols that are polled have no word for it.
    rate: RateLimit,
    pause: Option<Pin<Box<Sleep>>>,
    /// Until it is told that the connection is alive.
    alive: Option<Pin<Box<Sleep>>>,
    /// Whether the referee knows that it has left: it cannot come back.
    has_left: bool,
}

impl Other {
    fn said(&mut self) {
        if let (Some(alive), Some(after)) = (&mut self.alive, self.interpreter.alive_after()) {
            alive.as_mut().reset(Instant::now() + after);
        }
    }
}

impl Guest {
    pub(super) fn new(stream: impl Into<Socket>, epoch: Instant) -> Guest {
        Guest {
            link: Link::new(stream, Writes::All),
            end: End::Native(ServerEnd::default()),
            epoch,
        }
    }

    fn other(
        stream: impl Into<Socket>,
        interpreter: Box<dyn Interpreter>,
        epoch: Instant,
    ) -> Guest {
        let alive = interpreter.alive_after();
        let other = Other {
            interpreter,
            rate: RateLimit::default(),
            pause: None,
            alive: alive.map(|after| Box::pin(sleep(after))),
            has_left: false,
        };
        Guest {
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
    pub(crate) fn tell(&mut self, message: &ServerMessage) {
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
        let Guest { link, end, epoch } = self;
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
    /// taken with [`Guest::next_message`].
    pub(crate) fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Trouble>> {
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
                if !other.rate.take_bytes(cost, now) {
                    let seconds = cost as f64 / PER_SECOND as f64;
                    other.pause = Some(Box::pin(sleep(Duration::from_secs_f64(seconds))));
                }
                other.interpreter.receive(bytes);
            }
        }
        Poll::Ready(Ok(()))
    }

    pub(crate) async fn turn_away(self, code: ErrorCode, message: &str) {
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

    /// Answers what needs no referee until the client leaves.
    async fn answer(&mut self) {
        loop {
            while self.next_message().is_some() {}
            if poll_fn(|cx| self.poll_read(cx)).await.is_err() {
                return;
            }
        }
    }
}

/// Greets a client of another protocol, unless the greeting is called off: it is there, and may have told its name.
pub(super) async fn greet_other(
    stream: impl Into<Socket>,
    interpreter: Box<dyn Interpreter>,
    epoch: Instant,
    called_off: impl Future<Output = ()>,
) -> Option<(Guest, Hello)> {
    let (wait, client) = (interpreter.name_wait(), interpreter.client());
    let mut guest = Guest::other(stream, interpreter, epoch);
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
        () = sleep(wait) => String::new(),
    };
    let hello = Hello {
        versions: vec![VERSION],
        name,
        client: Some(client.to_owned()),
        ..Hello::default()
    };
    Some((guest, hello))
}

impl Connection for Guest {
    type In = Result<ClientMessage, Fault>;
    type Out = ServerMessage;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Self::In, Trouble>> {
        loop {
            if let Some(message) = self.next_message() {
                return Poll::Ready(Ok(message));
            }
            let Err(trouble) = ready!(self.poll_read(cx)) else {
                continue;
            };
            return Poll::Ready(match &mut self.end {
                // Nobody waits for one that cannot come back.
                End::Other(other) if !other.has_left => {
                    other.has_left = true;
                    log::info!(target: CLIENTS, "a player is gone: {trouble}");
                    Ok(Ok(ClientMessage::Leave))
                }
                _ => Err(trouble),
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
            && let Some(alive) = &mut other.alive
            && alive.as_mut().poll(cx).is_ready()
        {
            let link = &mut self.link;
            other.interpreter.say_alive(&mut |bytes| link.push(bytes));
            other.said();
            // The next time wakes the task as well.
            if let Some(alive) = &mut other.alive {
                let _ = alive.as_mut().poll(cx);
            }
        }
        self.link.poll_flush(cx)
    }

    async fn close(mut self, second: bool) {
        let linger = match &self.end {
            End::Native(_) => Duration::ZERO,
            End::Other(other) => other.interpreter.linger(),
        };
        if !linger.is_zero() {
            let _ = timeout(linger, self.answer()).await;
        }
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
    use crate::table::interpreter::{Course, Say};

    async fn guest(interpreter: Box<dyn Interpreter>) -> (Guest, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        client.set_nonblocking(true).unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        (Guest::other(stream, interpreter, Instant::now()), client)
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

    /// A client that is told every few milliseconds that the connection is alive.
    #[derive(Debug)]
    struct Quiet;

    impl Interpreter for Quiet {
        fn client(&self) -> &'static str {
            "quiet"
        }

        fn receive(&mut self, _: &[u8]) {}

        fn next_message(&mut self, _: &mut Say<'_>) -> Option<Result<ClientMessage, Fault>> {
            None
        }

        fn tell(&mut self, _: &ServerMessage, _: &mut Say<'_>) {}

        fn alive_after(&self) -> Option<Duration> {
            Some(Duration::from_millis(20))
        }

        fn say_alive(&mut self, say: &mut Say<'_>) {
            say(b"\n");
        }
    }

    #[tokio::test]
    async fn silence_is_broken_again_and_again() {
        let (mut guest, mut client) = guest(Box::new(Quiet)).await;
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
        timeout(Duration::from_secs(10), heard).await.unwrap();
        assert_eq!(said, "\n\n\n");
    }

    #[tokio::test]
    async fn who_leaves_has_left_for_good() {
        let (mut guest, mut client) = guest(Box::new(Course::default())).await;
        client.write_all(b"turn\n").unwrap();
        drop(client);
        let next = poll_fn(|cx| guest.poll_next(cx)).await;
        assert_eq!(next.unwrap(), Ok(ClientMessage::Leave));
        assert!(poll_fn(|cx| guest.poll_next(cx)).await.is_err());
    }
}
