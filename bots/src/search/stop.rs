//! Ending searches from another thread.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

thread_local! {
    static STOP: RefCell<StopFlag> = RefCell::default();
}

/// Ends searches on other threads: a search that runs in [`StopFlag::guard`] returns the best move that it knows within some
/// milliseconds after another thread calls [`StopFlag::raise`]. Clones are one flag.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Ends the searches that the flag guards, now and until [`StopFlag::lower`].
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn lower(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Runs a search that the flag may end, whichever engine it is. Within another guard only the inner flag counts.
    pub fn guard<R>(&self, search: impl FnOnce() -> R) -> R {
        /// Puts the outer flag back, also after a panic.
        struct Outer(StopFlag);
        impl Drop for Outer {
            fn drop(&mut self) {
                STOP.set(std::mem::take(&mut self.0));
            }
        }
        let _outer = Outer(STOP.replace(self.clone()));
        search()
    }

    /// The flag of this thread; nothing raises it outside of a guard.
    pub(super) fn of_thread() -> Self {
        STOP.with_borrow(Self::clone)
    }
}

/// Whether the search on this thread is to end: its time is over, or its flag is raised.
#[inline]
pub(crate) fn is_over(deadline: Option<Instant>) -> bool {
    is_stopped() || deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

#[inline]
pub(crate) fn is_stopped() -> bool {
    STOP.with_borrow(StopFlag::is_raised)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::fan_out;

    #[test]
    fn a_flag_counts_within_its_guard_and_on_the_threads_that_start_there() {
        let (flag, inner) = (StopFlag::default(), StopFlag::default());
        flag.raise();
        assert!(!is_stopped());
        flag.guard(|| {
            assert!(is_stopped() && is_over(None));
            assert_eq!(fan_out(&mut [(); 3], |_, ()| is_stopped()), [true; 3]);
            inner.guard(|| assert!(!is_stopped()));
            let panic = std::panic::catch_unwind(|| inner.guard(|| panic!("a search fails")));
            assert!(panic.is_err() && is_stopped());
            flag.lower();
            assert!(!is_stopped() && is_over(Some(Instant::now())));
        });
        flag.raise();
        assert!(!is_stopped());
    }
}
