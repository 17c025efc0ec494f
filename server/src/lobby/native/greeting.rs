//! Clients of the native protocol until their seat is known.

use std::future::poll_fn;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use protocol::native::{ClientMessage, ErrorCode, Fault, Hello, ServerEnd, ServerMessage, VERSION};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::table::link::{Link, Trouble, Writes};
use crate::table::{Connection, Refusal};

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

    /// Sends a message, or keeps it until the client reads.
    pub(crate) fn tell(&mut self, message: &ServerMessage) {
        self.push(message);
        self.send();
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

    /// Sends an error and closes.
    pub(crate) async fn turn_away(mut self, code: ErrorCode, message: &str) {
        self.tell(&ServerMessage::error(code, message));
        self.close(false).await;
    }
}

impl Connection for Guest {
    type In = Result<ClientMessage, Fault>;
    type Out = ServerMessage;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Self::In, Trouble>> {
        loop {
            if let Some(message) = self.next_message() {
                return Poll::Ready(Ok(message));
            }
            ready!(self.poll_read(cx))?;
        }
    }

    fn push(&mut self, message: &ServerMessage) {
        self.link.push(self.end.send(message).as_bytes());
    }

    fn send(&mut self) {
        self.link.send();
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<()> {
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
                .turn_away(ErrorCode::Hello, "the first message must be a hello")
                .await;
            return None;
        }
        Ok(Some(Err(fault))) => {
            guest.turn_away(fault.code, &fault.message).await;
            return None;
        }
        Ok(None) => return None,
        Err(_) => {
            guest
                .turn_away(ErrorCode::Hello, "no hello has come in time")
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
        guest.tell(&error);
        guest.close(false).await;
        return None;
    }
    if hello.game.as_ref().is_some_and(|wanted| wanted != game) {
        guest
            .turn_away(ErrorCode::Game, &format!("the game here is {game}"))
            .await;
        return None;
    }
    Some((guest, hello))
}

/// Makes tokens that cannot be guessed: a keyed hash with a key from the system's randomness, of a
/// number that counts up.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    key: RandomState,
    count: u64,
}

impl Tokens {
    /// The next token: 32 hexadecimal digits.
    pub(crate) fn next(&mut self) -> String {
        self.count += 1;
        let half = |part: u8| {
            let mut hasher = self.key.build_hasher();
            hasher.write_u64(self.count);
            hasher.write_u8(part);
            hasher.finish()
        };
        format!("{:016x}{:016x}", half(0), half(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ() {
        let mut tokens = Tokens::default();
        let mut all: Vec<String> = (0..1000).map(|_| tokens.next()).collect();
        all.push(Tokens::default().next());
        assert!(all.iter().all(|token| token.len() == 32));
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 1001);
    }
}
