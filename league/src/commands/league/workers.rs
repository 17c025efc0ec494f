//! `taikyoku league --workers`: starts, reads and ends the program that carries work to workers.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use games::GameName;
use program::Failure;
use program::work::Transport;

use crate::journal::{Host, JournalFile};
use crate::process;
use crate::remote::Say;
use crate::result::Results;
use crate::runner::{self, LeagueEvent, Outcome};
use crate::settings::{Entrant, Settings, Start};
use crate::table_session::SessionOptions;
use crate::workers::Workers;

/// Whether workers can play the league.
///
/// # Errors
/// When the league needs a feature that workers do not have.
pub(super) fn check(settings: &Settings) -> Result<(), Failure> {
    let mut entrants = settings.entrants.iter();
    if let Some(entrant) = entrants.find(|entrant| entrant.comes_itself()) {
        return Err(Failure::usage(format_args!(
            "{} comes from a machine of its own, and its games are played here: leave --workers out",
            entrant.name
        )));
    }
    let mut entrants = settings.entrants.iter();
    if let Some(entrant) = entrants.find(|entrant| !entrant.cpus.is_empty()) {
        return Err(Failure::usage(format_args!(
            "{} has `cpus`, which are processors of one machine, and would share them with other tables of a worker's machine: \
             leave `cpus` out, or --workers",
            entrant.name
        )));
    }
    Ok(())
}

/// The warning for a league whose results depend on the machines of its workers.
pub(super) fn warning(settings: &Settings) -> Option<String> {
    let timed = settings.entrants.iter();
    let timed = timed.filter(|entrant| is_timed(entrant, settings));
    let timed: Vec<&str> = timed.map(|entrant| &entrant.name[..]).collect();
    (!timed.is_empty()).then(|| {
        format!(
            "limits of time are worth less on a slow or busy machine, and these entrants play by them, as far as their \
             options tell: {}. With budgets in playouts the results do not depend on the machines of the workers",
            timed.join(", ")
        )
    })
}

/// Whether the moves of an entrant depend on the speed of its machine, as far as its options tell.
fn is_timed(entrant: &Entrant, settings: &Settings) -> bool {
    let (engine, options) = match &entrant.start {
        Start::House { engine, options } => (&engine[..], options),
        Start::Command(words) => return words.iter().any(|word| word.contains("{move-ms}")),
        Start::Gtp(_) => return settings.clocks_of(entrant).move_ms.is_some(),
        Start::Usi { .. } => return true,
        Start::Remote => return false,
    };
    let has = |names: &[&str]| {
        let words = options.iter().map(|word| word.split('=').next());
        words.flatten().any(|word| names.contains(&word))
    };
    let searches = match settings.rules.game() {
        GameName::Daihinmin => !matches!(engine, "random" | "default" | "policy"),
        GameName::Geister => engine == "best",
        GameName::Blokus => !matches!(engine, "random" | "greedy"),
        GameName::ScoreFour => engine != "random",
        GameName::Dobutsu => !matches!(engine, "random" | "perfect"),
    };
    if !searches {
        return false;
    }
    if has(&["--move-ms", "--game-ms", "--after-ms"]) {
        return true;
    }
    // Whether these have a limit of time where no budget is set.
    let is_timed = match settings.rules.game() {
        GameName::Daihinmin => false,
        GameName::ScoreFour => engine == "best",
        _ => true,
    };
    is_timed && !engine.starts_with("level-") && !has(&["--playouts", "--simulations", "--nodes"])
}

/// The programs of the project that play a league on this machine, by name, with their versions.
pub(super) fn programs(settings: &Settings) -> BTreeMap<String, String> {
    let nowhere = SocketAddr::from(([127, 0, 0, 1], 1));
    let mut programs = BTreeMap::from([("taikyoku".to_owned(), Host::here().program)]);
    for number in 0..settings.entrants.len() {
        // An entrant that cannot be started is an error later, when it is to play.
        if let Ok(launch) = process::Launch::of(settings, number, nowhere, 1, 0)
            && let Some(name) = launch.house()
            && !programs.contains_key(name)
            && let Some(version) = launch.version()
        {
            programs.insert(name.to_owned(), version);
        }
    }
    programs
}

/// Plays by workers the fixtures that the journal lacks. Records go to the folder `records`.
///
/// # Errors
/// When the carrier does not start or ends before the league does, or the journal cannot be written.
pub(super) async fn play(
    command: &str,
    length: Duration,
    settings: &Settings,
    records: Option<&Path>,
    (results, written, options): (Results, &mut JournalFile, &SessionOptions),
    say: Say,
    on_news: &mut (dyn FnMut(LeagueEvent) + Send),
) -> Result<Outcome, Failure> {
    let passed_on = Arc::clone(&say);
    let carrier = Transport::start(command, move |line| passed_on(line));
    let (carrier, pipes) = carrier.map_err(Failure::usage)?;
    let mut workers = Workers::new(settings.clone(), length, options.finish.clone(), say);
    workers.programs = programs(settings);
    let workers = Arc::new(workers);
    let carrying = Arc::clone(&workers);
    let carrying = tokio::spawn(async move { carrying.carry(pipes).await });
    let play = Arc::clone(&workers);
    let outcome = runner::run(settings, results, written, play, options, records, on_news).await;
    let over = workers.over();
    // The end of its input tells the carrier to end.
    carrying.abort();
    let (ended, said) = carrier.end(over.as_deref().unwrap_or_default()).await;
    let outcome = outcome?;
    // The end of the carrier after the last fixture is no error.
    let is_left = outcome.interrupted && !options.stop.is_cancelled();
    if !is_left || over.is_none() {
        return Ok(outcome);
    }
    let said = said.into_iter();
    let said = said.fold(String::new(), |all, line| all + "\n    " + &line);
    Err(Failure::failed(format_args!(
        "{ended}. What was played is kept: mend it, and the same command goes on{said}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{settings, testing};

    #[test]
    fn entrants_by_the_clock_are_named() {
        let warned = |game: &str, entrant: &str| {
            let other = "[[entrants]]\nname = \"other\"\nengine = \"random\"\n";
            let text =
                format!("game = \"{game}\"\n[[entrants]]\nname = \"it\"\n{entrant}\n{other}");
            let text = warning(&settings::parse(&text, "x.toml").unwrap());
            text.is_some_and(|text| {
                assert!(
                    text.contains("as far as their options tell: it. "),
                    "{text}"
                );
                true
            })
        };
        for (due, entrants) in [
            (
                true,
                r#"score-four engine = "best"
score-four options = ["--playouts", "9", "--move-ms=9"]; engine = "uct"
score-four command = ["./bot", "{host}", "{port}", "--ms={move-ms}"]
dobutsu usi = ["./engine"]
geister engine = "best""#,
            ),
            (
                false,
                r#"score-four engine = "best"; options = ["--playouts", "9"]
score-four engine = "best"; options = ["--playouts=9"]
score-four engine = "uct"
score-four engine = "level-9"
score-four command = ["./bot", "{host}", "{port}"]
dobutsu engine = "alphazero"; options = ["--nodes", "9"]
geister engine = "best"; options = ["--simulations", "9"]"#,
            ),
        ] {
            for line in entrants.lines() {
                let (game, entrant) = line.split_once(' ').unwrap();
                assert_eq!(warned(game, &entrant.replace("; ", "\n")), due, "{line}");
            }
        }
        assert!(programs(&testing::settings()).contains_key("taikyoku"));
    }
}
