//! The clients of `examples/`, which authors of clients begin with: each plays a whole match on the server, without a
//! fault, where its language is installed.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use end_to_end::programs::{Ended, bot, end_of, ended, started};
use end_to_end::run::{Finished, Server};
use tempfile::TempDir;

struct Example {
    program: OsString,
    options: &'static [&'static str],
    file: Option<PathBuf>,
    /// Where the compiled program or the file is.
    _folder: Option<TempDir>,
}

impl Example {
    /// The client in a file of `examples/`; `None` where its language is not installed. Either is said on standard
    /// error itself, which the output of tests that pass does not hide.
    fn of(file: &str) -> Option<Example> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
        let path = path.join(file);
        let extension = path.extension().and_then(|e| e.to_str());
        // What must be there, and what runs the file. Java runs a source file only where its compiler is.
        let (needed, program) = match extension.expect("a language") {
            "py" => ("python3", "python3"),
            "c" => ("cc", ""),
            "java" => ("javac", "java"),
            "js" => ("node", "node"),
            other => panic!("no language has files .{other}"),
        };
        let version = Command::new(needed).arg("--version").output();
        let version = version.ok().filter(|output| output.status.success());
        let Some(version) = version else {
            let _ = writeln!(io::stderr(), "SKIPPED: {file}: no {needed} is installed");
            return None;
        };
        let version = String::from_utf8_lossy(&version.stdout);
        let version = version.lines().next().unwrap_or_default();
        let _ = writeln!(io::stderr(), "examples/{file} plays; {needed} is {version}");
        if program.is_empty() {
            return Some(Example::compiled(&path));
        }
        // A virtual machine that lives for a match gains nothing from its best compiler.
        let options: &[&str] = match program {
            "java" => &["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"],
            _ => &[],
        };
        Some(Example {
            program: program.into(),
            options,
            file: Some(path),
            _folder: None,
        })
    }

    /// The client in Python with the function that a tutorial of `docs/` puts in the place of its own.
    fn of_tutorial(page: &str) -> Option<Example> {
        let Example { program, file, .. } = Example::of("native_client.py")?;
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
        let page = fs::read_to_string(docs.join(page)).expect("the tutorial");
        let taught = page.split("```python\n").nth(1);
        let taught = taught.and_then(|rest| rest.split("```").next());
        let client = fs::read_to_string(file.expect("a file"));
        let client = client.expect("the client");
        let (before, rest) = client.split_once("def choose(").expect("its function");
        let (_, after) = rest.split_once("def main(").expect("its end");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("mybot.py");
        let own = format!(
            "{before}{}\n\ndef main({after}",
            taught.expect("a function")
        );
        fs::write(&file, own).expect("a file");
        Some(Example {
            program,
            options: &[],
            file: Some(file),
            _folder: Some(folder),
        })
    }

    fn compiled(path: &Path) -> Example {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("client");
        let options = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-o"];
        let compiler = Command::new("cc")
            .args(options)
            .arg(&program)
            .arg(path)
            .status();
        assert!(
            compiler.expect("a compiler").success(),
            "{}",
            path.display()
        );
        Example {
            program: program.into(),
            options: &[],
            file: None,
            _folder: Some(folder),
        }
    }

    /// Starts the client at a port, with its last argument.
    fn start(&self, port: u16, last: &str) -> Child {
        Command::new(&self.program)
            .args(self.options)
            .args(&self.file)
            .args(["localhost", &port.to_string(), last])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the client starts")
    }
}

/// Waits for the end of a client, which must be a good one; gives the lines that it has printed.
fn lines_of(client: Child) -> Vec<String> {
    let text = end_of(client).good();
    text.lines().map(str::to_owned).collect()
}

/// The server has ended well, and no record has a fault.
fn finish(server: Server) -> Finished {
    let finished = server.finish();
    assert!(finished.status.success());
    finished.assert_faultless();
    finished
}

/// Two of the client, and three bots that play melds of every kind.
fn plays_daihinmin(file: &str) {
    let Some(example) = Example::of(file) else {
        return;
    };
    let server = Server::serve("uecda --games 20 --seed 11 --once");
    let clients = ["one", "two"].map(|name| example.start(server.port, name));
    let engines = ["random --seed 1", "random --seed 2", "default --seed 3"];
    let bots = engines.map(|engine| {
        let line = format!("--engine {engine}");
        started(&mut bot("daihinmin", server.port, &line))
    });
    for client in clients {
        assert_eq!(lines_of(client).last().expect("a line"), "20 games");
    }
    for bot in bots {
        end_of(bot).good();
    }
    let finished = finish(server);
    let players = &finished.records[0].header.players;
    let named = |name| players.iter().any(|player| player.name == name);
    assert!(named("one") && named("two"), "{players:?}");
}

/// The client as both players, in four games.
fn plays_geister(file: &str) {
    let Some(example) = Example::of(file) else {
        return;
    };
    let server = Server::serve("geister --games 4 --once");
    let clients = [0, 1].map(|player| example.start(server.ports[player], "4"));
    let [mut first, mut second] = clients.map(lines_of);
    assert_eq!((first.len(), second.len()), (4, 4));
    for (first, second) in first.drain(..).zip(second.drain(..)) {
        let ends = [&first, &second].map(|line| line.split(' ').next_back().expect("a word"));
        let fits = [["WON", "LST"], ["LST", "WON"], ["DRW", "DRW"]];
        assert!(fits.contains(&ends), "{first}, {second}");
    }
    finish(server);
}

/// The client in every seat of a game for two and of one for four.
fn plays_every_native_game(example: Option<Example>) {
    let Some(example) = example else {
        return;
    };
    for (game, games, seats) in [("score-four", 4, 2), ("blokus", 1, 4)] {
        let games = games.to_string();
        let server = Server::serve(&format!("{game} --games {games} --once"));
        let clients: Vec<Child> = (0..seats)
            .map(|seat| example.start(server.port, &format!("player {seat}")))
            .collect();
        let mut points = 0.0;
        for client in clients {
            let lines = lines_of(client);
            let last = lines.last().expect("a line");
            // player N has P points in G games
            let words: Vec<&str> = last.split(' ').collect();
            let said = words.get(3).and_then(|word| word.parse::<f64>().ok());
            points += said.unwrap_or_else(|| panic!("{last}"));
            assert_eq!(words[6], games, "{last}");
        }
        let expected: f64 = games.parse().expect("a number");
        assert!((points - expected).abs() < 1e-9, "{points} points");
        finish(server);
    }
}

#[test]
fn uecda_in_python() {
    plays_daihinmin("uecda_client.py");
}

#[test]
fn uecda_in_c() {
    plays_daihinmin("uecda_client.c");
}

#[test]
fn uecda_in_java() {
    plays_daihinmin("UecdaClient.java");
}

#[test]
fn gat_in_python() {
    plays_geister("gat_client.py");
}

#[test]
fn gat_in_java() {
    plays_geister("GatClient.java");
}

#[test]
fn native_in_python() {
    plays_every_native_game(Example::of("native_client.py"));
}

#[test]
fn native_in_javascript() {
    plays_every_native_game(Example::of("native_client.js"));
}

#[test]
fn clients_end_with_the_codes_of_the_programs() {
    let (usage, absent) = (("port", program::USAGE), ("1", program::NO_CONNECTION));
    // Those of port 1, for which rights are needed and that none has, wait for it side by side.
    let started = [
        ("uecda_client.py", &[usage, absent][..]),
        ("gat_client.py", &[usage]),
        ("native_client.py", &[usage, absent]),
        ("native_client.js", &[usage, absent]),
    ]
    .map(|(file, cases)| {
        let example = Example::of(file);
        let start = |&(port, code): &(&'static str, u8)| {
            let example = example.as_ref()?;
            let mut command = Command::new(&example.program);
            command.args(&example.file).args(["127.0.0.1", port]);
            Some((started(&mut command), file, code))
        };
        cases.iter().filter_map(start).collect::<Vec<_>>()
    });
    for (child, file, code) in started.into_iter().flatten() {
        let ended = end_of(child);
        let said = &ended.err;
        assert_eq!(ended.code, Some(i32::from(code)), "{file}: {said}");
        // One that is not connected says first that it waits.
        let lines = 1 + usize::from(code == program::NO_CONNECTION);
        assert_eq!(said.lines().count(), lines, "{said}");
    }
}

#[test]
fn clients_have_help() {
    for file in [
        "uecda_client.py",
        "gat_client.py",
        "native_client.py",
        "native_client.js",
    ] {
        let Some(example) = Example::of(file) else {
            continue;
        };
        let mut command = Command::new(&example.program);
        let said = ended(command.args(&example.file).arg("--help")).good();
        let usage = format!("{file} [HOST [PORT [");
        assert!(said.contains(&usage), "{said}");
    }
}

#[test]
fn clients_notice_another_protocol() {
    for file in ["uecda_client.py", "native_client.py", "native_client.js"] {
        let Some(example) = Example::of(file) else {
            continue;
        };
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            stream.write_all(b"SET?\r\n").expect("it is sent");
            // The client leaves.
            let _ = stream.read_to_end(&mut Vec::new());
        });
        let mut command = Command::new(&example.program);
        let command = command.args(&example.file);
        let Ended { code, err, .. } = ended(command.args(["127.0.0.1", &port.to_string()]));
        server.join().expect("no failure");
        let due = Some(i32::from(program::NO_CONNECTION));
        assert_eq!(code, due, "{file}: {err}");
        assert!(err.contains("speaks another protocol"), "{err}");
    }
}

#[test]
fn the_first_bot_of_the_tutorial() {
    plays_every_native_game(Example::of_tutorial("first_bot.md"));
    plays_every_native_game(Example::of_tutorial("first_bot.ja.md"));
}
