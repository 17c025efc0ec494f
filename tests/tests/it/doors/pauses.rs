//! Servers that stand still for a while, and standard errors that nobody reads.

use std::io::{Write as _, pipe};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use end_to_end::native::Client;
use end_to_end::patience::FreePort;
use end_to_end::programs::{self, end_of};
use end_to_end::run::Server;

const PAUSE: Duration = Duration::from_secs(4);

/// Stops the server, lets a player move, and lets the server go on when the time for the move is long over.
fn pause(server: &Server, moves: impl FnOnce()) {
    server.signal("STOP");
    moves();
    thread::sleep(PAUSE);
    server.signal("CONT");
}

#[test]
fn a_move_that_has_come_counts_when_the_server_stood_still() {
    let server = Server::serve("score-four --games 9 --move-ms 3000");
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
fn a_standard_error_that_is_not_read_holds_nobody_up() {
    let (unread, mut stderr) = pipe().expect("a pipe");
    let own = stderr.try_clone().expect("a descriptor");
    // It is full before the first line.
    thread::spawn(move || while stderr.write(&[b'-'; 4096]).is_ok() {});
    thread::sleep(Duration::from_millis(300));
    let free = FreePort::new().expect("a port");
    let port = free.number;
    let server = Command::new(programs::taikyoku())
        .args(["serve", "score-four", "--port", &port.to_string()])
        .args(["--games", "1", "--matches", "2"])
        .env("RUST_LOG", "info")
        .stdout(Stdio::null())
        .stderr(own)
        .spawn()
        .expect("the server starts");
    for _ in 0..2 {
        let mut clients = Client::pair(port);
        clients[0].say(r#"{"type":"resign"}"#);
        assert_eq!(clients[1].wait_for("result")["end"], "resign");
        assert!(clients.iter_mut().all(Client::is_closed));
    }
    end_of(server).good();
    drop(unread);
}
