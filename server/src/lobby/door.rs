//! One port that is always listened on.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::table::link::close_cleanly;

/// Connections that are closed cleanly at the same time; more are just dropped.
const MOST_TURNED_AWAY: usize = 64;

/// How long a client may be silent before the system asks whether its machine is still there.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// How often it asks then, until it gives the connection up.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);

/// A port and those that are turned away at it.
#[derive(Debug)]
pub(crate) struct Door {
    listener: TcpListener,
    turned_away: Arc<Semaphore>,
}

impl Door {
    /// Listens.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub(crate) async fn open(host: &str, port: u16) -> io::Result<Door> {
        Ok(Door {
            listener: TcpListener::bind((host, port)).await?,
            turned_away: Arc::new(Semaphore::new(MOST_TURNED_AWAY)),
        })
    }

    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The next client. Nothing is lost when this is given up before it is ready.
    pub(crate) async fn accept(&self) -> (TcpStream, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok((stream, from)) => {
                    if let Err(e) = stream.set_nodelay(true) {
                        log::debug!("{from}: TCP_NODELAY: {e}");
                    }
                    // A client whose machine has gone without a word would wait for ever.
                    let keepalive = TcpKeepalive::new()
                        .with_time(KEEPALIVE)
                        .with_interval(KEEPALIVE_INTERVAL);
                    if let Err(e) = SockRef::from(&stream).set_tcp_keepalive(&keepalive) {
                        log::debug!("{from}: keepalive: {e}");
                    }
                    return (stream, from);
                }
                Err(e) => {
                    // Out of file descriptors, or the client was gone before it was accepted.
                    log::warn!("accept: {e}");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }

    /// Closes a connection cleanly, without waiting for it.
    pub(crate) fn turn_away(&self, stream: TcpStream, closing: &TaskTracker) {
        if let Ok(permit) = Arc::clone(&self.turned_away).try_acquire_owned() {
            closing.spawn(async move {
                close_cleanly(stream).await;
                drop(permit);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn clients_that_go_without_a_word_are_noticed() {
        let door = Door::open("127.0.0.1", 0).await.unwrap();
        let _client = std::net::TcpStream::connect(door.address().unwrap()).unwrap();
        let (stream, _) = door.accept().await;
        let socket = SockRef::from(&stream);
        assert!(socket.keepalive().unwrap() && stream.nodelay().unwrap());
    }
}
