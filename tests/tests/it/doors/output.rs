//! Standard error that nobody reads, and strangers that make lines of the log.

use std::io::{PipeWriter, Read as _, Write as _, pipe};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use end_to_end::native::Client;
use end_to_end::patience::{connect, wait_for};
use end_to_end::programs;
use end_to_end::run::signal;

/// A server of 3D four-in-a-row, and its port.
fn server(options: &[&str], stderr: PipeWriter) -> (Child, u16) {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = free.local_addr().expect("an address").port();
    drop(free);
    let child = Command::new(programs::taikyoku())
        .args(["serve", "score-four", "--port", &port.to_string()])
        .args(options)
        .env("RUST_LOG", "info")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(stderr)
        .spawn()
        .expect("the server starts");
    (child, port)
}

#[test]
fn a_standard_error_that_is_not_read_holds_nobody_up() {
    let (unread, mut stderr) = pipe().expect("a pipe");
    let own = stderr.try_clone().expect("a descriptor");
    // It is full before the first line.
    thread::spawn(move || while stderr.write(&[b'-'; 4096]).is_ok() {});
    thread::sleep(Duration::from_millis(300));
    let (mut server, port) = server(&["--games", "1", "--matches", "2"], own);
    for _ in 0..2 {
        let mut clients = Client::pair(port);
        clients[0].say(r#"{"type":"resign"}"#);
        assert_eq!(clients[1].wait_for("result")["end"], "resign");
        assert!(clients.iter_mut().all(Client::is_closed));
    }
    let status = wait_for("the end of the server", || {
        server.try_wait().expect("a child")
    });
    assert!(status.success());
    drop(unread);
}

#[test]
fn strangers_make_so_many_lines_of_the_log_only() {
    let (mut read, stderr) = pipe().expect("a pipe");
    let (mut server, port) = server(&["--connections", "1"], stderr);
    let reader = thread::spawn(move || {
        let mut log = String::new();
        read.read_to_string(&mut log).expect("text");
        log
    });
    let one = Client::seated(port, "ana");
    for _ in 0..500 {
        // It may be turned away before it is connected.
        drop(connect(port));
    }
    thread::sleep(Duration::from_millis(500));
    drop(one);
    signal(&server, "TERM");
    wait_for("the end of the server", || {
        server.try_wait().expect("a child")
    });
    let log = reader.join().expect("a thread");
    // The player that sits there has two lines of its own.
    let lines = log.lines().filter(|line| line.contains("turned away"));
    assert!((98..400).contains(&lines.count()), "{log}");
    let told = "more lines about clients are left out";
    assert!(log.contains(told), "{log}");
}
