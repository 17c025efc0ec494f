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
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

pub fn taikyoku() -> PathBuf {
    program("taikyoku")
}

/// Path of the bots' client for Daihinmin, `daihinmin`.
pub fn daihinmin() -> PathBuf {
    program("daihinmin")
}

/// Path of the bots' client for Geister, `geister`.
pub fn geister() -> PathBuf {
    program("geister")
}

/// Path of the bots' client for 3D four-in-a-row, `score-four`.
pub fn score_four() -> PathBuf {
    program("score-four")
}

/// Path of the bots' client for Dobutsu shogi, `dobutsu`.
pub fn dobutsu() -> PathBuf {
    program("dobutsu")
}

/// Path of the bots' client for Blokus, `blokus`.
pub fn blokus() -> PathBuf {
    program("blokus")
}

/// Path of the bridge for engines that speak on standard input and output, `engine-bridge`.
pub fn engine_bridge() -> PathBuf {
    program("engine-bridge")
}

/// Path of the gateway of the page, `taikyoku-web`.
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

fn build(name: &str) -> PathBuf {
    if let Some(folder) = env::var_os("TAIKYOKU_PROGRAMS") {
        return Path::new(&folder).join(name);
    }
    let folder = built();
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    let status = command(env!("CARGO"))
        .args(["build", "--quiet", "--workspace", "--bin", name])
        .args(["--profile", profile, "--target-dir"])
        .arg(target())
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .status()
        .expect("cargo runs");
    assert!(status.success(), "cargo build of {name} failed");
    let path = folder.join(format!("{name}{}", env::consts::EXE_SUFFIX));
    assert!(path.is_file(), "{} was not built", path.display());
    path
}
