//! The program `blokus` as players start it.

use std::process::{Command, Output};

use serde_json::{Value, json};

use super::server::{over, table_of, welcome};
use crate::native_server::Script;

fn blokus(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_blokus"))
        .args(words)
        .env_remove("RUST_LOG")
        .output()
        .expect("the program")
}

/// What the program writes to standard error in a match with these rules, to which it comes back once.
fn warnings(rules: Value, player: &str) -> String {
    let mut script = Script::start(move |server| {
        server.hear();
        server.tell(&[welcome(false), table_of(&rules)]);
        server.cut();
        server.hear();
        server.tell(&[welcome(true), table_of(&rules), over()]);
    });
    let port = script.port.to_string();
    let output = blokus(&["--host", "127.0.0.1", "--port", &port, "--engine", player]);
    script.finish();
    assert!(output.status.success());
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn engines_warn_of_a_scoring_that_they_do_not_play_for() {
    let warning = "scoring is \"squares\", the engines play for the advanced score";
    let text = warnings(json!({"scoring": "squares"}), "greedy");
    assert_eq!(text.matches(warning).count(), 1, "{text}");
    for rules in [json!({}), json!({"scoring": "advanced"})] {
        assert_eq!(warnings(rules, "greedy"), "");
    }
    let text = warnings(json!({"scoring": "squares"}), "human");
    assert!(!text.contains("scoring"), "{text}");
    let help = String::from_utf8(blokus(&["--help"]).stdout).expect("text");
    assert!(help.contains("whose scoring is `squares`"), "{help}");
}
