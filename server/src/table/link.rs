//! The socket of a client, whatever it speaks.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;

use super::Connection;
use crate::referee::MOST_PENDING;

/// Bytes taken from a socket at once.
pub(crate) const READ_SIZE: usize = 2048;

/// How long a closing connection may take for its last bytes, and to close its own side.
const LINGER: Duration = Duration::from_secs(1);

/// How long it is left to a client to close first, where it is.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why nothing more comes.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// The client has closed its side.
    #[error("it closed the connection")]
    Closed,
    /// The connection failed.
    #[error("the connection failed: {0}")]
    Failed(#[from] io::Error),
    /// It does not read what it is sent.
    #[error("cut off: it leaves more than {MOST_PENDING} bytes unread")]
    CutOff,
}

/// How messages are put together to writes. A TCP segment holds what one write holds, as long as
/// nothing waits to be sent; clients of the contests take it that it ends with a message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Writes {
    /// A message to a write.
    OneMessage,
    /// As many whole messages to a write as one segment of an Ethernet holds.
    OneSegment,
    /// All that there is: the client puts pieces together.
    All,
}

impl Writes {
    /// The most bytes of several messages in one write.
    const fn most(self) -> usize {
        match self {
            Writes::OneMessage => 0,
            // 1,500 bytes less the headers of IP and TCP, which has time stamps.
            Writes::OneSegment => 1448,
            Writes::All => usize::MAX,
        }
    }
}

/// Messages that wait to be written.
#[derive(Debug)]
struct Backlog {
    bytes: BytesMut,
    /// Of each message; of the first what is left of it.
    lengths: VecDeque<usize>,
    /// Whether a part of the first is written.
    is_torn: bool,
    writes: Writes,
}

impl Backlog {
    fn push(&mut self, message: &[u8]) {
        self.bytes.extend_from_slice(message);
        self.lengths.push_back(message.len());
    }

    /// Bytes of the next write: whole messages, or the rest of one that was torn.
    fn next_len(&self) -> usize {
        let mut lengths = self.lengths.iter();
        let mut sum = lengths.next().copied().unwrap_or_default();
        if !self.is_torn {
            for length in lengths {
                match sum.checked_add(*length) {
                    Some(more) if more <= self.writes.most() => sum = more,
                    _ => break,
                }
            }
        }
        sum
    }

    /// Writes until all is written.
    ///
    /// # Errors
    /// What `write` fails with, [`io::ErrorKind::WouldBlock`] among it; a write that takes nothing
    /// is [`io::ErrorKind::WriteZero`].
    fn write_to(&mut self, mut write: impl FnMut(&[u8]) -> io::Result<usize>) -> io::Result<()> {
        while !self.bytes.is_empty() {
            match write(&self.bytes[..self.next_len()]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(sent) => self.advance(sent),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn advance(&mut self, mut sent: usize) {
        self.bytes.advance(sent);
        self.is_torn = false;
        while let Some(first) = self.lengths.front_mut()
            && sent > 0
        {
            if sent < *first {
                *first -= sent;
                self.is_torn = true;
                return;
            }
            sent -= *first;
            self.lengths.pop_front();
        }
    }

    fn clear(&mut self) {
        self.bytes = BytesMut::new();
        self.lengths = VecDeque::new();
    }
}

/// A socket that never waits when it sends, and cuts off a client that does not read.
#[derive(Debug)]
pub(crate) struct Link {
    stream: TcpStream,
    backlog: Backlog,
    /// Writing has failed, or the client was cut off.
    deaf: bool,
    cut_off: bool,
}

impl Link {
    /// Takes over a stream.
    pub(crate) fn new(stream: TcpStream, writes: Writes) -> Link {
        Link {
            stream,
            backlog: Backlog {
                bytes: BytesMut::new(),
                lengths: VecDeque::new(),
                is_torn: false,
                writes,
            },
            deaf: false,
            cut_off: false,
        }
    }

    /// The client's address.
    #[cfg(test)]
    pub(crate) fn peer(&self) -> io::Result<std::net::SocketAddr> {
        self.stream.peer_addr()
    }

    /// Adds a message to those that wait. One that has a write of its own is sent at once.
    pub(crate) fn push(&mut self, message: &[u8]) {
        if self.deaf {
            return;
        }
        self.backlog.push(message);
        if let Writes::OneMessage = self.backlog.writes {
            self.send();
        }
    }

    /// Sends what waits, or keeps it until the client reads; never waits.
    pub(crate) fn send(&mut self) {
        if self.deaf {
            return;
        }
        let written = self.backlog.write_to(|bytes| self.stream.try_write(bytes));
        self.heed(written);
        if self.backlog.bytes.len() > MOST_PENDING {
            self.cut_off = true;
            self.stop_writing();
        }
    }

    /// Takes in how writing ended.
    fn heed(&mut self, written: io::Result<()>) {
        if written.is_err_and(|e| e.kind() != io::ErrorKind::WouldBlock) {
            self.stop_writing();
        }
    }

    fn stop_writing(&mut self) {
        self.deaf = true;
        self.backlog.clear();
    }

    /// Goes on sending what waits. Ready when nothing waits any more.
    pub(crate) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let stream = &mut self.stream;
        let written =
            self.backlog
                .write_to(|bytes| match Pin::new(&mut *stream).poll_write(cx, bytes) {
                    Poll::Ready(written) => written,
                    Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
                });
        self.heed(written);
        if self.backlog.bytes.is_empty() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }

    /// The trouble of a client that was cut off.
    pub(crate) fn cut_off(&self) -> Option<Trouble> {
        self.cut_off.then_some(Trouble::CutOff)
    }

    /// Reads what there is, at least a byte; gives how much.
    ///
    /// # Errors
    /// Why nothing more comes, for good.
    pub(crate) fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        space: &mut [u8],
    ) -> Poll<Result<usize, Trouble>> {
        if self.cut_off {
            return Poll::Ready(Err(Trouble::CutOff));
        }
        let mut chunk = ReadBuf::new(space);
        ready!(Pin::new(&mut self.stream).poll_read(cx, &mut chunk))?;
        match chunk.filled().len() {
            0 => Poll::Ready(Err(Trouble::Closed)),
            n => Poll::Ready(Ok(n)),
        }
    }

    /// Sends what waits and closes the connection cleanly: the client reads all that it was sent
    /// and then the end. Takes a second at most for each. `second` leaves it to the client to close
    /// first, for at most [`PATIENCE`].
    pub(crate) async fn close(mut self, second: bool) {
        if !self.flush().await {
            return;
        }
        if second {
            let _ = tokio::time::timeout(PATIENCE, drain(&mut self.stream)).await;
        }
        close_cleanly(self.stream).await;
    }

    /// Sends what waits; gives whether the client still listens.
    async fn flush(&mut self) -> bool {
        if self.cut_off {
            return false;
        }
        let flushed = std::future::poll_fn(|cx| self.poll_flush(cx));
        tokio::time::timeout(LINGER, flushed).await.is_ok()
    }
}

/// Closes a stream so that the client reads the end and no reset: what it still sends is read and
/// dropped, for a short time.
pub(crate) async fn close_cleanly(mut stream: TcpStream) {
    if stream.shutdown().await.is_err() {
        return;
    }
    // A client that does not close its side is left to the system.
    let _ = tokio::time::timeout(LINGER, drain(&mut stream)).await;
}

/// Reads and drops until the client closes its side.
async fn drain(stream: &mut TcpStream) {
    let mut space = [0; READ_SIZE];
    while stream.read(&mut space).await.is_ok_and(|n| n > 0) {}
}

/// A connection whose bytes the referee reads itself.
impl Connection for Link {
    type In = Bytes;
    type Out = Bytes;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Bytes, Trouble>> {
        let mut space = [0; READ_SIZE];
        let n = ready!(self.poll_read(cx, &mut space))?;
        Poll::Ready(Ok(Bytes::copy_from_slice(&space[..n])))
    }

    fn push(&mut self, message: &Bytes) {
        self.push(message);
    }

    fn send(&mut self) {
        self.send();
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.poll_flush(cx)
    }

    async fn close(self, second: bool) {
        self.close(second).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backlog(writes: Writes, lengths: &[usize]) -> Backlog {
        let mut backlog = Backlog {
            bytes: BytesMut::new(),
            lengths: VecDeque::new(),
            is_torn: false,
            writes,
        };
        for length in lengths {
            backlog.push(&vec![b'x'; *length]);
        }
        backlog
    }

    /// The lengths of all writes to a socket that takes so many bytes each time, then all.
    fn pieces(backlog: &mut Backlog, takes: &[usize]) -> Vec<usize> {
        let (mut takes, mut pieces) = (takes.iter(), Vec::new());
        let written = backlog.write_to(|bytes| {
            pieces.push(bytes.len());
            Ok(takes
                .next()
                .map_or(bytes.len(), |most| bytes.len().min(*most)))
        });
        written.unwrap();
        assert!(backlog.lengths.is_empty());
        pieces
    }

    #[test]
    fn a_write_holds_whole_messages_of_a_segment() {
        let lengths = [4, 480, 4, 480, 480, 4, 480, 480, 480, 3000, 1];
        let mut all = backlog(Writes::OneSegment, &lengths);
        assert_eq!(
            pieces(&mut all, &[]),
            [4 + 480 + 4 + 480 + 480, 4 + 480 + 480 + 480, 3000, 1]
        );
        let mut all = backlog(Writes::OneMessage, &lengths);
        assert_eq!(pieces(&mut all, &[]), lengths);
        let mut all = backlog(Writes::All, &lengths);
        assert_eq!(pieces(&mut all, &[]), [lengths.iter().sum::<usize>()]);
    }

    #[test]
    fn a_message_that_was_torn_ends_before_the_next_begins() {
        let mut torn = backlog(Writes::OneSegment, &[480, 480, 480, 480]);
        assert_eq!(pieces(&mut torn, &[500, 100]), [1440, 460, 360, 960]);
    }

    #[test]
    fn a_socket_that_takes_nothing_is_given_up() {
        let mut dead = backlog(Writes::OneSegment, &[480]);
        let error = dead.write_to(|_| Ok(0)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WriteZero);
    }
}
