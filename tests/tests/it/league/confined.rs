//! Entrants with limits and in the sandbox.

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;

use end_to_end::league::League;
use end_to_end::programs;
use record::EndKind;
use server::league::process::{lacks_bubblewrap, lacks_landlock};

/// The first of the standard errors that the league has kept.
fn said_at_first(league: &League) -> String {
    let mut files = fs::read_dir(league.out("out").join("stderr")).expect("a folder");
    let file = files.next().expect("a file").expect("a file");
    fs::read_to_string(file.path()).expect("a file")
}

#[test]
fn a_program_has_the_limits_of_its_entrant() {
    programs::score_four();
    let league = League::new(
        r#"
game = "score-four"
deals = 1
at-once = 1
[limits]
open-files = 40
cpu-s = 50
memory-mib = 300
[[entrants]]
engine = "random"
[[entrants]]
name = "bounded"
command = ["bash", "-c", "ulimit -n >&2; ulimit -t >&2; ulimit -d >&2; head -c 4M /dev/zero > big; stat -c %s big >&2; exit 3", "{port}"]
[entrants.limits]
cpu-s = 60
file-mib = 2
"#,
    );
    let output = league.play("out");
    assert_eq!(output.status.code(), Some(1));
    let said = said_at_first(&league);
    let (_, said) = said.split_once("\n\n").expect("a head");
    let lines: Vec<&str> = said
        .lines()
        .filter(|line| line.parse::<u64>().is_ok())
        .collect();
    assert_eq!(lines, ["40", "60", "307200", "2097152"], "{said}");
}

#[test]
fn a_program_with_all_that_it_starts_has_the_limits_of_its_group() {
    programs::score_four();
    let league = League::new(
        r#"
game = "score-four"
deals = 1
at-once = 1
[[entrants]]
engine = "random"
[[entrants]]
name = "bomb"
command = ["bash", "-c", "for i in 1 2 3 4 5 6 7 8 9; do sleep 100 & done; jobs -p | wc -l >&2; exit 3", "{port}"]
[entrants.limits]
processes = 6
"#,
    );
    let output = league.play("out");
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.contains("limits for each process of a program") {
        println!("SKIPPED, no control group: {errors}");
        return;
    }
    let said = said_at_first(&league);
    assert!(said.contains("fork: "), "{said}");
}

#[test]
fn a_program_in_the_sandbox_reaches_its_own_folder_and_its_table() {
    confine_a_spy("landlock");
}

#[test]
fn a_program_in_bubblewrap_reaches_no_more() {
    if let Some(reason) = lacks_bubblewrap() {
        println!("SKIPPED: {reason}");
        return;
    }
    let capabilities = confine_a_spy("bubblewrap");
    let is_none = |line: &str| line.contains(&"0".repeat(16));
    assert!(
        capabilities.as_deref().is_none_or(is_none),
        "{capabilities:?}"
    );
}

/// Gives the line of the system with what the spy may do as root; none where there is no sandbox.
fn confine_a_spy(sandbox: &str) -> Option<String> {
    if let Err(reason) = lacks_landlock() {
        println!("SKIPPED, no sandbox: {reason}");
        return None;
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let elsewhere = listener.local_addr().expect("an address").port();
    let score_four = programs::score_four();
    let play = format!(
        "{} play --host {{host}} --port {{port}} --engine random",
        score_four.display()
    );
    let league = League::new(&format!(
        r#"
game = "score-four"
seed = 3
deals = 1
at-once = 1
sandbox = "{sandbox}"
[[entrants]]
name = "victim"
engine = "random"
[[entrants]]
name = "spy"
command = ["bash", "-c", ". ./spy; exec {play}"]
directory = "spy"
reads = ["{}"]
[entrants.environment]
KEY = "own"
"#,
        score_four.display()
    ));
    let folder = league.folder.path();
    fs::create_dir(folder.join("spy")).expect("a folder");
    fs::create_dir(folder.join("other")).expect("a folder");
    fs::write(folder.join("other/secret"), "x").expect("a file");
    let spy = format!(
        r#"
try() {{ if "$@" > /dev/null 2>&1; then echo "could: $*"; else echo "could not: $*"; fi >> report; }}
put() {{ echo x > $1; }}
meet() {{ (exec 3<>/dev/tcp/127.0.0.1/$1); }}
rm -f report
try put own
try cat /etc/passwd
try cat own
try cat ../it.toml
try cat ../out/journal.jsonl
try cat ../out/journal.key
try ls ..
try cat ../other/secret
try put ../other/new
try put ../new
try cat /proc/$PPID/environ
try cat /proc/$PPID/cmdline
try kill -0 $PPID
try meet {elsewhere}
env > env
while read -r line; do [[ $line == CapEff* ]] && echo "$line"; done < /proc/self/status > capabilities
"#
    );
    fs::write(folder.join("spy/spy"), spy).expect("a file");
    let output = league.play("out");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    let fixtures = league.fixtures("out");
    assert_eq!(fixtures.len(), 2, "{errors}");
    for game in fixtures.values().flat_map(|played| &played.games) {
        assert_eq!([0, 1].map(|seat| game.kind(seat)), [EndKind::Normal; 2]);
    }
    let report = fs::read_to_string(folder.join("spy/report")).expect("a report");
    let could: Vec<&str> = report
        .lines()
        .filter_map(|l| l.strip_prefix("could: "))
        .collect();
    assert_eq!(could, ["put own", "cat /etc/passwd", "cat own"], "{report}");
    assert_eq!(report.lines().count(), 14, "{report}");
    let environment = fs::read_to_string(folder.join("spy/env")).expect("an environment");
    let names: BTreeSet<&str> = environment
        .lines()
        .filter_map(|l| Some(l.split_once('=')?.0))
        .collect();
    let known = [
        "HOME",
        "KEY",
        "LANG",
        "OLDPWD",
        "PATH",
        "PWD",
        "SHLVL",
        "TAIKYOKU_PROGRAM",
        "TMPDIR",
        "_",
    ];
    assert!(names.is_subset(&BTreeSet::from(known)), "{environment}");
    assert!(
        names.contains("KEY") && names.contains("HOME"),
        "{environment}"
    );
    // The league's own folder is no folder of an entrant.
    let text = fs::read_to_string(folder.join("it.toml")).expect("a file");
    league.rewrite(&text.replace("directory = \"spy\"", "directory = \".\""));
    let refused = league.play("other-out");
    let errors = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{errors}");
    assert!(errors.contains("spy: the folder of the league"), "{errors}");
    let capabilities = fs::read_to_string(folder.join("spy/capabilities"));
    Some(capabilities.expect("the spy has looked"))
}
