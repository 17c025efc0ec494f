//! Reading the options of a program.

use std::env;
use std::ffi::OsString;
use std::process::exit;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Parser};

use crate::{Description, write_out};

/// A program that finds this variable set describes its options in place of doing anything: it prints a
/// [`Description`] as JSON.
pub const DESCRIBE: &str = "TAIKYOKU_DESCRIBE";

/// Reads the options of this program. The process ends here where they are wrong ([`crate::USAGE`]), or where help, the version or
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
        let program = O::command();
        let command = command_of(&program, env::args_os());
        match (error.kind(), error.get(ContextKind::InvalidArg)) {
            (ErrorKind::InvalidSubcommand, _) => suggest(&mut error, names_of_commands(command)),
            // What was meant for a command is taken for a value of the one above it.
            (ErrorKind::ArgumentConflict, _)
                if error.get(ContextKind::InvalidSubcommand).is_some() =>
            {
                suggest(&mut error, names_of_commands(command));
            }
            (ErrorKind::UnknownArgument, Some(ContextValue::String(option))) => {
                let option = option.clone();
                misplaced(&mut error, &option, command, &program);
            }
            _ => {}
        }
        error.exit()
    })
}

/// Most commands that a tip names.
const MOST_NAMED: usize = 4;

/// Says of an option that a command does not have where it belongs.
fn misplaced(error: &mut clap::Error, option: &str, command: &Command, program: &Command) {
    let all = match option.strip_prefix("--") {
        Some(name) => owners_of(name, program.get_name(), program),
        None => Vec::new(),
    };
    // A command that is named on the line is meant.
    let is_named = |path: &String| {
        let mut names = path.split(' ').skip(1);
        names.all(|name| env::args_os().any(|word| word == name))
    };
    let meant: Vec<String> = all.iter().filter(|path| is_named(path)).cloned().collect();
    let owners = if meant.is_empty() { all } else { meant };
    let is_above = command.has_subcommands();
    let takes_all = |arg: &Arg| arg.is_last_set() || arg.is_trailing_var_arg_set();
    if (1..=MOST_NAMED).contains(&owners.len()) {
        let owners = owners.join("`, `");
        let tip = format!("`{option}` is an option of `{owners}`");
        suggest(error, tip.into());
    } else if !owners.is_empty() && is_above {
        let tip =
            format!("`{option}` is an option of several commands: write it behind the command");
        suggest(error, tip.into());
    } else if !command.get_arguments().any(takes_all)
        && let Some(ContextValue::StyledStrs(tips)) = error.remove(ContextKind::Suggested)
    {
        // Only commands that start another program take what looks like an option as a value.
        let is_apt = |tip: &StyledStr| !tip.to_string().starts_with("to pass '");
        let tips: Vec<StyledStr> = tips.into_iter().filter(is_apt).collect();
        if !tips.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
}

fn suggest(error: &mut clap::Error, tip: StyledStr) {
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
}

/// The command that these words lead to, up to the first word that is no command.
fn command_of(program: &Command, words: impl Iterator<Item = OsString>) -> &Command {
    let mut command = program;
    for word in words.skip(1) {
        match command.find_subcommand(&word) {
            Some(below) => command = below,
            None => break,
        }
    }
    command
}

fn names_of_commands(command: &Command) -> StyledStr {
    let shown = command.get_subcommands();
    let shown = shown.filter(|command| !command.is_hide_set());
    let names: Vec<&str> = shown.map(Command::get_name).collect();
    format!("the commands are {}", names.join(", ")).into()
}

/// The paths of the commands below one that have an option of this long name.
fn owners_of(option: &str, path: &str, command: &Command) -> Vec<String> {
    let shown = command.get_subcommands();
    let shown = shown.filter(|command| !command.is_hide_set());
    let mut owners = Vec::new();
    for below in shown {
        let path = format!("{path} {}", below.get_name());
        let has = |arg: &Arg| {
            let aliases = arg.get_visible_aliases().unwrap_or_default();
            !arg.is_hide_set() && (arg.get_long() == Some(option) || aliases.contains(&option))
        };
        if below.get_arguments().any(has) {
            owners.push(path.clone());
        }
        owners.extend(owners_of(option, &path, below));
    }
    owners
}
