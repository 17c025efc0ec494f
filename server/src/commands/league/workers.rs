//! `taikyoku league --workers`: the program that carries work to workers, started, heard and ended.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use super::LeagueFailure;
use crate::league::foyer::Say;
use crate::league::journal::{Journal, JournalFile};
use crate::league::runner::{self, News, Outcome};
use crate::league::settings::Settings;
use crate::league::sitting::Wishes;
use crate::league::workers::Workers;

/// The carrier has this long to end once its standard input is closed.
const LEAVE: Duration = Duration::from_secs(10);

/// Whether workers can play the league.
///
/// # Errors
/// What they cannot do.
pub(super) fn check(settings: &Settings) -> Result<(), LeagueFailure> {
    let mut entrants = settings.entrants.iter();
    if let Some(entrant) = entrants.find(|entrant| entrant.comes_itself()) {
        return Err(LeagueFailure::Workers(format!(
            "{} comes from a machine of its own, and its games are played here: leave --workers out",
            entrant.name
        )));
    }
    if settings.records {
        let text = "workers keep no records: leave --workers out, or set `records = false`";
        return Err(LeagueFailure::Workers(text.to_owned()));
    }
    Ok(())
}

/// Plays what the journal lacks by workers.
///
/// # Errors
/// When the carrier does not start or ends before the league does, or the journal cannot be written.
pub(super) async fn play(
    command: &str,
    length: Duration,
    settings: &Settings,
    (journal, written, wishes): (&Journal, &mut JournalFile, &Wishes),
    say: Say,
    on_news: &mut (dyn FnMut(News) + Send),
) -> Result<Outcome, LeagueFailure> {
    let mut child = start(command, &say)?;
    let (Some(from), Some(to)) = (child.stdout.take(), child.stdin.take()) else {
        return Err(LeagueFailure::Workers(
            "the carrier has no pipes".to_owned(),
        ));
    };
    let workers = Workers::new(settings.clone(), length, wishes.finish.clone(), say);
    let workers = Arc::new(workers);
    let carrying = Arc::clone(&workers);
    let mut carrying = tokio::spawn(async move { carrying.carry(from, to).await });
    let play = Arc::clone(&workers);
    let outcome = runner::run(settings, journal, written, play, wishes, None, on_news).await;
    let failed = carrying.is_finished().then_some(&mut carrying);
    let failed = match failed {
        Some(ended) => Some(
            ended
                .await
                .map_or_else(|e| e.to_string(), |e| e.to_string()),
        ),
        None => None,
    };
    // Its input is closed, and it ends.
    carrying.abort();
    let status = tokio::time::timeout(LEAVE, child.wait()).await;
    let Some(reason) = failed.filter(|_| !wishes.stop.is_cancelled()) else {
        return Ok(outcome?);
    };
    outcome?;
    let status = match status {
        Ok(Ok(status)) => status.to_string(),
        _ => "it has not ended".to_owned(),
    };
    Err(LeagueFailure::Io(std::io::Error::other(format!(
        "the carrier of the workers is gone ({status}; {reason}). What was played is kept: mend it, and the same command goes on"
    ))))
}

/// Starts the carrier. Ctrl-C is for the league alone.
fn start(command: &str, say: &Say) -> Result<Child, LeagueFailure> {
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
    #[cfg(unix)]
    carrier.process_group(0);
    let mut child = carrier.spawn().map_err(|e| failure(e.to_string()))?;
    if let Some(stderr) = child.stderr.take() {
        let say = Arc::clone(say);
        tokio::spawn(async move {
            let mut lines = BufReader::new(stderr).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                say(line);
            }
        });
    }
    Ok(child)
}
