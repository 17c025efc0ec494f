//! The port and its connections.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use log::{debug, warn};
use tokio::net::{TcpListener, TcpStream};

use crate::routes::routes;

/// How long a client may take for the head of a request.
const HEAD_LIMIT: Duration = Duration::from_secs(10);
/// Most bytes of the head of a request.
const HEAD_LEN: usize = 16 << 10;
/// Pause after a connection that could not be taken.
const PAUSE: Duration = Duration::from_millis(100);

/// An open port.
pub struct Listener {
    port: TcpListener,
    routes: Router,
}

impl Listener {
    /// Opens the port.
    ///
    /// # Errors
    /// When it cannot be had.
    pub async fn bind(address: SocketAddr) -> io::Result<Listener> {
        let port = TcpListener::bind(address).await?;
        let routes = routes();
        Ok(Listener { port, routes })
    }

    /// The address of the port.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.port.local_addr()
    }

    /// Serves for ever.
    pub async fn run(self) {
        loop {
            match self.port.accept().await {
                Ok((stream, _)) => {
                    tokio::spawn(serve(stream, self.routes.clone()));
                }
                Err(e) => {
                    warn!("a connection cannot be taken: {e}");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }
}

async fn serve(stream: TcpStream, routes: Router) {
    let service = TowerToHyperService::new(routes);
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_LIMIT)
        .max_buf_size(HEAD_LEN)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
    if let Err(e) = served {
        debug!("a connection: {e}");
    }
}
