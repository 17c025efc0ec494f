//! A relay between clients and a server that passes on what the server sends as a network of
//! Ethernet would: in segments of at most 1,448 bytes. What the server writes in one longer piece comes in
//! several, each when the client has read the one before it.
//!
//! On the loopback a client reads what the server wrote in one piece, however long it is. On a
//! network it reads what has arrived, and a client that takes one `read` for one message is lost if
//! a segment ends in the middle of the message.

use std::io::{self, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use socket2::SockRef;

use crate::patience::unread;

/// Bytes of data in an Ethernet segment: 1,500 without the headers of IP and TCP, with time stamps.
pub const SEGMENT: usize = 1448;

/// A port that stands for the port of a server.
#[derive(Debug)]
pub struct Relay {
    pub port: u16,
    log: Arc<Mutex<Log>>,
}

#[derive(Debug, Default)]
struct Log {
    /// Lengths of what was read from the server at once.
    pieces: Vec<usize>,
    servers: Vec<TcpStream>,
}

impl Log {
    /// Whether everything that has come from the server is read.
    fn is_read(&self) -> bool {
        self.servers.iter().all(|server| {
            let peeked = SockRef::from(server)
                .recv_with_flags(&mut [MaybeUninit::uninit()], MSG_PEEK | MSG_DONTWAIT);
            !matches!(peeked, Ok(1..))
        })
    }
}

fn lock(log: &Mutex<Log>) -> MutexGuard<'_, Log> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Flags of `recv`, as Linux has them.
const MSG_PEEK: i32 = 2;
const MSG_DONTWAIT: i32 = 0x40;

impl Relay {
    /// Listens at a free port for clients of the server at `server`. The relay lasts as long as the
    /// process.
    pub fn to(server: u16) -> Relay {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let log = Arc::default();
        let shared = Arc::clone(&log);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // A server that is gone shows to the client as a closed connection.
                let _ = join(&client, server, &shared);
            }
        });
        Relay { port, log }
    }

    /// Lengths of the pieces in which the bytes of the server came to the relay, of all connections.
    pub fn pieces(&self) -> Vec<usize> {
        lock(&self.log).pieces.clone()
    }

    /// The share of pieces that are longer than a segment.
    pub fn long_share(&self) -> f64 {
        let pieces = self.pieces();
        let long = pieces.iter().filter(|&&piece| piece > SEGMENT).count();
        long as f64 / pieces.len().max(1) as f64
    }
}

/// Connects a client with the server. Three threads carry the bytes: one to the server, one that
/// takes pieces from the server at once, one that hands them on as segments.
fn join(client: &TcpStream, server: u16, log: &Arc<Mutex<Log>>) -> io::Result<()> {
    let server = TcpStream::connect(("127.0.0.1", server))?;
    server.set_nodelay(true)?;
    client.set_nodelay(true)?;
    let (mut up_from, mut up_to) = (client.try_clone()?, server.try_clone()?);
    lock(log).servers.push(server.try_clone()?);
    let shared = Arc::clone(log);
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(n @ 1..) = up_from.read(&mut bytes) {
            // What the server answers is another piece than all that it has sent before.
            while !lock(&shared).is_read() {
                thread::yield_now();
            }
            // Either side may be gone: the other one hears of it.
            if up_to.write_all(&bytes[..n]).is_err() {
                return;
            }
        }
        let _ = up_to.shutdown(Shutdown::Write);
    });
    let (sender, pieces) = mpsc::channel();
    let log = Arc::clone(log);
    thread::spawn(move || take_pieces(server, &log, &sender));
    let client = client.try_clone()?;
    thread::spawn(move || {
        let _ = hand_on(&client, &pieces);
        let _ = client.shutdown(Shutdown::Write);
    });
    Ok(())
}

fn take_pieces(mut server: TcpStream, log: &Mutex<Log>, pieces: &Sender<Vec<u8>>) {
    let mut bytes = vec![0; 1 << 17];
    while let Ok(n @ 1..) = server.read(&mut bytes) {
        lock(log).pieces.push(n);
        if pieces.send(bytes[..n].to_vec()).is_err() {
            return;
        }
    }
}

/// Writes each piece to the client in segments. A segment that goes on with a piece comes when the client has
/// read the one before it.
fn hand_on(mut client: &TcpStream, pieces: &Receiver<Vec<u8>>) -> io::Result<()> {
    for piece in pieces {
        for (i, segment) in piece.chunks(SEGMENT).enumerate() {
            while i > 0 && unread(client).is_some_and(|bytes| bytes > 0) {
                thread::sleep(Duration::from_micros(50));
            }
            client.write_all(segment)?;
        }
    }
    Ok(())
}
