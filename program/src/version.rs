//! Program, version and commit, as `--version`, records and journals tell them; and the machine.
//!
//! A program calls [`version!`](crate::version!) where its options are read. What it says is what [`version()`] gives from then on. The
//! commit is a part of the program only: a package in which it stood would be compiled again after each commit. It is the
//! one that was checked out: that the sources were changed since is not told.

use std::sync::OnceLock;
use std::{env, fs, thread};

/// Digits of a commit that are told.
pub const DIGITS: usize = 10;

static VERSION: OnceLock<String> = OnceLock::new();

/// The version of the program that is compiled, with the commit if it is known: `0.1.0 (1a2b3c4d5e)`.
#[macro_export]
macro_rules! version {
    () => {{
        const LOG: Option<&[u8]> = $crate::log_of_head!();
        const COMMIT: Option<[u8; $crate::DIGITS]> = match LOG {
            Some(log) => $crate::commit_of(log),
            None => None,
        };
        $crate::say(env!("CARGO_PKG_VERSION"), COMMIT)
    }};
}

/// The first digits of the commit that the last line of a log of git ends with; `None` if it is no such log. A line has the
/// commit before, a blank, the commit after, a blank, and who did what when.
pub const fn commit_of(log: &[u8]) -> Option<[u8; DIGITS]> {
    let mut end = log.len();
    if end > 0 && log[end - 1] == b'\n' {
        end -= 1;
    }
    let mut at = end;
    while at > 0 && log[at - 1] != b'\n' {
        at -= 1;
    }
    while at < end && log[at] != b' ' {
        at += 1;
    }
    if end - at <= DIGITS {
        return None;
    }
    let (mut commit, mut digit) = ([0; DIGITS], 0);
    while digit < DIGITS {
        commit[digit] = log[at + 1 + digit];
        if !commit[digit].is_ascii_hexdigit() {
            return None;
        }
        digit += 1;
    }
    Some(commit)
}

/// Takes note of the version of this program, and gives it with its commit. [`version!`](crate::version!) calls it.
pub fn say(number: &str, commit: Option<[u8; DIGITS]>) -> &'static str {
    VERSION.get_or_init(
        || match commit.as_ref().map(|digits| str::from_utf8(digits)) {
            Some(Ok(commit)) => format!("{number} ({commit})"),
            _ => number.to_owned(),
        },
    )
}

/// The version of this program; without a commit where the program has not said it.
pub fn version() -> &'static str {
    match VERSION.get() {
        Some(version) => version,
        None => env!("CARGO_PKG_VERSION"),
    }
}

/// The system and the processors of this machine, as far as the system tells them, without its name:
/// `linux 6.8.0, x86_64, 2 processors, Intel(R) Xeon(R) CPU @ 2.20GHz`.
pub fn machine() -> String {
    let mut system = env::consts::OS.to_owned();
    if let Ok(release) = fs::read_to_string("/proc/sys/kernel/osrelease") {
        system.push(' ');
        system.push_str(release.trim());
    }
    let mut parts = vec![system, env::consts::ARCH.to_owned()];
    if let Ok(processors) = thread::available_parallelism() {
        let noun = if processors.get() == 1 {
            "processor"
        } else {
            "processors"
        };
        parts.push(format!("{processors} {noun}"));
    }
    let model = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = model.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == "model name").then(|| value.trim().to_owned())
    });
    parts.extend(model);
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commit_is_that_of_the_last_line() {
        let line = |before: char, after: char, what: &str| {
            let of = |digit: char| digit.to_string().repeat(40);
            format!(
                "{} {} A <a@b> 1763856000 +0000\t{what}\n",
                of(before),
                of(after)
            )
        };
        let log = line('0', 'a', "clone: from x") + &line('a', 'b', "commit: say more");
        for log in [
            &log[..],
            &log[..log.len() - 1],
            &log[line('0', 'a', "clone: from x").len()..],
        ] {
            assert_eq!(commit_of(log.as_bytes()), Some(*b"bbbbbbbbbb"));
        }
        for none in [
            "",
            "\n",
            "a",
            "a b",
            "\n\n",
            &"x".repeat(100),
            "0 12345 678901",
        ] {
            assert_eq!(commit_of(none.as_bytes()), None, "{none}");
        }
    }

    #[test]
    fn a_version_has_its_number_and_its_commit() {
        assert_eq!(version(), env!("CARGO_PKG_VERSION"));
        let said = say("0.1.7", Some(*b"1a2b3c4d5e"));
        assert_eq!((said, version()), ("0.1.7 (1a2b3c4d5e)", said));
        // What was said first stays.
        assert_eq!(say("9.9.9", None), said);
    }

    #[test]
    fn the_machine_is_one_line() {
        let machine = machine();
        assert!(machine.contains(env::consts::ARCH), "{machine}");
        assert!(!machine.contains('\n'), "{machine}");
    }
}
