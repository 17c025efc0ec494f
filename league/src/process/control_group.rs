//! Control groups: limits for a program together with all that it starts, which limits of a process are not. systemd makes
//! them (`systemd-run --scope`).

use std::ffi::OsString;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use crate::settings::Limits;

/// The variables that `systemd-run --user` reads.
pub(super) const VARIABLES: [&str; 2] = ["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"];

/// The words that start a program in a group, or why there are none.
static SCOPE: LazyLock<Result<Vec<&str>, String>> = LazyLock::new(|| {
    let mut words = vec!["systemd-run", "--scope", "--quiet", "--collect"];
    if !rustix::process::geteuid().is_root() {
        words.push("--user");
    }
    let mut command = Command::new(words[0]);
    command
        .args(&words[1..])
        .args(["--property=MemoryMax=1G", "--", "true"])
        .stdin(Stdio::null());
    let tried = command.output().map_err(|e| format!("systemd-run: {e}"))?;
    let stderr = String::from_utf8_lossy(&tried.stderr);
    let reason = stderr.trim().lines().next().unwrap_or("systemd-run failed");
    tried
        .status
        .success()
        .then_some(words)
        .ok_or_else(|| reason.to_owned())
});

/// The warning about limits that hold for each process of a program and not for all of it together; `None` if there are none.
pub(super) fn lacks(limits: &Limits) -> Option<String> {
    if limits.memory_mib.is_none() && limits.processes.is_none() {
        return None;
    }
    let reason = SCOPE.as_ref().err()?;
    Some(format!(
        "limits: there is no control group ({reason}): `memory-mib` is the address space of each process of a program, and \
         `processes` counts those of the user where a program is not in the sandbox"
    ))
}

/// The words that start a program in a group with these limits, before its own; none where there is no group. The group has room
/// for `more` processes beside those of the program.
pub(super) fn words(limits: &Limits, more: u64) -> Vec<OsString> {
    let properties = [
        limits
            .memory_mib
            .map(|mib| format!("--property=MemoryMax={mib}M")),
        limits
            .memory_mib
            .map(|_| "--property=MemorySwapMax=0".to_owned()),
        limits
            .processes
            .map(|most| format!("--property=TasksMax={}", most.saturating_add(more))),
    ];
    let mut properties = properties.into_iter().flatten().peekable();
    let (Some(_), Ok(scope)) = (properties.peek(), &*SCOPE) else {
        return Vec::new();
    };
    let scope = scope.iter().map(|word| (*word).to_owned());
    let words = scope.chain(properties).chain(["--".to_owned()]);
    words.map(OsString::from).collect()
}
