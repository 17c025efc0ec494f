//! Numbered pieces of work on several threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Failure;

#[derive(Debug, thiserror::Error)]
pub enum Broken {
    #[error("{unit} {number}: {error}")]
    Failed {
        unit: &'static str,
        number: u64,
        #[source]
        error: Failure,
    },
    #[error("{unit} {number} panicked: {message}")]
    Panicked {
        unit: &'static str,
        number: u64,
        message: String,
    },
}

impl Broken {
    /// What happened, without the number of the piece.
    pub fn reason(&self) -> String {
        match self {
            Broken::Failed { error, .. } => error.to_string(),
            Broken::Panicked { message, .. } => format!("panicked: {message}"),
        }
    }
}

/// Does `work(k)` for the k in 0..count, each of which is a `unit` in errors, on `threads` threads; returns the results in the order
/// of k. After the first failure no thread begins another piece.
///
/// # Errors
/// The failure with the smallest number of those that came up: an error, or a panic of a piece of work.
pub fn spread<T: Send>(
    unit: &'static str,
    count: u64,
    threads: usize,
    work: impl Fn(u64) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Broken> {
    let next = AtomicU64::new(0);
    let done = Mutex::new((Vec::new(), Vec::new()));
    let worker = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            let result = catch_unwind(AssertUnwindSafe(|| work(number)));
            let mut done = done.lock().expect("nothing panics while it holds the lock");
            let broken = match result {
                Ok(Ok(result)) => {
                    done.0.push((number, result));
                    continue;
                }
                Ok(Err(error)) => Broken::Failed {
                    unit,
                    number,
                    error,
                },
                Err(panic) => {
                    let text = panic.downcast_ref::<&str>().copied();
                    let text = text.or(panic.downcast_ref::<String>().map(String::as_str));
                    let message = text.unwrap_or("without a message").to_owned();
                    Broken::Panicked {
                        unit,
                        number,
                        message,
                    }
                }
            };
            done.1.push((number, broken));
            next.store(count, Ordering::Relaxed);
            return;
        }
    };
    let threads = threads.clamp(1, count.clamp(1, 4096) as usize);
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(worker);
        }
        worker();
    });
    let (mut done, broken) = done
        .into_inner()
        .expect("nothing panics while it holds the lock");
    if let Some((_, broken)) = broken.into_iter().min_by_key(|&(number, _)| number) {
        return Err(broken);
    }
    done.sort_unstable_by_key(|&(number, _)| number);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_whatever_the_threads() {
        for threads in [0, 1, 3, 100] {
            let squares = spread("game", 50, threads, |k| Ok(k * k)).expect("no failure");
            assert_eq!(squares, (0..50).map(|k| k * k).collect::<Vec<u64>>());
        }
        assert!(spread("game", 0, 2, Ok).expect("nothing to do").is_empty());
    }

    #[test]
    fn a_panic_is_an_error_that_names_the_piece() {
        for threads in [1, 4] {
            let broken = spread("game", 20, threads, |k| {
                assert!(k != 7, "seven of {k}");
                Ok(k)
            });
            let text = broken.expect_err("a panic").to_string();
            assert!(text.contains("game 7 panicked: seven of 7"), "{text}");
            let failed = spread("game", 20, threads, |k| {
                if k == 3 {
                    return Err("no engine".into());
                }
                Ok(k)
            });
            let text = failed.expect_err("an error").to_string();
            assert_eq!(text, "game 3: no engine");
        }
    }
}
