//! The commands and options of all programs: of one kind everywhere, as `docs/options.md` and
//! `docs/exit_codes.md` say.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader, pipe};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use end_to_end::patience::PATIENCE;
use end_to_end::programs;
use games::GameName;
use program::{Argument, Description, Values};
use socket2::{Domain, Socket, Type};

/// Options whose values are of several kinds: each is told by its command.
const SEVERAL_KINDS: [&str; 8] = [
    "against", "host", "names", "out", "records", "seat", "table", "watch",
];

/// Values that are numbers: of things, of units, or a share.
const NUMBERS: [&str; 6] = ["N", "MS", "SECONDS", "MB", "PLIES", "SHARE"];

/// All commands of all programs, each with its words.
fn commands() -> Vec<(String, Description)> {
    let mut all = Vec::new();
    for path in programs::all() {
        let output = Command::new(path).env(program::DESCRIBE, "1").output();
        let output = output.expect("it starts");
        let described: Description = serde_json::from_slice(&output.stdout).expect("a description");
        let commands = program::commands(&described).into_iter();
        all.extend(commands.map(|(name, command)| (name, command.clone())));
    }
    all
}

/// The options that help shows, each with its command and its long name.
fn options(commands: &[(String, Description)]) -> impl Iterator<Item = (&str, &str, &Argument)> {
    commands.iter().flat_map(|(command, description)| {
        let shown = description
            .arguments
            .iter()
            .filter(|argument| !argument.hidden);
        shown.filter_map(|argument| Some((&command[..], &argument.long.as_ref()?[..], argument)))
    })
}

fn valued(
    commands: &[(String, Description)],
) -> impl Iterator<Item = (&str, &str, &Argument, &Values)> {
    options(commands).filter_map(|(command, name, argument)| {
        Some((command, name, argument, argument.values.as_ref()?))
    })
}

/// What one value of an option is called; `A,B` and `SPEC,...` are several.
fn kind(values: &Values) -> String {
    values.names.join(" ")
}

/// The names of values that the reference explains.
fn explained() -> BTreeSet<String> {
    let page = include_str!("../../../docs/options.md");
    let (_, table) = page.split_once("| value | meaning |").expect("a table");
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let mut names = BTreeSet::new();
    for row in rows {
        // A bar in a cell has a backslash before it.
        let row = row.replace("\\|", "\0");
        let cell = row.split('|').nth(1).expect("a cell");
        let quoted = cell.split('`').skip(1).step_by(2);
        names.extend(quoted.map(|name| name.replace('\0', "|")));
    }
    names
}

#[test]
fn options_are_of_one_kind_everywhere() {
    let commands = commands();
    let mut faults = Vec::new();

    let explained = explained();
    let mut kinds: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (command, name, argument, values) in valued(&commands) {
        let kind = kind(values);
        if values.possible.is_empty() {
            if !explained.contains(&kind) {
                faults.push(format!(
                    "{command} --{name}: the reference does not explain {kind}"
                ));
            }
            kinds.entry(name).or_default().insert(kind.clone());
        }
        if name.ends_with("-ms") != kind.starts_with("MS") {
            faults.push(format!(
                "{command} --{name} {kind}: milliseconds are MS, and named -ms"
            ));
        }
        if kind == "SECONDS"
            && !(name.ends_with("-timeout") || ["piece", "seconds"].contains(&name))
        {
            faults.push(format!(
                "{command} --{name}: seconds are those of a time-out or a piece of work"
            ));
        }
        let help = argument.long_help.as_ref().or(argument.help.as_ref());
        let says_default = help.is_some_and(|help| help.contains("[default"));
        let is_number = NUMBERS.contains(&&kind[..]) || name == "seed";
        if is_number && !argument.required && values.defaults.is_empty() && !says_default {
            faults.push(format!(
                "{command} --{name} {kind}: the default is not told"
            ));
        }
    }
    for (name, kinds) in kinds {
        if kinds.len() > 1 && !SEVERAL_KINDS.contains(&name) {
            faults.push(format!("--{name} takes {kinds:?}"));
        }
    }

    // The plural of an option has its letter, too.
    let mut letters: BTreeMap<char, BTreeSet<&str>> = BTreeMap::new();
    for (_, name, argument) in options(&commands) {
        let Some(letter) = argument.short else {
            continue;
        };
        letters
            .entry(letter)
            .or_default()
            .insert(name.trim_end_matches('s'));
    }
    for (letter, names) in letters {
        if names.len() > 1 {
            faults.push(format!("-{letter} is {names:?}"));
        }
    }

    for (command, description) in &commands {
        if description.about.is_none() {
            faults.push(format!("{command} does not say what it does"));
        }
        for argument in description
            .arguments
            .iter()
            .filter(|argument| !argument.hidden)
        {
            if argument.help.is_none() {
                faults.push(format!("{command} {} has no help", argument.spelling()));
            }
        }
        let tells = |text: &Option<String>| {
            text.as_ref()
                .is_some_and(|text| text.contains("Exit status"))
        };
        let is_program = !command.contains(' ');
        if is_program && !tells(&description.long_about) && !tells(&description.after) {
            faults.push(format!("{command} does not tell its exit codes"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn ended(command: &mut Command) -> (Option<i32>, String) {
    let output = command.stdin(Stdio::null()).output().expect("it starts");
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

#[test]
fn a_wrong_command_line_ends_every_program_with_2() {
    for path in programs::all() {
        let (code, said) = ended(Command::new(&path).arg("--no-such-option"));
        assert_eq!(
            code,
            Some(i32::from(program::USAGE)),
            "{}: {said}",
            path.display()
        );
    }
    let refused = [
        (programs::score_four(), "move zz9"),
        (programs::score_four(), "play --tls-ca nowhere.pem"),
        (programs::daihinmin(), "--weights nowhere"),
        (programs::geister(), "--weights nowhere.npy"),
        (
            programs::blokus(),
            "--engine blokus-zero --model nowhere.onnx",
        ),
        (programs::dobutsu(), "--engine perfect --table nowhere"),
        (programs::dobutsu(), "--engine best --table nowhere"),
        (programs::dobutsu(), "--engine best --mate 3"),
        (programs::daihinmin(), "--engine mc --alpha 0.5"),
        (programs::geister(), "--engine best --temperature 1"),
        (programs::taikyoku(), "league nowhere.toml"),
        (programs::taikyoku(), "serve uecda --config nowhere.toml"),
        (
            programs::taikyoku_web(),
            "play blokus --against nobody --no-open",
        ),
        (programs::taikyoku(), "web --tls"),
        (programs::taikyoku(), "play dobutsu --seat 7 --no-open"),
        (programs::taikyoku(), "play"),
        (programs::taikyoku(), "play --no-open"),
        (programs::taikyoku(), "play chess"),
        (programs::taikyoku(), "serve chess"),
        (programs::taikyoku(), "bot chess"),
    ];
    for (path, line) in refused {
        let (code, said) = ended(Command::new(&path).args(line.split(' ')));
        assert_eq!(code, Some(i32::from(program::USAGE)), "{line}: {said}");
        if line
            .split(' ')
            .all(|word| ["play", "--no-open", "serve", "bot", "chess"].contains(&word))
        {
            let is_told = |game: &GameName| said.contains(game.as_str());
            assert!(GameName::ALL.iter().all(is_told), "{line}: {said}");
        }
    }
}

#[test]
fn a_program_whose_path_is_no_text_names_its_commands() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::process::CommandExt as _;

    let name = OsStr::from_bytes(b"/\xff/taikyoku");
    let mut command = Command::new(programs::taikyoku());
    let (code, said) = ended(command.arg0(name).arg("leage"));
    assert_eq!(code, Some(i32::from(program::USAGE)), "{said}");
    assert!(
        said.contains("the commands are ") && said.contains("league"),
        "{said}"
    );
}

#[test]
fn refusals_say_what_to_do() {
    for build in [programs::taikyoku_web, programs::daihinmin] {
        build();
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().display();
    let usage = program::USAGE;
    let at = |name: &str| folder.path().join("files").join(name);
    let league = at("it.league");
    fs::create_dir_all(&league).expect("a folder");
    for file in ["text", "it.league/journal.jsonl"] {
        fs::write(at(file), "hello\n").expect("a file");
    }
    let file = at("text");
    let file = file.display();
    for (line, code, why) in [
        (
            "play dobutsu --against perfect --no-open",
            usage,
            "`dobutsu-solve --table ",
        ),
        (
            "play dobutsu --against perfect --terminal",
            usage,
            "`dobutsu-solve --table ",
        ),
        (
            "play dobutsu --level 0",
            usage,
            "a number from 1, for beginners, to 9",
        ),
        (
            "play dobutsu --listen 18123",
            usage,
            "such as 127.0.0.1:8080",
        ),
        (
            "play dobutsu --no-open --records /dev/null/none",
            program::FAILED,
            "/dev/null/none",
        ),
        (
            "demo --engines bset",
            usage,
            "no engine 'bset'; the engines are best, ",
        ),
        (
            "demo --engines random,best:playouts=5",
            usage,
            "all without options",
        ),
        ("demo --engines human", usage, "no engine 'human'"),
        (
            "demo --engines random,random,random,random,random,random",
            usage,
            "6 engines for 5 bots",
        ),
        (
            &format!("replay {path}"),
            program::FAILED,
            "this is a folder: name a record",
        ),
        (
            &format!("verify {path}"),
            program::FAILED,
            "there is no record (.jsonl) in it",
        ),
        ("watch localhost", usage, "HOST:PORT is wanted"),
        ("watch :4446", usage, "HOST:PORT is wanted"),
        (
            "league stauts it.toml",
            usage,
            "the commands are status, report, ",
        ),
        (
            &format!("serve score-four --port 0 --records {file}"),
            program::FAILED,
            "records go into a folder, or into a new file",
        ),
        (
            "serve geister --budget-ms 0 --move-ms 0",
            usage,
            "give --move-ms or --budget-ms above 0",
        ),
        (
            "serve geister --ports 10000,10000",
            usage,
            "both players have the port 10000",
        ),
        (
            "serve score-four --budget-ms 0 --increment-ms 5",
            usage,
            "give --budget-ms above 0",
        ),
        (
            "lab match score-four uct --games 0",
            usage,
            "0 is not in 1..",
        ),
        (
            &format!("report {}", league.display()),
            program::FAILED,
            "`taikyoku league report` and `taikyoku league verify` read it",
        ),
        (
            &format!("replay {file}"),
            program::FAILED,
            "as in the .jsonl files of --records",
        ),
    ] {
        let mut command = Command::new(programs::taikyoku());
        command
            .args(line.split(' '))
            .env("XDG_DATA_HOME", folder.path());
        let (ended, said) = ended(&mut command);
        assert_eq!(ended, Some(i32::from(code)), "{line}: {said}");
        assert!(said.matches(why).count() == 1, "{line}: {said}");
    }
    // All levels are in the help.
    let help = Command::new(programs::daihinmin()).arg("--help").output();
    let help = help.expect("it starts").stdout;
    let help = String::from_utf8_lossy(&help);
    assert!(
        help.contains("level-1") && help.contains("level-5"),
        "{help}"
    );
}

#[test]
fn a_record_that_is_not_there_is_told_by_its_program() {
    for command in ["replay", "verify"] {
        let (code, said) = ended(Command::new(programs::taikyoku()).args([command, "nowhere"]));
        assert_eq!(code, Some(i32::from(program::FAILED)), "{said}");
        assert!(said.starts_with("taikyoku: nowhere: "), "{said}");
    }
}

#[test]
fn a_client_without_a_server_ends_with_3() {
    // Bound, so that no other test gets the port, but nobody listens.
    let bound = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    bound.bind(&any.into()).expect("a port");
    let address = bound.local_addr().expect("it is bound").as_socket();
    let port = address.expect("an address").port().to_string();
    let clients = [
        (programs::daihinmin(), "--engine random"),
        (programs::geister(), "--engine random"),
        (programs::blokus(), "--engine random"),
        (programs::dobutsu(), "--engine random"),
        (programs::score_four(), "play --engine random"),
    ];
    for (path, line) in clients {
        let line = line.split(' ').chain([
            "--connect-timeout",
            "0",
            "--host",
            "127.0.0.1",
            "--port",
            &port,
        ]);
        let (code, said) = ended(Command::new(&path).args(line));
        assert_eq!(
            code,
            Some(i32::from(program::NO_CONNECTION)),
            "{}: {said}",
            path.display()
        );
        assert!(said.contains("cannot connect"), "{said}");
    }
    let (code, said) =
        ended(Command::new(programs::taikyoku()).args(["watch", &format!("127.0.0.1:{port}")]));
    assert_eq!(code, Some(i32::from(program::NO_CONNECTION)), "{said}");
}

#[test]
fn an_option_at_the_wrong_command_is_told_where_it_belongs() {
    programs::taikyoku_web();
    for (path, line, tip) in [
        (
            programs::score_four(),
            "--engine best",
            "`--engine` is an option of `score-four play`, `score-four move`",
        ),
        (
            programs::taikyoku(),
            "--league-seed 7",
            "`--league-seed` is an option of `taikyoku verify`",
        ),
        (
            programs::taikyoku(),
            "report --league-seed 7 x",
            "`--league-seed` is an option of `taikyoku verify`",
        ),
        (
            programs::taikyoku(),
            "--csa replay x",
            "`--csa` is an option of `taikyoku replay`",
        ),
        (
            programs::taikyoku(),
            "--json",
            "`--json` is an option of several commands: write it behind the command",
        ),
    ] {
        let (code, said) = ended(Command::new(&path).args(line.split(' ')));
        assert_eq!(code, Some(i32::from(program::USAGE)), "{line}: {said}");
        assert!(said.contains(tip), "{line}: {said}");
    }
    // `play` takes no value that looks like an option: no tip proposes `--`.
    let (_, said) =
        ended(Command::new(programs::taikyoku_web()).args(["play", "dobutsu", "--bogus"]));
    assert!(
        said.contains("'--bogus'") && !said.contains("tip"),
        "{said}"
    );
    // Options that exclude each other have nothing to do with the commands.
    let mut command = Command::new(programs::taikyoku());
    let (_, said) = ended(command.args(["league", "it.toml", "--at-once", "2", "--workers", "x"]));
    assert!(
        said.contains("cannot be used with") && !said.contains("the commands are"),
        "{said}"
    );
    // The tips of clap for misspelled options stay.
    let (_, said) =
        ended(Command::new(programs::taikyoku()).args(["serve", "dobutsu", "--match", "3"]));
    assert!(said.contains("'--matches'"), "{said}");
    let (_, said) = ended(Command::new(programs::taikyoku()).args(["--league-sed", "7", "verify"]));
    assert!(said.contains("'verify --league-seed' exists"), "{said}");
}

#[test]
fn a_level_moves_as_an_engine_does() {
    let mut command = Command::new(programs::score_four());
    command.args(["move", "start", "--engine", "level-1", "--json"]);
    let output = command.output().expect("it starts");
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(line["reasons"]["playouts"], 16, "{line}");
    let mut command = Command::new(programs::score_four());
    let (code, said) = ended(command.args(["move", "start", "--engine", "human"]));
    assert_eq!(code, Some(i32::from(program::USAGE)), "{said}");
    assert!(said.contains("invalid value 'human'"), "{said}");
}

#[test]
fn records_of_a_folder_are_verified_one_by_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = |name: &str| {
        fs::copy(record("dobutsu.jsonl"), folder.path().join(name)).expect("a copy");
    };
    let verified = |more: &[&str]| {
        let mut command = Command::new(programs::taikyoku());
        let command = command.arg("verify").arg(folder.path()).args(more);
        let output = command.output().expect("it starts");
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), lines)
    };
    copy("a.jsonl");
    copy("a (1).jsonl");
    let (code, lines) = verified(&[]);
    assert_eq!(code, Some(0), "{lines}");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let copied = format!("{}: a copy of {}\n", at("a (1).jsonl"), at("a.jsonl"));
    assert!(lines.starts_with(&copied), "{lines}");
    assert!(
        lines.ends_with("\n1 record, of which 1 agrees; 1 copy does not count\n"),
        "{lines}"
    );
    // Another match of the same games.
    let text = fs::read_to_string(record("dobutsu.jsonl")).expect("a record");
    let text = text.replacen("\"match\":\"", "\"match\":\"other-", 1);
    fs::write(folder.path().join("b.jsonl"), text).expect("a file");
    // A commitment is that of one match.
    let (code, _) = verified(&["--commitment", "ab"]);
    assert_eq!(code, Some(i32::from(program::USAGE)));
    fs::write(folder.path().join("c.jsonl"), "no record").expect("a file");
    let (code, lines) = verified(&[]);
    assert_eq!(code, Some(i32::from(program::FAILED)), "{lines}");
    assert!(
        lines.ends_with("\n3 records, of which 2 agree; 1 copy does not count\n"),
        "{lines}"
    );
    let (_, lines) = verified(&["--json"]);
    let verdicts = lines.lines().map(|line| {
        let verdict: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let file = verdict["file"].as_str().expect("a file").to_owned();
        (file, verdict["agrees"].as_bool())
    });
    let wanted = [("a (1)", true), ("a", true), ("b", true), ("c", false)];
    let wanted = wanted.map(|(name, agrees)| (at(&format!("{name}.jsonl")), Some(agrees)));
    assert_eq!(verdicts.collect::<Vec<_>>(), wanted);
}

#[cfg(target_os = "linux")]
#[test]
fn a_verdict_that_cannot_be_printed_is_a_failure() {
    let line = format!("verify {}", record("dobutsu.jsonl").display());
    let full = fs::File::create("/dev/full").expect("Linux has it");
    let (code, said) = ended_into(&programs::taikyoku(), &line, full.into());
    assert_eq!(code, Some(i32::from(program::FAILED)), "{said}");
    assert!(!said.contains("panicked"), "{said}");
}

/// A port that accepts and says nothing, as one of another program may.
#[test]
fn clients_tell_of_a_silent_server() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = silent.local_addr().expect("it is bound").port().to_string();
    let clients = [
        (programs::daihinmin(), "", "is it a UECda server?"),
        (
            programs::blokus(),
            "",
            "is it a server of the native protocol?",
        ),
        (
            programs::dobutsu(),
            "--protocol animal-shogi",
            "is it an AnimalShogiServer?",
        ),
        (programs::geister(), "", "or it is no GAT server"),
    ];
    let started = clients.map(|(path, more, told)| {
        let child = Command::new(path)
            .args(["--host", "127.0.0.1", "--port", &port, "--engine", "random"])
            .args(more.split_whitespace())
            .env_remove("RUST_LOG")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.expect("it starts");
        let errors = BufReader::new(child.stderr.take().expect("a pipe"));
        let (sender, said) = mpsc::channel();
        thread::spawn(move || {
            let mut lines = errors.lines().map_while(Result::ok);
            let found = lines.find(|line| line.contains(told));
            let _ = sender.send(found);
        });
        (child, told, said)
    });
    let heard = started.map(|(mut child, told, said)| {
        let heard = said.recv_timeout(PATIENCE);
        child.kill().expect("it runs");
        child.wait().expect("its end");
        (told, heard)
    });
    for (told, heard) in heard {
        assert!(matches!(heard, Ok(Some(_))), "{told}: {heard:?}");
    }
}

fn record(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../python/tests/records");
    folder.join(name)
}

#[test]
fn a_reader_that_has_gone_ends_programs_in_peace() {
    let record = record("dobutsu.jsonl").display().to_string();
    let lines = [
        (programs::taikyoku(), format!("replay --all {record}")),
        (programs::taikyoku(), format!("report {record}")),
        (programs::taikyoku(), format!("verify {record}")),
        (programs::taikyoku(), "--help".to_owned()),
        (
            programs::score_four(),
            "move start --engine random".to_owned(),
        ),
        (programs::lab(), "tables blokus --games 1".to_owned()),
        (
            programs::lab(),
            "match score-four random random --games 2 --json".to_owned(),
        ),
        (
            programs::lab(),
            "daihinmin figure4 --decisions 2 --playouts 10".to_owned(),
        ),
    ];
    for (path, line) in lines {
        let (reader, writer) = pipe().expect("a pipe");
        drop(reader);
        let (code, said) = ended_into(&path, &line, writer.into());
        assert_eq!(code, Some(0), "{line}: {said}");
        assert!(!said.contains("panicked"), "{line}: {said}");
    }
}

/// As [`ended`], with a standard output of its own.
fn ended_into(path: &Path, line: &str, out: Stdio) -> (Option<i32>, String) {
    let mut command = Command::new(path);
    let child = command
        .args(line.split(' '))
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(Stdio::piped())
        .spawn();
    // The pipe is this process's, too, until the command is gone.
    drop(command);
    let output = child
        .expect("it starts")
        .wait_with_output()
        .expect("its end");
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}
