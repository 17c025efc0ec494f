//! The clients that wait at one port for their game.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use bytes::Bytes;
use protocol::gat::Names;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::lobby::CLIENTS;
use crate::lobby::handshakes::to_let_go;
use crate::referee::gat::Entrant;
use crate::table::link::{Link, Trouble, Writes};
use crate::table::permits::whose;
use crate::table::socket::Socket;

#[derive(Debug)]
pub(crate) struct Guest {
    pub(crate) link: Link,
    pub(crate) entrant: Entrant,
}

impl Guest {
    pub(crate) fn greet(stream: impl Into<Socket>, names: Names) -> Guest {
        let mut link = Link::new(stream, Writes::OneMessage);
        let entrant = Entrant::new(names);
        link.push(&entrant.greet());
        Guest { link, entrant }
    }

    /// Reads what is there already, which may be nothing: whether the client has left is known
    /// then.
    async fn read_now(&mut self, space: &mut [u8]) -> Result<usize, Trouble> {
        poll_fn(|cx| match self.link.poll_read(cx, space) {
            Poll::Pending => Poll::Ready(Ok(0)),
            ready @ Poll::Ready(_) => ready,
        })
        .await
    }

    fn receive(&mut self, bytes: &[u8], epoch: Instant) {
        let Guest { link, entrant } = self;
        let mut send = |answer: Bytes| link.push(&answer);
        entrant.receive(bytes, epoch.elapsed(), &mut send);
    }
}

/// A guest that waits, in a task of its own: it may set up meanwhile, and it may leave.
#[derive(Debug)]
struct Waiting {
    from: IpAddr,
    call: CancellationToken,
    has_set: Arc<AtomicBool>,
    task: JoinHandle<Option<Guest>>,
}

/// Guests in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    waiting: VecDeque<Waiting>,
}

impl Queue {
    /// How many wait and have not left.
    pub(crate) fn len(&mut self) -> usize {
        self.waiting.retain(|one| !one.task.is_finished());
        self.waiting.len()
    }

    /// Adds a guest at the end; `epoch` is the zero of the lobby's clock.
    pub(crate) fn push_back(&mut self, guest: Guest, epoch: Instant) {
        self.waiting.push_back(wait(guest, epoch));
    }

    /// Puts a guest back that was called for nothing.
    pub(crate) fn push_front(&mut self, guest: Guest, epoch: Instant) {
        self.waiting.push_front(wait(guest, epoch));
    }

    /// Takes out the one that is let go when room is needed, of those that have not set up; it is called and closed by
    /// what this gives.
    pub(crate) fn take_silent(&mut self) -> Option<impl Future<Output = ()> + Send + use<>> {
        let silent = self.waiting.iter().enumerate();
        let silent = silent.filter(|(_, one)| !one.has_set.load(Ordering::Relaxed));
        let (places, addresses): (Vec<usize>, Vec<IpAddr>) =
            silent.map(|(place, one)| (place, one.from)).unzip();
        let Waiting { call, task, .. } = self.waiting.remove(places[to_let_go(&addresses)?])?;
        call.cancel();
        Some(async move {
            if let Ok(Some(guest)) = task.await {
                guest.link.close(false).await;
            }
        })
    }

    /// The guest that has waited longest of those that have set up, or of all if none has: one that
    /// is slow, or whose machine has gone without a word, keeps nobody back that is ready.
    pub(crate) async fn pop(&mut self) -> Option<Guest> {
        let has_set = |one: &Waiting| one.has_set.load(Ordering::Relaxed);
        loop {
            self.waiting.retain(|one| !one.task.is_finished());
            let place = self.waiting.iter().position(has_set).unwrap_or(0);
            let Waiting { call, task, .. } = self.waiting.remove(place)?;
            call.cancel();
            if let Ok(Some(guest)) = task.await {
                return Some(guest);
            }
        }
    }
}

fn wait(mut guest: Guest, epoch: Instant) -> Waiting {
    let call = CancellationToken::new();
    let called = call.clone();
    // One that has left already is no longer in the queue when it is looked at.
    let from = guest.link.peer().map(|address| whose(address.ip()));
    let from = from.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    let has_set = Arc::new(AtomicBool::new(guest.entrant.has_set()));
    let set = Arc::clone(&has_set);
    let task = tokio::spawn(async move {
        let (mut space, mut has_said) = ([0; 512], false);
        loop {
            let read = poll_fn(|cx| {
                let _ = guest.link.poll_flush(cx);
                guest.link.poll_read(cx, &mut space)
            });
            // The call comes first: one that never stops sending is no reason to let others wait.
            let (read, is_called) = tokio::select! {
                biased;
                () = called.cancelled() => (guest.read_now(&mut space).await, true),
                read = read => (read, false),
            };
            match read {
                Ok(n) => {
                    has_said |= n > 0;
                    guest.receive(&space[..n], epoch);
                    set.store(guest.entrant.has_set(), Ordering::Relaxed);
                }
                Err(trouble) => {
                    let said = if has_said {
                        ""
                    } else {
                        ", and has said nothing: its own output tells why"
                    };
                    log::info!(target: CLIENTS, "a client left before its game{said}: {trouble}");
                    return None;
                }
            }
            if is_called {
                return Some(guest);
            }
        }
    });
    Waiting {
        from,
        call,
        has_set,
        task,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream as Client;

    use tokio::net::TcpListener;

    use super::*;

    async fn pair(queue: &mut Queue) -> Client {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = Client::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        queue.push_back(Guest::greet(stream, Names::Refused), Instant::now());
        client
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn guests_set_up_while_they_wait_and_come_in_their_order() {
        let mut queue = Queue::default();
        let mut first = pair(&mut queue).await;
        let left = pair(&mut queue).await;
        let _third = pair(&mut queue).await;
        first.write_all(b"SET:ABCD\r\n").unwrap();
        let mut bytes = [0; 11];
        first.read_exact(&mut bytes).unwrap();
        assert_eq!(&bytes, b"SET?\r\nOK \r\n");
        drop(left);
        while queue.len() > 2 {
            tokio::task::yield_now().await;
        }
        let guest = queue.pop().await.unwrap();
        assert!(guest.entrant.has_set());
        queue.push_front(guest, Instant::now());
        assert!(queue.pop().await.unwrap().entrant.has_set());
        assert!(!queue.pop().await.unwrap().entrant.has_set());
        assert!(queue.pop().await.is_none());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn who_has_set_up_goes_before_who_has_not() {
        let mut queue = Queue::default();
        let mut clients = Vec::new();
        for _ in 0..4 {
            clients.push(pair(&mut queue).await);
        }
        for (place, line, answers) in [
            (1, "SET:AAAA\r\n", "SET?\r\nNG \r\n"),
            (3, "SET:EFGH\r\n", "SET?\r\nOK \r\n"),
            (2, "SET:ABCD\r\n", "SET?\r\nOK \r\n"),
        ] {
            clients[place].write_all(line.as_bytes()).unwrap();
            let mut bytes = vec![0; answers.len()];
            clients[place].read_exact(&mut bytes).unwrap();
            assert_eq!(bytes, answers.as_bytes());
        }
        let is_set = |one: &Waiting| one.has_set.load(Ordering::Relaxed);
        while queue.waiting.iter().filter(|one| is_set(one)).count() < 2 {
            tokio::task::yield_now().await;
        }
        for place in [2, 3, 0, 1] {
            let guest = queue.pop().await.unwrap();
            let port = clients[place].local_addr().unwrap().port();
            assert_eq!(guest.link.peer().unwrap().port(), port);
        }
        assert!(queue.pop().await.is_none());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_longest_silent_is_let_go_and_nobody_that_has_set_up() {
        let mut queue = Queue::default();
        let mut clients = Vec::new();
        for _ in 0..3 {
            clients.push(pair(&mut queue).await);
        }
        clients[0].write_all(b"SET:ABCD\r\n").unwrap();
        let mut bytes = [0; 11];
        clients[0].read_exact(&mut bytes).unwrap();
        while !queue.waiting[0].has_set.load(Ordering::Relaxed) {
            tokio::task::yield_now().await;
        }
        for client in &mut clients[1..] {
            let closing = tokio::spawn(queue.take_silent().expect("one that says nothing"));
            let mut client = client.try_clone().unwrap();
            let mut text = String::new();
            tokio::task::spawn_blocking(move || {
                client.read_to_string(&mut text).unwrap();
                client.shutdown(std::net::Shutdown::Both).unwrap();
                assert_eq!(text, "SET?\r\n");
            })
            .await
            .unwrap();
            closing.await.unwrap();
        }
        assert!(queue.take_silent().is_none());
        assert!(queue.pop().await.unwrap().entrant.has_set());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn one_that_never_stops_sending_can_be_called() {
        let mut queue = Queue::default();
        let mut client = pair(&mut queue).await;
        client.set_nonblocking(true).unwrap();
        let flood = std::thread::spawn(move || {
            // Until the other end is closed.
            loop {
                match client.write(&[b'x'; 4096]) {
                    Err(e) if e.kind() != std::io::ErrorKind::WouldBlock => return,
                    _ => {}
                }
            }
        });
        let guest = queue.pop().await.unwrap();
        drop(guest);
        flood.join().unwrap();
    }
}
