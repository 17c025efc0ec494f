//! The words of a command line.

use games::daihinmin::SessionRules;

use crate::league::settings::{Entrant, Rules, Settings, Start, fill_in};

/// What a program is told about the seat that it has.
#[derive(Clone, Debug)]
pub(super) struct Seat {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) games: u32,
    pub(super) seed: u64,
}

/// A command: a program of the project that lies beside this one, or any other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Words {
    /// Name of the program and its arguments.
    Ours(&'static str, Vec<String>),
    /// The program and its arguments.
    Theirs(Vec<String>),
}

impl Words {
    pub(super) fn of(settings: &Settings, entrant: &Entrant, seat: &Seat) -> Words {
        match &entrant.start {
            Start::House { engine, options } => house(settings, entrant, seat, engine, options),
            Start::Command(words) => Words::Theirs(filled(settings, entrant, seat, words)),
            Start::Gtp(words) => {
                let own = [
                    "gtp",
                    "--host",
                    &seat.host,
                    "--port",
                    &seat.port.to_string(),
                ];
                let mut all: Vec<String> = own.map(String::from).to_vec();
                // In one word, for a name may begin with a hyphen.
                all.push(format!("--name={}", entrant.name));
                if let Some(ms) = settings.clocks.move_ms {
                    all.push(format!("--move-ms={}", ms.max(1)));
                }
                all.push("--".to_owned());
                all.extend(filled(settings, entrant, seat, words));
                Words::Ours("engine-bridge", all)
            }
        }
    }
}

fn filled(settings: &Settings, entrant: &Entrant, seat: &Seat, words: &[String]) -> Vec<String> {
    let limit = settings.clocks.move_ms.or(settings.clocks.game_ms);
    let values = [
        ("host", seat.host.clone()),
        ("port", seat.port.to_string()),
        ("games", seat.games.to_string()),
        ("seed", seat.seed.to_string()),
        ("move-ms", limit.unwrap_or(0).to_string()),
        // The last, for it may have braces in it.
        ("name", entrant.name.clone()),
    ];
    words.iter().map(|word| fill_in(word, &values)).collect()
}

fn house(
    settings: &Settings,
    entrant: &Entrant,
    seat: &Seat,
    engine: &str,
    options: &[String],
) -> Words {
    let (program, mut all) = match settings.rules {
        Rules::Daihinmin(_) => ("daihinmin", Vec::new()),
        Rules::Geister(_) => ("geister", Vec::new()),
        Rules::Blokus(_) => ("blokus", Vec::new()),
        Rules::ScoreFour(_) => ("score-four", vec!["play".to_owned()]),
    };
    let mut add = |option: &str, value: String| {
        // What the file says goes before what the league would say.
        if has(options, option) {
            return;
        }
        if option == "--name" {
            // In one word, for a name may begin with a hyphen.
            all.push(format!("{option}={value}"));
        } else {
            all.extend([option.to_owned(), value]);
        }
    };
    add("--host", seat.host.clone());
    add("--port", seat.port.to_string());
    add("--engine", engine.to_owned());
    add("--seed", seat.seed.to_string());
    match &settings.rules {
        Rules::Daihinmin(rules) => {
            add("--name", entrant.name.clone());
            add("--games", seat.games.to_string());
            add(
                "--rank-reset",
                rank_reset(rules, settings.session).to_string(),
            );
            let off = switched_off(rules);
            if !off.is_empty() {
                add("--off", off);
            }
        }
        Rules::Geister(rules) => {
            add("--name", gat_name(&entrant.name));
            add("--games", seat.games.to_string());
            add("--ply-limit", rules.ply_limit.to_string());
            // The protocol tells no limits. With simulations the option would make the bot's moves depend on time.
            if let Some(ms) = settings.clocks.move_ms
                && !has(options, "--simulations")
            {
                add("--move-ms", ms.to_string());
            }
        }
        Rules::Blokus(_) | Rules::ScoreFour(_) => add("--name", entrant.name.clone()),
    }
    all.extend(options.iter().map(String::clone));
    Words::Ours(program, all)
}

/// Whether an option is among these, in any of its spellings.
fn has(options: &[String], option: &str) -> bool {
    let short = match option {
        "--port" => "-p",
        "--name" => "-n",
        "--engine" => "-e",
        _ => option,
    };
    options.iter().any(|word| {
        let rest = word.strip_prefix(option);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
            || (short != option && word.starts_with(short))
    })
}

/// Ranks last from one game to the next within a session only.
fn rank_reset(rules: &SessionRules, session: u32) -> u32 {
    match rules.rank_reset {
        0 => session,
        reset => reset.min(session),
    }
}

fn switched_off(rules: &SessionRules) -> String {
    let rules = [
        (rules.game.revolution, "revolution"),
        (rules.game.lock, "lock"),
        (rules.game.sequences, "sequences"),
        (rules.game.eight_cut, "eight-cut"),
    ];
    let off = rules.iter().filter(|(on, _)| !on).map(|(_, name)| *name);
    off.collect::<Vec<_>>().join(",")
}

/// Names in GAT have ASCII letters, digits and `_` only.
fn gat_name(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    name.chars().map(letter).take(64).collect()
}
