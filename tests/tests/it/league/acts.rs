//! What an organiser does to a league that runs.

use std::process::Command;

use end_to_end::league::League;
use end_to_end::programs;

const TWO: &str = "game = \"score-four\"\nseed = 3\ndeals = 2\n[[entrants]]\nname = \"ana\"\nengine = \"random\"\n\
                   [[entrants]]\nname = \"bo\"\nengine = \"random\"\n";

/// `taikyoku league` with these words, on the league in `out`; gives the exit status and what it says.
fn act(league: &League, words: &[&str]) -> (Option<i32>, String) {
    let [deed, rest @ ..] = words else {
        panic!("an act");
    };
    let output = Command::new(programs::taikyoku())
        .args(["league", deed, "out"])
        .args(rest)
        .current_dir(league.folder.path())
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[test]
fn a_league_is_paused_also_after_its_death_and_a_game_is_played_again() {
    programs::score_four();
    let league = League::new(TWO);
    let output = league.play("out");
    assert!(output.status.success(), "{output:?}");
    let first = league.fixtures("out");
    assert_eq!(first.len(), 4);

    let (code, said) = act(&league, &["replay", "0.9.0", "--reason", "x"]);
    assert!(code == Some(2) && said.contains("no result"), "{said}");
    let (code, said) = act(
        &league,
        &["replay", "0.1.0", "--reason", "the power failed"],
    );
    assert!(code == Some(0) && said.contains("does not run"), "{said}");
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
        code == Some(0) && said.contains("a second or two"),
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
fn one_that_is_disqualified_loses_what_is_left_and_is_the_last() {
    programs::score_four();
    let league = League::new(TWO);
    let output = league.play("out");
    assert!(output.status.success(), "{output:?}");
    let reason = ["--reason", "two machines"];
    assert_eq!(
        act(&league, &[&["disqualify", "ana"][..], &reason].concat()).0,
        Some(0)
    );
    for key in ["0.0.0", "0.0.1", "0.1.0", "0.1.1"] {
        assert_eq!(
            act(&league, &[&["replay", key][..], &reason].concat()).0,
            Some(0)
        );
    }
    let output = league.play("out");
    assert!(output.status.success(), "{output:?}");
    let journal = league.journal("out");
    assert_eq!(journal.played().count(), 4);
    for played in journal.played() {
        let own = played
            .seats
            .iter()
            .position(|&entrant| entrant == 0)
            .expect("a seat");
        let game = &played.games[0];
        assert_eq!(game.places[own], 1, "{game:?}");
        assert!(game.kind(own).is_fault(), "{game:?}");
    }
    let report = league.ask("report", "out");
    assert_eq!(report["entrants"][1]["name"], "ana");
    assert_eq!(report["entrants"][1]["disqualified"], true);
}
