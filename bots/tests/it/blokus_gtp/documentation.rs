//! What `protocol/GTP.md` says.

use super::controller::Controller;

const PAGE: &str = include_str!("../../../../protocol/GTP.md");

#[test]
fn the_page_has_every_command() {
    let mut engine = Controller::start("--engine random");
    let listed = engine.must("list_commands");
    for command in listed.lines() {
        let row = [format!("\n| `{command}`"), format!("\n| `{command} ")];
        assert!(row.iter().any(|row| PAGE.contains(row)), "{command}");
    }
    // And none that is not there.
    let section = PAGE.split("\n## Commands").nth(1).expect("a section");
    let table = section.split("\n| parameter").next().unwrap_or_default();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
    for row in rows {
        let name = row.split(['`', ' ']).next().unwrap_or_default();
        assert_eq!(engine.must(&format!("known_command {name}")), "true");
    }
}

#[test]
fn the_example_is_a_session() {
    let example = PAGE.split("## An example").nth(1).expect("an example");
    let session = example.split("```").nth(1).expect("a session");
    let mut engine = Controller::start("--engine random");
    let mut commands = 0;
    for entry in session.split("\n> ").skip(1) {
        let (command, answer) = entry.split_once('\n').expect("an answer");
        let answer = answer.trim_end_matches('\n').to_owned() + "\n";
        engine.write(&format!("{command}\n"));
        let given = engine.read();
        commands += 1;
        let sign = answer.split(' ').next().expect("a sign");
        assert!(given.starts_with(sign), "{command}: {given}");
        let words: Vec<&str> = command.split(' ').collect();
        match words[1] {
            // The time is another.
            "cputime" => {}
            // The move is another: play that of the example.
            "genmove" => {
                let mv = answer.split(' ').nth(1).expect("a move").trim_end();
                engine.must("undo");
                engine.must(&format!("play {} {mv}", words[2]));
            }
            _ => assert_eq!(given, answer, "{command}"),
        }
    }
    assert_eq!(commands, 8);
}
