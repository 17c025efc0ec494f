//! A program with all that it has started, as the system's table of processes has it (Linux).

#[cfg(target_os = "linux")]
use super::{running, table};

/// A program that was started by this process, and what it has started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// The program, which leads a process group.
    root: u32,
    /// What its environment has and that of no other program: its descendants inherit it.
    mark: String,
}

/// Name of the variable with the mark.
pub(super) const MARK: &str = "TAIKYOKU_PROGRAM";

/// What is left is looked for this often, a millisecond apart.
#[cfg(target_os = "linux")]
const LOOKS: u32 = 500;

/// Whether it is known which process holds a connection, and what an ended program has left behind.
pub const IS_KNOWN: bool = cfg!(target_os = "linux");

impl Family {
    pub(super) const fn new(root: u32, mark: String) -> Family {
        Family { root, mark }
    }

    pub(super) const fn root(&self) -> u32 {
        self.root
    }

    pub(super) fn mark(&self) -> &str {
        &self.mark
    }

    /// Kills what is left of it, also what has left its process group, where the system tells of that.
    pub(super) fn end(&self) {
        #[cfg(target_os = "linux")]
        end(|| self.left());
    }
}

#[cfg(target_os = "linux")]
impl Family {
    /// Whether one of its processes holds the socket with this inode, which belongs to this user. Of a process that
    /// may not be looked into, as it runs as another user, only the user is compared.
    pub(crate) fn holds(&self, inode: u64, user: u32) -> bool {
        // In most cases the program itself has connected.
        if self.is_running() && table::has_socket(self.root, inode) {
            return true;
        }
        let own = std::process::id();
        let mut members = match table::Stat::of(self.root) {
            Some(root) if root.parent == own && root.is_alive(self.root) => {
                table::with_descendants(vec![self.root])
            }
            // A launcher may leave the program that plays behind. As long as it runs, another program could put
            // itself into its group.
            _ => {
                let mut orphans = table::orphans();
                orphans.retain(|(_, stat)| stat.group == self.root);
                table::with_descendants(orphans.into_iter().map(|(pid, _)| pid).collect())
            }
        };
        members.retain(|&pid| pid != own);
        members
            .into_iter()
            .any(|pid| table::holds(pid, inode).unwrap_or_else(|| table::user(pid) == Some(user)))
    }

    /// Whether the program itself has not been reaped: its number is given to no other then.
    fn is_running(&self) -> bool {
        running().roots.contains(&self.root)
    }

    /// What is left of it: an orphan with the mark of no program that runs is left of one that has ended.
    fn left(&self) -> Vec<u32> {
        let mut left = Vec::new();
        if self.is_running() {
            left.push(self.root);
        }
        for (pid, stat) in table::orphans() {
            let mark = table::variable(pid, MARK);
            let is_others = |mark: &str| mark != self.mark && running().groups.contains_key(mark);
            if stat.group == self.root || !mark.is_some_and(|mark| is_others(&mark)) {
                left.push(pid);
            }
        }
        left
    }
}

/// Kills everything that programs have started.
#[cfg(target_os = "linux")]
pub(super) fn end_all() {
    end(|| {
        let roots: Vec<u32> = running().roots.iter().copied().collect();
        let orphans = table::orphans().into_iter().map(|(pid, _)| pid);
        roots.into_iter().chain(orphans).collect()
    });
}

/// Kills these processes and their descendants until none is left. The children of those that were killed are found
/// when they are looked for again.
#[cfg(target_os = "linux")]
fn end(left: impl Fn() -> Vec<u32>) {
    for _ in 0..LOOKS {
        let all = table::with_descendants(left());
        // What may not be killed, as it runs as another user, is not waited for.
        if all.into_iter().filter(|&pid| table::kill(pid)).count() == 0 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    log::error!("a program has left processes behind that do not end");
}
