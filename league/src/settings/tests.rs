use super::*;
use games::GameName;

const TWO: &str = "[[entrants]]\nname = \"a\"\nengine = \"random\"\n[[entrants]]\nengine = \"best\"\noptions = [\"--playouts\", \"9\"]\n";

fn read(head: &str) -> Result<Settings, String> {
    parse(&format!("{head}\n{TWO}"), "x.toml").map_err(|e| e.to_string())
}

/// The mistakes of a kind in `mistakes.txt`, each with its error.
fn mistakes(kind: &'static str) -> impl Iterator<Item = (String, &'static str)> {
    let lines = include_str!("mistakes.txt").lines();
    let of_kind = move |line: &'static str| line.strip_prefix(kind)?.strip_prefix(": ");
    lines.filter_map(of_kind).map(|line| {
        let (text, reason) = line.split_once(" => ").unwrap();
        (text.replace('⏎', "\n"), reason)
    })
}

#[test]
fn an_entrant_may_have_limits_of_time_of_its_own() {
    let text = "game = \"geister\"\n[clocks]\nmove-ms = 900\nwait-ms = 7\n[[entrants]]\nengine = \"random\"\n\
                [[entrants]]\nname = \"b\"\nengine = \"random\"\nstart-ms = 5\nmove-ms = 0\ngame-ms = 3000\n";
    let read = parse(text, "it.toml").unwrap();
    let [usual, own] = [0, 1].map(|entrant| read.clocks_of(&read.entrants[entrant]));
    assert_eq!((usual, read.entrants[0].clocks), (read.clocks, None));
    assert_eq!(
        own,
        Clocks {
            start_ms: 5,
            move_ms: None,
            game_ms: Some(3000),
            ..read.clocks
        }
    );
}

#[test]
fn a_preset_lies_over_the_game_and_the_file_over_the_preset() {
    let uecda =
        read("preset = \"uecda\"\ndeals = 3\n[rules]\nseat-change = 0\n[rules.game]\nlock = false")
            .unwrap();
    assert_eq!(
        (uecda.game(), uecda.session, uecda.deals),
        (GameName::Daihinmin, 100, 3)
    );
    let Rules::Daihinmin(rules) = &uecda.rules else {
        panic!("{:?}", uecda.rules)
    };
    assert_eq!((rules.seat_change, rules.rank_reset), (0, 100));
    assert!(!rules.game.lock && rules.game.revolution);
    assert_eq!(uecda.names(), ["a", "best"]);

    let gat = read("preset = \"gat-main\"\n[clocks]\ngame-ms = 0").unwrap();
    assert_eq!(gat.points, Some([3.0, 1.0, 0.0]));
    assert_eq!(
        (gat.clocks.game_ms, gat.clocks.move_ms),
        (None, Some(10_000))
    );
    let many = read("preset = \"gat-many\"").unwrap();
    assert_eq!((many.deals, many.clocks.game_ms), (50, None));

    let paper = read("preset = \"blokus-paper\"\nchallenger = \"best\"").unwrap();
    assert_eq!(paper.format, Format::Copies { challenger: 1 });
    assert_eq!((paper.random_plies, paper.deals * 4), (4, 300));
    for (text, game) in [
        ("daihinmin", "daihinmin"),
        ("uecda", "daihinmin"),
        ("geister", "geister"),
        ("gat", "geister"),
        ("blokus", "blokus"),
        ("score-four", "score-four"),
    ] {
        let plain = read(&format!("game = \"{text}\"")).unwrap();
        assert_eq!((plain.game().as_str(), plain.session), (game, 1));
        assert_eq!(plain.process, ProcessLife::Fixture);
    }
}

#[test]
fn the_settings_in_a_journal_are_those_of_the_file() {
    for head in [
        "preset = \"uecda\"",
        "preset = \"gat-many\"\n[sprt]\nentrant = \"best\"\nelo0 = 0\nelo1 = 10",
        "preset = \"blokus-paper\"",
        "game = \"score-four\"\nformat = \"swiss\"\nrounds = 3\nsitting-deals = 7",
    ] {
        let settings = read(head).unwrap();
        let text = serde_json::to_string(&settings).unwrap();
        let back: Settings = serde_json::from_str(&text).unwrap();
        assert_eq!(back, settings, "{text}");
    }
}

#[test]
fn secrets_stay_out_of_the_journal() {
    let text = format!("game = \"blokus\"\n{TWO}[entrants.environment]\nKEY = \"secret\"\n");
    let settings = parse(&text, "x").unwrap();
    assert_eq!(settings.entrants[1].environment["KEY"], "secret");
    assert!(!serde_json::to_string(&settings).unwrap().contains("secret"));
}

#[test]
fn a_pace_is_that_of_a_stage_and_no_part_of_the_league() {
    let stages = "[[stages]]\nadvance = 2\n[[stages]]\nadvance = 2\n";
    let plain = format!("game = \"dobutsu\"\n{stages}{TWO}");
    let paced = plain.replace(
        "advance = 2\n[[e",
        "advance = 2\npace = { games = 4, ms = 1000 }\n[[e",
    );
    let [plain, paced] = [plain, paced].map(|text| parse(&text, "x.toml").unwrap());
    assert_eq!(plain.run.paces.len(), 0);
    let pace = MoveDelay { games: 4, ms: 1000 };
    assert_eq!(paced.run.paces, BTreeMap::from([(2, pace)]));
    // One matchup of two in each stage.
    assert_eq!(
        [0, 1, 2].map(|matchup| paced.pace_of(matchup)),
        [None, None, Some(pace)]
    );
    let text = |settings| serde_json::to_string(settings).unwrap();
    assert_eq!(text(&plain), text(&paced));
    let head = read("game = \"blokus\"\n[pace]\ngames = 1\nms = 5").unwrap();
    assert_eq!(head.pace_of(0), Some(MoveDelay { games: 1, ms: 5 }));
}

#[test]
fn a_mistake_is_named_with_its_line() {
    for (head, due) in mistakes("file") {
        let (line, reason) = due.split_once(": ").unwrap();
        let error = read(&head).unwrap_err();
        assert!(
            error.starts_with(&format!("x.toml:{line}: ")),
            "{head}: {error}"
        );
        assert!(error.contains(reason), "{head}: {error}");
    }
}

#[test]
fn a_mistake_of_an_entrant_is_named_with_its_section() {
    for (third, reason) in mistakes("entrant") {
        let text = format!("game = \"geister\"\n{TWO}[[entrants]]\n{third}\n");
        let error = parse(&text, "x.toml").unwrap_err().to_string();
        assert!(error.starts_with("x.toml:8: "), "{error}");
        assert!(error.contains(reason), "{third}: {error}");
    }
    // The same letter in one piece and in two.
    let names = ["\u{e9}", "e\u{301}"]
        .map(|name| format!("[[entrants]]\nname = \"{name}\"\nengine = \"x\"\n"));
    let error = parse(&format!("game = \"geister\"\n{}", names.concat()), "x.toml").unwrap_err();
    assert!(
        error.to_string().contains("another entrant is called"),
        "{error}"
    );
    let error = parse("game = \"geister\"\n", "x.toml").unwrap_err();
    assert!(
        error.to_string().contains("two or more entrants"),
        "{error}"
    );
}

fn remote(game: &str, contest: &str, entrants: &[&str]) -> Result<Settings, String> {
    let section = |(number, lines): (usize, &&str)| {
        format!("[[entrants]]\nname = \"e{number}\"\nstart = \"remote\"\n{lines}\n")
    };
    let entrants: String = entrants.iter().enumerate().map(section).collect();
    let text = format!("game = \"{game}\"\n{contest}\n{entrants}");
    parse(&text, "x.toml").map_err(|e| e.to_string())
}

#[test]
fn remote_entrants_have_ports_of_their_own() {
    let settings = remote("geister", "", &["", "address = \"10.0.0.7\"", "port = 9"]).unwrap();
    let ports = |settings: &Settings| -> Vec<u16> {
        let entrants = settings.entrants.iter();
        entrants.map(|entrant| entrant.access.port).collect()
    };
    assert_eq!(ports(&settings), [5100, 5101, 9]);
    assert_eq!(settings.run.contest, Contest::default());
    let address = settings.entrants[1].access.address;
    assert_eq!(address, Some("10.0.0.7".parse().unwrap()));
    let head = "[contest]\nhost = \"::\"\nport = 0\nwait-s = 7\nabsent = \"skip\"";
    let settings = remote("blokus", head, &["token = \"secret-1\""; 2]).unwrap();
    let contest = Contest {
        host: "::".to_owned(),
        port: 0,
        wait_s: 7,
        absent: Absent::Skip,
        ..Contest::default()
    };
    assert_eq!(
        (ports(&settings), &settings.run.contest),
        (vec![0, 0], &contest)
    );
    // What is secret or may change is no part of the league.
    let text = serde_json::to_string(&settings).unwrap() + &format!("{settings:?}");
    assert!(!text.contains("secret"), "{text}");
    let back: Settings = serde_json::from_str(text.split("Settings {").next().unwrap()).unwrap();
    assert!(back.entrants.iter().all(Entrant::comes_itself));
}

#[test]
fn a_token_may_lie_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.toml");
    let text = "game = \"blokus\"\n[[entrants]]\nname = \"a\"\nstart = \"remote\"\ntoken-file = \"a.token\"\n\
                [[entrants]]\nengine = \"random\"\n";
    std::fs::write(&file, text).unwrap();
    let error = super::read(&file).unwrap_err().to_string();
    assert!(
        error.contains("x.toml:2: ") && error.contains("a.token"),
        "{error}"
    );
    std::fs::write(folder.path().join("a.token"), "sesame-1\n").unwrap();
    let token = super::read(&file).unwrap().entrants.remove(0).access.token;
    assert_eq!(token.as_deref(), Some("sesame-1"));
    std::fs::write(folder.path().join("a.token"), "sesame\n").unwrap();
    let error = super::read(&file).unwrap_err().to_string();
    assert!(
        error.contains("x.toml:2: ") && error.contains("8 to 64"),
        "{error}"
    );
}

#[test]
fn a_mistake_of_a_remote_entrant_is_named() {
    for (text, reason) in mistakes("remote") {
        let [game, contest, entrant] = text.splitn(3, '|').collect::<Vec<_>>()[..] else {
            panic!("{text}");
        };
        let error = remote(game.trim(), contest.trim(), &[entrant.trim(), ""]).unwrap_err();
        assert!(error.contains(reason), "{reason}: {error}");
    }
    let error = read("game = \"geister\"\n[contest]\nport = 7").unwrap_err();
    assert!(error.contains("no entrant with `start"), "{error}");
    let text = format!("game = \"geister\"\n{TWO}token = \"x\"\n");
    let error = parse(&text, "x.toml").unwrap_err().to_string();
    assert!(error.contains("`token` has a meaning with"), "{error}");
}

#[test]
fn words_of_a_command_are_filled_in() {
    let values = [
        ("port", "4444".to_owned()),
        ("host", "127.0.0.1".to_owned()),
    ];
    assert_eq!(
        fill_in("--to={host}:{port}", &values),
        "--to=127.0.0.1:4444"
    );
    assert_eq!(fill_in("{x} {}", &values), "{x} {}");
}

#[test]
fn the_leagues_of_this_project_can_be_read() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/leagues");
    let mut count = 0;
    let files = std::fs::read_dir(&folder).unwrap();
    let files = files.map(|file| file.unwrap().path());
    for file in files.filter(|file| file.extension().is_some_and(|e| e == "toml")) {
        let settings = super::read(&file).unwrap();
        assert!(settings.run.folder.ends_with("leagues"), "{settings:?}");
        count += 1;
    }
    assert!(count >= 6, "{count}");
}

#[test]
fn a_file_that_is_not_there_has_no_line() {
    let error = super::read(std::path::Path::new("nowhere/none.toml")).unwrap_err();
    assert!(
        error.to_string().starts_with("nowhere/none.toml: "),
        "{error}"
    );
}

#[test]
fn limits_and_sandboxes_are_those_of_the_entrant_or_of_all() {
    let parse = |text: &str| parse(text, "x.toml").map_err(|e| e.to_string());
    let league = |head: &str, entrant: &str| {
        let play = "command = [\"./play\", \"{port}\"]";
        parse(&format!(
            "game = \"blokus\"\n{head}\n[[entrants]]\nengine = \"random\"\n[[entrants]]\nname = \"a\"\n{play}\n{entrant}"
        ))
    };
    let all = "sandbox = \"bubblewrap\"\n[limits]\nmemory-mib = 9\ncpu-s = 8\nprocesses = 7";
    let own = "directory = \"a\"\nreads = [\"/srv\"]\n[entrants.limits]\ncpu-s = 0\nprocesses = 3\nfile-mib = 1\nfolder-mib = 2";
    let settings = league(all, own).unwrap();
    let limits = Limits {
        memory_mib: Some(9),
        cpu_s: Some(8),
        processes: Some(7),
        ..Limits::default()
    };
    let [house, a] = &settings.entrants[..] else {
        panic!("two entrants")
    };
    assert_eq!((house.limits, house.sandbox), (limits, None));
    let limits = Limits {
        cpu_s: None,
        processes: Some(3),
        file_mib: Some(1),
        folder_mib: Some(2),
        ..limits
    };
    assert_eq!(
        (a.limits, a.sandbox),
        (limits, Some(SandboxName::Bubblewrap))
    );
    assert_eq!(a.reads, [PathBuf::from("/srv")]);
    // They are no part of the league: a journal goes on when they change.
    let text = serde_json::to_string(&settings).unwrap();
    let is_there = ["limits", "sandbox", "reads", "mounts"].map(|key| text.contains(key));
    assert_eq!(is_there, [false; 4], "{text}");

    let sandbox = |head: &str, entrant: &str| league(head, entrant).unwrap().entrants[1].sandbox;
    assert_eq!(sandbox("", ""), None);
    for none in ["none", "off"] {
        let none = format!("sandbox = \"{none}\"");
        assert_eq!(sandbox(all, &none), Some(SandboxName::None));
        assert_eq!(
            sandbox(&none, "sandbox = \"bubblewrap\""),
            Some(SandboxName::Bubblewrap)
        );
    }
    assert!(league("", "remote = true").unwrap().entrants[1].remote);
    for (text, reason) in mistakes("limits") {
        let (head, entrant) = text.split_once('|').unwrap();
        let said = league(head.trim(), entrant.trim()).unwrap_err();
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn groups_and_stages_are_read_and_their_mistakes_named() {
    let entrants: Vec<String> = (0..7)
        .map(|number| format!("[[entrants]]\nname = \"e{number}\"\nengine = \"random\"\n"))
        .collect();
    let read = |head: &str| {
        parse(&format!("{head}\n{}", entrants.concat()), "x.toml").map_err(|e| e.to_string())
    };
    let head = "game = \"score-four\"\ngroups = 3\norder = [\"e6\", \"e5\", \"e4\", \"e3\", \"e2\", \"e1\", \"e0\"]\n\
                tie-breaks = [\"points\", \"head-to-head\", \"lot\"]\n[[stages]]\nadvance = 1\nwild-cards = 1\n\
                [[stages]]\nname = \"last\"\nadvance = 2\nformat = \"swiss\"\nrounds = 2\ndeals = 9";
    let settings = read(head).unwrap();
    assert_eq!((settings.groups.count, settings.groups.order[0]), (3, 6));
    let [first, last] = &settings.stages[..] else {
        panic!("{:?}", settings.stages);
    };
    assert_eq!(
        (&first.name[..], first.deals, first.wild_cards),
        ("final", 100, 1)
    );
    assert_eq!((last.format, last.deals), (Format::Swiss { rounds: 2 }, 9));
    let text = serde_json::to_string(&settings).unwrap();
    let back: Settings = serde_json::from_str(&text).unwrap();
    // Only the file says what it names.
    assert!(settings.run.has_ranking && !back.run.has_ranking);
    let back = Settings {
        run: settings.run.clone(),
        ..back
    };
    assert_eq!(back, settings);
    // The journals of other leagues say nothing of it.
    let plain = serde_json::to_string(&read("game = \"score-four\"").unwrap()).unwrap();
    assert!(!plain.contains("groups") && !plain.contains("stages") && !plain.contains("ranking"));
    for (head, reason) in mistakes("groups") {
        let error = read(&format!("game = \"score-four\"\n{head}")).unwrap_err();
        assert!(error.contains(reason), "{head}: {error}");
    }
    let error = super::tests::read("game = \"blokus\"\npairing-points = [3, 1, 0]").unwrap_err();
    assert!(error.contains("two seats"), "{error}");
}

#[test]
fn the_page_of_limits_names_those_of_leagues() {
    let page = include_str!("../../../docs/limits.md");
    let archived = format!(
        "{} GiB in all, {MOST_ARCHIVED_FILES} files",
        MOST_ARCHIVED >> 30
    );
    for (what, value) in [
        (
            "| connections of a remote entrant",
            MOST_VISITORS.to_string(),
        ),
        ("| fixtures in a row in which", TIMEOUTS.to_string()),
        ("| files of an archive", archived),
    ] {
        let line = page
            .lines()
            .find(|line| line.starts_with(what))
            .expect(what);
        assert!(line.contains(&value), "{what} {value}");
    }
}
