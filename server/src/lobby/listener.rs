//! One port that is always listened on.

use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use program::Permits;
use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, Semaphore, mpsc};
use tokio_util::task::TaskTracker;

#[cfg(target_os = "linux")]
use crate::config::limits::UNCONFIRMED;
use crate::config::limits::{KEEPALIVE, KEEPALIVE_INTERVAL, MOST_TURNED_AWAY};
use crate::lobby::CLIENTS;
use crate::table::link::close_cleanly;
use crate::table::socket::{Pipe, Socket};

/// A port and those that are turned away at it.
#[derive(Debug)]
pub struct Listener {
    clients: Clients,
    turned_away: Arc<Semaphore>,
}

#[derive(Debug)]
enum Clients {
    Port(TcpListener),
    Pipes(Mutex<mpsc::UnboundedReceiver<Box<dyn Pipe>>>),
}

impl Listener {
    pub async fn open(host: &str, port: u16) -> io::Result<Listener> {
        let listener = TcpListener::bind((host, port)).await?;
        Ok(Listener::of(listener))
    }

    /// The door of a port that is open already.
    pub fn of(listener: TcpListener) -> Listener {
        Listener::to(Clients::Port(listener))
    }

    /// A door without a port, at which connections come in this way.
    pub fn of_pipes(pipes: mpsc::UnboundedReceiver<Box<dyn Pipe>>) -> Listener {
        Listener::to(Clients::Pipes(Mutex::new(pipes)))
    }

    fn to(clients: Clients) -> Listener {
        Listener {
            clients,
            turned_away: Arc::new(Semaphore::new(MOST_TURNED_AWAY)),
        }
    }

    pub fn address(&self) -> io::Result<SocketAddr> {
        match &self.clients {
            Clients::Port(listener) => listener.local_addr(),
            Clients::Pipes(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// The next client at a port. Nothing is lost when this is given up before it is ready.
    pub async fn accept(&self) -> (TcpStream, SocketAddr) {
        let Clients::Port(listener) = &self.clients else {
            return pending().await;
        };
        loop {
            match listener.accept().await {
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

    /// The next client that has a permit. Others are told so in these bytes and turned away. Nothing is
    /// lost when this is given up before it is ready.
    pub(crate) async fn admit(
        &self,
        permits: &Permits,
        farewell: &[u8],
        closing: &TaskTracker,
    ) -> (Socket, SocketAddr) {
        loop {
            let (mut socket, from) = match &self.clients {
                Clients::Port(_) => {
                    let (stream, from) = self.accept().await;
                    (Socket::from(stream), from)
                }
                Clients::Pipes(pipes) => {
                    let pipe = pipes.lock().await.recv().await;
                    let Some(pipe) = pipe else {
                        return pending().await;
                    };
                    let from = pipe.peer();
                    (pipe.into(), from)
                }
            };
            match permits.take(from.ip(), 1) {
                Ok(permit) => return (socket.with_permit(permit), from),
                Err(why) => {
                    log::warn!(target: CLIENTS, "{from}: turned away, {why}");
                    socket.write_first(farewell);
                    self.turn_away(socket, closing);
                }
            }
        }
    }

    /// Closes a connection cleanly, without waiting for it.
    pub fn turn_away(&self, stream: impl Into<Socket>, closing: &TaskTracker) {
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
        let door = Listener::open("127.0.0.1", 0).await.unwrap();
        let _client = std::net::TcpStream::connect(door.address().unwrap()).unwrap();
        let (stream, _) = door.accept().await;
        let socket = SockRef::from(&stream);
        assert!(socket.keepalive().unwrap() && stream.nodelay().unwrap());
        #[cfg(target_os = "linux")]
        assert_eq!(socket.tcp_user_timeout().unwrap(), Some(UNCONFIRMED));
    }
}
