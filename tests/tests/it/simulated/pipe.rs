//! A connection without a socket between a server and a client: two ways of bytes, in order, each with so much room.

use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use server::table::Pipe;
use tokio::io::ReadBuf;

/// Bytes that wait on one way, as in the buffers of the systems at both ends.
const ROOM: usize = 4096;

#[derive(Debug, Default)]
struct Way {
    bytes: VecDeque<u8>,
    is_shut: bool,
    /// The connection was cut without a word.
    is_reset: bool,
    is_dropped: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

impl Way {
    fn poll_peek(&mut self, cx: &Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<usize>> {
        if self.is_reset {
            return Poll::Ready(Err(ErrorKind::ConnectionReset.into()));
        }
        if self.bytes.is_empty() && !self.is_shut {
            self.reader = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let n = into.remaining().min(self.bytes.len());
        into.put_slice(&self.bytes.make_contiguous()[..n]);
        Poll::Ready(Ok(n))
    }

    fn poll_read(&mut self, cx: &Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<usize>> {
        let read = self.poll_peek(cx, into);
        if let Poll::Ready(Ok(n)) = read {
            self.bytes.drain(..n);
            self.wake();
        }
        read
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_dropped || self.is_reset || self.is_shut {
            return Err(ErrorKind::BrokenPipe.into());
        }
        let n = bytes.len().min(ROOM - self.bytes.len());
        if n == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        self.bytes.extend(&bytes[..n]);
        self.wake();
        Ok(n)
    }

    fn poll_write_ready(&mut self, cx: &Context<'_>) -> Poll<io::Result<()>> {
        if self.bytes.len() < ROOM || self.is_dropped || self.is_reset {
            return Poll::Ready(Ok(()));
        }
        self.writer = Some(cx.waker().clone());
        Poll::Pending
    }

    fn wake(&mut self) {
        for waker in [self.reader.take(), self.writer.take()]
            .into_iter()
            .flatten()
        {
            waker.wake();
        }
    }
}

fn lock(way: &Mutex<Way>) -> MutexGuard<'_, Way> {
    way.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An end of a connection. It closes its ways when it is dropped.
#[derive(Debug)]
pub(super) struct End {
    reads: Arc<Mutex<Way>>,
    writes: Arc<Mutex<Way>>,
}

impl End {
    pub(super) fn both() -> [End; 2] {
        let ways = [(); 2].map(|()| Arc::new(Mutex::new(Way::default())));
        let [there, back] = [&ways[0], &ways[1]];
        [[there, back], [back, there]].map(|[reads, writes]| End {
            reads: reads.clone(),
            writes: writes.clone(),
        })
    }

    /// Reads what there is, at least a byte; 0 when the other end has closed.
    pub(super) async fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        poll_fn(|cx| lock(&self.reads).poll_read(cx, &mut ReadBuf::new(space))).await
    }

    pub(super) async fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            poll_fn(|cx| lock(&self.writes).poll_write_ready(cx)).await?;
            let written = lock(&self.writes).write(bytes)?;
            bytes = &bytes[written..];
        }
        Ok(())
    }

    /// Cuts the connection: the other end has an error, and what was on its way is lost.
    pub(super) fn reset(self) {
        lock(&self.writes).is_reset = true;
    }
}

impl Drop for End {
    fn drop(&mut self) {
        for (way, is_own) in [(&self.writes, true), (&self.reads, false)] {
            let mut way = lock(way);
            if is_own {
                way.is_shut = true;
            } else {
                way.is_dropped = true;
            }
            way.wake();
        }
    }
}

/// The connections that a server has, by address.
#[derive(Clone, Debug, Default)]
pub(super) struct Open(Arc<Mutex<BTreeMap<IpAddr, usize>>>);

impl Open {
    fn of(&self, address: IpAddr, change: impl FnOnce(&mut usize)) -> usize {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_one = open.entry(address).or_default();
        change(of_one);
        *of_one
    }

    pub(super) fn from(&self, address: IpAddr) -> usize {
        self.of(address, |_| {})
    }

    pub(super) fn all(&self) -> usize {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.values().sum()
    }
}

#[derive(Debug)]
pub(super) struct Served {
    end: End,
    peer: SocketAddr,
    open: Open,
}

impl Served {
    pub(super) fn new(end: End, peer: SocketAddr, open: &Open) -> Served {
        open.of(peer.ip(), |count| *count += 1);
        Served {
            end,
            peer,
            open: open.clone(),
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.open.of(self.peer.ip(), |count| *count -= 1);
    }
}

impl Pipe for Served {
    fn peer(&self) -> SocketAddr {
        self.peer
    }

    fn poll_read(&mut self, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let read = lock(&self.end.reads).poll_read(cx, into);
        read.map_ok(|_| ())
    }

    fn poll_peek(&self, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<usize>> {
        lock(&self.end.reads).poll_peek(cx, into)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lock(&self.end.writes).write(bytes)
    }

    fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        lock(&self.end.writes).poll_write_ready(cx)
    }

    fn poll_shutdown(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut way = lock(&self.end.writes);
        way.is_shut = true;
        way.wake();
        Poll::Ready(Ok(()))
    }
}
