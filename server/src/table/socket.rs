//! The socket of a client, plain or in TLS.

use std::io;
use std::ops::{Deref, DerefMut};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead as _, AsyncWrite as _, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::places::Place;

/// The socket of a client, with its place among the connections of a server, if they are counted. It stands for the
/// connection below TLS, too: what that reads of a socket in TLS means nothing.
#[derive(Debug)]
pub(crate) struct Socket {
    stream: Stream,
    place: Option<Place>,
}

#[derive(Debug)]
enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Socket {
    pub(crate) fn new(stream: TcpStream, place: Place) -> Socket {
        Socket {
            stream: Stream::Plain(stream),
            place: Some(place),
        }
    }

    /// Shakes hands as a server in TLS.
    ///
    /// # Errors
    /// Why there is no TLS, with the socket, on which an alert has been sent.
    pub(crate) async fn secured(
        self,
        acceptor: &TlsAcceptor,
    ) -> Result<Socket, (io::Error, Socket)> {
        let Socket { stream, place } = self;
        let Stream::Plain(stream) = stream else {
            unreachable!("hands are shaken once");
        };
        match acceptor.accept(stream).into_fallible().await {
            Ok(stream) => Ok(Socket {
                stream: Stream::Tls(Box::new(stream)),
                place,
            }),
            Err((error, stream)) => {
                let stream = Stream::Plain(stream);
                Err((error, Socket { stream, place }))
            }
        }
    }

    /// Reads what there is, at least a byte unless the client has closed its side.
    pub(crate) fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_read(cx, into),
            Stream::Tls(stream) => match Pin::new(stream).poll_read(cx, into) {
                // Clients that are killed end TLS without a word. Messages say themselves when all is said.
                Poll::Ready(Err(e)) if e.kind() == io::ErrorKind::UnexpectedEof => {
                    Poll::Ready(Ok(()))
                }
                read => read,
            },
        }
    }

    /// Writes as far as it is taken, without waiting. In TLS what is taken may still have to be flushed.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.stream {
            Stream::Plain(stream) => write(stream, bytes),
            Stream::Tls(stream) => {
                // `poll_flush` says whom to wake.
                let cx = &mut Context::from_waker(Waker::noop());
                match Pin::new(stream).poll_write(cx, bytes) {
                    Poll::Ready(written) => written,
                    Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
                }
            }
        }
    }

    /// Goes on sending what was taken. Ready when all is with the system.
    pub(crate) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(_) => Poll::Ready(Ok(())),
            Stream::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    /// Says that nothing more will be sent.
    pub(crate) async fn shutdown(&mut self) -> io::Result<()> {
        match &mut self.stream {
            Stream::Plain(stream) => stream.shutdown().await,
            Stream::Tls(stream) => stream.shutdown().await,
        }
    }
}

impl From<TcpStream> for Socket {
    fn from(stream: TcpStream) -> Socket {
        Socket {
            stream: Stream::Plain(stream),
            place: None,
        }
    }
}

impl Deref for Socket {
    type Target = TcpStream;

    fn deref(&self) -> &TcpStream {
        match &self.stream {
            Stream::Plain(stream) => stream,
            Stream::Tls(stream) => stream.get_ref().0,
        }
    }
}

impl DerefMut for Socket {
    fn deref_mut(&mut self) -> &mut TcpStream {
        match &mut self.stream {
            Stream::Plain(stream) => stream,
            Stream::Tls(stream) => stream.get_mut().0,
        }
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
