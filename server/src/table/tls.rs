//! The socket of a client in TLS.

use std::io;
use std::sync::Arc;

use protocol::tls::ServerConfig;
use tokio::net::TcpStream;

use super::Pipe;

/// Shakes hands as a server.
///
/// # Errors
/// Why there is no TLS, with the socket, on which an alert has been sent.
#[cfg(feature = "tls")]
pub(super) async fn accept(
    config: Arc<ServerConfig>,
    stream: TcpStream,
) -> Result<Box<dyn Pipe>, (io::Error, TcpStream)> {
    let acceptor = tokio_rustls::TlsAcceptor::from(config);
    let stream = acceptor.accept(stream).into_fallible().await?;
    Ok(Box::new(stream))
}

#[cfg(not(feature = "tls"))]
#[expect(clippy::unused_async, reason = "it awaits where there is TLS")]
pub(super) async fn accept(
    config: Arc<ServerConfig>,
    _: TcpStream,
) -> Result<Box<dyn Pipe>, (io::Error, TcpStream)> {
    match *config {}
}

#[cfg(feature = "tls")]
mod stream {
    use std::io;
    use std::net::SocketAddr;
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    use tokio::io::{AsyncRead as _, AsyncWrite as _, ReadBuf};
    use tokio::net::TcpStream;
    use tokio_rustls::server::TlsStream;

    use super::Pipe;

    impl Pipe for TlsStream<TcpStream> {
        fn peer(&self) -> SocketAddr {
            let nobody = SocketAddr::from(([0, 0, 0, 0], 0));
            self.get_ref().0.peer_addr().unwrap_or(nobody)
        }

        fn poll_read(
            &mut self,
            cx: &mut Context<'_>,
            into: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            match Pin::new(self).poll_read(cx, into) {
                // Clients that are killed end TLS without a word. Messages say themselves when all is said.
                Poll::Ready(Err(e)) if e.kind() == io::ErrorKind::UnexpectedEof => {
                    Poll::Ready(Ok(()))
                }
                read => read,
            }
        }

        fn poll_peek(
            &self,
            cx: &mut Context<'_>,
            into: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<usize>> {
            self.get_ref().0.poll_peek(cx, into)
        }

        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // `poll_flush` says whom to wake.
            let cx = &mut Context::from_waker(Waker::noop());
            match Pin::new(self).poll_write(cx, bytes) {
                Poll::Ready(written) => written,
                Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
            }
        }

        fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            self.get_ref().0.poll_write_ready(cx)
        }

        fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            Pin::new(self).poll_flush(cx)
        }

        fn poll_shutdown(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            Pin::new(self).poll_shutdown(cx)
        }
    }
}
