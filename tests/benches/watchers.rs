//! What watchers cost a table: `cargo bench -p end-to-end --bench watchers`. Two clients play score four, one move each
//! few milliseconds, without watchers and with 200; each watcher gets every line. Timed is each move, from its line until
//! the mover reads that it was played. `TAIKYOKU_WATCH_GAMES` is the number of games of each kind (default 100). With
//! `-- page` the watchers are pages at a gateway, which is the only watcher of the server.

use std::env;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use end_to_end::native::Client;
use end_to_end::run::Server;
use end_to_end::web::{Gateway, Page};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc::{self, Sender};
use tokio_tungstenite::tungstenite::Message;

const WATCHERS: usize = 200;

const PACE: Duration = Duration::from_millis(5);

const HELLO: &[u8] = b"{\"type\":\"hello\",\"versions\":[1],\"name\":\"\",\"watch\":true}\n";

/// Watches to the end; tells when the first line is there, and gives how many lines there were.
async fn watch(port: u16, seated: Sender<()>) -> io::Result<usize> {
    let mut stream = TcpStream::connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
    stream.write_all(HELLO).await?;
    let (mut space, mut lines) = (vec![0; 1 << 16], 0);
    loop {
        let n = stream.read(&mut space).await?;
        if n == 0 {
            return Ok(lines);
        }
        if lines == 0 {
            let _ = seated.send(()).await;
        }
        lines += space[..n].split(|byte| *byte == b'\n').count() - 1;
    }
}

/// So many watchers in a thread; they are there when this comes back. Gives how many lines each got.
fn watchers(port: u16, count: usize) -> JoinHandle<Vec<usize>> {
    let (all, mut seated) = mpsc::channel(count.max(1));
    let watching = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.expect("a runtime").block_on(async {
            let tasks: Vec<_> = (0..count)
                .map(|_| tokio::spawn(watch(port, all.clone())))
                .collect();
            drop(all);
            let mut lines = Vec::new();
            for task in tasks {
                lines.push(task.await.expect("a watcher").expect("a connection"));
            }
            lines
        })
    });
    for _ in 0..count {
        seated.blocking_recv().expect("a watcher that is told");
    }
    watching
}

/// So many pages that watch the first match of a server, each in a thread; they are there when this comes back. Gives
/// how many messages each got.
fn pages(gateway: &Gateway, count: usize) -> JoinHandle<Vec<usize>> {
    let mut lobby = gateway.page();
    lobby.say(&json!({ "type": "watch", "source": null, "match": null }));
    let number = loop {
        let told = lobby.hear_of("lobby");
        if !told["tables"][0].is_null() {
            break told["tables"][0]["match"].clone();
        }
    };
    let watch = |_| {
        let mut page = gateway.page();
        page.say(&json!({ "type": "watch", "source": "0", "match": number }));
        page.hear_of("table");
        thread::spawn(move || messages(page))
    };
    let pages: Vec<_> = (0..count).map(watch).collect();
    thread::spawn(move || {
        let pages = pages.into_iter();
        pages.map(|page| page.join().expect("a page")).collect()
    })
}

/// How many messages a page gets until the match is over.
fn messages(mut page: Page) -> usize {
    let mut count = 0;
    while let Ok(message) = page.socket.read() {
        if let Message::Text(text) = message {
            count += 1;
            if text.contains("\"over\"") {
                break;
            }
        }
    }
    count
}

/// Plays the match; gives how long each move took.
fn play(mut clients: [Client; 2]) -> Vec<Duration> {
    let (mut times, mut mover, mut game) = (Vec::new(), 0, 0);
    loop {
        let message = clients[mover].hear();
        match message["type"].as_str() {
            // The other client reads of it later.
            Some("game") if message["game"].as_u64() > Some(game) => {
                game += 1;
                mover = first(&message);
            }
            Some("request") => {
                clients[mover].say(r#"{"type":"legal"}"#);
                let legal = clients[mover].expect("legal");
                let moves = legal["moves"].as_array().expect("moves");
                let mv = &moves[times.len() * 7 % moves.len()];
                sleep(PACE);
                let began = Instant::now();
                clients[mover].send(&json!({"type": "move", "move": mv}));
                clients[mover].expect("moved");
                times.push(began.elapsed());
                mover = 1 - mover;
            }
            Some("over") => return times,
            _ => {}
        }
    }
}

fn first(game: &Value) -> usize {
    game["players"][0].as_u64().expect("a player") as usize
}

fn bench(count: usize, is_page: bool, games: u32) {
    // The first move waits until all pages are there.
    let line = format!("score-four --watch 0 --once --games {games} --move-ms 100000");
    let server = Server::serve(&line);
    let port = server.watch.expect("a port of watchers");
    let source = format!("127.0.0.1:{port}");
    let gateway = (is_page && count > 0).then(|| Gateway::start(&["--watch", &source]));
    let watching = gateway.is_none().then(|| watchers(port, count));
    let clients = ["ana", "bo"].map(|name| Client::seated(server.port, name));
    let watching = watching
        .or_else(|| gateway.as_ref().map(|gateway| pages(gateway, count)))
        .expect("watchers of one kind");
    let mut times = play(clients);
    assert!(server.finish().status.success());
    let lines = watching.join().expect("watchers");
    assert!(
        lines.iter().all(|own| *own == lines[0]),
        "all are told the same: {lines:?}"
    );
    times.sort_unstable();
    let at = |part: usize| times[(times.len() - 1) * part / 1000].as_secs_f64() * 1000.0;
    println!(
        "{count:>3} {}: {} moves, median {:.2} ms, 99 % {:.2} ms, longest {:.2} ms; {} lines to each of them",
        if is_page { "pages" } else { "watchers" },
        times.len(),
        at(500),
        at(990),
        at(1000),
        lines.first().copied().unwrap_or_default(),
    );
}

fn main() {
    let is_test = env::args().any(|argument| argument == "--test");
    let games = env::var("TAIKYOKU_WATCH_GAMES").map_or(100, |n| n.parse().expect("a number"));
    let is_page = env::args().any(|argument| argument == "page");
    for count in [0, WATCHERS, 0, WATCHERS] {
        bench(count, is_page, if is_test { 1 } else { games });
    }
}
