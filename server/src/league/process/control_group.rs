//! Control groups of version 2 (Linux): limits for a program together with all that it starts, which limits of a
//! process are not. They are to be had where this process is alone in a group that it may divide, such as a unit of systemd
//! with `Delegate=yes`, and in the uppermost group.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::league::settings::Limits;

/// What the names of groups begin with; the number of the process that has made them follows.
const NAME: &str = "taikyoku-";

/// The group of this process itself, where only groups without processes may have others with controllers below.
const OWN: &str = "taikyoku";

/// An ended program leaves its group within this many looks, a millisecond apart.
const LOOKS: u32 = 500;

/// What groups of this process limit, and where they are made.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Parent {
    folder: PathBuf,
    memory: bool,
    pids: bool,
}

static PARENT: LazyLock<Result<Parent, String>> = LazyLock::new(|| {
    let folder = own_group().ok_or("this system has no control groups (version 2)")?;
    Parent::prepare(&folder)
});

/// Which of these limits hold for each process of a program and not for all of it together, in words, with the reason;
/// `None` if none does.
pub fn lacks(limits: &Limits) -> Option<String> {
    if limits.memory_mib.is_none() && limits.processes.is_none() {
        return None;
    }
    let (memory, pids, reason) = match &*PARENT {
        Ok(parent) => (parent.memory, parent.pids, "no such controller is here"),
        Err(reason) => (false, false, &reason[..]),
    };
    let each = [
        ("`memory-mib`", limits.memory_mib.is_some() && !memory),
        ("`processes`", limits.processes.is_some() && !pids),
    ];
    let each: Vec<&str> = each
        .iter()
        .filter(|each| each.1)
        .map(|each| each.0)
        .collect();
    (!each.is_empty()).then(|| format!("{} ({reason})", each.join(" and ")))
}

/// The group of a program. When it is dropped, everything in it is killed.
#[derive(Debug)]
pub(super) struct ControlGroup {
    folder: PathBuf,
    /// Whether it limits the number of processes.
    pub(super) has_pids: bool,
}

impl ControlGroup {
    /// A group with those of the limits that groups can have; `None` where there are none.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(super) fn new(limits: &Limits) -> io::Result<Option<ControlGroup>> {
        match &*PARENT {
            Ok(parent) if limits.memory_mib.is_some() || limits.processes.is_some() => {
                parent.child(limits).map(Some)
            }
            _ => Ok(None),
        }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Puts this process, and all that it starts from now on, into the group with this folder.
    ///
    /// # Errors
    /// When there is no such group, or it has as many processes as it may have.
    pub(super) fn enter(folder: &Path) -> io::Result<()> {
        fs::write(folder.join("cgroup.procs"), "0")
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        // Older kernels have no such file, and the program ends by other means, too.
        let _ = fs::write(self.folder.join("cgroup.kill"), "1");
        for _ in 0..LOOKS {
            match fs::remove_dir(&self.folder) {
                Err(e) if e.kind() == io::ErrorKind::ResourceBusy => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                _ => return,
            }
        }
    }
}

impl Parent {
    /// Makes ready the group with this folder, that of this process.
    fn prepare(folder: &Path) -> Result<Parent, String> {
        // The uppermost group of the machine has no type, and may have processes beside other groups.
        let is_uppermost = !folder.join("cgroup.type").exists();
        let words = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_default();
        let has = |words: &str, name: &str| words.split_ascii_whitespace().any(|word| word == name);
        let there = words("cgroup.controllers");
        let [memory, pids] = ["memory", "pids"].map(|name| has(&there, name));
        if !memory && !pids {
            return Err("the control group of this process has no controllers".to_owned());
        }
        let on = words("cgroup.subtree_control");
        let lacking: Vec<String> = [("memory", memory), ("pids", pids)]
            .iter()
            .filter(|(name, there)| *there && !has(&on, name))
            .map(|(name, _)| format!("+{name}"))
            .collect();
        if !lacking.is_empty() {
            let own = folder.join(OWN);
            let enable = || {
                if !is_uppermost {
                    make(&own)?;
                    ControlGroup::enter(&own)?;
                }
                fs::write(folder.join("cgroup.subtree_control"), lacking.join(" "))
            };
            enable().map_err(|e| {
                // Back to where it was: another process is in the same group.
                let _ = ControlGroup::enter(folder);
                let _ = fs::remove_dir(&own);
                format!("its control group is not this process's alone: {e}")
            })?;
        }
        let parent = Parent {
            folder: folder.to_owned(),
            memory,
            pids,
        };
        parent.clean();
        let child = parent.child(&Limits::default());
        child.map_err(|e| format!("no control group can be made: {e}"))?;
        Ok(parent)
    }

    /// A new group below this one.
    fn child(&self, limits: &Limits) -> io::Result<ControlGroup> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{NAME}{}-{number}", std::process::id());
        let group = ControlGroup {
            folder: self.folder.join(name),
            has_pids: self.pids && limits.processes.is_some(),
        };
        make(&group.folder)?;
        let set = |file: &str, value: u64| fs::write(group.folder.join(file), value.to_string());
        if let Some(mib) = limits.memory_mib.filter(|_| self.memory) {
            set("memory.max", mib.saturating_mul(1 << 20))?;
            // A program that is out of memory ends whole. Not every kernel has these.
            let _ = set("memory.oom.group", 1);
            let _ = set("memory.swap.max", 0);
        }
        if let Some(processes) = limits.processes.filter(|_| self.pids) {
            set("pids.max", processes)?;
        }
        Ok(group)
    }

    /// Ends and removes what leagues that were killed have left.
    fn clean(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let maker = name.to_str().and_then(|name| name.strip_prefix(NAME));
            let maker = maker.and_then(|rest| rest.split_once('-')?.0.parse::<u32>().ok());
            if maker.is_some_and(|maker| !Path::new(&format!("/proc/{maker}")).exists()) {
                // One whose processes do not end stays.
                let _ = fs::write(entry.path().join("cgroup.kill"), "1");
                let _ = fs::remove_dir(entry.path());
            }
        }
    }
}

fn make(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// The folder of the group of this process.
fn own_group() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    // Number, parent, device, root, where it is mounted, options, optional fields, a hyphen, and the file system.
    let mounted = mounts.lines().find_map(|line| {
        let (place, system) = line.split_once(" - ")?;
        let is_group = system.split(' ').next() == Some("cgroup2");
        place.split(' ').nth(4).filter(|_| is_group)
    })?;
    Some(Path::new(mounted).join(own.trim_start_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: PathBuf) -> String {
        fs::read_to_string(path).unwrap_or_default()
    }

    #[test]
    fn a_group_has_the_limits_that_its_controllers_know() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let none = Parent::prepare(folder.path()).unwrap_err();
        assert!(none.contains("no controllers"), "{none}");
        fs::write(file("cgroup.controllers"), "cpu pids memory\n").unwrap();
        fs::write(file("cgroup.type"), "domain").unwrap();
        fs::create_dir(file("taikyoku-4194305-0")).unwrap();
        let parent = Parent::prepare(folder.path()).unwrap();
        assert!(parent.memory && parent.pids);
        assert_eq!(read(file("cgroup.subtree_control")), "+memory +pids");
        assert_eq!(read(file("taikyoku").join("cgroup.procs")), "0");
        // Files of a real group go with its folder.
        assert_eq!(read(file("taikyoku-4194305-0").join("cgroup.kill")), "1");

        let limits = Limits {
            memory_mib: Some(3),
            processes: Some(7),
            ..Limits::default()
        };
        let group = parent.child(&limits).unwrap();
        let of = |name: &str| read(group.folder().join(name));
        assert_eq!(
            (&of("memory.max")[..], &of("pids.max")[..]),
            ("3145728", "7")
        );
        assert!(group.has_pids);
        let other = parent.child(&Limits::default()).unwrap();
        assert!(!other.has_pids && !other.folder().join("pids.max").exists());
        let memory = Parent {
            pids: false,
            ..parent
        };
        assert!(!memory.child(&limits).unwrap().has_pids);
    }

    #[test]
    fn the_uppermost_group_keeps_its_processes() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("cgroup.controllers"), "pids").unwrap();
        fs::write(folder.path().join("cgroup.subtree_control"), "cpu").unwrap();
        let parent = Parent::prepare(folder.path()).unwrap();
        assert!(parent.pids && !parent.memory);
        assert_eq!(read(folder.path().join("cgroup.subtree_control")), "+pids");
        assert!(!folder.path().join(OWN).exists());
    }
}
