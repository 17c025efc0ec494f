//! Processor time of this program.

use std::time::Duration;

/// Time that all threads of this process have spent on processors since its start.
#[cfg(unix)]
pub fn cpu_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};

    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Time since the first call: there is no safe way to the processor time here.
#[cfg(not(unix))]
pub fn cpu_time() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;

    static FIRST: OnceLock<Instant> = OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed()
}
