//! Long runs over TCP, as a command: `cargo bench -p end-to-end --bench soak`.
//!
//! A thousand games of the project's five engines without a fault, then ten thousand games of simple
//! players with the server's memory and speed after each two thousand.

use std::time::Instant;

use end_to_end::run::Server;
use end_to_end::uecda::Player;
use end_to_end::uecda::bots;

fn main() {
    let engines = ["default", "mc", "crow", "best", "random"];
    let options = engines.map(|engine| format!("--engine {engine} --playouts 100"));
    let began = Instant::now();
    bots::play(1000, options.each_ref().map(|line| &line[..]));
    println!(
        "1000 games of {engines:?}: no fault, {:.0} s",
        began.elapsed().as_secs_f64()
    );
    simple_players();
}

fn simple_players() {
    const GAMES: u32 = 2000;
    let server = Server::serve("uecda --games 2000 --seed 1 --matches 6");
    let mut first = 0;
    for i in 1..=5 {
        let players: Vec<Player> = (0..5)
            .map(|p| Player::honest(&format!("m{i}p{p}")))
            .collect();
        let began = Instant::now();
        let outcomes = server.play(&players);
        assert!(outcomes.iter().all(|o| o.finished), "{outcomes:?}");
        let speed = f64::from(GAMES) / began.elapsed().as_secs_f64();
        let kilobytes = server.resident_kb().unwrap_or_default();
        println!(
            "{} games: {kilobytes} kB, {speed:.0} games a second",
            GAMES * i
        );
        if i == 1 {
            first = kilobytes;
        }
        assert!(kilobytes < first + 2_000, "memory grows");
    }
}
