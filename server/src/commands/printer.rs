//! Outputs that are written by threads of their own: nobody waits until they are read.

use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use crate::config::limits::{MOST_UNREAD_LINES, MOST_UNREAD_RESULTS, PRINT_WAIT};

#[derive(Clone, Debug)]
pub struct Printer {
    texts: SyncSender<Text>,
    /// Texts that were left out, since too many waited.
    left_out: Arc<AtomicUsize>,
}

enum Text {
    Line(String),
    /// It is told when all before it is printed.
    Mark(Sender<()>),
}

impl Printer {
    /// Prints results to `out`, each with the end of a line.
    pub(super) fn results(out: impl Write + Send + 'static) -> Printer {
        Printer::new(out, MOST_UNREAD_RESULTS, |_| None)
    }

    /// Prints events to `out`, each a line of JSON, and how many were left out, as soon as it is read again.
    pub fn events(out: impl Write + Send + 'static) -> Printer {
        Printer::new(out, MOST_UNREAD_LINES, |left_out| {
            let at = jiff::Timestamp::now();
            Some(format!(
                "{{\"at\":\"{at}\",\"event\":\"left-out\",\"lines\":{left_out}}}"
            ))
        })
    }

    /// Prints lines of a log to `out`, and how many were left out, as soon as it is read again.
    fn log(out: impl Write + Send + 'static) -> Printer {
        Printer::new(out, MOST_UNREAD_LINES, |left_out| {
            Some(format!(
                "{left_out} lines are left out here: nobody read them"
            ))
        })
    }

    fn new(
        mut out: impl Write + Send + 'static,
        most: usize,
        says: impl Fn(usize) -> Option<String> + Send + 'static,
    ) -> Printer {
        let (texts, waiting): (_, Receiver<Text>) = sync_channel(most);
        let left_out = Arc::new(AtomicUsize::new(0));
        let missing = Arc::clone(&left_out);
        // It is left behind when the process ends.
        thread::spawn(move || {
            let mut said = 0;
            for text in waiting {
                let missing = missing.load(Ordering::Relaxed);
                let gap = (missing > said).then(|| says(missing - said)).flatten();
                said = missing;
                // An output that is closed: the records still say it all.
                let mut write = |line: String| {
                    // With one write: a kill leaves a line whole, or out.
                    out.write_all((line + "\n").as_bytes())?;
                    out.flush()
                };
                let _ = gap.map(&mut write);
                match text {
                    Text::Line(line) => {
                        let _ = write(line);
                    }
                    Text::Mark(mark) => {
                        // Nobody may wait any more.
                        let _ = mark.send(());
                    }
                }
            }
        });
        Printer { texts, left_out }
    }

    /// Prints a text after all earlier texts; never waits.
    ///
    /// # Errors
    /// The number of texts that were left out, with this one if it is among them.
    pub fn print(&self, text: String) -> Result<(), usize> {
        match self.texts.try_send(Text::Line(text)) {
            // The thread ends after the sender.
            Ok(()) | Err(TrySendError::Disconnected(_)) => Ok(()),
            Err(TrySendError::Full(_)) => Err(self.left_out.fetch_add(1, Ordering::Relaxed) + 1),
        }
    }

    pub(super) fn left_out(&self) -> usize {
        self.left_out.load(Ordering::Relaxed)
    }

    /// Does the same as [`Printer::flush`], for a task.
    pub(super) async fn printed(&self) -> bool {
        let printer = self.clone();
        let flushed = tokio::task::spawn_blocking(move || printer.flush()).await;
        flushed.expect("it does not panic")
    }

    /// Waits until all is printed, for at most `PRINT_WAIT`; gives whether all is printed.
    pub fn flush(&self) -> bool {
        let until = Instant::now() + PRINT_WAIT;
        let (mark, printed) = channel();
        let mut text = Text::Mark(mark);
        while let Err(TrySendError::Full(back)) = self.texts.try_send(text) {
            if Instant::now() >= until {
                return false;
            }
            thread::sleep(Duration::from_millis(1));
            text = back;
        }
        let left = until.saturating_duration_since(Instant::now());
        printed.recv_timeout(left).is_ok()
    }
}

static STDERR: LazyLock<Printer> = LazyLock::new(|| Printer::log(io::stderr()));

/// Prints a line to standard error, as soon as it is read; never waits.
pub(super) fn say(line: String) {
    // The gap is told when it is read again.
    let _ = STDERR.print(line);
}

/// Waits until standard error has all lines, but not for long.
pub(super) fn flush() {
    let _ = STDERR.flush();
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

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
        let printer = Printer::results(Output(None));
        let printed: Vec<Result<(), usize>> = (0..MOST_UNREAD_RESULTS + 10)
            .map(|number| printer.print(number.to_string()))
            .collect();
        // One may be on its way.
        assert!((9..=10).contains(&printer.left_out()));
        assert_eq!(printed.last(), Some(&Err(printer.left_out())));
        let began = Instant::now();
        assert!(!printer.printed().await);
        printer.flush();
        assert!(began.elapsed() < PRINT_WAIT * 5);
    }

    #[tokio::test]
    async fn all_is_printed_in_order_where_it_is_read() {
        let text = Arc::default();
        let printer = Printer::results(Output(Some(Arc::clone(&text))));
        for number in 0..3 {
            printer.print(number.to_string()).unwrap();
        }
        assert!(printer.printed().await);
        assert_eq!(*text.lock().unwrap(), b"0\n1\n2\n");
    }

    #[tokio::test]
    async fn a_log_that_is_read_late_says_how_much_it_lacks() {
        let text = Arc::default();
        let output = Output(Some(Arc::clone(&text)));
        let printer = {
            // It is read from the end of this on.
            let _unread = text.lock().unwrap();
            let printer = Printer::log(output);
            for number in 0..MOST_UNREAD_LINES + 10 {
                let _ = printer.print(number.to_string());
            }
            printer
        };
        let left_out = printer.left_out();
        assert!((9..=10).contains(&left_out));
        while !printer.printed().await {}
        let text = String::from_utf8(text.lock().unwrap().clone()).unwrap();
        let said = format!("{left_out} lines are left out here: nobody read them");
        let gaps: Vec<&str> = text
            .lines()
            .filter(|line| line.contains("left out"))
            .collect();
        assert_eq!(gaps, [said]);
        assert_eq!(text.lines().count(), MOST_UNREAD_LINES + 11 - left_out);
    }
}
