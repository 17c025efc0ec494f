//! The clients that wait at one port for their game.

use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use program::network_of;
use protocol::gat::Names;
use tokio::time::Instant;

use crate::lobby::CLIENTS;
use crate::lobby::handshakes::to_let_go;
use crate::referee::gat::Entrant;
use crate::table::link::{Link, Writes};
use crate::table::socket::Socket;

/// A client that waits for its game: it may set up meanwhile, and it may leave.
#[derive(Debug)]
pub struct GatClient {
    pub(crate) link: Link,
    /// Its state as an entrant: placement, name and refused lines.
    pub entrant: Entrant,
    from: IpAddr,
    has_spoken: bool,
    epoch: Instant,
}

impl GatClient {
    /// Greets a client that has connected; `epoch` is the zero of the clock.
    pub fn greet(stream: impl Into<Socket>, names: Names, epoch: Instant) -> GatClient {
        let mut link = Link::new(stream, Writes::OneMessage);
        let entrant = Entrant::new(names);
        link.push(&entrant.greet());
        let from = link.peer().map(|address| network_of(address.ip()));
        GatClient {
            from: from.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)),
            link,
            entrant,
            has_spoken: false,
            epoch,
        }
    }

    /// Sends what waits and answers what has come. Ready when the client has left.
    pub fn poll_left(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut space = [0; 512];
        let _ = self.link.poll_flush(cx);
        let Poll::Ready(read) = self.link.poll_read(cx, &mut space) else {
            return Poll::Pending;
        };
        match read {
            Ok(n) => {
                self.has_spoken |= n > 0;
                let GatClient { link, entrant, .. } = self;
                let mut send = |answer: Bytes| link.push(&answer);
                entrant.receive(&space[..n], self.epoch.elapsed(), &mut send);
                // One that never stops sending is no reason to let others wait.
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Err(error) => {
                let silent = if self.has_spoken {
                    ""
                } else {
                    ", and has said nothing: its own output tells why"
                };
                log::info!(target: CLIENTS, "a client left before its game{silent}: {error}");
                Poll::Ready(())
            }
        }
    }

    /// Closes its connection cleanly.
    pub async fn close(self) {
        self.link.close(false).await;
    }
}

/// Clients in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Queue(pub(super) VecDeque<GatClient>);

impl Queue {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn push(&mut self, client: GatClient) {
        self.0.push_back(client);
    }

    /// Answers those that wait; those that have left wait no longer.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) {
        self.0
            .retain_mut(|client| client.poll_left(cx).is_pending());
    }

    /// Takes out the one that is let go when room is needed, of those that have not set up.
    pub(super) fn take_silent(&mut self) -> Option<GatClient> {
        let silent = self.0.iter().enumerate();
        let silent = silent.filter(|(_, client)| !client.entrant.has_set());
        let (places, addresses): (Vec<usize>, Vec<IpAddr>) =
            silent.map(|(place, client)| (place, client.from)).unzip();
        self.0.remove(places[to_let_go(&addresses)?])
    }

    /// The client that has waited longest of those that have set up, or of all if none has: one that
    /// is slow, or whose machine has gone without a word, keeps nobody back that is ready.
    fn next(&self) -> Option<usize> {
        let has_set = |client: &GatClient| client.entrant.has_set();
        let set = self.0.iter().position(has_set);
        set.or_else(|| (!self.is_empty()).then_some(0))
    }

    /// The next client of each queue, if both have one that has not left.
    pub(super) fn pop_both(first: &mut Queue, second: &mut Queue) -> Option<[GatClient; 2]> {
        if first.is_empty() || second.is_empty() {
            return None;
        }
        // What has come by now counts.
        for queue in [&mut *first, second] {
            queue.poll(&mut Context::from_waker(Waker::noop()));
        }
        let (one, other) = (first.next()?, second.next()?);
        Some([first.0.remove(one)?, second.0.remove(other)?])
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::io::{Read, Write};
    use std::net::TcpStream as Client;

    use tokio::net::TcpListener;

    use super::*;

    async fn join(queue: &mut Queue) -> Client {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = Client::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        queue.push(GatClient::greet(stream, Names::Refused, Instant::now()));
        client
    }

    /// Answers those that wait until this is so.
    async fn until(queue: &mut Queue, is_so: impl Fn(&Queue) -> bool) {
        poll_fn(|cx| {
            queue.poll(cx);
            if is_so(queue) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }

    fn set(queue: &Queue) -> usize {
        let clients = queue.0.iter();
        clients.filter(|client| client.entrant.has_set()).count()
    }

    fn pop(queue: &mut Queue) -> Option<GatClient> {
        let next = queue.next()?;
        queue.0.remove(next)
    }

    #[tokio::test]
    async fn clients_set_up_while_they_wait_and_those_that_leave_do_not() {
        let mut queue = Queue::default();
        let mut first = join(&mut queue).await;
        let left = join(&mut queue).await;
        let _third = join(&mut queue).await;
        first.write_all(b"SET:ABCD\r\n").unwrap();
        drop(left);
        until(&mut queue, |queue| set(queue) == 1 && queue.len() == 2).await;
        let mut bytes = [0; 11];
        first.read_exact(&mut bytes).unwrap();
        assert_eq!(&bytes, b"SET?\r\nOK \r\n");
        assert!(pop(&mut queue).unwrap().entrant.has_set());
        assert!(!pop(&mut queue).unwrap().entrant.has_set());
        assert!(pop(&mut queue).is_none());
    }

    #[tokio::test]
    async fn clients_that_have_set_up_go_before_those_that_have_not() {
        let mut queue = Queue::default();
        let mut clients = Vec::new();
        for _ in 0..4 {
            clients.push(join(&mut queue).await);
        }
        for (place, line) in [
            (1, "SET:AAAA\r\n"),
            (3, "SET:EFGH\r\n"),
            (2, "SET:ABCD\r\n"),
        ] {
            clients[place].write_all(line.as_bytes()).unwrap();
        }
        until(&mut queue, |queue| set(queue) == 2).await;
        for place in [2, 3, 0, 1] {
            let client = pop(&mut queue).unwrap();
            let port = clients[place].local_addr().unwrap().port();
            assert_eq!(client.link.peer().unwrap().port(), port);
        }
    }

    #[tokio::test]
    async fn the_longest_silent_is_let_go_and_nobody_that_has_set_up() {
        let mut queue = Queue::default();
        let mut clients = Vec::new();
        for _ in 0..3 {
            clients.push(join(&mut queue).await);
        }
        clients[0].write_all(b"SET:ABCD\r\n").unwrap();
        until(&mut queue, |queue| set(queue) == 1).await;
        for client in &clients[1..] {
            let silent = queue.take_silent().expect("one that says nothing");
            assert_eq!(silent.link.peer().unwrap(), client.local_addr().unwrap(),);
        }
        assert!(queue.take_silent().is_none());
        assert!(pop(&mut queue).unwrap().entrant.has_set());
    }

    #[tokio::test]
    async fn one_that_never_stops_sending_keeps_no_other_back() {
        let mut queue = Queue::default();
        let mut flood = join(&mut queue).await;
        flood.set_nonblocking(true).unwrap();
        let flooding = std::thread::spawn(move || {
            // Until the other end is closed.
            loop {
                match flood.write(&[b'x'; 4096]) {
                    Err(e) if e.kind() != std::io::ErrorKind::WouldBlock => return,
                    _ => {}
                }
            }
        });
        let mut other = join(&mut queue).await;
        other.write_all(b"SET:ABCD\r\n").unwrap();
        until(&mut queue, |queue| set(queue) == 1).await;
        drop(queue);
        flooding.join().unwrap();
    }
}
