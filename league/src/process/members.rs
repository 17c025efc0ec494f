//! The processes of a program, as the system's table has them (`/proc` of Linux).

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A program without a sandbox, and what it has started.
#[derive(Clone, Debug)]
pub struct Members {
    root: u32,
    is_reaped: Arc<AtomicBool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    pid: u32,
    is_zombie: bool,
    parent: u32,
    group: u32,
}

impl Stat {
    /// Reads the line: number, name, state, parent, group, and more.
    fn parse(line: &[u8]) -> Option<Stat> {
        // The name stands in parentheses, and may have any byte in it.
        let name = line.iter().position(|&byte| byte == b'(')?;
        let name_end = line.iter().rposition(|&byte| byte == b')')?;
        let text = |bytes| std::str::from_utf8(bytes).ok();
        let mut words = text(line.get(name_end + 1..)?)?.split_ascii_whitespace();
        Some(Stat {
            pid: text(&line[..name])?.trim().parse().ok()?,
            is_zombie: matches!(words.next()?, "Z" | "X"),
            parent: words.next()?.parse().ok()?,
            group: words.next()?.parse().ok()?,
        })
    }
}

impl Members {
    /// Those of a program that leads a process group.
    pub(super) fn new(root: u32) -> Members {
        Members {
            root,
            is_reaped: Arc::default(),
        }
    }

    /// Takes note that the number of the program may be given anew.
    pub(super) fn note_reaped(&self) {
        self.is_reaped.store(true, Ordering::Relaxed);
    }

    /// Whether one of them holds the socket with this inode, which belongs to this user. Of a process that may not be looked
    /// into, as it runs as another user, only the user is compared.
    pub(crate) fn holds(&self, inode: u64, user: u32) -> bool {
        let is_reaped = self.is_reaped.load(Ordering::Relaxed);
        // In most cases the program itself has connected.
        if !is_reaped && has_socket(self.root, inode) {
            return true;
        }
        let files = fs::read_dir("/proc").into_iter().flatten().flatten();
        let all = files.filter_map(|file| Stat::parse(&fs::read(file.path().join("stat")).ok()?));
        let all: Vec<Stat> = all.collect();
        // A launcher may leave the program that plays behind in its group. As long as it runs, another program could put
        // itself there.
        let mut roots = all
            .iter()
            .filter(|stat| stat.pid == self.root && !stat.is_zombie);
        let mut members: HashSet<u32> = if !is_reaped && roots.next().is_some() {
            HashSet::from([self.root])
        } else {
            let group = all.iter().filter(|stat| stat.group == self.root);
            group.map(|stat| stat.pid).collect()
        };
        loop {
            let known = members.len();
            let below = all.iter().filter(|stat| members.contains(&stat.parent));
            let below: Vec<u32> = below.map(|stat| stat.pid).collect();
            members.extend(below);
            if members.len() == known {
                break;
            }
        }
        let mut members = members.into_iter();
        members.any(|pid| holds(pid, inode).unwrap_or_else(|| owner(pid) == Some(user)))
    }
}

/// Whether a child of this process has the socket with this inode among its first files. No look at its folder in `/proc`
/// is needed: the kernel takes longer to forget such looks, when the process ends, than a short game lasts.
#[cfg(target_os = "linux")]
fn has_socket(pid: u32, inode: u64) -> bool {
    use std::os::unix::fs::FileTypeExt as _;

    use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};

    /// File numbers to look at: first the files of the process, then its connection.
    const FIRST_FILES: i32 = 32;
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let process = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    process.is_some_and(|process| {
        (0..FIRST_FILES).any(|number| {
            let file = pidfd_getfd(&process, number, PidfdGetfdFlags::empty());
            let about = file
                .map_err(Into::into)
                .and_then(|file| fs::File::from(file).metadata());
            about.is_ok_and(|about| about.file_type().is_socket() && about.ino() == inode)
        })
    })
}

#[cfg(not(target_os = "linux"))]
const fn has_socket(_: u32, _: u64) -> bool {
    false
}

/// Whether a process has the socket with this inode open; `None` where `/proc` does not show it.
fn holds(pid: u32, inode: u64) -> Option<bool> {
    let socket = format!("socket:[{inode}]");
    let files = match fs::read_dir(format!("/proc/{pid}/fd")) {
        Ok(files) => files,
        Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => return None,
        Err(_) => return Some(false),
    };
    let mut links = files.flatten().map(|file| fs::read_link(file.path()));
    Some(links.any(|link| link.is_ok_and(|link| link.as_os_str() == socket.as_str())))
}

fn owner(pid: u32) -> Option<u32> {
    Some(fs::metadata(format!("/proc/{pid}")).ok()?.uid())
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn names_of_programs_are_no_fields() {
        let line = b"17 (a) Z 1 (\xff) S 4 5 6 0 -1 4194560";
        let stat = Stat {
            pid: 17,
            is_zombie: false,
            parent: 4,
            group: 5,
        };
        assert_eq!(Stat::parse(line), Some(stat));
        assert_eq!(Stat::parse(b"17 (a"), None);
    }

    #[test]
    fn the_socket_of_a_child_is_known_without_its_folder() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = File::from(std::os::fd::OwnedFd::from(listener.try_clone().unwrap()));
        let inode = socket.metadata().unwrap().ino();
        let mut command = std::process::Command::new("sleep");
        command.arg("100").stdin(socket);
        let mut child = command.spawn().unwrap();
        assert!(has_socket(child.id(), inode) && !has_socket(child.id(), inode + 1));
        assert_eq!(holds(child.id(), inode), Some(true));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!has_socket(child.id(), inode));
    }
}
