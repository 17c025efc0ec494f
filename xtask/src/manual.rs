//! Man pages and completions of the programs, from what they say of their options.

use std::io;
use std::path::Path;
use std::process::Command;

use clap_complete::{Generator as _, Shell, generate};
use clap_mangen::Man;
use program::Description;

use crate::Failure;
use crate::archive::Archive;

/// The program of the page, whose commands users reach by `taikyoku`.
const PAGE: &str = "taikyoku-web";

/// Asks a program to describe its options.
pub(crate) fn ask(program: &Path) -> Result<Description, Failure> {
    let asked = Command::new(program).env(program::DESCRIBE, "1").output()?;
    if !asked.status.success() {
        return Err(format!("{}: {}", program.display(), asked.status).into());
    }
    Ok(serde_json::from_slice(&asked.stdout)?)
}

/// The programs that users start, where `taikyoku` has the commands and options of those that it passes arguments on to:
/// `web` and `play` of the page, below `bot` the clients, and `lab`.
pub(crate) fn joined(mut programs: Vec<Description>) -> Vec<Description> {
    let all = programs.clone();
    let named = |name: &str| all.iter().find(|program| program.name == name);
    programs.retain(|program| program.name != PAGE);
    let Some(main) = programs
        .iter_mut()
        .find(|program| program.name == "taikyoku")
    else {
        return programs;
    };
    for command in &mut main.commands {
        let page = named(PAGE).and_then(|page| below(page, &command.name));
        if let Some(page) = page {
            *command = page.clone();
        }
        if command.name == "lab"
            && let Some(lab) = named("taikyoku-lab")
        {
            let name = std::mem::take(&mut command.name);
            *command = Description {
                name,
                ..lab.clone()
            };
        }
        if command.name == "bot" {
            for game in &mut command.commands {
                let Some(client) = named(&game.name) else {
                    continue;
                };
                // `taikyoku bot` plays: of a client with commands it takes that one.
                let client = below(client, "play").unwrap_or(client);
                game.arguments.clone_from(&client.arguments);
                game.has_help = client.has_help;
            }
        }
    }
    programs
}

fn below<'a>(program: &'a Description, name: &str) -> Option<&'a Description> {
    program.commands.iter().find(|command| command.name == name)
}

/// Adds the man pages of a program and of all its commands, and its completions for the usual shells.
pub(crate) fn add(program: &Description, archive: &mut Archive) -> io::Result<()> {
    let mut command = program.command().disable_help_subcommand(true);
    for (shell, folder) in [
        (Shell::Bash, "bash-completion/completions"),
        (Shell::Fish, "fish/vendor_completions.d"),
        (Shell::Zsh, "zsh/site-functions"),
    ] {
        let file = match shell {
            // Bash looks for the bare name.
            Shell::Bash => program.name.clone(),
            shell => shell.file_name(&program.name),
        };
        let mut text = Vec::new();
        generate(shell, &mut command, program.name.clone(), &mut text);
        archive.add(format!("share/{folder}/{file}"), text);
    }
    command.build();
    add_pages(command, archive)
}

fn add_pages(command: clap::Command, archive: &mut Archive) -> io::Result<()> {
    for below in command.get_subcommands() {
        add_pages(below.clone(), archive)?;
    }
    let page = Man::new(command);
    let mut text = Vec::new();
    page.render(&mut text)?;
    archive.add(format!("share/man/man1/{}", page.get_filename()), text);
    Ok(())
}
