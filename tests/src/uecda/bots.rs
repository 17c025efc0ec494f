//! Matches of the project's own bots over TCP.

use crate::programs::{bot, end_of, started};
use crate::run::Server;

/// Five bots play a match of `games` games on a fresh server, each with its options; nobody may be refused a move or
/// forfeit one.
pub fn play(games: u32, engines: [&str; 5]) {
    let games = games.to_string();
    let line = format!("uecda --games {games} --seed 11 --once --json");
    let server = Server::serve(&line);
    let bots = engines.map(|line| started(&mut bot("daihinmin", server.port, line)));
    for bot in bots {
        end_of(bot).good();
    }
    // The players hear of the end before the record is closed.
    server.wait_for_results(1);
    let replays = server.replay_all();
    assert!(replays[0].closed);
    assert_eq!(replays[0].games.to_string(), games);
    let finished = server.finish();
    assert!(finished.status.success());
    finished.assert_faultless();
    let json = finished.json();
    let sum: f64 = json["points"]
        .as_array()
        .expect("points")
        .iter()
        .filter_map(serde_json::Value::as_f64)
        .sum();
    assert!(
        (sum - f64::from(15 * replays[0].games)).abs() < 1e-9,
        "{json}"
    );
}
