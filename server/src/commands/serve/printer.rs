//! Standard output, written by a thread of its own: a server waits for nobody who reads it.

use std::io::Write;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread;

use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::config::limits::{MOST_UNREAD_RESULTS, PRINT_WAIT};

/// Prints texts in their order.
#[derive(Debug)]
pub(super) struct Printer {
    texts: SyncSender<String>,
    /// Ready when all are printed.
    done: oneshot::Receiver<()>,
    /// Texts that were left out, since too many waited.
    left_out: usize,
}

impl Printer {
    /// Prints to `out`.
    pub(super) fn new(mut out: impl Write + Send + 'static) -> Printer {
        let (texts, waiting) = sync_channel::<String>(MOST_UNREAD_RESULTS);
        let (printed, done) = oneshot::channel();
        // It is left behind when the process ends.
        thread::spawn(move || {
            for text in waiting {
                // An output that is closed: the records still say it all.
                let _ = writeln!(out, "{text}").and_then(|()| out.flush());
            }
            let _ = printed.send(());
        });
        Printer {
            texts,
            done,
            left_out: 0,
        }
    }

    /// Prints a text as soon as those before it are; never waits.
    pub(super) fn print(&mut self, text: String) {
        // The thread ends after the sender.
        if let Err(TrySendError::Full(_)) = self.texts.try_send(text) {
            if self.left_out == 0 {
                log::error!("standard output is not read: results are left out");
            }
            self.left_out += 1;
        }
    }

    /// Waits until all is printed, but not for long.
    pub(super) async fn close(self) {
        drop(self.texts);
        if timeout(PRINT_WAIT, self.done).await.is_err() {
            log::error!("standard output is not read: the last results are not printed");
        }
        if self.left_out > 0 {
            log::error!("{} results were left out", self.left_out);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use super::*;

    /// An output that takes what the test reads, if it reads.
    struct Output(Option<Arc<Mutex<Vec<u8>>>>);

    impl Write for Output {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let Some(text) = &self.0 else {
                loop {
                    thread::park();
                }
            };
            text.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn an_output_that_is_not_read_holds_nobody_up() {
        let mut printer = Printer::new(Output(None));
        for number in 0..MOST_UNREAD_RESULTS + 10 {
            printer.print(number.to_string());
        }
        // One may be on its way.
        assert!((9..=10).contains(&printer.left_out), "{}", printer.left_out);
        let began = tokio::time::Instant::now();
        printer.close().await;
        assert!(began.elapsed() < PRINT_WAIT * 5);
    }

    #[tokio::test]
    async fn all_is_printed_in_order_where_it_is_read() {
        let text = Arc::default();
        let mut printer = Printer::new(Output(Some(Arc::clone(&text))));
        for number in 0..3 {
            printer.print(number.to_string());
        }
        printer.close().await;
        assert_eq!(*text.lock().unwrap(), b"0\n1\n2\n");
    }
}
