//! The way by which a player comes to its seat: a port at which its own program is let in and no other, or the port of an
//! entrant that comes from a machine of its own.

use std::future::pending;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::{fs, io};

use tokio::net::TcpStream;
use tokio::sync::OnceCell;
use tokio_util::task::TaskTracker;

use crate::process::{InnerPort, Members};
use crate::remote::EntrantConnection;
use server::lobby::listener::Listener;
use server::table::link::close_cleanly;
use server::table::socket::Socket;

/// Clients that are greeted at the same time at a port of a table.
const GREETED: usize = 4;

#[derive(Debug)]
pub(super) struct SeatPort {
    origin: Origin,
    whose: String,
    refused: Arc<AtomicU32>,
}

#[derive(Debug)]
enum Origin {
    Port {
        listener: Listener,
        /// The program that is let in; anybody is until it is known.
        program: OnceLock<Program>,
    },
    /// The port of an entrant, which has looked at those that come from there.
    Entrant(EntrantConnection),
}

#[derive(Debug)]
enum Program {
    /// One that connects to the port of the table.
    Outside(Members),
    /// One in the sandbox, and its own port once that is open.
    Inside(InnerPort, OnceCell<Listener>),
}

impl SeatPort {
    pub(super) async fn open(whose: String) -> io::Result<SeatPort> {
        let listener = Listener::open("127.0.0.1", 0).await?;
        let program = OnceLock::new();
        Ok(SeatPort {
            origin: Origin::Port { listener, program },
            whose,
            refused: Arc::default(),
        })
    }

    /// The way of an entrant that comes itself.
    pub(super) fn of_entrant(connection: EntrantConnection, whose: String) -> SeatPort {
        SeatPort {
            origin: Origin::Entrant(connection),
            whose,
            refused: Arc::default(),
        }
    }

    /// Lets only this program in from now on, and what it has started.
    pub(super) fn reserve(&self, program: Members) {
        self.admit(Program::Outside(program));
    }

    /// Lets only the program in from now on that has this port in its sandbox.
    pub(super) fn enter(&self, port: InnerPort) {
        self.admit(Program::Inside(port, OnceCell::new()));
    }

    fn admit(&self, program: Program) {
        if let Origin::Port { program: own, .. } = &self.origin {
            // The first keeps it.
            let _ = own.set(program);
        }
    }

    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        match &self.origin {
            Origin::Port { listener, .. } => listener.address(),
            Origin::Entrant(connection) => Ok(connection.address()),
        }
    }

    /// Whether its player is missing, and nobody sits in its place.
    pub(super) const fn is_absent(&self) -> bool {
        matches!(&self.origin, Origin::Entrant(connection) if !connection.is_entrant())
    }

    pub(super) fn note_sat(&self) {
        if let Origin::Entrant(connection) = &self.origin {
            connection.note_sat();
        }
    }

    /// Clients that are greeted at the same time. At a port of this table a stranger that connects and says nothing holds
    /// nobody up; another connection of an entrant stays free for its other tables.
    pub(super) const fn at_once(&self) -> usize {
        match self.origin {
            Origin::Port { .. } => GREETED,
            Origin::Entrant(_) => 1,
        }
    }

    pub(super) fn refused(&self) -> Arc<AtomicU32> {
        Arc::clone(&self.refused)
    }

    /// The next connection of the player. Those of others are closed. Nothing is lost when this is given up before
    /// it is ready.
    pub(super) async fn accept(&self) -> (Socket, SocketAddr) {
        let (listener, program) = match &self.origin {
            Origin::Port { listener, program } => (listener, program),
            Origin::Entrant(connection) => return connection.next().await,
        };
        if let Some(Program::Inside(port, listener)) = program.get() {
            let open = || async { port.listener().await.map(Listener::of) };
            let Ok(listener) = listener.get_or_try_init(open).await else {
                // It has ended before.
                return pending().await;
            };
            let (stream, from) = listener.accept().await;
            return (stream.into(), from);
        }
        loop {
            let (stream, from) = listener.accept().await;
            let Some(Program::Outside(program)) = program.get() else {
                return (stream.into(), from);
            };
            let fault = match is_of(program, &stream, from) {
                Ok(true) => return (stream.into(), from),
                Ok(false) => "it does not come from the program of this seat".to_owned(),
                Err(e) => format!("it is not known whose it is: {e}"),
            };
            let text = format!(
                "{}: a connection from {from} was refused: {fault}",
                self.whose
            );
            // One line says it: a stranger may come as often as it likes.
            if self.refused.fetch_add(1, Ordering::Relaxed) == 0 {
                log::error!("{text}");
            } else {
                log::debug!("{text}");
            }
        }
    }

    /// The next connection while the player sits. Those of an entrant that comes itself are for its other tables.
    pub(super) async fn superfluous(&self) -> (Socket, SocketAddr) {
        match self.origin {
            Origin::Port { .. } => self.accept().await,
            Origin::Entrant(_) => pending().await,
        }
    }

    /// Closes a connection cleanly, without waiting for it.
    pub(super) fn turn_away(&self, stream: Socket, closing: &TaskTracker) {
        match &self.origin {
            Origin::Port { listener, .. } => listener.turn_away(stream, closing),
            Origin::Entrant(_) => {
                closing.spawn(close_cleanly(stream));
            }
        }
    }
}

/// Whether the other end of a connection is this program's. It is looked up at once: a connection that waits for it could
/// be lost.
fn is_of(program: &Members, stream: &TcpStream, from: SocketAddr) -> io::Result<bool> {
    let here = stream.local_addr()?;
    #[cfg(target_os = "linux")]
    if let Ok(Some(socket)) = diag::socket(from, here) {
        return Ok(program.holds(socket.inode, socket.user));
    }
    // Milliseconds, where the system has many sockets. A client may have taken one of IPv6 for an address of IPv4.
    for table in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] {
        let lines = match fs::read_to_string(table) {
            Err(e) if e.kind() == io::ErrorKind::NotFound && table.ends_with('6') => continue,
            lines => lines?,
        };
        let ends = |line| Listed::parse(line).filter(|s| s.local == from && s.remote == here);
        if let Some(socket) = lines.lines().find_map(ends) {
            return Ok(program.holds(socket.inode, socket.user));
        }
    }
    // It is closed by now.
    Ok(false)
}

/// Asking the kernel for one socket, in microseconds (`man 7 sock_diag`).
#[cfg(target_os = "linux")]
mod diag {
    use std::io;
    use std::net::{IpAddr, SocketAddr};

    use rustix::net::{
        AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send,
        socket_with,
    };

    use super::Listed;

    /// `SOCK_DIAG_BY_FAMILY`, the kind of the question and of the answer.
    const BY_FAMILY: u16 = 20;
    /// `NLM_F_REQUEST`.
    const REQUEST: u16 = 1;
    /// Bytes of the head of a message, of the question, and of the answer up to the inode.
    const HEAD: usize = 16;
    const QUESTION: usize = 56;
    const ANSWER: usize = 72;

    /// The socket of TCP over IPv4 with these ends; `None` if there is none.
    pub(super) fn socket(local: SocketAddr, remote: SocketAddr) -> io::Result<Option<Listed>> {
        let (IpAddr::V4(from), IpAddr::V4(to)) = (local.ip(), remote.ip()) else {
            return Ok(None);
        };
        let mut question = Vec::with_capacity(HEAD + QUESTION);
        question.extend(((HEAD + QUESTION) as u32).to_ne_bytes());
        question.extend(BY_FAMILY.to_ne_bytes());
        question.extend(REQUEST.to_ne_bytes());
        question.extend([0; 8]);
        // Families `AF_INET` and `IPPROTO_TCP`, nothing more to tell, in every state.
        question.extend([2, 6, 0, 0, 0xff, 0xff, 0xff, 0xff]);
        question.extend(local.port().to_be_bytes());
        question.extend(remote.port().to_be_bytes());
        for ip in [from, to] {
            question.extend(ip.octets());
            question.extend([0; 12]);
        }
        // Any interface, no cookie.
        question.extend([0; 4]);
        question.extend([0xff; 8]);
        let kernel = socket_with(
            AddressFamily::NETLINK,
            SocketType::DGRAM,
            SocketFlags::CLOEXEC,
            Some(netlink::SOCK_DIAG),
        )?;
        send(&kernel, &question, SendFlags::empty())?;
        let mut answer = [0; 1024];
        let (_, length) = recv(&kernel, &mut answer[..], RecvFlags::empty())?;
        let answer = &answer[..length.min(answer.len())];
        let word = |at: usize| {
            let bytes = answer.get(HEAD + at..HEAD + at + 4)?;
            Some(u32::from_ne_bytes(bytes.try_into().ok()?))
        };
        let kind = answer.get(4..6).map(|kind| [kind[0], kind[1]]);
        // Where there is no connection the kernel answers with a socket that listens at that port.
        let ports = HEAD + 4..HEAD + 8;
        let is_same = answer.get(ports) == Some(&question[HEAD + 8..HEAD + 12]);
        if kind != Some(BY_FAMILY.to_ne_bytes()) || !is_same {
            return Ok(None);
        }
        let (Some(user), Some(inode)) = (word(ANSWER - 8), word(ANSWER - 4)) else {
            return Ok(None);
        };
        Ok((inode != 0).then_some(Listed {
            local,
            remote,
            user,
            inode: inode.into(),
        }))
    }
}

/// A line of the system's table of sockets.
#[derive(Debug, PartialEq, Eq)]
struct Listed {
    local: SocketAddr,
    remote: SocketAddr,
    user: u32,
    inode: u64,
}

impl Listed {
    fn parse(line: &str) -> Option<Listed> {
        let mut words = line.split_ascii_whitespace().skip(1);
        let local = address(words.next()?)?;
        let remote = address(words.next()?)?;
        // State, queues, timer and retransmissions.
        let mut words = words.skip(4);
        let user = words.next()?.parse().ok()?;
        let inode = words.nth(1)?.parse().ok()?;
        (inode != 0).then_some(Listed {
            local,
            remote,
            user,
            inode,
        })
    }
}

/// An address as the table has it: words of four bytes in the order of this machine, and the port. One of IPv4 within
/// IPv6 is one of IPv4.
fn address(text: &str) -> Option<SocketAddr> {
    let (ip, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |at: usize| {
        let word = u32::from_str_radix(ip.get(8 * at..8 * at + 8)?, 16).ok()?;
        Some(word.to_ne_bytes())
    };
    let ip = match ip.len() {
        8 => word(0)?.into(),
        32 => {
            let mut bytes = [0; 16];
            for (at, four) in bytes.chunks_exact_mut(4).enumerate() {
                four.copy_from_slice(&word(at)?);
            }
            std::net::IpAddr::from(bytes).to_canonical()
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, port))
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::AsyncReadExt as _;

    use super::*;
    use crate::process::Launch;
    use crate::settings::Start;
    use crate::testing::settings;

    #[test]
    fn lines_of_the_table_are_read() {
        let line = "   1: 0100007F:A1B2 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 \
                    4711 1 00000000d60cb3e7 20 4 30 10 -1";
        let socket = Listed {
            local: "127.0.0.1:41394".parse().unwrap(),
            remote: "127.0.0.1:8080".parse().unwrap(),
            user: 1000,
            inode: 4711,
        };
        assert_eq!(Listed::parse(line), Some(socket));
        let mapped = address("0000000000000000FFFF00000100007F:1F90");
        assert_eq!(mapped, Some("127.0.0.1:8080".parse().unwrap()));
        assert_eq!(Listed::parse("  sl  local_address rem_address   st"), None);
    }

    #[test]
    fn the_kernel_knows_whose_a_connection_is() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let there = listener.local_addr().unwrap();
        let client = std::net::TcpStream::connect(there).unwrap();
        let here = client.local_addr().unwrap();
        let asked = diag::socket(here, there).unwrap().unwrap();
        let lines = fs::read_to_string("/proc/self/net/tcp").unwrap();
        let listed = lines.lines().filter_map(Listed::parse);
        let mut listed: Vec<Listed> = listed.filter(|s| s.local == here).collect();
        // A line comes again while others go from the table.
        listed.dedup();
        assert_eq!(listed, [asked]);
        drop(client);
        assert_eq!(diag::socket(there, there).unwrap(), None);
    }

    /// Whether the port accepts a connection within this time.
    async fn lets_in(port: &SeatPort, time: Duration) -> bool {
        tokio::time::timeout(time, port.accept()).await.is_ok()
    }

    #[tokio::test]
    async fn a_seat_is_kept_for_its_own_program() {
        let port = SeatPort::open("a table".to_owned()).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let start = |script: &str| {
            let mut settings = settings();
            settings.run.folder = folder.path().to_owned();
            let words = ["bash", "-c", script].map(String::from);
            settings.entrants[0].start = Start::Command(words.to_vec());
            let address = port.address().unwrap();
            Launch::of(&settings, 0, address, 1, 1)
                .unwrap()
                .start()
                .unwrap()
        };
        let waits = start("sleep 100");
        port.reserve(waits.members().unwrap().clone());
        // This process is a stranger, and so is the program of another.
        let mut stranger = TcpStream::connect(port.address().unwrap()).await.unwrap();
        let _other = start("exec 3<>/dev/tcp/{host}/{port}; sleep 100");
        while port.refused().load(Ordering::Relaxed) < 2 {
            assert!(!lets_in(&port, Duration::from_millis(10)).await);
        }
        assert_eq!(stranger.read(&mut [0]).await.unwrap_or(0), 0);
    }

    #[tokio::test]
    async fn what_a_program_has_started_may_connect() {
        let folder = tempfile::tempdir().unwrap();
        for script in [
            "exec 3<>/dev/tcp/{host}/{port}; sleep 100",
            // A session of its own below the program.
            "setsid bash -c 'exec 3<>/dev/tcp/{host}/{port}; sleep 100'; true",
            // A launcher leaves this process behind: it waits until the launcher closes the pipe.
            "exec 4> >(read -r; exec 3<>/dev/tcp/{host}/{port}; sleep 100)",
        ] {
            let port = SeatPort::open("a table".to_owned()).await.unwrap();
            let mut settings = settings();
            settings.run.folder = folder.path().to_owned();
            let words = ["bash", "-c", script].map(String::from);
            settings.entrants[0].start = Start::Command(words.to_vec());
            let address = port.address().unwrap();
            let launch = Launch::of(&settings, 0, address, 1, 1).unwrap();
            let program = launch.start().unwrap();
            port.reserve(program.members().unwrap().clone());
            assert!(lets_in(&port, Duration::from_mins(1)).await, "{script}");
        }
    }
}
