//! A league with groups and a final, and what it writes for scripts.

use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;

use end_to_end::league::{League, random_bots};
use end_to_end::programs;
use serde_json::Value;

/// Two groups of two, two fixtures each, and a final of four fixtures.
const GROUPS: &str = "game = \"score-four\"\nseed = 3\ndeals = 1\nat-once = 1\ngroups = 2\n\
                      tie-breaks = [\"points\", \"head-to-head\", \"lot\"]\n[[stages]]\nadvance = 1\ndeals = 2\n";

#[test]
fn a_final_is_that_of_the_best_also_after_two_deaths_and_scripts_follow() {
    programs::score_four();
    let league = League::new(&(GROUPS.to_owned() + &random_bots(["ana", "bo", "cy", "di"])));
    let events = ["--events", "events.jsonl"];
    for played in [2, 5] {
        let mut command = league.command("out");
        let command = command.args(events).stdout(Stdio::null());
        let child = command.stderr(Stdio::null()).spawn();
        league.kill_after("out", played, child.expect("the league starts"));
    }
    league.play_with("out", &events).good();
    assert_eq!(league.fixtures("out").len(), 8);

    let report = league.ask("report", "out");
    let stages = report["stages"].as_array().expect("stages");
    let named = |group: &Value, goes_on: bool| -> BTreeSet<String> {
        let places = group.as_array().expect("a group").iter();
        let places = places.filter(|place| !goes_on || place["goes_on"] == true);
        let names = places.filter_map(|place| place["name"].as_str());
        names.map(str::to_owned).collect()
    };
    assert_eq!(stages.len(), 2);
    assert!(
        stages.iter().all(|stage| stage["is_over"] == true),
        "{stages:?}"
    );
    let groups = stages[0]["groups"].as_array().expect("groups");
    let best: BTreeSet<String> = groups.iter().flat_map(|group| named(group, true)).collect();
    assert_eq!(best, named(&stages[1]["groups"][0], false));
    let first = report["entrants"][0]["name"].as_str().expect("a name");
    assert!(best.contains(first), "{report}");

    let text = fs::read_to_string(league.folder.path().join("events.jsonl")).expect("events");
    // A kill may have torn a line.
    let events = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let events: Vec<Value> = events.collect();
    let of = |name: &'static str| events.iter().filter(move |event| event["event"] == name);
    assert!(
        of("begin").count() >= 1 && of("standings").count() >= 1,
        "{text}"
    );
    assert!(of("round").any(|round| round["stage"] == "final"), "{text}");
    assert!(of("end").count() >= 1, "{text}");
    let keys: BTreeSet<&str> = of("game").filter_map(|game| game["key"].as_str()).collect();
    assert!(keys.len() <= 8 && keys.contains("2.1.1"), "{keys:?}");
}
