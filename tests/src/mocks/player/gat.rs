//! Players of GAT, which connect for each game.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use end_to_end::gat::{Fault, Habit, OneReader, Phase, Player, Script, Step, Wire};
use end_to_end::patience::connect;

pub(crate) fn play(mode: &str, port: u16, games: u64) {
    if mode == "loops" || mode == "stays" {
        return play_on(mode, port, games);
    }
    if mode == "one-read" {
        return (0..games).for_each(|_| take_reads_for_messages(port));
    }
    // One that is started for each game.
    let games = if mode == "once" { 1 } else { games };
    for game in 1..=games {
        let mut player = match mode {
            "crash" => at_turn(Fault::Leave),
            "stall" => at_turn(Fault::Silence),
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

/// A player that commits this fault at its second move.
fn at_turn(fault: Fault) -> Player {
    Player::with(Script {
        phase: Phase::Turn,
        after: 1,
        fault,
    })
}

/// A game of one that takes what a read gives for a message.
fn take_reads_for_messages(port: u16) {
    let Ok(stream) = connect(port) else { return };
    let mut wire = Wire::of(stream);
    let mut client = OneReader::new(Habit::OneRead, true);
    loop {
        let step = wire.read().map(|bytes| client.read(&bytes));
        match step {
            Ok(Step::Say(line)) => wire.say(&line),
            Ok(Step::Read) => {}
            Ok(Step::Over(_)) => return,
            lost => {
                eprintln!("no message: {lost:?}");
                std::process::exit(5);
            }
        }
    }
}

/// One that connects for the next game until it is killed, or that keeps still after the last.
fn play_on(mode: &str, port: u16, games: u64) {
    for game in 1.. {
        if mode == "stays" && game > games {
            crate::sleep();
        }
        let (greeted, _kept) = mpsc::channel();
        if Player::honest(game).play(port, &greeted).is_err() {
            thread::sleep(Duration::from_millis(5));
        }
    }
}
