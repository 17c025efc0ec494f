//! Playing a league.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use program::Failure;
use protocol::tls::ServerConfig;
use record::files::{in_shell, named};
use stats::Verdict;
use tokio_util::sync::CancellationToken;

use super::events::{Events, tell};
use super::files::{Folder, allow_files, check_schedule, shared_processors};
use super::progress::{Progress, ProgressSender, stopped_text};
use super::status::print_report;
use super::{PlayArgs, archive, organiser, workers};
use crate::journal::{
    CommandFile, Entry, Head, Host, JournalFile, JournalReader, Lock, SettingsChanged, VERSION,
    check_change, difference,
};
use crate::remote::{Presence, RemoteEntrants, Say};
use crate::result::{Records, Report, Results};
use crate::runner::{LeagueEvent, Outcome, Programs};
use crate::schedule::LeagueSeed;
use crate::settings::{NameRule, Settings, Start};
use crate::table_session::SessionOptions;
use crate::{blocking, process, result, runner, settings};
use server::commands::signals::{INTERRUPTED, Signals};
use server::config::{Limits, Watch};
use server::lobby::drawn_key;
use server::table::disk::disk;
use server::watch::{Organiser, WatchPort, Watching};

/// Time between two looks at the presence of remote entrants.
const PRESENCE: Duration = Duration::from_secs(1);

pub(super) fn run(args: &PlayArgs) -> Result<u8, Failure> {
    let file = args.file.as_deref().unwrap_or(Path::new(""));
    let mut settings = settings::read(file)?;
    if settings.run.ladder.is_some() {
        return Err(Failure::usage(format_args!(
            "{file}: this is the file of a ladder, as it has a section [ladder]: taikyoku ladder {file} runs it",
            file = in_shell(file)
        )));
    }
    if let Some(at_once) = args.at_once {
        settings.run.at_once = at_once as usize;
    }
    check_schedule(&settings)?;
    check_options(&settings, file)?;
    allow_files(&settings)?;
    if args.workers.is_some() {
        workers::check(&settings)?;
        if let Some(text) = workers::warning(&settings) {
            tell(&text);
        }
    } else if let Some(text) = shared_processors(&settings) {
        tell(&text);
    }
    if !process::IS_KNOWN {
        tell(
            "this system does not tell whose a connection is: any program of this machine may take a free seat",
        );
    }
    let folder = Folder::of(file, args.out.as_deref());
    if args.resume && folder.journal().symlink_metadata().is_err() {
        return Err(Failure::usage(format_args!(
            "{}: there is no journal to go on with: leave --resume out to begin the league",
            folder.journal().display()
        )));
    }
    folder.make()?;
    // Workers have sandboxes of their own.
    if args.workers.is_none() {
        let private = [
            Some(folder.path()),
            Some(file),
            args.organiser.as_deref(),
            args.tls.tls_key.as_deref(),
        ];
        let private: Vec<&Path> = private.into_iter().flatten().collect();
        let said = process::confine(&mut settings, &private);
        for text in said.map_err(Failure::usage)? {
            tell(&text);
        }
    }
    let lock = Lock::take(folder.path())?;
    // It lives to the end, so that signals are heard.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    // The engines may be on the machines of the workers only.
    if args.workers.is_none() {
        runtime.block_on(check_engines(&settings, file))?;
    }
    let (results, mut written) = journal(args, file, &folder, &mut settings)?;
    folder.hide(settings.run.names == NameRule::Hidden)?;
    let outcome = runtime.block_on(play(args, &settings, &folder, results, &mut written));
    // What programs have left behind.
    process::kill_all();
    let (outcome, lost) = outcome?;
    drop(written);
    let (next, is_over) = print(args, &folder)?;
    if is_over {
        folder.hide(false)?;
    }
    let mut code = close(args, &settings, &outcome);
    if lost > 0 {
        tell(&format!(
            "{lost} records or more are lost: the disk has not taken them"
        ));
        code = code.max(1);
    }
    for act in CommandFile::beside(&folder.journal()).since(next) {
        tell(&format!(
            "this came after the last game, and is done when the league goes on: {}",
            act.text()
        ));
    }
    if settings.run.archive && is_over {
        archive::make(folder.path(), None, is_over)?;
    }
    drop(lock);
    Ok(code)
}

/// Opens the port of watchers, and says where it is.
pub(in crate::commands) async fn open_watching(
    watch: Watch,
    host: &str,
    tls: Option<Arc<ServerConfig>>,
    organiser: Option<Arc<Organiser>>,
) -> Result<(Watching, Option<WatchPort>), Failure> {
    let opened = Watching::open(watch, host, &Limits::default(), tls, organiser).await;
    let (watching, port) = opened.map_err(|e| {
        let port = watch.watch.unwrap_or_default();
        Failure::failed(format_args!(
            "watchers cannot be served on {host}:{port}: {e}. Give another port with --watch"
        ))
    })?;
    if let Some(port) = &port {
        tell(&format!("watched on {}", port.address));
    }
    Ok((watching, port))
}

/// Lets the project's own bots read their options, before a game is void because one knows no such engine.
pub(in crate::commands) fn check_options(settings: &Settings, file: &Path) -> Result<(), Failure> {
    let nowhere = SocketAddr::from(([127, 0, 0, 1], 1));
    for (number, entrant) in settings.entrants.iter().enumerate() {
        let launch = process::Launch::of(settings, number, nowhere, 1, 0);
        if let Some(said) = launch.ok().and_then(|launch| launch.refusal()) {
            let reason = format!("the entrant {}: {said}", entrant.name);
            return Err(settings::error_of_entrant(file, number, reason).into());
        }
    }
    Ok(())
}

/// Starts each engine of USI that is given options, to see whether it has them, before a game is void because it does not.
async fn check_engines(settings: &Settings, file: &Path) -> Result<(), Failure> {
    // A program in the sandbox has this port open, and may open none below 1024.
    let nowhere = SocketAddr::from(([127, 0, 0, 1], u16::MAX));
    for (number, entrant) in settings.entrants.iter().enumerate() {
        if !matches!(&entrant.start, Start::Usi { options, .. } if !options.is_empty()) {
            continue;
        }
        let launch = process::Launch::of(settings, number, nowhere, 1, 0);
        // Other failures of an engine are reported when its first game is void.
        let Ok(mut engine) = launch.and_then(|launch| launch.checking().start()) else {
            continue;
        };
        let limit = Duration::from_millis(settings.clocks_of(entrant).start_ms);
        let ended = tokio::time::timeout(limit, engine.exited()).await;
        if ended.is_ok_and(|status| status.code() == Some(2)) {
            let reason = format!("the entrant {}: {}", entrant.name, engine.stderr_tail());
            return Err(settings::error_of_entrant(file, number, reason).into());
        }
    }
    Ok(())
}

/// The file has other settings than the journal.
pub(super) fn changed(file: &Path, change: &SettingsChanged) -> Failure {
    Failure::usage(format_args!("{}: {change}", file.display()))
}

/// What was played so far, and the journal's file to go on with.
fn journal(
    args: &PlayArgs,
    file: &Path,
    folder: &Folder,
    settings: &mut Settings,
) -> Result<(Results, JournalFile), Failure> {
    let path = folder.journal();
    let is_there = path.symlink_metadata().is_ok();
    let now = Timestamp::now().to_string();
    if is_there && !args.fresh {
        let mut journal = JournalReader::open(&path)?;
        if !settings.run.has_seed {
            settings.seed = journal.head.settings.seed;
        }
        if !settings.run.has_ranking && settings.pairs_rounds() {
            settings.ranking.clone_from(&journal.head.settings.ranking);
        }
        let before = &journal.head.settings;
        check_change(before, settings).map_err(|e| changed(file, &e))?;
        if before.entrants.len() != settings.entrants.len() {
            let text = "a league has begun with fewer entrants; begin anew with --fresh, or let them come and go (taikyoku ladder)";
            return Err(Failure::usage(format_args!("{}: {text}", file.display())));
        }
        let is_other = difference(before, settings).is_some();
        let whole = journal.whole;
        // What follows from the results follows by the settings of now.
        journal.head.settings = settings.clone();
        let (mut results, _) = Results::read(journal)?;
        let mut written = JournalFile::resume(&path, whole)?;
        let begun = Entry::Begun {
            begun: now,
            settings: is_other.then(|| Box::new(settings.clone())),
            by: Some(Host::here()),
        };
        written.append(&begun)?;
        results.take(&begun);
        return Ok((results, written));
    }
    if let Some(aside) = folder.put_aside()? {
        tell(&format!("what was played before is in {}", aside.display()));
    }
    if !settings.run.has_seed {
        settings.seed = LeagueSeed::Key(drawn_key());
    }
    let head = Head {
        version: VERSION,
        started: now,
        server: Host::here().program,
        machine: Some(Host::here().machine),
        settings: settings.clone(),
    };
    let written = JournalFile::create(&path, &head)?;
    Ok((Results::new(head), written))
}

/// Plays; gives how many records are lost too.
async fn play(
    args: &PlayArgs,
    settings: &Settings,
    folder: &Folder,
    results: Results,
    written: &mut JournalFile,
) -> Result<(Outcome, usize), Failure> {
    let records = settings.records.then(|| folder.records());
    if let Some(records) = &records {
        fs::create_dir_all(records).map_err(|e| named(records, &e))?;
    }
    let host = &args.watch_host;
    let organiser = args.organiser.as_deref();
    let aliases = settings.aliases();
    let organiser = organiser.map(|file| organiser::of(file, &folder.journal(), aliases.as_ref()));
    let (tls, organiser) = (args.tls.server()?, organiser.transpose()?);
    let (watching, watch_port) = open_watching(args.watch, host, tls, organiser).await?;
    let watching = match aliases {
        Some(aliases) => watching.under_aliases(aliases),
        None => watching,
    };
    let events = Events::open(args.events.as_deref(), settings).map_err(|e| {
        let path = args.events.clone().unwrap_or_default();
        named(&path, &e)
    })?;
    let progress = Progress::start(results.clone(), watching.clone(), events);
    let line = progress.line();
    let say: Say = Arc::new(move |text| line.say(text));
    let remote = match RemoteEntrants::open(settings, Arc::clone(&say)).await {
        Ok(remote) => remote,
        Err((port, error)) => {
            progress.finish();
            let host = &settings.run.contest.host;
            return Err(Failure::failed(format_args!(
                "entrants cannot connect to {host}:{port}: {error}. Give another `host` or `port` in [contest], or a `port` in the entrant's section"
            )));
        }
    };
    for entrant in remote.presence() {
        say(format!("{} connects to {}", entrant.name, entrant.place()));
    }
    let said = progress.line();
    let asked = StopRequests::by_signals(move |text| said.say(text.to_owned()));
    let news = progress.line();
    let mut on_news = |item: LeagueEvent| news.news(item);
    if let Some(command) = &args.workers {
        let length = Duration::from_secs(args.piece.into());
        let begun = (results, written, &asked.options);
        let records = records.as_deref();
        let outcome =
            workers::play(command, length, settings, records, begun, say, &mut on_news).await;
        asked.over.cancel();
        progress.finish();
        if let Some(port) = watch_port {
            port.close().await;
        }
        let lost = disk().finish().await;
        return Ok((outcome?, lost));
    }
    let mut programs = Programs::new(settings.clone(), &folder.stderr());
    (programs.watching, programs.remote) = (watching, remote);
    let programs = Arc::new(programs);
    let told = progress.line();
    let presence = tokio::spawn(keep_presence(
        Arc::clone(&programs),
        folder.presence(),
        told,
        asked.over.clone(),
    ));
    let outcome = runner::run(
        settings,
        results,
        written,
        programs,
        &asked.options,
        records.as_deref(),
        &mut on_news,
    )
    .await;
    asked.over.cancel();
    // It writes nothing from here on.
    let _ = presence.await;
    // There is none where all programs are started.
    let _ = fs::remove_file(folder.presence());
    progress.finish();
    if let Some(port) = watch_port {
        port.close().await;
    }
    let lost = disk().finish().await;
    Ok((outcome?, lost))
}

/// Writes the presence of remote entrants to its file, for `status`, whenever it changes, until the league is over.
async fn keep_presence(
    programs: Arc<Programs>,
    path: PathBuf,
    line: ProgressSender,
    over: CancellationToken,
) {
    let mut written: Vec<Presence> = Vec::new();
    let mut look = tokio::time::interval(PRESENCE);
    while over.run_until_cancelled(look.tick()).await.is_some() {
        let now = programs.remote.presence();
        if now == written {
            continue;
        }
        line.presence(now.clone());
        let text = serde_json::to_string(&now).unwrap_or_default() + "\n";
        // Readers find the old one or the new one whole. The next look tries again; the games do not depend on it.
        let new = path.with_extension("new");
        let to = path.clone();
        let write = move || fs::write(&new, text).and_then(|()| fs::rename(&new, &to));
        match blocking(write).await {
            Ok(()) => written = now,
            Err(e) => log::debug!("{}: {e}", path.display()),
        }
    }
}

/// Writes the report into the folder, and prints it; gives the number of the next command, and whether the league is over.
fn print(args: &PlayArgs, folder: &Folder) -> Result<(u32, bool), Failure> {
    let (results, mut fixtures) = Results::open(&folder.journal())?;
    let records = Records::beside(folder.path());
    let report = Report::of(&results).with_comebacks(&results, &records);
    result::write(folder.path(), &report, &results, &mut fixtures)?;
    // Standard output may be that of the events.
    if args.events.as_deref() != Some(Path::new("-")) {
        print_report(&report, args.json)?;
    }
    tell(&format!(
        "\nThe report with plots is {}",
        folder.page().display()
    ));
    if fs::read_dir(folder.stderr()).is_ok_and(|mut files| files.next().is_some()) {
        let told = folder.stderr();
        tell(&format!(
            "What programs wrote to standard error before a bad end is in {}",
            told.display()
        ));
    }
    Ok((results.orders.next, results.is_over()))
}

/// The last words, and the exit code.
fn close(args: &PlayArgs, settings: &Settings, outcome: &Outcome) -> u8 {
    if let Some(verdict) = outcome.verdict {
        let sprt = settings.sprt.map(|sprt| (sprt.entrant, sprt.hypotheses));
        if let Some((entrant, hypotheses)) = sprt {
            let (holds, other, what) = match verdict {
                Verdict::Higher => (hypotheses.s1, hypotheses.s0, "is better"),
                _ => (hypotheses.s0, hypotheses.s1, "is not better"),
            };
            let (holds, other) = (100.0 * holds, 100.0 * other);
            tell(&format!(
                "The test is over: {} {what}: a mean score of {holds:.1} % fits better than one of {other:.1} %",
                settings.entrants[entrant].name
            ));
        }
    }
    for stopped in &outcome.stopped {
        let text = stopped_text(settings, stopped);
        // The rest was said when it happened.
        tell(text.lines().next().unwrap_or_default());
    }
    if !outcome.stopped.is_empty() {
        if settings.pairs_rounds() {
            tell(
                "No further round was paired: the pairings follow from all games of the rounds before",
            );
        }
        let waits = |entrant: usize| {
            outcome
                .stopped
                .iter()
                .any(|s| s.entrants.contains(&entrant))
        };
        if outcome.verdict.is_none() && settings.sprt.is_some_and(|sprt| waits(sprt.entrant)) {
            tell(
                "The test has no verdict: it counts deals in the order of the schedule, and waits for those that were given up",
            );
        }
        tell(
            "Put the program right, and start again with the same command: what was played is kept. If the league's file \
             is wrong, mend it and begin anew with --fresh, or elsewhere with --out DIR",
        );
    }
    if !outcome.absent.is_empty() && !outcome.interrupted {
        let names: Vec<&str> = outcome
            .absent
            .iter()
            .map(|&e| &settings.entrants[e].name[..])
            .collect();
        tell(&format!(
            "Fixtures are left, for they were missing: {}. When they are back, the same command plays them",
            names.join(", ")
        ));
    }
    if !outcome.aside.is_empty() && !outcome.interrupted {
        let aside = outcome.aside.iter();
        let names: Vec<&str> = aside.map(|&e| &settings.entrants[e].name[..]).collect();
        tell(&format!(
            "Fixtures are left, for these were set aside: {}. Put their programs right, and the same command plays them",
            names.join(", ")
        ));
    }
    if outcome.interrupted {
        let file = args.file.as_deref().unwrap_or(Path::new(""));
        let out = args.out.as_ref();
        let out = out.map_or_else(String::new, |out| format!(" --out {}", in_shell(out)));
        let at_once = args.at_once;
        let at_once = at_once.map_or_else(String::new, |n| format!(" --at-once {n}"));
        let workers = args.workers.as_ref().map(Path::new);
        let workers = workers.map_or_else(String::new, |w| format!(" --workers {}", in_shell(w)));
        tell(&format!(
            "Interrupted. To go on: taikyoku league {}{out}{at_once}{workers}",
            in_shell(file)
        ));
        return INTERRUPTED;
    }
    let is_left = !outcome.absent.is_empty() || !outcome.aside.is_empty();
    u8::from(!outcome.stopped.is_empty() || is_left)
}

pub(in crate::commands) struct StopRequests {
    pub(in crate::commands) options: SessionOptions,
    /// To be cancelled when nothing is played any more: from then on a signal ends the process, unless it is the second.
    pub(in crate::commands) over: CancellationToken,
}

impl StopRequests {
    /// Options of sessions that follow signals, as long as the runtime lives in which it is called. `say` is called with what
    /// happens then.
    pub(in crate::commands) fn by_signals(say: impl Fn(&str) + Send + 'static) -> StopRequests {
        let (options, over) = (SessionOptions::default(), CancellationToken::new());
        let (told, is_over) = (options.clone(), over.clone());
        let mut signals = Signals::listen();
        tokio::spawn(async move {
            for number in 0_u64.. {
                signals.next().await;
                match number {
                    // The end that the first asked for is under way, and says how to go on.
                    1 if is_over.is_cancelled() => {}
                    _ if is_over.is_cancelled() => exit(),
                    0 => {
                        say("finishing the running games; Ctrl-C again ends at once");
                        told.finish.cancel();
                    }
                    1 => {
                        say("ending at once");
                        told.stop.cancel();
                    }
                    _ => exit(),
                }
            }
        });
        StopRequests { options, over }
    }
}

/// Ends the process. What was played is in the journal.
fn exit() -> ! {
    process::kill_all();
    std::process::exit(i32::from(INTERRUPTED))
}
