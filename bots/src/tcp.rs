//! TCP connections of the client programs.

use std::io;
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

/// Connects to the first address of `host` that answers, each for at most `limit` (above 0), and sends small
/// messages at once (`TCP_NODELAY`).
///
/// # Errors
/// That of the last address; `NotFound` if the host has none.
pub(crate) fn connect(host: &str, port: u16, limit: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, limit) {
            // On a port that nobody listens at, the kernel may connect a socket with itself.
            Ok(stream) if stream.local_addr()? == stream.peer_addr()? => {
                last = io::ErrorKind::ConnectionRefused.into();
            }
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Whether another attempt may do better.
pub(crate) fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{
        ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted, NotConnected, TimedOut,
    };
    matches!(
        error.kind(),
        ConnectionAborted
            | ConnectionRefused
            | ConnectionReset
            | Interrupted
            | NotConnected
            | TimedOut
    )
}
