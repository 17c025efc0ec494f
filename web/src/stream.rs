//! A connection whose other end has to read.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream that fails once too little could be written for too long: what waits to be written takes memory as long as the
/// other end does not read. The system may need much to be read before it takes more, so its send buffer has to be small.
pub(crate) struct Stream<S> {
    inner: S,
    /// How long it may be that less than `least` bytes can be written, where more waits.
    limit: Duration,
    least: usize,
    /// Runs while something waits, and the bytes written since it runs.
    unread: Option<(Pin<Box<Sleep>>, usize)>,
}

impl<S> Stream<S> {
    /// A stream whose other end reads at least so many bytes in this time.
    pub(crate) fn new(inner: S, limit: Duration, least: usize) -> Stream<S> {
        Stream {
            inner,
            limit,
            least,
            unread: None,
        }
    }

    /// Passes on the result of an attempt to write. Fails once the attempts of the whole of the limit have written too
    /// little.
    fn watched(
        &mut self,
        cx: &mut Context<'_>,
        tried: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let limit = self.limit;
        let (time, written) = match (&mut self.unread, &tried) {
            (Some((time, written)), _) => (time, written),
            (empty, Poll::Pending) => {
                let (time, written) = empty.insert((Box::pin(sleep(limit)), 0));
                (time, written)
            }
            _ => return tried,
        };
        if let Poll::Ready(Ok(bytes)) = &tried {
            *written = written.saturating_add(*bytes);
        }
        if time.as_mut().poll(cx).is_ready() {
            if *written < self.least {
                let reason = "the other end does not read";
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, reason)));
            }
            // The next time begins with what waits then.
            self.unread = None;
            return self.watched(cx, tried);
        }
        tried
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
        self.unread = None;
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

    /// Writes 32 bytes to an end that reads one in every step of this time.
    async fn written(step: Duration) -> io::Result<()> {
        let limit = Duration::from_secs(20);
        let (mut reader, inner) = duplex(4);
        let mut stream = Stream::new(inner, limit, 2);
        let written = tokio::spawn(async move { stream.write_all(&[1; 32]).await });
        tokio::task::yield_now().await;
        for _ in 0..28 {
            advance(step).await;
            tokio::task::yield_now().await;
            if reader.read_u8().await.is_err() {
                break;
            }
            tokio::task::yield_now().await;
        }
        written.await.expect("no panic")
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_is_kept_and_one_that_reads_next_to_nothing_is_not() {
        let kind = |e: io::Error| e.kind();
        assert!(written(Duration::from_secs(8)).await.is_ok());
        for seconds in [15, 19, 25] {
            let slow = written(Duration::from_secs(seconds)).await;
            assert_eq!(
                slow.map_err(kind),
                Err(io::ErrorKind::TimedOut),
                "{seconds}"
            );
        }
    }
}
