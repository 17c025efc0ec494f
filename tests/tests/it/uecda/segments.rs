//! Clients that take each message with one read, behind a network of Ethernet segments.

use end_to_end::patience::outcome;
use end_to_end::relay::Relay;
use end_to_end::run::{Server, sit_at};
use end_to_end::uecda::Player;

const GAMES: u32 = 20;

/// The relay is late on a machine that does much else, and reads several writes of the server as
/// one piece.
const ATTEMPTS: usize = 3;

/// Most pieces that may be longer than a segment. Of a server that holds messages back most are.
const MOST_LONG: f64 = 0.01;

/// Plays a match through a relay; gives whether no player was lost, and the share of long pieces.
fn play() -> (bool, f64) {
    let server = Server::serve(&format!("uecda --games {GAMES} --seed 1 --once"));
    let relay = Relay::to(server.port);
    let players: Vec<Player> = (0..5)
        .map(|i| Player::honest(&format!("strict{i}")).strict())
        .collect();
    let mut outcomes = sit_at(relay.port, &players).into_iter().map(outcome);
    let whole = outcomes.all(|o| o.finished && o.games == GAMES);
    (whole, relay.long_share())
}

#[test]
fn clients_that_read_a_message_at_once_play_over_ethernet() {
    let mut attempts = Vec::new();
    while attempts.len() < ATTEMPTS {
        let (whole, long_share) = play();
        attempts.push((whole, long_share));
        if whole && long_share < MOST_LONG {
            println!("share of long pieces: {long_share}");
            return;
        }
    }
    panic!("whole matches and shares of long pieces: {attempts:?}");
}
