//! Which sitting is played when, and what is done about those that fail.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

use super::agenda::{sitting, sittings};
use super::rounds::Round;
use super::voids::Voids;
use super::{News, Outcome, Play, Sat, Stopped};
use crate::league::journal::{Collector, DealBlock, Entry, JournalFile, Played, Test, WriteError};
use crate::league::schedule::{Fixture, Key};
use crate::league::settings::{Format, Settings};
use crate::league::table::{Done, Ended, Sitting, Wishes};
use stats::Verdict;

/// Tables that were told to stop have this long for it.
const STOP: Duration = Duration::from_secs(3);

/// How often lines of the journal that wait for the disk are looked after.
const TICK: Duration = Duration::from_millis(500);

/// A league that is played.
pub(super) struct Runner<'a> {
    settings: &'a Settings,
    file: &'a mut JournalFile,
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
}

/// What a sitting in play says.
enum Word {
    Done(u64, Done),
    Ended(u64, Sat),
}

/// A sitting in play.
struct Running {
    sitting: Sitting,
    is_done: Vec<bool>,
}

impl Running {
    fn left(&self) -> Vec<Fixture> {
        let all = self.sitting.fixtures.iter().zip(&self.is_done);
        let left = all.filter(|(_, done)| !**done);
        left.map(|(fixture, _)| fixture.clone()).collect()
    }
}

impl<'a> Runner<'a> {
    pub(super) fn new(
        settings: &'a Settings,
        file: &'a mut JournalFile,
        wishes: &'a Wishes,
        on_news: &'a mut (dyn FnMut(News) + Send),
    ) -> Runner<'a> {
        Runner {
            settings,
            file,
            wishes,
            on_news,
            played: HashSet::new(),
            collector: Collector::new(settings),
            blocks: Vec::new(),
            known: BTreeMap::new(),
            test: Test::new(settings),
            voids: Voids::default(),
            stopped: Vec::new(),
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
        if self.is_whole(round) {
            return Ok(true);
        }
        let before = self.played.clone();
        let mut left = sittings(
            self.settings,
            round.first,
            &round.matchups,
            &before,
            records,
        );
        let mut again: VecDeque<Sitting> = VecDeque::new();
        let mut running: HashMap<u64, Running> = HashMap::new();
        let mut tasks = JoinSet::new();
        let (sender, mut words) = mpsc::unbounded_channel();
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut number = 0;
        // Nobody is waited for who does not stop.
        let mut stopped = pin!(stopped(self.wishes));
        loop {
            while running.len() < self.settings.at_once.max(1)
                && self.goes_on()
                && let Some(sitting) = again.pop_front().or_else(|| left.next())
            {
                if self.voids.is_stopped(matchup(&sitting)) {
                    continue;
                }
                number += 1;
                tasks.spawn(sit(
                    number,
                    Arc::clone(play),
                    sitting.clone(),
                    self.wishes.clone(),
                    sender.clone(),
                ));
                let is_done = vec![false; sitting.fixtures.len()];
                running.insert(number, Running { sitting, is_done });
            }
            if running.is_empty() {
                break;
            }
            tokio::select! {
                biased;
                Some(word) = words.recv() => {
                    if let Some(sitting) = self.hear(word, &mut running, records)? {
                        again.push_front(sitting);
                    }
                }
                () = &mut stopped => break,
                _ = tick.tick() => self.file.tick()?,
            }
            // The dead are buried.
            while tasks.try_join_next().is_some() {}
        }
        tasks.shutdown().await;
        self.file.sync()?;
        Ok(self.is_whole(round))
    }

    /// Whether all of a round was played.
    fn is_whole(&self, round: &Round) -> bool {
        let (first, matchups) = (round.first, &round.matchups);
        let mut left = sittings(self.settings, first, matchups, &self.played, None);
        left.next().is_none()
    }

    /// Takes what a sitting says; gives what has to be played again.
    fn hear(
        &mut self,
        word: Word,
        running: &mut HashMap<u64, Running>,
        records: Option<&Path>,
    ) -> Result<Option<Sitting>, WriteError> {
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
                return Ok(Some(sitting(&left, &over.sitting.players, records)));
            }
            Ended::Gone => "a player left before a game was over".to_owned(),
            Ended::Void(reason) => reason,
        };
        let key = first.key;
        self.file.append(&Entry::Void {
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
                entrants: over.sitting.players.clone(),
                reason: full,
            };
            (self.on_news)(News::Stopped(stopped.clone()));
            self.stopped.push(stopped);
        }
        Ok(Some(sitting(&left, &over.sitting.players, records)))
    }

    /// Writes down a fixture that was played.
    fn done(&mut self, running: &mut Running, done: Done) -> Result<(), WriteError> {
        let number = done.number;
        let (Some(fixture), Some(is_done)) = (
            running.sitting.fixtures.get(number),
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
        let entry = Entry::Played(played);
        self.file.append(&entry)?;
        if let Entry::Played(played) = entry {
            (self.on_news)(News::Played(played));
        }
        Ok(())
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
    pub(super) fn end(self, interrupted: bool) -> Result<Outcome, WriteError> {
        self.file.sync()?;
        let verdict = self.verdict();
        Ok(Outcome {
            interrupted,
            stopped: self.stopped,
            verdict: (verdict != Verdict::Open).then_some(verdict),
        })
    }
}

/// The matchup of a sitting.
pub(super) fn matchup(sitting: &Sitting) -> u32 {
    sitting.fixtures.first().map_or(0, |f| f.key.matchup)
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
    sitting: Sitting,
    wishes: Wishes,
    words: mpsc::UnboundedSender<Word>,
) {
    let done = words.clone();
    let table = tokio::spawn(async move {
        let mut on_done = |game| {
            // Nobody listens once the league is given up.
            let _ = done.send(Word::Done(id, game));
        };
        play.play(sitting, wishes, &mut on_done).await
    });
    let table = AbortOnDropHandle::new(table);
    let sat = table.await.unwrap_or_else(|e| Sat {
        ended: Ended::Void(format!("the table failed: {e}")),
        said: String::new(),
    });
    let _ = words.send(Word::Ended(id, sat));
}
