//! The connection of a seated player of `UECda`.

use std::task::{Context, Poll, ready};

use bytes::BytesMut;
use protocol::uecda::{CardTable, FrameReader, Version, WireError};
use tokio::net::TcpStream;

use crate::lobby::link::{Link, READ_SIZE, Trouble, Writes};
use crate::referee::uecda::Told;

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
            link: Link::new(stream, Writes::OneSegment),
            version,
            inbox: FrameReader::default(),
        }
    }

    /// The version that the client speaks.
    pub(crate) fn version(&self) -> Version {
        self.version
    }

    /// Sends messages, or keeps them until the client reads; never waits.
    pub(crate) fn send(&mut self, messages: impl IntoIterator<Item = Told>) {
        let mut bytes = BytesMut::new();
        let messages = messages.into_iter().map(|message| {
            message.encode(self.version, &mut bytes);
            bytes.split()
        });
        self.link.send(messages);
    }

    /// Goes on sending what waits. Ready when nothing waits any more.
    pub(crate) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.link.poll_flush(cx)
    }

    /// The next table, or why what came is none.
    ///
    /// # Errors
    /// Why nothing more comes.
    pub(crate) fn poll_table(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Result<CardTable, WireError>, Trouble>> {
        loop {
            if let Some(trouble) = self.link.cut_off() {
                return Poll::Ready(Err(trouble));
            }
            if let Some(table) = self.inbox.take_table(self.version).transpose() {
                return Poll::Ready(Ok(table));
            }
            let mut space = [0; READ_SIZE];
            let n = ready!(self.link.poll_read(cx, &mut space))?;
            if let Err(e) = self.inbox.push(&space[..n]) {
                return Poll::Ready(Ok(Err(e)));
            }
        }
    }

    /// Sends what waits and closes the connection cleanly: the client reads all that it was sent
    /// and then the end. Takes a second at most for each.
    pub(crate) async fn close(self) {
        self.link.close().await;
    }
}
