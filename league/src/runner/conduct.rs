//! Which session is played when, and what is done about those that fail.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

use jiff::Timestamp;

use super::agenda::{Again, Agenda, Fate, Next, Planned, matchup, plan_of, plans};
use super::lines::Lines;
use super::news::{News, Outcome, Stopped};
use super::patience::Patience;
use super::play::{Play, SessionReport};
use super::rounds::{Round, Rounds};
use super::voids::Voids;
use crate::blocking;
use crate::journal::{
    Act, ActFile, Aside, Collector, DealBlock, Deed, Entry, Journal, Orders, PairedRound, Played,
    Test, WriteError,
};
use crate::result::number::counted;
use crate::schedule::{Fixture, Key};
use crate::sections::Section;
use crate::settings::{Absent, Disqualified, Entrant, GivenUp, SetAside, Settings};
use crate::table_session::{FixtureResult, SessionEnd, SessionOptions, SessionPlan};
use server::config::limits::DISK_WAIT;
use stats::Verdict;

/// Tables that were told to stop have this long for it.
const STOP: Duration = Duration::from_secs(3);

/// How often lines of the journal that wait for the disk are looked after.
const TICK: Duration = Duration::from_millis(500);

/// How often is looked for acts of the organiser.
const LOOK: Duration = Duration::from_secs(1);

pub(super) struct Runner<'a> {
    settings: &'a Settings,
    lines: Lines<'a>,
    options: &'a SessionOptions,
    on_news: &'a mut (dyn FnMut(News) + Send),
    played: HashSet<Key>,
    collector: Collector,
    blocks: Vec<DealBlock>,
    /// The sorted entrants of matchups of which something was played, where pairings depend on results.
    known: BTreeMap<u32, Vec<usize>>,
    /// The groups of sections that have begun, where they depend on results.
    groups: BTreeMap<usize, Vec<Vec<usize>>>,
    test: Option<Test>,
    voids: Voids,
    stopped: Vec<Stopped>,
    /// Entrants without which fixtures of the last round are left.
    absent: BTreeSet<usize>,
    /// Whether one was reinstated of which fixtures may have been left out.
    is_reinstated: bool,
    /// Entrants that were out of time again and again, and those that are to be set aside now.
    patience: Patience,
    late: Vec<usize>,
    /// What the organiser has done, and where more of it comes.
    orders: Orders,
    acts: ActFile,
}

enum SessionEvent {
    Fixture(u64, FixtureResult),
    End(u64, SessionReport),
}

struct Running {
    plan: SessionPlan,
    is_done: Vec<bool>,
    /// What is wished of it: as of all sessions, or because of the organiser's acts.
    options: SessionOptions,
    /// Entrants that were disqualified when it began, and others in whose seats nobody sits.
    out: BTreeSet<usize>,
    nobody: BTreeSet<usize>,
    /// Results that were known when its fixture in play began.
    since: u64,
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
        options: &'a SessionOptions,
        on_news: &'a mut (dyn FnMut(News) + Send),
    ) -> Runner<'a> {
        let acts = ActFile::beside(lines.path());
        Runner {
            settings,
            lines,
            options,
            on_news,
            played: HashSet::new(),
            collector: Collector::new(settings),
            blocks: Vec::new(),
            known: BTreeMap::new(),
            groups: BTreeMap::new(),
            test: Test::new(settings),
            voids: Voids::default(),
            stopped: Vec::new(),
            absent: BTreeSet::new(),
            is_reinstated: false,
            patience: Patience::default(),
            late: Vec::new(),
            orders: Orders::default(),
            acts,
        }
    }

    /// Begins with what the journal says, and with what was wished since.
    pub(super) async fn begin<P: Play>(
        &mut self,
        journal: &Journal,
        play: &P,
    ) -> Result<(), WriteError> {
        self.take_in(journal, play);
        // The journal that was read does not have the line that says so.
        self.patience.go_on();
        if self.orders.pause.is_some() {
            play.pause(true);
        }
        // The schedule has the games that are played again.
        self.obey(play, None).await?;
        Ok(())
    }

    /// Takes in what the journal says, in place of all that was known before.
    fn take_in<P: Play>(&mut self, journal: &Journal, play: &P) {
        self.played.clear();
        self.collector = Collector::new(self.settings);
        self.blocks.clear();
        self.test = Test::new(self.settings);
        self.orders = Orders::of(journal);
        self.patience = Patience::of(self.settings, journal);
        play.leave_out(&self.left_out());
        // The pairing of a game that is played again stays.
        for played in journal.all_played() {
            self.know(played);
        }
        for round in journal.rounds() {
            self.groups.insert(round.section, round.groups.clone());
            let numbered = (round.first..).zip(&round.matchups);
            self.known
                .extend(numbered.map(|(number, seated)| (number, seated.clone())));
        }
        for played in journal.played() {
            self.count(played);
        }
    }

    /// Takes note of the entrants of a matchup, where pairings depend on results.
    fn know(&mut self, played: &Played) {
        if self.settings.pairs_rounds() {
            let seated = || sorted(&played.seats);
            self.known.entry(played.key.matchup).or_insert_with(seated);
        }
    }

    /// Takes a fixture that is in the journal.
    fn count(&mut self, played: &Played) {
        self.played.insert(played.key);
        self.voids.played(played.key.matchup);
        self.know(played);
        let Some(block) = self.collector.add(played) else {
            return;
        };
        if let Some(test) = &mut self.test {
            test.add(&block);
        }
        if self.settings.pairs_rounds() {
            self.blocks.push(block);
        }
    }

    /// What the organiser has wished since it was looked for last.
    async fn new_acts(&mut self) -> Vec<Act> {
        let (mut acts, next) = (self.acts.clone(), self.orders.next);
        let read = move || (acts.since(next), acts);
        let (new, acts) = blocking(read).await;
        self.acts = acts;
        new
    }

    /// Does what the organiser has wished since it was looked for last; gives the sessions that are played again.
    async fn obey<P: Play>(
        &mut self,
        play: &P,
        records: Option<&Path>,
    ) -> Result<Vec<SessionPlan>, WriteError> {
        let mut again = Vec::new();
        for act in self.new_acts().await {
            let before = match act.deed {
                Deed::Replay { key } if self.played.contains(&key) => Some(key),
                _ => None,
            };
            let was_paused = self.orders.pause.is_some();
            self.orders.follow(&act, self.settings);
            self.patience.obey(&act.deed, self.settings);
            let is_paused = self.orders.pause.is_some();
            if was_paused != is_paused {
                play.pause(is_paused);
            }
            let begun = Timestamp::now().to_string();
            let entry = Entry::Act {
                begun,
                act: act.clone(),
            };
            self.lines.add(entry)?;
            play.leave_out(&self.left_out());
            self.is_reinstated |= matches!(act.deed, Deed::Reinstate { .. });
            (self.on_news)(News::Act(act));
            let Some(key) = before else {
                continue;
            };
            // All that follows from results follows from those that are left.
            self.write_all().await?;
            let path = self.lines.path().to_owned();
            let journal = match blocking(move || Journal::read(&path)).await {
                Ok(journal) => journal,
                Err(e) => {
                    let text = format!("game {key} is played again when the league goes on: {e}");
                    (self.on_news)(News::Note(text));
                    self.options.finish.cancel();
                    continue;
                }
            };
            let struck = journal.all_played().filter(|played| played.key == key);
            let seated = struck.last().map(|struck| sorted(&struck.seats));
            self.take_in(&journal, play);
            // Its programs may have been mended.
            self.voids.try_again(key.matchup);
            self.stopped
                .retain(|stopped| stopped.matchup != key.matchup);
            (self.on_news)(News::Struck(journal.played().cloned().collect()));
            let block = seated.map(|seated| {
                let block = self.settings.plan().block(key.matchup, &seated, key.deal);
                let fixture = block.into_iter().filter(|fixture| fixture.key == key);
                plan_of(&fixture.collect::<Vec<_>>(), &seated, records)
            });
            again.extend(block);
        }
        Ok(again)
    }

    /// Does what the organiser has wished since it was looked for last, between two rounds or at the end; gives whether
    /// something is to be played because of it, perhaps of a round that is over.
    pub(super) async fn begins_anew<P: Play>(&mut self, play: &P) -> Result<bool, WriteError> {
        // The rounds, looked at from the first on, have the games that are played again.
        let again = self.obey(play, None).await?;
        let is_reinstated = std::mem::take(&mut self.is_reinstated);
        Ok((!again.is_empty() || is_reinstated) && self.goes_on())
    }

    /// What becomes of a session whose turn it is.
    fn fate(&self, plan: &SessionPlan) -> Fate {
        let mut later = self.patience.whose_games_are(SetAside::Later);
        if self.is_left_out(plan) || later.any(|entrant| plan.players.contains(&entrant)) {
            Fate::Left
        } else {
            match self.voids.stopped(matchup(plan)) {
                None => Fate::Played(BTreeSet::new()),
                Some(_) if !self.loses_what_is_given_up() => Fate::Left,
                Some(faulty) if faulty.is_empty() => Fate::Lost,
                Some(faulty) => Fate::Played(faulty.clone()),
            }
        }
    }

    fn left_out(&self) -> BTreeSet<usize> {
        let mut out = self.orders.disqualified.clone();
        out.extend(self.patience.whose_games_are(SetAside::Lost));
        out
    }

    /// Whether a session is not played, as somebody in it is disqualified.
    fn is_left_out(&self, plan: &SessionPlan) -> bool {
        let is_out = |entrant: &usize| self.orders.disqualified.contains(entrant);
        self.settings.run.contest.disqualified == Disqualified::NotPlayed
            && plan.players.iter().any(is_out)
    }

    /// Whether the rest of a matchup that is given up counts as lost, so that a contest goes on. The entrants at fault lose
    /// it, or all its entrants if the fault is unknown.
    fn loses_what_is_given_up(&self) -> bool {
        let settings = self.settings;
        let is_contest = settings.entrants.iter().any(Entrant::comes_itself);
        let is_lost = settings.run.contest.given_up == GivenUp::Lost;
        is_contest && is_lost && settings.pairs_rounds()
    }

    fn verdict(&self) -> Verdict {
        let test = self.test.as_ref();
        test.map_or(Verdict::Open, |test| test.sprt().verdict())
    }

    /// Whether the test, if there is one, has no verdict yet.
    pub(super) fn is_open(&self) -> bool {
        self.verdict() == Verdict::Open
    }

    fn goes_on(&self) -> bool {
        self.is_open() && !self.options.finish.is_cancelled() && !self.is_stuck()
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
            self.is_reinstated = false;
            self.pass(round, play, records).await?;
            let is_same = self.absent.is_empty() || self.played.len() == before;
            if is_same && !self.is_reinstated || !self.goes_on() {
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
        let (first, matchups) = ((round.first, round.deals), &round.matchups);
        let all = plans(self.settings, first, matchups, &before, records);
        let mut agenda = Agenda::new(all);
        let mut running: HashMap<u64, Running> = HashMap::new();
        let mut tasks = JoinSet::new();
        let (sender, mut events) = mpsc::unbounded_channel();
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        // The acts until now were looked for when the league began.
        let mut look = tokio::time::interval_at(tokio::time::Instant::now() + LOOK, LOOK);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut number = 0;
        let mut went_on = true;
        // Tables that ignore the stop are abandoned after `STOP`.
        let mut stopped = pin!(stopped(self.options));
        loop {
            let goes_on = self.goes_on();
            if went_on && !goes_on {
                // What they would begin is not needed any more.
                for session in running.values() {
                    session.options.finish.cancel();
                }
            }
            went_on = goes_on;
            let tables = play.tables().unwrap_or(self.settings.run.at_once);
            while running.len() < tables.max(1)
                && self.goes_on()
                && self.orders.pause.is_none()
                && let Some(next) = agenda.next(play, |plan| self.fate(plan))
            {
                let (Planned { plan, nobody }, guests) = match next {
                    Next::Session(planned, guests) => (planned, guests),
                    Next::Lost(plan) => {
                        self.lose(&plan)?;
                        continue;
                    }
                };
                number += 1;
                if let Some(first) = plan.fixtures.first() {
                    (self.on_news)(News::Table(first.key, plan.players.clone()));
                }
                let options = self.options.of_session();
                tasks.spawn(sit(
                    number,
                    Arc::clone(play),
                    (plan.clone(), guests),
                    options.clone(),
                    sender.clone(),
                ));
                let is_done = vec![false; plan.fixtures.len()];
                let one = Running {
                    plan,
                    is_done,
                    options,
                    out: self.orders.disqualified.clone(),
                    nobody,
                    since: self.patience.taken(),
                };
                running.insert(number, one);
            }
            let is_paused = self.orders.pause.is_some();
            play.end_look(running.len() < tables.max(1) && self.goes_on() && !is_paused);
            if running.is_empty() && !(self.goes_on() && agenda.waits(is_paused)) {
                break;
            }
            tokio::select! {
                biased;
                Some(event) = events.recv() => {
                    for joined in play.joined() {
                        let begun = Timestamp::now().to_string();
                        self.lines.add(Entry::Joined { begun, joined })?;
                    }
                    if let Some(again) = self.hear(event, &mut running, records)? {
                        agenda.again(again);
                    }
                    self.set_aside(&**play)?;
                }
                () = &mut stopped => break,
                written = self.lines.flow() => written?,
                _ = tick.tick() => self.lines.tick()?,
                _ = look.tick() => {
                    let before = self.patience.taken();
                    for plan in self.obey(&**play, records).await? {
                        agenda.again(Again::First(plan.into()));
                    }
                    // Results that are struck are known no longer.
                    let struck = before.saturating_sub(self.patience.taken());
                    for session in running.values_mut() {
                        session.since = session.since.saturating_sub(struck);
                        self.reach(session);
                    }
                }
                () = play.arrival() => {}
            }
            // Reap finished tasks.
            while tasks.try_join_next().is_some() {}
        }
        tasks.shutdown().await;
        self.absent = agenda.absent();
        self.write_all().await
    }

    /// Has the organiser's acts reach a session in play: after a pause it begins no other fixture, and one with an entrant
    /// that is disqualified is broken off.
    fn reach(&self, session: &Running) {
        if self.orders.pause.is_some() {
            session.options.finish.cancel();
        }
        let mut out = self.orders.disqualified.difference(&session.out);
        if out.any(|entrant| session.plan.players.contains(entrant)) {
            session.options.stop.cancel();
        }
    }

    /// Writes all lines. Those that a full disk does not take are waited for, but not after the wish to stop: their games
    /// are played again.
    async fn write_all(&mut self) -> Result<(), WriteError> {
        let stopped = async {
            self.options.stop.cancelled().await;
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

    fn is_whole(&self, round: &Round) -> bool {
        let (first, matchups) = ((round.first, round.deals), &round.matchups);
        let mut left = plans(self.settings, first, matchups, &self.played, None);
        left.all(|plan| self.is_left_out(&plan))
    }

    /// Takes what a session says; gives what has to be played again.
    fn hear(
        &mut self,
        event: SessionEvent,
        running: &mut HashMap<u64, Running>,
        records: Option<&Path>,
    ) -> Result<Option<Again>, WriteError> {
        let (id, end) = match event {
            SessionEvent::Fixture(id, done) => {
                if let Some(running) = running.get_mut(&id) {
                    self.done(running, done)?;
                }
                return Ok(None);
            }
            SessionEvent::End(id, end) => (id, end),
        };
        let Some(over) = running.remove(&id) else {
            return Ok(None);
        };
        if end.ended == SessionEnd::Whole && !end.said.is_empty() {
            (self.on_news)(News::Note(end.said.clone()));
        }
        let left = over.left();
        let Some(first) = left.first() else {
            return Ok(None);
        };
        let again = || Planned::from(plan_of(&left, &over.plan.players, records));
        let reason = match end.ended {
            _ if self.options.stop.is_cancelled() => return Ok(None),
            // An act of the organiser's has ended it.
            _ if over.options.stop.is_cancelled() => return Ok(Some(Again::First(again()))),
            SessionEnd::Whole if self.options.finish.is_cancelled() => return Ok(None),
            SessionEnd::Whole if over.options.finish.is_cancelled() => {
                return Ok(Some(Again::First(again())));
            }
            SessionEnd::Whole => "the table ended before its last game".to_owned(),
            // Its last game says who has gone; without a game nobody is known to have.
            SessionEnd::Gone if over.is_done.contains(&true) => {
                return Ok(Some(Again::First(again())));
            }
            SessionEnd::Absent => {
                let may_be_skipped = self.settings.run.contest.absent == Absent::Skip
                    && !self.settings.pairs_rounds();
                let mut nobody = over.nobody;
                return Ok(Some(match end.missed {
                    Some(late) if may_be_skipped => Again::Skipped(late),
                    late => {
                        nobody.extend(late);
                        let Planned { plan, .. } = again();
                        let planned = Planned { plan, nobody };
                        // A test takes the deals in the order of the schedule: it would wait for this one to the end.
                        if self.test.is_some() {
                            Again::First(planned)
                        } else {
                            Again::Last(planned)
                        }
                    }
                }));
            }
            SessionEnd::Gone => "a player left before a game was over".to_owned(),
            SessionEnd::Void(reason) => reason,
        };
        let key = first.key;
        self.lines.add(Entry::Void {
            key,
            void: reason.clone(),
        })?;
        let full = if end.said.is_empty() {
            reason.clone()
        } else {
            format!("{reason}\n{}", end.said)
        };
        (self.on_news)(News::Void { key, reason });
        let is_given_up = self.voids.void(key.matchup, end.missed, &over.nobody);
        if is_given_up {
            let all = running.values();
            for other in all.filter(|other| matchup(&other.plan) == key.matchup) {
                other.options.finish.cancel();
            }
        }
        if is_given_up && self.loses_what_is_given_up() {
            let losers = end.missed.map_or("all its players", |entrant| {
                &self.settings.entrants[entrant].name
            });
            let text = format!(
                "matchup {} is given up, and lost by {losers}: {full}",
                key.matchup
            );
            (self.on_news)(News::Note(text));
        } else if is_given_up {
            let stopped = Stopped {
                matchup: key.matchup,
                entrants: over.plan.players.clone(),
                reason: full,
            };
            (self.on_news)(News::Stopped(stopped.clone()));
            self.stopped.push(stopped);
        }
        Ok(Some(Again::First(again())))
    }

    fn done(&mut self, running: &mut Running, done: FixtureResult) -> Result<(), WriteError> {
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
            record: done.record,
            host: done.host,
        };
        self.book(played, running.since)?;
        running.since = self.patience.taken();
        Ok(())
    }

    fn lose(&mut self, plan: &SessionPlan) -> Result<(), WriteError> {
        for fixture in &plan.fixtures {
            let text = format!("game {} is lost by all its players", fixture.key);
            (self.on_news)(News::Note(text));
            let lost = Played::lost_by_all(self.settings, fixture);
            self.book(lost, self.patience.taken())?;
        }
        Ok(())
    }

    /// Sets aside those that were out of time in too many fixtures in a row.
    fn set_aside<P: Play>(&mut self, play: &P) -> Result<(), WriteError> {
        for entrant in std::mem::take(&mut self.late) {
            let is_out = self.orders.disqualified.contains(&entrant);
            let rule = self.settings.set_aside();
            if is_out || !self.patience.set_aside(entrant, rule) {
                continue;
            }
            if rule == SetAside::Lost {
                play.leave_out(&self.left_out());
            }
            let games = counted(self.settings.run.timeouts.into(), "fixture");
            let aside = Aside {
                entrant: self.settings.entrants[entrant].name.clone(),
                reason: format!("it was out of time in {games} in a row"),
                games: rule,
            };
            self.lines.add(Entry::SetAside {
                begun: Timestamp::now().to_string(),
                set_aside: aside.clone(),
            })?;
            (self.on_news)(News::SetAside(aside));
        }
        Ok(())
    }

    /// Writes down a result of a fixture that began when so many were known.
    fn book(&mut self, played: Played, since: u64) -> Result<(), WriteError> {
        self.count(&played);
        self.late.extend(self.patience.take(&played, since));
        let entry = if self.orders.struck.contains(&played.key) {
            Entry::Replayed {
                begun: Timestamp::now().to_string(),
                replayed: played.clone(),
            }
        } else {
            Entry::Played(played.clone())
        };
        self.lines.add(entry)?;
        (self.on_news)(News::Played(played));
        Ok(())
    }

    /// The next round, after those before it were played.
    pub(super) fn next_round(&self, rounds: &mut Rounds<'_>) -> Option<Round> {
        rounds.follow(&self.groups, &self.orders.disqualified);
        rounds.next(&self.blocks, &self.known)
    }

    /// Tells of a round that results have paired, and writes down who meets whom in it, where that is not known yet.
    pub(super) fn begin_round(&mut self, round: &Round) -> Result<(), WriteError> {
        let numbered = || (round.first..).zip(&round.matchups);
        if !self.settings.pairs_rounds() {
            return Ok(());
        }
        (self.on_news)(News::Paired {
            section: round.section,
            first: round.first,
            matchups: round.matchups.clone(),
            groups: round.groups.clone(),
        });
        if numbered().all(|(number, _)| self.known.contains_key(&number)) {
            return Ok(());
        }
        for (number, matchup) in numbered() {
            self.known.insert(number, matchup.clone());
        }
        let paired = PairedRound {
            section: round.section,
            first: round.first,
            matchups: round.matchups.clone(),
            groups: round.groups.clone(),
        };
        self.lines.add(Entry::Round {
            begun: Timestamp::now().to_string(),
            round: paired,
        })
    }

    /// What it has come to, once all of it is on the disk.
    pub(super) async fn end(mut self, interrupted: bool) -> Result<Outcome, WriteError> {
        self.write_all().await?;
        let verdict = self.verdict();
        let is_left =
            Section::fixtures_of(self.settings).is_none_or(|all| (self.played.len() as u64) < all);
        // After a verdict nothing is left to be played.
        let is_open = verdict == Verdict::Open;
        let aside = self.patience.whose_games_are(SetAside::Later);
        Ok(Outcome {
            interrupted,
            aside: aside.filter(|_| is_left && is_open).collect(),
            absent: self.absent.into_iter().filter(|_| is_open).collect(),
            stopped: self.stopped,
            verdict: (!is_open).then_some(verdict),
        })
    }
}

fn sorted(seats: &[usize]) -> Vec<usize> {
    let mut seats = seats.to_vec();
    seats.sort_unstable();
    seats
}

/// Some time after it was wished to stop.
async fn stopped(options: &SessionOptions) {
    options.stop.cancelled().await;
    tokio::time::sleep(STOP).await;
}

/// Plays a session, and says what comes of it.
async fn sit<P: Play>(
    id: u64,
    play: Arc<P>,
    (plan, guests): (SessionPlan, P::Guests),
    options: SessionOptions,
    events: mpsc::UnboundedSender<SessionEvent>,
) {
    let done = events.clone();
    let table = tokio::spawn(async move {
        let mut on_done = |game| {
            // Nobody listens once the league is given up.
            let _ = done.send(SessionEvent::Fixture(id, game));
        };
        play.play(plan, guests, options, &mut on_done).await
    });
    let table = AbortOnDropHandle::new(table);
    let end = table.await.unwrap_or_else(|e| SessionReport {
        ended: SessionEnd::Void(format!("the table failed: {e}")),
        said: String::new(),
        missed: None,
    });
    let _ = events.send(SessionEvent::End(id, end));
}
