//! Events for scripts that do not read them.

use std::io::Read as _;
use std::process::Stdio;

use end_to_end::league::{League, random_bots};
use end_to_end::patience::wait_for;
use end_to_end::programs;

#[test]
fn a_script_that_does_not_read_holds_no_game_up() {
    programs::score_four();
    // Far more lines than a pipe and the printer take.
    let head = "game = \"score-four\"\nseed = 3\ndeals = 450\nprocess = \"sitting\"\nsitting-deals = 225\n";
    let league = League::new(&(head.to_owned() + &random_bots(["ana", "bo"])));
    let mut child = league
        .command("out")
        .args(["--events", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the league starts");
    let status = wait_for("the end of the league", || {
        child.try_wait().expect("a child")
    });
    assert!(status.success(), "{status}");
    assert_eq!(league.fixtures("out").len(), 900);
    let mut text = String::new();
    let mut output = child.stdout.take().expect("a pipe");
    output.read_to_string(&mut text).expect("text");
    assert!(text.contains("\"event\":\"begin\""), "{text}");
    assert!(text.lines().count() < 900, "it has not read them");
}
