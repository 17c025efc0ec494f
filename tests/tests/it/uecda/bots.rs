//! The project's own bots over TCP.

use end_to_end::uecda::bots::play;

#[test]
fn all_engines_play_without_a_fault() {
    let with = |engine| format!("--engine {engine} --playouts 20 --seed 3");
    let engines = ["default", "policy", "crow", "best", "random"].map(with);
    play(6, engines.each_ref().map(|line| &line[..]));
}
