//! A ladder: rated play without end between entrants that come and go.
//!
//! Entrants log in at the lobby and wait there. As soon as enough of them are free, and near enough in rating, a
//! table begins: a deal, once from every seat. What is played goes into the journal of its day, which is that of a
//! league; the ratings follow from the days alone. A table that breaks off because this program ends is void: its games are
//! in no journal, its deal is not dealt again.

mod day;
mod lobby;
mod pairing;
mod roster;
mod standings;
mod status;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::{Timestamp, ToSpan as _};
use record::EndKind;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::blocking;
use crate::journal::{Entry, JournalError, JournalReader, Played};
use crate::remote::Say;
use crate::runner::{SessionEvent, Sessions, plan_of, seed};
use crate::settings::{Format, LadderRules, ProcessLife, Run, Settings};
use crate::table_session::{SessionEnd, SessionOptions, SessionPlan};
use day::{Day, Part, archive_days, date_of};
use lobby::GUEST;
pub(crate) use lobby::{Lobby, TableHost};
use pairing::{Contender, Wait, choose};
pub use roster::{Registration, Roster};
use standings::{Rated, RatingJob, Standings};
use status::replace;
pub use status::{LadderRow, LadderStatus, STATUS, Waiting};

/// Time between two looks at the waiting entrants.
const LOOK: Duration = Duration::from_secs(1);

/// Time between two looks at the roster, the day and the ratings, after each of which the status is written.
const UPKEEP: Duration = Duration::from_secs(5);

/// How long a ladder that is to end at once waits for the disk.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// The longest that an entrant waits which has left tables again and again.
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// The time of the day.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The settings with which a ladder plays what its file says: a deal at each table, from every seat.
pub fn settings_of(settings: Settings) -> Settings {
    Settings {
        format: Format::Ladder,
        deals: 1,
        duplicate: true,
        process: ProcessLife::Deals(1),
        records: true,
        stages: Vec::new(),
        sprt: None,
        run: Run {
            ladder: Some(settings.ladder()),
            ..settings.run
        },
        ..settings
    }
}

/// A ladder that is played.
pub(crate) struct Ladder<H> {
    settings: Settings,
    rules: LadderRules,
    folder: PathBuf,
    roster: Roster,
    host: Arc<H>,
    clock: Clock,
    standings: Standings,
    day: Day,
    /// Days that are over, but for tables that began on them.
    old: Vec<Day>,
    closing: JoinSet<()>,
    /// Registrations that are read, and not let in yet.
    registered: VecDeque<Registration>,
    /// The last failure of the upkeep, which is told once.
    failure: String,
    /// Entrants whose last table was that of a guest.
    after_guests: BTreeSet<usize>,
    tables: HashMap<u64, LadderTable>,
    /// Since when each entrant or guest has been free.
    free: BTreeMap<usize, Instant>,
    quits: BTreeMap<usize, Quits>,
    rated: Option<(Timestamp, Instant)>,
    rated_blocks: u64,
    rating: Option<AbortOnDropHandle<Rated>>,
    say: Say,
}

/// A table in play.
struct LadderTable {
    part: Part,
    players: Vec<usize>,
    played: Vec<Played>,
}

/// The tables that an entrant has left today, and until when it waits for the next.
#[derive(Clone, Copy, Debug)]
struct Quits {
    count: u32,
    until: Instant,
}

impl<H: TableHost> Ladder<H> {
    /// Opens the ladder of a folder, with what was played there before.
    ///
    /// # Errors
    /// A journal or roster that cannot be read or written, and a port that cannot be opened.
    pub(crate) async fn open(
        settings: Settings,
        folder: &Path,
        host: Arc<H>,
        clock: Clock,
        say: Say,
    ) -> Result<Ladder<H>, LadderError> {
        let (standings, names) = Standings::read(folder)?;
        let mut roster = Roster::of(folder, &settings);
        let mut settings = settings;
        let own = settings.entrants.clone();
        host.admit(0, &own).await?;
        for one in roster.added()? {
            admit(&mut settings, &*host, one).await?;
        }
        let known = settings.names();
        let is_changed = names.iter().zip(&known).any(|(before, now)| before != now);
        if is_changed || names.len() > known.len() {
            return Err(LadderError::Entrants(names.join(", ")));
        }
        let now = clock();
        let day = Day::open(folder, date_of(now), now, &settings)?;
        Ok(Ladder {
            rules: settings.ladder(),
            settings,
            folder: folder.to_owned(),
            roster,
            host,
            clock,
            standings,
            day,
            old: Vec::new(),
            closing: JoinSet::new(),
            registered: VecDeque::new(),
            failure: String::new(),
            after_guests: BTreeSet::new(),
            tables: HashMap::new(),
            free: BTreeMap::new(),
            quits: BTreeMap::new(),
            rated: None,
            rated_blocks: 0,
            rating: None,
            say,
        })
    }

    /// Plays until the options say otherwise.
    pub(crate) async fn run(mut self, options: &SessionOptions) {
        self.archive();
        let mut sessions = Sessions::new(Arc::clone(&self.host));
        let [mut look, mut upkeep] = [LOOK, UPKEEP].map(interval);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        upkeep.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            if options.stop.is_cancelled() || options.finish.is_cancelled() && sessions.len() == 0 {
                break;
            }
            while !options.finish.is_cancelled() && sessions.len() < self.settings.run.at_once {
                let Ok(players) = self.choice() else {
                    break;
                };
                self.begin(players, &mut sessions, options).await;
            }
            let host = Arc::clone(&self.host);
            tokio::select! {
                biased;
                () = options.stop.cancelled() => {}
                event = sessions.event() => self.take(event, &mut sessions),
                _ = upkeep.tick() => self.keep_up().await,
                Some(_) = self.closing.join_next() => {}
                rated = finished(&mut self.rating) => self.take_ratings(rated).await,
                _ = look.tick() => {}
                () = host.arrival() => {}
            }
            sessions.reap();
        }
        sessions.abort().await;
        if !options.stop.is_cancelled() {
            let job = self.rating_job();
            let rated = blocking(|| job.run()).await;
            self.take_ratings(rated).await;
            self.write_status().await;
        }
        let mut closing = self.closing;
        for day in self.old.into_iter().chain([self.day]) {
            closing.spawn(day.close());
        }
        let written = async { while closing.join_next().await.is_some() {} };
        // A full disk is waited for until the second request to end.
        tokio::select! {
            () = written => {}
            () = at_once(options) => {}
        }
    }

    /// The numbers of the entrants that may sit down, and for how long each has been free.
    fn line(&mut self) -> Vec<(usize, Duration)> {
        let (now, mut free) = (Instant::now(), self.host.free());
        // The end of a table may be on its way, and with it the wait of one that has left it.
        let seated = self.tables.values().flat_map(|table| &table.players);
        let seated: BTreeSet<usize> = seated.copied().collect();
        free.retain(|entrant| !seated.contains(entrant));
        self.free.retain(|entrant, _| free.contains(entrant));
        for &entrant in &free {
            self.free.entry(entrant).or_insert(now);
        }
        let may_play = |entrant: &usize| self.quits.get(entrant).is_none_or(|q| q.until <= now);
        let line = self.free.iter().filter(|(entrant, _)| may_play(entrant));
        line.map(|(&entrant, &since)| (entrant, now - since))
            .collect()
    }

    fn house(&self) -> Vec<(usize, f64)> {
        let house = self.settings.entrants.iter().enumerate();
        let house = house.filter(|(_, entrant)| !entrant.comes_itself());
        house
            .map(|(number, _)| (number, self.standings.rating(number)))
            .collect()
    }

    /// The next table, or what those in line wait for. Entrants come before guests, and do not meet them.
    fn choice(&mut self) -> Result<Vec<usize>, Vec<Wait>> {
        let line = self.line();
        let house = self.house();
        let seats = self.settings.seats();
        let rated = line.iter().filter(|(entrant, _)| *entrant < GUEST);
        let waiting: Vec<Contender> = rated
            .map(|&(entrant, waited)| Contender {
                entrant,
                rating: self.standings.rating(entrant),
                games: self.standings.games(entrant),
                waited,
            })
            .collect();
        let met = |a, b| self.standings.met(a, b);
        let chosen = choose(seats, &self.rules, &waiting, &house, met);
        let has_guest = |table: &&LadderTable| table.players.iter().any(|&player| player >= GUEST);
        let with_guests = self.tables.values().filter(has_guest).count();
        if 2 * with_guests >= self.settings.run.at_once.max(2) {
            return chosen;
        }
        let house_after = Duration::from_secs(self.rules.house_after_s);
        let guests = line.iter().filter(|(entrant, _)| *entrant >= GUEST);
        let mut tables = guests.filter_map(|&(guest, waited)| {
            let wish = self.host.guest(guest)?.wish;
            let wish = wish.filter(|&wish| wish < self.settings.entrants.len());
            let is_free = |wish| {
                house.iter().any(|&(number, _)| number == wish)
                    || waiting.iter().any(|one| one.entrant == wish)
            };
            // Entrants come first, but for one that a guest has waited for.
            let is_next = chosen.is_err()
                || wish.is_some_and(|wish| !self.after_guests.contains(&wish))
                    && waited >= house_after;
            let house = house.iter().map(|&(entrant, _)| entrant).cycle();
            let table = [guest].into_iter().chain(wish).chain(house).take(seats);
            (is_next && wish.is_none_or(is_free)).then(|| table.collect())
        });
        tables.next().map_or(chosen, Ok)
    }

    async fn begin(
        &mut self,
        mut players: Vec<usize>,
        sessions: &mut Sessions<H>,
        options: &SessionOptions,
    ) {
        players.sort_unstable();
        for player in &players {
            self.free.remove(player);
        }
        let guests = self.host.take(&players);
        let has_guest = players.iter().any(|&player| player >= GUEST);
        for player in &players {
            if has_guest {
                self.after_guests.insert(*player);
            } else {
                self.after_guests.remove(player);
            }
        }
        let number = if has_guest {
            self.day.number_of_guests()
        } else {
            let (number, written) = self.day.pair(&players, (self.clock)());
            // A full disk stops the ladder here: no deal is dealt that it does not know.
            let is_known = tokio::select! {
                written = written => written.is_ok(),
                () = options.stop.cancelled() => false,
                () = options.finish.cancelled() => false,
            };
            if !is_known {
                return;
            }
            number
        };
        let records = if has_guest {
            &self.day.guests
        } else {
            &self.day.records
        };
        let plan = Settings {
            seed: self.day.seed,
            ..self.settings.clone()
        };
        let fixtures = plan.plan().block(number, &players, 0);
        let seeds = (0..players.len()).map(|player| seed(&plan, Some(fixtures[0].key), player));
        let planned = SessionPlan {
            seeds: seeds.collect(),
            ..plan_of(&fixtures, &players, Some(records))
        };
        let part = self.day.part;
        let id = sessions.begin(
            planned.into(),
            guests,
            SessionOptions {
                // A deal that has begun is played from every seat.
                finish: CancellationToken::new(),
                ..options.of_session()
            },
            BTreeSet::new(),
            0,
        );
        self.tables.insert(
            id,
            LadderTable {
                part,
                players,
                played: Vec::new(),
            },
        );
    }

    fn day_of(&self, part: Part) -> &Day {
        let old = self.old.iter().find(|day| day.part == part);
        old.unwrap_or(&self.day)
    }

    fn take(&mut self, event: SessionEvent, sessions: &mut Sessions<H>) {
        match event {
            SessionEvent::Fixture(id, done) => {
                let played = sessions
                    .get_mut(id)
                    .and_then(|session| session.played(done));
                let (Some(played), Some(table)) = (played, self.tables.get_mut(&id)) else {
                    return;
                };
                if table.players.iter().any(|&player| player >= GUEST) {
                    return;
                }
                table.played.push(played.clone());
                let part = table.part;
                let entry = Entry::Played(played);
                self.day_of(part).add_recorded(entry, &self.host);
            }
            SessionEvent::End(id, report) => {
                sessions.remove(id);
                let Some(table) = self.tables.remove(&id) else {
                    return;
                };
                let played: Vec<&Played> = table.played.iter().collect();
                self.standings.add(table.part, &played);
                let missed = match report.ended {
                    SessionEnd::Whole => last_fault(&table.played, is_departure),
                    SessionEnd::Gone => last_fault(&table.played, EndKind::is_fault),
                    SessionEnd::Absent => report.missed.map(|place| table.players[place]),
                    SessionEnd::Void(reason) => {
                        (self.say)(format!("a table is void: {reason}"));
                        None
                    }
                };
                if let Some(quitter) = missed {
                    self.note_quit(quitter);
                }
                let is_over = |day: &Day| self.tables.values().all(|table| table.part != day.part);
                let over = self.old.iter().position(is_over);
                if let Some(over) = over {
                    self.closing.spawn(self.old.remove(over).close());
                }
            }
        }
    }

    /// An entrant has left a table, or never sat down: it waits for its next one, longer each time.
    fn note_quit(&mut self, entrant: usize) {
        let now = Instant::now();
        let quits = self.quits.entry(entrant).or_insert(Quits {
            count: 0,
            until: now,
        });
        let wait = Duration::from_secs(self.rules.quit_wait_s);
        let wait = wait
            .saturating_mul(1 << quits.count.min(16))
            .min(LONGEST_WAIT);
        *quits = Quits {
            count: quits.count + 1,
            until: now + wait,
        };
    }

    /// Looks for new entrants, a new day, and ratings that are due.
    async fn keep_up(&mut self) {
        match self.look_around().await {
            Ok(()) => self.failure.clear(),
            Err(e) => {
                let failure = e.to_string();
                if failure != self.failure {
                    (self.say)(format!("{failure}; it is tried again"));
                    self.failure = failure;
                }
            }
        }
        self.write_status().await;
    }

    async fn look_around(&mut self) -> Result<(), LadderError> {
        let added = self.roster.added()?;
        self.registered.extend(added);
        while let Some(one) = self.registered.front() {
            let name = one.name.clone();
            admit(&mut self.settings, &*self.host, one.clone()).await?;
            self.registered.pop_front();
            self.day.add(Entry::Begun {
                begun: (self.clock)().to_string(),
                settings: Some(Box::new(Settings {
                    seed: self.day.seed,
                    ..self.settings.clone()
                })),
                by: None,
            });
            (self.say)(format!("{name} is registered"));
        }
        let now = (self.clock)();
        if date_of(now) > self.day.part.0 {
            let day = Day::open(&self.folder, date_of(now), now, &self.settings)?;
            let last = std::mem::replace(&mut self.day, day);
            if self.tables.values().any(|table| table.part == last.part) {
                self.old.push(last);
            } else {
                self.closing.spawn(last.close());
            }
            self.quits.clear();
            self.rated = None;
            self.archive();
        }
        let every = Duration::from_secs(self.rules.rate_every_s);
        let blocks = self.standings.blocks();
        let is_due = self.rated.is_none_or(|(_, at)| at.elapsed() >= every)
            || blocks >= 2 * self.rated_blocks.max(4);
        let is_new = blocks > self.rated_blocks || self.rated.is_none();
        if is_due && is_new && self.rating.is_none() {
            let job = self.rating_job();
            self.rating = Some(AbortOnDropHandle::new(tokio::spawn(blocking(|| job.run()))));
        }
        Ok(())
    }

    /// Keeps the records of old days in archives alone.
    fn archive(&self) {
        let days = i64::from(self.rules.archive_after_days);
        if days > 0 {
            let before = self.day.part.0.saturating_sub(days.days());
            let folder = self.folder.clone();
            tokio::task::spawn_blocking(move || archive_days(&folder, before));
        }
    }

    async fn write_status(&mut self) {
        let status = self.status();
        self.host.tell(status.league());
        let path = self.folder.join(STATUS);
        if let Err(e) = blocking(move || replace(&path, &status)).await {
            log::warn!("{STATUS}: {e}");
        }
    }

    fn rating_job(&self) -> RatingJob {
        let open = self.old.iter().chain([&self.day]).map(|day| day.part.0);
        let today = date_of((self.clock)());
        let days = (open.min().unwrap_or(today), today);
        self.standings.job(&self.settings, &self.rules, days)
    }

    /// Takes in ratings of a moment ago, and writes the pages of the entrants.
    async fn take_ratings(&mut self, rated: Rated) {
        self.rating = None;
        self.rated = Some(((self.clock)(), Instant::now()));
        let (today, blocks) = (rated.today, rated.blocks);
        self.rated_blocks = blocks;
        self.standings.take(rated, &self.rules);
        let rows = self.standings.rows(&self.settings, &self.rules);
        let (folder, settings) = (self.folder.clone(), self.settings.clone());
        let standings = std::mem::take(&mut self.standings);
        // No table ends meanwhile: this task takes the events.
        let (standings, written) = blocking(move || {
            let written = standings.write(&folder, &rows, &settings, today);
            (standings, written)
        })
        .await;
        self.standings = standings;
        if let Err(e) = written {
            log::warn!("the pages of the entrants are not written: {e}");
        }
    }

    fn status(&mut self) -> LadderStatus {
        let waits = self.choice().err().unwrap_or_default();
        let now = Instant::now();
        let name = |number: &usize| match self.settings.entrants.get(*number) {
            Some(entrant) => entrant.name.clone(),
            None => self
                .host
                .guest(*number)
                .map_or_else(String::new, |guest| guest.name),
        };
        let why = |entrant: usize| {
            if let Some(quits) = self.quits.get(&entrant).filter(|quits| quits.until > now) {
                let left = (quits.until - now).as_secs() + 1;
                return format!(
                    "it has left {} tables today, and waits {left} s more",
                    quits.count
                );
            }
            match waits.iter().find(|wait| wait.entrant == entrant) {
                Some(wait) => {
                    let house = wait.house_in.map_or_else(String::new, |time| {
                        format!("; the house sits down in {} s", time.as_secs() + 1)
                    });
                    format!(
                        "{} more within {:.0} rating points are needed{house}",
                        wait.missing, wait.reach
                    )
                }
                None => "others are before it, or all tables are taken".to_owned(),
            }
        };
        LadderStatus {
            title: self.settings.title.clone(),
            game: self.settings.game().to_string(),
            at: (self.clock)().to_string(),
            guests: self.rules.guests,
            connects_to: (0..)
                .zip(&self.settings.entrants)
                .filter_map(|(number, entrant)| {
                    Some((entrant.name.clone(), self.host.address_of(number)?))
                })
                .collect(),
            tables: self
                .tables
                .values()
                .map(|table| table.players.iter().map(name).collect())
                .collect(),
            waiting: self
                .free
                .iter()
                .map(|(&entrant, &since)| Waiting {
                    name: name(&entrant),
                    since: (now - since).as_secs(),
                    why: why(entrant),
                })
                .collect(),
            games: self.standings.all_games(),
            rated: self
                .rated
                .map_or_else(String::new, |(at, _)| at.to_string()),
            rows: self.standings.rows(&self.settings, &self.rules),
        }
    }
}

/// A further request to end.
async fn at_once(options: &SessionOptions) {
    // The first one may have been that already.
    if options.stop.is_cancelled() {
        tokio::time::sleep(LAST_WAIT).await;
    } else {
        options.stop.cancelled().await;
    }
}

/// The ratings that are worked out, once they are.
async fn finished(rating: &mut Option<AbortOnDropHandle<Rated>>) -> Rated {
    match rating {
        Some(rating) => rating.await.expect("ratings are always found"),
        None => std::future::pending().await,
    }
}

/// Whether a program that ends a game so can play no other. One that errs or is slow can.
const fn is_departure(kind: EndKind) -> bool {
    matches!(
        kind,
        EndKind::Stall | EndKind::Disconnect | EndKind::Crash | EndKind::ProtocolError
    )
}

/// The entrant whose fault of these kinds ended the last game of a table.
fn last_fault(played: &[Played], is_one: impl Fn(EndKind) -> bool) -> Option<usize> {
    let last = played.last()?;
    let game = last.games.last()?;
    let seat = (0..last.seats.len()).find(|&seat| is_one(game.kind(seat)))?;
    Some(last.seats[seat])
}

async fn admit<H: TableHost>(
    settings: &mut Settings,
    host: &H,
    one: Registration,
) -> Result<(), LadderError> {
    let first = settings.run.contest.port;
    let before = settings.entrants.iter().filter(|one| one.comes_itself());
    // With 0 the system chooses them.
    let port = match u16::try_from(before.count()) {
        _ if first == 0 => Some(0),
        Ok(number) => first.checked_add(number),
        Err(_) => None,
    };
    let port = port.ok_or(LadderError::Ports)?;
    let entrant = one.entrant(settings.game(), port);
    host.admit(settings.entrants.len(), std::slice::from_ref(&entrant))
        .await?;
    settings.entrants.push(entrant);
    Ok(())
}

/// The table of a ladder that need not run, from its days.
///
/// # Errors
/// A journal or roster that cannot be read.
pub fn table_of(
    settings: Settings,
    folder: &Path,
    now: Timestamp,
) -> Result<Vec<LadderRow>, LadderError> {
    let today = date_of(now);
    let (mut standings, _) = Standings::read(folder)?;
    let mut settings = settings;
    for one in Roster::of(folder, &settings).added()? {
        settings.entrants.push(one.entrant(settings.game(), 0));
    }
    let (rules, days) = (settings.ladder(), (today, today));
    let rated = standings.job(&settings, &rules, days).run();
    standings.take(rated, &rules);
    Ok(standings.rows(&settings, &rules))
}

/// Why a ladder does not begin, or ends.
#[derive(Debug, thiserror::Error)]
pub enum LadderError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(
        "the entrants of the file are not the first of those that have played here: {0}. Put them back in their order, and add \
         new ones with `taikyoku ladder add`"
    )]
    Entrants(String),
    #[error("there are not as many ports as entrants from the first one on")]
    Ports,
}

/// Whether every line of every day is one, and no game was played twice; gives the days and games.
///
/// # Errors
/// What is wrong with a day.
pub fn verify(folder: &Path) -> Result<(usize, usize), JournalError> {
    let error = |source| JournalError::File {
        path: folder.to_owned(),
        source,
    };
    let days = day::days_in(folder).map_err(error)?;
    let mut games = 0;
    for (_, day) in &days {
        for line in JournalReader::open(day)?.lines()? {
            games += usize::from(line?.entry.played().is_some());
        }
    }
    Ok((days.len(), games))
}
