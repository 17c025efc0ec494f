//! The log of the program, on standard error.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, IsTerminal as _, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use env_logger::{Env, Logger, Target, WriteStyle};
use games::Printable;
use log::{LevelFilter, Log, Metadata, Record};

use super::printer::{flush, say};
use crate::config::limits::{CROWD_BURST, CROWD_EVERY, CROWD_SAID};
use crate::lobby::CLIENTS;

/// Begins the log, with this level unless the environment sets another. Nothing that is logged waits until standard error
/// is read.
///
/// # Panics
/// When there is one already.
pub fn start(level: &str) {
    let mut builder = env_logger::Builder::from_env(Env::default().default_filter_or(level));
    builder
        .format_target(false)
        .target(Target::Pipe(Box::new(Lines)));
    let is_set = |name| std::env::var_os(name).is_some();
    if io::stderr().is_terminal() && !is_set("NO_COLOR") && !is_set("RUST_LOG_STYLE") {
        builder.write_style(WriteStyle::Always);
    }
    let logger = builder.build();
    let most = logger.filter();
    begin(logger, most);
    std::panic::set_hook(Box::new(|panic| {
        let name = thread::current().name().unwrap_or("<unnamed>").to_owned();
        say(format!("thread {name:?} {:#}", Printable(panic)));
        let backtrace = Backtrace::capture();
        if backtrace.status() == BacktraceStatus::Captured {
            say(backtrace.to_string());
        }
        flush();
    }));
}

fn begin(logger: Logger, most: LevelFilter) {
    let log = Limited(Arc::new(SharedLog {
        logger,
        limit: Mutex::new(LineLimit::new(Instant::now())),
    }));
    log::set_boxed_logger(Box::new(log)).expect("there is one log");
    log::set_max_level(most);
}

/// Prints what is wrong before the end of the program.
pub fn fail(text: &str) {
    say(format!("taikyoku: {:#}", Printable(text)));
}

/// Waits until all that was logged is printed, but not for long.
pub fn end() {
    log::logger().flush();
    flush();
}

/// Lines of the log on their way to standard error.
struct Lines;

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        say(String::from_utf8_lossy(line)
            .trim_end_matches('\n')
            .to_owned());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A log that has so many lines about clients only.
struct Limited(Arc<SharedLog>);

struct SharedLog {
    logger: Logger,
    limit: Mutex<LineLimit>,
}

impl Log for Limited {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.0.logger.enabled(metadata)
    }

    fn log(&self, record: &Record<'_>) {
        if record.target() == CLIENTS && self.0.logger.matches(record) {
            let mut limit = self.0.limit();
            if !limit.takes(Instant::now()) {
                // One thread waits for the others.
                if limit.left_out == 1 {
                    let shared = Arc::clone(&self.0);
                    thread::spawn(move || {
                        thread::sleep(CROWD_SAID);
                        shared.say_left_out();
                    });
                }
                return;
            }
        }
        program::log_to(&self.0.logger, record);
    }

    fn flush(&self) {
        self.0.say_left_out();
    }
}

impl SharedLog {
    fn limit(&self) -> MutexGuard<'_, LineLimit> {
        // Each change is whole before anything can panic.
        self.limit.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say_left_out(&self) {
        let left_out = std::mem::take(&mut self.limit().left_out);
        if left_out > 0 {
            self.logger.log(
                &Record::builder()
                    .level(log::Level::Warn)
                    .target(CLIENTS)
                    .args(format_args!(
                        "{left_out} more lines about clients are left out"
                    ))
                    .build(),
            );
        }
    }
}

/// How many lines about clients there may be: strangers are not to fill the disk that has the log.
#[derive(Debug)]
struct LineLimit {
    /// When as many lines are free as may come at once.
    full: Instant,
    left_out: u64,
}

impl LineLimit {
    const fn new(now: Instant) -> LineLimit {
        LineLimit {
            full: now,
            left_out: 0,
        }
    }

    /// Whether a line is taken now; otherwise it is left out.
    fn takes(&mut self, now: Instant) -> bool {
        let full = self.full.max(now) + CROWD_EVERY;
        let takes = full - now <= CROWD_EVERY * CROWD_BURST;
        if takes {
            self.full = full;
        } else {
            self.left_out += 1;
        }
        takes
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_crowd_has_so_many_lines_at_once_and_then_few() {
        let began = Instant::now();
        let mut limit = LineLimit::new(began);
        let lines = |limit: &mut LineLimit, at: Duration, count: u32| {
            let taken = (0..count).filter(|_| limit.takes(began + at));
            taken.count() as u32
        };
        assert_eq!(lines(&mut limit, Duration::ZERO, 1000), CROWD_BURST);
        assert_eq!(limit.left_out, u64::from(1000 - CROWD_BURST));
        assert_eq!(lines(&mut limit, CROWD_EVERY * 3, 1000), 3);
        let later = CROWD_EVERY * (CROWD_BURST + 10);
        assert_eq!(lines(&mut limit, later, 1000), CROWD_BURST);
    }
}
