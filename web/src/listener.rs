//! The port and its connections.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use log::{debug, warn};
use tokio::net::{TcpListener, TcpStream};

use crate::gateway::Gateway;
use crate::routes::{Peer, routes};

/// How long a client may take for the head of a request.
const HEAD_LIMIT: Duration = Duration::from_secs(10);
/// Most bytes of the head of a request.
const HEAD_LEN: usize = 16 << 10;
/// Pause after a connection that could not be taken.
const PAUSE: Duration = Duration::from_millis(100);

/// An open port.
pub struct Listener {
    port: TcpListener,
    address: SocketAddr,
    gateway: Arc<Gateway>,
    routes: Router,
}

impl Listener {
    /// Opens the port of a gateway.
    ///
    /// # Errors
    /// When it cannot be had.
    pub async fn bind(address: SocketAddr, gateway: Arc<Gateway>) -> io::Result<Listener> {
        let port = TcpListener::bind(address).await?;
        Ok(Listener {
            address: port.local_addr()?,
            port,
            routes: routes(gateway.clone()),
            gateway,
        })
    }

    /// The address of the port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until the gateway ends.
    pub async fn run(self) {
        loop {
            let accepted = tokio::select! {
                () = self.gateway.stopping().cancelled() => return,
                accepted = self.port.accept() => accepted,
            };
            match accepted {
                Ok((stream, from)) => {
                    let address = from.ip().to_canonical();
                    let Some(permit) = self.gateway.limits.connect(address) else {
                        debug!("{address}: too many connections");
                        continue;
                    };
                    let peer = Peer {
                        address,
                        permit: Arc::new(permit),
                        is_local: self.address.ip().is_loopback(),
                    };
                    tokio::spawn(serve(stream, peer, self.routes.clone()));
                }
                Err(e) => {
                    warn!("a connection cannot be taken: {e}");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }
}

async fn serve(stream: TcpStream, peer: Peer, routes: Router) {
    if let Err(e) = stream.set_nodelay(true) {
        debug!("no delay: {e}");
    }
    let routes = TowerToHyperService::new(routes);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(peer.clone());
        routes.call(request)
    });
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
