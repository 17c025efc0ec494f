//! Which sitting is played when, and what is done about those that fail.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::future::pending;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

use super::agenda::Agenda;
use super::lines::Lines;
use crate::config::limits::DISK_WAIT;
use crate::league::foyer::Call;
use crate::league::journal::{Collector, DealBlock, Entry, Order, Played, Test, WriteError};
use crate::league::report::number::counted;
use crate::league::schedule;
use crate::league::schedule::{Fixture, Key, matchups, pairings};
use crate::league::settings::{Format, ProcessLife, Settings};
use crate::league::sitting::{Done, Ended, SittingPlan, Wishes};
use stats::{Block, Verdict, ratings};

/// Tables that were told to stop have this long for it.
const STOP: Duration = Duration::from_secs(3);

/// How often lines of the journal that wait for the disk are looked after.
const TICK: Duration = Duration::from_millis(500);

/// A league that is played.
pub(super) struct Runner<'a> {
    settings: &'a Settings,
    lines: Lines<'a>,
    wishes: &'a Wishes,
    on_news: &'a mut (dyn FnMut(News) + Send),
    played: HashSet<Key>,
    collector: Collector,
    /// Whole blocks, where pairings depend on them.
    blocks: Vec<DealBlock>,
    /// The sorted entrants of matchups of which something was played, where pairings depend on results.
    known: BTreeMap<u32, Vec<usize>>,
    test: Option<Test>,
    voids: Voids,
    stopped: Vec<Stopped>,
    /// Entrants without which fixtures of the last round are left.
    absent: BTreeSet<usize>,
}

/// What a sitting in play says.
enum Word {
    Done(u64, Done),
    Ended(u64, Sat),
}

/// A sitting in play.
struct Running {
    plan: SittingPlan,
    is_done: Vec<bool>,
}

impl Running {
    fn left(&self) -> Vec<Fixture> {
        let all = self.plan.fixtures.iter().zip(&self.is_done);
        let left = all.filter(|(_, done)| !**done);
        left.map(|(fixture, _)| fixture.clone()).collect()
    }
}

impl<'a> Runner<'a> {
    pub(super) fn new(
        settings: &'a Settings,
        lines: Lines<'a>,
        wishes: &'a Wishes,
        on_news: &'a mut (dyn FnMut(News) + Send),
    ) -> Runner<'a> {
        Runner {
            settings,
            lines,
            wishes,
            on_news,
            played: HashSet::new(),
            collector: Collector::new(settings),
            blocks: Vec::new(),
            known: BTreeMap::new(),
            test: Test::new(settings),
            voids: Voids::default(),
            stopped: Vec::new(),
            absent: BTreeSet::new(),
        }
    }

    /// Takes a fixture that is in the journal.
    pub(super) fn count(&mut self, played: &Played) {
        self.played.insert(played.key);
        self.voids.played(played.key.matchup);
        let is_paired = matches!(self.settings.format, Format::Swiss { .. } | Format::Ladder);
        if is_paired {
            self.known.entry(played.key.matchup).or_insert_with(|| {
                let mut seats = played.seats.clone();
                seats.sort_unstable();
                seats
            });
        }
        let Some(block) = self.collector.add(played) else {
            return;
        };
        if let Some(test) = &mut self.test {
            test.add(&block);
        }
        if is_paired {
            self.blocks.push(block);
        }
    }

    fn verdict(&self) -> Verdict {
        let test = self.test.as_ref();
        test.map_or(Verdict::Open, |test| test.sprt().verdict())
    }

    /// Whether the test, if there is one, has no verdict yet.
    pub(super) fn is_open(&self) -> bool {
        self.verdict() == Verdict::Open
    }

    /// Whether more sittings may begin.
    fn goes_on(&self) -> bool {
        self.is_open() && !self.wishes.finish.is_cancelled() && !self.is_stuck()
    }

    /// Whether the test waits for a matchup that was given up: its deals count in the order of the schedule, and no
    /// other game brings it on.
    fn is_stuck(&self) -> bool {
        self.settings.sprt.is_some_and(|sprt| {
            let mut stopped = self.stopped.iter();
            stopped.any(|stopped| stopped.entrants.contains(&sprt.entrant))
        })
    }

    /// Plays a round; gives whether all of it was played, now or before.
    pub(super) async fn round<P: Play>(
        &mut self,
        round: &Round,
        play: &Arc<P>,
        records: Option<&Path>,
    ) -> Result<bool, WriteError> {
        loop {
            if self.is_whole(round) {
                self.absent.clear();
                return Ok(true);
            }
            // Those that were missing may be back as long as others play.
            let before = self.played.len();
            self.pass(round, play, records).await?;
            if self.absent.is_empty() || self.played.len() == before || !self.goes_on() {
                return Ok(self.is_whole(round));
            }
        }
    }

    /// Plays what is left of a round, but for fixtures whose entrants have been missing for too long.
    async fn pass<P: Play>(
        &mut self,
        round: &Round,
        play: &Arc<P>,
        records: Option<&Path>,
    ) -> Result<(), WriteError> {
        let before = self.played.clone();
        let (first, matchups) = (round.first, &round.matchups);
        let mut agenda = Agenda::new(plans(self.settings, first, matchups, &before, records));
        let mut running: HashMap<u64, Running> = HashMap::new();
        let mut tasks = JoinSet::new();
        let (sender, mut words) = mpsc::unbounded_channel();
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut number = 0;
        // Tables that ignore the stop are abandoned after `STOP`.
        let mut stopped = pin!(stopped(self.wishes));
        loop {
            while running.len() < self.settings.at_once.max(1)
                && self.goes_on()
                && let Some((plan, guests)) =
                    agenda.next(play, |matchup| self.voids.is_stopped(matchup))
            {
                number += 1;
                tasks.spawn(sit(
                    number,
                    Arc::clone(play),
                    (plan.clone(), guests),
                    self.wishes.clone(),
                    sender.clone(),
                ));
                let is_done = vec![false; plan.fixtures.len()];
                running.insert(number, Running { plan, is_done });
            }
            if running.is_empty() && !(self.goes_on() && agenda.waits()) {
                break;
            }
            tokio::select! {
                biased;
                Some(word) = words.recv() => {
                    if let Some(plan) = self.hear(word, &mut running, records)? {
                        agenda.again(plan);
                    }
                }
                () = &mut stopped => break,
                written = self.lines.flow() => written?,
                _ = tick.tick() => self.lines.tick()?,
                () = play.arrival() => {}
            }
            // Reap finished tasks.
            while tasks.try_join_next().is_some() {}
        }
        tasks.shutdown().await;
        self.absent = agenda.absent();
        self.write_all().await
    }

    /// Writes all lines. Those that a full disk does not take are waited for, but not after the wish to stop: their games
    /// are played again.
    async fn write_all(&mut self) -> Result<(), WriteError> {
        let stopped = async {
            self.wishes.stop.cancelled().await;
            tokio::time::sleep(DISK_WAIT).await;
        };
        let written = tokio::select! {
            written = self.lines.all() => Some(written),
            () = stopped => None,
        };
        written.unwrap_or_else(|| {
            let lines = self.lines.len();
            let lines = counted(lines as u64, "line");
            let text = format!("not in the journal: {lines}; their games are played again");
            (self.on_news)(News::Note(text));
            Ok(())
        })
    }

    /// Whether all of a round was played.
    fn is_whole(&self, round: &Round) -> bool {
        let (first, matchups) = (round.first, &round.matchups);
        let mut left = plans(self.settings, first, matchups, &self.played, None);
        left.next().is_none()
    }

    /// Takes what a sitting says; gives what has to be played again.
    fn hear(
        &mut self,
        word: Word,
        running: &mut HashMap<u64, Running>,
        records: Option<&Path>,
    ) -> Result<Option<SittingPlan>, WriteError> {
        let (id, sat) = match word {
            Word::Done(id, done) => {
                if let Some(running) = running.get_mut(&id) {
                    self.done(running, done)?;
                }
                return Ok(None);
            }
            Word::Ended(id, sat) => (id, sat),
        };
        let Some(over) = running.remove(&id) else {
            return Ok(None);
        };
        if sat.ended == Ended::Whole && !sat.said.is_empty() {
            (self.on_news)(News::Note(sat.said.clone()));
        }
        let left = over.left();
        let Some(first) = left.first() else {
            return Ok(None);
        };
        let reason = match sat.ended {
            _ if self.wishes.stop.is_cancelled() => return Ok(None),
            Ended::Whole if self.wishes.finish.is_cancelled() => return Ok(None),
            Ended::Whole => "the table ended before its last game".to_owned(),
            // Its last game says who has gone; without a game nobody is known to have.
            Ended::Gone if over.is_done.contains(&true) => {
                return Ok(Some(plan_of(&left, &over.plan.players, records)));
            }
            Ended::Absent => return Ok(Some(plan_of(&left, &over.plan.players, records))),
            Ended::Gone => "a player left before a game was over".to_owned(),
            Ended::Void(reason) => reason,
        };
        let key = first.key;
        self.lines.add(Entry::Void {
            key,
            void: reason.clone(),
        })?;
        let full = if sat.said.is_empty() {
            reason.clone()
        } else {
            format!("{reason}\n{}", sat.said)
        };
        (self.on_news)(News::Void { key, reason });
        if self.voids.void(key.matchup) {
            let stopped = Stopped {
                matchup: key.matchup,
                entrants: over.plan.players.clone(),
                reason: full,
            };
            (self.on_news)(News::Stopped(stopped.clone()));
            self.stopped.push(stopped);
        }
        Ok(Some(plan_of(&left, &over.plan.players, records)))
    }

    /// Writes down a fixture that was played.
    fn done(&mut self, running: &mut Running, done: Done) -> Result<(), WriteError> {
        let number = done.number;
        let (Some(fixture), Some(is_done)) = (
            running.plan.fixtures.get(number),
            running.is_done.get_mut(number),
        ) else {
            return Ok(());
        };
        if std::mem::replace(is_done, true) {
            return Ok(());
        }
        let played = Played {
            key: fixture.key,
            seats: fixture.seats.clone(),
            ms: done.ms,
            games: done.games,
        };
        self.count(&played);
        self.lines.add(Entry::Played(played.clone()))?;
        (self.on_news)(News::Played(played));
        Ok(())
    }

    /// Tells of a round that results have paired.
    pub(super) fn paired(&mut self, round: &Round) {
        (self.on_news)(News::Paired {
            first: round.first,
            matchups: round.matchups.clone(),
        });
    }

    /// Whole blocks, where pairings depend on them.
    pub(super) fn blocks(&self) -> &[DealBlock] {
        &self.blocks
    }

    /// Known matchups, where pairings depend on results.
    pub(super) fn known(&self) -> &BTreeMap<u32, Vec<usize>> {
        &self.known
    }

    /// What it has come to, once all of it is on the disk.
    pub(super) async fn end(mut self, interrupted: bool) -> Result<Outcome, WriteError> {
        self.write_all().await?;
        let verdict = self.verdict();
        Ok(Outcome {
            interrupted,
            absent: self.absent.into_iter().collect(),
            stopped: self.stopped,
            verdict: (verdict != Verdict::Open).then_some(verdict),
        })
    }
}

/// The matchup of a sitting.
pub(super) fn matchup(plan: &SittingPlan) -> u32 {
    plan.fixtures.first().map_or(0, |f| f.key.matchup)
}

/// Some time after it was wished to stop.
async fn stopped(wishes: &Wishes) {
    wishes.stop.cancelled().await;
    tokio::time::sleep(STOP).await;
}

/// Plays a sitting, and says what comes of it.
async fn sit<P: Play>(
    id: u64,
    play: Arc<P>,
    (plan, guests): (SittingPlan, P::Guests),
    wishes: Wishes,
    words: mpsc::UnboundedSender<Word>,
) {
    let done = words.clone();
    let table = tokio::spawn(async move {
        let mut on_done = |game| {
            // Nobody listens once the league is given up.
            let _ = done.send(Word::Done(id, game));
        };
        play.play(plan, guests, wishes, &mut on_done).await
    });
    let table = AbortOnDropHandle::new(table);
    let sat = table.await.unwrap_or_else(|e| Sat {
        ended: Ended::Void(format!("the table failed: {e}")),
        said: String::new(),
    });
    let _ = words.send(Word::Ended(id, sat));
}

/// Matchups that are played before any later one begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Round {
    /// Number of the first.
    pub(super) first: u32,
    /// Their entrants.
    pub(super) matchups: Vec<Vec<usize>>,
}

/// The rounds of a league. Formats whose pairings do not depend on results have one.
#[derive(Debug)]
pub(super) struct Rounds<'a> {
    settings: &'a Settings,
    order: Order,
    done: u32,
    next: u32,
    byes: Vec<u32>,
    /// How often two have met: in all rounds, on the ladder in the last one only.
    met: HashMap<(usize, usize), u32>,
}

impl<'a> Rounds<'a> {
    pub(super) fn new(settings: &'a Settings) -> Rounds<'a> {
        Rounds {
            settings,
            order: Order::of(settings),
            done: 0,
            next: 0,
            byes: vec![0; settings.entrants.len()],
            met: HashMap::new(),
        }
    }

    /// The next round; `blocks` are all blocks of those before, in any order, and perhaps more. `known` are the sorted
    /// entrants of matchups of which something was played: a round of which all are known is not paired again, so that
    /// a league of many rounds is soon taken up. `None` after the last.
    pub(super) fn next(
        &mut self,
        blocks: &[DealBlock],
        known: &BTreeMap<u32, Vec<usize>>,
    ) -> Option<Round> {
        let last = match self.settings.format {
            Format::Swiss { rounds } => Some(rounds),
            Format::Ladder => None,
            _ => Some(1),
        };
        if last.is_some_and(|last| self.done >= last) {
            return None;
        }
        let matchups = match self.known(known) {
            Some(known) => known,
            None => self.matchups(blocks),
        };
        let first = self.next;
        self.done += 1;
        // A ladder ends when its keys do.
        self.next = first.checked_add(u32::try_from(matchups.len()).ok()?)?;
        (!matchups.is_empty()).then_some(Round { first, matchups })
    }

    /// The matchups of the next round, if all are known; they are taken in as if they had been paired.
    fn known(&mut self, known: &BTreeMap<u32, Vec<usize>>) -> Option<Vec<Vec<usize>>> {
        let is_ladder = self.settings.format == Format::Ladder;
        if !is_ladder && !matches!(self.settings.format, Format::Swiss { .. }) {
            return None;
        }
        let entrants = self.settings.entrants.len();
        let count = u32::try_from(entrants / self.settings.seats()).ok()?;
        let last = self.next.checked_add(count)?;
        let round: Vec<Vec<usize>> = known
            .range(self.next..last)
            .map(|(_, m)| m.clone())
            .collect();
        if round.len() != count as usize {
            return None;
        }
        for entrant in 0..entrants {
            self.byes[entrant] += u32::from(!round.iter().flatten().any(|&e| e == entrant));
        }
        if is_ladder {
            self.met.clear();
        }
        self.meet(&round);
        Some(round)
    }

    fn matchups(&mut self, blocks: &[DealBlock]) -> Vec<Vec<usize>> {
        let (entrants, seats) = (self.settings.entrants.len(), self.settings.seats());
        let format = match self.settings.format {
            Format::RoundRobin => schedule::Format::RoundRobin,
            Format::Gauntlet { challenger } => schedule::Format::Gauntlet { challenger },
            Format::Copies { challenger } => schedule::Format::Copies { challenger },
            Format::Swiss { .. } => return self.paired(&scores(entrants, &self.before(blocks))),
            Format::Ladder => {
                let scores = self.ratings(&self.before(blocks));
                let paired = self.paired(&scores);
                self.met.clear();
                self.meet(&paired);
                return paired;
            }
        };
        matchups(format, entrants, seats)
    }

    fn paired(&mut self, scores: &[f64]) -> Vec<Vec<usize>> {
        let met = |a: usize, b: usize| {
            let pair = (a.min(b), a.max(b));
            self.met.get(&pair).copied().unwrap_or(0)
        };
        let round = pairings(self.settings.seats(), scores, met, &self.byes);
        for &entrant in &round.byes {
            self.byes[entrant] += 1;
        }
        self.meet(&round.matchups);
        round.matchups
    }

    fn meet(&mut self, matchups: &[Vec<usize>]) {
        for table in matchups {
            for (i, &a) in table.iter().enumerate() {
                for &b in &table[i + 1..] {
                    *self.met.entry((a.min(b), a.max(b))).or_default() += 1;
                }
            }
        }
    }

    /// The blocks of earlier rounds in the order of the schedule, so that sums are the same to the last bit.
    fn before(&self, blocks: &[DealBlock]) -> Vec<Block> {
        let earlier = blocks.iter().filter(|b| b.matchup < self.next);
        let mut earlier: Vec<&DealBlock> = earlier.collect();
        earlier.sort_by_key(|b| self.order.position(b.matchup, b.deal));
        earlier.into_iter().map(|b| b.block.clone()).collect()
    }

    fn ratings(&self, blocks: &[Block]) -> Vec<f64> {
        let plan = stats::Plan {
            anchor: self.settings.anchor,
            resamples: 0,
            seed: self.settings.seed.number(),
        };
        let found = ratings(self.settings.entrants.len(), blocks, plan);
        found.entrants.iter().map(|r| r.rating).collect()
    }
}

/// Mean scores; one half for those that have not played.
fn scores(entrants: usize, blocks: &[Block]) -> Vec<f64> {
    let score = |entrant: usize| {
        let of = |block: &Block| block.mean_of(entrant, stats::Outcome::score);
        let all: Vec<f64> = blocks.iter().filter_map(of).collect();
        if all.is_empty() {
            0.5
        } else {
            all.iter().sum::<f64>() / all.len() as f64
        }
    };
    (0..entrants).map(score).collect()
}

/// Plays sittings.
pub trait Play: Send + Sync + 'static {
    /// The players of a sitting that come themselves.
    type Guests: Default + Send + 'static;

    /// Calls the players of a sitting that come themselves.
    fn call(&self, _: &SittingPlan) -> Call<Self::Guests> {
        Call::Ready(Self::Guests::default())
    }

    /// Waits until a player that comes itself may have come.
    fn arrival(&self) -> impl Future<Output = ()> + Send {
        pending()
    }

    /// Plays a sitting to its end. Every fixture that was played is told to `on_done` at once.
    fn play(
        &self,
        plan: SittingPlan,
        guests: Self::Guests,
        wishes: Wishes,
        on_done: &mut (dyn FnMut(Done) + Send),
    ) -> impl Future<Output = Sat> + Send;
}

/// A sitting that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sat {
    /// How it ended.
    pub ended: Ended,
    /// What the programs at fault have said, where it came to nothing; otherwise what people should know, if anything.
    pub said: String,
}

/// What happens in a league, as it happens.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// A round was paired by results, and begins.
    Paired {
        /// Number of its first matchup.
        first: u32,
        /// The entrants of its matchups.
        matchups: Vec<Vec<usize>>,
    },
    /// A fixture was played; it is in the journal, or will be as soon as its record is on the disk.
    Played(Played),
    /// A fixture came to nothing. It is played again, unless its matchup is stopped.
    Void {
        /// The fixture.
        key: Key,
        /// Why.
        reason: String,
    },
    /// A matchup is given up.
    Stopped(Stopped),
    /// Something that people should know.
    Note(String),
}

/// A matchup that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Its number.
    pub matchup: u32,
    /// Its entrants.
    pub entrants: Vec<usize>,
    /// Why, with what the programs at fault have said.
    pub reason: String,
}

/// What playing has come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Whether something of the schedule is left because it was wished to end.
    pub interrupted: bool,
    /// Entrants that were missing for too long, and without which fixtures are left.
    pub absent: Vec<usize>,
    /// Matchups that were given up.
    pub stopped: Vec<Stopped>,
    /// The verdict of the sequential test, where one has fallen.
    pub verdict: Option<Verdict>,
}

/// Counts fixtures that came to nothing.
#[derive(Debug, Default)]
pub(super) struct Voids {
    /// Matchups of which something was played, now or before.
    played: HashSet<u32>,
    /// Voids since the last fixture that was played.
    in_a_row: HashMap<u32, u32>,
    stopped: HashSet<u32>,
}

impl Voids {
    /// A fixture of this matchup was played.
    pub(super) fn played(&mut self, matchup: u32) {
        self.played.insert(matchup);
        self.in_a_row.remove(&matchup);
    }

    /// A fixture of this matchup came to nothing: gives whether that stops it now. The first of all does, and two in a
    /// row do.
    pub(super) fn void(&mut self, matchup: u32) -> bool {
        let in_a_row = self.in_a_row.entry(matchup).or_default();
        *in_a_row += 1;
        if *in_a_row < 2 && self.played.contains(&matchup) || self.is_stopped(matchup) {
            return false;
        }
        self.stopped.insert(matchup)
    }

    /// Whether nothing more of this matchup is played.
    pub(super) fn is_stopped(&self, matchup: u32) -> bool {
        self.stopped.contains(&matchup)
    }
}

/// The sittings of some matchups, the first of which has the number `first`, in the order of the schedule, without the
/// fixtures that were played. `records` is the folder of their records.
pub(super) fn plans<'a>(
    settings: &'a Settings,
    first: u32,
    matchups: &'a [Vec<usize>],
    played: &'a HashSet<Key>,
    records: Option<&'a Path>,
) -> impl Iterator<Item = SittingPlan> + 'a {
    let plan = settings.plan();
    let (chunk, single) = match settings.process {
        ProcessLife::Fixture => (1, true),
        ProcessLife::Deals(deals) => (deals.max(1), false),
    };
    let chunks = (0..plan.deals).step_by(chunk as usize);
    let tables = chunks.flat_map(move |deal| {
        let numbered = (first..).zip(matchups);
        numbered.map(move |(number, seated)| (number, seated, deal))
    });
    tables.flat_map(move |(number, seated, deal)| {
        let deals = deal..deal.saturating_add(chunk).min(plan.deals);
        let left: Vec<Fixture> = deals
            .flat_map(|deal| plan.block(number, seated, deal))
            .filter(|fixture| !played.contains(&fixture.key))
            .collect();
        let size = if single { 1 } else { left.len().max(1) };
        let chunk = |fixtures: &[Fixture]| plan_of(fixtures, seated, records);
        left.chunks(size).map(chunk).collect::<Vec<_>>()
    })
}

/// A sitting of these fixtures of a matchup, of which there is one at least.
pub(super) fn plan_of(
    fixtures: &[Fixture],
    seated: &[usize],
    records: Option<&Path>,
) -> SittingPlan {
    let record =
        |first: &Fixture| records.map(|folder| folder.join(format!("{}.jsonl", first.key)));
    SittingPlan {
        fixtures: fixtures.to_vec(),
        players: seated.to_vec(),
        record: fixtures.first().and_then(record),
    }
}
