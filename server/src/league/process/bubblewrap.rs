//! A sandbox of namespaces, by the program `bwrap` (bubblewrap): files and processes that a program may not
//! reach do not exist for it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::confinement::SYSTEM;

const PROGRAM: &str = "bwrap";

/// Processes that it has itself, beside those of the program.
pub(super) const PROCESSES: u64 = 2;

/// Why there is no such sandbox; `None` if there is one.
pub fn lacks() -> Option<String> {
    let mut command = Command::new(PROGRAM);
    command
        .args(words(Path::new("/tmp"), &[]).iter().skip(1))
        .arg("true")
        .stdin(Stdio::null());
    match command.output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Some(format!("{PROGRAM} does not work here: {}", said.trim()))
        }
        Err(e) => Some(format!(
            "{PROGRAM} does not start ({e}): install bubblewrap"
        )),
    }
}

/// The words that start a program so, before its own: it sees the system's folders and `read`, may write in `folder`
/// only, where it runs, and has a table of processes of its own.
pub(super) fn words(folder: &Path, read: &[PathBuf]) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec![PROGRAM.into()];
    let own = [
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
        // Root could mount what is hidden.
        "--cap-drop",
        "ALL",
    ];
    words.extend(own.map(OsString::from));
    words.extend(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"].map(OsString::from));
    // Those of processes and devices are made anew.
    let is_made = |path: &Path| path.starts_with("/proc") || path.starts_with("/dev");
    let system = SYSTEM.iter().map(Path::new).filter(|path| !is_made(path));
    for path in system.chain(read.iter().map(PathBuf::as_path)) {
        words.extend(["--ro-bind-try".into(), path.into(), path.into()]);
    }
    words.extend(["--bind".into(), folder.into(), folder.into()]);
    words.extend(["--chdir".into(), folder.into(), "--".into()]);
    words
}
