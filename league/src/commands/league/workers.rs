//! `taikyoku league --workers`: starts, reads and ends the program that carries work to workers.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use games::GameName;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

use super::LeagueFailure;
use crate::journal::{Host, Journal, JournalFile};
use crate::process;
use crate::remote::Say;
use crate::runner::{self, LeagueEvent, Outcome};
use crate::settings::{Entrant, Settings, Start};
use crate::table_session::SessionOptions;
use crate::workers::Workers;

/// Longest line of the carrier's standard error, in bytes; a longer one is logged in parts.
const LONGEST: u64 = 4 << 10;

/// Number of its last lines that the error quotes when the carrier has ended.
const LAST: usize = 5;

/// Time for the carrier to end after its standard input is closed.
const LEAVE: Duration = Duration::from_secs(10);

/// Time for the rest of its standard error to arrive.
const LATE: Duration = Duration::from_secs(1);

/// Whether workers can play the league.
///
/// # Errors
/// When the league needs a feature that workers do not have.
pub(super) fn check(settings: &Settings) -> Result<(), LeagueFailure> {
    let mut entrants = settings.entrants.iter();
    if let Some(entrant) = entrants.find(|entrant| entrant.comes_itself()) {
        return Err(LeagueFailure::Workers(format!(
            "{} comes from a machine of its own, and its games are played here: leave --workers out",
            entrant.name
        )));
    }
    let mut entrants = settings.entrants.iter();
    if let Some(entrant) = entrants.find(|entrant| !entrant.cpus.is_empty()) {
        return Err(LeagueFailure::Workers(format!(
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
    (journal, written, options): (Journal, &mut JournalFile, &SessionOptions),
    say: Say,
    on_news: &mut (dyn FnMut(LeagueEvent) + Send),
) -> Result<Outcome, LeagueFailure> {
    let (mut child, said) = start(command, &say)?;
    let (Some(from), Some(to)) = (child.stdout.take(), child.stdin.take()) else {
        return Err(LeagueFailure::Workers(
            "the carrier has no pipes".to_owned(),
        ));
    };
    let workers = Workers::new(settings.clone(), length, options.finish.clone(), say);
    let workers = Arc::new(workers.with_programs(programs(settings)));
    let carrying = Arc::clone(&workers);
    let carrying = tokio::spawn(async move { carrying.carry(from, to).await });
    let play = Arc::clone(&workers);
    let outcome = runner::run(settings, journal, written, play, options, records, on_news).await;
    let over = workers.over();
    // The end of its input tells the carrier to end.
    carrying.abort();
    let number = child.id();
    let ended = async {
        let status = child.wait().await;
        // Programs that the carrier has started may hold its standard error open for longer.
        (status, tokio::time::timeout(LATE, said).await)
    };
    let (status, said) = tokio::time::timeout(LEAVE, ended).await.ok().unzip();
    if status.is_none() {
        // The workers that it has started are in its process group, and end as well.
        let _ = process::kill_group(number);
    }
    let outcome = outcome?;
    // The end of the carrier after the last fixture is no error.
    let is_left = outcome.interrupted && !options.stop.is_cancelled();
    let Some(reason) = over.filter(|_| is_left) else {
        return Ok(outcome);
    };
    let said = said.and_then(Result::ok).and_then(Result::ok);
    let said = said.unwrap_or_default().into_iter();
    let said = said.fold(String::new(), |all, line| all + "\n    " + &line);
    let status = match status {
        Some(Ok(status)) => status.to_string(),
        _ => "it has not ended".to_owned(),
    };
    Err(LeagueFailure::Io(std::io::Error::other(format!(
        "the carrier of the workers is gone ({status}; {reason}). What was played is kept: mend it, and the same command goes on{said}"
    ))))
}

/// Starts the carrier; gives it, and later the last lines of its standard error. Ctrl-C is for the league alone.
fn start(command: &str, say: &Say) -> Result<(Child, JoinHandle<Vec<String>>), LeagueFailure> {
    let failure = |reason: String| LeagueFailure::Workers(format!("--workers {command}: {reason}"));
    let words = shlex::split(command).filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| failure("this is no command".to_owned()))?;
    let mut carrier = Command::new(&words[0]);
    carrier
        .args(&words[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    carrier.process_group(0);
    let mut child = carrier.spawn().map_err(|e| failure(e.to_string()))?;
    let (stderr, say) = (child.stderr.take(), Arc::clone(say));
    let said = tokio::spawn(async move {
        match stderr {
            Some(stderr) => hear(stderr, &say).await,
            None => Vec::new(),
        }
    });
    Ok((child, said))
}

/// Logs this standard error to its end; gives its last lines.
async fn hear(from: impl AsyncRead + Unpin, say: &Say) -> Vec<String> {
    let (mut from, mut line) = (BufReader::new(from), Vec::new());
    let mut last = VecDeque::new();
    loop {
        line.clear();
        let read = (&mut from).take(LONGEST).read_until(b'\n', &mut line).await;
        if !matches!(read, Ok(1..)) {
            return last.into();
        }
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        if last.len() == LAST {
            last.pop_front();
        }
        last.push_back(text.clone());
        say(text);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

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
        for (game, entrant, due) in [
            ("score-four", r#"engine = "best""#, true),
            (
                "score-four",
                "engine = \"best\"\noptions = [\"--playouts\", \"9\"]",
                false,
            ),
            (
                "score-four",
                "engine = \"best\"\noptions = [\"--playouts=9\"]",
                false,
            ),
            (
                "score-four",
                "engine = \"uct\"\noptions = [\"--playouts\", \"9\", \"--move-ms=9\"]",
                true,
            ),
            ("score-four", r#"engine = "uct""#, false),
            ("score-four", r#"engine = "level-9""#, false),
            (
                "score-four",
                r#"command = ["./bot", "{host}", "{port}"]"#,
                false,
            ),
            (
                "score-four",
                r#"command = ["./bot", "{host}", "{port}", "--ms={move-ms}"]"#,
                true,
            ),
            ("dobutsu", r#"usi = ["./engine"]"#, true),
            (
                "dobutsu",
                "engine = \"alphazero\"\noptions = [\"--nodes\", \"9\"]",
                false,
            ),
            (
                "geister",
                "engine = \"best\"\noptions = [\"--simulations\", \"9\"]",
                false,
            ),
            ("geister", r#"engine = "best""#, true),
        ] {
            assert_eq!(warned(game, entrant), due, "{game} {entrant}");
        }
        assert!(programs(&testing::settings()).contains_key("taikyoku"));
    }

    #[tokio::test]
    async fn what_a_carrier_says_is_told_whatever_it_is() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let all = Arc::clone(&told);
        let say: Say = Arc::new(move |text| {
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.push(text);
        });
        let long = "x".repeat(LONGEST as usize);
        let text = [b"a\xff\n".as_slice(), long.as_bytes(), b"\nb\nc\nd\ne"].concat();
        let last = hear(&text[..], &say).await;
        let told = told.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(told[..2], ["a\u{fffd}", &long]);
        assert_eq!((last.len(), &last[..]), (LAST, &told[told.len() - LAST..]));
        assert_eq!(last[LAST - 1], "e");
    }
}
