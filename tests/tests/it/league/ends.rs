//! Entrants that do not play as they should.

use std::fs;

use end_to_end::league::{League, random_bots};
use end_to_end::patience::at_once;
use end_to_end::programs::{self, Ended, run};
use league::archive::{audit, pack, unpack};
use league::schedule::LeagueSeed;
use record::{EndKind, Record};
use serde_json::{Value, json};

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
    let errors = league.ends("out", 1);
    assert!(errors.contains("broken"), "{errors}");
    assert!(errors.contains("the engine has no weights"), "{errors}");
    // The others have played all that they had to.
    assert_eq!(league.fixtures("out").len(), 4);
    assert_eq!(league.kinds("out", 2), []);
}

#[test]
fn a_bot_of_the_project_is_refused_in_a_line_before_the_league_begins() {
    for (engine, says) in [
        (
            r#""rando""#,
            "level-9]; tip: a similar value exists: 'random'",
        ),
        (
            "\"flat\"\noptions = [\"--playout\", \"3\"]",
            "unexpected argument '--playout' found",
        ),
    ] {
        let league = League::new(&format!(
            "game = \"score-four\"\n[[entrants]]\nengine = \"random\"\n[[entrants]]\nname = \"b\"\nengine = {engine}\n"
        ));
        let errors = league.ends("out", 2);
        assert!(
            errors.contains("it.toml:5: the entrant b: ") && errors.contains(says),
            "{errors}"
        );
        assert_eq!(errors.lines().count(), 1, "{errors}");
        assert!(!league.out("out").join("journal.jsonl").exists());
    }
}

#[test]
fn engines_behind_the_bridge_play_a_league() {
    let (blokus, dobutsu) = (programs::blokus(), programs::dobutsu());
    // A greeting is no answer, and no fault.
    let usi = format!(
        "echo An engine by its author; exec {} --usi --engine random",
        dobutsu.display()
    );
    let engines = [
        (
            "blokus",
            format!(
                "gtp = {:?}",
                [
                    blokus.display().to_string(),
                    "--gtp".to_owned(),
                    "--engine=random".to_owned()
                ]
            ),
        ),
        // The command of a shell is no word that names a file.
        (
            "dobutsu",
            format!("usi = {:?}\nreads = [{dobutsu:?}]", ["sh", "-c", &usi]),
        ),
    ];
    for (game, engine) in engines {
        let league = League::new(&format!(
            "game = {game:?}\ndeals = 1\nrecords = true\n[[entrants]]\nengine = \"random\"\n[[entrants]]\nname = \"bridged\"\n{engine}"
        ));
        let errors = league.ends("out", 0);
        assert!(!errors.contains("no answer"), "{errors}");
        for entrant in 0..2 {
            let kinds = league.kinds("out", entrant);
            assert!(
                !kinds.is_empty() && kinds.iter().all(|kind| *kind == EndKind::Normal),
                "{kinds:?}"
            );
        }
        // Records and the report say which engine has played.
        let out = league.out("out");
        let record = out.join("records").join("0.0.0.jsonl");
        let header = Record::open(&record).expect("a record").header;
        let client = header
            .players
            .iter()
            .find(|player| player.name == "bridged");
        let client = client.and_then(|player| player.client.clone());
        let client = client.expect("what it calls itself");
        assert!(client.starts_with("engine-bridge 0."), "{client}");
        assert!(client.contains(": Taikyoku"), "{client}");
        let archive = league.folder.path().join("it.tar.gz");
        pack(&out, "it", &archive, false).expect("an archive");
        let unpacked = league.folder.path().join("unpacked");
        unpack(&archive, &unpacked).expect("an archive");
        let page = fs::read_to_string(unpacked.join("report.html")).expect("a page");
        assert!(page.contains(&client), "{page}");
        audit(&unpacked).expect("it agrees");
    }
}

#[test]
fn no_clock_runs_while_an_engine_gets_ready_for_a_game_of_a_league() {
    let slow = |words: &str, engine: &str| {
        let script = format!(
            "while read -r line; do case \"$line\" in {words}) sleep 4;; esac; echo \"$line\"; done | {engine}"
        );
        format!("{:?}", ["sh", "-c", &script])
    };
    let usi = format!("{} --usi --engine random", programs::dobutsu().display());
    let gtp = format!("{} --gtp --engine random", programs::blokus().display());
    let leagues = [
        (
            "dobutsu",
            "fixture",
            "usi = ".to_owned() + &slow("isready", &usi),
        ),
        (
            "dobutsu",
            "sitting",
            "usi = ".to_owned() + &slow("usinewgame", &usi),
        ),
        (
            "blokus",
            "sitting",
            "gtp = ".to_owned() + &slow("*clear_board*|*set_game*", &gtp),
        ),
    ];
    at_once(leagues, |(game, process, engine)| {
        let league = League::new(&format!(
            "game = {game:?}\ndeals = 1\nprocess = {process:?}\nsandbox = \"none\"\n[clocks]\nmove-ms = 3000\nstart-ms = 30000\n\
             [[entrants]]\nengine = \"random\"\n[[entrants]]\nname = \"slow\"\n{engine}"
        ));
        league.ends("out", 0);
        let kinds = league.kinds("out", 1);
        assert!(kinds.len() > 1, "{kinds:?}");
        assert_eq!(
            kinds,
            vec![EndKind::Normal; kinds.len()],
            "{game}, {process}"
        );
    });
}

#[test]
fn a_program_that_ends_in_a_game_has_crashed_in_every_protocol() {
    let native = r#"
exec 3<>"/dev/tcp/$1/$2"
echo '{"type":"hello","versions":[1],"name":"x"}' >&3
while read -r line <&3; do
    case "$line" in *'"request"'*) kill -SEGV $$ ;; esac
done
"#;
    // It closes its connection before it ends.
    let player = env!("CARGO_BIN_EXE_mock-player");
    let leaves =
        format!("command = [{player:?}, \"uecda\", \"crash\", \"{{port}}\", \"{{games}}\"]");
    let engine = r#"usi = ["sh", "-c", 'while read -r line; do case "$line" in usi) echo usiok ;; isready) echo readyok ;; go*) kill -SEGV $$ ;; esac; done']"#;
    for (head, engine) in [
        (
            "game = \"score-four\"",
            "command = [\"bash\", \"native.sh\", \"{host}\", \"{port}\"]",
        ),
        ("game = \"daihinmin\"\nsession = 2", &leaves),
        ("game = \"geister\"", &leaves.replace("uecda", "gat")),
        ("game = \"dobutsu\"\nprocess = \"sitting\"", engine),
    ] {
        let others = if head.contains("daihinmin") { 4 } else { 1 };
        let others = random_bots((0..others).map(|number| format!("r{number}")));
        let league = League::new(&format!(
            "{head}\ndeals = 1\nsandbox = \"none\"\n{others}[[entrants]]\nname = \"dies\"\n{engine}\n"
        ));
        fs::write(league.folder.path().join("native.sh"), native).expect("a file");
        league.ends("out", 0);
        let report = league.ask("report", "out");
        let lines = report["entrants"].as_array().expect("entrants");
        let dies = lines
            .iter()
            .find(|line| line["name"] == "dies")
            .expect("its line");
        let faults = dies["faults"].as_object().expect("faults");
        assert!(faults.keys().eq(["crash"]), "{head}: {faults:?}");
        assert!(faults["crash"].as_u64() >= Some(2), "{head}: {faults:?}");
    }
}

#[test]
fn an_entrant_with_less_time_is_late_by_its_own_clock() {
    let player = env!("CARGO_BIN_EXE_mock-player");
    let silent = |protocol: &str, mode: &str| {
        format!("command = [{player:?}, {protocol:?}, {mode:?}, \"{{port}}\", \"{{games}}\"]")
    };
    let leagues = [
        ("game = \"score-four\"", silent("native", "stall"), 1),
        ("game = \"geister\"", silent("gat", "stall"), 1),
        ("game = \"daihinmin\"", silent("uecda", "stall"), 4),
    ];
    at_once(leagues, |(head, silent, others)| {
        let others = random_bots((0..others).map(|number| format!("r{number}")));
        // With the league's time limits the test would not end.
        let league = League::new(&format!(
            "{head}\ndeals = 1\nrecords = true\nsandbox = \"none\"\nclocks = {{ move-ms = 900_000 }}\n\
             {others}[[entrants]]\nname = \"hurried\"\nmove-ms = 200\n{silent}\n"
        ));
        league.ends("out", 0);
        let report = league.ask("report", "out");
        let lines = report["entrants"].as_array().expect("entrants");
        for line in lines {
            let is_hurried = line["name"] == "hurried";
            assert_eq!(line["faults"]["timeout"].is_u64(), is_hurried, "{line}");
            assert_eq!(line["clocks"] == "200 ms a move", is_hurried, "{line}");
        }
        let records = league.out("out").join("records");
        for record in fs::read_dir(records).expect("records") {
            let text = fs::read_to_string(record.expect("a record").path()).expect("its text");
            let header: Value =
                serde_json::from_str(text.lines().next().expect("a line")).expect("a header");
            let mut named = header["players"].as_array().expect("players").iter();
            let own = named
                .position(|player| player["name"] == "hurried")
                .expect("it");
            assert_eq!(header["player-clocks"][own]["move-ms"], 200, "{header}");
            assert_eq!(header["clocks"]["move-ms"], 900_000, "{header}");
        }
        let (status, said) = league.told(&["archive", "out"]);
        assert_eq!(status, Some(0), "{said}");
    });
}

#[test]
fn a_seed_that_is_not_stated_is_drawn_kept_and_told_at_the_end() {
    let text = r#"
game = "score-four"
deals = 1
[[entrants]]
engine = "random"
[[entrants]]
name = "flat"
engine = "flat"
options = ["--playouts", "10"]
"#;
    let league = League::new("");
    league.rewrite(text);
    let seed = |out: &str| league.journal(out).head.settings.seed;
    for out in ["one", "other"] {
        league.ends(out, 0);
        assert_eq!(league.ask("report", out)["seed"], json!(seed(out)));
        assert!(matches!(seed(out), LeagueSeed::Key(_)));
    }
    assert_ne!(seed("one"), seed("other"));
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = league.out("one").join("journal.jsonl");
        let mode = std::fs::metadata(file)
            .expect("a journal")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // It goes on with the one that was drawn, and says none while it is not over.
    let before = seed("one");
    league.rewrite(&text.replace("deals = 1", "deals = 3"));
    let mut running = league.start("one");
    league.wait_for("one", 3, &mut running);
    assert!(running.wait().expect("a league").success());
    assert_eq!((seed("one"), league.fixtures("one").len()), (before, 6));
    // One that is stated is meant.
    league.rewrite(&format!("seed = 7\n{text}"));
    league.ends("stated", 0);
    assert_eq!(seed("stated"), LeagueSeed::Number(7));
}

#[test]
fn the_seed_of_a_league_verifies_its_deals() {
    for (duplicate, life) in [(true, "fixture"), (false, "sitting")] {
        let entrants = random_bots(0..5);
        let league = League::new(&format!(
            "game = \"daihinmin\"\ndeals = 1\nsession = 2\nrecords = true\nduplicate = {duplicate}\n\
             process = \"{life}\"\n{entrants}"
        ));
        league.ends("out", 0);
        let seed = league.journal("out").head.settings.seed.to_string();
        let verify = |path: &str, seed: &str| {
            let Ended { code, out, .. } = run(&["verify", path, "--league-seed", seed]);
            (code, out)
        };
        let records = std::fs::read_dir(league.out("out").join("records")).expect("records");
        let mut verified = 0;
        for record in records {
            let path = record.expect("a record").path().display().to_string();
            let (code, text) = verify(&path, &seed);
            assert_eq!(code, Some(0), "{path}: {text}");
            assert!(text.contains("and the deals"), "{text}");
            let (code, text) = verify(&path, "7");
            assert_eq!(code, Some(1), "{text}");
            verified += 1;
        }
        assert_eq!(verified, if duplicate { 5 } else { 1 });
    }
}
