//! The socket of a client, whatever it speaks.

use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::process::ExitStatus;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::ReadBuf;

use super::Connection;
use super::socket::Socket;
use crate::referee::MOST_PENDING;
use record::EndKind;

/// Bytes taken from a socket at once.
pub(crate) const READ_SIZE: usize = 2048;

/// How long a closing connection may take for its last bytes, and to close its own side.
const LINGER: Duration = Duration::from_secs(1);

/// How long it is left to a client to close first, where it is.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    #[error("it closed the connection")]
    Closed,
    #[error("the connection failed: {0}")]
    Failed(#[from] io::Error),
    #[error("cut off: it leaves more than {MOST_PENDING} bytes unread")]
    CutOff,
    #[error("its program has ended: {0}")]
    Ended(ExitStatus),
}

impl ConnectionError {
    pub(crate) const fn kind(&self) -> EndKind {
        match self {
            ConnectionError::Ended(_) => EndKind::Crash,
            _ => EndKind::Disconnect,
        }
    }
}

/// How messages are put together to writes. Clients of the contests take what one `read` gives for
/// a message, and a `read` ends where what has arrived ends: a segment of TCP must end with a
/// message.
#[derive(Clone, Copy, Debug)]
pub enum Writes {
    /// A message to a write, as the official servers do: it arrives whole however the network on
    /// the way puts writes together and cuts them.
    OneMessage,
    /// As many whole messages to a write as one segment of an Ethernet holds: for clients on this
    /// machine. A turn is one write to each player instead of three.
    OneSegment,
    /// All that there is: the client puts pieces together.
    All,
}

impl Writes {
    /// Those to a client at this address that takes one `read` for one message.
    pub(crate) fn to(address: IpAddr) -> Writes {
        if address.to_canonical().is_loopback() {
            Writes::OneSegment
        } else {
            Writes::OneMessage
        }
    }

    /// The most bytes of several messages in one write.
    const fn most(self) -> usize {
        match self {
            Writes::OneMessage => 0,
            // 1,500 bytes less the headers of IP and TCP, which has time stamps.
            Writes::OneSegment => 1448,
            Writes::All => usize::MAX,
        }
    }
}

#[derive(Debug)]
struct Backlog {
    bytes: BytesMut,
    /// Of each message; of the first what is left of it.
    lengths: VecDeque<usize>,
    /// Whether a part of the first is written.
    is_torn: bool,
    writes: Writes,
}

impl Backlog {
    fn new(writes: Writes) -> Backlog {
        Backlog {
            bytes: BytesMut::new(),
            lengths: VecDeque::new(),
            is_torn: false,
            writes,
        }
    }

    fn push(&mut self, append: impl FnOnce(&mut BytesMut)) {
        let before = self.bytes.len();
        append(&mut self.bytes);
        self.lengths.push_back(self.bytes.len() - before);
    }

    /// What the next write holds: whole messages, or the rest of one that was torn.
    fn next(&self) -> &[u8] {
        let mut lengths = self.lengths.iter();
        let mut sum = lengths.next().copied().unwrap_or_default();
        if !self.is_torn {
            for length in lengths {
                match sum.checked_add(*length) {
                    Some(more) if more <= self.writes.most() => sum = more,
                    _ => break,
                }
            }
        }
        &self.bytes[..sum]
    }

    /// Writes until all is written.
    ///
    /// # Errors
    /// What `write` fails with, [`io::ErrorKind::WouldBlock`] among it; a write that takes nothing
    /// is [`io::ErrorKind::WriteZero`].
    fn write_to(&mut self, mut write: impl FnMut(&[u8]) -> io::Result<usize>) -> io::Result<()> {
        while !self.bytes.is_empty() {
            match write(self.next()) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(sent) => self.advance(sent),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn advance(&mut self, mut sent: usize) {
        self.bytes.advance(sent);
        self.is_torn = false;
        while let Some(first) = self.lengths.front_mut()
            && sent > 0
        {
            if sent < *first {
                *first -= sent;
                self.is_torn = true;
                return;
            }
            sent -= *first;
            self.lengths.pop_front();
        }
    }

    fn clear(&mut self) {
        self.bytes = BytesMut::new();
        self.lengths = VecDeque::new();
    }
}

/// A socket that never waits when it sends, and cuts off a client that does not read.
#[derive(Debug)]
pub(crate) struct Link {
    stream: Socket,
    backlog: Backlog,
    /// Writing has failed, or the client was cut off.
    deaf: bool,
    cut_off: bool,
    /// Why nothing more comes, until it is known whether the program has ended.
    lost: Option<ConnectionError>,
}

impl Link {
    pub(crate) fn new(stream: impl Into<Socket>, writes: Writes) -> Link {
        Link {
            stream: stream.into(),
            backlog: Backlog::new(writes),
            deaf: false,
            cut_off: false,
            lost: None,
        }
    }

    pub(crate) fn peer(&self) -> io::Result<std::net::SocketAddr> {
        self.stream.peer_addr()
    }

    pub(crate) fn push(&mut self, message: &[u8]) {
        self.push_with(|bytes| bytes.extend_from_slice(message));
    }

    /// Adds the message that is appended to those that wait. One that has a write of its own is sent at once.
    pub(crate) fn push_with(&mut self, append: impl FnOnce(&mut BytesMut)) {
        if self.deaf {
            return;
        }
        self.backlog.push(append);
        if let Writes::OneMessage = self.backlog.writes {
            self.send();
        }
    }

    /// Sends what waits, or keeps it until the client reads; never waits.
    pub(crate) fn send(&mut self) {
        if self.deaf {
            return;
        }
        self.write();
        if self.backlog.bytes.len() > MOST_PENDING {
            self.cut_off = true;
            self.stop_writing();
        }
    }

    fn write(&mut self) {
        let written = self.backlog.write_to(|bytes| self.stream.write(bytes));
        if written.is_err_and(|e| e.kind() != io::ErrorKind::WouldBlock) {
            self.stop_writing();
        }
    }

    fn stop_writing(&mut self) {
        self.deaf = true;
        self.backlog.clear();
    }

    pub(crate) fn waiting(&self) -> usize {
        self.backlog.bytes.len()
    }

    /// Goes on sending what waits. Ready when nothing waits any more.
    pub(crate) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while !self.backlog.bytes.is_empty() {
            if ready!(self.stream.poll_write_ready(cx)).is_err() {
                self.stop_writing();
            }
            self.write();
        }
        if !self.deaf && ready!(self.stream.poll_flush(cx)).is_err() {
            self.stop_writing();
        }
        Poll::Ready(())
    }

    /// Ready when the client has left; reads nothing. One that has sent something is not known to have left.
    pub(crate) fn poll_left(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut space = [0; 1];
        match ready!(self.stream.poll_peek(cx, &mut ReadBuf::new(&mut space))) {
            Ok(0) | Err(_) => Poll::Ready(()),
            Ok(_) => Poll::Pending,
        }
    }

    pub(crate) fn cut_off(&self) -> Option<ConnectionError> {
        self.cut_off.then_some(ConnectionError::CutOff)
    }

    /// Reads what there is, at least a byte; gives how much.
    pub(crate) fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        space: &mut [u8],
    ) -> Poll<Result<usize, ConnectionError>> {
        if self.cut_off {
            return Poll::Ready(Err(ConnectionError::CutOff));
        }
        if self.lost.is_none() {
            let mut chunk = ReadBuf::new(space);
            self.lost = match ready!(self.stream.poll_read(cx, &mut chunk)) {
                Ok(()) if chunk.filled().is_empty() => Some(ConnectionError::Closed),
                Ok(()) => return Poll::Ready(Ok(chunk.filled().len())),
                Err(e) => Some(e.into()),
            };
        }
        // A program that ends closes its connection a little before.
        let ended = ready!(self.stream.poll_ended(cx));
        let lost = self.lost.take().unwrap_or(ConnectionError::Closed);
        Poll::Ready(Err(ended.map_or(lost, ConnectionError::Ended)))
    }

    /// Sends what waits and closes the connection cleanly: the client reads all that it was sent
    /// and then the end. Takes a second at most for each. `second` leaves it to the client to close
    /// first, for at most [`PATIENCE`].
    pub(crate) async fn close(mut self, second: bool) {
        if !self.flush().await {
            return;
        }
        if second {
            let _ = tokio::time::timeout(PATIENCE, drain(&mut self.stream)).await;
        }
        close_cleanly(self.stream).await;
    }

    /// Sends what waits; gives whether the client still listens.
    async fn flush(&mut self) -> bool {
        if self.cut_off {
            return false;
        }
        let flushed = std::future::poll_fn(|cx| self.poll_flush(cx));
        tokio::time::timeout(LINGER, flushed).await.is_ok()
    }
}

/// Closes a stream so that the client reads the end and no reset: what it still sends is read and
/// dropped, for a short time.
pub async fn close_cleanly(stream: impl Into<Socket>) {
    let mut stream = stream.into();
    // In TLS its last word may have to wait for the client to read.
    let shut = tokio::time::timeout(LINGER, stream.shutdown()).await;
    if !matches!(shut, Ok(Ok(()))) {
        return;
    }
    // A client that does not close its side is left to the system.
    let _ = tokio::time::timeout(LINGER, drain(&mut stream)).await;
}

/// Reads and drops until the client closes its side.
async fn drain(stream: &mut Socket) {
    let mut space = [0; READ_SIZE];
    while stream.read(&mut space).await.is_ok_and(|n| n > 0) {}
}

/// A connection whose bytes the referee reads itself.
impl Connection for Link {
    type In = Bytes;
    type Out = Bytes;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Bytes, ConnectionError>> {
        let mut space = [0; READ_SIZE];
        let n = ready!(self.poll_read(cx, &mut space))?;
        Poll::Ready(Ok(Bytes::copy_from_slice(&space[..n])))
    }

    fn push(&mut self, message: &Bytes) {
        self.push(message);
    }

    fn send(&mut self) {
        self.send();
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.poll_flush(cx)
    }

    async fn close(self, second: bool) {
        self.close(second).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backlog(writes: Writes, lengths: &[usize]) -> Backlog {
        let mut backlog = Backlog::new(writes);
        for length in lengths {
            backlog.push(|bytes| bytes.resize(bytes.len() + length, b'x'));
        }
        backlog
    }

    /// The lengths of all writes to a socket that takes so many bytes each time, then all.
    fn pieces(backlog: &mut Backlog, takes: &[usize]) -> Vec<usize> {
        let (mut takes, mut pieces) = (takes.iter(), Vec::new());
        let written = backlog.write_to(|bytes| {
            pieces.push(bytes.len());
            Ok(takes
                .next()
                .map_or(bytes.len(), |most| bytes.len().min(*most)))
        });
        written.unwrap();
        assert!(backlog.lengths.is_empty());
        pieces
    }

    #[test]
    fn a_write_holds_a_message_or_those_of_a_segment_or_all() {
        let lengths = [4, 480, 4, 480, 480, 4, 480, 480, 480, 3000, 1];
        let mut one = backlog(Writes::OneMessage, &lengths);
        assert_eq!(pieces(&mut one, &[]), lengths);
        let mut some = backlog(Writes::OneSegment, &lengths);
        assert_eq!(
            pieces(&mut some, &[]),
            [4 + 480 + 4 + 480 + 480, 4 + 480 + 480 + 480, 3000, 1]
        );
        let mut all = backlog(Writes::All, &lengths);
        assert_eq!(pieces(&mut all, &[]), [lengths.iter().sum::<usize>()]);
    }

    #[test]
    fn clients_elsewhere_have_a_message_to_a_write() {
        for (address, is_here) in [
            ("127.0.0.1", true),
            ("127.8.9.1", true),
            ("::1", true),
            ("::ffff:127.0.0.1", true),
            ("192.168.0.14", false),
            ("::ffff:10.0.0.1", false),
            ("fe80::1", false),
        ] {
            let writes = Writes::to(address.parse().unwrap());
            assert_eq!(matches!(writes, Writes::OneSegment), is_here, "{address}");
        }
    }

    #[test]
    fn a_message_that_was_torn_ends_before_the_next_begins() {
        let mut torn = backlog(Writes::OneMessage, &[480, 480]);
        assert_eq!(pieces(&mut torn, &[100, 480]), [480, 380, 480]);
        let mut torn = backlog(Writes::OneSegment, &[480, 480, 480, 480]);
        assert_eq!(pieces(&mut torn, &[500, 100]), [1440, 460, 360, 960]);
    }

    #[test]
    fn a_socket_that_takes_nothing_is_given_up() {
        let mut dead = backlog(Writes::OneMessage, &[480]);
        let error = dead.write_to(|_| Ok(0)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WriteZero);
    }

    /// A client behind a network that is slower than the server: an MSS of an Ethernet and a small
    /// window, so that messages wait in the server's system.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn what_waits_for_the_network_keeps_its_bounds() {
        use std::io::Read as _;

        use socket2::{Domain, Socket, Type};

        for writes in [Writes::OneMessage, Writes::OneSegment] {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let client = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
            client.set_tcp_mss(1460).unwrap();
            client.set_recv_buffer_size(8192).unwrap();
            client.connect(&address.into()).unwrap();
            let (stream, _) = listener.accept().await.unwrap();
            stream.set_nodelay(true).unwrap();
            let mut link = Link::new(stream, writes);
            for _ in 0..100 {
                link.push(&[7; 480]);
            }
            link.send();
            let reads = std::thread::spawn(move || {
                [(); 100].map(|()| (&client).read(&mut [0; 480]).unwrap())
            });
            link.close(false).await;
            assert_eq!(reads.join().unwrap(), [480; 100], "{writes:?}");
        }
    }
}
