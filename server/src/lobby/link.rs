//! The socket of a client, whatever it speaks.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, BytesMut};
use protocol::uecda::WireError;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;

/// Bytes that may wait for a client to read them, beside what the system buffers. A client that is
/// further behind is cut off: it is several games behind.
pub(crate) const MOST_PENDING: usize = 256 * 1024;

/// Bytes taken from a socket at once.
pub(super) const READ_SIZE: usize = 2048;

/// How long a closing connection may take for its last bytes, and to close its own side.
const LINGER: Duration = Duration::from_secs(1);

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
    /// Its bytes are no table. Later ones may be.
    #[error(transparent)]
    Unreadable(#[from] WireError),
}

/// A socket that never waits when it sends, and cuts off a client that does not read.
#[derive(Debug)]
pub(crate) struct Link {
    stream: TcpStream,
    pending: BytesMut,
    /// Writing has failed, or the client was cut off.
    deaf: bool,
    cut_off: bool,
}

impl Link {
    /// Takes over a stream.
    pub(crate) fn new(stream: TcpStream) -> Link {
        Link {
            stream,
            pending: BytesMut::new(),
            deaf: false,
            cut_off: false,
        }
    }

    /// The client's address.
    #[cfg(test)]
    pub(crate) fn peer(&self) -> io::Result<std::net::SocketAddr> {
        self.stream.peer_addr()
    }

    /// Sends bytes behind those that wait, or keeps them until the client reads; never waits. Empties `bytes`.
    pub(crate) fn send(&mut self, bytes: &mut BytesMut) {
        if self.deaf {
            bytes.clear();
        } else if self.pending.is_empty() {
            let sent = self.write(bytes);
            bytes.advance(sent);
            // What did not fit waits; the buffers change places, so that no copy is made.
            std::mem::swap(&mut self.pending, bytes);
        } else {
            self.pending.extend_from_slice(bytes);
            let waiting = std::mem::take(&mut self.pending);
            let sent = self.write(&waiting);
            if !self.deaf {
                self.pending = waiting;
                self.pending.advance(sent);
            }
        }
        bytes.clear();
        self.limit();
    }

    /// Keeps bytes until the next flush. Empties `bytes`.
    pub(crate) fn hold(&mut self, bytes: &mut BytesMut) {
        if !self.deaf {
            self.pending.extend_from_slice(bytes);
        }
        bytes.clear();
        self.limit();
    }

    /// Bytes that wait to be sent.
    pub(crate) fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Sends one message with a write of its own, or keeps it until the client reads.
    pub(crate) fn send_message(&mut self, message: &[u8]) {
        let sent = if self.deaf || !self.pending.is_empty() {
            0
        } else {
            self.write(message)
        };
        if !self.deaf {
            self.pending.extend_from_slice(&message[sent..]);
        }
        self.limit();
    }

    fn limit(&mut self) {
        if self.pending.len() > MOST_PENDING {
            self.cut_off = true;
            self.stop_writing();
        }
    }

    /// Writes what the socket takes at once; gives how much.
    fn write(&mut self, bytes: &[u8]) -> usize {
        let mut sent = 0;
        while sent < bytes.len() {
            match self.stream.try_write(&bytes[sent..]) {
                Ok(n) => sent += n,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => break,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => {
                    self.stop_writing();
                    return bytes.len();
                }
            }
        }
        sent
    }

    fn stop_writing(&mut self) {
        self.deaf = true;
        self.pending = BytesMut::new();
    }

    /// Goes on sending what waits. Ready when nothing waits any more.
    pub(crate) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while !self.pending.is_empty() {
            match ready!(Pin::new(&mut self.stream).poll_write(cx, &self.pending)) {
                Ok(n) if n > 0 => self.pending.advance(n),
                _ => self.stop_writing(),
            }
        }
        Poll::Ready(())
    }

    /// The trouble of a client that was cut off.
    pub(super) fn cut_off(&self) -> Option<Trouble> {
        self.cut_off.then_some(Trouble::CutOff)
    }

    /// Reads what there is, at least a byte; gives how much.
    ///
    /// # Errors
    /// Why nothing more comes, for good; never [`Trouble::Unreadable`].
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
    /// and then the end. Takes a second at most for each.
    pub(crate) async fn close(mut self) {
        if self.flush().await {
            close_cleanly(self.stream).await;
        }
    }

    /// As [`Link::close`], but leaves it to the client to close first, for at most `patience`.
    pub(crate) async fn close_after_client(mut self, patience: Duration) {
        if !self.flush().await {
            return;
        }
        let _ = tokio::time::timeout(patience, drain(&mut self.stream)).await;
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
