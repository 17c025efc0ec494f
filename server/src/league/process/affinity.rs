//! Programs on processors of their own.

use std::io;

use tokio::process::{Child, Command};

/// Spawns a program that runs on these processors only. What a thread may run on goes over to the programs that it
/// starts: a thread is made for it, and ends with it.
///
/// # Errors
/// The outer one when the system does not let anything run there, the inner one of the start.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn spawn_on(cpus: &[usize], command: &mut Command) -> io::Result<io::Result<Child>> {
    use rustix::thread::{CpuSet, sched_setaffinity};

    let mut set = CpuSet::new();
    for &cpu in cpus {
        if cpu >= CpuSet::MAX_CPU {
            let text = format!("processors are 0 to {}", CpuSet::MAX_CPU - 1);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        set.set(cpu);
    }
    let runtime = tokio::runtime::Handle::current();
    std::thread::scope(|scope| {
        let spawned = scope.spawn(|| {
            let _within = runtime.enter();
            sched_setaffinity(None, &set)
                .map_err(|_| io::Error::other("this process may run on none of them"))?;
            Ok(command.spawn())
        });
        let panicked = |_| Err(io::Error::other("the thread that starts it has panicked"));
        spawned.join().unwrap_or_else(panicked)
    })
}

/// There is no way.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn spawn_on(_: &[usize], _: &mut Command) -> io::Result<io::Result<Child>> {
    let text = "this system cannot do it; leave `cpus` out";
    Err(io::Error::new(io::ErrorKind::Unsupported, text))
}
