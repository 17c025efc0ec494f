//! Entrants that are out of time again and again: they are set aside, and the others play on.

use std::fs;

use end_to_end::league::League;
use end_to_end::programs;
use league::journal::Entry;
use record::EndKind;

const SLOW: &str = r#"
exec 3<>"/dev/tcp/127.0.0.1/$1"
printf '{"type":"hello","versions":[1],"name":"slow"}\n' >&3
exec cat <&3
"#;

/// A league of three, of which one never moves.
fn league(keys: &str) -> League {
    let league = League::new(&format!(
        r#"
game = "score-four"
records = true
at-once = 1
sandbox = "none"
{keys}
[clocks]
move-ms = 1500
[[entrants]]
engine = "random"
[[entrants]]
name = "slow"
command = ["bash", "slow.sh", "{{port}}"]
[[entrants]]
name = "other"
engine = "random"
"#
    ));
    fs::write(league.out("slow.sh"), SLOW).expect("a file");
    league
}

/// The faults of the slow one, in the order of the journal.
fn faults(league: &League) -> Vec<EndKind> {
    let journal = league.journal("it.league");
    let seat = |seats: &[usize]| seats.iter().position(|&entrant| entrant == 1);
    let kinds = journal.played().filter_map(|played| {
        let seat = seat(&played.seats)?;
        Some(played.games[0].kind(seat))
    });
    kinds.collect()
}

fn reasons(league: &League) -> Vec<String> {
    let entries = league.journal("it.league").entries.into_iter();
    let reasons = entries.filter_map(|entry| match entry {
        Entry::Excluded { set_aside, .. } => {
            Some(format!("{}: {}", set_aside.entrant, set_aside.reason))
        }
        _ => None,
    });
    reasons.collect()
}

fn verifies(league: &League) {
    let said = league.output(&["verify", "it.toml"]).good();
    let line = "not verified (no result depends on these files): ";
    let named = said.lines().find_map(|said| said.strip_prefix(line));
    let mut files: Vec<&str> = named.into_iter().flat_map(|all| all.split(", ")).collect();
    files.sort_unstable();
    assert_eq!(
        files,
        ["games.csv", "report.html", "report.json", "standings.csv"],
        "{said}"
    );
}

#[test]
fn one_that_is_late_again_and_again_loses_the_rest() {
    let league = league("deals = 3\nset-aside = \"lost\"");
    let errors = league.ends("it.league", 0);
    let said = "slow is set aside: it was out of time in 3 fixtures in a row; its games are lost";
    assert!(errors.contains(said), "{errors}");
    assert_eq!(
        reasons(&league),
        ["slow: it was out of time in 3 fixtures in a row"]
    );
    let faults = faults(&league);
    assert_eq!(faults.len(), 12);
    assert_eq!(faults[..3], [EndKind::Timeout; 3]);
    assert_eq!(faults[3..], [EndKind::Disconnect; 9]);
    let status = league.ask("status", "it.league");
    assert_eq!(status["entrants"][1]["set_aside"], true, "{status}");
    verifies(&league);
    // It stays so when there is more to play.
    let text = fs::read_to_string(league.out("it.toml")).expect("a file");
    league.rewrite(&text.replace("deals = 3", "deals = 4"));
    league.ends("it.league", 0);
    assert_eq!(self::faults(&league)[12..], [EndKind::Disconnect; 4]);
    verifies(&league);
}

#[test]
fn its_games_may_be_left_until_it_is_put_right() {
    // Programs that play several games leave the table, too.
    let league = league("deals = 4\nsitting-deals = 4\ntimeouts = 2\nset-aside = \"later\"");
    let errors = league.ends("it.league", 1);
    assert!(errors.contains("these were set aside: slow"), "{errors}");
    assert_eq!(faults(&league), [EndKind::Timeout; 2]);
    // The others have played all of theirs.
    assert_eq!(league.fixtures("it.league").len(), 8 + 2);
    verifies(&league);
    let good = format!(
        "exec '{}' play --port \"$1\" --engine random\n",
        programs::score_four().display()
    );
    fs::write(league.out("slow.sh"), good).expect("a file");
    league.ends("it.league", 0);
    assert_eq!(faults(&league)[2..], [EndKind::Normal; 14]);
    verifies(&league);
}
