//! The Geister client over real sockets.

mod faults;
mod games_in_a_row;
mod person;
mod server;

use clap::Parser;
use taikyoku_bots::geister::client::{GeisterOptions, MatchError, run};

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    options: GeisterOptions,
}

fn options(port: u16, more: &str) -> GeisterOptions {
    let line = format!("x --host 127.0.0.1 --port {port} --engine random --seed 5 {more}");
    Arguments::parse_from(line.split_whitespace()).options
}

/// Plays, and gives the lines of JSON too.
pub(crate) fn play(
    port: u16,
    more: &str,
) -> (
    Result<client::Summary<client::DuelCounts>, MatchError>,
    Vec<serde_json::Value>,
) {
    let mut out = Vec::new();
    let options = options(port, &format!("--json {more}"));
    let result = run(&options, Box::new(std::io::empty()), &mut out);
    let text = String::from_utf8(out).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    (result, lines.collect())
}

#[test]
fn what_limits_the_search() {
    let plan = |more: &str| {
        let engine = options(1, more)
            .engine()
            .expect("options")
            .expect("an engine");
        let plan = engine.search();
        (plan.time.map(|time| time.as_millis()), plan.simulations)
    };
    assert_eq!(plan(""), (Some(855), u32::MAX));
    assert_eq!(plan("--move-ms 50"), (Some(35), u32::MAX));
    assert_eq!(plan("--move-ms 10"), (Some(5), u32::MAX));
    assert_eq!(plan("--simulations 70"), (None, 70));
    assert_eq!(plan("--simulations 70 --move-ms 50"), (Some(35), 70));
}
