//! The port and its connections.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
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
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};

use crate::gateway::Gateway;
use crate::hosts::open_address;
use crate::limits::Peer;
use crate::routes::routes;
use crate::stream::Stream;

/// How long a client may take for the head of a request.
const HEAD_LIMIT: Duration = Duration::from_secs(10);
/// How long it may take for the body.
const BODY_LIMIT: Duration = Duration::from_secs(10);
/// How long it may read so little of what waits for it that less than these bytes can be written to it.
const UNREAD_LIMIT: Duration = Duration::from_secs(20);
const LEAST_READ: usize = 128 << 10;
/// Size of the send buffer that the system is asked for, in bytes. Linux reports a connection as writable again only once
/// about a third of the buffer is free, and by itself lets it grow to megabytes: a client that reads slowly all the time
/// would then seem to read nothing for a long time.
const SEND_BUFFER: usize = 128 << 10;
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
    /// How long a client may take for the body of a request.
    body_limit: Duration,
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
            body_limit: BODY_LIMIT,
        })
    }

    /// The address of the page for this machine.
    pub fn address(&self) -> SocketAddr {
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        SocketAddr::new(ip, self.address.port())
    }

    /// The address of the page for other machines; `None` where they do not reach it, or their network is not known.
    pub fn open_address(&self) -> Option<SocketAddr> {
        open_address(self.address)
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
                    let permit = match self.gateway.limits.connect(address) {
                        Ok(permit) => permit,
                        Err(limit) => {
                            debug!("{address}: {limit}");
                            continue;
                        }
                    };
                    let peer = Peer {
                        address,
                        permit: Arc::new(permit),
                        request: None,
                        listening: self.address,
                        body_limit: self.body_limit,
                    };
                    tokio::spawn(serve(stream, peer, self.routes.clone(), UNREAD_LIMIT));
                }
                Err(e) => {
                    warn!("a connection cannot be taken: {e}");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }
}

async fn serve(stream: TcpStream, peer: Peer, routes: Router, unread_limit: Duration) {
    if let Err(e) = stream.set_nodelay(true) {
        debug!("no delay: {e}");
    }
    if let Err(e) = SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER) {
        debug!("no size of the send buffer: {e}");
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
        .serve_connection(
            TokioIo::new(Stream::new(stream, unread_limit, LEAST_READ)),
            service,
        )
        .with_upgrades()
        .await;
    if let Err(e) = served {
        debug!("a connection: {e}");
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::net::Ipv4Addr;
    use std::path::PathBuf;

    use axum::body::Bytes;
    use axum::routing::get;
    use games::GameName;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpSocket;
    use tokio::task::JoinHandle;
    use tokio::time::{interval, timeout};

    use super::*;
    use crate::Options;
    use crate::catalogue::find_files;
    use crate::limits::Limits;

    /// A page on a free port of this machine, whose programs are nowhere. It ends with its gateway.
    pub(crate) async fn serve_page(body_limit: Duration) -> (SocketAddr, Arc<Gateway>) {
        let gateway = Gateway::new(Options {
            programs: PathBuf::from("nowhere"),
            records: None,
            keeps_tables: false,
            watch: Vec::new(),
            trust: None,
            viewer: None,
            acts: true,
            host_names: Vec::new(),
            behind_proxy: false,
        });
        let gateway = gateway.expect("a gateway");
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let listener = Listener::bind(address, gateway.clone()).await;
        let mut listener = listener.expect("a port");
        listener.body_limit = body_limit;
        let address = listener.address();
        tokio::spawn(listener.run());
        (address, gateway)
    }

    /// The whole answer to a request, which ends with the connection.
    pub(crate) async fn ask(address: SocketAddr, what: &str, headers: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        let request = format!(
            "{what} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             {headers}\r\n{body}"
        );
        let sent = stream.write_all(request.as_bytes()).await;
        sent.expect("the request is sent");
        let mut answer = String::new();
        let read = stream.read_to_string(&mut answer).await;
        read.expect("an answer");
        answer
    }

    #[tokio::test]
    async fn a_body_that_does_not_come_holds_no_connection() {
        let (address, gateway) = serve_page(Duration::from_millis(50)).await;
        for path in ["/api/tables", "/api/acts"] {
            let answer = ask(
                address,
                &format!("POST {path}"),
                "Content-Length: 100\r\n",
                "{",
            )
            .await;
            assert!(answer.starts_with("HTTP/1.1 408 "), "{path}: {answer}");
        }
        gateway.stop().await;
    }

    #[tokio::test]
    async fn an_engine_without_its_table_is_refused_without_names_of_folders() {
        // The machine may have the table. Another test covers the sentence itself.
        if find_files(GameName::Dobutsu, "perfect").is_ok() {
            return;
        }
        let (address, gateway) = serve_page(BODY_LIMIT).await;
        let seats = r#"[{"kind":"person"},{"kind":"bot","spec":"perfect"}]"#;
        let body = format!(r#"{{"game":"dobutsu","seats":{seats}}}"#);
        let headers = format!("Connection: close\r\nContent-Length: {}\r\n", body.len());
        let answer = ask(address, "POST /api/tables", &headers, &body).await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
        let error = r#"{"error":"perfect cannot play: it needs the table of dobutsu-solve"}"#;
        assert!(answer.ends_with(error), "{answer}");
        gateway.stop().await;
    }

    #[tokio::test]
    async fn the_journal_of_a_league_is_not_downloaded() {
        let (address, gateway) = serve_page(BODY_LIMIT).await;
        let journal = gateway.records().join("journal.jsonl");
        std::fs::write(journal, "{\"taikyoku-league\":1,\"seed\":\"5ec7e7\"}\n").expect("written");
        let headers =
            "Connection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n";
        for (method, path, body) in [
            ("GET", "", ""),
            ("GET", "/games/1", ""),
            ("POST", "/games/1/plies/0", "{}"),
            ("GET", "/download", ""),
            ("GET", "/sheet", ""),
        ] {
            let what = format!("{method} /api/records/journal{path}");
            let headers = if body.is_empty() {
                "Connection: close\r\n"
            } else {
                headers
            };
            let answer = ask(address, &what, headers, body).await;
            assert!(answer.starts_with("HTTP/1.1 4"), "{path}: {answer}");
            assert!(!answer.contains("5ec7e7"), "{path}: {answer}");
        }
        gateway.stop().await;
    }

    #[tokio::test]
    async fn a_record_is_sent_under_its_name_whatever_that_is() {
        let (address, gateway) = serve_page(BODY_LIMIT).await;
        let record = r#"{"taikyoku-record":1,"game":"dobutsu","match":"m","tongue":"native","players":[{"name":"a"},{"name":"b"}],"games":1,"rules":{},"started":"","server":""}"#;
        let path = gateway.records().join("\u{6c7a}\u{52dd} \"1\".jsonl");
        std::fs::write(path, record).expect("written");
        let get = |path: &str| {
            let what = format!("GET /api/records{path}");
            async move { ask(address, &what, "Connection: close\r\n", "").await }
        };
        let name = "%E6%B1%BA%E5%8B%9D%20%221%22";
        let list = get("").await;
        assert!(list.contains(&format!(r#""id":"{name}""#)), "{list}");
        // The page encodes the name that it is told once more.
        let id = name.replace('%', "%25");
        for part in ["", "/games/1"] {
            let answer = get(&format!("/{id}{part}")).await;
            let status = if part.is_empty() { "200" } else { "404" };
            assert!(
                answer.starts_with(&format!("HTTP/1.1 {status} ")),
                "{answer}"
            );
        }
        let sent = get(&format!("/{id}/download")).await;
        let named = format!("attachment; filename*=UTF-8''{name}.jsonl\r\n");
        assert!(sent.contains(&named) && sent.contains(record), "{sent}");
        gateway.stop().await;
    }

    /// A client that asks for this answer, and the task that serves it for so long while nothing is read.
    async fn serve_one(content: Bytes, unread_limit: Duration) -> (TcpStream, JoinHandle<()>) {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let port = port.expect("a port");
        let address = port.local_addr().expect("an address");
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_recv_buffer_size(4 << 10).expect("a small one");
        let client = socket.connect(address).await;
        let mut client = client.expect("a connection");
        let request = format!("GET / HTTP/1.1\r\nHost: {address}\r\n\r\n");
        let sent = client.write_all(request.as_bytes()).await;
        sent.expect("the request is sent");
        let (stream, from) = port.accept().await.expect("a connection");
        let limits = Arc::<Limits>::default();
        let peer = Peer {
            address: from.ip(),
            permit: Arc::new(limits.connect(from.ip()).expect("room")),
            request: None,
            listening: from,
            body_limit: BODY_LIMIT,
        };
        let routes = Router::new().route("/", get(async || content));
        let served = tokio::spawn(serve(stream, peer, routes, unread_limit));
        (client, served)
    }

    /// More than the buffers of the system take.
    fn large() -> Bytes {
        Bytes::from(vec![0; 64 << 20])
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_holds_neither_its_connection_nor_its_answer() {
        let large = large();
        let (client, served) = serve_one(large.clone(), Duration::from_millis(50)).await;
        let ended = timeout(Duration::from_mins(1), served).await;
        let ended = ended.expect("the connection is given up");
        ended.expect("no panic");
        assert!(large.is_unique(), "the answer is dropped");
        drop(client);
    }

    #[tokio::test]
    async fn a_client_that_reads_a_little_all_the_time_is_cut_off() {
        let limit = Duration::from_secs(1);
        let (mut client, served) = serve_one(large(), limit).await;
        // A send buffer that is never full for the whole of the limit.
        let mut ticks = interval(limit / 4);
        let mut part = vec![0; SEND_BUFFER / 8];
        let reads = async {
            while client.read_exact(&mut part).await.is_ok() {
                ticks.tick().await;
            }
        };
        let ended = timeout(Duration::from_mins(1), async {
            tokio::join!(served, reads)
        })
        .await;
        ended.expect("it is given up").0.expect("no panic");
    }

    #[tokio::test]
    async fn a_client_that_reads_slowly_all_the_time_keeps_its_connection() {
        let limit = Duration::from_secs(1);
        let (mut client, served) = serve_one(large(), limit).await;
        // It reads 800 KiB within the limit, a little at a time. A send buffer that has grown holds megabytes.
        let mut ticks = interval(limit / 100);
        let mut part = [0; 8 << 10];
        for _ in 0..150 {
            ticks.tick().await;
            client.read_exact(&mut part).await.expect("more to read");
        }
        assert!(!served.is_finished(), "it reads all the time");
        served.abort();
    }
}
