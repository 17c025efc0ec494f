//! What a program of an entrant may use and reach. The league starts a confined program through this one
//! (`taikyoku launch`), which confines itself and then becomes that program.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use clap::Args;

use super::beside;
use super::control_group::ControlGroup;
use crate::league::settings::Limits;

/// What a program may use and reach.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct Confinement {
    /// The control group that it enters, which limits its processes instead of `processes`
    #[arg(long)]
    pub control_group: Option<PathBuf>,
    /// What it may use up
    #[command(flatten)]
    pub limits: Limits,
    /// The one port of TCP that it may connect to; with it the program runs in the sandbox
    #[arg(long)]
    pub port: Option<u16>,
    /// Its folder: the only one in which it may write
    #[arg(long)]
    pub folder: Option<PathBuf>,
    /// What it may read and run beside the system's own folders
    #[arg(long)]
    pub read: Vec<PathBuf>,
}

impl Confinement {
    /// The words that start a program so, before its own.
    pub(super) fn words(&self) -> Vec<OsString> {
        let mut words = vec![beside("taikyoku").into(), OsString::from("launch")];
        let mut add = |option: &str, value: OsString| words.extend([option.into(), value]);
        for (option, limit) in self.limits.options() {
            if let Some(limit) = limit {
                add(option, limit.to_string().into());
            }
        }
        if let Some(group) = &self.control_group {
            add("--control-group", group.into());
        }
        if let Some(port) = self.port {
            add("--port", port.to_string().into());
        }
        if let Some(folder) = &self.folder {
            add("--folder", folder.into());
        }
        for path in &self.read {
            add("--read", path.into());
        }
        words.push("--".into());
        words
    }

    /// Confines this process, and becomes the program; it returns only with what is against it.
    ///
    /// # Errors
    /// A limit that cannot be set, a sandbox that is not to be had, a program that does not start.
    #[cfg(target_os = "linux")]
    pub fn exec(&self, program: &[OsString]) -> io::Result<Infallible> {
        use std::os::unix::process::CommandExt as _;
        let Some((name, arguments)) = program.split_first() else {
            return Err(io::Error::other("there is no program"));
        };
        // A terminal and a session of its own, which no other program can enter.
        rustix::process::setsid()?;
        if let Some(group) = &self.control_group {
            ControlGroup::enter(group)?;
        }
        linux::limit(&self.limits)?;
        if let (Some(port), Some(folder)) = (self.port, &self.folder) {
            linux::enter(port, folder, &self.read).map_err(io::Error::other)?;
        }
        Err(std::process::Command::new(name).args(arguments).exec())
    }

    /// There is no way.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(target_os = "linux"))]
    pub fn exec(&self, _: &[OsString]) -> io::Result<Infallible> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// What the sandbox of this system lacks, in words; `None` if nothing.
///
/// # Errors
/// Why there is no sandbox.
#[cfg(target_os = "linux")]
pub fn lacks() -> Result<Option<String>, String> {
    linux::lacks()
}

/// There is none.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn lacks() -> Result<Option<String>, String> {
    Err("this system has no Landlock".to_owned())
}

/// What every program in a sandbox may read and run, where it is there. Of `/proc` it is what tells of the machine, and
/// of the program itself: the command lines of others are none of its business.
pub(super) const SYSTEM: [&str; 24] = [
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
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/uptime",
    "/proc/loadavg",
    "/proc/version",
    "/proc/filesystems",
    "/proc/sys",
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/sys/kernel/mm",
    "/dev/random",
    "/dev/urandom",
];

#[cfg(target_os = "linux")]
mod linux {
    use std::io;
    use std::path::{Path, PathBuf};

    use landlock::{
        ABI, Access as _, AccessFs, AccessNet, LandlockStatus, NetPort, RulesetAttr as _,
        RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, path_beneath_rules,
    };
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    use super::SYSTEM;
    use crate::league::process::table;
    use crate::league::settings::Limits;

    /// Rights of this version are handled; a kernel that knows fewer handles those.
    const KNOWN: ABI = ABI::V6;

    /// Files in which every program may read and write.
    const DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];

    /// Confines this thread, and all that it becomes and starts.
    pub(super) fn enter(port: u16, folder: &Path, read: &[PathBuf]) -> Result<(), RulesetError> {
        let status = landlock::Ruleset::default()
            .handle_access(AccessFs::from_all(KNOWN))?
            .handle_access(AccessNet::from_all(KNOWN))?
            .scope(Scope::from_all(KNOWN))?
            .create()?
            .add_rules(path_beneath_rules(SYSTEM, AccessFs::from_read(KNOWN)))?
            .add_rules(path_beneath_rules(read, AccessFs::from_read(KNOWN)))?
            .add_rules(path_beneath_rules(DEVICES, AccessFs::from_file(KNOWN)))?
            .add_rules(path_beneath_rules([folder], AccessFs::from_all(KNOWN)))?
            .add_rule(NetPort::new(port, AccessNet::ConnectTcp))?
            .restrict_self()?;
        assert_ne!(
            status.ruleset,
            RulesetStatus::NotEnforced,
            "the league begins only where there is a sandbox"
        );
        Ok(())
    }

    pub(super) fn lacks() -> Result<Option<String>, String> {
        // Only the thread that asks is restricted.
        let asked = std::thread::spawn(|| {
            let status = landlock::Ruleset::default()
                .handle_access(AccessFs::Execute)?
                .create()?
                .restrict_self()?;
            Ok::<_, RulesetError>(status.landlock)
        });
        let status = asked.join().expect("nothing here panics");
        let status = status.map_err(|e| e.to_string())?;
        let LandlockStatus::Available {
            effective_abi: abi, ..
        } = status
        else {
            let reason = "this kernel has no Landlock (Linux 5.13), or it is switched off";
            return Err(reason.to_owned());
        };
        let all = [
            (ABI::V3, "that files are not cut short (Linux 6.2)"),
            (ABI::V4, "to which ports programs connect (Linux 6.7)"),
            (ABI::V6, "signals to other programs (Linux 6.12)"),
        ];
        let lacking: Vec<&str> = all
            .iter()
            .filter(|(needed, _)| abi < *needed)
            .map(|(_, what)| *what)
            .collect();
        Ok((!lacking.is_empty()).then(|| lacking.join(", ")))
    }

    /// Sets the limits of this process, which go over to all that it starts.
    pub(super) fn limit(limits: &Limits) -> io::Result<()> {
        let mib = |mib: u64| mib.saturating_mul(1 << 20);
        let processes = limits
            .processes
            .map(|more| table::tasks().saturating_add(more));
        let all = [
            (Resource::Data, limits.memory_mib.map(mib)),
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
}
