//! The socket of a client.

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::process::ExitStatus;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use program::Permit;
use protocol::tls::ServerConfig;
use socket2::SockRef;
use tokio::io::{AsyncRead as _, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::task::coop;

/// A connection that is no plain socket of the system: in TLS, or so that a server can be run without a network.
pub trait Pipe: fmt::Debug + Send + Sync {
    fn peer(&self) -> SocketAddr;

    /// Reads what there is, at least a byte unless the client has closed its side.
    fn poll_read(&mut self, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>>;

    /// The same of a stream without TLS, and what was read stays to be read; gives how much.
    fn poll_peek(&self, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<usize>>;

    /// Writes as far as it is taken, without waiting.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] where nothing is taken now; any other if nothing is taken any more.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;

    /// Ready when something may be taken again.
    fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Goes on sending what was taken. Ready when all is with the system.
    fn poll_flush(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;
}

/// The socket of a client, with its permit, if connections are counted.
#[derive(Debug)]
pub struct Socket {
    stream: Stream,
    permit: Option<Permit>,
    ending: Option<Ending>,
}

/// Whether the program of a client whose connection is lost has ended, and how, once that is known.
pub struct Ending(pub Pin<Box<dyn Future<Output = Option<ExitStatus>> + Send + Sync>>);

impl fmt::Debug for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ending").finish_non_exhaustive()
    }
}

#[derive(Debug)]
enum Stream {
    Plain(TcpStream),
    Pipe(Box<dyn Pipe>),
}

impl Socket {
    pub(crate) fn with_permit(mut self, permit: Permit) -> Socket {
        self.permit = Some(permit);
        self
    }

    /// The same socket, of whose program this tells how it has ended.
    #[must_use]
    pub fn with_ending(mut self, ending: Option<Ending>) -> Socket {
        self.ending = ending;
        self
    }

    /// The exit status of the program whose connection is lost; `None` while it runs or where it is unknown.
    pub(crate) fn poll_ended(&mut self, cx: &mut Context<'_>) -> Poll<Option<ExitStatus>> {
        let Some(ending) = &mut self.ending else {
            return Poll::Ready(None);
        };
        let ended = ready!(ending.0.as_mut().poll(cx));
        self.ending = None;
        Poll::Ready(ended)
    }

    pub(crate) fn peer_addr(&self) -> io::Result<SocketAddr> {
        match &self.stream {
            Stream::Plain(stream) => stream.peer_addr(),
            Stream::Pipe(pipe) => Ok(pipe.peer()),
        }
    }

    /// Reads the first bytes, which stay to be read; gives how many.
    pub(crate) async fn peek(&self, space: &mut [u8]) -> io::Result<usize> {
        poll_fn(|cx| self.poll_peek(cx, &mut ReadBuf::new(space))).await
    }

    pub(crate) fn poll_peek(
        &self,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<usize>> {
        match &self.stream {
            Stream::Plain(stream) => stream.poll_peek(cx, into),
            Stream::Pipe(pipe) => pipe.poll_peek(cx, into),
        }
    }

    /// Reads what there is, at least a byte unless the client has closed its side; gives how much.
    pub async fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let mut into = ReadBuf::new(space);
        poll_fn(|cx| match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_read(cx, &mut into),
            Stream::Pipe(pipe) => pipe.poll_read(cx, &mut into),
        })
        .await?;
        Ok(into.filled().len())
    }

    /// Writes a few bytes to a socket that is new, which takes them, or its client has left.
    pub fn write_first(&mut self, bytes: &[u8]) {
        let _ = match &mut self.stream {
            // The runtime does not know yet that it can be written to.
            Stream::Plain(stream) => SockRef::from(&*stream).send(bytes),
            Stream::Pipe(_) => self.write(bytes),
        };
    }

    pub(crate) fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &self.stream {
            Stream::Plain(stream) => stream.poll_write_ready(cx),
            Stream::Pipe(pipe) => pipe.poll_write_ready(cx),
        }
    }

    /// Shakes hands as a server in TLS.
    ///
    /// # Errors
    /// Why there is no TLS, with the socket, on which an alert has been sent.
    pub(crate) async fn secured(
        self,
        config: Arc<ServerConfig>,
    ) -> Result<Socket, (io::Error, Socket)> {
        let Socket {
            stream,
            permit,
            ending,
        } = self;
        let Stream::Plain(stream) = stream else {
            unreachable!("hands are shaken once");
        };
        let socket = |stream| Socket {
            stream,
            permit,
            ending,
        };
        match accept(config, stream).await {
            Ok(stream) => Ok(socket(Stream::Pipe(stream))),
            Err((error, stream)) => Err((error, socket(Stream::Plain(stream)))),
        }
    }

    /// Reads what there is, at least a byte unless the client has closed its side.
    pub(crate) fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(stream) => {
                // As in any read of the runtime, a client that never stops sending yields to other tasks.
                let budget = ready!(coop::poll_proceed(cx));
                if read_at_once(stream, into)? {
                    budget.made_progress();
                    return Poll::Ready(Ok(()));
                }
                drop(budget);
                Pin::new(stream).poll_read(cx, into)
            }
            Stream::Pipe(pipe) => pipe.poll_read(cx, into),
        }
    }

    /// Writes as far as it is taken, without waiting. In TLS what is taken may still have to be flushed.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.stream {
            Stream::Plain(stream) => write(stream, bytes),
            Stream::Pipe(pipe) => pipe.write(bytes),
        }
    }

    /// Goes on sending what was taken. Ready when all is with the system.
    pub(crate) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(_) => Poll::Ready(Ok(())),
            Stream::Pipe(pipe) => pipe.poll_flush(cx),
        }
    }

    pub(crate) async fn shutdown(&mut self) -> io::Result<()> {
        match &mut self.stream {
            Stream::Plain(stream) => stream.shutdown().await,
            Stream::Pipe(pipe) => poll_fn(|cx| pipe.poll_shutdown(cx)).await,
        }
    }
}

impl From<Box<dyn Pipe>> for Socket {
    fn from(pipe: Box<dyn Pipe>) -> Socket {
        Socket {
            stream: Stream::Pipe(pipe),
            permit: None,
            ending: None,
        }
    }
}

impl From<TcpStream> for Socket {
    fn from(stream: TcpStream) -> Socket {
        Socket {
            stream: Stream::Plain(stream),
            permit: None,
            ending: None,
        }
    }
}

/// Reads the available bytes or the end of the stream; returns whether there was either. A reply that arrived during the writes
/// to other players is already in the socket: this read saves a turn of the event loop.
fn read_at_once(stream: &TcpStream, into: &mut ReadBuf<'_>) -> io::Result<bool> {
    use rustix::io::Errno;
    use rustix::net::{RecvFlags, recv};
    match recv(stream, into.initialize_unfilled(), RecvFlags::DONTWAIT) {
        Ok((read, _)) => {
            into.advance(read);
            Ok(true)
        }
        Err(Errno::WOULDBLOCK | Errno::INTR) => Ok(false),
        Err(e) => Err(e.into()),
    }
}

/// Writes to a socket, as far as it takes it. The segment ends with these bytes: while earlier ones
/// still wait for the network, the system would put bytes of the next write into it.
#[cfg(target_os = "linux")]
fn write(stream: &TcpStream, bytes: &[u8]) -> io::Result<usize> {
    use rustix::net::{SendFlags, send};
    let flags = SendFlags::EOR | SendFlags::NOSIGNAL;
    stream.try_io(tokio::io::Interest::WRITABLE, || {
        Ok(send(stream, bytes, flags)?)
    })
}

/// Writes to a socket, as far as it takes it.
#[cfg(not(target_os = "linux"))]
fn write(stream: &TcpStream, bytes: &[u8]) -> io::Result<usize> {
    stream.try_write(bytes)
}

/// Shakes hands as a server.
///
/// # Errors
/// Why there is no TLS, with the socket, on which an alert has been sent.
#[cfg(feature = "tls")]
async fn accept(
    config: Arc<ServerConfig>,
    stream: TcpStream,
) -> Result<Box<dyn Pipe>, (io::Error, TcpStream)> {
    let acceptor = tokio_rustls::TlsAcceptor::from(config);
    let stream = acceptor.accept(stream).into_fallible().await?;
    Ok(Box::new(stream))
}

#[cfg(not(feature = "tls"))]
#[expect(clippy::unused_async, reason = "it awaits where there is TLS")]
async fn accept(
    config: Arc<ServerConfig>,
    _: TcpStream,
) -> Result<Box<dyn Pipe>, (io::Error, TcpStream)> {
    match *config {}
}

#[cfg(feature = "tls")]
mod tls {
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
