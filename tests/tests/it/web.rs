//! A person at the page, by requests and sockets as a browser has them.

use end_to_end::web::Gateway;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

/// A table of one person, in seat 0, and bots that play at random.
fn table(game: &str, seats: usize) -> Value {
    let bot = |at| json!({ "kind": "bot", "spec": format!("random:seed={at}") });
    let bots = (1..seats).map(bot);
    let seats: Vec<Value> = std::iter::once(json!({ "kind": "person" }))
        .chain(bots)
        .collect();
    json!({ "game": game, "seats": seats, "games": 2, "practice": true, "seed": 5 })
}

fn random(seed: u64) -> impl FnMut(&[&str]) -> usize {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    move |moves| rng.random_range(0..moves.len())
}

#[test]
fn every_game_is_played_to_its_end() {
    let gateway = Gateway::start(&[]);
    for (game, seats) in [
        ("score-four", 2),
        ("dobutsu", 2),
        ("blokus", 4),
        ("geister", 2),
        ("daihinmin", 5),
    ] {
        let (table, tokens) = gateway.make(&table(game, seats));
        let mut page = gateway.sit(&table, &tokens[0]);
        let (over, [frames, asks, results]) = page.play(random(7));
        assert_eq!(over["games"], 2, "{game}: {over}");
        assert_eq!((&over["reason"], results), (&Value::Null, 2), "{game}");
        assert!(
            frames > asks && asks > 4,
            "{game}: {frames} frames, {asks} asks"
        );
        assert_eq!(over["record"], *table, "{game}");
        assert!(gateway.record(&table).is_file());
    }
}
