//! Entrants that do not play as they should.

use end_to_end::league::League;
use end_to_end::programs;
use record::EndKind;

fn first_faults(league: &League, entrant: usize) -> Vec<EndKind> {
    let mut kinds = Vec::new();
    for played in league.fixtures("out").values() {
        for (seat, _) in played
            .seats
            .iter()
            .enumerate()
            .filter(|&(_, &e)| e == entrant)
        {
            kinds.extend(played.games.iter().map(|game| game.kind(seat)));
        }
    }
    kinds
}

#[test]
fn a_program_that_does_not_start_is_void_and_its_matchup_is_given_up() {
    let league = League::new(
        r#"
game = "score-four"
deals = 2
[[entrants]]
engine = "random"
[[entrants]]
name = "flat"
engine = "flat"
options = ["--playouts", "10"]
[[entrants]]
name = "broken"
command = ["sh", "-c", "echo the engine has no weights >&2; exit 3", "{port}"]
"#,
    );
    let output = league.play("out");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("broken"), "{errors}");
    assert!(errors.contains("the engine has no weights"), "{errors}");
    // The others have played all that they had to.
    assert_eq!(league.fixtures("out").len(), 4);
    assert_eq!(first_faults(&league, 2), []);
}

#[test]
fn a_crash_is_a_forfeit_and_never_an_ordinary_result() {
    let geister = programs::geister();
    let text = format!(
        r#"
game = "geister"
deals = 2
[clocks]
move-ms = 4000
[[entrants]]
engine = "random"
[[entrants]]
name = "dies"
command = ["sh", "-c", 'sleep 0.4 && kill -9 $$ & exec "$@"', "sh", "{}", "--host", "{{host}}", "--port", "{{port}}", "--engine", "best", "--move-ms", "300", "--games", "{{games}}"]
"#,
        geister.display()
    );
    let league = League::new(&text);
    let output = league.play("out");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    assert_eq!(first_faults(&league, 1), [EndKind::Disconnect; 4]);
    assert_eq!(first_faults(&league, 0), [EndKind::Normal; 4]);
    let report = league.ask("report", "out");
    let lines = report["entrants"].as_array().expect("entrants");
    let dies = lines.iter().find(|line| line["name"] == "dies");
    assert_eq!(
        dies.expect("its line")["faults"]["disconnect"],
        4,
        "{report}"
    );
}
