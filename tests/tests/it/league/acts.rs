//! What an organiser does to a league that runs.

use std::fs;

use end_to_end::league::{League, random_bots};
use end_to_end::patience::wait_for;
use end_to_end::programs;
use end_to_end::run::signal;
use end_to_end::web::Gateway;
use league::journal::OrganiserCommand;
use league::result::Results;
use serde_json::{Value, json};

fn two(deals: u32) -> League {
    let head = format!("game = \"score-four\"\nseed = 3\ndeals = {deals}\n");
    League::new(&(head + &random_bots(["ana", "bo"])))
}

/// `taikyoku league` with these words, on the league in `out`; gives the exit status and what it says.
fn act(league: &League, words: &[&str]) -> (Option<i32>, String) {
    let [action, rest @ ..] = words else {
        panic!("an act");
    };
    league.told(&[&[*action, "out"], rest].concat())
}

#[test]
fn a_league_is_paused_also_after_its_death_and_a_game_is_played_again() {
    programs::score_four();
    let league = two(2);
    league.ends("out", 0);
    let first = league.fixtures("out");
    assert_eq!(first.len(), 4);

    let (code, said) = act(&league, &["replay", "0.9.0", "--reason", "x"]);
    assert!(code == Some(2) && said.contains("no result"), "{said}");
    let (code, said) = act(
        &league,
        &["replay", "0.1.0", "--reason", "the power failed"],
    );
    assert!(code == Some(0) && said.contains("is not running"), "{said}");
    assert_eq!(act(&league, &["pause", "--reason", "lunch"]).0, Some(0));
    let status = league.ask("status", "out");
    assert_eq!(status["paused"], true, "{status}");

    for _ in 0..2 {
        let mut running = league.run("out");
        // The second one says what the journal says.
        running.wait_said("paused: lunch");
        let (code, said) = act(&league, &["pause"]);
        assert!(code == Some(2) && said.contains("paused already"), "{said}");
        running.child.kill().expect("a child");
        running.end();
        assert_eq!(league.played("out"), 4);
    }

    let running = league.run("out");
    running.wait_said("paused: lunch");
    let (code, said) = act(&league, &["resume"]);
    assert!(
        code == Some(0) && said.contains("within two seconds"),
        "{said}"
    );
    let (code, said) = running.end();
    assert_eq!(code, Some(0), "{said}");
    let journal = league.journal("out");
    assert_eq!(
        (journal.played().count(), journal.all_played().count()),
        (4, 5)
    );
    let report = league.ask("report", "out");
    let acts = report["acts"].as_array().expect("acts");
    let deeds: Vec<&str> = acts.iter().filter_map(|act| act["act"].as_str()).collect();
    assert_eq!(deeds, ["replay", "pause", "resume"]);
    assert_eq!(acts[0]["reason"], "the power failed");
}

#[test]
fn an_organiser_acts_from_the_page_and_nobody_else_does() {
    programs::score_four();
    let league = two(20_000);
    let running = league.run_with("out", &["--watch", "0", "--organiser", "organiser.token"]);
    running.wait_said("watched on ");
    let said = running.said();
    let watched = said
        .lines()
        .find_map(|line| line.strip_prefix("watched on "));
    let watched = watched.expect("an address").to_owned();
    let token = fs::read_to_string(league.out("organiser.token")).expect("a token");
    let (gateway, other) = (
        Gateway::start(&["--watch", &watched, "--acts"]),
        Gateway::start(&["--watch", &watched]),
    );
    let ask = |gateway: &Gateway, token: &str, act: &Value| {
        let mut body = act.clone();
        (body["source"], body["token"]) = (json!("0"), json!(token.trim()));
        let (status, _, text) = gateway.ask("POST /api/acts", "", &body.to_string());
        (status, text)
    };
    let pause = json!({"act": "pause", "reason": "lunch"});
    assert_eq!(ask(&other, &token, &pause).0, 404, "without --acts");
    let (status, told) = ask(&gateway, "0123456789abcdef", &pause);
    assert!(status == 403 && told.contains("\"token\""), "{told}");
    let (status, told) = ask(&gateway, &token, &pause);
    assert!(status == 200 && told.contains("paused: lunch"), "{told}");
    running.wait_said("paused: lunch");
    assert_eq!(ask(&gateway, &token, &pause).0, 409);

    // The page is told, and of what may be played again.
    let mut page = gateway.page();
    page.say(&json!({"type": "watch", "source": null, "match": null}));
    let shown = wait_for("a pause", || {
        let lobby = page.hear_of("lobby");
        let league = lobby["leagues"][0].clone();
        let is_shown = league["paused"] == "lunch" && league["played"][0]["key"].is_string();
        is_shown.then_some(league)
    });
    assert_eq!(shown["acts"], true, "{shown}");
    let key = shown["played"][0]["key"].as_str().expect("a key");
    let acts = [
        (
            json!({"act": "replay", "key": key, "reason": "a power cut"}),
            200,
        ),
        (json!({"act": "replay", "key": key, "reason": "again"}), 409),
        (json!({"act": "disqualify", "entrant": "ana"}), 409),
        (
            json!({"act": "disqualify", "entrant": "ana", "reason": "two machines"}),
            200,
        ),
        (
            json!({"act": "reinstate", "entrant": "ana", "reason": "they were one"}),
            200,
        ),
        (json!({"act": "resume"}), 200),
    ];
    for (act, due) in &acts {
        let (status, told) = ask(&gateway, &token, act);
        assert_eq!(status, *due, "{act}: {told}");
    }
    running.wait_said("resumed");
    signal(&running.child, "INT");
    let (code, said) = running.end();
    assert_eq!(code, Some(130), "{said}");
    let (results, _) = Results::open(&league.out("out")).expect("a journal");
    let done: Vec<String> = results.acts.iter().map(OrganiserCommand::text).collect();
    let due = [
        "paused: lunch".to_owned(),
        format!("game {key} is played again, its result is struck: a power cut"),
        "ana is disqualified: two machines".to_owned(),
        "ana plays again: they were one".to_owned(),
        "resumed".to_owned(),
    ];
    assert_eq!(done, due);
    let written = fs::read_to_string(league.out("out").join("journal.jsonl")).expect("a journal");
    assert!(!written.contains(token.trim()) && !said.contains(token.trim()));
}
