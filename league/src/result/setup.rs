//! What was played with: the settings of the league, its entrants, and what their programs call themselves.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::number;
use super::{Records, Report, Results};
use crate::settings::{Clocks, ProcessLife, Settings, Start};
use record::RecordReader;

pub(super) fn facts(report: &Report, settings: &Settings) -> Vec<(&'static str, String)> {
    let deals = number::counted(u64::from(settings.deals), "deal");
    let mut facts = vec![
        ("game", report.game.to_owned()),
        ("rules", rules(settings)),
        ("pairing", format!("{}, {deals} each", report.format)),
        ("clocks", clocks(&settings.clocks) + &odds(report)),
    ];
    match settings.random_plies {
        0 => {}
        1 => facts.push(("openings", "1 random ply".to_owned())),
        plies => facts.push(("openings", format!("{plies} random plies"))),
    }
    if let Some(points) = settings.points {
        let [win, draw, loss] = points.map(number::points);
        facts.push(("points", format!("win {win}, draw {draw}, loss {loss}")));
    }
    let life = match settings.process {
        ProcessLife::Fixture => "new ones for each fixture".to_owned(),
        ProcessLife::Deals(deals) => {
            let deals = number::counted(u64::from(deals), "deal");
            format!("the same for {deals} of a matchup")
        }
    };
    facts.push(("programs", life));
    let seed = report.seed.map(|seed| seed.to_string());
    facts.push((
        "seed",
        seed.unwrap_or_else(|| "told when the league is over".to_owned()),
    ));
    for by in &report.played_by {
        let machine = by.machine.iter().map(|machine| format!(", {machine}"));
        let since = number::date(&by.since);
        facts.push((
            "played by",
            format!(
                "{}{} (from {since})",
                by.program,
                machine.collect::<String>()
            ),
        ));
    }
    for work in &report.machines {
        let fixtures = number::counted(work.fixtures, "fixture");
        let hosts = work.hosts.iter();
        let hosts = hosts.map(|host| format!("; {}, {}", host.program, host.machine));
        facts.push((
            "played on",
            format!(
                "{}: {fixtures}, {} at its tables{}",
                work.name,
                number::time(work.ms as f64),
                hosts.collect::<String>()
            ),
        ));
    }
    facts
}

/// The rules as the settings file names them, but those that are off.
fn rules(settings: &Settings) -> String {
    let all = serde_json::to_value(&settings.rules).expect("rules are plain data");
    let mut words = Vec::new();
    let game = all.as_object().and_then(|all| all.values().next());
    flatten(game.unwrap_or(&Value::Null), &mut words);
    if words.is_empty() {
        "those of the game".to_owned()
    } else {
        words.join(", ")
    }
}

fn flatten(value: &Value, words: &mut Vec<String>) {
    for (key, value) in value.as_object().into_iter().flatten() {
        let key = key.replace(['_', '-'], " ");
        match value {
            Value::Object(_) => flatten(value, words),
            Value::Bool(true) => words.push(key),
            Value::Bool(false) | Value::Null => {}
            Value::String(text) => words.push(format!("{key} {text}")),
            other => words.push(format!("{key} {other}")),
        }
    }
}

/// The time limits of each entrant with limits of its own.
pub(super) fn odds(report: &Report) -> String {
    let own = report.entrants.iter();
    let own = own.filter_map(|line| Some(format!("; {}: {}", line.name, line.clocks.as_ref()?)));
    own.collect()
}

pub(super) fn clocks(clocks: &Clocks) -> String {
    let time = |ms: u64| number::time(ms as f64);
    let of_game = clocks.game_ms.map(|ms| format!("{} a game", time(ms)));
    let increment = clocks.increment_ms.filter(|ms| *ms > 0);
    let increment = increment.map(|ms| format!("{} more for each move", time(ms)));
    let of_move = clocks.move_ms.map(|ms| match clocks.game_ms {
        Some(_) => format!("then {} a move", time(ms)),
        None => format!("{} a move", time(ms)),
    });
    let all: Vec<String> = [of_game, increment, of_move]
        .into_iter()
        .flatten()
        .collect();
    if all.is_empty() {
        "no limit".to_owned()
    } else {
        all.join(", ")
    }
}

/// The engine of an entrant with its options, or its command without the folder of its program.
pub(super) fn start(start: &Start) -> String {
    let command = |words: &[String]| {
        let (program, rest) = words
            .split_first()
            .map_or(("", words), |(p, rest)| (&p[..], rest));
        let program = program.rsplit(['/', '\\']).next().unwrap_or(program);
        let words = std::iter::once(program).chain(veiled(rest));
        words.collect::<Vec<_>>().join(" ")
    };
    match start {
        Start::House { engine, options } => {
            let words = std::iter::once(&engine[..]).chain(veiled(options));
            words.collect::<Vec<_>>().join(" ")
        }
        Start::Command(words) => command(words),
        Start::Gtp(words) => format!("GTP: {}", command(words)),
        Start::Usi {
            command: words,
            options,
        } if options.is_empty() => {
            format!("USI: {}", command(words))
        }
        Start::Usi {
            command: words,
            options,
        } => {
            let options: Vec<&str> = veiled(options).collect();
            format!("USI: {} ({})", command(words), options.join(", "))
        }
        Start::Remote => "a program on a machine of its own".to_owned(),
    }
}

/// What the name of an option with a secret may have in it.
const SECRETS: [&str; 6] = ["token", "pass", "secret", "key", "auth", "credential"];

/// Words of a command without secrets: what comes after an option that says so.
fn veiled(words: &[String]) -> impl Iterator<Item = &str> {
    let is_secret = |name: &str| {
        let name = name.to_ascii_lowercase();
        SECRETS.iter().any(|secret| name.contains(secret))
    };
    let mut is_next = false;
    words.iter().map(move |word| {
        let set = word.split_once('=').map(|(name, _)| name);
        let veils = is_next || set.is_some_and(is_secret);
        is_next = word.starts_with('-') && set.is_none() && is_secret(word);
        if veils { "…" } else { &word[..] }
    })
}

/// By name of an entrant what its programs called themselves, as the headers of records say.
pub(super) fn clients(results: &Results, records: &Records) -> BTreeMap<String, BTreeSet<String>> {
    let mut clients: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in &results.records {
        // A record that is lost says nothing.
        let Ok(reader) = RecordReader::open(&records.folder.join(file)) else {
            continue;
        };
        for player in &reader.header().players {
            if let Some(client) = &player.client {
                let own = clients.entry(player.name.clone()).or_default();
                own.insert(client.clone());
            }
        }
    }
    clients
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_without_folders_and_secrets() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for (given, due) in [
            (
                "/home/ana/bin/client -p {port} --level 3",
                "client -p {port} --level 3",
            ),
            ("client --token abc -v", "client --token … -v"),
            ("client --auth-token=abc -v", "client … -v"),
            (
                "client --api-key abc monkey 3",
                "client --api-key … monkey 3",
            ),
        ] {
            assert_eq!(start(&Start::Command(words(given))), due);
        }
        let engine = Start::Usi {
            command: words("/opt/engine"),
            options: words("Threads=1 Password=x"),
        };
        assert_eq!(start(&engine), "USI: engine (Threads=1, …)");
        let house = Start::House {
            engine: "mc".to_owned(),
            options: words("--playouts 30"),
        };
        assert_eq!(start(&house), "mc --playouts 30");
    }

    #[test]
    fn clocks_read_well() {
        let of = |game_ms, increment_ms, move_ms| {
            clocks(&Clocks {
                start_ms: 1,
                move_ms,
                game_ms,
                increment_ms,
                wait_ms: None,
            })
        };
        assert_eq!(of(None, None, None), "no limit");
        assert_eq!(of(None, None, Some(10_000)), "10.00 s a move");
        assert_eq!(
            of(Some(600_000), Some(2000), Some(500)),
            "600 s a game, 2.00 s more for each move, then 500 ms a move"
        );
    }
}
