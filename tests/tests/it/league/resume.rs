//! Leagues that are stopped and taken up again.

use std::env;
use std::fs::OpenOptions;

use end_to_end::league::League;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Deals of each of the four matchups; `TAIKYOKU_LEAGUE_DEALS` sets another number.
const DEALS: usize = 2;

const ROTATIONS: usize = 5;
const MATCHUPS: usize = 4;

fn four_kinds(deals: usize) -> String {
    format!(
        r#"
game = "daihinmin"
seed = 11
deals = {deals}
[[entrants]]
engine = "default"
[[entrants]]
engine = "random"
[[entrants]]
engine = "mc"
options = ["--playouts", "10"]
[[entrants]]
engine = "crow"
options = ["--playouts", "10"]
"#
    )
}

fn figures(league: &League, out: &str) -> serde_json::Value {
    let mut report = league.ask("report", out);
    let lines = report["entrants"].as_array_mut().expect("entrants");
    assert_eq!(lines.len(), 4);
    for line in lines {
        assert!(line["thinking"].take().is_object(), "{line}");
    }
    serde_json::json!([
        report["entrants"],
        report["cross"],
        report["seats"],
        report["totals"]
    ])
}

#[test]
fn a_league_that_is_killed_three_times_plays_as_one_that_is_not() {
    let deals = env::var("TAIKYOKU_LEAGUE_DEALS").map_or(DEALS, |n| n.parse().unwrap());
    let fixtures = deals * ROTATIONS * MATCHUPS;
    let league = League::new(&four_kinds(deals));
    league.ends("whole", 0);

    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut killed_at = Vec::new();
    for kill in 0..3 {
        let done = league.played("torn");
        let more = rng.random_range(1..(fixtures - done) / (4 - kill));
        league.kill_after("torn", done + more, league.start("torn"));
        killed_at.push(league.played("torn"));
        if kill == 1 {
            // The machine dies too: the last line is half on disk.
            let path = league.out("torn").join("journal.jsonl");
            let file = OpenOptions::new().write(true).open(&path).unwrap();
            let cut = rng.random_range(1..80);
            file.set_len(path.metadata().unwrap().len() - cut).unwrap();
        }
    }
    assert!(killed_at[2] < fixtures, "{killed_at:?}");
    println!("{fixtures} fixtures, killed after {killed_at:?}");
    league.ends("torn", 0);

    let torn = league.timeless("torn");
    assert_eq!(torn.len(), fixtures);
    let whole = league.timeless("whole");
    for (key, played) in &whole {
        assert_eq!(torn.get(key), Some(played), "{key}");
    }
    assert_eq!(figures(&league, "torn"), figures(&league, "whole"));
}

#[test]
fn another_league_does_not_go_on_with_the_journal() {
    let league = League::new(&four_kinds(1));
    league.ends("out", 0);
    let played = league.played("out");
    league.rewrite(&four_kinds(1).replace("seed = 11", "seed = 12"));
    let errors = league.ends("out", 2);
    assert!(
        errors.contains("seed") && errors.contains("--out"),
        "{errors}"
    );
    // More deals are the same league.
    league.rewrite(&four_kinds(2));
    league.ends("out", 0);
    assert_eq!(league.played("out"), 2 * played);
    assert_eq!(league.fixtures("out").len(), 2 * played);
}
