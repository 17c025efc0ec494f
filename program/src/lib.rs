//! What the programs have in common: how they read and describe their options, how they end, how they print.

#![forbid(unsafe_code)]

mod description;

use std::ffi::OsString;
use std::fmt::{self, Display};
use std::io::{self, Write as _, stderr, stdout};
use std::process::{ExitCode, exit};
use std::{env, iter};

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Parser};

pub use description::{Argument, Description, Values};

/// Exit code: something failed.
pub const FAILED: u8 = 1;
/// Exit code: the command line, a settings file or another file that it names is wrong. The parser of options uses it, too.
pub const USAGE: u8 = 2;
/// Exit code of clients: no connection, or no seat.
pub const NO_CONNECTION: u8 = 3;
/// Exit code of clients: the connection was lost, or the match ended early.
pub const CUT_SHORT: u8 = 4;
/// Exit code: interrupted, as shells have it.
pub const INTERRUPTED: u8 = 130;

/// A program that finds this variable set describes its options in place of doing anything: it prints a
/// [`Description`] as JSON.
pub const DESCRIBE: &str = "TAIKYOKU_DESCRIBE";

/// Reads the options of this program. The process ends here where they are wrong ([`USAGE`]), or where help, the version or
/// a description is asked for.
///
/// # Panics
/// When standard output cannot be written to.
pub fn options<O: Parser>() -> O {
    if env::var_os(DESCRIBE).is_some_and(|value| !value.is_empty()) {
        let description = Description::of(&O::command());
        let json = serde_json::to_string(&description).expect("strings are JSON");
        write_out(format_args!("{json}\n"));
        exit(0);
    }
    O::try_parse().unwrap_or_else(|mut error| {
        if error.kind() == ErrorKind::InvalidSubcommand {
            let names = names_of_commands(&O::command(), env::args_os());
            error.insert(
                ContextKind::Suggested,
                ContextValue::StyledStrs(vec![names]),
            );
        }
        error.exit()
    })
}

/// A sentence with the commands that can follow these words, up to the first word that is no command.
fn names_of_commands(program: &Command, words: impl Iterator<Item = OsString>) -> StyledStr {
    let mut command = program;
    for word in words.skip(1) {
        match command.find_subcommand(&word) {
            Some(below) => command = below,
            None => break,
        }
    }
    let shown = command.get_subcommands();
    let shown = shown.filter(|command| !command.is_hide_set());
    let names: Vec<&str> = shown.map(Command::get_name).collect();
    format!("the commands are {}", names.join(", ")).into()
}

/// Says on standard error why a program ends, and gives its exit code. Nobody need read standard error.
pub fn fail(program: &str, reason: &dyn Display, code: u8) -> ExitCode {
    let _ = writeln!(stderr(), "{program}: {reason}");
    ExitCode::from(code)
}

/// Writes to standard output. A reader that has gone (`program | head`) ends the program in peace.
///
/// # Panics
/// When standard output cannot be written to for another reason.
pub fn write_out(text: fmt::Arguments<'_>) {
    match stdout().write_fmt(text).and_then(|()| stdout().flush()) {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => exit(0),
        written => written.expect("standard output takes what is printed"),
    }
}

/// The commands of a description and those below them, each with the words that lead to it.
pub fn commands(description: &Description) -> Vec<(String, &Description)> {
    let here = iter::once((description.name.clone(), description));
    let below = description.commands.iter().flat_map(|command| {
        let below = commands(command).into_iter();
        below.map(|(path, command)| (format!("{} {path}", description.name), command))
    });
    here.chain(below).collect()
}
