//! `taikyoku new-bot`: writes a bot to start from.

use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use games::GameName;
use program::{Failure, PrintableWriter};
use record::files::{in_shell, named};
use serde::Deserialize;

use super::check::game_parser;

/// Write a bot to start from
///
/// It plays at once, and you replace its function `choose` with your own. The folder gets the source, a README with the commands to play it at a table, to check it and to rate it in a league,
/// that league, and a test, which plays with the bot on a server.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  taikyoku new-bot score-four mybot
  taikyoku new-bot geister --lang rust mybot
  taikyoku new-bot daihinmin --lang c mybot && cd mybot && make test

Python and C need no package and nothing of the repository. A bot in Rust has the rules and the protocols of its crates.
examples/ has clients in Java and JavaScript as well.

Exit status: 0 the bot is written; 1 a file cannot be written; 2 there is no such bot, or the folder is not empty or not a folder.")]
pub struct NewBotArgs {
    /// The game
    #[arg(value_name = "GAME", value_parser = game_parser())]
    game: GameName,
    /// The folder of the bot, which is empty or not there yet
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The language
    #[arg(long, value_name = "LANGUAGE", default_value = "python")]
    lang: Language,
    /// With --lang rust: the folder of the repository, whose crates the bot needs [default: the one around this program]
    #[arg(long, value_name = "DIR")]
    repository: Option<PathBuf>,
}

/// Languages of bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Language {
    /// Python 3.10 or later
    Python,
    /// Rust, with cargo
    Rust,
    /// C99 with POSIX sockets, with make (Daihinmin)
    C,
}

/// A client of `examples/` or `protocol/examples/`: the name of its file without the ending, and its text.
struct Example(&'static str, &'static str);

impl Example {
    /// The client of the protocol that a game has at its contests.
    fn of(game: GameName, language: Language) -> Option<Example> {
        use Language::{C, Python, Rust};

        macro_rules! example {
            ($folder:literal, $name:literal, $ending:literal) => {
                Example(
                    $name,
                    include_str!(concat!("../../../", $folder, "/", $name, ".", $ending)),
                )
            };
        }
        Some(match (game, language) {
            (GameName::Daihinmin, Python) => example!("examples", "uecda_client", "py"),
            (GameName::Daihinmin, Rust) => example!("protocol/examples", "uecda_client", "rs"),
            (GameName::Daihinmin, C) => example!("examples", "uecda_client", "c"),
            (GameName::Geister, Python) => example!("examples", "gat_client", "py"),
            (GameName::Geister, Rust) => example!("protocol/examples", "gat_client", "rs"),
            (_, Python) => example!("examples", "native_client", "py"),
            (_, Rust) => example!("protocol/examples", "native_client", "rs"),
            (_, C) => return None,
        })
    }

    /// Its text, in which it has the name `bot`.
    fn text(&self) -> String {
        self.1.replace(self.0, "bot")
    }
}

/// What differs from game to game, from a file beside the templates.
#[derive(Deserialize)]
struct Table {
    title: String,
    protocol: String,
    port: u16,
    last: [String; 2],
    others: String,
    league: String,
}

impl Table {
    fn of(game: GameName) -> Table {
        macro_rules! table {
            ($name:literal) => {
                include_str!(concat!("../../templates/new_bot/", $name, ".toml"))
            };
        }
        let text = match game {
            GameName::Daihinmin => table!("daihinmin"),
            GameName::Geister => table!("geister"),
            GameName::Blokus => table!("blokus"),
            GameName::ScoreFour => table!("score-four"),
            GameName::Dobutsu => table!("dobutsu"),
        };
        toml::from_str(text).expect("a file of this program")
    }
}

struct Bot {
    game: GameName,
    table: Table,
    language: Language,
    example: Example,
    repository: PathBuf,
}

impl Bot {
    /// The file with the function `choose`.
    const fn source(&self) -> &'static str {
        match self.language {
            Language::Python => "bot.py",
            Language::Rust => "src/main.rs",
            Language::C => "bot.c",
        }
    }

    /// What makes the program, if anything does.
    const fn build(&self) -> &'static str {
        match self.language {
            Language::Python => "",
            Language::Rust => "cargo build --release\n",
            Language::C => "make\n",
        }
    }

    const fn made(&self) -> &'static str {
        match self.language {
            Language::Python => "__pycache__/",
            Language::Rust => "target/",
            Language::C => "/bot",
        }
    }

    const fn test(&self) -> &'static str {
        match self.language {
            Language::Python => "python3 -m unittest",
            Language::Rust => "cargo test",
            Language::C => "make test",
        }
    }

    /// The words that start the bot with a host, a port and its last argument.
    fn command(&self, host: &str, port: &str, last: &str) -> Vec<String> {
        let words = match self.language {
            Language::Python => format!("python3 bot.py {host} {port} {last}"),
            Language::Rust => format!("target/release/bot {host}:{port} {last}"),
            Language::C => format!("./bot {host} {port} {last}"),
        };
        words.split(' ').map(str::to_owned).collect()
    }

    /// The same with what a program that starts it fills in.
    fn template(&self) -> Vec<String> {
        self.command("{host}", "{port}", &self.table.last[1])
    }

    /// All files, by their paths in the folder.
    fn files(&self) -> Vec<(&'static str, String)> {
        macro_rules! template {
            ($name:literal) => {
                self.filled(include_str!(concat!(
                    "../../templates/new_bot/",
                    $name,
                    ".txt"
                )))
            };
        }
        let league = template!("league.toml") + &self.table.league;
        let mut files = vec![
            (self.source(), self.example.text()),
            ("README.md", template!("README.md")),
            ("league.toml", league),
            (".gitignore", format!("{}\nleague.league/\n", self.made())),
        ];
        match self.language {
            Language::Python => files.push(("test_bot.py", template!("test_bot.py"))),
            Language::Rust => files.extend([
                ("Cargo.toml", template!("Cargo.toml")),
                ("tests/plays.rs", template!("plays.rs")),
            ]),
            Language::C => files.push(("Makefile", template!("Makefile"))),
        }
        files
    }

    /// A template whose names in double angle brackets are filled in.
    fn filled(&self, template: &str) -> String {
        let Table { last, .. } = &self.table;
        let decides = match (self.game, self.language) {
            (GameName::Daihinmin, Language::Python | Language::C) => {
                "Its function `choose` decides every move, and `choose_gift` the gifts"
            }
            _ => "Its function `choose` decides every move",
        };
        let crate_at = |name: &str| {
            let path = self.repository.join(name).to_string_lossy().into_owned();
            toml::Value::String(path).to_string()
        };
        let port = self.table.port.to_string();
        let values = [
            ("game", self.game.to_string()),
            ("title", self.table.title.clone()),
            ("protocol", self.table.protocol.clone()),
            ("last", last[1].clone()),
            ("others", self.table.others.clone()),
            ("source", self.source().to_owned()),
            ("build", self.build().to_owned()),
            ("test", self.test().to_owned()),
            ("decides", decides.to_owned()),
            ("play", self.command("localhost", &port, &last[0]).join(" ")),
            ("template", self.template().join(" ")),
            ("words", quoted(&self.template())),
            ("games-crate", crate_at("games")),
            ("protocol-crate", crate_at("protocol")),
        ];
        let fill = |text: String, (name, value): &(&str, String)| {
            text.replace(&format!("<<{name}>>"), value)
        };
        values.iter().fold(template.to_owned(), fill)
    }
}

/// Words as a list of TOML has them.
fn quoted(words: &[String]) -> String {
    let words = words.iter().map(|word| format!("\"{word}\""));
    words.collect::<Vec<_>>().join(", ")
}

/// Writes a bot, and says on standard output how to go on.
///
/// # Errors
/// When there is no such bot, or it cannot be written. Files that are there are never changed.
pub fn run(args: &NewBotArgs) -> Result<(), Failure> {
    let (game, language) = (args.game, args.lang);
    let example = Example::of(game, language).ok_or_else(|| {
        let text = format!("there is no bot in C for {game}: --lang python or --lang rust");
        Failure::usage(text)
    })?;
    let is_rust = language == Language::Rust;
    if args.repository.is_some() && !is_rust {
        let text = "--repository is for --lang rust: bots in other languages need nothing of it";
        return Err(Failure::usage(text));
    }
    let bot = Bot {
        game,
        table: Table::of(game),
        language,
        example,
        repository: if is_rust {
            repository(args.repository.as_deref())?
        } else {
            PathBuf::new()
        },
    };
    let folder = &args.folder;
    let failed = |file: &Path| {
        let file = file.to_owned();
        move |e| named(&file, &e)
    };
    let mut files = bot.files();
    if is_rust {
        // The versions of dependencies that the crates are tested with.
        let lock = bot.repository.join("Cargo.lock");
        let text = fs::read_to_string(&lock).map_err(failed(&lock))?;
        files.push(("Cargo.lock", text));
    }
    if folder.exists() && !folder.is_dir() {
        return Err(Failure::usage(format_args!(
            "{} is not a folder: name one that is not there yet",
            folder.display()
        )));
    }
    fs::create_dir_all(folder).map_err(failed(folder))?;
    let mut present = fs::read_dir(folder).map_err(failed(folder))?;
    if present.next().is_some() {
        return Err(Failure::usage(format_args!(
            "{} is not empty: name a folder that is not there yet",
            folder.display()
        )));
    }
    for (name, text) in files {
        let file = folder.join(name);
        let parent = file.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(failed(parent))?;
        fs::write(&file, text).map_err(failed(&file))?;
    }
    // A name that begins with a dash is no option of cd.
    let dashed = folder.as_os_str().as_encoded_bytes().starts_with(b"-");
    let shown = if dashed {
        &Path::new(".").join(folder)
    } else {
        folder
    };
    // A closed pipe changes nothing: the bot is there.
    let _ = writeln!(
        PrintableWriter(io::stdout()),
        "{folder} has a bot for {}: write your own function `choose` in {}.
  cd {folder} && {}
Its README.md has the commands to play it at a table, to check it and to rate it in a league.",
        bot.table.title,
        bot.source(),
        bot.test(),
        folder = in_shell(shown),
    );
    Ok(())
}

/// The folder that is given, or the one around this program: with the folder of the build in it, each build would be another
/// program.
fn repository(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let is_repository = |folder: &&Path| {
        let has = |name: &str| folder.join(name).join("Cargo.toml").is_file();
        has("games") && has("protocol") && folder.join("Cargo.lock").is_file()
    };
    let program = env::current_exe().unwrap_or_default();
    let place = given.or(program.parent()).unwrap_or(Path::new("/"));
    let found = match given {
        Some(_) => Some(place).filter(is_repository),
        None => place.ancestors().find(is_repository),
    };
    let found = found.and_then(|folder| fs::canonicalize(folder).ok());
    found.ok_or_else(|| {
        Failure::usage(format_args!(
            "{} is not the repository of this program, whose crates a bot in Rust needs: give its folder with --repository",
            place.display()
        ))
    })
}
