//! `taikyoku league pause`, `resume`, `replay`, `disqualify` and `reinstate`: what an organiser does to a league, also while
//! it runs.

use std::path::{Path, PathBuf};

use clap::Args;
use games::is_printable;
use jiff::Timestamp;
use program::Failure;

use super::events::tell;
use crate::journal;
use crate::journal::{CommandAction, CommandFile, OrganiserCommand, OrganiserState};
use crate::result::Results;
use crate::schedule::Key;

const LONGEST_REASON: usize = 500;

pub(super) const HELP: &str = "\
A running league does this within a second or two, another one when it continues. The journal keeps the act with its time
and its reason, also after kill -9; `league status` and the report show it.";

/// A league, and a reason.
#[derive(Clone, Debug, Args)]
pub struct PauseArgs {
    /// The league's TOML file, its folder or its journal
    #[arg(value_name = "FILE|DIR|JOURNAL")]
    pub league: PathBuf,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "", value_parser = reason)]
    pub reason: String,
}

/// A game that is played again.
#[derive(Clone, Debug, Args)]
pub struct ReplayArgs {
    /// The league's TOML file, its folder or its journal
    #[arg(value_name = "FILE|DIR|JOURNAL")]
    pub league: PathBuf,
    /// The game, as games.csv names it: MATCHUP.DEAL.ROTATION
    pub key: Key,
    /// Why
    #[arg(long, value_name = "TEXT", value_parser = reason)]
    pub reason: String,
}

/// An entrant that plays no more, or again.
#[derive(Clone, Debug, Args)]
pub struct DisqualifyArgs {
    /// The league's TOML file, its folder or its journal
    #[arg(value_name = "FILE|DIR|JOURNAL")]
    pub league: PathBuf,
    /// Its name
    pub name: String,
    /// Why
    #[arg(long, value_name = "TEXT", value_parser = reason)]
    pub reason: String,
}

pub(super) fn reason(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.chars().count() > LONGEST_REASON || !text.chars().all(is_printable) {
        return Err(format!(
            "a reason has at most {LONGEST_REASON} characters in one line"
        ));
    }
    Ok(text.to_owned())
}

pub(super) fn pause(args: &PauseArgs) -> Result<(), Failure> {
    act(&args.league, CommandAction::Pause, &args.reason)
}

pub(super) fn resume(args: &PauseArgs) -> Result<(), Failure> {
    act(&args.league, CommandAction::Resume, &args.reason)
}

pub(super) fn replay(args: &ReplayArgs) -> Result<(), Failure> {
    act(
        &args.league,
        CommandAction::Replay { key: args.key },
        &args.reason,
    )
}

pub(super) fn disqualify(args: &DisqualifyArgs) -> Result<(), Failure> {
    let entrant = args.name.clone();
    act(
        &args.league,
        CommandAction::Disqualify { entrant },
        &args.reason,
    )
}

pub(super) fn reinstate(args: &DisqualifyArgs) -> Result<(), Failure> {
    let entrant = args.name.clone();
    act(
        &args.league,
        CommandAction::Reinstate { entrant },
        &args.reason,
    )
}

/// Adds an act to those of a league, and says so.
fn act(league: &Path, action: CommandAction, reason: &str) -> Result<(), Failure> {
    tell(&add(league, action, reason)?.text());
    let path = journal::find(league);
    let is_running = path.parent().and_then(journal::holder).is_some();
    tell(if is_running {
        "the league reacts within two seconds"
    } else {
        "the league is not running: it reacts when it resumes"
    });
    Ok(())
}

/// Adds an act to those of a league, if it makes sense there.
pub(super) fn add(
    league: &Path,
    action: CommandAction,
    reason: &str,
) -> Result<OrganiserCommand, Failure> {
    let path = journal::find(league);
    let (results, _) = Results::open(league)?;
    let mut orders = results.orders.clone();
    let mut file = CommandFile::beside(&path);
    for act in file.since(orders.next) {
        orders.follow(&act, &results.head.settings);
    }
    if let Some(fault) = fault(&action, &results, &orders) {
        return Err(Failure::usage(fault));
    }
    Ok(file.add(action, reason, orders.next, Timestamp::now().to_string())?)
}

/// Why an act makes no sense, if it makes none.
fn fault(action: &CommandAction, results: &Results, orders: &OrganiserState) -> Option<String> {
    let settings = &results.head.settings;
    match action {
        CommandAction::Pause => match &orders.pause {
            Some(pause) => Some(format!("it is paused already, since {}", pause.at)),
            // A result that was struck since then is a game to play.
            None if orders.struck != results.orders.struck => None,
            None => results
                .is_over()
                .then(|| "it is over: no game is left that a pause could hold back".to_owned()),
        },
        CommandAction::Resume if orders.pause.is_none() => {
            Some("it is not paused: `taikyoku league` with its file plays on".to_owned())
        }
        CommandAction::Resume => None,
        CommandAction::Replay { key } => {
            let before = &results.orders;
            let is_asked = orders.struck.contains(key) && !before.struck.contains(key);
            (!results.is_played(*key) || is_asked).then(|| {
                format!("game {key} has no result to strike; games.csv has the keys of all games")
            })
        }
        CommandAction::Disqualify { entrant } | CommandAction::Reinstate { entrant } => {
            let names = settings.names();
            let Some(number) = names.iter().position(|name| name == entrant) else {
                return Some(format!(
                    "no entrant is called `{entrant}`; there are {}",
                    names.join(", ")
                ));
            };
            let is_out = orders.disqualified.contains(&number);
            match action {
                CommandAction::Disqualify { .. } if is_out => {
                    Some(format!("{entrant} is disqualified already"))
                }
                CommandAction::Reinstate { .. }
                    if !is_out && !results.timeouts.aside.contains_key(&number) =>
                {
                    Some(format!("{entrant} is neither disqualified nor set aside"))
                }
                _ => None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::journal::tests::{played, settings, text};
    use crate::journal::{ACTS, Entry, FILE_NAME};

    #[test]
    fn acts_that_make_no_sense_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let league = folder.path();
        let settings = settings(&["ana", "bo", "cy", "di", "ed"], 2);
        let all: Vec<Entry> = played(&settings).into_iter().map(Entry::Played).collect();
        fs::write(league.join(FILE_NAME), text(&settings, &all[..7])).unwrap();
        let key = |key: &str| CommandAction::Replay {
            key: key.parse().unwrap(),
        };
        let out = |name: &str| CommandAction::Disqualify {
            entrant: name.to_owned(),
        };
        let refused = |action: CommandAction, due: &str| {
            let error = act(league, action, "").unwrap_err();
            assert!(
                error.code() == 2 && error.to_string().contains(due),
                "{error}"
            );
        };
        refused(CommandAction::Resume, "not paused");
        act(league, CommandAction::Pause, "lunch").unwrap();
        refused(CommandAction::Pause, "paused already");
        act(league, CommandAction::Resume, "").unwrap();
        refused(key("0.1.2"), "no result");
        act(league, key("0.1.1"), "a power cut").unwrap();
        refused(key("0.1.1"), "no result");
        refused(out("eve"), "there are ana, bo, cy, di, ed");
        act(league, out("cy"), "two machines").unwrap();
        refused(out("cy"), "already");
        let back = |name: &str| CommandAction::Reinstate {
            entrant: name.to_owned(),
        };
        refused(back("bo"), "neither disqualified");
        act(league, back("cy"), "a mistake").unwrap();
        refused(back("cy"), "neither disqualified");
        let acts = fs::read_to_string(league.join(ACTS)).unwrap();
        assert_eq!(acts.lines().count(), 5, "{acts}");
        assert!(acts.contains("\"reason\":\"a power cut\""), "{acts}");
    }

    #[test]
    fn a_league_that_is_over_cannot_be_paused() {
        let folder = tempfile::tempdir().unwrap();
        let league = folder.path();
        let settings = settings(&["ana", "bo", "cy", "di", "ed"], 2);
        let all: Vec<Entry> = played(&settings).into_iter().map(Entry::Played).collect();
        fs::write(league.join(FILE_NAME), text(&settings, &all)).unwrap();
        let error = act(league, CommandAction::Pause, "lunch").unwrap_err();
        assert!(error.code() == 2, "{error}");
        assert!(error.to_string().contains("it is over"), "{error}");
        assert!(!league.join(ACTS).exists());
        let key = played(&settings)[0].key;
        act(league, CommandAction::Replay { key }, "a power cut").unwrap();
        act(league, CommandAction::Pause, "lunch").unwrap();
    }

    #[test]
    fn a_reason_is_a_line() {
        assert_eq!(reason(" so "), Ok("so".to_owned()));
        assert!(reason("a\nb").is_err() && reason(&"x".repeat(501)).is_err());
    }
}
