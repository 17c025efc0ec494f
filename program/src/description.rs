//! The commands and options of a program as data: what `--help` prints, for completions, man pages and tests.

use std::iter;

use clap::builder::{PossibleValue, PossibleValuesParser, ValueHint};
use clap::{Arg, ArgAction, Command};
use serde::{Deserialize, Serialize};

/// A program, or one of its commands.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Description {
    /// Its name.
    pub name: String,
    /// Other names of a command.
    pub aliases: Vec<String>,
    /// The version of a program.
    pub version: Option<String>,
    /// What `-h` and the list of commands say of it.
    pub about: Option<String>,
    /// What `--help` says in place of that.
    pub long_about: Option<String>,
    /// Examples and all else below the options.
    pub after: Option<String>,
    /// Whether `-h` and `--help` are there without being named among the arguments.
    pub has_help: bool,
    /// Whether a command must be named.
    pub needs_command: bool,
    /// Whether a command takes the place of all options.
    pub command_alone: bool,
    /// Options and arguments, in their order.
    pub arguments: Vec<Argument>,
    /// The commands below it, in their order, without those that no help shows.
    pub commands: Vec<Description>,
}

/// An option or an argument.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Argument {
    /// By which it is known among the others of its command.
    pub id: String,
    /// As in `-n`.
    pub short: Option<char>,
    /// As in `--name`. An argument by its place has neither.
    pub long: Option<String>,
    /// Other long names.
    pub aliases: Vec<String>,
    /// The heading above it.
    pub heading: Option<String>,
    /// What `-h` says of it.
    pub help: Option<String>,
    /// What `--help` says in place of that.
    pub long_help: Option<String>,
    /// Its values; a flag has none.
    pub values: Option<Values>,
    /// Whether it must be given.
    pub required: bool,
    /// Whether no help shows it.
    pub hidden: bool,
    /// Whether it stands behind `--`.
    pub last: bool,
    /// Whether it is all the rest of the line.
    pub trailing: bool,
    /// Whether it asks for help.
    pub asks_help: bool,
    /// The variable that stands for it.
    pub variable: Option<String>,
}

/// The values of an option or argument.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Values {
    /// Their names, such as FILE.
    pub names: Vec<String>,
    /// How few and how many each time.
    pub count: (usize, usize),
    /// Whether it may be repeated.
    pub repeats: bool,
    /// The values that there are, each with its help, if these are all.
    pub possible: Vec<(String, Option<String>)>,
    /// What stands for it where it is not given, as far as help shows it.
    pub defaults: Vec<String>,
    /// What a shell completes it with, as [`ValueHint`] has it.
    pub hint: String,
}

impl Description {
    /// What a command says of itself.
    pub fn of(command: &Command) -> Self {
        let text = |text: Option<&clap::builder::StyledStr>| text.map(ToString::to_string);
        let commands = command.get_subcommands();
        Self {
            name: command.get_name().to_owned(),
            aliases: command.get_visible_aliases().map(str::to_owned).collect(),
            version: command.get_version().map(str::to_owned),
            about: text(command.get_about()),
            long_about: text(command.get_long_about()),
            after: text(command.get_after_long_help().or(command.get_after_help())),
            has_help: !command.is_disable_help_flag_set(),
            needs_command: command.is_subcommand_required_set(),
            command_alone: command.is_args_conflicts_with_subcommands_set(),
            arguments: command.get_arguments().map(Argument::of).collect(),
            commands: commands
                .filter(|command| !command.is_hide_set())
                .map(Self::of)
                .collect(),
        }
    }

    /// A command that prints the same help, takes the same options, and does nothing. Its texts are kept for as long as
    /// the program runs.
    pub fn command(&self) -> Command {
        let mut command = Command::new(kept(&self.name))
            .visible_aliases(self.aliases.iter().map(|alias| kept(alias)))
            .disable_help_flag(!self.has_help)
            .subcommand_required(self.needs_command)
            .args_conflicts_with_subcommands(self.command_alone)
            .args(self.arguments.iter().map(Argument::arg))
            .subcommands(self.commands.iter().map(Self::command));
        if let Some(version) = &self.version {
            command = command.version(kept(version));
        }
        if let Some(about) = &self.about {
            command = command.about(about.clone());
        }
        if let Some(about) = &self.long_about {
            command = command.long_about(about.clone());
        }
        if let Some(after) = &self.after {
            command = command.after_help(after.clone());
        }
        command
    }
}

impl Argument {
    fn of(arg: &Arg) -> Self {
        let text = |text: Option<&clap::builder::StyledStr>| text.map(ToString::to_string);
        let owned = |text: &str| text.to_owned();
        Self {
            id: arg.get_id().to_string(),
            short: arg.get_short(),
            long: arg.get_long().map(owned),
            aliases: arg.get_visible_aliases().map_or_else(Vec::new, |names| {
                names.into_iter().map(str::to_owned).collect()
            }),
            heading: arg.get_help_heading().map(owned),
            help: text(arg.get_help()),
            long_help: text(arg.get_long_help()),
            values: arg.get_action().takes_values().then(|| Values::of(arg)),
            required: arg.is_required_set(),
            hidden: arg.is_hide_set(),
            last: arg.is_last_set(),
            trailing: arg.is_trailing_var_arg_set(),
            asks_help: matches!(
                arg.get_action(),
                ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong
            ),
            variable: arg
                .get_env()
                .map(|name| name.to_string_lossy().into_owned()),
        }
    }

    fn arg(&self) -> Arg {
        let mut arg = Arg::new(kept(&self.id))
            .required(self.required)
            .hide(self.hidden)
            .last(self.last)
            .trailing_var_arg(self.trailing)
            .visible_aliases(self.aliases.iter().map(|alias| kept(alias)))
            .help_heading(self.heading.as_deref().map(kept));
        if let Some(short) = self.short {
            arg = arg.short(short);
        }
        if let Some(long) = &self.long {
            arg = arg.long(kept(long));
        }
        if let Some(help) = &self.help {
            arg = arg.help(help.clone());
        }
        if let Some(help) = &self.long_help {
            arg = arg.long_help(help.clone());
        }
        if let Some(variable) = &self.variable {
            // The value of the variable on this machine stays out of the description.
            arg = arg.env(kept(variable)).hide_env_values(true);
        }
        match &self.values {
            Some(values) => values.put(arg),
            None if self.asks_help => arg.action(ArgAction::Help),
            None => arg.action(ArgAction::SetTrue),
        }
    }

    /// How it is written: `--name`, `-n`, or the name of its value.
    pub fn spelling(&self) -> String {
        match (&self.long, self.short) {
            (Some(long), _) => format!("--{long}"),
            (None, Some(short)) => format!("-{short}"),
            (None, None) => format!("<{}>", self.id.to_uppercase()),
        }
    }
}

impl Values {
    fn of(arg: &Arg) -> Self {
        let names = arg.get_value_names().unwrap_or_default();
        let possible = arg.get_possible_values();
        let possible = possible.iter().filter(|value| !value.is_hide_set());
        let defaults = if arg.is_hide_default_value_set() {
            &[]
        } else {
            arg.get_default_values()
        };
        let count = arg.get_num_args().unwrap_or_default();
        Self {
            names: names.iter().map(ToString::to_string).collect(),
            count: (count.min_values(), count.max_values()),
            repeats: matches!(arg.get_action(), ArgAction::Append),
            possible: possible
                .map(|value| {
                    let help = value.get_help().map(ToString::to_string);
                    (value.get_name().to_owned(), help)
                })
                .collect(),
            defaults: defaults
                .iter()
                .map(|value| value.to_string_lossy().into_owned())
                .collect(),
            hint: format!("{:?}", arg.get_value_hint()),
        }
    }

    fn put(&self, arg: Arg) -> Arg {
        let action = if self.repeats {
            ArgAction::Append
        } else {
            ArgAction::Set
        };
        let mut arg = arg
            .action(action)
            .num_args(self.count.0..=self.count.1)
            .value_names(self.names.iter().map(|name| kept(name)))
            .default_values(self.defaults.iter().map(|value| kept(value)))
            .value_hint(self.hint.parse().unwrap_or(ValueHint::Unknown));
        if !self.possible.is_empty() {
            let possible = self.possible.iter().map(|(name, help)| {
                let value = PossibleValue::new(kept(name));
                match help {
                    Some(help) => value.help(help.clone()),
                    None => value,
                }
            });
            arg = arg.value_parser(PossibleValuesParser::new(possible));
        }
        arg
    }
}

/// A text for as long as the program runs, as commands have their names.
fn kept(text: &str) -> &'static str {
    text.to_owned().leak()
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

#[cfg(test)]
mod tests {
    use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};

    use super::*;

    /// Plays a game.
    ///
    /// It may be lost.
    #[derive(Parser)]
    #[command(
        name = "player",
        version = "1.2.3",
        after_help = "Examples:\n  player serve --port 1"
    )]
    struct Options {
        #[command(subcommand)]
        command: Task,
    }

    #[derive(Subcommand)]
    enum Task {
        /// Serve it.
        #[command(visible_alias = "host")]
        Serve(Serve),
        /// Nobody sees it.
        #[command(hide = true)]
        Secret,
    }

    #[derive(Args)]
    #[command(disable_help_flag = true)]
    struct Serve {
        /// Host.
        #[arg(short, long, env = "PLAYER_HOST", hide_env_values = true)]
        host: Option<String>,
        /// Port.
        #[arg(
            short,
            long,
            value_name = "PORT",
            default_value_t = 4444,
            help_heading = "Where",
            visible_alias = "door"
        )]
        port: u16,
        /// Engine.
        #[arg(long, default_value = "fast")]
        engine: Kind,
        /// Names.
        #[arg(long, value_name = "A,B", value_delimiter = ',', num_args = 2)]
        names: Vec<String>,
        /// Where records go.
        #[arg(long, value_name = "DIR")]
        record: Option<std::path::PathBuf>,
        /// Once.
        #[arg(long)]
        once: bool,
        /// Help.
        #[arg(short = '?', long, action = ArgAction::Help)]
        help: Option<bool>,
        /// The program.
        #[arg(last = true, required = true, value_name = "COMMAND")]
        program: Vec<String>,
    }

    #[derive(Clone, ValueEnum)]
    enum Kind {
        /// Quick
        Fast,
        /// Strong
        Slow,
    }

    #[test]
    fn a_command_of_a_description_prints_the_same_help() {
        let real = Options::command();
        let described = Description::of(&real);
        let text = serde_json::to_string(&described).unwrap();
        let read: Description = serde_json::from_str(&text).unwrap();
        let help = |mut command: Command| {
            let whole = command.render_long_help().to_string();
            let serve = command.find_subcommand_mut("serve").expect("a command");
            (whole, serve.render_long_help().to_string())
        };
        let (whole, serve) = help(real);
        assert_eq!(help(read.command()), (whole, serve.clone()));
        assert!(
            serve.contains("[default: 4444]") && serve.contains("PLAYER_HOST"),
            "{serve}"
        );
        let paths: Vec<String> = crate::commands(&read)
            .into_iter()
            .map(|(path, _)| path)
            .collect();
        assert_eq!(paths, ["player", "player serve"]);
        let serve = &read.commands[0];
        let record = serve
            .arguments
            .iter()
            .find(|argument| argument.id == "record");
        let record = record.expect("an option");
        assert_eq!(
            (record.spelling(), &*record.values.as_ref().unwrap().hint),
            ("--record".to_owned(), "AnyPath")
        );
        read.command().debug_assert();
    }
}
