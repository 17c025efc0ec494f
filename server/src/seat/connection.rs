//! The socket of a seated player.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, BytesMut};
use protocol::uecda::{FrameReader, Table, Version, WireError};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;

/// Bytes that may wait for a client to read them, beside what the system buffers. A client that is
/// further behind is cut off: it is several games behind.
pub const MOST_PENDING: usize = 256 * 1024;

/// Bytes taken from a socket at once.
const READ_SIZE: usize = 2048;

/// How long a closing connection may take for its last bytes, and to close its own side.
const LINGER: Duration = Duration::from_secs(1);

/// Why no table comes.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
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

/// The connection of a player, whose version is known.
///
/// Reads only when asked for a table, so that what a client sends ahead waits in the system's
/// buffer, and the client waits when that is full.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    version: Version,
    inbox: FrameReader,
    pending: BytesMut,
    /// Writing has failed, or the client was cut off.
    deaf: bool,
    cut_off: bool,
}

impl Connection {
    /// Takes over a stream after the greeting.
    pub fn new(stream: TcpStream, version: Version) -> Connection {
        Connection {
            stream,
            version,
            inbox: FrameReader::default(),
            pending: BytesMut::new(),
            deaf: false,
            cut_off: false,
        }
    }

    /// The version that the client speaks.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Sends bytes, or keeps them until the client reads; never waits. Empties `bytes`.
    pub fn send(&mut self, bytes: &mut BytesMut) {
        if self.deaf {
            bytes.clear();
        } else if self.pending.is_empty() {
            self.write(bytes);
            // What did not fit waits; the buffers change places, so that no copy is made.
            std::mem::swap(&mut self.pending, bytes);
        } else {
            self.pending.extend_from_slice(bytes);
        }
        bytes.clear();
        if self.pending.len() > MOST_PENDING {
            self.cut_off = true;
            self.stop_writing();
        }
    }

    /// Writes what the socket takes at once.
    fn write(&mut self, bytes: &mut BytesMut) {
        while !bytes.is_empty() {
            match self.stream.try_write(bytes) {
                Ok(n) => bytes.advance(n),
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => {
                    bytes.clear();
                    self.stop_writing();
                }
            }
        }
    }

    fn stop_writing(&mut self) {
        self.deaf = true;
        self.pending = BytesMut::new();
    }

    /// Goes on sending what waits. Ready when nothing waits any more.
    pub fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while !self.pending.is_empty() {
            match ready!(Pin::new(&mut self.stream).poll_write(cx, &self.pending)) {
                Ok(n) if n > 0 => self.pending.advance(n),
                _ => self.stop_writing(),
            }
        }
        Poll::Ready(())
    }

    /// The next table.
    ///
    /// # Errors
    /// Why there is none. All troubles but [`Trouble::Unreadable`] are for good.
    pub fn poll_table(&mut self, cx: &mut Context<'_>) -> Poll<Result<Table, Trouble>> {
        loop {
            if self.cut_off {
                return Poll::Ready(Err(Trouble::CutOff));
            }
            if let Some(table) = self.inbox.take_table(self.version)? {
                return Poll::Ready(Ok(table));
            }
            let mut space = [0; READ_SIZE];
            let mut chunk = ReadBuf::new(&mut space);
            ready!(Pin::new(&mut self.stream).poll_read(cx, &mut chunk))?;
            if chunk.filled().is_empty() {
                return Poll::Ready(Err(Trouble::Closed));
            }
            self.inbox.push(chunk.filled())?;
        }
    }

    /// Sends what waits and closes the connection cleanly: the client reads all that it was sent
    /// and then the end. Takes a second at most for each.
    pub async fn close(mut self) {
        if self.cut_off {
            return;
        }
        let flushed = std::future::poll_fn(|cx| self.poll_flush(cx));
        if tokio::time::timeout(LINGER, flushed).await.is_ok() {
            close_cleanly(self.stream).await;
        }
    }
}

/// Closes a stream so that the client reads the end and no reset: what it still sends is read and
/// dropped, for a short time.
pub(crate) async fn close_cleanly(mut stream: TcpStream) {
    if stream.shutdown().await.is_err() {
        return;
    }
    let drain = async {
        let mut space = [0; READ_SIZE];
        while stream.read(&mut space).await.is_ok_and(|n| n > 0) {}
    };
    // A client that does not close its side is left to the system.
    let _ = tokio::time::timeout(LINGER, drain).await;
}
