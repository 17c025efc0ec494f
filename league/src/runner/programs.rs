//! Sittings of programs: started, watched and ended.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::convert::Infallible;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};
use std::{fs, io};

use games::Printable;

use super::play::{Play, SessionReport};
use crate::process::{IS_KNOWN, Launch, LaunchFailure, Process};
use crate::remote::{EntrantConnection, EntrantConnections, Login, Readiness, RemoteEntrants};
use crate::schedule::Key;
use crate::settings::{Rules, Settings};
use crate::table_session::{
    Departures, FixtureResult, SessionEnd, SessionOptions, SessionPlan, TableSession,
};
use record::EndKind;
use server::watch::Watching;

#[derive(Debug)]
pub struct Programs {
    settings: Settings,
    stderr: StderrFiles,
    /// Entrants of which it was said that they do not end by themselves.
    lingering: Mutex<BTreeSet<usize>>,
    pub(crate) watching: Watching,
    pub(crate) remote: RemoteEntrants,
}

/// The program of each player; `None` of one that comes itself.
type Processes = Vec<Option<Process>>;

/// After the last game programs have this long to end by themselves.
const LEAVE: Duration = Duration::from_secs(1);

/// A program that has ended has this long for its last words to come to the table.
const ON_ITS_WAY: Duration = Duration::from_millis(200);

/// While the machine has no more files or processes to give, tables are tried again: no program is at fault.
const TRIES: u32 = 30;
const BETWEEN_TRIES: Duration = Duration::from_secs(1);

struct NotSetUp {
    /// Whether the machine has too little of something at the moment.
    is_short: bool,
    reason: String,
}

impl Programs {
    /// Programs of a league, whose standard error goes to files in the folder `stderr` when something is wrong.
    pub fn new(settings: Settings, stderr: &Path) -> Programs {
        Programs {
            settings,
            stderr: StderrFiles::new(stderr.to_owned()),
            lingering: Mutex::default(),
            watching: Watching::default(),
            remote: RemoteEntrants::default(),
        }
    }

    /// Calls the players of a session and leaves the seats of the entrants `out` empty. `out` takes the place of the set that
    /// the league leaves out.
    pub(crate) fn call_without(
        &self,
        plan: &SessionPlan,
        out: &BTreeSet<usize>,
    ) -> Readiness<EntrantConnections> {
        self.remote.call_without(&plan.players, &self.logins(out))
    }

    fn logins(&self, entrants: &BTreeSet<usize>) -> BTreeMap<usize, Login> {
        let login = |&entrant: &usize| {
            let access = &self.settings.entrants[entrant].access;
            (entrant, Login::new(self.settings.game(), access))
        };
        entrants.iter().map(login).collect()
    }

    async fn set_up(
        &self,
        plan: &SessionPlan,
        connections: EntrantConnections,
    ) -> Result<(TableSession, Processes), NotSetUp> {
        let is_remote: Vec<bool> = connections.iter().map(Option::is_some).collect();
        let session =
            TableSession::with_connections(&self.settings, plan.clone(), connections).await;
        let mut session = session.map_err(|e| NotSetUp {
            is_short: is_shortage(&e),
            reason: format!("no table: {e}"),
        })?;
        session.watching = self.watching.clone();
        let processes = self.start(plan, session.addresses(), &is_remote);
        let mut processes = processes.map_err(|e| NotSetUp {
            is_short: e.error.as_ref().is_some_and(is_shortage),
            reason: e.to_string(),
        })?;
        for (player, (&entrant, process)) in plan.players.iter().zip(&mut processes).enumerate() {
            let Some(process) = process else { continue };
            let is_remote = self.settings.entrants[entrant].remote;
            if let Some(port) = process.take_port() {
                session.enter(player, port);
            } else if let Some(members) = process.members().filter(|_| IS_KNOWN && !is_remote) {
                session.reserve(player, members.clone());
            }
        }
        Ok((session, processes))
    }

    fn start(
        &self,
        plan: &SessionPlan,
        addresses: &[SocketAddr],
        is_remote: &[bool],
    ) -> Result<Processes, LaunchFailure> {
        let session = match self.settings.rules {
            Rules::Daihinmin(_) => self.settings.session.max(1),
            _ => 1,
        };
        let games = session.saturating_mul(plan.fixtures.len() as u32);
        let players = plan.players.iter().zip(addresses).enumerate();
        let start = |(player, (&entrant, &address)): (usize, (&usize, &SocketAddr))| {
            // In the place of a program that is disqualified nobody comes.
            let is_remote = is_remote.get(player) == Some(&true);
            if is_remote || self.settings.entrants[entrant].comes_itself() {
                return Ok(None);
            }
            let seed = self.seed(plan, player);
            let mut address = address;
            if let Some(port) = plan.port_of_seat(&self.settings, player) {
                address.set_port(port);
            }
            let launch = Launch::of(&self.settings, entrant, address, games, seed)?;
            launch.start().map(Some)
        };
        players.map(start).collect()
    }

    /// The seed of a program that begins with the first fixture of a session.
    pub(super) fn seed(&self, plan: &SessionPlan, player: usize) -> u64 {
        let first = plan.fixtures.first().map(|first| first.key);
        let given = plan.seeds.get(player).copied();
        given.unwrap_or_else(|| seed(&self.settings, first, player))
    }

    fn name(&self, plan: &SessionPlan, player: usize) -> &str {
        &self.settings.entrants[plan.players[player]].name
    }

    fn keep(
        &self,
        plan: &SessionPlan,
        processes: &mut [Option<Process>],
        faults: &[Vec<EndKind>],
        players: &[usize],
    ) {
        let Some(first) = plan.fixtures.first() else {
            return;
        };
        for &player in players {
            let Some(process) = &mut processes[player] else {
                continue;
            };
            let name = self.name(plan, player);
            let status = process.status();
            let status = status.map_or_else(|| "had not ended".to_owned(), |s| s.to_string());
            let faults: Vec<&str> = faults[player].iter().map(|kind| kind.as_str()).collect();
            let faults = match &faults[..] {
                [] => String::new(),
                faults => format!(", faults: {}", faults.join(", ")),
            };
            let stderr = process.stderr();
            let text = format!(
                "{name}, from game {} on: {status}{faults}\n\n{stderr}",
                first.key
            );
            let file = format!("{}-{player}-{name}", first.key);
            self.stderr.write(&file, &text);
        }
    }

    /// The players because of whose programs a session came to nothing: the one that was waited for in vain, otherwise
    /// those that have ended badly.
    fn culprits(processes: &mut [Option<Process>], missed: Option<usize>) -> Vec<usize> {
        match missed {
            Some(player) => vec![player],
            None => (0..processes.len())
                .filter(|&player| is_bad(&mut processes[player]))
                .collect(),
        }
    }

    fn said(&self, plan: &SessionPlan, process: &mut Process, player: usize) -> String {
        let name = self.name(plan, player);
        let status = process.status();
        let ended = status.map_or_else(
            || "has not ended".to_owned(),
            |status| format!("has ended, {status}"),
        );
        let tail = process.stderr_tail();
        if tail.is_empty() {
            format!("{name} {ended}; it said nothing on its standard error")
        } else {
            let tail = indented(&tail);
            format!("{name} {ended}; the end of its standard error:\n{tail}")
        }
    }

    /// What is to be said of programs that have not ended after their last game: of each entrant once.
    fn linger(&self, plan: &SessionPlan, processes: &mut [Option<Process>]) -> String {
        let known = self.lingering.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        let mut lines = Vec::new();
        for (player, process) in processes.iter_mut().enumerate() {
            let stays = process
                .as_mut()
                .is_some_and(|process| process.status().is_none());
            if stays && known.insert(plan.players[player]) {
                lines.push(format!(
                    "{} does not end by itself after its last game: it is killed {} s later, each time",
                    self.name(plan, player),
                    LEAVE.as_secs()
                ));
            }
        }
        lines.join("\n")
    }

    /// What is to be said about a session that came to nothing; keeps what the programs have said.
    async fn autopsy(
        &self,
        plan: &SessionPlan,
        processes: &mut [Option<Process>],
        faults: &[Vec<EndKind>],
        reason: &str,
        missed: Option<usize>,
    ) -> SessionReport {
        let culprits = Programs::culprits(processes, missed);
        for &player in &culprits {
            if let Some(process) = &mut processes[player]
                && process.status().is_some()
            {
                process.exited().await;
            }
        }
        self.keep(plan, processes, faults, &culprits);
        let mut said = Vec::new();
        for &player in &culprits {
            if let Some(process) = &mut processes[player] {
                said.push(self.said(plan, process, player));
            }
        }
        let status = match culprits[..] {
            [player, ..] if said.len() == 1 => processes[player].as_mut().and_then(Process::status),
            _ => None,
        };
        let reason = status.map_or(reason.to_owned(), |status| format!("{reason} ({status})"));
        SessionReport {
            ended: SessionEnd::Void(reason),
            said: said.join("\n"),
            missed: missed.map(|player| plan.players[player]),
        }
    }
}

impl Play for Programs {
    type Guests = EntrantConnections;

    fn call(&self, plan: &SessionPlan, nobody: &BTreeSet<usize>) -> Readiness<EntrantConnections> {
        self.remote
            .call_also_without(&plan.players, self.logins(nobody))
    }

    fn arrival(&self) -> impl Future<Output = ()> + Send {
        self.remote.arrival()
    }

    fn leave_out(&self, out: &BTreeSet<usize>) {
        self.remote.leave_out(self.logins(out));
    }

    fn pause(&self, is_paused: bool) {
        self.remote.pause(is_paused);
    }

    fn end_look(&self, can_begin: bool) {
        self.remote.end_look(can_begin);
    }

    async fn play(
        &self,
        plan: SessionPlan,
        mut guests: EntrantConnections,
        options: SessionOptions,
        on_done: &mut (dyn FnMut(FixtureResult) + Send),
    ) -> SessionReport {
        let mut tries = TRIES;
        let (session, mut processes) = loop {
            let again = guests
                .iter()
                .map(|guest| guest.as_ref().map(EntrantConnection::again));
            let again = again.collect();
            let connections = std::mem::replace(&mut guests, again);
            match self.set_up(&plan, connections).await {
                Ok(ready) => break ready,
                Err(NotSetUp { is_short: true, .. })
                    if tries > 0 && !options.finish.is_cancelled() =>
                {
                    tries -= 1;
                    tokio::time::sleep(BETWEEN_TRIES).await;
                }
                Err(NotSetUp { reason, .. }) => return SessionEnd::Void(reason).into(),
            }
        };
        drop(guests);
        let began = Instant::now();
        let mut faults = vec![Vec::new(); plan.players.len()];
        let mut note = |done: FixtureResult| {
            let seating = plan.seating(done.number).unwrap_or_default();
            for game in &done.games {
                for (seat, &player) in seating.iter().enumerate() {
                    let kind = game.kind(seat);
                    if kind.is_fault() {
                        faults[usize::from(player)].push(kind);
                    }
                }
            }
            on_done(done);
        };
        let options = SessionOptions {
            departures: Departures::of_programs(
                (0..)
                    .zip(&processes)
                    .filter(|(_, process)| process.is_some())
                    .map(|(player, _)| player),
            ),
            ..options
        };
        let ended = tokio::select! {
            biased;
            ended = session.play_ahead(&options, &mut note) => ended,
            never = departures(&mut processes, &options.departures) => match never {},
        };
        let missed = options.departures.missed();
        let missed = missed.map(|player| plan.players[player]);
        if ended == SessionEnd::Absent {
            let late = missed.filter(|entrant| self.remote.note_failed(*entrant, began.elapsed()));
            return SessionReport {
                missed: late,
                ..ended.into()
            };
        }
        let mut said = String::new();
        match ended {
            SessionEnd::Void(reason) if !options.stop.is_cancelled() => {
                let missed = options.departures.missed();
                return self
                    .autopsy(&plan, &mut processes, &faults, &reason, missed)
                    .await;
            }
            SessionEnd::Whole => {
                let all = async {
                    for process in processes.iter_mut().flatten() {
                        process.exited().await;
                    }
                };
                let stay = tokio::time::timeout(LEAVE, all).await.is_err();
                if stay && !options.finish.is_cancelled() {
                    said = self.linger(&plan, &mut processes);
                }
            }
            _ => {}
        }
        // After an early end those that are left fail for no fault of their own.
        let is_whole = ended == SessionEnd::Whole && !options.finish.is_cancelled();
        let bad: Vec<usize> = (0..processes.len())
            .filter(|&p| !faults[p].is_empty() || is_whole && is_bad(&mut processes[p]))
            .collect();
        if ended != SessionEnd::Whole
            && !options.stop.is_cancelled()
            && !options.finish.is_cancelled()
        {
            // A program that fails closes its connection a little before it ends.
            let all = async {
                for &player in &bad {
                    if let Some(process) = &mut processes[player]
                        && faults[player]
                            .iter()
                            .any(|kind| matches!(kind, EndKind::Disconnect | EndKind::Crash))
                    {
                        process.exited().await;
                    }
                }
            };
            let _ = tokio::time::timeout(LEAVE, all).await;
        }
        self.keep(&plan, &mut processes, &faults, &bad);
        SessionReport {
            said,
            ..ended.into()
        }
    }
}

/// The seed of a player's program that begins with this fixture: a function of the league's seed, the fixture and the player
/// from which no deal follows. It has 31 bits: clients of old protocols take 32, those in C 31.
pub(crate) fn seed(settings: &Settings, first: Option<Key>, player: usize) -> u64 {
    let mut numbers = vec![player as u32];
    if let Some(key) = first {
        numbers.splice(0..0, [key.matchup, key.deal, key.rotation.into()]);
    }
    settings.seed.key().part("program", &numbers).seed() >> 33
}

fn is_bad(process: &mut Option<Process>) -> bool {
    let status = process.as_mut().and_then(Process::status);
    status.is_some_and(|status| !status.success())
}

/// Tells the table whose program has ended. Ends never.
async fn departures(processes: &mut [Option<Process>], departures: &Departures) -> Infallible {
    let mut all: Vec<Pin<Box<dyn Future<Output = ()> + Send + '_>>> = Vec::new();
    for (player, process) in processes.iter_mut().enumerate() {
        let Some(process) = process else { continue };
        all.push(Box::pin(async move {
            let status = process.gone().await;
            departures.note_end(player, status);
            tokio::time::sleep(ON_ITS_WAY).await;
            departures.add(player);
        }));
    }
    poll_fn(|context| {
        all.retain_mut(|one| one.as_mut().poll(context).is_pending());
        Poll::Pending
    })
    .await
}

/// Whether the system has no more files, processes or memory to give at the moment.
fn is_shortage(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let short = [
        Errno::MFILE,
        Errno::NFILE,
        Errno::AGAIN,
        Errno::NOMEM,
        Errno::ADDRINUSE,
    ];
    let code = error.raw_os_error();
    short.iter().any(|errno| Some(errno.raw_os_error()) == code)
}

/// Lines for a terminal, which no program is to command.
fn indented(text: &str) -> String {
    let lines = text.lines().map(|line| format!("    {}", Printable(line)));
    lines.collect::<Vec<_>>().join("\n")
}

/// Files that are kept; of more, the oldest go.
const KEPT: usize = 100;

#[derive(Debug)]
pub(super) struct StderrFiles {
    folder: PathBuf,
    /// From the oldest to the newest; `None` until the folder has been looked at.
    files: Mutex<Option<VecDeque<PathBuf>>>,
}

impl StderrFiles {
    pub(super) const fn new(folder: PathBuf) -> StderrFiles {
        StderrFiles {
            folder,
            files: Mutex::new(None),
        }
    }

    /// Writes a file. One that fails costs a line in the log, and no game.
    pub(super) fn write(&self, name: &str, text: &str) {
        let letter = |c: char| {
            if c.is_alphanumeric() || "._-".contains(c) {
                c
            } else {
                '_'
            }
        };
        let name: String = name.chars().map(letter).collect();
        let path = self.folder.join(name + ".txt");
        if let Err(e) = self.try_write(&path, text) {
            log::warn!("{}: {e}", path.display());
        }
    }

    fn try_write(&self, path: &Path, text: &str) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let files = match &mut *files {
            Some(files) => files,
            files => files.insert(of_folder(&self.folder)?),
        };
        files.retain(|known| known != path);
        while files.len() >= KEPT {
            if let Some(oldest) = files.pop_front() {
                // Somebody may have been tidy.
                let _ = fs::remove_file(oldest);
            }
        }
        fs::write(path, text)?;
        files.push_back(path.to_owned());
        Ok(())
    }
}

fn of_folder(folder: &Path) -> io::Result<VecDeque<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "txt") {
            files.push((entry.metadata()?.modified()?, path));
        }
    }
    files.sort();
    Ok(files.into_iter().map(|(_, path)| path).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_files_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("stderr");
        let names = || -> Vec<String> {
            let files = fs::read_dir(&folder).unwrap();
            let names = files.map(|f| f.unwrap().file_name().into_string().unwrap());
            let mut names: Vec<String> = names.collect();
            names.sort();
            names
        };
        let files = StderrFiles::new(folder.clone());
        for i in 0..KEPT + 5 {
            files.write(&format!("{i:03}"), "x");
        }
        assert_eq!((names().len(), &names()[0][..]), (KEPT, "005.txt"));
        // Those of an earlier run count, too.
        let files = StderrFiles::new(folder.clone());
        files.write("../a b/ü", "y");
        assert_eq!(names().len(), KEPT);
        assert!(names().contains(&".._a_b_ü.txt".to_owned()));
    }
}
