//! Players of GAT, which connect for each game.

use std::sync::mpsc;

use end_to_end::gat::{Fault, Phase, Player, Script};

pub(crate) fn play(mode: &str, port: u16, games: u64) {
    // One that is started for each game.
    let games = if mode == "once" { 1 } else { games };
    for game in 1..=games {
        let mut player = match mode {
            "crash" => Player::with(Script {
                phase: Phase::Turn,
                after: 1,
                fault: Fault::Leave,
            }),
            _ => Player::honest(game),
        };
        if mode == "bad-set-up" {
            "AAAA".clone_into(&mut player.reds);
        }
        let (greeted, _kept) = mpsc::channel();
        let Ok(outcome) = player.play(port, &greeted) else {
            return;
        };
        if outcome.result.is_none() {
            eprintln!("no result: {:?}", outcome.error);
            std::process::exit(4);
        }
    }
}
