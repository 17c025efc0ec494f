//! One port that is always listened on.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::seat::close_cleanly;

/// Connections that are closed cleanly at the same time; more are just dropped.
const MOST_TURNED_AWAY: usize = 64;

/// A port and those that are turned away at it.
#[derive(Debug)]
pub(super) struct Door {
    listener: TcpListener,
    turned_away: Arc<Semaphore>,
}

impl Door {
    /// Listens.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub(super) async fn open(host: &str, port: u16) -> io::Result<Door> {
        Ok(Door {
            listener: TcpListener::bind((host, port)).await?,
            turned_away: Arc::new(Semaphore::new(MOST_TURNED_AWAY)),
        })
    }

    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The next client. Nothing is lost when this is given up before it is ready.
    pub(super) async fn accept(&self) -> (TcpStream, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok((stream, from)) => {
                    if let Err(e) = stream.set_nodelay(true) {
                        log::debug!("{from}: TCP_NODELAY: {e}");
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
    pub(super) fn turn_away(&self, stream: TcpStream, closing: &TaskTracker) {
        if let Ok(permit) = Arc::clone(&self.turned_away).try_acquire_owned() {
            closing.spawn(async move {
                close_cleanly(stream).await;
                drop(permit);
            });
        }
    }
}
