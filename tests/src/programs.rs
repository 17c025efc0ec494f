//! The programs under test.
//!
//! Cargo builds the binaries of a package only for that package's own tests, and `cargo test`
//! builds none at all when a single package is named. So the first use of a program in a test process
//! runs `cargo build` of that program for the profile and into the target folder that the test itself
//! comes from: it takes a moment when everything is fresh, and never leaves a test with an old program.
//! `--workspace` is there for the features of dependencies, which would be others without it and be built
//! a second time. Cargo's own lock on the target folder keeps test processes that do so at once apart. Where
//! `TAIKYOKU_PROGRAMS` names the folder of programs that are built already, no test waits for that lock.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// Longest time that a program may take to its end.
const LONGEST: Duration = Duration::from_mins(8);

/// Writes a script that can be executed. Another process writes it: a file that this one has open for writing cannot be
/// executed, and each child that another test starts meanwhile has it open until its own program begins.
pub fn script(path: &Path, text: &str) {
    let mut command = Command::new("sh");
    command
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(path);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("sh");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(text.as_bytes()).expect("it reads");
    drop(stdin);
    assert!(child.wait().expect("a child").success());
}

pub fn taikyoku() -> PathBuf {
    program("taikyoku")
}

pub fn daihinmin() -> PathBuf {
    program("daihinmin")
}

pub fn geister() -> PathBuf {
    program("geister")
}

pub fn score_four() -> PathBuf {
    program("score-four")
}

pub fn dobutsu() -> PathBuf {
    program("dobutsu")
}

pub fn blokus() -> PathBuf {
    program("blokus")
}

pub fn engine_bridge() -> PathBuf {
    program("engine-bridge")
}

pub fn taikyoku_web() -> PathBuf {
    program("taikyoku-web")
}

pub fn lab() -> PathBuf {
    program("taikyoku-lab")
}

/// Paths of all programs that users start.
pub fn all() -> Vec<PathBuf> {
    let solver = program("dobutsu-solve");
    let clients = [daihinmin(), geister(), blokus(), dobutsu(), score_four()];
    let others = [taikyoku(), taikyoku_web(), engine_bridge(), lab(), solver];
    clients.into_iter().chain(others).collect()
}

/// Builds the clients of all games, which lie beside the programs that start them.
pub fn build_clients() {
    for build in [daihinmin, geister, blokus, dobutsu, score_four] {
        build();
    }
}

/// A bot of the project for a game at a port of this machine, with the words of a line.
pub fn bot(game: &str, port: u16, line: &str) -> Command {
    build_clients();
    let mut command = Command::new(taikyoku());
    command
        .args(["bot", game, "--host", "127.0.0.1"])
        .args(["--port", &port.to_string()])
        .args(line.split_whitespace())
        .stdin(Stdio::null());
    command
}

/// How a program has ended, and what it has said.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Ended {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ended {
            code: output.status.code(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }
}

impl Ended {
    /// Its standard output; it has ended well.
    pub fn good(self) -> String {
        assert_eq!(self.code, Some(0), "{}{}", self.out, self.err);
        self.out
    }

    /// The JSON of the last line of its standard output.
    pub fn json(&self) -> Value {
        let last = self.out.lines().last().unwrap_or_default();
        serde_json::from_str(last).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

/// Runs a program that reads nothing to its end.
pub fn ended(command: &mut Command) -> Ended {
    end_of(started(command))
}

/// Runs `taikyoku` with these words.
pub fn run(words: &[&str]) -> Ended {
    ended(Command::new(taikyoku()).args(words))
}

/// Starts a program that reads nothing, and whose output is kept for [`end_of`].
pub fn started(command: &mut Command) -> Child {
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped());
    command.stderr(Stdio::piped()).spawn().expect("it starts")
}

/// Waits for the end of a program. One that does not end is killed, so that its test fails.
pub fn end_of(child: Child) -> Ended {
    let id = child.id().to_string();
    let (ended, waits) = mpsc::channel::<()>();
    thread::spawn(move || {
        if waits.recv_timeout(LONGEST) == Err(RecvTimeoutError::Timeout) {
            let _ = Command::new("kill").args(["-KILL", &id]).status();
        }
    });
    let output = child.wait_with_output().expect("an end");
    drop(ended);
    output.into()
}

/// The program of this name, built.
pub fn named(name: &str) -> PathBuf {
    let mut all = all().into_iter();
    let path = all.find(|path| path.file_name().is_some_and(|file| file == name));
    path.unwrap_or_else(|| panic!("no program {name}"))
}

fn program(name: &'static str) -> PathBuf {
    static BUILT: Mutex<BTreeMap<&str, PathBuf>> = Mutex::new(BTreeMap::new());
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    built.entry(name).or_insert_with(|| build(name)).clone()
}

/// A command that knows nothing of the package under test: what cargo tells this test of it would be news to the build
/// scripts of dependencies, and ring and all that uses it would be built again. So would what asks for unstable features, by
/// the variable that lets test programs report their times.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (variable, _) in env::vars_os() {
        let name = variable.to_string_lossy();
        let prefixes = ["CARGO_PKG_", "CARGO_MANIFEST_", "RUSTC_BOOTSTRAP"];
        if prefixes.iter().any(|prefix| name.starts_with(prefix)) {
            command.env_remove(&variable);
        }
    }
    command
}

/// The folder of the profile that the test is built with, in the target folder.
fn built() -> PathBuf {
    // .../target/PROFILE/deps/test-executable
    let executable = env::current_exe().expect("path of the test");
    let folder = executable
        .ancestors()
        .find(|path| path.file_name().is_some_and(|name| name == "deps"))
        .and_then(Path::parent);
    folder
        .expect("a test runs from target/PROFILE/deps")
        .to_owned()
}

/// The target folder that the test comes from.
pub fn target() -> PathBuf {
    let folder = built();
    folder.parent().expect("a target folder").to_owned()
}

/// The example of this name, built.
pub fn example(name: &str) -> PathBuf {
    made("--example", name, &format!("examples/{name}"))
}

fn build(name: &str) -> PathBuf {
    made("--bin", name, name)
}

fn made(kind: &str, name: &str, file: &str) -> PathBuf {
    if let Some(folder) = env::var_os("TAIKYOKU_PROGRAMS") {
        let path = Path::new(&folder).join(file);
        // Who builds the programs alone has no examples.
        if kind == "--bin" || path.is_file() {
            return path;
        }
    }
    let folder = built();
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    let status = command(env!("CARGO"))
        .args(["build", "--quiet", "--workspace", kind, name])
        .args(["--profile", profile, "--target-dir"])
        .arg(target())
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .status()
        .expect("cargo runs");
    assert!(status.success(), "cargo build of {name} failed");
    let path = folder.join(format!("{file}{}", env::consts::EXE_SUFFIX));
    assert!(path.is_file(), "{} was not built", path.display());
    path
}
