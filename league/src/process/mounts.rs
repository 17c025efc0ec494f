//! The files of a program in the sandbox, and the words by which bubblewrap shows them to it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf, absolute};

pub(super) const PROGRAM: &str = "bwrap";

/// What every program may read and run, where it is there.
const SYSTEM: [&str; 12] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/sys/devices/system",
    "/sys/kernel/mm",
];

/// Bytes of each of the two folders in memory in which a program may write.
const IN_MEMORY: &str = "67108864";

/// The files of a program in the sandbox. Every path is followed once, when the league begins: what an entrant may write can
/// be a link to anything later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mounts {
    pub(super) folder: PathBuf,
    /// Its own folder without links, if it may write there.
    pub(super) writes: Option<PathBuf>,
    /// What it may read: where it is, without links, and where the program finds it.
    pub(super) reads: Vec<(PathBuf, PathBuf)>,
    /// Folders and files within these that it may not read.
    pub(super) hidden: Vec<PathBuf>,
}

impl Mounts {
    /// Whether the sandbox shows the file `found` at `place` without a mount of its own.
    pub(super) fn shows(&self, found: &Path, place: &Path) -> bool {
        let system = SYSTEM.map(|folder| (Path::new(folder), Path::new(folder)));
        let own = self
            .writes
            .iter()
            .map(|own| (own.as_path(), self.folder.as_path()));
        let reads = self
            .reads
            .iter()
            .map(|(found, place)| (found.as_path(), place.as_path()));
        let mut shown = system.into_iter().chain(own).chain(reads);
        shown.clone().any(|(folder, _)| found.starts_with(folder))
            && shown.any(|(_, folder)| place.starts_with(folder))
    }

    /// Its home, and the folder for its temporary files.
    pub(super) fn home(&self) -> &Path {
        self.writes
            .as_ref()
            .map_or(Path::new("/tmp"), |_| &self.folder)
    }

    /// The words that start a program so, before its own. It sees `programs` of the project, too.
    pub(super) fn words(&self, programs: &[PathBuf]) -> Vec<OsString> {
        let mut words: Vec<OsString> = "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-net \
            --unshare-cgroup-try --cap-drop ALL --new-session --as-pid-1 --die-with-parent --unsetenv XDG_RUNTIME_DIR \
            --unsetenv DBUS_SESSION_BUS_ADDRESS --proc /proc --dev /dev"
            .split_ascii_whitespace()
            .map(OsString::from)
            .collect();
        for folder in ["/dev/shm", "/tmp"] {
            words.extend(["--size", IN_MEMORY, "--tmpfs", folder].map(OsString::from));
        }
        let mut add = |option: &str, paths: &[&OsStr]| {
            words.push(option.into());
            words.extend(paths.iter().map(OsString::from));
        };
        let fixed = SYSTEM
            .iter()
            .map(Path::new)
            .chain(programs.iter().map(PathBuf::as_path));
        for path in fixed {
            add("--ro-bind-try", &[path.as_ref(), path.as_ref()]);
        }
        for (found, place) in &self.reads {
            let is_device = found.starts_with("/dev");
            let option = if is_device { "--dev-bind" } else { "--ro-bind" };
            add(option, &[found.as_ref(), place.as_ref()]);
        }
        match &self.writes {
            Some(own) => add("--bind", &[own.as_ref(), self.folder.as_ref()]),
            None => add("--dir", &[self.folder.as_ref()]),
        }
        for path in &self.hidden {
            if path.is_dir() {
                add("--tmpfs", &[path.as_ref()]);
            } else {
                add("--ro-bind", &["/dev/null".as_ref(), path.as_ref()]);
            }
        }
        for path in ["/dev", "/"] {
            add("--remount-ro", &[path.as_ref()]);
        }
        add("--chdir", &[self.folder.as_ref(), "--".as_ref()]);
        words.insert(0, PROGRAM.into());
        words
    }
}

/// A path as it is in the sandbox, where no folder on the way is a link.
pub(super) fn named(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in absolute(path).unwrap_or_default().components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// The files that the name of a program can mean: a name without `/` is looked up in the folders of PATH, in their order.
/// Paths are relative to a folder.
pub(super) fn looked_up(
    program: &Path,
    base: &Path,
    environment: &BTreeMap<String, String>,
) -> Vec<PathBuf> {
    let path = environment.get("PATH").map(OsString::from);
    let path = path
        .or_else(|| std::env::var_os("PATH"))
        .unwrap_or_default();
    let folders: Vec<PathBuf> = if program.components().count() > 1 {
        vec![PathBuf::new()]
    } else {
        std::env::split_paths(&path).collect()
    };
    let files = folders.iter().map(|folder| base.join(folder).join(program));
    files.filter(|file| file.is_file()).collect()
}
