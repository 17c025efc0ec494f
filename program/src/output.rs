//! Standard output, standard error and the log: what goes there is [`Printable`], wherever it comes from.

use std::fmt::{self, Display};
use std::io::{self, Write, stderr, stdout};
use std::process::{ExitCode, exit};

use env_logger::{Builder, Env, Logger};
use games::Printable;
use log::{Level, Log, Metadata, Record};

/// A place for text, such as standard output: all that is written there is printable.
#[derive(Debug)]
pub struct PrintableWriter<W>(pub W);

impl<W: Write> Write for PrintableWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write!(self, "{}", String::from_utf8_lossy(bytes))?;
        Ok(bytes.len())
    }

    fn write_fmt(&mut self, text: fmt::Arguments<'_>) -> io::Result<()> {
        write!(self.0, "{:#}", Printable(text))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Prints on standard error why a program ends, and returns its exit code. A closed standard error is no failure.
pub fn fail(program: &str, reason: &dyn Display, code: u8) -> ExitCode {
    let _ = writeln!(PrintableWriter(stderr()), "{program}: {reason}");
    ExitCode::from(code)
}

/// Writes to standard output. A reader that has gone (`program | head`) ends the program in peace.
///
/// # Panics
/// When standard output cannot be written to for another reason.
pub fn write_out(text: fmt::Arguments<'_>) {
    match PrintableWriter(stdout())
        .write_fmt(text)
        .and_then(|()| stdout().flush())
    {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => exit(0),
        written => written.expect("standard output takes what is printed"),
    }
}

/// Begins the log, on standard error, with warnings unless the environment asks for more or less. Other crates may log what
/// passes through them, such as tokens: nothing of theirs below `info` is logged.
///
/// # Panics
/// When there is one already.
pub fn start_log() {
    let logger = Builder::from_env(Env::default().default_filter_or("warn"))
        .format_target(false)
        .build();
    let most = logger.filter();
    log::set_boxed_logger(Box::new(Lines(logger))).expect("there is one log");
    log::set_max_level(most);
}

/// A log whose lines are printable.
struct Lines(Logger);

impl Log for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let is_own = metadata.target().starts_with("taikyoku");
        (is_own || metadata.level() <= Level::Info) && self.0.enabled(metadata)
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            log_to(&self.0, record);
        }
    }

    fn flush(&self) {
        self.0.flush();
    }
}

/// Hands a line on to a log, printable.
pub fn log_to(log: &dyn Log, record: &Record<'_>) {
    let text = Printable(record.args());
    let mut line = Record::builder();
    line.metadata(record.metadata().clone())
        .module_path(record.module_path())
        .file(record.file())
        .line(record.line());
    log.log(&line.args(format_args!("{text:#}")).build());
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn json_stays_the_same_value() {
        let value = json!({"a\u{202e}": "\u{1b}[2J\u{9b}\u{e0041}\n\"\\u"});
        let text = format!("{:#}", Printable(&value));
        assert!(text.chars().all(games::is_printable), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).ok(), Some(value));
    }

    #[test]
    fn an_output_is_printable() {
        let mut text = Vec::new();
        let out: &mut dyn Write = &mut PrintableWriter(&mut text);
        let escape = '\u{1b}';
        writeln!(out, "a{escape}").unwrap();
        out.write_all("将\u{202e}\n".as_bytes()).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "a\\u001b\n将\\u202e\n");
    }
}
