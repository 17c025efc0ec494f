//! Many clients that say little or nothing, and leave.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use end_to_end::native::Client;
use end_to_end::patience::{connect, connect_now, wait_for};
use end_to_end::run::Server;
use end_to_end::uecda::{self, Player};

fn honest(count: usize) -> Vec<Player> {
    let names = (0..count).map(|i| format!("honest{i}"));
    names.map(|name| Player::honest(&name)).collect()
}

/// Strangers that send this and no more.
fn strangers(port: u16, count: usize, bytes: &[u8]) -> Vec<TcpStream> {
    let stranger = |_| {
        let mut stream = connect(port).expect("a connection");
        // It may be turned away.
        let _ = stream.write_all(bytes);
        stream
    };
    (0..count).map(stranger).collect()
}

#[test]
fn a_crowd_leaves_descriptors_for_the_records() {
    for files in [120, 121, 122] {
        let mut server = Server::with_files(files, "uecda --games 2 --json --log .");
        let profile = Player::honest("stranger").profile().bytes();
        let crowd = strangers(server.port, 200, &profile);
        assert!(server.is_running());
        drop(crowd);
        // Those that were seated are noticed to have left.
        wait_for("seats for honest players", || {
            let mut stream = connect_now(server.port).ok()?;
            let mut wire = uecda::Wire::new(stream.try_clone().ok()?);
            let _ = wire.send(&Player::honest("probe").profile());
            let number = wire.int().ok()?;
            // The server closes its end when it has noticed that this one leaves, too.
            stream.shutdown(Shutdown::Write).ok()?;
            stream.read_to_end(&mut Vec::new()).ok()?;
            (number == 0).then_some(())
        });
        let outcomes = server.play(&honest(5));
        assert!(outcomes.iter().all(|o| o.finished), "{outcomes:?}");
        assert!(server.is_running());
        wait_for("the record of the honest", || {
            let closed = server.closed();
            closed.iter().any(|name| name == "honest0").then_some(())
        });
        server.signal("TERM");
        let finished = server.finish();
        assert!(!finished.output.contains("lost"), "{}", finished.output);
    }
}

#[test]
fn a_crowd_without_a_hello_lets_players_in() {
    let server = Server::serve("score-four --games 1 --once");
    let mut silent = strangers(server.port, 320, b"");
    let began = Instant::now();
    let mut clients = Client::pair(server.port);
    // The one that came last is still there: nobody has waited for the ten seconds of a greeting to be over. A machine so busy
    // that they are over by now cannot tell.
    let last = &mut silent[319];
    last.set_nonblocking(true).expect("a socket");
    let early = last.read(&mut [0]).map_err(|error| error.kind());
    assert!(
        early == Err(ErrorKind::WouldBlock) || began.elapsed() > Duration::from_secs(8),
        "{early:?}"
    );
    // The one that has waited longest was told why it had to go.
    let mut said = String::new();
    silent[0].read_to_string(&mut said).expect("a clean close");
    assert!(said.contains(r#""code":"hello""#), "{said}");
    clients[0].say(r#"{"type":"resign"}"#);
    clients[1].wait_for("result");
    assert!(server.finish().status.success());
}

/// Who runs a server reads off its exit status whether a match was cut off.
#[test]
fn a_server_that_is_stopped_while_nobody_plays_has_lost_no_match() {
    for contest in ["uecda", "geister", "score-four", "blokus"] {
        for (options, code) in [("--json", 0), ("--json --once", 130)] {
            let server = Server::serve(&format!("{contest} {options}"));
            server.signal("TERM");
            let finished = server.finish();
            assert_eq!(finished.status.code(), Some(code), "{contest} {options}");
            assert_eq!((&finished.output[..], finished.records.len()), ("", 0));
        }
    }
}
