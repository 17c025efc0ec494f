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
use end_to_end::programs::{self, Ended, end_of, ended, run, started};
use games::GameName;
use program::{Argument, Description};
use socket2::{Domain, Socket, Type};

/// Options whose values are of several kinds: each is told by its command.
const SEVERAL_KINDS: [&str; 8] = [
    "against", "host", "names", "out", "records", "seat", "table", "watch",
];

/// What is wrong with an option by itself.
fn fault_of(argument: &Argument, page: &str) -> Option<&'static str> {
    let values = argument.values.as_ref()?;
    let (name, kind) = (argument.long.as_ref()?, values.names.join(" "));
    let help = argument.long_help.as_ref().or(argument.help.as_ref())?;
    let is_told = argument.required
        || !values.defaults.is_empty()
        || help.contains("[default")
        || (name != "seed" && !["N", "MS", "SECONDS", "MB", "PLIES", "SHARE"].contains(&&kind[..]));
    let seconds = name.ends_with("-timeout") || ["piece", "seconds"].contains(&&name[..]);
    let explained = format!("`{}`", kind.replace('|', "\\|"));
    if values.possible.is_empty() && !page.contains(&explained) {
        Some("the reference does not explain its value")
    } else if name.ends_with("-ms") != kind.starts_with("MS") {
        Some("milliseconds are MS, and named -ms")
    } else if kind == "SECONDS" && !seconds {
        Some("seconds are those of a time-out or a piece of work")
    } else if !is_told {
        Some("the default is not told")
    } else {
        None
    }
}

#[test]
fn options_are_of_one_kind_everywhere() {
    let page = include_str!("../../../docs/options.md");
    let mut faults = Vec::new();
    let mut kinds: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    // The plural of an option has its letter, too.
    let mut letters: BTreeMap<char, BTreeSet<String>> = BTreeMap::new();
    for path in programs::all() {
        let output = Command::new(path).env(program::DESCRIBE, "1").output();
        let output = output.expect("it starts");
        let program: Description = serde_json::from_slice(&output.stdout).expect("a description");
        for (command, description) in program::commands(&program) {
            let texts = [&description.long_about, &description.after].into_iter();
            let is_program = !command.contains(' ');
            if is_program && !texts.flatten().any(|text| text.contains("Exit status")) {
                faults.push(format!("{command} does not tell its exit codes"));
            }
            if description.about.is_none() {
                faults.push(format!("{command} does not say what it does"));
            }
            for argument in description.arguments.iter().filter(|a| !a.hidden) {
                let fault = match &argument.help {
                    Some(_) => fault_of(argument, page),
                    None => Some("no help"),
                };
                let spelling = argument.spelling();
                faults.extend(fault.map(|fault| format!("{command} {spelling}: {fault}")));
                let Some(name) = argument.long.clone() else {
                    continue;
                };
                if let Some(letter) = argument.short {
                    let single = name.trim_end_matches('s').to_owned();
                    letters.entry(letter).or_default().insert(single);
                }
                let values = argument.values.iter().filter(|v| v.possible.is_empty());
                let kind = values.map(|values| values.names.join(" "));
                kinds.entry(name).or_default().extend(kind);
            }
        }
    }
    kinds.retain(|name, kinds| kinds.len() > 1 && !SEVERAL_KINDS.contains(&&name[..]));
    letters.retain(|_, names| names.len() > 1);
    assert!(
        faults.is_empty() && kinds.is_empty() && letters.is_empty(),
        "{faults:#?} {kinds:?} {letters:?}"
    );
}

#[test]
fn refusals_say_what_to_do() {
    // Programs that `taikyoku` starts lie beside it.
    for build in [programs::taikyoku_web, programs::daihinmin, programs::lab] {
        build();
    }
    let folder = tempfile::tempdir().expect("a folder");
    let league = folder.path().join("files/it.league");
    fs::create_dir_all(&league).expect("a folder");
    for file in ["files/text", "files/it.league/journal.jsonl"] {
        fs::write(folder.path().join(file), "hello\n").expect("a file");
    }
    for key in ["games", "ply-limit", "tables"] {
        let text = format!("[geister]\n{key} = 0\n");
        fs::write(folder.path().join(format!("{key}.toml")), text).expect("a file");
    }
    let rows = include_str!("refusals.txt").lines();
    let mut faults = Vec::new();
    for row in rows.filter(|row| !row.is_empty() && !row.starts_with('#')) {
        let told = [" => ", " ~> ", " !> "].into_iter();
        let mut told = told.filter_map(|sign| row.split_once(sign).map(|told| (told, sign)));
        let ((line, why), sign) = told.next_back().unwrap_or(((row, ""), " ~> "));
        let mut words = line.split(' ');
        let code = words.next().map(|code| code.parse().expect("a code"));
        let mut command = Command::new(programs::named(words.next().expect("a program")));
        command
            .args(words)
            .current_dir(folder.path())
            .env("XDG_DATA_HOME", folder.path());
        let Ended {
            code: ended,
            err: said,
            ..
        } = ended(&mut command);
        let is_told = match sign {
            " => " => said.matches(why).count() == 1,
            " !> " => !said.contains(why),
            _ => said.contains(why),
        };
        if ended != code || !is_told {
            faults.push(format!("{row}\nexit status {ended:?}: {said}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_wrong_command_line_ends_every_program_with_2() {
    for path in programs::all() {
        let Ended { code, err, .. } = ended(Command::new(&path).arg("--no-such-option"));
        assert_eq!(code, Some(2), "{}: {err}", path.display());
    }
    // All games are told where one is wanted, and all levels are in the help.
    for line in [
        "play",
        "play --no-open",
        "play chess",
        "serve chess",
        "bot chess",
    ] {
        let Ended {
            code, err: said, ..
        } = run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(code, Some(2), "{line}: {said}");
        let is_told = |game: &GameName| said.contains(game.as_str());
        assert!(GameName::ALL.iter().all(is_told), "{line}: {said}");
    }
    let help = ended(Command::new(programs::daihinmin()).arg("--help")).out;
    assert!(
        help.contains("level-1") && help.contains("level-5"),
        "{help}"
    );
}

#[test]
fn a_program_whose_path_is_no_text_names_its_commands() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::process::CommandExt as _;

    let name = OsStr::from_bytes(b"/\xff/taikyoku");
    let mut command = Command::new(programs::taikyoku());
    let Ended {
        code, err: said, ..
    } = ended(command.arg0(name).arg("leage"));
    assert_eq!(code, Some(i32::from(program::USAGE)), "{said}");
    assert!(
        said.contains("the commands are ") && said.contains("league"),
        "{said}"
    );
}

#[test]
fn a_client_without_a_server_ends_with_3() {
    // Bound, so that no other test gets the port, but nobody listens.
    let bound = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    bound.bind(&any.into()).expect("a port");
    let address = bound.local_addr().expect("it is bound").as_socket();
    let port = address.expect("an address").port();
    for game in GameName::ALL {
        let bot = &mut programs::bot(game.as_str(), port, "--engine random --connect-timeout 0");
        let Ended { code, err, .. } = ended(bot);
        assert_eq!(
            code,
            Some(i32::from(program::NO_CONNECTION)),
            "{game}: {err}"
        );
        assert!(err.contains("cannot connect"), "{err}");
    }
    let Ended { code, err, .. } = run(&["watch", &format!("127.0.0.1:{port}")]);
    assert_eq!(code, Some(i32::from(program::NO_CONNECTION)), "{err}");
}

#[test]
fn a_level_moves_as_an_engine_does() {
    let moved = |words: &str| {
        let mut command = Command::new(programs::score_four());
        ended(
            command
                .args(["move", "start", "--engine"])
                .args(words.split(' ')),
        )
    };
    let line = moved("level-1 --json").json();
    assert_eq!(line["reasons"]["playouts"], 16, "{line}");
    let Ended { code, err, .. } = moved("human");
    assert_eq!(code, Some(i32::from(program::USAGE)), "{err}");
    assert!(err.contains("invalid value 'human'"), "{err}");
}

#[test]
fn records_of_a_folder_are_verified_one_by_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = |name: &str| {
        fs::copy(record("dobutsu.jsonl"), folder.path().join(name)).expect("a copy");
    };
    let verified = |more: &[&str]| {
        let path = folder.path().to_string_lossy();
        let Ended { code, out, .. } = run(&[&["verify", &path], more].concat());
        (code, out)
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
    let port = silent.local_addr().expect("it is bound").port();
    let clients = [
        ("daihinmin", "", "or is no UECda server"),
        ("blokus", "", "or is no server of the native protocol"),
        (
            "dobutsu",
            "--protocol animal-shogi",
            "is it an AnimalShogiServer?",
        ),
        ("geister", "", "or it is no GAT server"),
    ];
    let waiting = clients.map(|(game, more, told)| {
        let line = format!("--engine random {more}");
        let mut bot = programs::bot(game, port, &line);
        let mut child = started(bot.env_remove("RUST_LOG"));
        let errors = BufReader::new(child.stderr.take().expect("a pipe"));
        let (sender, said) = mpsc::channel();
        thread::spawn(move || {
            let mut lines = errors.lines().map_while(Result::ok);
            let found = lines.find(|line| line.contains(told));
            let _ = sender.send(found);
        });
        (child, told, said)
    });
    let heard = waiting.map(|(mut child, told, said)| {
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
    let Ended { code, err, .. } = end_of(child.expect("it starts"));
    (code, err)
}
