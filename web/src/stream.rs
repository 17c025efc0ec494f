//! A connection whose other end has to read.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream that fails once nothing could be written for too long: what waits to be written takes memory as long as the other
/// end does not read. The system may need much to be read before it takes more, so its send buffer has to be small.
pub(crate) struct Stream<S> {
    inner: S,
    /// How long it may be that nothing can be written.
    limit: Duration,
    /// Runs while nothing can be written.
    unread: Option<Pin<Box<Sleep>>>,
}

impl<S> Stream<S> {
    /// A stream whose other end may leave it unread for so long.
    pub(crate) fn new(inner: S, limit: Duration) -> Stream<S> {
        Stream {
            inner,
            limit,
            unread: None,
        }
    }

    /// Passes on the result of an attempt to write. Fails once no attempt has succeeded for the whole of the limit.
    fn watched(
        &mut self,
        cx: &mut Context<'_>,
        tried: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if tried.is_ready() {
            self.unread = None;
            return tried;
        }
        let limit = self.limit;
        let unread = self.unread.get_or_insert_with(|| Box::pin(sleep(limit)));
        unread.as_mut().poll(cx).map(|()| {
            let reason = "the other end does not read";
            Err(io::Error::new(io::ErrorKind::TimedOut, reason))
        })
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Stream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.watched(cx, tried)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.inner).poll_write_vectored(cx, parts);
        self.watched(cx, tried)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_is_kept_and_one_that_reads_nothing_is_not() {
        let limit = Duration::from_secs(20);
        let (mut reader, inner) = duplex(4);
        let mut stream = Stream::new(inner, limit);
        let written = tokio::spawn(async move { stream.write_all(&[1; 8]).await });
        tokio::task::yield_now().await;
        for _ in 0..3 {
            advance(limit.mul_f64(0.9)).await;
            assert_eq!(reader.read_u8().await.expect("a byte"), 1);
            tokio::task::yield_now().await;
        }
        assert!(!written.is_finished());
        advance(limit).await;
        let written = written.await.expect("no panic");
        assert_eq!(written.map_err(|e| e.kind()), Err(io::ErrorKind::TimedOut));
    }
}
