//! What a program of an entrant may use up and reach. The league starts such a program through this one (`taikyoku
//! launch`), which confines itself and then becomes that program.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io;

use clap::Args;

use crate::settings::Limits;
use server::commands::bot::beside;

/// What a program may use up, and what is set up for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct Confinement {
    /// What it may use up
    #[command(flatten)]
    pub limits: Limits,
    /// Processors that it may run on
    #[arg(long)]
    pub cpus: Vec<usize>,
    /// It is bubblewrap, which gets a filter of system calls
    #[arg(long)]
    pub filter: bool,
    /// Port of 127.0.0.1 that this process opens before it starts the program, and whose listener it sends to the socket on its
    /// standard input. It ends with the program, after a good end with all that the program has started
    #[arg(long)]
    pub port: Option<u16>,
}

/// Prefix of variables that only the program in the sandbox gets.
pub(super) const WITHIN: &str = "TAIKYOKU_WITHIN_";

impl Confinement {
    /// The words that start a program so, before its own; none if nothing confines it.
    pub(super) fn words(&self) -> Vec<OsString> {
        if *self == Confinement::default() {
            return Vec::new();
        }
        let mut words = vec![beside("taikyoku").into(), OsString::from("launch")];
        let limits = self.limits.options().into_iter();
        let limits = limits.filter_map(|(option, limit)| Some((option, limit?)));
        let cpus = self.cpus.iter().map(|&cpu| ("--cpus", cpu as u64));
        let port = self.port.map(|port| ("--port", u64::from(port)));
        for (option, value) in limits.chain(cpus).chain(port) {
            words.extend([option.into(), value.to_string().into()]);
        }
        if self.filter {
            words.push("--filter".into());
        }
        words.push("--".into());
        words
    }

    /// Confines this process, and becomes the program; it returns only with what is against it. With a port it ends with the
    /// program.
    #[cfg(target_os = "linux")]
    pub fn exec(&self, program: &[OsString]) -> io::Result<Infallible> {
        use std::os::unix::process::CommandExt as _;
        let Some((name, arguments)) = program.split_first() else {
            return Err(io::Error::other("there is no program"));
        };
        let mut command = std::process::Command::new(name);
        if let Some(port) = self.port {
            linux::send_listener(port)?;
            return linux::supervise(command.args(arguments));
        }
        linux::limit(&self.limits)?;
        linux::pin(&self.cpus)?;
        let filter = self.filter.then(super::seccomp::filter).transpose()?;
        if let Some(filter) = &filter {
            use std::os::fd::AsRawFd as _;
            command.args(["--seccomp", &filter.as_raw_fd().to_string()]);
        }
        Err(command.args(arguments).exec())
    }

    /// This system does not support it.
    #[cfg(not(target_os = "linux"))]
    pub fn exec(&self, _: &[OsString]) -> io::Result<Infallible> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Why no program can be kept to these processors; `None` if one can.
#[cfg(target_os = "linux")]
pub(super) fn lacks_processors(cpus: &[usize]) -> Option<String> {
    use rustix::thread::{CpuSet, sched_getaffinity};

    if cpus.iter().any(|&cpu| cpu >= CpuSet::MAX_CPU) {
        return Some(format!("processors are 0 to {}", CpuSet::MAX_CPU - 1));
    }
    let own = sched_getaffinity(None).unwrap_or_default();
    let is_none = !cpus.is_empty() && !cpus.iter().any(|&cpu| own.is_set(cpu));
    is_none.then(|| "this process may run on none of them".to_owned())
}

/// This system does not support it.
#[cfg(not(target_os = "linux"))]
pub(super) fn lacks_processors(cpus: &[usize]) -> Option<String> {
    (!cpus.is_empty()).then(|| "this system cannot do it; leave `cpus` out".to_owned())
}

#[cfg(target_os = "linux")]
mod linux {
    use std::convert::Infallible;
    use std::fs::{self, File};
    use std::io::{self, IoSlice};
    use std::mem::MaybeUninit;
    use std::net::{Ipv4Addr, TcpListener};
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::MetadataExt as _;
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::{Command, Stdio};

    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
    use rustix::process::{
        Pid, Resource, Rlimit, WaitOptions, geteuid, getpid, getrlimit, set_child_subreaper,
        setrlimit, wait,
    };
    use rustix::thread::{CpuSet, sched_setaffinity};

    use super::WITHIN;
    use crate::settings::Limits;

    /// Sets the limits of this process, which go over to all that it starts.
    pub(super) fn limit(limits: &Limits) -> io::Result<()> {
        let mib = |mib: u64| mib.saturating_mul(1 << 20);
        let processes = limits.processes.map(|more| threads().saturating_add(more));
        let all = [
            (Resource::As, limits.memory_mib.map(mib)),
            (Resource::Nproc, processes),
            (Resource::Nofile, limits.open_files),
            (Resource::Cpu, limits.cpu_s),
            (Resource::Fsize, limits.file_mib.map(mib)),
        ];
        for (resource, limit) in all {
            let Some(limit) = limit else { continue };
            let most = getrlimit(resource).maximum;
            let limit = Some(most.map_or(limit, |most| most.min(limit)));
            setrlimit(
                resource,
                Rlimit {
                    current: limit,
                    maximum: limit,
                },
            )?;
        }
        Ok(())
    }

    /// Threads of this user that the system shows, but for this one, which becomes the program. In the sandbox they are those
    /// of its first process.
    fn threads() -> u64 {
        let (user, own) = (geteuid().as_raw(), getpid().as_raw_nonzero().to_string());
        let all = fs::read_dir("/proc").into_iter().flatten().flatten();
        let threads = all.filter_map(|file| {
            let name = file.file_name();
            let is_process = name.to_str()?.parse::<u32>().is_ok() && name != *own;
            let is_own = is_process && file.metadata().ok()?.uid() == user;
            let folder = is_own.then(|| fs::metadata(file.path().join("task")))?;
            // The folder has one more link for each folder in it.
            Some(folder.ok()?.nlink().saturating_sub(2))
        });
        threads.sum()
    }

    /// Keeps this process, and all that it starts, to these processors.
    pub(super) fn pin(cpus: &[usize]) -> io::Result<()> {
        if cpus.is_empty() {
            return Ok(());
        }
        let mut set = CpuSet::new();
        for &cpu in cpus {
            set.set(cpu);
        }
        Ok(sched_setaffinity(None, &set)?)
    }

    /// Listens at a port of this network namespace and sends the listener out of it.
    pub(super) fn send_listener(port: u16) -> io::Result<()> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let files = [listener.as_fd()];
        control.push(SendAncillaryMessage::ScmRights(&files));
        let byte = [IoSlice::new(&[0])];
        sendmsg(io::stdin(), &byte, &mut control, SendFlags::empty())?;
        Ok(rustix::stdio::dup2_stdin(File::open("/dev/null")?)?)
    }

    /// Starts a program and ends with it, and after a good end with all that it has started: a launcher may leave the program
    /// that plays behind.
    pub(super) fn supervise(command: &mut Command) -> io::Result<Infallible> {
        // What loses its parent becomes a child of this process; the first one of a namespace has them anyway.
        set_child_subreaper(Some(Pid::INIT))?;
        for (name, value) in std::env::vars_os() {
            if let Some(own) = name.to_str().and_then(|name| name.strip_prefix(WITHIN)) {
                command.env_remove(&name).env(own, value);
            }
        }
        let child = command.stdin(Stdio::null()).spawn()?;
        let mut code = None;
        while let Ok(Some((pid, status))) = wait(WaitOptions::empty()) {
            if pid.as_raw_nonzero().get().cast_unsigned() == child.id() {
                let status = std::process::ExitStatus::from_raw(status.as_raw());
                let signal = || 128 + status.signal().unwrap_or_default();
                code = Some(status.code().unwrap_or_else(signal));
            }
            if code.is_some_and(|code| code != 0) {
                break;
            }
        }
        std::process::exit(code.unwrap_or_default())
    }
}
