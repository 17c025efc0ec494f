//! A league in virtual time: its runner and its journal, whose process is killed again and again, also in the middle of
//! a write, and whose tables fail. What they come to follows from the game, so that it can be compared with a league that
//! nothing has happened to.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use end_to_end::cluster::game;
use league::journal::{
    Entry, FILE_NAME, Head, Journal, JournalFile, JournalReader, Page, Played as Line, VERSION,
    check_change,
};
use league::result::{Report, Results};
use league::runner::{self, LeagueEvent, Outcome, Play, SessionReport};
use league::schedule::Key;
use league::sections::Section;
use league::settings::{self, Format, ProcessLife, Settings};
use league::table_session::{FixtureResult, SessionEnd, SessionOptions, SessionPlan};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use tempfile::TempDir;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::{MOST, Played, in_virtual_time};

/// Starts after which nothing goes wrong any more.
const TROUBLED: u32 = 20;

/// Runs a league in virtual time.
pub(super) fn play(mut rng: Xoshiro256PlusPlus) -> Played {
    in_virtual_time(async {
        let began = Instant::now();
        let mut played = Played::default();
        played.worlds.insert("league", 1);
        let mut league = League::draw(&mut rng);
        let mut starts = 0;
        loop {
            starts += 1;
            assert!(starts < 2 * TROUBLED, "the league has an end");
            let faults = if starts < TROUBLED {
                Faults::draw(&mut rng)
            } else {
                Faults::default()
            };
            if faults.grows && !matches!(league.settings.format, Format::Swiss { .. }) {
                league.settings.deals += 1;
                league.settings.run.at_once = rng.random_range(1..4);
                played.fault("settings change");
            }
            let outcome = league.start(&faults, &mut rng, &mut played).await;
            if let Some(outcome) = outcome
                && !outcome.interrupted
                && outcome.stopped.is_empty()
            {
                break;
            }
        }
        let journal = league.journal();
        let mut calm = League::of(league.settings.clone());
        let (faults, mut unused) = (Faults::default(), Played::default());
        let outcome = calm.start(&faults, &mut rng, &mut unused).await;
        assert_eq!(outcome, Some(Outcome::default()));
        assert_eq!(lines(&journal), lines(&calm.journal()));
        let all = Section::fixtures_of(&league.settings).expect("a league with an end");
        assert_eq!(journal.played().count() as u64, all, "each game once");
        if rng.random_bool(0.1) {
            let figures = |league: &League| {
                let Report {
                    entrants, cross, ..
                } = Report::of(&league.results());
                format!("{entrants:?} {cross:?}")
            };
            assert_eq!(figures(&league), figures(&calm));
        }
        played.events = journal.entries.len();
        played.time = began.elapsed();
        played
    })
}

/// The lines that count, by their keys, without how long they took and on which machine.
pub(super) fn lines(journal: &Journal) -> BTreeMap<Key, Line> {
    let untimed = |line: &Line| Line {
        ms: 0,
        host: None,
        ..line.clone()
    };
    let lines = journal.played();
    lines.map(|line| (line.key, untimed(line))).collect()
}

/// What goes wrong from one start to its end.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// Bytes that are written until the process is killed, or the disk is full.
    bytes: Option<usize>,
    life: Option<Duration>,
    /// Time until it is asked to finish, and to stop.
    finish: Option<Duration>,
    stop: Option<Duration>,
    /// A sync that fails, counted from the first.
    sync: Option<u32>,
    is_short: bool,
    /// Whether the machine loses its power at the end of the process.
    power: bool,
    /// How many of a hundred sittings come to nothing, or not to all.
    sittings: u32,
    grows: bool,
}

impl Faults {
    fn draw(rng: &mut Xoshiro256PlusPlus) -> Faults {
        let mut ms = |chance: f64| {
            let some = rng.random_bool(chance);
            some.then(|| Duration::from_millis(rng.random_range(0..20_000)))
        };
        let (life, finish, stop) = (ms(0.3), ms(0.1), ms(0.1));
        Faults {
            bytes: rng.random_bool(0.5).then(|| rng.random_range(0..6_000)),
            life,
            finish,
            stop,
            sync: rng.random_bool(0.1).then(|| rng.random_range(1..5)),
            is_short: rng.random_bool(0.2),
            power: rng.random_bool(0.3),
            sittings: [0, 5, 30][rng.random_range(0..3)],
            grows: rng.random_bool(0.05),
        }
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        [
            (self.bytes.is_some(), "league: killed in a write"),
            (self.life.is_some(), "league: killed"),
            (self.finish.is_some(), "league: finish"),
            (self.stop.is_some(), "league: stop"),
            (self.sync.is_some(), "league: a sync fails"),
            (self.is_short, "league: short writes"),
            (self.power, "league: loss of power"),
            (self.sittings > 0, "league: tables fail"),
        ]
        .into_iter()
        .filter_map(|(is, name)| is.then_some(name))
    }
}

pub(super) struct League {
    pub(super) settings: Settings,
    folder: TempDir,
}

impl League {
    pub(super) fn of(settings: Settings) -> League {
        // In memory where that can be had: nothing is to be kept.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        };
        let folder = folder.expect("a folder");
        League { settings, folder }
    }

    pub(super) fn draw(rng: &mut Xoshiro256PlusPlus) -> League {
        let mut text = vec!["game = \"score-four\"\nseed = 1\n".to_owned()];
        let entrant = |n: u8| {
            format!(
                "[[entrants]]\nname = \"e{n}\"\ncommand = [\"true\", \"{{host}}\", \"{{port}}\"]\n"
            )
        };
        text.extend((0..rng.random_range(2..6)).map(entrant));
        let mut settings = settings::parse(&text.concat(), "league.toml").expect("settings");
        settings.seed = rng.random::<u64>().into();
        settings.deals = rng.random_range(1..6);
        settings.duplicate = rng.random_bool(0.8);
        settings.run.at_once = rng.random_range(1..4);
        settings.format = match rng.random_range(0..4) {
            0 => Format::Swiss {
                rounds: rng.random_range(1..4),
            },
            1 => Format::Gauntlet { challenger: 0 },
            _ => Format::RoundRobin,
        };
        if rng.random_bool(0.4) {
            settings.process = ProcessLife::Deals(rng.random_range(1..4));
        }
        let league = League::of(settings);
        // What a start that was killed has left.
        if rng.random_bool(0.5) {
            let torn = &"0123456789abcdef".repeat(5)[..rng.random_range(0..80)];
            fs::write(league.path().with_extension("new"), torn).expect("a file");
        }
        league
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(FILE_NAME)
    }

    pub(super) fn journal(&self) -> Journal {
        Journal::read(&self.path()).unwrap_or_else(|e| panic!("{e}"))
    }

    /// What the journal comes to, by the settings of now.
    pub(super) fn results(&self) -> Results {
        let mut reader = JournalReader::open(&self.path()).unwrap_or_else(|e| panic!("{e}"));
        reader.head.settings = self.settings.clone();
        Results::read(reader).unwrap_or_else(|e| panic!("{e}")).0
    }

    /// Begins the journal or takes it up; gives what it came to.
    pub(super) fn open(&self, disk: &Shared) -> io::Result<(Results, JournalFile)> {
        let path = self.path();
        if !path.exists() {
            let head = Head {
                version: VERSION,
                started: "2020-01-01T00:00:00Z".to_owned(),
                server: "simulated".to_owned(),
                machine: None,
                settings: self.settings.clone(),
            };
            let file = JournalFile::create(&path, &head)?;
            return Ok((Results::new(head), on(disk, file)));
        }
        let journal = self.journal();
        check_change(&journal.head.settings, &self.settings).expect("settings that may change");
        let results = self.results();
        let file = JournalFile::resume(&path, journal.whole)?;
        let mut file = on(disk, file);
        let begun = Entry::Begun {
            begun: "2020-01-01T00:00:00Z".to_owned(),
            settings: Some(Box::new(self.settings.clone())),
            by: None,
        };
        file.append(&begun)?;
        Ok((results, file))
    }

    /// Starts the process, and looks at what is left of it; gives how it ended, unless it was killed.
    pub(super) async fn start(
        &mut self,
        faults: &Faults,
        rng: &mut Xoshiro256PlusPlus,
        played: &mut Played,
    ) -> Option<Outcome> {
        faults.names().for_each(|name| played.fault(name));
        let disk = Disk::shared();
        *lock(&disk) = Disk {
            left: faults.bytes,
            failing: faults.sync,
            most: faults.is_short.then(|| rng.random_range(1..200)),
            files: BTreeMap::new(),
        };
        let mut told: BTreeSet<Key> = BTreeSet::new();
        let outcome = match self.open(&disk) {
            // The league says why, and ends.
            Err(_) => None,
            Ok((results, mut file)) => {
                told.extend(lines(&self.journal()).into_keys());
                let tables = Arc::new(Tables {
                    rng: Mutex::new(Xoshiro256PlusPlus::seed_from_u64(rng.random())),
                    played: told.clone(),
                    at_once: self.settings.run.at_once,
                    running: Mutex::default(),
                    failing: faults.sittings,
                });
                let options = SessionOptions::default();
                // The wish to stop comes after that to finish.
                let (finish, stop) = (&options.finish, &options.stop);
                for (after, asked) in [
                    (faults.finish, vec![finish]),
                    (faults.stop, vec![finish, stop]),
                ] {
                    let asked: Vec<_> = asked.into_iter().cloned().collect();
                    after.map(|after| {
                        tokio::spawn(async move {
                            sleep(after).await;
                            asked.iter().for_each(CancellationToken::cancel);
                        })
                    });
                }
                let mut news = |news: LeagueEvent| {
                    if let LeagueEvent::Line(entry) = &news
                        && let Some(line) = entry.played()
                    {
                        assert!(told.insert(line.key), "game {} once more", line.key);
                    }
                };
                let run = runner::run(
                    &self.settings,
                    results,
                    &mut file,
                    tables,
                    &options,
                    None,
                    &mut news,
                );
                let run = timeout(faults.life.unwrap_or(MOST), run).await;
                assert!(run.is_ok() || faults.life.is_some(), "the league hangs");
                run.ok().and_then(Result::ok)
            }
        };
        if !self.path().exists() {
            return None;
        }
        if faults.power {
            lock(&disk).lose_power(rng);
        }
        let journal = self.journal();
        let kept: BTreeSet<Key> = journal.played().map(|line| line.key).collect();
        let lost = told.difference(&kept).next();
        assert!(lost.is_none() || faults.power, "game {lost:?} is lost");
        let safe = lock(&disk).files.get(&self.path()).map(|(_, safe)| *safe);
        assert!(Some(journal.whole) >= safe, "{safe:?} bytes were safe");
        outcome.filter(|_| !faults.power || kept == told)
    }
}

/// A disk that has so much room, and forgets what is not safe on it.
#[derive(Debug, Default)]
pub(super) struct Disk {
    left: Option<usize>,
    failing: Option<u32>,
    most: Option<usize>,
    /// By path, the bytes of each file and how many of them outlast a loss of power.
    files: BTreeMap<PathBuf, (u64, u64)>,
}

pub(super) type Shared = Arc<Mutex<Disk>>;

fn lock(disk: &Shared) -> MutexGuard<'_, Disk> {
    disk.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Disk {
    pub(super) fn shared() -> Shared {
        Shared::default()
    }

    fn lose_power(&mut self, rng: &mut Xoshiro256PlusPlus) {
        for (path, (all, safe)) in &self.files {
            let file = OpenOptions::new().write(true).open(path);
            let kept = rng.random_range(*safe..=*all);
            file.and_then(|file| file.set_len(kept)).expect("a file");
        }
    }
}

#[derive(Debug)]
struct Sheet {
    page: Box<dyn Page>,
    path: PathBuf,
    disk: Shared,
}

fn on(disk: &Shared, file: JournalFile) -> JournalFile {
    let path = file.path().to_owned();
    file.on_page(|page| {
        let length = fs::metadata(&path).expect("a file").len();
        lock(disk).files.insert(path.clone(), (length, length));
        let disk = disk.clone();
        Box::new(Sheet { page, path, disk })
    })
}

impl Write for Sheet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut disk = lock(&self.disk);
        let n = bytes.len().min(disk.most.unwrap_or(usize::MAX));
        let n = n.min(disk.left.unwrap_or(usize::MAX));
        if n == 0 {
            return Err(ErrorKind::StorageFull.into());
        }
        self.page.write_all(&bytes[..n])?;
        if let Some(left) = &mut disk.left {
            *left -= n;
        }
        if let Some((all, _)) = disk.files.get_mut(&self.path) {
            *all += n as u64;
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Page for Sheet {
    fn sync(&self) -> io::Result<()> {
        let mut disk = lock(&self.disk);
        if let Some(failing) = &mut disk.failing {
            *failing -= 1;
            if *failing == 0 {
                return Err(io::Error::other("the disk failed"));
            }
        }
        if let Some((all, safe)) = disk.files.get_mut(&self.path) {
            *safe = *all;
        }
        Ok(())
    }
}

/// Tables whose games end as follows from their deals.
struct Tables {
    rng: Mutex<Xoshiro256PlusPlus>,
    /// What was played before the start.
    played: BTreeSet<Key>,
    at_once: usize,
    running: Mutex<usize>,
    failing: u32,
}

impl Tables {
    fn draw<T>(&self, draw: impl FnOnce(&mut Xoshiro256PlusPlus) -> T) -> T {
        draw(&mut self.rng.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn run(&self, more: isize) -> usize {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        *running = running.saturating_add_signed(more);
        *running
    }
}

impl Play for Tables {
    type Guests = ();

    async fn play(
        &self,
        plan: SessionPlan,
        (): (),
        _: SessionOptions,
        on_done: &mut (dyn FnMut(FixtureResult) + Send),
    ) -> SessionReport {
        let running = self.run(1);
        assert!(running <= self.at_once, "{running} tables at once");
        let all = plan.fixtures.len();
        let (fails, kind) = self.draw(|rng| (rng.random_range(0..100), rng.random_range(0..4)));
        let fails = fails < self.failing;
        let plays = if fails {
            self.draw(|rng| rng.random_range(0..all))
        } else {
            all
        };
        for (number, fixture) in plan.fixtures.iter().enumerate().take(plays) {
            let known = self.played.contains(&fixture.key);
            assert!(!known, "game {} was played before", fixture.key);
            let ms = self.draw(|rng| rng.random_range(0..3_000));
            sleep(Duration::from_millis(ms)).await;
            let done = FixtureResult {
                number,
                ms,
                games: vec![game(fixture)],
                record: None,
                host: None,
            };
            if fails && kind == 0 {
                // What cannot be, and what was said already.
                let number = all + 1;
                on_done(FixtureResult {
                    number,
                    ..done.clone()
                });
                on_done(done.clone());
            }
            on_done(done);
        }
        self.run(-1);
        let ended = match kind {
            _ if !fails => SessionEnd::Whole,
            0 | 1 => SessionEnd::Void("no reason".to_owned()),
            2 => SessionEnd::Gone,
            _ => SessionEnd::Whole,
        };
        ended.into()
    }
}
