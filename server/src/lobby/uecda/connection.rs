//! The connection of a seated player of `UECda`.

use std::task::{Context, Poll, ready};

use protocol::uecda::{CardTable, FrameReader, Version, WireError};

use crate::referee::uecda::UecdaMessage;
use crate::table;
use crate::table::link::{ConnectionError, Link, READ_SIZE, Writes};
use crate::table::socket::Socket;

/// The connection of a player, whose version is known.
///
/// Reads only when asked for a table, so that what a client sends ahead waits in the system's
/// buffer, and the client waits when that is full.
#[derive(Debug)]
pub struct UecdaConnection {
    link: Link,
    version: Version,
    inbox: FrameReader,
}

impl UecdaConnection {
    pub(crate) fn new(
        stream: impl Into<Socket>,
        writes: Writes,
        version: Version,
    ) -> UecdaConnection {
        UecdaConnection {
            link: Link::new(stream, writes),
            version,
            inbox: FrameReader::default(),
        }
    }

    /// Ready when the client has left; nothing is read.
    pub(crate) fn poll_left(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.link.poll_left(cx)
    }
}

impl table::Connection for UecdaConnection {
    /// A table, or why what came is none.
    type In = Result<CardTable, WireError>;
    type Out = UecdaMessage;

    const READS_ONCE: bool = true;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Self::In, ConnectionError>> {
        loop {
            if let Some(error) = self.link.cut_off() {
                return Poll::Ready(Err(error));
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

    fn push(&mut self, message: &UecdaMessage) {
        self.link
            .push_with(|bytes| message.encode(self.version, bytes));
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
}
