//! Several matches of one server.

use std::thread;

use end_to_end::run::Server;
use end_to_end::uecda::{Fault, Phase, Player, Script};
use record::{EndKind, What};

fn five(name: &str) -> Vec<Player> {
    (0..5)
        .map(|i| Player::honest(&format!("{name}{i}")))
        .collect()
}

#[test]
fn a_match_that_stands_still_holds_up_no_other() {
    let server = Server::start(&["--games", "5", "--seed", "1", "--matches", "3"]);
    let mut first = five("first");
    // Without limits of time the match waits for it.
    first[4] = Player::with("slow", Script::first(Phase::AtHand, Fault::Sleep(4_000)));
    thread::scope(|scope| {
        let stuck = scope.spawn(|| server.play(&first));
        // The first match has begun when its record is there.
        while server.record_files().is_empty() {
            thread::yield_now();
        }
        for name in ["second", "third"] {
            let outcomes = server.play(&five(name));
            assert!(outcomes.iter().all(|o| o.finished), "{outcomes:?}");
        }
        server.wait_for_results(2);
        let mut closed = server.closed();
        closed.sort();
        assert_eq!(closed, ["second0", "third0"]);
        let outcomes = stuck.join().expect("players");
        assert!(outcomes.iter().all(|o| o.finished), "{outcomes:?}");
    });
    let finished = server.finish();
    assert!(finished.status.success());
    let mut seeds: Vec<Option<u64>> = Vec::new();
    for record in &finished.records {
        match &record.events.last().expect("events").what {
            What::Result { kinds, seed, .. } => {
                assert_eq!(kinds[..], [EndKind::Normal; 5]);
                seeds.push(*seed);
            }
            other => panic!("{other:?}"),
        }
    }
    seeds.sort_unstable();
    assert_eq!(seeds, [Some(1), Some(2), Some(3)]);
}
