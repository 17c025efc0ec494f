//! Many clients that say little or nothing, and leave.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use end_to_end::gat::{Host, Wire, leave};
use end_to_end::native::{Client, serve};
use end_to_end::patience::{connect, wait_for};
use end_to_end::run::{Server, sit_at};
use end_to_end::uecda::{self, Fault, Phase, Player, Script};
use record::{EndKind, What};

/// How long an honest client may wait for its seat, whatever strangers do.
const SOON: Duration = Duration::from_secs(5);

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
fn strangers_that_say_little_hold_no_door() {
    let server = Server::start(&["--games", "2", "--once"]);
    let _strangers = strangers(server.port, 3, b"x");
    let began = Instant::now();
    let players = sit_at(server.port, &honest(5));
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    for player in players {
        let outcome = player.join().expect("a thread").expect("a connection");
        assert!(outcome.finished, "{outcome:?}");
    }
    assert!(server.finish().status.success());
}

#[test]
fn a_number_is_free_again_when_its_client_leaves_before_the_match() {
    let server = Server::start(&["--games", "2", "--once"]);
    let mut players = honest(7);
    for (place, phase) in [(1, Phase::AfterProfile), (3, Phase::AfterNumber)] {
        players[place].script = Some(Script::first(phase, Fault::Leave));
    }
    let mut outcomes = Vec::new();
    for player in players {
        let leaves = player.script.is_some();
        let port = server.port;
        let playing = end_to_end::patience::sit(move |seated| player.play(port, seated));
        if leaves {
            playing.join().expect("a thread").expect("a connection");
            // The server has noticed.
            std::thread::sleep(Duration::from_millis(200));
        } else {
            outcomes.push(playing);
        }
    }
    let numbers: Vec<_> = outcomes
        .into_iter()
        .map(|playing| {
            let outcome = playing.join().expect("a thread").expect("a connection");
            assert!(outcome.finished, "{outcome:?}");
            outcome.number
        })
        .collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4].map(Some));
    let finished = server.finish();
    assert!(finished.status.success());
    let last = &finished.records[0].events.last().expect("events").what;
    let What::Result { kinds, .. } = last else {
        panic!("{last:?}");
    };
    assert_eq!(kinds[..], [EndKind::Normal; 5]);
}

#[test]
fn strangers_that_say_nothing_are_no_players_where_a_profile_is_required() {
    let server = Server::start(&["--games", "2", "--once", "--require-profile"]);
    let _strangers = strangers(server.port, 5, b"");
    // Longer than silence is waited for otherwise.
    std::thread::sleep(Duration::from_millis(2500));
    let outcomes = server.play(&honest(5));
    assert!(outcomes.iter().all(|o| o.finished), "{outcomes:?}");
    assert!(server.finish().status.success());
}

#[test]
fn a_crowd_leaves_descriptors_for_the_records() {
    for files in [120, 121, 122, 123, 124, 125] {
        let options = ["--games", "2", "--json", "--log", "."];
        let mut server = Server::with_files(files, "uecda", &options);
        let profile = Player::honest("stranger").profile().bytes();
        let crowd = strangers(server.port, 200, &profile);
        assert!(server.is_running());
        drop(crowd);
        // Those that were seated are noticed to have left.
        wait_for("seats for honest players", || {
            let mut wire = uecda::Wire::new(TcpStream::connect(("127.0.0.1", server.port)).ok()?);
            let _ = wire.send(&Player::honest("probe").profile());
            let number = wire.int().ok()?;
            (number == 0).then_some(())
        });
        std::thread::sleep(Duration::from_millis(300));
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
fn a_queue_of_silent_clients_lets_players_in() {
    let host = Host::start(&["--games", "1", "--once", "--queue", "8"]);
    let _silent = strangers(host.ports[0], 20, b"");
    let began = Instant::now();
    let mut first = Wire::to(host.ports[0]);
    first.expect_line("SET?");
    first.say("SET:ABCD");
    first.expect_line("OK ");
    // Others that come later do not push it out.
    let _later = strangers(host.ports[0], 20, b"");
    let mut second = Wire::to(host.ports[1]);
    second.expect_line("SET?");
    second.say("SET:ABCD");
    second.expect_line("OK ");
    first.expect("MOV?");
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    leave([first, second]);
    assert!(host.server.finish().status.success());
}

#[test]
fn a_crowd_without_a_hello_lets_players_in() {
    let server = serve(&["--games", "1", "--once"]);
    let mut silent = strangers(server.port, 320, b"");
    let began = Instant::now();
    let mut clients = Client::pair(server.port);
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    // The one that has waited longest was told why it had to go.
    let mut said = String::new();
    silent[0].read_to_string(&mut said).expect("a clean close");
    assert!(said.contains(r#""code":"hello""#), "{said}");
    clients[0].say(r#"{"type":"resign"}"#);
    clients[1].wait_for("result");
    assert!(server.finish().status.success());
}

#[test]
fn an_address_has_so_many_connections_only() {
    let server = serve(&["--per-address", "2"]);
    let held = [(); 2].map(|()| Client::connect(server.port));
    let mut third = Client::connect(server.port);
    third.error("rate");
    assert!(third.is_closed());
    drop(held);
    std::thread::sleep(Duration::from_millis(200));
    Client::seated(server.port, "ana");
}

/// Who runs a server reads off its exit status whether a match was cut off.
#[test]
fn a_server_that_is_stopped_while_nobody_plays_has_lost_no_match() {
    for contest in ["uecda", "geister", "score-four", "blokus"] {
        for (options, code) in [(&["--json"][..], 0), (&["--json", "--once"], 130)] {
            let server = Server::serve(contest, options);
            server.signal("TERM");
            let finished = server.finish();
            assert_eq!(finished.status.code(), Some(code), "{contest} {options:?}");
            assert_eq!((&finished.output[..], finished.records.len()), ("", 0));
        }
    }
}
