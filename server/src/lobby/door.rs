//! One port that is always listened on.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

#[cfg(target_os = "linux")]
use crate::config::limits::UNCONFIRMED;
use crate::config::limits::{KEEPALIVE, KEEPALIVE_INTERVAL, MOST_TURNED_AWAY};
use crate::lobby::CLIENTS;
use crate::table::link::close_cleanly;
use crate::table::places::Places;
use crate::table::socket::Socket;

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
                    if let Err(e) = watch(&stream) {
                        log::debug!("{from}: options of the connection: {e}");
                    }
                    return (stream, from);
                }
                Err(e) => {
                    // Out of file descriptors, or the client was gone before it was accepted.
                    log::warn!(target: CLIENTS, "accept: {e}");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }

    /// The next client that there is a place for. Others are told so in these bytes and turned away. Nothing is
    /// lost when this is given up before it is ready.
    pub(crate) async fn admit(
        &self,
        places: &Places,
        farewell: &[u8],
        closing: &TaskTracker,
    ) -> (Socket, SocketAddr) {
        loop {
            let (stream, from) = self.accept().await;
            match places.take(from.ip()) {
                Ok(place) => return (Socket::new(stream, place), from),
                Err(why) => {
                    log::warn!(target: CLIENTS, "{from}: turned away, {why}");
                    // A socket that is new takes so few bytes, or its client has left.
                    let _ = SockRef::from(&stream).send(farewell);
                    self.turn_away(stream, closing);
                }
            }
        }
    }

    /// Closes a connection cleanly, without waiting for it.
    pub(crate) fn turn_away(&self, stream: impl Into<Socket>, closing: &TaskTracker) {
        let stream = stream.into();
        if let Ok(permit) = Arc::clone(&self.turned_away).try_acquire_owned() {
            closing.spawn(async move {
                close_cleanly(stream).await;
                drop(permit);
            });
        }
    }
}

/// Sends at once, and notices a client whose machine has gone without a word: with nothing to confirm by
/// keepalives, with something by its not being confirmed.
fn watch(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let socket = SockRef::from(stream);
    let keepalive = TcpKeepalive::new()
        .with_time(KEEPALIVE)
        .with_interval(KEEPALIVE_INTERVAL);
    socket.set_tcp_keepalive(&keepalive)?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(UNCONFIRMED))?;
    Ok(())
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
        #[cfg(target_os = "linux")]
        assert_eq!(socket.tcp_user_timeout().unwrap(), Some(UNCONFIRMED));
    }
}
