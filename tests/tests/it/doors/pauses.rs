//! Servers that stand still for a while, and outputs that nobody reads.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use end_to_end::native::Client;
use end_to_end::programs;
use end_to_end::run::{Server, listening, signal};

const PAUSE: Duration = Duration::from_millis(1500);

/// Stops the server, lets a player move, and lets the server go on when the time for the move is long over.
fn pause(server: &Server, moves: impl FnOnce()) {
    server.signal("STOP");
    moves();
    thread::sleep(PAUSE);
    server.signal("CONT");
}

#[test]
fn a_move_that_has_come_counts_when_the_server_stood_still() {
    let server = Server::serve("score-four --games 9 --move-ms 1000");
    for _ in 0..2 {
        let mut clients = Client::pair(server.port);
        pause(&server, || clients[0].play("a1"));
        let next = clients[1].hear();
        assert_eq!(next["type"], "moved", "{next}");
        for client in clients {
            client.cut();
        }
    }
}

#[test]
fn an_output_that_is_not_read_stops_no_table_and_no_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let (unread, full) = std::io::pipe().expect("a pipe");
    let mut filler = full.try_clone().expect("a pipe");
    // Until the pipe is full; the rest waits for ever.
    thread::spawn(move || filler.write_all(&vec![b'x'; 1 << 20]));
    thread::sleep(Duration::from_millis(200));
    let mut server = Command::new(programs::taikyoku())
        .args([
            "serve",
            "score-four",
            "--port",
            "0",
            "--games",
            "1",
            "--json",
        ])
        .current_dir(folder.path())
        .env("RUST_LOG", "error")
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let port = listening(&mut server, 1)[0];
    for _ in 0..20 {
        let mut clients = Client::pair(port);
        clients[0].say(r#"{"type":"resign"}"#);
        clients[1].wait_for("result");
        assert!(clients.iter_mut().all(Client::is_closed));
    }
    let asked = Instant::now();
    signal(&server, "TERM");
    let ended = loop {
        if server.try_wait().expect("a child").is_some() {
            break true;
        }
        if asked.elapsed() > Duration::from_secs(10) {
            break false;
        }
        thread::sleep(Duration::from_millis(10));
    };
    let _ = server.kill();
    let _ = server.wait();
    drop(unread);
    assert!(ended, "the server ends");
}
