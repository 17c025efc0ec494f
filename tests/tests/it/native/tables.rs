//! Many tables at once, with strangers at the door.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use end_to_end::native::{Heard, Random};
use end_to_end::run::Server;
use serde_json::json;

const TABLES: u64 = 8;
const GAMES: u32 = 4;

#[test]
fn every_table_plays_its_match_while_strangers_knock() {
    let line = format!("--games {GAMES} --tables {TABLES} --matches {TABLES} --json");
    let server = Server::serve(&format!("score-four {line}"));
    let port = server.port;
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for knock in [
            &b"\n\n\n"[..],
            b"GET / HTTP/1.1\r\n\r\n",
            b"{\"type\":\"legal\"}\n",
            b"",
        ] {
            let done = &done;
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    // The server may have ended between the two.
                    let Ok(stream) = std::net::TcpStream::connect(("127.0.0.1", port)) else {
                        continue;
                    };
                    let _ = std::io::Write::write_all(&mut &stream, knock);
                    thread::sleep(std::time::Duration::from_millis(2));
                }
            });
        }
        let players: Vec<_> = (0..2 * TABLES)
            .map(|number| {
                let player = Random::new(&format!("player {number}"), number);
                scope.spawn(move || player.sit(port).join().expect("a player"))
            })
            .collect();
        let heard: Vec<Heard> = players
            .into_iter()
            .map(|player| player.join().expect("a player"))
            .collect();
        done.store(true, Ordering::Relaxed);
        for heard in heard {
            assert!(heard.errors.is_empty(), "{:?}", heard.errors);
            let over = heard.over.expect("an end");
            assert_eq!(
                (&over["games"], &over["reason"]),
                (&json!(GAMES), &json!(null)),
                "{over}"
            );
        }
    });
    server.wait_for_results(TABLES as usize);
    for sum in server.replay_all() {
        assert_eq!((sum.games, sum.void, sum.closed), (GAMES, 0, true));
    }
    let finished = server.finish();
    assert!(finished.status.success());
    assert_eq!(finished.output.lines().count() as u64, TABLES);
}
