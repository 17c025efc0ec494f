//! Entrants that take what is not theirs.

use std::fs;

use end_to_end::league::League;
use end_to_end::programs;
use record::EndKind;

/// Two random players without a sandbox. The second leaves a process behind that has left its process group and its parent,
/// connects to the port of the first before it, greets, and keeps the seat. The first waits for that.
fn thief(first: &str) -> League {
    let league = League::new("");
    let program = programs::score_four();
    let play = format!(
        "{} play --host {{host}} --port {{port}} --engine random",
        program.display()
    );
    let says = r#"echo '{"type":"hello","versions":[1],"name":"first"}'"#;
    let thief = format!(
        r#"
trap '' PIPE
while [ -e it.toml ]; do
    for file in port-*; do
        if [ -e "$file" ] && rm "$file" && exec 3<>/dev/tcp/127.0.0.1/${{file#port-}}; then
            : >> stolen
            ({says}) >&3
            : >> "came-${{file#port-}}"
            cat <&3 >> stolen
        fi
    done
    sleep 0.05
done
"#
    );
    fs::write(league.folder.path().join("thief"), thief).expect("a file");
    league.rewrite(&format!(
        r#"
game = "score-four"
seed = 5
deals = 2
at-once = 1
sandbox = "none"
[clocks]
move-ms = 3000
[[entrants]]
name = "first"
command = ["bash", "-c", '{first}', "{play}", "{{port}}"]
[[entrants]]
name = "thief"
command = ["bash", "-c", '(setsid bash thief > /dev/null 2>&1 < /dev/null &); exec {play}']
"#
    ));
    league
}

/// Shows the port to the thief, and waits until it has greeted there.
const WAITS: &str = "touch port-$1; until [ -e came-$1 ]; do sleep 0.02; done";

fn nobody_takes_a_seat(first: &str) {
    let league = thief(first);
    let errors = league.ends("out", 0);
    let fixtures = league.fixtures("out");
    let scheduled = league.ask("status", "out")["scheduled"].as_u64();
    assert_eq!(Some(fixtures.len() as u64), scheduled, "{errors}");
    for played in fixtures.values() {
        for game in &played.games {
            let mut kinds = (0..played.seats.len()).map(|seat| game.kind(seat));
            assert!(kinds.all(|kind| kind == EndKind::Normal), "{errors}");
        }
    }
    let stolen = fs::read_to_string(league.folder.path().join("stolen"));
    assert_eq!(stolen.expect("a thief that has come"), "");
    assert!(
        errors.contains("player ") && errors.contains(", first: a connection"),
        "{errors}"
    );
}

#[test]
fn a_seat_is_not_stolen() {
    nobody_takes_a_seat(&format!("{WAITS}; exec $0"));
}

#[test]
fn a_launcher_may_leave_the_program_that_plays_behind() {
    nobody_takes_a_seat(&format!("({WAITS}; exec $0) & exit 0"));
}

#[test]
fn nobody_waits_for_what_a_launcher_has_left_once_it_has_ended() {
    programs::score_four();
    let league = League::new(
        r#"
game = "score-four"
deals = 1
[clocks]
start-ms = 100000
[[entrants]]
engine = "random"
[[entrants]]
name = "leaves"
command = ["bash", "-c", "(sleep 0.3; exit 1) & exit 0", "{port}"]
"#,
    );
    let began = std::time::Instant::now();
    let errors = league.play("out").err;
    assert!(
        errors.contains("leaves ended before it sat down"),
        "{errors}"
    );
    assert!(began.elapsed().as_secs() < 60, "{errors}");
}
