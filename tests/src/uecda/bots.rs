//! Matches of the project's own bots over TCP.

use std::process::{Child, Command, Stdio};

use crate::programs;
use crate::run::Server;

/// Starts a bot; its output goes nowhere.
pub fn bot(mut command: Command, port: u16, name: &str, options: &[&str]) -> Child {
    command
        .args(["-h", "127.0.0.1", "-p", &port.to_string(), "-n", name])
        .args(options)
        .stdout(Stdio::null())
        .spawn()
        .expect("a bot starts")
}

/// Five bots play a match of `games` games on a fresh server, each with its options of the
/// `daihinmin` client; nobody may be refused a move or forfeit one.
pub fn play(games: u32, engines: [&[&str]; 5]) {
    let games = games.to_string();
    let line = format!("uecda --games {games} --seed 11 --once --json");
    let server = Server::serve(&line);
    let mut bots: Vec<Child> = Vec::new();
    for (i, options) in engines.iter().enumerate() {
        let name = format!("bot{i}");
        // The server's program has the bots too.
        let command = if i == 0 {
            let mut command = Command::new(programs::taikyoku());
            command.args(["bot", "daihinmin"]);
            command
        } else {
            Command::new(programs::daihinmin())
        };
        bots.push(bot(command, server.port, &name, options));
    }
    for mut bot in bots {
        assert!(bot.wait().unwrap().success());
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
