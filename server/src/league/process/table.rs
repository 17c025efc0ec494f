//! The system's table of processes (`/proc` of Linux).

use std::collections::HashSet;
use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{
    Pid, PidfdFlags, PidfdGetfdFlags, Signal, WaitOptions, pidfd_getfd, pidfd_open,
    pidfd_send_signal, set_child_subreaper, waitpid,
};

use super::{running, wait_for_starts};

/// Whether orphans become children of this process.
static ADOPTS: AtomicBool = AtomicBool::new(false);

/// Has orphans of all that this process starts become its children: what leaves its process group and its parent is
/// found all the same. All children that [`super::Launch`] has not started count as orphans from then on.
///
/// # Errors
/// When the system does not do it.
pub(super) fn adopt() -> std::io::Result<()> {
    set_child_subreaper(Some(Pid::INIT))?;
    ADOPTS.store(true, Ordering::Relaxed);
    Ok(())
}

/// What the table says of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    is_zombie: bool,
    pub(super) parent: u32,
    pub(super) group: u32,
}

impl Stat {
    pub(super) fn of(pid: u32) -> Option<Stat> {
        Stat::parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Reads the line: number, name, state, parent, group, and more.
    fn parse(line: &[u8]) -> Option<Stat> {
        // The name stands in parentheses, and may have any byte in it.
        let name_end = line.iter().rposition(|&byte| byte == b')')?;
        let rest = std::str::from_utf8(line.get(name_end + 1..)?).ok()?;
        let mut words = rest.split_ascii_whitespace();
        Some(Stat {
            is_zombie: matches!(words.next()?, "Z" | "X"),
            parent: words.next()?.parse().ok()?,
            group: words.next()?.parse().ok()?,
        })
    }

    /// Whether it still runs. The first thread of a process may end before the others.
    pub(super) fn is_alive(self, pid: u32) -> bool {
        !self.is_zombie || numbers(&format!("/proc/{pid}/task")).len() > 1
    }
}

/// The numbers among the names in a folder.
fn numbers(folder: &str) -> Vec<u32> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let number = |file: fs::DirEntry| file.file_name().to_str()?.parse().ok();
    files.filter_map(number).collect()
}

/// Whether the system lists the children of a thread.
static IS_LISTED: LazyLock<bool> =
    LazyLock::new(|| fs::exists("/proc/thread-self/children").unwrap_or(false));

/// The children of a thread; where the system does not list them, those of its process.
fn children_of_thread(pid: u32, thread: u32) -> Vec<u32> {
    if *IS_LISTED {
        let list = fs::read_to_string(format!("/proc/{pid}/task/{thread}/children"));
        let list = list.unwrap_or_default();
        return list
            .split_ascii_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
    }
    let mut all = numbers("/proc");
    all.retain(|&one| Stat::of(one).is_some_and(|stat| stat.parent == pid));
    all
}

fn children(pid: u32) -> Vec<u32> {
    let mut threads = numbers(&format!("/proc/{pid}/task"));
    if !*IS_LISTED {
        threads.truncate(1);
    }
    let of = |thread| children_of_thread(pid, thread);
    threads.into_iter().flat_map(of).collect()
}

/// These processes and all their descendants, each before its own.
pub(super) fn with_descendants(mut all: Vec<u32>) -> Vec<u32> {
    let mut known: HashSet<u32> = all.iter().copied().collect();
    let mut next = 0;
    while let Some(&pid) = all.get(next) {
        let new = children(pid)
            .into_iter()
            .filter(|&child| known.insert(child));
        all.extend(new);
        next += 1;
    }
    all
}

/// The orphans that this process has adopted and that still run. Those that have ended leave the table.
pub(super) fn orphans() -> Vec<(u32, Stat)> {
    if !ADOPTS.load(Ordering::Relaxed) {
        return Vec::new();
    }
    let own = std::process::id();
    // The first thread of a process adopts.
    let mut unknown = children_of_thread(own, own);
    let forget_roots = |unknown: &mut Vec<u32>| {
        let running = running();
        unknown.retain(|pid| !running.roots.contains(pid));
    };
    // In most cases there is nothing but programs, of which nothing more is looked up.
    forget_roots(&mut unknown);
    if unknown.is_empty() {
        return Vec::new();
    }
    // One may be a program that is being started.
    wait_for_starts();
    forget_roots(&mut unknown);
    let mut orphans = Vec::new();
    for pid in unknown {
        let Some(stat) = Stat::of(pid).filter(|stat| stat.parent == own) else {
            continue;
        };
        if stat.is_alive(pid) {
            orphans.push((pid, stat));
        } else if let Some(pid) = raw(pid) {
            // It may be reaped by now.
            let _ = waitpid(Some(pid), WaitOptions::NOHANG);
        }
    }
    orphans
}

/// A variable of the environment that a process was started with; `None` also if it cannot be read.
pub(super) fn variable(pid: u32, name: &str) -> Option<String> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let mut variables = environment.split(|&byte| byte == 0);
    variables.find_map(|variable| {
        let value = variable.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        String::from_utf8(value.to_vec()).ok()
    })
}

/// Whether a process has the socket with this inode open; `None` if that is not told.
pub(super) fn holds(pid: u32, inode: u64) -> Option<bool> {
    let socket = format!("socket:[{inode}]");
    let files = match fs::read_dir(format!("/proc/{pid}/fd")) {
        Ok(files) => files,
        Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => return None,
        Err(_) => return Some(false),
    };
    let mut links = files.flatten().map(|file| fs::read_link(file.path()));
    Some(links.any(|link| link.is_ok_and(|link| link.as_os_str() == socket.as_str())))
}

/// Files of a program that are looked at: its own, and then its connection.
const FIRST_FILES: i32 = 32;

/// Whether a child of this process has the socket with this inode among its first files. No look at its folder in `/proc`
/// is needed: the kernel takes longer to forget such looks, when the process ends, than a short game lasts.
pub(super) fn has_socket(pid: u32, inode: u64) -> bool {
    let process = raw(pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    process.is_some_and(|process| {
        (0..FIRST_FILES).any(|number| {
            let file = pidfd_getfd(&process, number, PidfdGetfdFlags::empty());
            let about = file
                .map_err(Into::into)
                .and_then(|f| File::from(f).metadata());
            about.is_ok_and(|about| about.file_type().is_socket() && about.ino() == inode)
        })
    })
}

/// The effective user of a process.
pub(super) fn user(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let users = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    users.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Threads of this user that the system runs.
pub(super) fn tasks() -> u64 {
    let own = user(std::process::id());
    let mut all = numbers("/proc");
    all.retain(|&pid| user(pid) == own);
    let threads = |pid| numbers(&format!("/proc/{pid}/task")).len() as u64;
    all.into_iter().map(threads).sum()
}

/// Kills a process that runs; gives whether there was one that could be.
pub(super) fn kill(pid: u32) -> bool {
    let Some(number) = raw(pid) else { return false };
    let Some(before) = Stat::of(pid).filter(|stat| stat.is_alive(pid)) else {
        return false;
    };
    let Ok(process) = pidfd_open(number, PidfdFlags::empty()) else {
        return false;
    };
    // It is still the one that was found, and no other with its number.
    let is_same = Stat::of(pid).is_some_and(|stat| stat.parent == before.parent);
    is_same && pidfd_send_signal(process, Signal::KILL).is_ok()
}

fn raw(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_programs_are_no_fields() {
        let line = b"17 (a) Z 1 (\xff) S 4 5 6 0 -1 4194560";
        let stat = Stat {
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
        assert!(kill(child.id()));
        child.wait().unwrap();
        assert!(!has_socket(child.id(), inode));
    }

    #[test]
    fn this_process_is_known() {
        let own = std::process::id();
        assert_eq!(user(own), Some(rustix::process::geteuid().as_raw()));
        assert!(Stat::of(own).unwrap().is_alive(own));
        let mut child = std::process::Command::new("sleep")
            .arg("100")
            .spawn()
            .unwrap();
        assert!(with_descendants(vec![own]).contains(&child.id()));
        assert!(kill(child.id()));
        child.wait().unwrap();
        assert!(!kill(child.id()));
    }
}
