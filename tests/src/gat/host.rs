//! A server of Geister and the games on it.

use std::fs;

use record::{EndKind, Record, What};

use super::player::{Outcome, Player};
use super::wire::Wire;
use crate::patience::{outcome, sit, wait_for};
use crate::run::Server;

#[derive(Debug)]
pub struct Host {
    pub server: Server,
    pub ports: [u16; 2],
}

impl Host {
    /// Starts a server that writes records, with more options.
    pub fn start(options: &str) -> Host {
        let server = Server::serve(&format!("geister {options}"));
        let ports = [server.ports[0], server.ports[1]];
        Host { server, ports }
    }

    /// Plays one game; the player numbered `first` comes first, and the other when it has been
    /// greeted.
    pub fn play_after(&self, first: usize, players: &[Player; 2]) -> [Outcome; 2] {
        let run = |number: usize| {
            let (player, port) = (players[number].clone(), self.ports[number]);
            sit(move |greeted| player.play(port, &greeted))
        };
        let (one, two) = (run(first), run(1 - first));
        let playing = if first == 0 { [one, two] } else { [two, one] };
        playing.map(outcome)
    }

    /// Waits until the record of the match tells of the ends of so many games; gives them.
    pub fn wait_for_ends(&self, count: usize) -> Vec<Ended> {
        wait_for("the end of the game", || {
            let files = self.server.record_files();
            let text = files
                .first()
                .and_then(|path| fs::read_to_string(path).ok())?;
            let whole = text.matches("\"event\":\"end\"").count() >= count && text.ends_with('\n');
            whole.then(|| ends(&self.server.records()[0]))
        })
    }

    /// Both players connected and set up, with `SET:` and `OK ` behind them.
    pub fn seat(&self) -> [Wire; 2] {
        let mut wires = self.ports.map(Wire::to);
        for wire in &mut wires {
            wire.expect_line("SET?");
            wire.say("SET:ABCD");
            wire.expect_line("OK ");
        }
        wires
    }

    /// Plays one game; player 0 comes first.
    pub fn play(&self, players: &[Player; 2]) -> [Outcome; 2] {
        self.play_after(0, players)
    }
}

/// Ends a game in play: player 1 leaves, and player 0 has won.
pub fn leave(players: [Wire; 2]) {
    let [mut first, second] = players;
    let _ = second.close();
    first.expect("WON:");
    let (_, clean) = first.close();
    assert!(clean, "the server closes");
}

/// How a game ended, as the record says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    pub game: u32,
    pub first: u8,
    /// The winner; `None` for a draw or a void game.
    pub winner: Option<u8>,
    pub kinds: Vec<EndKind>,
    /// The rule that ended it, if one did.
    pub rule: Option<String>,
    pub plies: usize,
}

/// The ends of all games of a record, as they come.
pub fn ends(record: &Record) -> Vec<Ended> {
    let (mut first, mut plies) = (0, 0);
    let mut ends = Vec::new();
    for event in &record.events {
        match &event.what {
            What::Begin { seats, .. } => {
                first = seats[0];
                plies = 0;
            }
            What::Move { .. } => plies += 1,
            What::End {
                game,
                places,
                kinds,
                rule,
                ..
            } => ends.push(Ended {
                game: *game,
                first,
                winner: match places[..] {
                    [0, 1] => Some(0),
                    [1, 0] => Some(1),
                    _ => None,
                },
                kinds: kinds.clone(),
                rule: rule.clone(),
                plies,
            }),
            _ => {}
        }
    }
    ends
}
