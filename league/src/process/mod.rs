//! Programs of entrants: how they are started, what they say when they fail, and how they are ended.

use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStderr};
use tokio::task::JoinHandle;

pub use bubblewrap::{confine, lacks as lacks_sandbox};
pub use confinement::Confinement;
use control_group::lacks as lacks_control_groups;
pub use launch::Launch;

pub use members::Members;
pub use mounts::Mounts;
pub use port::InnerPort;

mod bubblewrap;
mod confinement;
mod control_group;
mod launch;
mod members;
mod mounts;
mod port;
#[cfg(target_os = "linux")]
mod seccomp;
#[cfg(test)]
mod tests;

/// A program that runs. When it is dropped, it is killed with its process group; in the sandbox all that it has started ends with
/// it.
#[derive(Debug)]
pub struct Process {
    child: Child,
    group: Option<u32>,
    members: Option<Members>,
    port: Option<InnerPort>,
    stderr: Arc<Mutex<Capture>>,
    reader: Option<JoinHandle<()>>,
    watch: Option<JoinHandle<()>>,
    status: Option<ExitStatus>,
}

/// The process groups of all programs that run.
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn running() -> MutexGuard<'static, BTreeSet<u32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether it is known which process holds a connection.
pub const IS_KNOWN: bool = cfg!(target_os = "linux");

/// Ends all programs that run: for a process that ends without dropping them.
pub fn kill_all() {
    for &group in running().iter() {
        // It may have ended by itself.
        let _ = kill_group(Some(group));
    }
}

/// Lines and bytes of the end of the standard error that go into a message.
const TAIL_LINES: usize = 12;
const TAIL_BYTES: usize = 1500;

/// What a program wrote just before its end comes through its pipe a little after.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How often the size of a folder is looked at, and the bytes of a block of a file there.
const FOLDER: Duration = Duration::from_secs(1);
const BLOCK: u64 = 4096;

/// How often a group is looked at whose leader has ended.
const GROUP: Duration = Duration::from_millis(100);

impl Process {
    /// A program that has been started, in a process group of its own. In the sandbox it has a port of its own.
    fn new(mut child: Child, port: Option<InnerPort>, stderr_bytes: usize) -> Process {
        let stderr = Arc::new(Mutex::new(Capture::new(stderr_bytes)));
        let reader = child.stderr.take();
        let reader = reader.map(|pipe| tokio::spawn(read(pipe, Arc::clone(&stderr))));
        let group = child.id();
        running().extend(group);
        Process {
            group,
            members: group.filter(|_| port.is_none()).map(Members::new),
            port,
            child,
            stderr,
            reader,
            watch: None,
            status: None,
        }
    }

    /// Kills it as soon as its folder is found to have more than so many MiB in it.
    fn watch(&mut self, folder: PathBuf, most_mib: u64) {
        let (group, stderr) = (self.group, Arc::clone(&self.stderr));
        self.watch = Some(tokio::spawn(async move {
            loop {
                let looked_at = folder.clone();
                let size = tokio::task::spawn_blocking(move || bytes_in(&looked_at)).await;
                if size.is_ok_and(|size| size > most_mib.saturating_mul(1 << 20)) {
                    let text = format!("\nkilled: its folder has more than {most_mib} MiB in it\n");
                    let mut stderr = stderr.lock().unwrap_or_else(PoisonError::into_inner);
                    stderr.add(text.as_bytes());
                    // It may have ended by itself.
                    let _ = kill_group(group);
                    return;
                }
                tokio::time::sleep(FOLDER).await;
            }
        }));
    }

    /// The program and the processes that it has started; `None` for a program in the sandbox, which no other reaches.
    pub(crate) const fn members(&self) -> Option<&Members> {
        self.members.as_ref()
    }

    /// The port at which a program in the sandbox finds its table. It is given once.
    pub(crate) const fn take_port(&mut self) -> Option<InnerPort> {
        self.port.take()
    }

    /// Waits until it has ended and its last words are read, and says how. May be dropped and called again at any time.
    pub async fn exited(&mut self) -> ExitStatus {
        let status = if let Some(status) = self.status {
            status
        } else {
            // An error says that somebody else has taken it: nothing is known but that it is gone.
            let status = self.child.wait().await.unwrap_or_default();
            self.reaped();
            *self.status.insert(status)
        };
        // A program that it has left behind may hold the pipe open.
        if let Some(reader) = &mut self.reader
            && tokio::time::timeout(LAST_WORDS, reader).await.is_ok()
        {
            self.reader = None;
        }
        status
    }

    /// Waits until it has ended and, after a good end, all that it has started: a launcher may leave the program that
    /// plays behind. May be dropped and called again at any time.
    pub async fn gone(&mut self) -> ExitStatus {
        let status = self.exited().await;
        while status.success() && is_alive(self.group) {
            tokio::time::sleep(GROUP).await;
        }
        status
    }

    pub fn status(&mut self) -> Option<ExitStatus> {
        if self.status.is_none()
            && let Ok(Some(status)) = self.child.try_wait()
        {
            self.reaped();
            self.status = Some(status);
        }
        self.status
    }

    /// Ends it, and all that it has started, at once.
    pub fn kill(&mut self) {
        // It may have ended by itself.
        let _ = kill_group(self.group);
        if self.status.is_none() {
            let _ = self.child.start_kill();
        }
    }

    /// All of its standard error that is kept.
    pub fn stderr(&self) -> String {
        let captured = self.stderr.lock();
        captured.unwrap_or_else(PoisonError::into_inner).text()
    }

    /// The last lines of its standard error; empty if it has said nothing.
    pub fn stderr_tail(&self) -> String {
        let text = self.stderr();
        let text = text.trim_end();
        let from = text.ceil_char_boundary(text.len().saturating_sub(TAIL_BYTES));
        let lines: Vec<&str> = text[from..].lines().collect();
        lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
    }

    /// The number of a group whose leader is gone may be given anew once the group is empty.
    fn reaped(&mut self) {
        if let Some(members) = &self.members {
            members.note_reaped();
        }
        if !is_alive(self.group) {
            self.forget();
        }
    }

    fn forget(&mut self) {
        if let Some(group) = self.group.take() {
            running().remove(&group);
        }
    }
}

fn pid(group: Option<u32>) -> Option<rustix::process::Pid> {
    let group = group.and_then(|group| i32::try_from(group).ok());
    group.and_then(rustix::process::Pid::from_raw)
}

fn is_alive(group: Option<u32>) -> bool {
    pid(group).is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok())
}

/// Kills all processes of a group; `None` is no group.
pub(crate) fn kill_group(group: Option<u32>) -> io::Result<()> {
    use rustix::process::{Signal, kill_process_group};
    match pid(group) {
        Some(group) => Ok(kill_process_group(group, Signal::KILL)?),
        None => Ok(()),
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        self.forget();
        // What was killed leaves the table of processes now.
        self.status();
        for task in self.reader.iter().chain(&self.watch) {
            task.abort();
        }
    }
}

/// Bytes that all files of a folder take. One that cannot be looked into has too many.
fn bytes_in(folder: &Path) -> u64 {
    let files = match folder.read_dir() {
        Ok(files) => files.flatten(),
        Err(e) if e.kind() == io::ErrorKind::NotFound => return 0,
        Err(_) => return u64::MAX,
    };
    let bytes = files.map(|file| match file.metadata() {
        Ok(about) if about.is_dir() => bytes_in(&file.path()),
        // Each takes a block, however short it is.
        Ok(about) => about.len().next_multiple_of(BLOCK),
        Err(_) => 0,
    });
    bytes.fold(BLOCK, u64::saturating_add)
}

async fn read(mut pipe: ChildStderr, into: Arc<Mutex<Capture>>) {
    let mut buffer = vec![0; 4096];
    while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
        into.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .add(&buffer[..read]);
    }
}

/// The first and the last bytes of a stream: half of what is kept is its beginning, half its end.
#[derive(Clone, Debug)]
struct Capture {
    first: Vec<u8>,
    last: VecDeque<u8>,
    left_out: u64,
    half: usize,
}

impl Capture {
    /// Keeps at most so many bytes, rounded down to an even number.
    const fn new(bytes: usize) -> Capture {
        Capture {
            first: Vec::new(),
            last: VecDeque::new(),
            left_out: 0,
            half: bytes / 2,
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        let (begin, rest) = bytes.split_at(bytes.len().min(self.half - self.first.len()));
        self.first.extend_from_slice(begin);
        let (skipped, kept) = rest.split_at(rest.len().saturating_sub(self.half));
        let room = self.half - kept.len();
        let over = self.last.len().saturating_sub(room);
        self.last.drain(..over);
        self.last.extend(kept);
        self.left_out += (skipped.len() + over) as u64;
    }

    /// All that is kept, with how much was left out in the middle.
    fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.first).into_owned();
        let last: Vec<u8> = self.last.iter().copied().collect();
        if self.left_out == 0 {
            // A character may lie across the middle.
            let all = [&self.first[..], &last].concat();
            return String::from_utf8_lossy(&all).into_owned();
        }
        let _ = write!(text, "\n[... {} bytes left out ...]\n", self.left_out);
        text + &String::from_utf8_lossy(&last)
    }
}

/// Why the program of an entrant does not start. Says whose program it is, and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{entrant}: {reason}{hint}")]
pub struct LaunchFailure {
    pub entrant: String,
    pub reason: String,
    /// A note on where paths begin, if one leads nowhere; else empty.
    pub hint: &'static str,
    /// The error of the system, where nothing better is known.
    pub error: Option<io::Error>,
}
