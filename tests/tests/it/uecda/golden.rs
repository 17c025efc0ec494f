//! Transcripts of the project's own server: fixed seeds, scripted players, and what each player
//! received.
//!
//! A file has the number of bytes and their SHA-256 for each player, and the match in the notation
//! of the log for people to read.

use std::fmt::Write as _;

use end_to_end::golden::assert_golden;
use end_to_end::run::Server;
use end_to_end::uecda::{Outcome, Player, Style};
use record::{Record, What};

fn transcript(options: &str, outcomes: &[Outcome], record: &Record) -> String {
    let mut text = format!("taikyoku serve uecda {options}\n");
    for (player, outcome) in outcomes.iter().enumerate() {
        let name = &record.header.players[player].name;
        let Outcome {
            received, digest, ..
        } = outcome;
        let _ = writeln!(
            text,
            "player {player} {name}: {received} bytes, SHA-256 {digest}"
        );
    }
    for event in &record.events {
        let _ = match &event.what {
            What::Begin {
                game, seats, hands, ..
            } => write!(text, "game {game} seats {seats:?}\n{}\n", hands.join(" ")),
            What::Give {
                from, to, cards, ..
            } => writeln!(text, "{from} gives {to} {cards}"),
            What::Move { player, mv, .. } => write!(text, "{player}{mv} "),
            What::Refused { player, .. } => write!(text, "({player} refused) "),
            What::Lot { order } => write!(text, "lot {order:?}"),
            What::End { places, .. } => writeln!(text, "\nplaces {places:?}"),
            What::Result { points, .. } => writeln!(text, "points {points:?}"),
            other => writeln!(text, "{other:?}"),
        };
    }
    text.replace(" \n", "\n")
}

fn assert_transcript(name: &str, options: &str, styles: [Style; 5]) {
    let server = Server::serve(&format!("uecda --once {options}"));
    let players: Vec<Player> = (0..)
        .zip(styles)
        .map(|(i, style)| Player::honest(&format!("player{i}")).playing(style))
        .collect();
    let outcomes = server.play(&players);
    assert!(outcomes.iter().all(|o| o.finished), "{outcomes:?}");
    let finished = server.finish();
    assert!(finished.status.success());
    let text = transcript(options, &outcomes, &finished.records[0]);
    assert_golden(name, &text);
}

#[test]
fn honest() {
    let options = "--games 12 --seed 1 --dealer official";
    assert_transcript("honest", options, [Style::Lowest; 5]);
}

#[test]
fn modern_deals_and_short_ranks() {
    let options = "--games 9 --seed 2 --dealer modern --rank-reset 4 --seat-change 2";
    assert_transcript("modern", options, [Style::Lowest; 5]);
}

#[test]
fn twenty_passes() {
    let options = "--games 3 --seed 3 --dealer official";
    assert_transcript("passes", options, [Style::Pass; 5]);
}

#[test]
fn wild_with_the_holes_closed() {
    let options = "--games 10 --seed 4 --dealer official --compat safe";
    assert_transcript("wild-safe", options, [1, 2, 3, 4, 5].map(Style::Wild));
}

#[test]
fn wild_as_the_official_server() {
    let options = "--games 10 --seed 4 --dealer official --compat official";
    assert_transcript("wild-official", options, [1, 2, 3, 4, 5].map(Style::Wild));
}
