//! The way between a program and its port: it hands bytes on, in other pieces than they came in.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, sleep, timeout};

use crate::process::InnerPort;

/// How the server's bytes come to the program. The program's own are handed on as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Plain,
    /// Cut up: single bytes at both ends of what came together, and small pieces between.
    Split,
    /// Run together: what comes without a longer pause arrives at once.
    Glued,
}

/// Single bytes at each end of a burst that is cut up.
const SINGLE: usize = 6;
/// Length of the pieces between them: a prime, so that they meet the fields of no message.
const PIECE: usize = 97;
/// Bursts of a connection of which every one is cut up, and of how many further ones one is: a game has hundreds.
const EVERY: u32 = 10;
const SOME: u32 = 6;
/// Pause behind each piece. It is longer than a program takes to wake up and read.
const PAUSE: Duration = Duration::from_millis(2);
/// Quiet after which bytes that were held back are handed on.
const QUIET: Duration = Duration::from_millis(20);
/// Bytes after which no more are waited for.
const MOST_HELD: usize = 1 << 16;
/// First bytes of the program that are kept.
const KEPT: usize = 48;

#[derive(Clone, Debug, Default)]
pub(super) struct Traffic {
    pub(super) connections: u32,
    pub(super) greeted: u32,
    pub(super) first: Option<Instant>,
    /// Bytes that the program has sent, over all connections.
    pub(super) sent: u64,
    pub(super) beginning: Vec<u8>,
}

#[derive(Debug)]
pub(super) struct Proxy {
    pub(super) address: SocketAddr,
    seen: Arc<Mutex<Traffic>>,
    target: SocketAddr,
    shape: Shape,
    cut: Option<u64>,
    tasks: Vec<JoinHandle<()>>,
}

impl Proxy {
    /// Listens at a port that stands for `target`. Once the program has sent `cut` bytes, its connection is lost
    /// and no other comes through.
    pub(super) async fn open(
        target: SocketAddr,
        shape: Shape,
        cut: Option<u64>,
    ) -> io::Result<Proxy> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let mut proxy = Proxy {
            address: listener.local_addr()?,
            seen: Arc::default(),
            target,
            shape,
            cut,
            tasks: Vec::new(),
        };
        proxy.listen(async { Ok(listener) });
        Ok(proxy)
    }

    /// Stands also at the port of a program in the sandbox.
    pub(super) fn enter(&mut self, port: InnerPort) {
        self.listen(async move { port.listener().await });
    }

    fn listen(&mut self, listener: impl Future<Output = io::Result<TcpListener>> + Send + 'static) {
        let (target, shape, cut) = (self.target, self.shape, self.cut);
        let log = Arc::clone(&self.seen);
        let task = tokio::spawn(async move {
            // Without one the program has ended.
            let Ok(listener) = listener.await else { return };
            let mut ways = JoinSet::new();
            loop {
                let Ok((program, _)) = listener.accept().await else {
                    sleep(PAUSE).await;
                    continue;
                };
                let is_cut = {
                    let mut seen = lock(&log);
                    seen.connections += 1;
                    seen.first.get_or_insert_with(Instant::now);
                    cut.is_some_and(|cut| seen.sent >= cut)
                };
                if !is_cut {
                    ways.spawn(way(program, target, shape, cut, Arc::clone(&log)));
                }
                while ways.try_join_next().is_some() {}
            }
        });
        self.tasks.push(task);
    }

    pub(super) fn seen(&self) -> Traffic {
        lock(&self.seen).clone()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

fn lock(seen: &Mutex<Traffic>) -> std::sync::MutexGuard<'_, Traffic> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn way(
    program: TcpStream,
    target: SocketAddr,
    shape: Shape,
    cut: Option<u64>,
    seen: Arc<Mutex<Traffic>>,
) {
    let Ok(server) = TcpStream::connect(target).await else {
        // Behind the end of a match. One that comes again at once must not run through all ports.
        sleep(QUIET).await;
        return;
    };
    // Pieces must not be put together again, and nothing may wait.
    if program.set_nodelay(true).is_err() || server.set_nodelay(true).is_err() {
        return;
    }
    let (from_program, to_program) = program.into_split();
    let (from_server, to_server) = server.into_split();
    let down = async {
        match shape {
            Shape::Plain => plain(from_server, to_program).await,
            Shape::Split => split(from_server, to_program).await,
            Shape::Glued => glued(from_server, to_program).await,
        }
    };
    tokio::select! {
        ((), ()) = async { tokio::join!(down, up(from_program, to_server, &seen)) } => {}
        () = when_cut(&seen, cut) => {}
    }
}

async fn when_cut(seen: &Mutex<Traffic>, cut: Option<u64>) {
    let Some(cut) = cut else {
        return std::future::pending().await;
    };
    while lock(seen).sent < cut {
        sleep(PAUSE).await;
    }
}

/// The program's bytes.
async fn up(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, seen: &Mutex<Traffic>) {
    let mut bytes = vec![0; 1 << 12];
    let mut is_first = true;
    while let Ok(n @ 1..) = from.read(&mut bytes).await {
        {
            let mut seen = lock(seen);
            seen.greeted += u32::from(std::mem::take(&mut is_first));
            seen.sent += n as u64;
            let room = KEPT.saturating_sub(seen.beginning.len());
            seen.beginning.extend_from_slice(&bytes[..n.min(room)]);
        }
        if to.write_all(&bytes[..n]).await.is_err() {
            return;
        }
    }
    let _ = to.shutdown().await;
}

/// Waits for bytes of the server and reads all that it has sent, so that they end with a message:
/// clients of the contests take the end of what they read for the end of a message. Returns `false`
/// at the end of the connection.
async fn burst(from: &mut OwnedReadHalf, bytes: &mut Vec<u8>) -> bool {
    matches!(from.read_buf(bytes).await, Ok(1..)) && {
        drain(from, bytes);
        true
    }
}

/// Reads what has come, without waiting.
fn drain(from: &mut OwnedReadHalf, bytes: &mut Vec<u8>) {
    while let Ok(1..) = from.try_read_buf(bytes) {}
}

async fn plain(mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
    let mut bytes = Vec::new();
    while burst(&mut from, &mut bytes).await {
        if to.write_all(&bytes).await.is_err() {
            return;
        }
        bytes.clear();
    }
    let _ = to.shutdown().await;
}

async fn split(mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
    let mut bytes = Vec::new();
    let mut bursts = 0;
    while burst(&mut from, &mut bytes).await {
        bursts += 1;
        if bursts > EVERY && bursts % SOME != 0 {
            if to.write_all(&bytes).await.is_err() {
                return;
            }
        } else {
            for piece in pieces(&bytes) {
                if to.write_all(piece).await.is_err() {
                    return;
                }
                sleep(PAUSE).await;
            }
        }
        bytes.clear();
    }
    let _ = to.shutdown().await;
}

/// Single bytes at both ends, pieces between them.
fn pieces(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (first, rest) = bytes.split_at(bytes.len().min(SINGLE));
    let (middle, last) = rest.split_at(rest.len().saturating_sub(SINGLE));
    let pieces = first.chunks(1).chain(middle.chunks(PIECE));
    pieces.chain(last.chunks(1))
}

async fn glued(mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
    let mut held = Vec::new();
    while burst(&mut from, &mut held).await {
        while held.len() < MOST_HELD {
            match timeout(QUIET, burst(&mut from, &mut held)).await {
                Ok(true) => {}
                _ => break,
            }
        }
        if to.write_all(&held).await.is_err() {
            return;
        }
        held.clear();
    }
    let _ = to.shutdown().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server behind a proxy: its end, and the program's.
    async fn connected(shape: Shape, cut: Option<u64>) -> (Proxy, TcpStream, TcpStream) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let target = listener.local_addr().unwrap();
        let proxy = Proxy::open(target, shape, cut).await.unwrap();
        let program = TcpStream::connect(proxy.address).await.unwrap();
        let (server, _) = listener.accept().await.unwrap();
        server.set_nodelay(true).unwrap();
        (proxy, server, program)
    }

    fn message(len: usize) -> Vec<u8> {
        (0..len).map(|i| (i % 251) as u8).collect()
    }

    #[test]
    fn pieces_are_all_of_it_in_order() {
        for len in [0, 1, 5, 6, 7, 11, 12, 13, 480, 1000] {
            let bytes = message(len);
            let all: Vec<&[u8]> = pieces(&bytes).collect();
            assert_eq!(all.concat(), bytes);
            let single = all.iter().filter(|piece| piece.len() == 1).count();
            assert!(single >= len.min(2 * SINGLE), "{len}: {single}");
            assert!(
                all.iter()
                    .all(|piece| !piece.is_empty() && piece.len() <= PIECE)
            );
        }
    }

    #[tokio::test]
    async fn every_shape_hands_on_all_bytes_both_ways_and_both_ends() {
        for shape in [Shape::Plain, Shape::Split, Shape::Glued] {
            let (proxy, mut server, mut program) = connected(shape, None).await;
            let sent = message(2000);
            server.write_all(&sent).await.unwrap();
            program.write_all(b"hello").await.unwrap();
            let mut got = vec![0; sent.len()];
            program.read_exact(&mut got).await.unwrap();
            assert_eq!(got, sent, "{shape:?}");
            server.shutdown().await.unwrap();
            assert_eq!(program.read(&mut got).await.unwrap(), 0, "{shape:?}");
            program.write_all(b", you").await.unwrap();
            drop(program);
            let mut heard = Vec::new();
            server.read_to_end(&mut heard).await.unwrap();
            assert_eq!(heard, b"hello, you");
            let seen = proxy.seen();
            assert_eq!((seen.connections, seen.greeted, seen.sent), (1, 1, 10));
            assert_eq!(seen.beginning, b"hello, you");
            let mut silent = TcpStream::connect(proxy.address).await.unwrap();
            silent.shutdown().await.unwrap();
            // Nobody listens any more.
            let _ = silent.read(&mut got).await;
            let seen = proxy.seen();
            assert_eq!((seen.connections, seen.greeted), (2, 1));
        }
    }

    /// More messages at once than fit a buffer of 16 KiB: none is cut.
    #[tokio::test]
    async fn what_is_handed_on_as_it_is_ends_with_a_message() {
        let (_proxy, mut server, mut program) = connected(Shape::Plain, None).await;
        let sent = message(480 * 60);
        let mut space = vec![0; sent.len()];
        for _ in 0..20 {
            server.write_all(&sent).await.unwrap();
            let mut got = 0;
            while got < sent.len() {
                let n = program.read(&mut space).await.unwrap();
                assert_eq!(n % 480, 0, "a piece of {n} bytes");
                got += n;
            }
        }
    }

    #[tokio::test]
    async fn one_message_comes_in_many_reads() {
        let (_proxy, mut server, mut program) = connected(Shape::Split, None).await;
        server.write_all(&message(480)).await.unwrap();
        let mut bytes = [0; 480];
        let (mut reads, mut got) = (0, 0);
        while got < 480 {
            got += program.read(&mut bytes).await.unwrap();
            reads += 1;
        }
        // Some may meet on a machine that is busy, never all.
        assert!(reads > 1);
    }

    #[tokio::test]
    async fn messages_without_a_pause_come_in_one_read() {
        let (_proxy, mut server, mut program) = connected(Shape::Glued, None).await;
        for part in message(900).chunks(30) {
            server.write_all(part).await.unwrap();
        }
        let mut bytes = [0; 900];
        assert!(program.read(&mut bytes).await.unwrap() > 30);
    }

    #[tokio::test]
    async fn a_connection_is_lost_for_good_after_so_many_bytes() {
        let (proxy, mut server, mut program) = connected(Shape::Plain, Some(8)).await;
        program.write_all(b"1234567").await.unwrap();
        let mut bytes = [0; 16];
        server.read_exact(&mut bytes[..7]).await.unwrap();
        program.write_all(b"8").await.unwrap();
        let ends = async {
            while let Ok(1..) = server.read(&mut bytes).await {}
            let mut bytes = [0; 16];
            while let Ok(1..) = program.read(&mut bytes).await {}
        };
        timeout(Duration::from_secs(10), ends).await.unwrap();
        let mut again = TcpStream::connect(proxy.address).await.unwrap();
        let read = timeout(Duration::from_secs(10), again.read(&mut bytes)).await;
        assert!(!matches!(read.unwrap(), Ok(1..)));
    }
}
