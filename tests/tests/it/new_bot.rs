//! `taikyoku new-bot`: for each game and language what it writes is built, where the compiler is there, passes its own test,
//! and plays the games of its own league.

use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, iter, thread};

use end_to_end::patience::FreePort;
use end_to_end::programs::{self, Ended, ended, run};
use games::GameName;
use serde_json::Value;
use tempfile::TempDir;

fn new_bot(arguments: &[&str], folder: &Path) -> Ended {
    let folder = folder.to_string_lossy();
    run(&[&["new-bot"], arguments, &[&folder]].concat())
}

/// Whether a program is there; that it is not is said on standard error itself.
fn is_there(program: &str) -> bool {
    let asked = Command::new(program).arg("--version").output();
    let there = asked.is_ok_and(|output| output.status.success());
    if !there {
        let _ = writeln!(io::stderr(), "SKIPPED: no {program} is installed");
    }
    there
}

/// A command in the folder of a bot, whose test asks the `taikyoku` under test.
fn within(folder: &Path, program: impl AsRef<OsStr>, words: &[&str]) -> Command {
    let mut command = programs::command(program);
    command
        .args(words)
        .current_dir(folder)
        .env("TAIKYOKU", programs::taikyoku());
    command
}

/// The output of a command that must be good.
fn good(mut command: Command) -> String {
    ended(&mut command).good()
}

/// The bot in a folder of its own.
fn written(game: &str, language: &str) -> (TempDir, PathBuf) {
    let all = tempfile::tempdir().expect("a folder");
    let folder = all.path().join("my bot");
    let said = new_bot(&[game, "--lang", language], &folder).good();
    assert!(said.contains("your own function `choose`"), "{said}");
    let readme = fs::read_to_string(folder.join("README.md")).expect("a README");
    for due in [
        "taikyoku serve",
        "taikyoku check",
        "taikyoku league league.toml",
    ] {
        assert!(readme.contains(due), "{due} is not in\n{readme}");
    }
    // Each block of commands plays with the program of the source as it is now.
    let build = match language {
        "rust" => "cargo build --release\n",
        "c" => "make\n",
        _ => "",
    };
    for begins in ["taikyoku serve", "taikyoku check", "taikyoku league"] {
        let due = format!("```sh\n{build}{begins}");
        assert!(readme.contains(&due), "{due} is not in\n{readme}");
    }
    (all, folder)
}

/// Runs all commands of the bot's README, each block in a copy of the folder, with a league of one deal, at tables with free
/// ports. Programs come from this folder before those of `PATH`.
fn keeps_its_readme(game: &str, folder: &Path, first: Option<&Path>) {
    let file = folder.join("league.toml");
    let league = fs::read_to_string(&file).expect("a league");
    let mut short = league.replace("deals = 20 ", "deals = 1 ");
    assert_ne!(short, league);
    if game == "geister" {
        // Its clients read line by line.
        short = short.replacen("[[entrants]]", "[clocks]\nwait-ms = 0\n\n[[entrants]]", 1);
    }
    fs::write(&file, short).expect("a league");
    let programs = programs::taikyoku();
    let programs = programs.parent().expect("a folder").as_os_str();
    let path = env::var_os("PATH").unwrap_or_default();
    let first = first.map(Path::to_owned).into_iter();
    let first = first.chain(iter::once(programs.into()));
    let path = env::join_paths(first.chain(env::split_paths(&path)));
    let path = &path.expect("folders");
    let readme = fs::read_to_string(folder.join("README.md")).expect("a README");
    let blocks: Vec<&str> = readme.split("```").skip(1).step_by(2).collect();
    assert_eq!(blocks.len(), 4, "{readme}");
    let free = [(); 2].map(|()| FreePort::new().expect("a port"));
    let ports = free.each_ref().map(|port| port.number.to_string());
    thread::scope(|scope| {
        for (number, block) in blocks.into_iter().enumerate() {
            let copy = folder.with_extension(number.to_string());
            let copied = Command::new("cp").arg("-r").args([folder, &copy]).status();
            assert!(copied.expect("cp runs").success());
            let script = script(game, block, &ports);
            scope.spawn(move || {
                let mut shell = within(&copy, "timeout", &["300", "sh", "-c", &script]);
                shell.env("PATH", path);
                good(shell);
            });
        }
    });
    let figures = fs::read_to_string(folder.with_extension("3").join("league.league/report.json"));
    let figures: Value = serde_json::from_str(&figures.expect("a report")).expect("figures");
    let entrants = figures["entrants"].as_array().expect("entrants");
    let mine = entrants.iter().find(|entrant| entrant["name"] == "mine");
    let mine = mine.expect("the bot is an entrant");
    assert!(mine["games"].as_u64() > Some(0), "{mine}");
    let faults = mine["faults"].as_object().expect("faults");
    assert!(faults.values().all(|count| *count == 0), "{mine}");
}

/// The commands of a block, at a table with these ports.
fn script(game: &str, block: &str, [port, second]: &[String; 2]) -> String {
    let block = block.strip_prefix("sh\n").expect("commands");
    let (usual, server) = match game {
        "daihinmin" => ("42485", "uecda"),
        "geister" => ("10000", "geister"),
        _ => ("4444", game),
    };
    let at = |port: &str| [format!("localhost {port} "), format!("localhost:{port} ")];
    let ports = at(usual).into_iter().zip(at(port));
    let mut script = ports.fold(block.to_owned(), |script, (usual, own)| {
        script.replace(&usual, &own)
    });
    assert_eq!(script != block, block.contains("serve"), "{block}");
    let serve = format!("taikyoku serve {server} ");
    if game == "geister" {
        script = script.replace(
            &serve,
            &format!("{serve}--ports {port},{second} --wait-ms 0 "),
        );
        script = script.replace("--seat 1 ", &format!("--port {second} "));
    } else {
        let bot = format!("taikyoku bot {game} ");
        for program in [serve, bot] {
            script = script.replace(&program, &format!("{program}--port {port} "));
        }
    }
    // All that it has started ends by itself, or with the first command that fails.
    format!("trap '[ $? = 0 ] || kill 0' EXIT\nset -e\n{script}\nwait\n")
}

fn in_python(game: &str) {
    if !is_there("python3") {
        return;
    }
    let (_all, folder) = written(game, "python");
    keeps_its_readme(game, &folder, None);
}

#[test]
fn daihinmin_in_python() {
    in_python("daihinmin");
}

#[test]
fn geister_in_python() {
    in_python("geister");
}

#[test]
fn score_four_in_python() {
    in_python("score-four");
}

#[test]
fn daihinmin_in_c() {
    if !is_there("cc") || !is_there("make") {
        return;
    }
    let (_all, folder) = written("daihinmin", "c");
    good(within(
        &folder,
        "make",
        &["CFLAGS=-O2 -std=c99 -Wall -Wextra -Werror", "test"],
    ));
    keeps_its_readme("daihinmin", &folder, None);
}

/// The client of `protocol/examples` that is the source of a bot in Rust.
const fn example_of(game: &str) -> &'static str {
    match game.as_bytes() {
        b"daihinmin" => "uecda_client",
        b"geister" => "gat_client",
        _ => "native_client",
    }
}

/// A folder with a `cargo` of its own, which has built the bot already: it is an example of the workspace. Its test is built by
/// the compiler alone.
fn quick_cargo(all: &Path, game: &str) -> PathBuf {
    let folder = all.join("quick");
    fs::create_dir(&folder).expect("a folder");
    let quoted = |path: &Path| format!("'{}'", path.to_str().expect("a path that is text"));
    let script = format!(
        "#!/bin/sh
set -e
case \"$*\" in
test)
    CARGO_BIN_EXE_bot={bot} {rustc} --edition 2024 --test tests/plays.rs
    exec ./plays ;;
'build --release')
    mkdir -p target/release
    cp {bot} target/release/bot ;;
*)
    echo \"cargo $*: not in the README\" >&2
    exit 2 ;;
esac
",
        bot = quoted(&programs::example(example_of(game))),
        rustc = quoted(&Path::new(env!("CARGO")).with_file_name("rustc")),
    );
    let cargo = folder.join("cargo");
    programs::script(&cargo, &script);
    folder
}

fn in_rust(game: &str) {
    let (all, folder) = written(game, "rust");
    keeps_its_readme(game, &folder, Some(&quick_cargo(all.path(), game)));
}

#[test]
fn daihinmin_in_rust() {
    in_rust("daihinmin");
}

#[test]
fn geister_in_rust() {
    in_rust("geister");
}

/// The open games share their client.
#[test]
fn blokus_in_rust() {
    in_rust("blokus");
}

/// Each source is an example of the workspace. A package that `new-bot` writes is checked by cargo with all of them, as they need
/// the features of the crates that its manifest names; only the words of its test differ by game.
#[test]
fn bots_in_rust_are_examples_and_build_by_their_manifest() {
    let (_all, package) = written("blokus", "rust");
    fs::create_dir(package.join("src/bin")).expect("a folder");
    for game in GameName::ALL {
        let name = example_of(game.as_str());
        let (_all, folder) = written(game.as_str(), "rust");
        let source = fs::read_to_string(folder.join("src/main.rs")).expect("a source");
        let example = format!("../protocol/examples/{name}.rs");
        let example = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(example));
        assert_eq!(source, example.expect("an example").replace(name, "bot"));
        let manifest = |folder: &Path| fs::read(folder.join("Cargo.toml")).expect("a manifest");
        assert_eq!(manifest(&folder), manifest(&package));
        fs::write(package.join(format!("src/bin/{name}.rs")), source).expect("a source");
    }
    let words = ["check", "--quiet", "--offline", "--bins", "--tests"];
    let mut check = within(&package, env!("CARGO"), &words);
    // Of its own: it waits for no other build.
    check.env("CARGO_TARGET_DIR", programs::target().join("new-bot"));
    good(check);
}

#[test]
fn every_game_has_a_bot() {
    for game in GameName::ALL {
        for language in ["python", "rust"] {
            written(game.as_str(), language);
        }
    }
}

#[test]
fn what_cannot_be_written_is_said() {
    let all = tempfile::tempdir().expect("a folder");
    let folder = all.path().join("bot");
    let refused = |Ended { code, err, .. }: Ended, due: &str| {
        assert!(code == Some(2) && err.contains(due), "{err}");
    };
    let language = new_bot(&["geister", "--lang", "c"], &folder);
    refused(
        language,
        "there is no bot in C for geister: --lang python or --lang rust",
    );
    assert!(!folder.exists());
    let elsewhere = all.path().to_str().expect("text");
    let rust = new_bot(
        &["geister", "--lang", "rust", "--repository", elsewhere],
        &folder,
    );
    refused(rust, "give its folder with --repository");
    let python = new_bot(&["geister", "--repository", elsewhere], &folder);
    refused(python, "--repository is for --lang rust");
    assert!(!folder.exists());
    fs::write(&folder, "mine").expect("a file");
    refused(new_bot(&["geister"], &folder), "is not a folder");
    fs::remove_file(&folder).expect("the file");
    fs::create_dir(&folder).expect("a folder");
    fs::write(folder.join("bot.py"), "mine").expect("a file");
    refused(new_bot(&["geister"], &folder), "is not empty");
    let kept = fs::read_to_string(folder.join("bot.py"));
    assert_eq!(kept.expect("a file"), "mine");
}

/// The command that it prints goes into a folder whose name looks like an option, too.
#[test]
fn a_folder_may_begin_with_a_dash() {
    let all = tempfile::tempdir().expect("a folder");
    let words = ["new-bot", "score-four", "--", "-x"];
    let said = good(within(all.path(), programs::taikyoku(), &words));
    let (_, command) = said.split_once("  cd ").expect("a command");
    let (command, _) = command.split_once(" && ").expect("a command");
    let script = format!("cd {command} && ls bot.py");
    assert_eq!(good(within(all.path(), "sh", &["-c", &script])), "bot.py\n");
}
