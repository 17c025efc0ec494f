//! `taikyoku league work`: some fixtures of a league, played for a machine that drives it.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use program::Failure;
use program::work::Request;
use record::files::named;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::events::tell;
use super::files::{Folder, allow_files};
use super::play::{StopRequests, changed};
use super::workers;
use crate::journal::{JournalReader, check_change};
use crate::schedule::Key;
use crate::settings::Settings;
use crate::table_session::SessionPlan;
use crate::workers::{FixtureJob, LeagueContest, SessionJob, SessionJobs, WorkLine, Worker};
use crate::{process, runner, settings};
use server::commands::signals::INTERRUPTED;

/// Play some fixtures of a league
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A line of FILE is the key of a fixture, such as 0.17.2, or one that `taikyoku league --workers` has written. Each fixture
that was played is a line of standard output, as the journal has it; the first line names this machine. What a game comes to
follows from the league's file and its key. Without `seed` in the file the seed is that of the league's journal, if it is on
this machine; in formats whose rounds are paired by results only lines of --workers say who plays.

Examples:
  echo 0.17.2 | taikyoku league work mine.toml --keys -

Exit status: 0 all is played; 1 a fixture came to nothing; 2 the command line, the file or a line; 130 it was interrupted.")]
pub struct WorkArgs {
    /// The league
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,
    /// The fixtures, a line each; - is standard input
    #[arg(long, value_name = "FILE|-")]
    keys: PathBuf,
    /// Tables that are played at the same time
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1000))]
    at_once: u32,
    /// Name of this machine in the journal [default: its host name]
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    /// Folder of the league [default: FILE.league beside the file]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const AHEAD: usize = 100;

pub(super) fn run(args: &WorkArgs) -> Result<u8, Failure> {
    let mut settings = settings::read(&args.file)?;
    settings.run.at_once = args.at_once as usize;
    settings.records = false;
    allow_files(&settings)?;
    // The lines of void fixtures carry the standard error of programs.
    let folder = tempfile::tempdir()?;
    let mut private = vec![folder.path(), &args.file];
    if args.keys != Path::new("-") {
        private.push(&args.keys);
    }
    let said = process::confine(&mut settings, &private);
    for text in said.map_err(Failure::usage)? {
        tell(&text);
    }
    let input: Box<dyn BufRead + Send> = if args.keys == Path::new("-") {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let file = File::open(&args.keys).map_err(|e| named(&args.keys, &e))?;
        Box::new(BufReader::new(file))
    };
    let (sender, lines) = mpsc::channel(AHEAD);
    // A blocking read cannot be cancelled, so the process does not wait for this thread.
    std::thread::spawn(move || {
        for line in input.lines() {
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    });
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let ended = runtime.block_on(work(args, settings, folder.path(), lines));
    // Processes that programs have left behind.
    process::kill_all();
    ended
}

async fn work(
    args: &WorkArgs,
    settings: Settings,
    folder: &Path,
    mut lines: mpsc::Receiver<io::Result<String>>,
) -> Result<u8, Failure> {
    let asked = StopRequests::by_signals(tell);
    let mut given = WorkerLeague::new(args, settings, folder);
    let mut out = Out { is_void: false };
    out.write(&given.worker.joined(), &asked);
    let (sender, mut written) = mpsc::unbounded_channel();
    let (mut waiting, mut sittings) = (VecDeque::<SessionJob>::new(), JoinSet::new());
    let (mut is_whole, mut is_asked) = (false, false);
    // The last fixture of each sitting in play, and the first wrong line.
    let (mut keys, mut wrong) = (HashMap::new(), None);
    loop {
        while sittings.len() < args.at_once as usize
            && let Some(sitting) = waiting.pop_front()
        {
            let (worker, options) = (Arc::clone(&given.worker), asked.options.clone());
            let sender = sender.clone();
            let last = sitting.fixtures.last().map(|one| one.fixture.key);
            let task = sittings.spawn(async move {
                let mut on_line = |line| {
                    // The input is at its end.
                    let _ = sender.send(line);
                };
                worker.play(sitting, &options, &mut on_line).await
            });
            keys.insert(task.id(), last);
        }
        if sittings.is_empty() && (is_whole || is_asked) {
            break;
        }
        tokio::select! {
            biased;
            Some(line) = written.recv() => out.write(&line, &asked),
            Some(ended) = sittings.join_next_with_id() => match ended {
                Ok((id, said)) => {
                    keys.remove(&id);
                    if !said.is_empty() {
                        tell(&said);
                    }
                }
                Err(e) => {
                    let void = format!("the table failed: {e}");
                    if let Some(key) = keys.remove(&e.id()).flatten() {
                        let said = String::new();
                        // This line follows those of the fixtures that the sitting has played.
                        let _ = sender.send(WorkLine::Void { key, void, said });
                    }
                }
            },
            () = asked.options.finish.cancelled(), if !is_asked => {
                is_asked = true;
                waiting.clear();
            }
            line = lines.recv(), if waiting.is_empty() && !is_whole && !is_asked => match line {
                Some(line) => {
                    let line = line.map_err(|e| Failure::from(named(&args.keys, &e)));
                    match line.and_then(|line| given.sittings(&line)) {
                        Ok(more) => waiting.extend(more),
                        // Sittings that have begun are played to their end.
                        Err(e) => (wrong, is_whole) = (Some(e), true),
                    }
                }
                None => is_whole = true,
            },
        }
    }
    while let Ok(line) = written.try_recv() {
        out.write(&line, &asked);
    }
    asked.over.cancel();
    if let Some(wrong) = wrong {
        return Err(wrong);
    }
    if asked.options.finish.is_cancelled() {
        return Ok(INTERRUPTED);
    }
    Ok(u8::from(out.is_void))
}

struct Out {
    is_void: bool,
}

impl Out {
    /// Writes a line. A closed pipe means that the driver or the carrier has ended: then play stops.
    fn write(&mut self, line: &WorkLine, asked: &StopRequests) {
        self.is_void |= matches!(line, WorkLine::Void { .. });
        let mut text = serde_json::to_string(line).unwrap_or_default();
        text.push('\n');
        let mut out = io::stdout().lock();
        if out
            .write_all(text.as_bytes())
            .and_then(|()| out.flush())
            .is_err()
        {
            asked.options.finish.cancel();
            asked.options.stop.cancel();
        }
    }
}

struct WorkerLeague<'a> {
    args: &'a WorkArgs,
    folder: &'a Path,
    settings: Settings,
    worker: Arc<Worker>,
    /// The fixtures of the league, known from the first key on.
    keys: Option<Keys>,
    lines: usize,
}

impl<'a> WorkerLeague<'a> {
    fn new(args: &'a WorkArgs, settings: Settings, folder: &'a Path) -> WorkerLeague<'a> {
        let name = args.machine.clone().unwrap_or_else(host_name);
        WorkerLeague {
            args,
            folder,
            worker: Arc::new(Worker::new(settings.clone(), name, folder)),
            settings,
            keys: None,
            lines: 0,
        }
    }

    fn sittings(&mut self, line: &str) -> Result<Vec<SessionJob>, Failure> {
        self.lines += 1;
        let line = line.trim();
        let sittings = if line.is_empty() {
            Vec::new()
        } else if line.starts_with('{') {
            let read: Result<Request<LeagueContest, SessionJobs>, _> = serde_json::from_str(line);
            match read.map_err(|e| wrong(self.lines, &e))? {
                Request::Contest(contest) => {
                    self.begin(&contest)?;
                    Vec::new()
                }
                Request::Piece(piece) => piece.work.sessions,
            }
        } else {
            let key: Result<Key, _> = line.parse();
            let key = key.map_err(|e| wrong(self.lines, &e))?;
            let keys = match &mut self.keys {
                Some(keys) => keys,
                none => none.insert(Keys::of(self.args, &self.settings)?),
            };
            let none = || {
                wrong(
                    self.lines,
                    &format_args!("the schedule has no fixture {key}"),
                )
            };
            vec![keys.sitting(key).ok_or_else(none)?]
        };
        let mut all = sittings.iter();
        let all = all.try_for_each(|sitting| check(sitting, &self.settings));
        all.map_err(|fault| wrong(self.lines, &fault))?;
        Ok(sittings)
    }

    /// Takes the league of a first line, if the file agrees with it, and the programs of this machine with those of the
    /// driver.
    fn begin(&mut self, LeagueContest { league, programs }: &LeagueContest) -> Result<(), Failure> {
        let mut here = self.settings.clone();
        here.seed = league.seed;
        here.records = league.records;
        here.ranking.clone_from(&league.ranking);
        check_change(league, &here).map_err(|e| changed(&self.args.file, &e))?;
        let own = if programs.is_empty() {
            BTreeMap::new()
        } else {
            workers::programs(&here)
        };
        for (name, there) in programs {
            if let Some(here) = own.get(name).filter(|here| *here != there) {
                return Err(Failure::usage(format_args!(
                    "the driver of the league has {there}, and this machine {here}: use the same programs on every machine"
                )));
            }
        }
        *self = WorkerLeague {
            lines: self.lines,
            ..WorkerLeague::new(self.args, here, self.folder)
        };
        Ok(())
    }
}

/// A line of the fixtures that are to be played is wrong.
fn wrong(line: usize, fault: &dyn Display) -> Failure {
    Failure::usage(format_args!("line {line} of the fixtures: {fault}"))
}

fn check(sitting: &SessionJob, settings: &Settings) -> Result<(), String> {
    let entrants = settings.entrants.len();
    let seats = settings.seats();
    let is_known = |entrant: &usize| *entrant < entrants;
    let sorted = |seats: &[usize]| {
        let mut seats = seats.to_vec();
        seats.sort_unstable();
        seats
    };
    let players = sorted(&sitting.players);
    let fits = |one: &FixtureJob| one.seeds.len() == seats && sorted(&one.fixture.seats) == players;
    let is_whole = sitting.players.len() == seats
        && sitting.players.iter().all(is_known)
        && sitting.out.iter().all(is_known)
        && sitting.fixtures.iter().all(fits);
    let remote = sitting.players.iter().find(|&&entrant| {
        let entrant = settings.entrants.get(entrant);
        entrant.is_some_and(settings::Entrant::comes_itself)
    });
    match remote {
        Some(&entrant) => Err(format!(
            "{} comes from a machine of its own: its fixtures are played by `taikyoku league` alone",
            settings.entrants[entrant].name
        )),
        None if is_whole => Ok(()),
        None => Err("a sitting does not fit the league of the file".to_owned()),
    }
}

struct Keys {
    settings: Settings,
    matchups: Vec<Vec<usize>>,
}

impl Keys {
    /// The fixtures of a league whose seed this machine knows, from its file or journal, and whose matchups do not depend on
    /// results.
    fn of(args: &WorkArgs, settings: &Settings) -> Result<Keys, Failure> {
        let mut settings = settings.clone();
        if !settings.run.has_seed {
            let folder = Folder::of(&args.file, args.out.as_deref());
            let head = JournalReader::open(&folder.journal())?.head;
            settings.seed = head.settings.seed;
            // A key has a meaning in the league that has begun.
            let checked = check_change(&head.settings, &settings);
            checked.map_err(|e| changed(&args.file, &e))?;
        }
        let matchups = runner::matchups(&settings).ok_or_else(|| {
            let text = "who plays in this league follows from its results: a key alone does not say it, lines of \
                        `taikyoku league --workers` do";
            wrong(1, &text)
        })?;
        Ok(Keys { settings, matchups })
    }

    /// The fixture of a key, as a sitting of its own.
    fn sitting(&self, key: Key) -> Option<SessionJob> {
        let seated = self.matchups.get(key.matchup as usize)?;
        let plan = self.settings.plan();
        if key.deal >= plan.deals {
            return None;
        }
        let block = plan.block(key.matchup, seated, key.deal);
        let fixture = block.into_iter().find(|fixture| fixture.key == key)?;
        let plan = SessionPlan {
            fixtures: vec![fixture],
            players: seated.clone(),
            record: None,
            seeds: Vec::new(),
        };
        Some(SessionJob::of(&self.settings, &plan))
    }
}

fn host_name() -> String {
    let file = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = file.or_else(|| std::env::var("HOSTNAME").ok());
    let name = name.map(|name| name.trim().to_owned());
    name.filter(|name| !name.is_empty())
        .unwrap_or_else(|| "worker".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn a_key_is_a_fixture_of_the_schedule_or_none() {
        let mut settings = testing::settings();
        (settings.run.has_seed, settings.deals) = (true, 3);
        let args = WorkArgs {
            file: PathBuf::from("it.toml"),
            keys: PathBuf::from("-"),
            at_once: 1,
            machine: None,
            out: None,
        };
        let keys = Keys::of(&args, &settings).unwrap();
        let key = |text: &str| text.parse::<Key>().unwrap();
        let sitting = keys.sitting(key("0.2.1")).unwrap();
        let due = &settings.plan().block(0, &[0, 1], 2)[1];
        assert_eq!(&sitting.fixtures[0].fixture, due);
        assert_eq!(check(&sitting, &settings), Ok(()));
        for none in ["0.3.0", "1.0.0", "0.0.2"] {
            assert_eq!(keys.sitting(key(none)), None, "{none}");
        }
        let mut wrong = sitting.clone();
        wrong.fixtures[0].fixture.seats = vec![0, 0];
        assert!(check(&wrong, &settings).is_err());
        wrong = sitting;
        wrong.players[1] = 2;
        assert!(check(&wrong, &settings).is_err());
        settings.entrants[1].start = settings::Start::Remote;
        let sitting = keys.sitting(key("0.0.0")).unwrap();
        let remote = check(&sitting, &settings).unwrap_err();
        assert!(remote.starts_with("bo comes"), "{remote}");
        settings.format = settings::Format::Ladder;
        assert!(Keys::of(&args, &settings).is_err());
    }
}
