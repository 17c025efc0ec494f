//! Connections to a server of this machine, and all waiting: with patience, and not for ever.

use std::fs;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};

/// Longest time that anything is waited for. No healthy test comes near it.
pub const PATIENCE: Duration = Duration::from_mins(4);

/// A port of this machine for a server that has to be told one. Nothing else gets it while this is there: only a listener
/// that asks for this very port.
#[derive(Debug)]
pub struct FreePort {
    pub number: u16,
    _bound: Socket,
}

impl FreePort {
    pub fn new() -> io::Result<FreePort> {
        let bound = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        // The listener may have the same address, as this socket does not listen.
        bound.set_reuse_address(true)?;
        bound.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into())?;
        let address = bound.local_addr()?.as_socket();
        let number = address.ok_or(io::ErrorKind::AddrNotAvailable)?.port();
        Ok(FreePort {
            number,
            _bound: bound,
        })
    }
}

/// Connects to a server that listens.
pub fn connect_now(port: u16) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    // A free port may be the one that the stream itself begins at: it is connected to itself.
    if stream.local_addr()? == stream.peer_addr()? {
        return Err(io::ErrorKind::ConnectionRefused.into());
    }
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// Connects to a server that may still be starting.
pub fn connect(port: u16) -> io::Result<TcpStream> {
    let began = Instant::now();
    loop {
        match connect_now(port) {
            Ok(stream) => return Ok(stream),
            Err(e) if began.elapsed() > PATIENCE => return Err(e),
            Err(_) => thread::sleep(Duration::from_millis(20)),
        }
    }
}

pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "{what}: too late");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Does something with each of these at the same time, as most of the time of a test is asleep.
pub fn at_once<T: Send>(all: impl IntoIterator<Item = T>, each: impl Fn(T) + Sync) {
    thread::scope(|scope| {
        for one in all {
            let each = &each;
            scope.spawn(move || each(one));
        }
    });
}

/// A player that plays in a thread of its own.
pub type Playing<O> = JoinHandle<io::Result<O>>;

/// Starts a player in a thread of its own; comes back when it says that it is seated, or has ended.
pub fn sit<O: Send + 'static>(
    play: impl FnOnce(Sender<()>) -> io::Result<O> + Send + 'static,
) -> Playing<O> {
    let (seated, wait) = mpsc::channel();
    let playing = thread::spawn(move || play(seated));
    let waited = wait.recv_timeout(PATIENCE);
    assert_ne!(waited, Err(RecvTimeoutError::Timeout), "no seat");
    playing
}

/// Waits for the end of a player.
pub fn outcome<O>(player: Playing<O>) -> O {
    let outcome = player.join().expect("a player's thread");
    outcome.expect("a connection")
}

/// The number of the socket that listens at an address of this machine, which no later socket has; `None` when none
/// listens, or the system does not say. The port alone tells nothing: another test may take one that is closed.
pub fn listener(address: SocketAddr) -> Option<u64> {
    let SocketAddr::V4(address) = address else {
        return None;
    };
    let table = fs::read_to_string("/proc/net/tcp").ok()?;
    // The other end of a listening socket, and its state.
    let number = u32::from_ne_bytes(address.ip().octets());
    let ends = format!(" {number:08X}:{:04X} 00000000:0000 0A ", address.port());
    let (_, rest) = table.split_once(&ends)?;
    // Queues, timer, retransmits, user, time-out, and the number.
    rest.split_whitespace().nth(5)?.parse().ok()
}
