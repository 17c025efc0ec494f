//! The connection of a seated player of `UECda`.

use std::task::{Context, Poll, ready};

use bytes::BytesMut;
use protocol::uecda::{CardTable, FrameReader, Version};
use tokio::net::TcpStream;

use crate::lobby::link::{Link, READ_SIZE, Trouble};

/// The connection of a player, whose version is known.
///
/// Reads only when asked for a table, so that what a client sends ahead waits in the system's
/// buffer, and the client waits when that is full.
#[derive(Debug)]
pub(crate) struct Connection {
    link: Link,
    version: Version,
    inbox: FrameReader,
}

impl Connection {
    /// Takes over a stream after the greeting.
    pub(crate) fn new(stream: TcpStream, version: Version) -> Connection {
        Connection {
            link: Link::new(stream),
            version,
            inbox: FrameReader::default(),
        }
    }

    /// The version that the client speaks.
    pub(crate) fn version(&self) -> Version {
        self.version
    }

    /// Sends bytes, or keeps them until the client reads; never waits. Empties `bytes`.
    pub(crate) fn send(&mut self, bytes: &mut BytesMut) {
        self.link.send(bytes);
    }

    /// Keeps bytes until [`Connection::poll_flush`]. Empties `bytes`.
    pub(crate) fn hold(&mut self, bytes: &mut BytesMut) {
        self.link.hold(bytes);
    }

    /// Bytes that wait to be sent.
    pub(crate) fn pending(&self) -> usize {
        self.link.pending()
    }

    /// Goes on sending what waits. Ready when nothing waits any more.
    pub(crate) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.link.poll_flush(cx)
    }

    /// The next table.
    ///
    /// # Errors
    /// Why there is none. All troubles but [`Trouble::Unreadable`] are for good.
    pub(crate) fn poll_table(&mut self, cx: &mut Context<'_>) -> Poll<Result<CardTable, Trouble>> {
        loop {
            if let Some(trouble) = self.link.cut_off() {
                return Poll::Ready(Err(trouble));
            }
            if let Some(table) = self.inbox.take_table(self.version)? {
                return Poll::Ready(Ok(table));
            }
            let mut space = [0; READ_SIZE];
            let n = ready!(self.link.poll_read(cx, &mut space))?;
            self.inbox.push(&space[..n])?;
        }
    }

    /// Sends what waits and closes the connection cleanly: the client reads all that it was sent
    /// and then the end. Takes a second at most for each.
    pub(crate) async fn close(self) {
        self.link.close().await;
    }
}
