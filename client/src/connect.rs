//! TCP connections of the client programs: where the server is, and how long they try to reach it.

use std::io::{self, Write as _, stderr};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Args;
use program::PrintableWriter;
use socket2::{SockRef, TcpKeepalive};

/// How long a server may be silent before the system asks whether its machine is still there.
const KEEPALIVE: Duration = Duration::from_secs(30);
/// How often it asks then, until it gives the connection up.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);
/// The least time for one attempt.
const ATTEMPT: Duration = Duration::from_secs(1);
/// Pause before the next attempt.
pub(crate) const RETRY: Duration = Duration::from_millis(20);
/// Time of failed attempts before people are told: a server that opens its port anew between games takes less.
const UNTOLD: Duration = Duration::from_millis(300);

/// Where the server is.
#[derive(Args, Clone, Debug)]
pub struct ServerOptions {
    /// Host of the server.
    #[arg(long, default_value = "localhost", value_name = "HOST")]
    pub host: String,
    /// Seconds to keep trying while the port refuses, and to come back after a lost connection where the protocol allows it.
    #[arg(long, default_value_t = 10.0, value_parser = seconds, value_name = "SECONDS")]
    pub connect_timeout: f64,
}

impl ServerOptions {
    /// How long to keep trying to connect.
    pub fn connect_limit(&self) -> Duration {
        Duration::from_secs_f64(self.connect_timeout)
    }

    /// Host and port, for people to read.
    pub fn address(&self, port: u16) -> String {
        format!("{}:{port}", self.host)
    }
}

/// Reads a number of seconds.
///
/// # Errors
/// If it is not a number from 0 to a million.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=1e6).contains(&value) => Ok(value),
        _ => Err("expected a number of seconds from 0 to 1000000".to_owned()),
    }
}

/// Tells people once that the program waits for a server.
pub(crate) struct Waiting {
    since: Instant,
    is_told: bool,
}

impl Waiting {
    pub(crate) fn new() -> Waiting {
        Waiting {
            since: Instant::now(),
            is_told: false,
        }
    }

    /// An attempt has failed, and another one follows. It stays silent where warnings are not logged.
    pub(crate) fn failed(&mut self, host: &str, port: u16) {
        if self.is_told || self.since.elapsed() < UNTOLD || !log::log_enabled!(log::Level::Warn) {
            return;
        }
        self.is_told = true;
        let _ = writeln!(PrintableWriter(stderr()), "waiting for {host}:{port} ...");
    }
}

/// A server that cannot be connected to.
#[derive(Debug, thiserror::Error)]
#[error("cannot connect to {address}: {source}. {}", remedy(source))]
pub struct NoConnection {
    /// Host and port.
    pub address: String,
    /// What went wrong.
    pub source: io::Error,
}

/// Connects to `host`; tries again until the deadline, while another attempt may do better.
///
/// # Errors
/// That of the last attempt.
pub(crate) fn connect_until(
    host: &str,
    port: u16,
    deadline: Instant,
) -> Result<TcpStream, NoConnection> {
    let mut waiting = Waiting::new();
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match connect(host, port, left) {
            Err(error) if is_passing(&error) && Instant::now() < deadline => {
                waiting.failed(host, port);
                sleep(RETRY);
            }
            result => {
                return result.map_err(|source| NoConnection {
                    address: format!("{host}:{port}"),
                    source,
                });
            }
        }
    }
}

/// Connects to the first address of `host` that answers, each for at most `limit` (or a second, if that is
/// longer), and sends small messages at once (`TCP_NODELAY`). Reading fails when the server's machine has
/// gone without a word.
///
/// # Errors
/// That of the last address; `NotFound` if the host has none, or its name is not known.
pub(crate) fn connect(host: &str, port: u16, limit: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    let unknown = |error| io::Error::new(io::ErrorKind::NotFound, error);
    for address in (host, port).to_socket_addrs().map_err(unknown)? {
        match TcpStream::connect_timeout(&address, limit.max(ATTEMPT)).and_then(prepared) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn prepared(stream: TcpStream) -> io::Result<TcpStream> {
    // On a port without a listener, the kernel may connect a socket with itself.
    if stream.local_addr()? == stream.peer_addr()? {
        return Err(io::ErrorKind::ConnectionRefused.into());
    }
    stream.set_nodelay(true)?;
    let keepalive = TcpKeepalive::new()
        .with_time(KEEPALIVE)
        .with_interval(KEEPALIVE_INTERVAL);
    if let Err(e) = SockRef::from(&stream).set_tcp_keepalive(&keepalive) {
        log::debug!("keepalive: {e}");
    }
    Ok(stream)
}

/// A question that helps after this error of [`connect`].
fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "Is the name of the host right?",
        _ => "Is the server running, and is the port right?",
    }
}

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
    use socket2::{Domain, Socket, Type};

    use super::*;

    #[test]
    fn servers_that_go_without_a_word_are_noticed() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let stream = connect("127.0.0.1", port, Duration::from_secs(5)).unwrap();
        assert!(SockRef::from(&stream).keepalive().unwrap() && stream.nodelay().unwrap());
    }

    #[test]
    fn a_socket_connected_with_itself_is_no_server() {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        let any: std::net::SocketAddr = "127.0.0.1:0".parse().unwrap();
        socket.bind(&any.into()).unwrap();
        socket.connect(&socket.local_addr().unwrap()).unwrap();
        let error = prepared(socket.into()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    }
}
