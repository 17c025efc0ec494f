//! TCP connections of the client programs.

use std::io;
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};

/// How long a server may be silent before the system asks whether its machine is still there.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// How often it asks then, until it gives the connection up.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);

/// Connects to the first address of `host` that answers, each for at most `limit` (above 0), and sends small
/// messages at once (`TCP_NODELAY`). Reading fails when the server's machine has gone without a word.
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
                let keepalive = TcpKeepalive::new()
                    .with_time(KEEPALIVE)
                    .with_interval(KEEPALIVE_INTERVAL);
                if let Err(e) = SockRef::from(&stream).set_tcp_keepalive(&keepalive) {
                    log::debug!("keepalive: {e}");
                }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_that_go_without_a_word_are_noticed() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let stream = connect("127.0.0.1", port, Duration::from_secs(5)).unwrap();
        assert!(SockRef::from(&stream).keepalive().unwrap() && stream.nodelay().unwrap());
    }
}
