//! The programs before a connection: in every game they say the same while they wait for a server, and when none comes.

use std::net::SocketAddr;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};

const PROGRAMS: [(&str, &[&str]); 5] = [
    (env!("CARGO_BIN_EXE_daihinmin"), &[]),
    (env!("CARGO_BIN_EXE_geister"), &[]),
    (env!("CARGO_BIN_EXE_blokus"), &[]),
    (env!("CARGO_BIN_EXE_dobutsu"), &[]),
    (env!("CARGO_BIN_EXE_score-four"), &["play"]),
];

/// A port of this machine at which nobody listens. No other test gets it while this is there: only a listener that asks for
/// this very port.
pub(crate) struct ClosedPort {
    pub(crate) number: u16,
    _bound: Socket,
}

impl ClosedPort {
    pub(crate) fn new() -> ClosedPort {
        let bound = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        bound.set_reuse_address(true).expect("an option");
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        bound.bind(&any.into()).expect("a port");
        let address = bound.local_addr().expect("an address").as_socket();
        ClosedPort {
            number: address.expect("a port").port(),
            _bound: bound,
        }
    }
}

fn ask(program: &str, words: &[&str], port: u16, seconds: &str, log: &str) -> Output {
    Command::new(program)
        .args(words)
        .args([
            "--engine",
            "random",
            "--host",
            "127.0.0.1",
            "--connect-timeout",
            seconds,
        ])
        .args(["--port", &port.to_string()])
        .env("RUST_LOG", log)
        .output()
        .expect("the program starts")
}

#[test]
fn every_program_says_at_once_that_it_waits_and_then_what_helps() {
    for (program, words) in PROGRAMS {
        let closed = ClosedPort::new();
        let port = closed.number;
        let began = Instant::now();
        let output = ask(program, words, port, "0.8", "warn");
        assert!(began.elapsed() >= Duration::from_millis(800), "{program}");
        let said = String::from_utf8_lossy(&output.stderr);
        let [waiting, ended] = said.lines().collect::<Vec<_>>()[..] else {
            panic!("{program}: {said}");
        };
        assert_eq!(waiting, format!("waiting for 127.0.0.1:{port} ..."));
        let due = format!("cannot connect to 127.0.0.1:{port}: ");
        assert!(ended.contains(&due), "{program}: {ended}");
        assert!(
            ended.ends_with("Is the server running, and is the port right?"),
            "{program}: {ended}"
        );
        assert!(!output.status.success());
    }
}

#[test]
fn a_host_without_an_address_is_no_matter_of_the_port() {
    for (program, words) in [PROGRAMS[0], PROGRAMS[1], PROGRAMS[4]] {
        let output = Command::new(program)
            .args(words)
            .args([
                "--engine",
                "random",
                "--host",
                "no.such.host.invalid",
                "--port",
                "1",
            ])
            .output()
            .expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr);
        let ended = said.trim_end().ends_with("Is the name of the host right?");
        assert!(ended, "{program}: {said}");
    }
}

#[test]
fn a_short_wait_is_not_told_and_none_where_warnings_are_not_wanted() {
    let (program, words) = PROGRAMS[4];
    for (seconds, log) in [("0.05", "warn"), ("0.8", "error")] {
        let port = ClosedPort::new();
        let output = ask(program, words, port.number, seconds, log);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            !said.contains("waiting for") && said.contains("cannot connect"),
            "{said}"
        );
    }
}

#[test]
fn a_token_of_the_variable_does_not_end_another_protocol() {
    let closed = ClosedPort::new();
    let port = closed.number.to_string();
    let ask = |more: &[&str]| {
        let status = Command::new(env!("CARGO_BIN_EXE_dobutsu"))
            .args(["--engine", "random", "--protocol", "animal-shogi"])
            .args(["--port", &port, "--connect-timeout", "0"])
            .args(more)
            .env("TAIKYOKU_TOKEN", "of another match")
            .output()
            .expect("the program starts")
            .status;
        status.code()
    };
    let no_connection = Some(3);
    assert_eq!(ask(&[]), no_connection);
    assert_eq!(ask(&["--token", "x"]), Some(2));
}
