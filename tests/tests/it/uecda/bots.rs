//! The project's own bots over TCP.

use end_to_end::uecda::bots::play;

#[test]
fn all_engines_play_without_a_fault() {
    let quick = ["--playouts", "20", "--seed", "3"];
    let with = |engine: &'static str| [&["--engine", engine][..], &quick].concat();
    let engines = ["default", "policy", "crow", "best", "random"].map(with);
    play(6, engines.each_ref().map(|e| &e[..]));
}

#[test]
fn simple_engines_play_many_games_without_a_fault() {
    let random: &[&str] = &["--engine", "random", "--seed", "1"];
    let default: &[&str] = &["--engine", "default"];
    play(100, [default, random, default, random, random]);
}
